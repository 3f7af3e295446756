"""The export command: one figure a call, every error one sentence and exit code 2."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from attnexplorer.app import export_command
from attnexplorer.app.command_line import main
from attnexplorer.figures.command_words import command_words
from attnexplorer.figures.export import Export
from attnexplorer.figures.spec import FigureSpec

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
    assert {"projections", "compare", "walkthrough"} <= set(names)
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
        ([FILE, "--figure", "geometry", "-o", "x.png", "--vectors", ","], "--vectors expects names with commas"),
        ([FILE, "--figure", "walkthrough", "-o", "x.pdf", "--stages", ","], "--stages expects names with commas"),
        (
            [FILE, "--figure", "weights", "-o", "x.png", "--highlight", ","],
            "--highlight expects a row, a column",
        ),
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


def test_a_pdf_has_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    """Qt puts the fonts in an order that differs between processes unless it is told not to."""
    outs = [tmp_path / f"figure-{number}.pdf" for number in range(4)]
    for number, out in enumerate(outs):
        environment = {**os.environ, "QT_HASH_SEED": str(number + 1)}
        command = [sys.executable, "-m", "attnexplorer", "export", FILE, "--figure", "pipeline", "-o", out]
        subprocess.run(command, env=environment, check=True)
    assert len({out.read_bytes() for out in outs}) == 1


def test_only_the_wanted_pages_of_the_walkthrough_are_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "deck.pptx"
    options = ["--figure", "walkthrough", "--stages", "weights,query", "--progress", "-o", str(out)]
    assert main(["export", FILE, *options]) == 0
    assert capsys.readouterr().out.split() == ["0/2", "1/2", "2/2"]
    assert main(["export", FILE, "--figure", "walkthrough", "--stages", "wights", "-o", str(out)]) == 2
    assert "the deck has no page 'wights'; it has pipeline, projections, input" in capsys.readouterr().err


def test_the_words_of_a_specification_are_understood_as_that_specification(tmp_path: Path) -> None:
    spec = FigureSpec(
        what="explain",
        stage="scaled",
        head=None,
        row=3,
        column=1,
        width_px=700,
        height_px=650,
        dpi=96.0,
        font_size=7.5,
        theme="dark",
        transparent=True,
        labels=False,
        numbers=False,
        colour_bar=True,
        title="-a = b",
        caption="",
        decimals=3,
        decimal_point=",",
        highlight=(None, 2),
        cell_gap=0.5,
        rows_shown=2,
        axes=(1, 0),
        vectors=("query", "output"),
        slide="4:3",
        stages=("weights", "query"),
    )
    export = Export("webp", 0, "rows", 2.5, 3)
    out = tmp_path / "figure.webp"
    given = export_command.parsed_options([*command_words(spec, export), "file", "-o", str(out)])
    assert export_command.figure_spec(given, str(out)) == spec
    assert export_command.export_settings(given, str(out)) == export


def test_a_figure_that_carries_its_experiment_is_checked_like_a_file(tmp_path: Path) -> None:
    figure, bare = tmp_path / "weights.png", tmp_path / "bare.png"
    assert main(["export", "example:tired", "--figure", "weights", "-o", str(figure)]) == 0
    assert main(["check", str(figure)]) == 0
    picture = QImage(4, 4, QImage.Format.Format_RGB32)
    picture.fill(0)
    assert picture.save(str(bare))
    assert main(["check", str(bare)]) == 2
