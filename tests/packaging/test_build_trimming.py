"""What goes into the standalone program, and what of it is Python's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest
import stripping
import trimming

PLUGINS = "PySide6/Qt/plugins"


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


def test_only_pythons_own_files_are_stripped() -> None:
    assert stripping.is_pythons_own("libpython3.11.so.1.0")
    assert stripping.is_pythons_own("python3.11/lib-dynload/_json.so")
    assert not stripping.is_pythons_own("numpy.libs/libscipy_openblas64_-32a4b2a6.so")
    assert not stripping.is_pythons_own("PySide6/Qt/lib/libQt6Core.so.6")


def test_the_formats_of_pillow_that_are_written_are_not_excluded() -> None:
    excluded = trimming.pillow_formats_never_used()
    assert not {f"PIL.{name}ImagePlugin" for name in trimming.PILLOW_FORMATS} & set(excluded)
