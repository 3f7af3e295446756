"""A figure carries its experiment: writing it into a file of each format, and reading it back, bounded.

The experiment is an `.attn` file, or a capture's `.npz` file, compressed and spelled in letters, between two marks that
no other content has. In a PNG it is a text chunk of its own, in an SVG metadata, in a PPTX a part of its own; a PDF has
it as an attached file, `experiment.attn` or `capture.npz`.
"""

from __future__ import annotations

import base64
import binascii
import io
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from attnexplorer.experiment.captured import Capture
from attnexplorer.experiment.captured_file import capture_bytes
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.fileformat import dumps, parse
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.errors import FigureError

MOST_BYTES = 5_000_000
"""Experiments whose text is longer are not carried unless asked for."""

LARGEST_FIGURE = 256 * 1024 * 1024
LARGEST_TEXT = 64 * 1024 * 1024
PNG_KEYWORD = b"attnexplorer"
PPTX_PART = "customXml/attnexplorer.xml"
ATTACHMENT, CAPTURE_ATTACHMENT = "experiment.attn", "capture.npz"
ReadCapture = Callable[[bytes, str], Experiment]
"""Reads a capture from the bytes of its file; the name is that of the figure, for messages."""
SUFFIXES = (".png", ".svg", ".pdf", ".pptx")

_OPENING, _CLOSING = b"attnexplorer-experiment-1[", b"]"
_ARCHIVE = b"PK"
_MARKED = re.compile(re.escape(_OPENING) + rb"([A-Za-z0-9+/=\s]*)" + re.escape(_CLOSING))
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_ATTACHMENTS = (ATTACHMENT.encode("ascii"), CAPTURE_ATTACHMENT.encode("ascii"))
_FILESPEC = re.compile(rb"/F\s*\(([^()]{1,200})\)\s*/EF\s*<<\s*/F\s+(\d{1,9})\s+0\s+R")
_STREAM = re.compile(rb"<<([^<>]{0,400})>>\s*stream\r?\n")


def experiment_text(experiment: Experiment, limit: int | None = MOST_BYTES) -> bytes | None:
    """Return the file of an experiment or a capture as a figure carries it, or None if it is longer than `limit`."""
    data = capture_bytes(experiment) if isinstance(experiment, Capture) else dumps(experiment).encode("utf-8")
    return data if limit is None or len(data) <= limit else None


def marked(data: bytes) -> str:
    """Return the text of an experiment in letters only, between its two marks."""
    packed = base64.b64encode(zlib.compress(data, 9))
    return (_OPENING + packed + _CLOSING).decode("ascii")


def extract(path: str | os.PathLike[str], read_capture: ReadCapture | None = None) -> Experiment | None:
    """Return the experiment that a figure carries; None if the file carries none.

    `read_capture` reads captured weights; without it, a figure that carries some is refused.

    Raises
    ------
    FileError
        If the experiment in it is damaged or breaks a rule, as for an `.attn` file.
    FigureError
        If the file cannot be read or is too large.
    """
    return extract_from(_bytes_of(Path(path)), Path(path).name, read_capture)


def extract_from(data: bytes, name: str, read_capture: ReadCapture | None = None) -> Experiment | None:
    """Return the experiment that the bytes of a figure carry, or None; see `extract`."""
    text = _carried(data, name)
    if text is None:
        return None
    if not holds_capture(text):
        return parse(text, name).experiment
    if read_capture is None:
        raise FigureError(f"{name}: the figure carries captured weights")
    return read_capture(text, name)


def holds_capture(carried: bytes) -> bool:
    """Tell whether what a figure carries is the file of a capture."""
    return carried.startswith(_ARCHIVE)


def attachment_name(carried: bytes) -> str:
    """Return what the attached file of a PDF is called."""
    return CAPTURE_ATTACHMENT if holds_capture(carried) else ATTACHMENT


