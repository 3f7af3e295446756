"""Saving so that a file is never half written: the old one stays whole until the new one is on the disk."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

from attnexplorer.experiment.errors import ExperimentError, FileError
from attnexplorer.experiment.fileformat.layout import KnownTexts
from attnexplorer.experiment.fileformat.writing import dumps
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.validation import validate

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def save(experiment: Experiment, path: str | os.PathLike[str], known: KnownTexts | None = None) -> None:
    """Write an experiment to a file, replacing it as a whole; the `known` texts of its arrays make it faster.

    Raises
    ------
    FileError
        If the experiment breaks a rule of the format or the file cannot be written. The old file is then still whole.
    """
    try:
        validate(experiment)
        data = dumps(experiment, known).encode("utf-8")
    except ExperimentError as error:
        raise FileError(Path(path).name, f"not saved: {error}") from None
    except UnicodeEncodeError:
        raise FileError(Path(path).name, "not saved: a text holds half a surrogate pair") from None
    write_whole(data, path)


def write_whole(data: bytes, path: str | os.PathLike[str]) -> None:
    """Write bytes to a file: all of them, or none and a `FileError`.

    The bytes go to a temporary file in the same folder, are flushed to the disk, and then take the place of the file.
    A symbolic link stays one; the permissions of an existing file are kept.
    """
    shown = Path(path).name
    try:
        target = Path(os.path.realpath(path))
        _replace(target, data, _kept_mode(target))
    except OSError as error:
        raise FileError(shown, f"not saved: {reason(error)}") from None
    except ValueError:
        raise FileError(shown.replace("\0", "?"), "not saved: this is no file name") from None


def _kept_mode(target: Path) -> int | None:
    """Return the permissions of the existing file; refuse what a file must not replace or may not change."""
    try:
        status = target.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "is a directory")
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "this is a device or a pipe")
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "is read-only")
    return stat.S_IMODE(status.st_mode)


def _replace(target: Path, data: bytes, mode: int | None) -> None:
    temporary = target.with_name(f".{target.name[:40]}.{os.urandom(6).hex()}.tmp")
    # A new file gets what the umask leaves of 0o666; a private file's copy is private from the first byte on.
    descriptor = os.open(temporary, _CREATE, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            with contextlib.suppress(PermissionError):  # some file systems know no permissions
                temporary.chmod(mode)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _flush_folder(target.parent)


def _flush_folder(folder: Path) -> None:
    """Put the new name on the disk too; Windows cannot open folders, and some file systems cannot flush them."""
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def reason(error: OSError) -> str:
    """Return the sentence for what could not be written."""
    if isinstance(error, PermissionError):
        return "there is no permission to write here"
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return "the folder does not exist"
    if isinstance(error, IsADirectoryError):
        return "this is a folder"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full"
    return f"the file cannot be written ({error.strerror or error})"
