from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import attnexplorer
from attnexplorer.app.command_line import main
from attnexplorer.experiment.examples import example_names, load_example
from attnexplorer.experiment.fileformat import dumps

ROOT = Path(__file__).parents[2]
EXAMPLE = "example:animal-street"
QT = ("PySide6", "shiboken6", "pyqtgraph")
on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="uses a device that only Linux has")
on_posix = pytest.mark.skipif(os.name != "posix", reason="pipes and signals differ elsewhere")


def started(*arguments: str, **settings) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", "DISPLAY": ""}
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings}
    return subprocess.Popen([sys.executable, *arguments], env=environment, **pipes)


def run(*arguments: str, **settings) -> tuple[int, str, str]:
    with started("-m", "attnexplorer", *arguments, **settings) as process:
        out, err = process.communicate()
    return process.returncode, (out or b"").decode(), (err or b"").decode()


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    file = tmp_path / "lesson.attn"
    file.write_text(dumps(load_example("animal-street")), encoding="utf-8")
    return file


def edited(file: Path, change) -> Path:
    content = json.loads(file.read_text(encoding="utf-8"))
    change(content)
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


def test_the_trace_of_the_first_example_has_the_known_numbers(capsys) -> None:
    code, out, err = said(capsys, "trace", EXAMPLE, "--format", "json")
    layer = json.loads(out)["layers"][0]
    assert (code, err) == (0, "")
    assert [round(weight, 4) for weight in layer["weights"][0][3]] == [0.5294, 0.1833, 0.1041, 0.1833]
    assert [round(number, 4) for number in layer["output"][3]] == [0.6601, 0.3912]


def test_text_is_the_format_for_people_and_the_default(capsys) -> None:
    assert said(capsys, "trace", EXAMPLE) == said(capsys, "trace", EXAMPLE, "--format", "text")
    assert "scores  QKᵀ  [1, 4, 4]" in said(capsys, "trace", EXAMPLE)[1]


def test_chosen_stages_may_have_blanks_between_them(capsys) -> None:
    _, out, _ = said(capsys, "trace", EXAMPLE, "--stages", "weights, output", "--format=json")
    assert set(json.loads(out)["layers"][0]) == {"weights", "output", "fully_masked_rows"}


def test_an_archive_goes_to_a_file_or_into_a_pipe(tmp_path: Path) -> None:
    file = tmp_path / "out.npz"
    assert run("trace", EXAMPLE, "--format", "npz", "-o", str(file)) == (0, "", "")
    with np.load(file, allow_pickle=False) as archive:
        assert archive["layers.0.weights"].shape == (1, 4, 4)
    piped = tmp_path / "piped.npz"
    with piped.open("wb") as stdout:
        assert run("trace", EXAMPLE, "--format", "npz", stdout=stdout)[0] == 0
    assert piped.read_bytes() == file.read_bytes()


@on_posix
def test_an_archive_is_not_written_to_a_terminal() -> None:
    import pty

    leader, follower = pty.openpty()
    try:
        code, _, err = run("trace", EXAMPLE, "--format", "npz", stdout=follower)
    finally:
        os.close(follower)
        os.close(leader)
    assert code == 2
    assert err == "attnexplorer: the format npz is binary: name a file with -o OUT, or redirect the output\n"


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_file_gets_what_would_have_been_printed(capsys, tmp_path: Path, form: str) -> None:
    file = tmp_path / "out"
    file.write_text("old and much longer than nothing", encoding="utf-8")
    printed = said(capsys, "trace", EXAMPLE, "--format", form)[1]
    assert said(capsys, "trace", EXAMPLE, "--format", form, "-o", str(file)) == (0, "", "")
    assert file.read_text(encoding="utf-8") == printed


def test_the_experiment_itself_is_never_overwritten(capsys, lesson: Path) -> None:
    before = lesson.read_bytes()
    code, _, err = said(capsys, "trace", str(lesson), "-o", str(lesson))
    assert (code, lesson.read_bytes()) == (2, before)
    assert "is the experiment itself" in err


def test_check_prints_a_line_a_check_and_succeeds(capsys) -> None:
    code, out, err = said(capsys, "check", EXAMPLE)
    assert (code, err) == (0, "")
    assert [line[:14].strip() for line in out.splitlines()] == ["ok"] * 4 + ["not applicable"] + ["ok"] * 4
    assert "layer 0, rows sum to 1: " in out