def carries(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file is a figure with something in it that looks like an experiment; never raises."""
    try:
        return _carried(_bytes_of(Path(path)), Path(path).name) is not None
    except ExperimentError:
        return False


def _bytes_of(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise FigureError(f"{path.name}: there is no such file")
        with path.open("rb") as file:
            data = file.read(LARGEST_FIGURE + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, FigureError):
            raise
        raise FigureError(
            f"{path.name}: the file cannot be read ({getattr(error, 'strerror', None) or error})"
        ) from None
    if len(data) > LARGEST_FIGURE:
        raise FigureError(f"{path.name}: the file is larger than {LARGEST_FIGURE // 1024**2} MB")
    return data


def _carried(data: bytes, name: str) -> bytes | None:
    if data.startswith(PNG_SIGNATURE):
        return _unmarked(_png_text(data), name)
    if data.startswith(b"%PDF-"):
        return _attached(data, name)
    if data.startswith(b"PK"):
        return _unmarked(_pptx_part(data), name)
    head = data[:2048].lstrip(b"\xef\xbb\xbf \t\r\n")
    return _unmarked(data, name) if head.startswith(b"<") and b"<svg" in head else None


def _unmarked(data: bytes | None, name: str) -> bytes | None:
    found = _MARKED.search(data) if data else None
    if found is None:
        return None
    try:
        packed = base64.b64decode(b"".join(found.group(1).split()), validate=True)
    except binascii.Error:
        raise _damaged(name) from None
    return _inflated(packed, name)


def _inflated(packed: bytes, name: str) -> bytes:
    unpacking = zlib.decompressobj()
    try:
        data = unpacking.decompress(packed, LARGEST_TEXT)
    except zlib.error:
        raise _damaged(name) from None
    if unpacking.unconsumed_tail:
        raise FigureError(f"{name}: the experiment in the figure is larger than {LARGEST_TEXT // 1024**2} MB")
    if not unpacking.eof:
        raise _damaged(name)
    return data


def _damaged(name: str) -> FigureError:
    return FigureError(f"{name}: the experiment in the figure is damaged")


def png_chunk(data: bytes) -> bytes:
    """Return the text chunk that holds an experiment in a PNG file."""
    return text_chunk(PNG_KEYWORD, marked(data).encode("ascii"))


def text_chunk(keyword: bytes, text: bytes) -> bytes:
    """Return a tEXt chunk of a PNG file."""
    return chunk(b"tEXt", keyword + b"\0" + text)


def chunk(kind: bytes, content: bytes) -> bytes:
    """Return a chunk of a PNG file: its length, kind, content and check sum."""
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _png_text(data: bytes) -> bytes | None:
    place = len(PNG_SIGNATURE)
    while place + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, place)
        kind, start = data[place + 4 : place + 8], place + 8
        if kind == b"tEXt" and data.startswith(PNG_KEYWORD + b"\0", start):
            return data[start : start + length]
        if kind == b"IEND":
            return None
        place = start + length + 4
    return None


def _pptx_part(data: bytes) -> bytes | None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if PPTX_PART not in archive.namelist():
                return None
            with archive.open(PPTX_PART) as part:
                return part.read(LARGEST_TEXT)
    except (
        zipfile.BadZipFile,
        zlib.error,
        OSError,
        ValueError,
        NotImplementedError,
        RuntimeError,
        EOFError,
        struct.error,
    ):
        return None


def _attached(data: bytes, name: str) -> bytes | None:
    """Return the attached experiment of a PDF file as this program writes it."""
    for found in _FILESPEC.finditer(data):
        attached, number = found.groups()
        if attached.replace(b"\0", b"").endswith(_ATTACHMENTS):
            return _object_stream(data, number, name)
    return None


def _object_stream(data: bytes, number: bytes, name: str) -> bytes | None:
    start = data.find(b"\n" + number + b" 0 obj")
    found = _STREAM.search(data, start, start + 600) if start >= 0 else None
    if found is None:
        return None
    end = data.find(b"endstream", found.end())
    content = data[found.end() : end if end >= 0 else len(data)]
    if b"/FlateDecode" in found.group(1):
        return _inflated(content, name)
    return content.rstrip(b"\r\n")
