"""The command line. Each command imports what it needs when it runs: only the window needs Qt."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from attnexplorer import __version__
from attnexplorer.app.arguments import Arguments, UsageError, parsed
from attnexplorer.app.output import OutputError, ReaderGoneError, say, write_bytes_out, write_file, write_out
from attnexplorer.app.product_threads import one_thread_a_product
from attnexplorer.experiment.errors import ExperimentError

if TYPE_CHECKING:
    from attnexplorer.compute.check_result import Check
    from attnexplorer.experiment.model import Experiment

DONE, CHECK_FAILED, REFUSED, INTERRUPTED, READER_GONE = 0, 1, 2, 130, 141
FIGURE_SUFFIXES = (".png", ".svg", ".pdf", ".pptx")
CAPTURE_SUFFIX = ".npz"
EXAMPLE_PREFIX = "example:"
FORMATS = ("text", "json", "npz")

HELP = """\
usage: attnexplorer [FILE]             open the window, on FILE or on the first example
       attnexplorer trace FILE [...]   print every number of an experiment
       attnexplorer check FILE         check the attention of an experiment
       attnexplorer export FILE [...]  write a figure: PNG, SVG, PDF, PPTX, GIF or WebP
       attnexplorer examples           list the built-in experiments

FILE is an experiment (.attn), a figure that carries one, attention weights that another program captured (.npz), or
example:NAME for a built-in experiment. Commands other than the window need no display.

  -h, --help     show this text; after a command, the text of that command
  --version      show the version
  --diagnostics  show versions, platform, fonts and parts of Qt, for a report of a fault; nothing private

Exit code: 0 done; 1 a check failed; 2 bad usage, or a file that is bad or cannot be read or written; 141 the reader of
the output, such as head, had read enough.
"""
TRACE_HELP = """\
usage: attnexplorer trace FILE [--stages A,B] [--format text|json|npz] [-o OUT]

Print every stage of an experiment, from the embeddings to the output. Layers, heads, rows and columns count from 0.
Of captured weights (.npz) there are the weights alone.

  --stages A,B   only these stages, such as scores,weights
  --format       text, for people (the default); json; npz, a NumPy archive with keys such as layers.0.query
  -o OUT         write to the file OUT and replace it
  -h, --help     show this text
"""
CHECK_HELP = """\
usage: attnexplorer check FILE

Check every layer of an experiment: a line a check, beginning with ok, not applicable, note or FAIL. Layers, heads, rows
and columns count from 0. The exit code is 1 if a check fails. Captured weights (.npz) get the checks that need nothing
else.

  -h, --help   show this text
"""
EXAMPLES_HELP = """\
usage: attnexplorer examples

