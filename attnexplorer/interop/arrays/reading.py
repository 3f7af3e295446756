"""Reading a file that may hold matrices, whatever its kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from attnexplorer.experiment.errors import ExperimentError, FileError
from attnexplorer.interop.arrays.found import ArrayFile, found_file
from attnexplorer.interop.arrays.json_arrays import read_json
from attnexplorer.interop.arrays.numpy_files import read_npy, read_npz, refusing
from attnexplorer.interop.arrays.tensor_files import read_safetensors
from attnexplorer.interop.arrays.text_tables import LARGEST_TEXT, Layout, possible_layouts, read_table

TEXT_SUFFIXES = (".csv", ".tsv", ".tab", ".txt")
BINARY_SUFFIXES = (".npy", ".npz", ".safetensors")
SUFFIXES = (*TEXT_SUFFIXES, *BINARY_SUFFIXES, ".json")

_READERS: dict[str, Callable[[Path], ArrayFile]] = {
    ".npy": read_npy,
    ".npz": read_npz,
    ".safetensors": read_safetensors,
}


def is_text_table(path: Path) -> bool:
    """Tell by its name whether a file is a table in plain text, which may have to be asked about."""
    return path.suffix.lower() in TEXT_SUFFIXES


def read_arrays(path: Path) -> ArrayFile:
    """Return the arrays of a .npy, .npz, .safetensors or .json file.

    Raises
    ------
    FileError
        If the file cannot be read, is damaged, or holds nothing that can be imported.
    """
    suffix = path.suffix.lower()
    if suffix == ".json":
        return read_json(_bytes(path), path.name)
    if suffix not in _READERS:
        expected = ", ".join(SUFFIXES[:-1]) + f" or {SUFFIXES[-1]}"
        raise FileError(path.name, f"matrices are read from files that end in {expected}")
    return _READERS[suffix](path)


def read_text(path: Path) -> str:
    """Return the text of a file: UTF-8, or UTF-16 with a byte order mark, as spreadsheets write it.

    Raises
    ------
    FileError
        If the file cannot be read, is too large or is no text.
    """
    data = _bytes(path)
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        raise FileError(path.name, "it is no text in UTF-8 or UTF-16") from None
    if "\0" in text:
        raise FileError(path.name, "it holds zero bytes, so it is no text")
    return text


def table_in_text(text: str, layout: Layout, file_name: str) -> ArrayFile:
    """Return the one array of a text that is read in a given layout.

    Raises
    ------
    FileError
        If the text is no table in this layout.
    """
    try:
        values = read_table(text, layout).values
    except ExperimentError as error:
        raise FileError(file_name, str(error)) from None
    return found_file(file_name, {"the table": values.shape}, lambda name: values, [])


def layouts_in_text(text: str, file_name: str) -> tuple[Layout, ...]:
    """Return the layouts in which a text can be read, the likeliest first.

    Raises
    ------
    FileError
        If there is none; the sentence names the first cell that is in the way.
    """
    layouts = possible_layouts(text)
    if layouts:
        return layouts
    table_in_text(text, _likely(text), file_name)
    raise FileError(file_name, "it is no table of numbers")


def _likely(text: str) -> Layout:
    """Return the layout that a text that cannot be read was probably meant in."""
    start = text[:10_000]
    if "\t" in start:
        return Layout("\t", ".")
    if ";" in start:
        return Layout(";", "," if "," in start else ".")
    return Layout("," if "," in start else " ", ".")


def _bytes(path: Path) -> bytes:
    with refusing(path.name), path.open("rb") as file:
        data = file.read(LARGEST_TEXT + 1)
    if len(data) > LARGEST_TEXT:
        raise FileError(path.name, f"it is larger than {LARGEST_TEXT >> 20} MB, too large for a matrix in text")
    return data
