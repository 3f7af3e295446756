"""Gathers the licences of everything that went into the standalone program; runs in the environment that builds it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from attnexplorer.views.dialogs.licence_texts import OWN, licence_of

ROOT = Path(__file__).resolve().parent.parent
PLACE = "resources/licences"
Entry = tuple[str, str, str]


def gathered(entries: Iterable[Entry], folder: Path) -> list[Entry]:
    """Write a text for each package, for Python and for each system library; return them as further entries.

    Parameters
    ----------
    entries
        PyInstaller's tables of all that is bundled.
    folder
        Where the texts are written; it is emptied first.
    """
    sources = {Path(source) for _, source, kind in entries if kind != "SYMLINK" and source and source != "-"}
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    texts = {OWN: (ROOT / "LICENSE").read_text(encoding="utf-8"), "Python": _python_licence()}
    texts |= _of_packages(sources)
    texts |= _of_system_libraries(sources)
    written = []
    for name, text in texts.items():
        file = folder / f"{name}.txt"
        file.write_text(text, encoding="utf-8")
        written.append((f"{PLACE}/{file.name}", str(file), "DATA"))
    return written


def _of_packages(sources: set[Path]) -> dict[str, str]:
    """The installed packages of which at least one file is bundled; the start-up code of PyInstaller always is."""
    found = {}
    for distribution in metadata.distributions():
        name = distribution.metadata["Name"]
        files = (Path(str(file.locate())) for file in distribution.files or ())
        if name.lower() == "pyinstaller" or (name != "attnexplorer" and any(file in sources for file in files)):
            found[name] = licence_of(distribution)
    return found


def _of_system_libraries(sources: set[Path]) -> dict[str, str]:
    """What Debian's packages say of the libraries that were taken from this system."""
    if not sys.platform.startswith("linux"):
        return {}
    installed = (Path(sys.prefix), Path(sys.base_prefix), ROOT)
    files = [file for file in sources if not any(file.is_relative_to(place) for place in installed)]
    texts = {}
    unknown = set()
    for file in files:
        package = _debian_package(file)
        copyright_file = Path("/usr/share/doc") / (package or "-") / "copyright"
        if copyright_file.is_file():
            texts[f"System library {package}"] = copyright_file.read_text(encoding="utf-8", errors="replace")
        else:
            unknown.add(file.name)
    if unknown:
        print(f"No licence was found on this system for {', '.join(sorted(unknown))}.", file=sys.stderr)
    return texts


def _debian_package(file: Path) -> str | None:
    if shutil.which("dpkg-query") is None:
        return None
    real = file.resolve()
    # What was installed before /lib and /usr/lib became one is known by its old name.
    for path in (real, Path(str(real).removeprefix("/usr"))):
        answer = subprocess.run(["dpkg-query", "-S", str(path)], capture_output=True, text=True, check=False)
        if answer.returncode == 0:
            return answer.stdout.split(":")[0]
    return None


def _python_licence() -> str:
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    places = (
        Path(sysconfig.get_path("stdlib")) / "LICENSE.txt",
        Path(sys.base_prefix) / "LICENSE.txt",
        Path(f"/usr/share/doc/python{version}/copyright"),
    )
    for place in places:
        if place.is_file():
            return place.read_text(encoding="utf-8", errors="replace")
    return "Python is under the PSF License Agreement: https://docs.python.org/3/license.html\n"
