"""The export command: one figure a call, every error one sentence and exit code 2."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from attnexplorer.app.command_line import main

pytestmark = pytest.mark.usefixtures("qapp")
FILE = "example:animal-street"


@pytest.fixture(autouse=True)
def _platform_of_the_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command chooses a platform for its process; the other tests keep theirs."""
    monkeypatch.setenv("QT_QPA_PLATFORM", os.environ.get("QT_QPA_PLATFORM", "offscreen"))


@pytest.mark.parametrize("form", ["png", "svg", "pdf", "pptx", "gif", "webp"])
def test_a_figure_is_written_in_every_format(form: str, tmp_path: Path) -> None:
    out = tmp_path / f"figure.{form}"
    options = ["--dpi", "40", "--theme", "dark", "--colour-bar", "--caption", "", "--sweep", "mask"]
    assert main(["export", FILE, "--figure", "weights", "-o", str(out), *options]) == 0
    starts = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF-", "pptx": b"PK", "gif": b"GIF89a", "webp": b"RIFF"}
    assert out.read_bytes().startswith(starts[form])


def test_all_options_together_are_understood(tmp_path: Path) -> None:
    out = tmp_path / "figure.svg"
    options = (
        "--layer 0 --head all --width 12 --height 9 --font-size 8 --transparent --title T --no-numbers --decimals 1 "
        "--decimal-point , --highlight 1,2 --rows-shown 3 --cell-gap 2 --no-experiment --slide 4:3"
    )
    assert main(["export", "example:multi-head", "--figure", "weights", "-o", str(out), *options.split()]) == 0
    assert "attnexplorer-experiment" not in out.read_text(encoding="utf-8")


def test_two_experiments_are_compared(tmp_path: Path) -> None:
    out = tmp_path / "figure.svg"
    assert main(["export", FILE, "--figure", "compare", "--with", FILE, "--stage", "scores", str(out)]) == 0
    assert "B − A" in out.read_text(encoding="utf-8")


def test_the_list_names_stages_and_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--list"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert {"input", "weights", "output", "heads", "flow", "pipeline", "scaling", "explain", "geometry"} <= set(names)
    assert {"compare", "walkthrough"} <= set(names)
    assert main(["export", "example:block", "--list"]) == 0
    assert "ffn_hidden" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "export expects one FILE, but none was given; see attnexplorer export --help"),
        ([FILE], "export expects -o OUT, the file to write; see attnexplorer export --help"),
        ([FILE, "-o", "x.png"], "export expects --figure NAME; attnexplorer export --list prints the names"),
        ([FILE, "--figure", "weights", "-o", "x.bmp"], "x.bmp: the name of a figure ends in"),
        ([FILE, "--figure", "weight", "-o", "x.png"], "layer 0 has no 'weight'; it has embeddings, input"),
        ([FILE, "--figure", "weights", "-o", "x.png", "--head", "9"], "there is no head 9; there is 1 head"),
        ([FILE, "--figure", "weights", "-o", "x.png", "--head", "x"], "--head expects a whole number, not 'x'"),
        ([FILE, "--figure", "weights", "-o", "x.png", "--width", "wide"], "--width expects a number, not 'wide'"),
        ([FILE, "--figure", "weights", "-o", "x.png", "--width-px", "100000"], "the width is"),
        ([FILE, "--figure", "weights", "-o", "x.png", "--theme", "blue"], "--theme is one of light, dark, not 'blue'"),
        ([FILE, "--figure", "weights", "-o", "no/such/x.png"], "x.png: not saved: the folder does not exist"),
        ([FILE, "--figure", "weights", "-o", "x.png", "--colour"], "there is no option --colour"),
        (["nothing.attn", "--figure", "weights", "-o", "x.png"], "nothing.attn: there is no such file"),
        ([FILE, "--figure", "geometry", "-o", "x.png", "--axes", "1"], "--axes expects two numbers with a comma"),
        ([FILE, "--figure", "weights", "-o", "x.gif", "--duration", "0"], "the duration is 0 s, but 0.1 to 600 s"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    arguments: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["export", *arguments]) == 2
    output = capfd.readouterr()
    assert output.err.startswith(f"attnexplorer: {sentence}")
    assert output.err.count("\n") == 1
    assert output.out == ""
    assert list(tmp_path.iterdir()) == []


def test_an_experiment_is_never_overwritten_by_its_figure(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.png"
    file.write_text("{}", encoding="utf-8")
    assert main(["export", str(file), "--figure", "weights", "-o", str(file)]) == 2
    assert "is the experiment itself and would be lost" in capfd.readouterr().err
    assert file.read_text(encoding="utf-8") == "{}"


def test_a_figure_needs_no_display_and_no_display_changes_a_byte(tmp_path: Path) -> None:
    outs = []
    for number, platform in enumerate(("offscreen", "xcb")):
        out = tmp_path / f"figure-{number}.png"
        environment = {**os.environ, "QT_QPA_PLATFORM": platform, "DISPLAY": ""}
        command = [
            sys.executable,
            "-m",
            "attnexplorer",
            "export",
            FILE,
            "--figure",
            "weights",
            "--dpi",
            "60",
            "-o",
            out,
        ]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
        outs.append(out.read_bytes())
    assert outs[0] == outs[1]
