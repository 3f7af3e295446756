"""What a command writes: to standard output, to a file, and sentences to standard error."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator


class OutputError(Exception):
    """Output that could not be written, as one plain sentence."""


class ReaderGoneError(Exception):
    """The program that reads the output has read enough, as `head` does: nothing went wrong or is to be said."""


def write_out(pieces: Iterable[str]) -> None:
    """Write text to standard output; what its encoding does not have becomes an escape.

    Raises
    ------
    OutputError
        If it cannot be written.
    ReaderGoneError
        If it is a pipe that nobody reads any more.
    """
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
    for piece in pieces:
        with _standard_output():
            sys.stdout.write(piece)
    with _standard_output():
        sys.stdout.flush()


def write_bytes_out(data: bytes) -> None:
    """Write bytes to standard output; errors are those of `write_out`."""
    with _standard_output():
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def write_file(out: str, data: bytes) -> None:
    """Replace a file as a whole; a device or a pipe such as /dev/stdout is simply written to.

    Raises
    ------
    FileError, OutputError
        If it cannot be written; an existing file is then still whole.
    ReaderGoneError
        If it is a pipe that nobody reads any more.
    """
    if os.path.exists(out) and not os.path.isfile(out) and not os.path.isdir(out):
        try:
            with open(out, "wb") as device:
                device.write(data)
        except BrokenPipeError:
            raise ReaderGoneError from None
        except OSError as error:
            raise OutputError(f"{out} cannot be written: {error.strerror or error}") from None
        return
    from attnexplorer.experiment.saving import write_whole

    write_whole(data, out)


def say(sentence: str) -> None:
    """Write one line to standard error, where there still is one."""
    from attnexplorer.interop.trace_text import printable

    with contextlib.suppress(OSError):
        print(printable(sentence), file=sys.stderr, flush=True)


@contextlib.contextmanager
def _standard_output() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        _silence()
        raise ReaderGoneError from None
    except OSError as error:
        _silence()
        raise OutputError(f"standard output cannot be written: {error.strerror or error}") from None


def _silence() -> None:
    """Send the rest nowhere: what is still buffered would fail once more when the interpreter closes the stream."""
    with contextlib.suppress(OSError), open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