def test_check_notes_what_is_unusual_and_succeeds(capsys, lesson: Path) -> None:
    edited(lesson, lambda content: content["layers"][0]["attention"].update(scale="none", mask=None))
    code, out, _ = said(capsys, "check", str(lesson))
    assert code == 0
    assert [line for line in out.splitlines() if line.startswith("note")] == [
        "note            layer 0, no weight on the future: "
        "The layer is not causal: every query may see what comes after it.",
        "note            layer 0, scale is 1/√d_k: Scores are multiplied by 1; 1/√2 would be 0.707107.",
    ]


def test_a_failing_check_gives_exit_code_one(capsys, lesson: Path) -> None:
    edited(lesson, lambda content: content["pins"].update({"layers.0.weights.0": [[0.5] * 4] * 4}))
    code, out, err = said(capsys, "check", str(lesson))
    assert (code, err) == (1, "")
    assert sum(line.startswith("FAIL") for line in out.splitlines()) == 3


@pytest.mark.parametrize("name", example_names())
def test_no_example_fails_a_check(capsys, name: str) -> None:
    code, out, _ = said(capsys, "check", f"example:{name}")
    assert code == 0
    assert out


def test_examples_are_listed_with_their_titles(capsys) -> None:
    code, out, _ = said(capsys, "examples")
    assert code == 0
    assert tuple(line.split()[0] for line in out.splitlines()) == example_names()
    assert "The animal and the street" in out


def test_the_version_is_that_of_the_package(capsys) -> None:
    assert said(capsys, "--version") == (0, f"attnexplorer {attnexplorer.__version__}\n", "")


@pytest.mark.parametrize("command", [[], ["trace"], ["check"], ["examples"]])
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_every_command_has_help(capsys, command: list[str], flag: str) -> None:
    code, out, err = said(capsys, *command, flag)
    assert (code, err) == (0, "")
    assert out.startswith(" ".join(["usage: attnexplorer", *command]))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["trace"], "trace expects one FILE, but none was given; see attnexplorer trace --help"),
        (["trace", "a", "b"], "trace expects one FILE, but 2 were given; see attnexplorer trace --help"),
        (["check"], "check expects one FILE, but none was given; see attnexplorer check --help"),
        (["examples", "a"], "examples takes no FILE; see attnexplorer examples --help"),
        (["a", "b"], "one FILE was expected, but there are 2; see attnexplorer --help"),
        (["--verbose"], "there is no option --verbose; there are -h, --help, --version, --diagnostics"),
        (["trace", EXAMPLE, "--format", "xml"], "there is no format 'xml'; there are text, json, npz"),
        (["trace", EXAMPLE, "-o"], "the option -o needs a value"),
        (["trace", "no-such.attn"], "no-such.attn: there is no such file"),
    ],
)
def test_bad_usage_is_one_sentence_and_exit_code_two(capsys, arguments: list[str], sentence: str) -> None:
    assert said(capsys, *arguments) == (2, "", f"attnexplorer: {sentence}\n")


def test_an_unknown_stage_is_refused_with_those_there_are(capsys) -> None:
    code, out, err = said(capsys, "trace", EXAMPLE, "--stages", "scores,wieghts", "--format", "json")
    assert (code, out) == (2, "")
    assert err.startswith("attnexplorer: there is no stage 'wieghts' here; there are embeddings, input, query, key")
    assert err.count("\n") == 1


def test_an_unknown_example_is_refused_with_those_there_are(capsys) -> None:
    code, _, err = said(capsys, "check", "example:nothing")
    assert code == 2
    assert "example:nothing: there is no such example" in err
    assert all(name in err for name in example_names())


