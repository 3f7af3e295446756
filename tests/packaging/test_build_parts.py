"""What surrounds the standalone program: its name, its archive, its installation, its Windows and macOS parts."""

from __future__ import annotations

import configparser
import os
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ET
from pathlib import Path

import build_report
import linux_archive
import pytest
import standalone
from macos import document_type
from problem import Problem
from windows import version_resource

import attnexplorer

ROOT = Path(__file__).resolve().parent.parent.parent
LINUX = ROOT / "packaging" / "linux"
with_shell = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the scripts are for Linux")


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    """The archive of a stand-in for the program, packed and unpacked."""
    folder = tmp_path / "attnexplorer"
    (folder / "_internal").mkdir(parents=True)
    program = folder / "attnexplorer"
    program.write_text('#!/bin/sh\necho started "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    (folder / "_internal" / "part.txt").write_text("a part", encoding="utf-8")
    linux_archive.pack(folder, tmp_path / "release.tar", ROOT)
    with tarfile.open(tmp_path / "release.tar.gz") as tar:
        tar.extractall(tmp_path / "unpacked", filter="data")
    return tmp_path / "unpacked" / "release"


def test_the_version_is_read_without_an_import() -> None:
    assert standalone.version() == attnexplorer.__version__
    assert standalone.release_name().startswith(f"attnexplorer-{attnexplorer.__version__}-")


def test_an_unknown_argument_of_build_is_refused() -> None:
    with pytest.raises(Problem, match="--quick and --compare"):
        standalone.build(["--fast"])


def test_versions_of_the_c_library_are_ordered_by_number() -> None:
    assert build_report.newest(["2.4", "2.34", "2.14", "2.2.5"]) == "2.34"


@with_shell
def test_two_archives_of_the_same_files_have_the_same_bytes(unpacked: Path, tmp_path: Path) -> None:
    first = (tmp_path / "release.tar.gz").read_bytes()
    os.utime(tmp_path / "attnexplorer" / "attnexplorer", (1, 1))
    linux_archive.pack(tmp_path / "attnexplorer", tmp_path / "release.tar", ROOT)
    assert (tmp_path / "release.tar.gz").read_bytes() == first


@with_shell
def test_it_installs_for_a_user_starts_and_goes_again_without_a_trace(unpacked: Path, tmp_path: Path) -> None:
    prefix = tmp_path / "a user's home" / ".local"
    subprocess.run(["sh", str(unpacked / "install.sh"), str(prefix)], check=True, capture_output=True)
    started = subprocess.run([str(prefix / "bin" / "attnexplorer"), "x"], check=True, capture_output=True, text=True)
    assert started.stdout == "started x\n"
    entry = (prefix / "share" / "applications" / "attnexplorer.desktop").read_text(encoding="utf-8")
    assert f'Exec="{prefix}/lib/attnexplorer/attnexplorer" %f' in entry
    assert (prefix / "share/icons/hicolor/16x16/apps/attnexplorer.png").is_file()
    assert (prefix / "share/icons/hicolor/512x512/apps/attnexplorer.png").is_file()
    uninstall = prefix / "lib" / "attnexplorer" / "uninstall.sh"
    subprocess.run(["sh", str(uninstall), str(prefix)], check=True, capture_output=True)
    left = [it for it in prefix.rglob("*") if not it.is_dir() and "mime" not in it.parts]
    assert [it for it in left if it.name != "mimeinfo.cache"] == []


def test_the_type_of_experiments_is_the_same_for_every_part() -> None:
    tree = ET.parse(LINUX / "attnexplorer.xml")
    kind = tree.getroot()[0]
    assert kind.get("type") == "application/x-attn"
    assert "MimeType=application/x-attn;" in (LINUX / "attnexplorer.desktop").read_text(encoding="utf-8")
    tags = document_type.INFO["UTExportedTypeDeclarations"][0]["UTTypeTagSpecification"]
    assert tags == {"public.filename-extension": ["attn"], "public.mime-type": ["application/x-attn"]}
    assert "application/x-attn" in (ROOT / "packaging" / "windows" / "associate.cmd").read_text(encoding="utf-8")


def test_the_menu_entry_has_what_desktops_ask_for() -> None:
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str  # type: ignore[assignment,method-assign]
    entry.read(LINUX / "attnexplorer.desktop", encoding="utf-8")
    assert entry.sections() == ["Desktop Entry"]
    found = entry["Desktop Entry"]
    assert (found["Type"], found["Name"], found["Terminal"]) == ("Application", "Attention Explorer", "false")
    assert found["Exec"].endswith("%f")
    assert all(found[key].endswith(";") for key in ("Categories", "MimeType"))


def test_the_version_resource_has_four_numbers() -> None:
    text = version_resource.text("1.2.3")
    assert "filevers=(1, 2, 3, 0)" in text
    assert "'ProductVersion', '1.2.3'" in text
