"""The command line on captured weights: trace, check and export answer with what there is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import attnexplorer as ax
from attnexplorer.app.command_line import main
from attnexplorer.interop.capture import capture, capture_bytes

WEIGHTS = np.random.default_rng(0).dirichlet(np.ones(3), size=(2, 4, 3))


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "gpt.npz"
    path.write_bytes(capture_bytes(capture(WEIGHTS, ["the", "Ġcat", "<&>"], title="gpt")))
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    said = capsys.readouterr()
    return code, said.out, said.err


def test_trace_prints_the_weights(capsys: pytest.CaptureFixture[str], file: str, tmp_path: Path) -> None:
    code, out, err = run(capsys, "trace", file, "--format", "json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["tokens"] == ["the", "Ġcat", "<&>"]
    assert set(found) == {"tokens", "source_tokens", "layers"}
    assert [set(layer) for layer in found["layers"]] == [{"weights", "fully_masked_rows"}] * 2
    assert np.array_equal([layer["weights"] for layer in found["layers"]], WEIGHTS)
    assert "weights  A  [4, 3, 3]" in run(capsys, "trace", file)[1]
    assert run(capsys, "trace", file, "--format", "npz", "-o", str(tmp_path / "all.npz")) == (0, "", "")
    with np.load(tmp_path / "all.npz", allow_pickle=False) as archive:
        assert np.array_equal(archive["layers.1.weights"], WEIGHTS[1])


def test_trace_names_what_there_is_where_another_stage_is_wanted(capsys: pytest.CaptureFixture[str], file: str) -> None:
    code, _, err = run(capsys, "trace", file, "--stages", "scores")
    assert (code, err) == (2, "attnexplorer: there is no stage 'scores' here; there are weights\n")


def test_check_succeeds_on_weights_and_fails_on_what_is_none(
    capsys: pytest.CaptureFixture[str], file: str, tmp_path: Path
) -> None:
    code, out, _ = run(capsys, "check", file)
    assert code == 0
    assert out.count("\n") == 18
    scores = tmp_path / "scores.npz"
    np.savez(scores, attention=WEIGHTS * 3 - 1, tokens=["a", "b", "c"])
    code, out, _ = run(capsys, "check", str(scores))
    assert code == 1
    failed = [line for line in out.splitlines() if line.startswith("FAIL")]
    assert [line.split(":")[0].split(", ")[1] for line in failed] == ["rows sum to 1", "softmax over the keys"] * 2


def test_export_lists_and_writes_the_figures_that_there_are(
    capsys: pytest.CaptureFixture[str], file: str, tmp_path: Path
) -> None:
    names = {line.split("  ")[0] for line in run(capsys, "export", file, "--list")[1].splitlines()}
    assert names == {"weights", "heads", "flow", "compare"}
    for figure in ("weights", "heads", "flow"):
        out = tmp_path / f"{figure}.svg"
        assert run(capsys, "export", file, "--figure", figure, "--layer", "1", "-o", str(out)) == (0, "", "")
        assert out.read_bytes().startswith(b"<?xml")
    code, _, err = run(capsys, "export", file, "--figure", "pipeline", "-o", str(tmp_path / "no.png"))
    assert code == 2
    assert err.startswith("attnexplorer: pipeline needs query, which was not captured; there are weights")
    assert not (tmp_path / "no.png").exists()


def test_a_capture_is_never_overwritten_by_its_own_figure_or_trace(
    capsys: pytest.CaptureFixture[str], file: str
) -> None:
    before = Path(file).read_bytes()
    code, _, err = run(capsys, "trace", file, "--format", "npz", "-o", file)
    assert code == 2
    assert "would be lost" in err
    assert Path(file).read_bytes() == before


@pytest.mark.parametrize("command", [["trace"], ["check"], ["export", "--figure", "weights", "-o", "no.png"]])
@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"attention": WEIGHTS, "tokens": np.array(["a"])}, "there is 1 token, but the weights have 3 queries"),
        ({"W": np.eye(2)}, "it is no capture: an array “attention” of numbers was expected"),
        ({"attention": WEIGHTS[0], "tokens": np.array(["a", "b", "c"])}, "the weights are 4 × 3 × 3, but"),
    ],
)
def test_a_file_that_is_no_capture_is_refused_in_a_sentence(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
    arrays: dict[str, np.ndarray],
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    np.savez("a.npz", **arrays)  # type: ignore[arg-type]
    code, out, err = run(capsys, command[0], "a.npz", *command[1:])
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"attnexplorer: a.npz: {sentence}")


def test_a_missing_capture_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = run(capsys, "check", str(tmp_path / "none.npz"))
    assert (code, err.count("\n")) == (2, 1)
    assert err.startswith("attnexplorer: none.npz: ")


def test_trace_and_check_of_a_capture_import_no_qt(file: str) -> None:
    code = (
        "import sys; from attnexplorer.app.command_line import main\n"
        f"main(['check', {file!r}]); main(['trace', {file!r}]); print(*sorted(sys.modules), file=sys.stderr)"
    )
    root = str(Path(ax.__file__).resolve().parent.parent)
    environment = {**os.environ, "PYTHONPATH": root, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert "PySide6" not in done.stderr.split()