@pytest.mark.parametrize("command", ["trace", "check"])
def test_a_bad_file_is_one_sentence_that_names_the_place(capsys, lesson: Path, command: str) -> None:
    edited(lesson, lambda content: content["layers"][0]["attention"].update(W_K=[[[1, 0], [0, 1], [0, 0]]]))
    code, out, err = said(capsys, command, str(lesson))
    assert (code, out) == (2, "")
    assert err.startswith("attnexplorer: lesson.attn: layers[0].attention.W_K[0] ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"not JSON", b"[" * 100_000, b'{"format": 1}', b"[NaN]"])
def test_no_content_of_a_file_gives_a_traceback(capsys, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "broken.attn"
    file.write_bytes(content)
    code, out, err = said(capsys, "trace", str(file))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("attnexplorer: broken.attn: ")


def test_a_key_that_is_not_known_is_a_warning_beside_the_result(capsys, lesson: Path) -> None:
    edited(lesson, lambda content: content.update(from_the_future=1))
    code, out, err = said(capsys, "trace", str(lesson), "--format", "json")
    assert code == 0
    assert json.loads(out)["tokens"] == ["animal", "street", "because", "it"]
    assert err.startswith("warning: lesson.attn: ")
    assert "from_the_future" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", ["missing/out.json", "."])
def test_an_output_that_cannot_be_written_is_one_sentence(capsys, tmp_path: Path, name: str) -> None:
    code, out, err = said(capsys, "trace", EXAMPLE, "-o", str(tmp_path / name))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("attnexplorer: ")


def test_a_line_break_in_a_file_name_does_not_break_the_sentence(capsys, tmp_path: Path) -> None:
    code, _, err = said(capsys, "trace", str(tmp_path / "two\nlines\x1b[31m.attn"))
    assert (code, err.count("\n")) == (2, 1)
    assert "two\\nlines\\x1b[31m.attn" in err


@on_linux
def test_a_full_device_is_one_sentence(capsys) -> None:
    with open("/dev/full", "wb") as full:
        code, _, err = run("trace", EXAMPLE, stdout=full)
    assert code == 2
    assert err == "attnexplorer: standard output cannot be written: No space left on device\n"
    code, _, err = said(capsys, "trace", EXAMPLE, "-o", "/dev/full")
    assert (code, err) == (2, "attnexplorer: /dev/full cannot be written: No space left on device\n")


@on_posix
@pytest.mark.parametrize("arguments", [("trace", EXAMPLE), ("check", EXAMPLE), ("trace", EXAMPLE, "-o", "/dev/stdout")])
def test_a_reader_that_has_read_enough_ends_a_command_without_a_word(arguments: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        code, _, err = run(*arguments, stdout=writing)
    finally:
        os.close(writing)
    # What a shell says of a program that ended because nobody read on: 128 + SIGPIPE.
    assert (code, err) == (141, "")


@on_posix
def test_an_interrupted_command_says_so_and_ends_with_130(tmp_path: Path) -> None:
    experiment = json.loads(dumps(load_example("animal-street")))
    experiment["layers"] *= 400
    file = tmp_path / "long.attn"
    file.write_text(json.dumps(experiment), encoding="utf-8")
    # Tests that run in the background of a shell are themselves deaf to this signal, and would hand that on.
    listening = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    process = started("-m", "attnexplorer", "trace", str(file), **listening)
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        err = process.stderr.read()
    assert (process.returncode, err) == (130, b"attnexplorer: stopped before it was done\n")


def test_a_terminal_without_the_signs_gets_escapes(lesson: Path) -> None:
    code = "import sys; sys.stdout.reconfigure(encoding='ascii'); from attnexplorer.app.command_line import main; "
    with started("-c", f"{code}sys.exit(main(sys.argv[1:]))", "trace", str(lesson)) as process:
        out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert b"QK\\u1d40" in out


@pytest.mark.parametrize("arguments", [["trace", EXAMPLE], ["check", EXAMPLE], ["examples"], ["--help"]])
def test_only_the_window_imports_qt(arguments: list[str]) -> None:
    code = (
        "import sys; from attnexplorer.app.command_line import main; done = main(sys.argv[1:]); "
        f"sys.exit(done or ' '.join(name for name in {QT!r} if name in sys.modules) or 0)"
    )
    with started("-c", code, *arguments) as process:
        _, err = process.communicate()
    assert (process.returncode, err) == (0, b"")


def test_help_and_version_need_no_numpy() -> None:
    code = "import sys; from attnexplorer.app.command_line import main; main(['--version']); "
    with started("-c", f"{code}sys.exit('numpy' in sys.modules)") as process:
        process.communicate()
    assert process.returncode == 0


def test_a_command_wins_over_a_file_of_the_same_name(capsys, monkeypatch, lesson: Path) -> None:
    monkeypatch.chdir(lesson.parent)
    lesson.rename(lesson.parent / "examples")
    assert said(capsys, "examples")[1].startswith("animal-street")
    assert said(capsys, "trace", "examples")[0] == 0
