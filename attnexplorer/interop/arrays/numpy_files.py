"""NumPy's .npy and .npz files, read within bounds and without ever unpickling."""

from __future__ import annotations

import contextlib
import math
import os
import struct
import warnings
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from attnexplorer.experiment.errors import FileError
from attnexplorer.experiment.rules import quoted
from attnexplorer.interop.arrays.found import ArrayFile, Numbers, found_file, importable

MOST_ENTRIES = 10_000
LARGEST_DIRECTORY = 4 << 20
NUMBER_KINDS = "fiub"
PICKLED = "holds Python objects, which are never loaded, as that could run a program; save plain numbers instead"

_LONGEST_HEADER = 10_000
_MAGIC = b"\x93NUMPY"
_END, _END_64 = b"PK\x05\x06", b"PK\x06\x07"
_END_SIZE = 22


class Header(NamedTuple):
    """What stands at the beginning of an array."""

    shape: tuple[int, ...]
    fortran_order: bool
    dtype: np.dtype[Any]

    @property
    def size(self) -> int:
        """How many bytes follow."""
        return math.prod(self.shape) * self.dtype.itemsize


def read_npy(path: Path) -> ArrayFile:
    """Return what a .npy file holds.

    Raises
    ------
    FileError
        If it cannot be read, is no such file, holds Python objects or no numbers.
    """
    with refusing(path.name), path.open("rb") as file:
        header = read_header(file, path.name, "the array")
    _check_numbers(header, path.name, "the array")

    def load(name: str) -> Numbers:
        with refusing(path.name), path.open("rb") as file:
            return as_numbers(read_array(file, read_header(file, path.name, name), path.name, name))

    return found_file(path.name, {path.stem: header.shape}, load, [])


def read_npz(path: Path) -> ArrayFile:
    """Return what an .npz archive holds; entries without numbers are left out. Errors are those of `read_npy`."""
    shapes, refusals = {}, []
    for name, header in npz_headers(path).items():
        if header.dtype.kind in NUMBER_KINDS:
            shapes[name] = header.shape
        else:
            refusals.append(f"{quoted(name)} {_why_no_numbers(header)}")
    return found_file(path.name, shapes, lambda name: as_numbers(npz_array(path, name)), refusals)


def npz_headers(path: Path) -> dict[str, Header]:
    """Return the headers of an archive's arrays by name, without reading the numbers."""
    with opened(path) as archive:
        headers: dict[str, Header] = {}
        for name in archive.namelist():
            if not name.endswith(".npy"):
                continue
            key = name.removesuffix(".npy")
            if key in headers:
                raise FileError(path.name, f"two of its arrays are named {quoted(key)}")
            with archive.open(name) as entry:
                headers[key] = read_header(entry, path.name, quoted(key))
        return headers


def npz_array(path: Path, name: str, largest: int | None = None) -> NDArray[Any]:
    """Return one array of an archive, of whatever type it is but never of Python objects.

    `largest` bounds its bytes; without it the array must be one that can be imported.
    """
    with opened(path) as archive, archive.open(f"{name}.npy") as entry:
        header = read_header(entry, path.name, quoted(name))
        return read_array(entry, header, path.name, quoted(name), largest)


def read_header(file: IO[bytes], file_name: str, name: str) -> Header:
    """Return the header at a file's present place.

    Raises
    ------
    FileError
        If there is none, it is of an unknown version, or the array holds Python objects.
    """
    start = file.read(8)
    if start[:1] == b"\x80" or start[:4] in (b"(dp0", b"(lp0"):
        raise FileError(file_name, f"{name} is a pickle: it {PICKLED}")
    if start[:6] != _MAGIC or len(start) < 8 or start[6] not in (1, 2):
        raise FileError(file_name, f"{name} is no NumPy array")
    length = file.read(2 if start[6] == 1 else 4)
    count = int.from_bytes(length, "little")
    if count > _LONGEST_HEADER:
        raise FileError(file_name, f"{name} has a header of {count:,} bytes, which no array of numbers needs")
    header = _parsed(BytesIO(start + length + file.read(count)), file_name, name)
    if header.dtype.hasobject:
        raise FileError(file_name, f"{name} {PICKLED}")
    return header


