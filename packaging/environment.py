"""Makes .venv and installs the project into it, at the exact versions of constraints.txt."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import system_packages
from problem import Problem

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
CONSTRAINTS = ROOT / "packaging" / "constraints.txt"
STAMP = VENV / "attnexplorer-set-up.json"


def ready(*extras: str) -> Path:
    """Return the Python of .venv, with the project and those optional extras installed as they are pinned now."""
    if not _works():
        _make()
    installed = _installed_extras()
    wanted = frozenset(extras)
    if installed is None or not wanted <= installed:
        _install(wanted | (installed or frozenset()))
    return _python()


def pyside_folder() -> Path:
    """Return the folder of the installed PySide6."""
    libraries = VENV / "Lib" if os.name == "nt" else next((VENV / "lib").glob("python3*"))
    return libraries / "site-packages" / "PySide6"


def variables() -> dict[str, str]:
    """Return the environment for what runs in .venv: the user's, less what would bring in other packages."""
    foreign = ("PYTHONPATH", "PYTHONHOME", "__PYVENV_LAUNCHER__")
    return {name: value for name, value in os.environ.items() if name not in foreign}


def _python() -> Path:
    return VENV / "Scripts" / "python.exe" if os.name == "nt" else VENV / "bin" / "python"


def _works() -> bool:
    """Tell whether .venv is whole: made for this folder, by a Python that is still there and new enough."""
    question = "import pip, sys; sys.exit(sys.version_info < (3, 11) or sys.prefix == sys.base_prefix)"
    try:
        answer = subprocess.run([str(_python()), "-c", question], env=variables(), capture_output=True, check=False)
    except OSError:
        return False
    return answer.returncode == 0


def _make() -> None:
    if VENV.is_dir() and any(VENV.iterdir()) and not (VENV / "pyvenv.cfg").is_file():
        raise Problem(f"{VENV} is in the way: it is no Python environment. Move it elsewhere and try again.")
    _install_venv_module()
    print(f"Making {VENV}.", flush=True)
    if subprocess.call([sys.executable, "-m", "venv", "--clear", str(VENV)], env=variables()) != 0:
        raise Problem(f"{VENV} could not be made; the lines above say why.")


def _install_venv_module() -> None:
    if all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")):
        return
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    system_packages.install([package], "This Python has no module venv, which makes environments.")


def _install(extras: frozenset[str]) -> None:
    print(f"Installing into {VENV}; the first time this takes some minutes.", flush=True)
    names = f"[{','.join(sorted(extras))}]" if extras else ""
    STAMP.unlink(missing_ok=True)
    _pip("setuptools")
    _pip("--no-build-isolation", "--editable", f"{ROOT}{names}")
    STAMP.write_text(json.dumps({"digest": _digest(), "extras": sorted(extras)}), encoding="utf-8")


def _pip(*arguments: str) -> None:
    command = [str(_python()), "-m", "pip", "install", "-q", "--no-input", "--disable-pip-version-check"]
    plain = {**variables(), "PIP_USER": "0"}
    if subprocess.call([*command, "-c", str(CONSTRAINTS), *arguments], cwd=ROOT, env=plain) != 0:
        raise Problem("The packages could not be installed; the lines above say why.")


def _installed_extras() -> frozenset[str] | None:
    """The extras that are installed; None where nothing is, or not what is pinned now."""
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(stamp, dict) or stamp.get("digest") != _digest():
        return None
    extras: list[str] = stamp["extras"]
    return frozenset(extras)


def _digest() -> str:
    """Stands for everything that an installation depends on; a copied or moved folder counts as a new one."""
    digest = hashlib.sha256(str(ROOT).encode())
    for file in (ROOT / "pyproject.toml", CONSTRAINTS):
        digest.update(file.read_bytes())
    return digest.hexdigest()