List the built-in experiments: a name and a title a line. Wherever FILE is expected, example:NAME names one.

  -h, --help   show this text
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; every error is one sentence on standard error."""
    one_thread_a_product(os.environ)
    try:
        return _run(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:
        return _refused("stopped before it was done", INTERRUPTED)
    except ReaderGoneError:
        return READER_GONE
    except MemoryError:
        return _refused("there is not enough memory for this experiment")
    except (UsageError, OutputError, ExperimentError, OSError) as error:
        return _refused(_sentence(error))
    except ImportError as error:
        from attnexplorer.app.system_libraries import why_qt_does_not_load

        return _refused(why_qt_does_not_load(str(error)))


def _run(arguments: list[str]) -> int:
    command = _COMMANDS.get(arguments[0]) if arguments else None
    return _window(arguments) if command is None else command(arguments[1:])


def _window(arguments: list[str]) -> int:
    given = parsed(arguments, flags=("-h", "--help", "--version", "--diagnostics"))
    if "--diagnostics" in given.flags:
        from attnexplorer.app.diagnostics import diagnostics

        write_out([diagnostics()])
        return DONE
    if given.flags:
        write_out([HELP] if given.flags - {"--version"} else [f"attnexplorer {__version__}\n"])
        return DONE
    if len(given.words) > 1:
        raise UsageError(f"one FILE was expected, but there are {len(given.words)}; see attnexplorer --help")
    from attnexplorer.app.launch import open_window

    return open_window(given.words[0] if given.words else None)


def _trace(arguments: list[str]) -> int:
    given = _command_arguments(arguments, TRACE_HELP, valued=("--stages", "--format", "-o"))
    if given is None:
        return DONE
    file, out = _only_file(given, "trace"), given.options.get("-o")
    form = given.options.get("--format", "text")
    if form not in FORMATS:
        raise UsageError(f"there is no format {form!r}; there are {', '.join(FORMATS)}")
    if form == "npz" and out is None and sys.stdout.isatty():
        raise UsageError("the format npz is binary: name a file with -o OUT, or redirect the output")
    if out is not None and _is_same_file(file, out):
        raise UsageError(f"{out} is the experiment itself and would be lost; choose another OUT")
    experiment = _read(file)
    stages = [name.strip() for name in given.options["--stages"].split(",")] if "--stages" in given.options else None
    if form == "npz":
        _write_npz(experiment, stages, out)
        return DONE
    pieces = _trace_pieces(experiment, stages, form)
    if out is None:
        write_out(pieces)
    else:
        write_file(out, "".join(pieces).encode("utf-8"))
    return DONE


def _check(arguments: list[str]) -> int:
    given = _command_arguments(arguments, CHECK_HELP)
    if given is None:
        return DONE
    experiment = _read(_only_file(given, "check"))
    failed = False

    def lines() -> Iterator[str]:
        nonlocal failed
        for check in _checks(experiment):
            failed = failed or check.status == "FAIL"
            place = "" if check.layer is None else f"layer {check.layer}, "
            yield f"{check.status:<14}  {place}{check.name}: {check.sentence}\n"

    write_out(lines())
    return CHECK_FAILED if failed else DONE


def _examples(arguments: list[str]) -> int:
    given = _command_arguments(arguments, EXAMPLES_HELP)
    if given is None:
        return DONE
    if given.words:
        raise UsageError("examples takes no FILE; see attnexplorer examples --help")
    from attnexplorer.experiment.examples import example_summaries

    summaries = example_summaries()
    width = max((len(summary.name) for summary in summaries), default=0)
    write_out(f"{summary.name:<{width}}  {summary.title}\n" for summary in summaries)
    return DONE


def _export(arguments: list[str]) -> int:
    from attnexplorer.app.export_command import export

    return export(arguments, _read)


_COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "trace": _trace,
    "check": _check,
    "export": _export,
    "examples": _examples,
}


def _command_arguments(arguments: list[str], help_text: str, valued: Sequence[str] = ()) -> Arguments | None:
    """Return the parsed arguments of a command, or None where its help was asked for and printed."""
    given = parsed(arguments, valued, flags=("-h", "--help"))
    if not given.flags:
        return given
    write_out([help_text])
    return None


def _only_file(given: Arguments, command: str) -> str:
    count = len(given.words)
    if count != 1:
        found = f"{count} were given" if count else "none was given"
        raise UsageError(f"{command} expects one FILE, but {found}; see attnexplorer {command} --help")
    return given.words[0]


def _read(file: str) -> Experiment:
    from attnexplorer.experiment.fileformat import read

    if file.startswith(EXAMPLE_PREFIX):
        from attnexplorer.experiment.examples import example_path

        return read(example_path(file.removeprefix(EXAMPLE_PREFIX))).experiment
    if file.lower().endswith(FIGURE_SUFFIXES):
        return _read_from_figure(file)
    if file.lower().endswith(CAPTURE_SUFFIX):
        from pathlib import Path

        from attnexplorer.interop.capture import read_capture

        return read_capture(Path(file))
    result = read(file)
    for warning in result.warnings:
        say(f"warning: {warning}")
    return result.experiment


def _read_from_figure(file: str) -> Experiment:
    from attnexplorer.experiment.errors import FileError
    from attnexplorer.figures.carrying import extract
    from attnexplorer.interop.capture import read_capture_from

    carried = extract(file, read_capture_from)
    if carried is None:
        raise FileError(os.path.basename(file), "this figure carries no experiment.")
    return carried


def _trace_pieces(experiment: Experiment, stages: Sequence[str] | None, form: str) -> Iterator[str]:
    if form == "json":
        from attnexplorer.interop.trace_json import trace_json

        return trace_json(experiment, stages)
    from attnexplorer.interop.trace_text import trace_text

    return (f"{line}\n" for line in trace_text(experiment, stages))


def _checks(experiment: Experiment) -> Iterator[Check]:
    """Yield the checks layer by layer, so that only one layer's matrices are in memory."""
    from attnexplorer.compute.checks import check_units, last_units, run_last_checks, run_layer_checks
    from attnexplorer.compute.engine import Engine

    engine = Engine()
    for layer, it in enumerate(experiment.layers):
        heads = range(it.attention.heads)
        arrays = engine.evaluate(experiment, check_units(experiment, layer, heads)).arrays
        yield from run_layer_checks(experiment, layer, heads, arrays.__getitem__)
    yield from run_last_checks(experiment, engine.evaluate(experiment, last_units(experiment)).arrays.__getitem__)


def _write_npz(experiment: Experiment, stages: Sequence[str] | None, out: str | None) -> None:
    from io import BytesIO

    from attnexplorer.interop.trace_npz import write_trace_npz

    archive = BytesIO()
    write_trace_npz(experiment, archive, stages)
    if out is None:
        write_bytes_out(archive.getvalue())
    else:
        write_file(out, archive.getvalue())


def _is_same_file(file: str, out: str) -> bool:
    with contextlib.suppress(OSError, ValueError):
        return os.path.samefile(file, out)
    return False


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _refused(sentence: str, code: int = REFUSED) -> int:
    say(f"attnexplorer: {sentence}")
    return code