def read_array(file: IO[bytes], header: Header, file_name: str, name: str, largest: int | None = None) -> NDArray[Any]:
    """Return the array whose header was just read; never more bytes are read than the header says."""
    if not importable(header.shape) if largest is None else header.size > largest:
        raise FileError(file_name, f"{name} is too large, or empty: {header.size:,} bytes")
    if not header.dtype.itemsize:
        raise FileError(file_name, f"{name} is of the type {header.dtype}, whose elements have no bytes")
    data = file.read(header.size)
    if len(data) < header.size:
        raise FileError(file_name, f"{name} ends before all of its numbers are there")
    flat: NDArray[Any] = np.frombuffer(data, dtype=header.dtype)
    return flat.reshape(header.shape[::-1]).T if header.fortran_order else flat.reshape(header.shape)


def as_numbers(array: NDArray[Any]) -> Numbers:
    """Return numbers of any width, or True and False as 1 and 0, as float64."""
    # Signalling NaNs are no reason for a warning: what is not finite is refused by whoever needs it finite.
    with np.errstate(over="ignore", invalid="ignore"):
        return np.ascontiguousarray(array, dtype=np.float64)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[ZipFile]:
    """Open an archive whose directory is small; what is wrong with it becomes a `FileError`."""
    with refusing(path.name), path.open("rb") as file:
        _check_directory(file, path.name)
        with ZipFile(file) as archive:
            if len(archive.namelist()) > MOST_ENTRIES:
                raise FileError(path.name, f"it holds more than {MOST_ENTRIES:,} entries")
            yield archive


@contextlib.contextmanager
def refusing(file_name: str) -> Iterator[None]:
    """Turn what goes wrong while a file is read into one sentence."""
    try:
        yield
    except FileError:
        raise
    except KeyError:
        raise FileError(file_name, "the archive has changed since it was opened") from None
    except (BadZipFile, zlib.error, EOFError, struct.error, UnicodeDecodeError):
        raise FileError(file_name, "the archive is damaged") from None
    except (NotImplementedError, RuntimeError):
        raise FileError(file_name, "the archive is encrypted or packed in a way that is not known here") from None
    except OSError as error:
        raise FileError(file_name, f"cannot be read: {error.strerror or error}") from None
    except MemoryError:
        raise FileError(file_name, "is too large for this computer's memory") from None


def _parsed(file: BytesIO, file_name: str, name: str) -> Header:
    readers: dict[tuple[int, int], Callable[..., Any]] = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    try:
        version = np.lib.format.read_magic(file)
        with warnings.catch_warnings():
            # About old writers and metadata, which change no number.
            warnings.simplefilter("ignore")
            header = Header(*readers[version](file))
    except Exception:
        # NumPy hands on whatever its parsers meet: a dozen kinds of errors, and none of them says more.
        raise FileError(file_name, f"{name} has a header that cannot be read") from None
    if any(extent < 0 or extent > 2**40 for extent in header.shape):
        raise FileError(file_name, f"{name} has a shape that cannot be")
    return header


def _check_numbers(header: Header, file_name: str, name: str) -> None:
    if header.dtype.kind not in NUMBER_KINDS:
        raise FileError(file_name, f"{name} {_why_no_numbers(header)}")


def _why_no_numbers(header: Header) -> str:
    kinds = {"c": "complex numbers", "U": "texts", "S": "texts", "V": "records"}
    return f"holds {kinds.get(header.dtype.kind, str(header.dtype))}, but real numbers were expected"


def _check_directory(file: IO[bytes], file_name: str) -> None:
    """Refuse a directory so large that listing it would fill the memory, before anything is listed."""
    file.seek(0, os.SEEK_END)
    size = file.tell()
    file.seek(max(0, size - (1 << 16) - _END_SIZE))
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < _END_SIZE:
        raise FileError(file_name, "it is no archive of NumPy arrays, or is cut off")
    directory = struct.unpack("<I", tail[at + 12 : at + 16])[0]
    if directory > LARGEST_DIRECTORY or tail[max(0, at - 20) : at].startswith(_END_64):
        raise FileError(file_name, "its list of contents is far too large")
    file.seek(0)
