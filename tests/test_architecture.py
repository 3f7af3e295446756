"""The rules of the house, read from the source: who imports whom, who may use Qt, what never appears."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "attnexplorer"
NUMBER = {"experiment": 0, "compute": 1, "interop": 2, "figures": 2, "document": 2, "views": 3, "app": 4}
QT = {"PySide6", "shiboken6", "pyqtgraph"}
QT_ALLOWED = {
    "": set[str](),
    "experiment": set[str](),
    "compute": set[str](),
    "interop": set[str](),
    "figures": {"PySide6.QtCore", "PySide6.QtGui", "PySide6.QtSvg"},
    "document": {"PySide6.QtCore", "PySide6.QtGui.QUndoStack", "PySide6.QtGui.QUndoCommand"},
    "views": {"PySide6", "shiboken6", "pyqtgraph"},
    "app": {"PySide6", "shiboken6", "pyqtgraph"},
}
NETWORK = {"socket", "ssl", "urllib", "http", "ftplib", "smtplib", "requests", "httpx", "aiohttp"}
UNSAFE = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
RESOURCES = re.compile(r"(^|[/\\])resources([/\\]|$)")


class Import(NamedTuple):
    """One imported name, in full, and the line that imports it."""

    name: str
    where: str


def test_a_package_imports_only_packages_with_a_lower_number() -> None:
    wrong = [
        f"{found.where} imports {found.name}"
        for file in _sources()
        for found in _imports(file)
        if (other := _package_of_import(found.name)) is not None
        and (own := _package_of_file(file)) in NUMBER
        and other != own
        and NUMBER[other] >= NUMBER[own]
    ]
    assert not wrong


def test_nothing_below_app_imports_the_public_api() -> None:
    """Of what lies directly in `attnexplorer`, anyone may import `assets`, and only `app` the API."""
    wrong = [
        f"{found.where} imports {found.name}"
        for file in _sources()
        if _package_of_file(file) in NUMBER.keys() - {"app"}
        for found in _imports(file)
        if _is_within(found.name, {"attnexplorer"})
        and _package_of_import(found.name) is None
        and not _is_within(found.name, {"attnexplorer.assets"})
    ]
    assert not wrong


def test_each_package_uses_only_the_parts_of_qt_it_may_use() -> None:
    wrong = [
        f"{found.where} imports {found.name}"
        for file in _sources()
        for found in _imports(file)
        if _is_within(found.name, QT) and not _is_within(found.name, QT_ALLOWED[_package_of_file(file)])
    ]
    assert not wrong


def test_assets_uses_the_standard_library_alone() -> None:
    names = {found.name.split(".")[0] for found in _imports(PACKAGE / "assets.py")}
    assert names <= sys.stdlib_module_names


def test_only_assets_knows_the_resources_folder() -> None:
    knowing = {
        file.relative_to(PACKAGE).as_posix()
        for file in _sources()
        if any(RESOURCES.search(text) for text in _strings(file))
        or any(_is_within(found.name, {"importlib.resources", "pkgutil"}) for found in _imports(file))
    }
    assert knowing == {"assets.py"}


def test_nothing_unpickles_evaluates_or_uses_the_network() -> None:
    wrong = [
        f"{found.where} imports {found.name}"
        for file in _sources()
        for found in _imports(file)
        if _is_within(found.name, UNSAFE | NETWORK | {"PySide6.QtNetwork"})
    ]
    wrong += [where for file in _sources() for where in _unsafe_calls(file)]
    assert not wrong


def test_the_front_of_app_is_empty() -> None:
    assert (PACKAGE / "app" / "__init__.py").read_text(encoding="utf-8") == ""


@pytest.mark.parametrize("package", [name for name in NUMBER if name != "app"])
def test_the_front_of_each_other_package_says_what_it_is_for(package: str) -> None:
    front = PACKAGE / package / "__init__.py"
    assert ast.get_docstring(ast.parse(front.read_text(encoding="utf-8")))


def test_the_folder_packaging_does_not_hide_the_module_packaging() -> None:
    assert not (ROOT / "packaging" / "__init__.py").exists()


def test_every_package_is_named_for_the_wheel() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    named = set(settings["tool"]["setuptools"]["packages"])
    there = {".".join(file.parent.relative_to(ROOT).parts) for file in _sources()} | {"attnexplorer.resources"}
    assert sorted(there - named) == [], "missing from [tool.setuptools] packages in pyproject.toml"
    assert sorted(named - there) == [], "in [tool.setuptools] packages of pyproject.toml, but not there"


def test_no_two_test_files_have_the_same_name_and_no_test_folder_is_a_package() -> None:
    counts = Counter(file.name for file in (ROOT / "tests").rglob("*.py") if "__pycache__" not in file.parts)
    assert [name for name, count in counts.items() if count > 1 or name == "__init__.py"] == []


def test_importing_the_api_loads_no_qt() -> None:
    assert _qt_loaded_by("import attnexplorer") == "[]"


def test_the_trace_command_loads_no_qt() -> None:
    program = """
        from attnexplorer.app.command_line import main
        assert main(["trace", "example:animal-street", "--format", "json"]) == 0
    """
    assert _qt_loaded_by(program) == "[]"


def _qt_loaded_by(program: str) -> str:
    """Run a program in a Python of its own; the last line it prints are the modules of Qt that it has loaded."""
    lines = [line.strip() for line in program.strip().splitlines()]
    lines += ["import sys", f"print(sorted({{name.split('.')[0] for name in sys.modules}} & {QT!r}))"]
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()[-1]


def _sources() -> list[Path]:
    return sorted(file for file in PACKAGE.rglob("*.py") if "__pycache__" not in file.parts)


def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"), filename=str(file))


def _imports(file: Path) -> Iterator[Import]:
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = _absolute(file, node)
            names = [f"{module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            yield Import(name, f"{file.relative_to(ROOT)}:{node.lineno}")


def _absolute(file: Path, node: ast.ImportFrom) -> str:
    if node.level == 0:
        return node.module or ""
    package = file.parent.relative_to(ROOT).parts
    above = package[: len(package) - node.level + 1]
    return ".".join((*above, node.module) if node.module else above)


def _package_of_file(file: Path) -> str:
    first = file.relative_to(PACKAGE).parts[0]
    return first if first in NUMBER else ""


def _package_of_import(name: str) -> str | None:
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[0] == "attnexplorer" and parts[1] in NUMBER else None


def _is_within(name: str, modules: set[str]) -> bool:
    return any(name == module or name.startswith(f"{module}.") for module in modules)


def _strings(file: Path) -> Iterator[str]:
    """Every text in the code that is not a docstring."""
    tree = _tree(file)
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.value


def _unsafe_calls(file: Path) -> Iterator[str]:
    for node in ast.walk(_tree(file)):
        if not isinstance(node, ast.Call):
            continue
        where = f"{file.relative_to(ROOT)}:{node.lineno}"
        if isinstance(node.func, ast.Name) and node.func.id in ("eval", "exec", "compile", "__import__"):
            yield f"{where} calls {node.func.id}"
        for keyword in node.keywords:
            if keyword.arg == "allow_pickle" and not _is_false(keyword.value):
                yield f"{where} allows pickle"


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False
