"""Files that are no experiments, told by their first bytes, so that they are named and not taken for broken text."""

from __future__ import annotations

_PICTURE = "which carries no experiment; figures in PNG, SVG, PDF and PPTX do"
_RENAMED = "but its name says that it is an experiment; called {suffix} it can be opened"
_OTHER = "no experiment"
_STARTS = (
    (b"GIF8", "a GIF picture", _PICTURE),
    (b"\xff\xd8\xff", "a JPEG picture", _PICTURE),
    (b"II*\x00", "a TIFF picture", _PICTURE),
    (b"MM\x00*", "a TIFF picture", _PICTURE),
    (b"\x89PNG\r\n\x1a\n", "a PNG picture", _RENAMED.format(suffix=".png")),
    (b"%PDF-", "a PDF document", _RENAMED.format(suffix=".pdf")),
    (b"\x93NUMPY", "a NumPy array (.npy)", _OTHER),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", _OTHER),
    (b"GGUF", "a GGUF file of weights", _OTHER),
    (b"PK\x03\x04", "a ZIP archive", f"{_OTHER}; a figure in PPTX or a capture in .npz needs its own ending"),
    (b"PK\x05\x06", "a ZIP archive", _OTHER),
    (b"\x1f\x8b", "compressed by gzip", f"{_OTHER}; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", _OTHER),
    (b"SQLite format 3\x00", "an SQLite database", _OTHER),
    (b"\x7fELF", "a program", _OTHER),
)
_CONTAINERS = {b"WEBP": "a WebP picture", b"WAVE": "a WAVE recording", b"AVI ": "an AVI video"}


def foreign_sentence(data: bytes) -> str:
    """Return what a file is that cannot be an experiment, or nothing if its first bytes do not tell."""
    if data[:4] == b"RIFF" and data[8:12] in _CONTAINERS:
        return f"the file is {_CONTAINERS[data[8:12]]}, {_PICTURE}"
    if data[8:9] == b"{" and data[5:8] == b"\x00\x00\x00":
        return f"the file is a safetensors file of weights, {_OTHER}"
    return next((f"the file is {name}, {what}" for start, name, what in _STARTS if data.startswith(start)), "")
