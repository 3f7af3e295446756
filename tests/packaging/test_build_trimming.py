"""What goes into the standalone program, and what of it is Python's own."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
import stripping
import trimming

PLUGINS = "PySide6/Qt/plugins"
ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize(
    "kept",
    [
        f"{PLUGINS}/platforms/libqxcb.so",
        f"{PLUGINS}/platforms/libqoffscreen.so",
        "PySide6\\plugins\\platforms\\qwindows.dll",
        f"{PLUGINS}/platforms/libqcocoa.dylib",
        f"{PLUGINS}/imageformats/libqsvg.so",
        f"{PLUGINS}/iconengines/libqsvgicon.so",
        "PySide6/QtSvg.abi3.so",
        "resources/examples/animal-street.attn",
        "resources/licences/Qt.txt",
        "pptx/templates/default.pptx",
        "PySide6/QtOpenGL.abi3.so",
    ],
)
def test_what_the_program_loads_is_kept(kept: str) -> None:
    assert trimming.is_wanted(kept)


@pytest.mark.parametrize(
    "left_out",
    [
        f"{PLUGINS}/platformthemes/libqgtk3.so",
        f"{PLUGINS}/platforms/libqvnc.so",
        f"{PLUGINS}/tls/libqopensslbackend.so",
        "PySide6\\plugins\\imageformats\\qtiff.dll",
        "PySide6/Qt/translations/qtbase_de.qm",
        "numpy/_core/tests/data/x.csv",
        "numpy-2.4.6.dist-info/METADATA",
        "pyqtgraph/icons/auto.svg",
        "pyqtgraph\\colors\\maps\\viridis.csv",
    ],
)
def test_what_it_never_loads_is_left_out(left_out: str) -> None:
    assert not trimming.is_wanted(left_out)


def _links(of: Mapping[str, set[str]]) -> object:
    def needed(files: Iterable[str]) -> dict[str, frozenset[str]]:
        return {file: frozenset(of.get(file, ())) for file in files}

    return needed


def test_a_library_stays_only_if_something_kept_is_linked_to_it() -> None:
    entries = [
        (f"{PLUGINS}/platforms/libqxcb.so", "/a/libqxcb.so", "BINARY"),
        (f"{PLUGINS}/platformthemes/libqgtk3.so", "/a/libqgtk3.so", "BINARY"),
        ("libQt6XcbQpa.so.6", "/a/libQt6XcbQpa.so.6", "BINARY"),
        ("libxcb-cursor.so.0", "/b/libxcb-cursor.so.0", "BINARY"),
        ("libgtk-3.so.0", "/b/libgtk-3.so.0", "BINARY"),
        ("libfontconfig.so.1", "/b/libfontconfig.so.1", "BINARY"),
        ("libgtk-link.so", "somewhere/libgtk-3.so.0", "SYMLINK"),
        ("libpython3.11.so.1.0", "/c/libpython3.11.so.1.0", "BINARY"),
        ("numpy/_core/_multiarray_umath.so", "/d/_multiarray_umath.so", "EXTENSION"),
    ]
    links = {
        "/a/libqxcb.so": {"libQt6XcbQpa.so.6", "libc.so.6"},
        "/a/libQt6XcbQpa.so.6": {"libxcb-cursor.so.0", "libfontconfig.so.1"},
        "/a/libqgtk3.so": {"libgtk-3.so.0"},
    }
    kept = trimming.without_useless_libraries(entries, _links(links))  # type: ignore[arg-type]
    assert [entry[0].rsplit("/", 1)[-1] for entry in kept] == [
        "libqxcb.so",
        "libQt6XcbQpa.so.6",
        "libxcb-cursor.so.0",
        "libpython3.11.so.1.0",
        "_multiarray_umath.so",
    ]


def test_nothing_prepares_at_the_start_for_processes_that_never_are() -> None:
    scripts = [
        ("pyi_rth_inspect", "/a/pyi_rth_inspect.py", "PYSOURCE"),
        ("pyi_rth_multiprocessing", "/a/pyi_rth_multiprocessing.py", "PYSOURCE"),
        ("pyi_rth_pyqtgraph_multiprocess", "/b/pyi_rth_pyqtgraph_multiprocess.py", "PYSOURCE"),
        ("__main__", "/c/__main__.py", "PYSOURCE"),
    ]
    assert [entry[0] for entry in trimming.without_useless_hooks(scripts)] == ["pyi_rth_inspect", "__main__"]


def test_zoomed_plots_need_nothing_that_is_left_out() -> None:
    """In a Python of its own, in which nothing can be imported that is not in the standalone program."""
    program = """
        import sys
        class LeftOut:
            def find_spec(self, fullname, path, target=None):
                parts = fullname.split(".")
                if any(".".join(parts[: end + 1]) in names for end in range(len(parts))):
                    raise ModuleNotFoundError(fullname, name=fullname)
        sys.path.insert(0, "packaging")
        import trimming
        names = frozenset(trimming.NEVER_IMPORTED)
        sys.meta_path.insert(0, LeftOut())
        from PySide6.QtWidgets import QApplication
        application = QApplication([])
        from attnexplorer.views.plot.zoom_view import ZoomView
        view = ZoomView()
        view.resize(200, 200)
        view.grab()
        print("pyqtgraph" in sys.modules)
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == "True\n"


def test_only_pythons_own_files_are_stripped() -> None:
    assert stripping.is_pythons_own("libpython3.11.so.1.0")
    assert stripping.is_pythons_own("python3.11/lib-dynload/_json.so")
    assert not stripping.is_pythons_own("numpy.libs/libscipy_openblas64_-32a4b2a6.so")
    assert not stripping.is_pythons_own("PySide6/Qt/lib/libQt6Core.so.6")


def test_the_formats_of_pillow_that_are_written_are_not_excluded() -> None:
    excluded = trimming.pillow_formats_never_used()
    assert not {f"PIL.{name}ImagePlugin" for name in trimming.PILLOW_FORMATS} & set(excluded)
