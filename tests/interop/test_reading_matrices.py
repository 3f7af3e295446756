"""Matrices from other programs' files: every kind, and every way in which such a file can be bad."""

from __future__ import annotations

import io
import json
import pickle
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

from attnexplorer.experiment.errors import ExperimentError, FileError
from attnexplorer.interop.arrays.numpy_files import npz_array
from attnexplorer.interop.arrays.reading import layouts_in_text, read_arrays, read_text, table_in_text
from attnexplorer.interop.arrays.text_tables import LAYOUTS, Layout, possible_layouts, read_table

COMMA, POINT = ",", "."
GRID = np.array([[1.5, -2.0, 0.25], [4.0, 5.5, 1e-3]])


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("1.5\t2.5\n3\t4", Layout("\t", POINT)),
        ("1,5\t2,5\r\n3\t4\r\n", Layout("\t", COMMA)),
        ("1,5;2,5\n3;4", Layout(";", COMMA)),
        ("1.5;2.5\n3;4", Layout(";", POINT)),
        ("1.5,2.5\n3,4", Layout(",", POINT)),
        ('"1.5","2.5"\n"3","4"', Layout(",", POINT)),
        ("1.5 2.5\n3   4\n", Layout(" ", POINT)),
        ("1,5 2,5\n3 4", Layout(" ", COMMA)),
        ("\ufeff1.5,2.5,\n3,4,\n\n", Layout(",", POINT)),
        ("# made by a program\n1.5,2.5\n3,4", Layout(",", POINT)),
        ("sep=;\n1,5;2,5\n3;4", Layout(";", COMMA)),
    ],
)
def test_how_a_table_is_written_is_found_out(text: str, layout: Layout) -> None:
    assert possible_layouts(text) == (layout,)
    assert read_table(text, layout).values.tolist() == [[1.5, 2.5], [3.0, 4.0]]


def test_a_comma_that_can_be_two_things_is_asked_about() -> None:
    layouts = possible_layouts("1,5\n2,5")
    assert [read_table("1,5\n2,5", layout).values.tolist() for layout in layouts] == [[[1.5], [2.5]], [[1, 5], [2, 5]]]


def test_one_point_and_three_digits_are_never_a_thousand() -> None:
    assert [read_table("1.000;2", layout).values.tolist() for layout in possible_layouts("1.000;2")] == [[[1.0, 2.0]]]


def test_a_header_and_names_of_rows_are_labels_and_not_numbers() -> None:
    table = read_table(",the,cat\nit,0.25,0.75\nsat,1,0", Layout(",", POINT))
    assert table.values.tolist() == [[0.25, 0.75], [1.0, 0.0]]
    assert (table.columns, table.rows) == (("the", "cat"), ("it", "sat"))


def test_a_header_without_names_of_rows_is_a_header() -> None:
    table = read_table("a;b\n1;2", Layout(";", POINT))
    assert (table.values.tolist(), table.columns, table.rows) == ([[1.0, 2.0]], ("a", "b"), None)


def test_signs_and_infinities_of_other_programs_are_understood() -> None:
    table = read_table("−1.5,-inf,inf\n1e3,−∞,nan", Layout(",", POINT))
    expected = [[-1.5, -np.inf, np.inf], [1000.0, -np.inf, np.nan]]
    assert np.array_equal(table.values, expected, equal_nan=True)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1,2\n3,", "row 2, column 2 is blank, but a number was expected"),
        ("a,b\n1,2\n3,", "row 3, column 2 is blank, but a number was expected"),
        ("1,2\n3,x", 'row 2, column 2 is "x", but a number was expected'),
        ("1,2\n3,4,5", "row 2 has 3 cells, but row 1 has 2"),
        ("", "the text is empty, but a table of numbers was expected"),
        ("1,2\n3,0x10", 'row 2, column 2 is "0x10", but a number was expected'),
        ("1,2\n3,1_000", 'row 2, column 2 is "1_000", but a number was expected'),
    ],
)
def test_a_text_that_is_no_table_is_refused_with_the_cell_that_is_in_the_way(text: str, sentence: str) -> None:
    with pytest.raises(FileError) as error:
        layouts_in_text(text, "numbers.csv")
    assert str(error.value) == f"numbers.csv: {sentence}"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_files_are_read_in_the_encodings_that_spreadsheets_write(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.csv").write_text("wörter;1,5\nmehr;2,5\n", encoding=encoding)
    text = read_text(tmp_path / "a.csv")
    assert table_in_text(text, Layout(";", COMMA), "a.csv").load("the table").tolist() == [[1.5], [2.5]]


@pytest.mark.parametrize("content", [b"\xff1,2", b"1\x002", b"\x89PNG\r\n\x1a\n\x00"])
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(FileError, match=r"^a\.csv: it (is no text|holds zero bytes)"):
        read_text(tmp_path / "a.csv")


def test_files_of_every_binary_kind_give_the_same_numbers(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", GRID)
    np.save(tmp_path / "fortran.npy", np.asfortranarray(GRID.astype(">f4")))
    np.savez(tmp_path / "plain.npz", grid=GRID, words=np.array(["a", "b"]))
    np.savez_compressed(tmp_path / "small.npz", grid=GRID)
    save_file({"grid": GRID.astype(np.float32)}, tmp_path / "a.safetensors")
    (tmp_path / "a.json").write_text(json.dumps({"model": {"grid": GRID.tolist()}, "name": "x"}))
    for file in sorted(tmp_path.iterdir()):
        found = read_arrays(file)
        (only,) = found.arrays
        assert only.shape == (2, 3)
        assert np.allclose(found.load(only.name), GRID, rtol=1e-6), file.name


def test_integers_booleans_and_half_floats_are_numbers_too(tmp_path: Path) -> None:
    arrays = {"i": np.array([[1, 2]]), "b": np.array([True, False]), "h": np.array([0.5], np.float16)}
    np.savez(tmp_path / "a.npz", **arrays)
    found = read_arrays(tmp_path / "a.npz")
    assert [found.load(name).tolist() for name in ("i", "b", "h")] == [[[1.0, 2.0]], [1.0, 0.0], [0.5]]
    assert {found.load(name).dtype for name in arrays} == {np.dtype(np.float64)}


def test_numbers_that_are_none_are_read_without_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "none.npy"
    np.save(file, np.array([0x7F800001, 0x7FC00000, 0x3F800000], np.uint32).view(np.float32))
    found = read_arrays(file).arrays[0]
    numbers = read_arrays(file).load(found.name)
    assert np.isnan(numbers[:2]).all()
    assert numbers[2] == 1.0


@pytest.mark.parametrize("kind", ["U", "S", "V"])
def test_texts_without_any_room_are_refused_in_a_sentence(tmp_path: Path, kind: str) -> None:
    file, header = tmp_path / "empty.npz", io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": f"|{kind}0", "fortran_order": False, "shape": (2,)})
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("tokens.npy", header.getvalue())
    with pytest.raises(FileError, match="have no bytes"):
        npz_array(file, "tokens", 1000)


def test_bfloat16_tensors_are_read(tmp_path: Path) -> None:
    values = np.array([[1.0, -2.5]], dtype=np.float32)
    data = (values.view(np.uint32) >> 16).astype("<u2").tobytes()
    header = json.dumps({"w": {"dtype": "BF16", "shape": [1, 2], "data_offsets": [0, 4]}}).encode()
    (tmp_path / "a.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + data)
    assert read_arrays(tmp_path / "a.safetensors").load("w").tolist() == [[1.0, -2.5]]


def test_json_arrays_are_named_by_their_place() -> None:
    from attnexplorer.interop.arrays.json_arrays import read_json

    data = json.dumps({"layers": [{"query": [[[1, 2], [3, 4]]]}, {"masked": [[0.5, "-inf"]]}]}).encode()
    found = read_json(data, "trace.json")
    assert {each.name: each.shape for each in found.arrays} == {
        "layers[0].query": (1, 2, 2),
        "layers[1].masked": (1, 2),
    }
    assert np.isneginf(found.load("layers[1].masked")[0, 1])


def _npy(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def _zipped(entries: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def _claiming(shape: tuple[int, ...]) -> bytes:
    """The header of an array that claims a shape, and a little data."""
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return buffer.getvalue() + b"\0" * 16


class _Runs:
    """Would run something when it is unpickled."""

    def __reduce__(self) -> tuple[Callable[..., None], tuple[str]]:
        return (Path.touch, (Path("touched"),))  # type: ignore[return-value]


def _object_array() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.array([_Runs()], dtype=object), allow_pickle=True)
    return buffer.getvalue()


NEVER = "holds Python objects, which are never loaded, as that could run a program; save plain numbers instead"


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.npy", _object_array(), f"the array {NEVER}"),
        ("a.npy", pickle.dumps([1.0]), f"the array is a pickle: it {NEVER}"),
        ("a.npy", b"", "the array is no NumPy array"),
        ("a.npy", b"\x93NUMPY\x03\x00\x10\x00\x00\x00", "the array is no NumPy array"),
        ("a.npy", _npy(GRID)[:40], "the array has a header that cannot be read"),
        ("a.npy", _npy(np.array(["a"])), "the array holds texts, but real numbers were expected"),
        ("a.npy", _npy(np.array([1j])), "the array holds complex numbers, but real numbers were expected"),
        ("a.npy", _npy(np.array(1.0)), '"a" is a single number, but an array with 1 to 4 axes'),
        ("a.npy", _npy(np.zeros((0, 3))), '"a" is 0 × 3, but an array with 1 to 4 axes'),
        ("a.npy", _claiming((10**9, 10**3)), '"a" is 1000000000 × 1000, but at most 25,000,000 numbers'),
        ("a.npy", _claiming((-1, 3)), "the array has a shape that cannot be"),
        ("a.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + b" " * 99, "the array has a header of 4,294,967,295 bytes"),
        ("a.npz", _zipped({"a.npy": _object_array()}), f'"a" {NEVER}'),
        ("a.npz", _zipped({"a.npy": _npy(np.array(["t"]))}), '"a" holds texts, but real numbers were expected'),
        ("a.npz", _zipped({"readme.txt": b"hello"}), "it holds no array of numbers"),
        ("a.npz", b"PK\x03\x04 not a zip", "it is no archive of NumPy arrays, or is cut off"),
        ("a.npz", _zipped({"a.npy": _npy(GRID)})[:-30], "it is no archive of NumPy arrays, or is cut off"),
        ("a.safetensors", b"\0" * 20, "it is no whole safetensors file"),
        ("a.safetensors", struct.pack("<Q", 2**62), "it is no whole safetensors file"),
        ("a.json", b'{"a": [[1, 2], [3]]}', "a has rows of different lengths, but a matrix was expected"),
        ("a.json", b'{"a": "b"}', "it holds no array of numbers"),
        ("a.json", b"[[1, 2", "the file is not JSON"),
        ("a.json", b"[" * 500, "the file is nested deeper than 100 levels"),
        ("a.xlsx", b"PK", "matrices are read from files that end in .csv"),
    ],
)
def test_a_bad_file_is_refused_in_a_sentence(tmp_path: Path, name: str, content: bytes, sentence: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FileError) as error:
        read_arrays(tmp_path / name)
    assert str(error.value).startswith(f"{name}: {sentence}")
    assert not Path("touched").exists()


def test_a_missing_file_and_a_folder_are_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "folder.npy").mkdir()
    for name in ("missing.npy", "folder.npy"):
        with pytest.raises(FileError, match=f"^{name}: cannot be read: "):
            read_arrays(tmp_path / name)


def test_a_file_that_ends_early_is_noticed_when_its_array_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(_npy(np.zeros((100, 100)))[:-8])
    found = read_arrays(tmp_path / "a.npy")
    with pytest.raises(FileError, match="ends before all of its numbers are there"):
        found.load("a")


def test_a_zip_bomb_costs_no_more_memory_than_an_array_may_have(tmp_path: Path) -> None:
    import tracemalloc

    # 1 GB of zeros in 1 MB: one entry claims them all, the other hides them behind a small matrix.
    zeros = b"\0" * (1 << 20)
    with zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, head in (("huge.npy", _claiming((1 << 27,))[:-16]), ("small.npy", _npy(GRID))):
            with archive.open(name, "w") as entry:
                entry.write(head)
                for _ in range(100):
                    entry.write(zeros)
    tracemalloc.start()
    found = read_arrays(tmp_path / "bomb.npz")
    assert [each.name for each in found.arrays] == ["small"]
    assert np.array_equal(found.load("small"), GRID)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 << 20


def test_a_directory_that_claims_to_be_huge_is_refused_before_it_is_read(tmp_path: Path) -> None:
    data = bytearray(_zipped({"a.npy": _npy(GRID)}))
    data[-10:-6] = struct.pack("<I", 1 << 30)
    (tmp_path / "a.npz").write_bytes(data)
    with pytest.raises(FileError, match="its list of contents is far too large"):
        read_arrays(tmp_path / "a.npz")


def test_two_arrays_of_one_name_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("a.npy", _npy(GRID))
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("a.npy", _npy(GRID))
    with pytest.raises(FileError, match='two of its arrays are named "a"'):
        read_arrays(tmp_path / "a.npz")


SEEDS = {
    "a.npy": _npy(GRID),
    "a.npz": _zipped({"a.npy": _npy(GRID), "b.npy": _npy(np.arange(5))}),
    "a.json": json.dumps({"a": GRID.tolist(), "b": [1, 2]}).encode(),
    "a.csv": b"a;b\n1,5;2\n3;4,25\n",
    "a.safetensors": struct.pack("<Q", 56) + b'{"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}' + b"\0" * 8,
}


@settings(max_examples=100)
@given(st.sampled_from(sorted(SEEDS)), st.data())
def test_no_mutated_file_does_more_than_give_a_sentence(name: str, data: st.DataObject) -> None:
    from tempfile import TemporaryDirectory

    content = bytearray(SEEDS[name])
    for _ in range(data.draw(st.integers(0, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    with TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_bytes(bytes(content[: cut or None]))
        outcome = _read_all(file)
    assert outcome
    assert not isinstance(outcome, str) or "\n" not in outcome


def _read_all(file: Path) -> list[tuple[int, ...]] | str:
    """Return the shapes that were read, or the sentence in which the file was refused."""
    try:
        return _shapes(file)
    except ExperimentError as error:
        return str(error)


def _shapes(file: Path) -> list[tuple[int, ...]]:
    if file.suffix == ".csv":
        text = read_text(file)
        found = [table_in_text(text, layout, file.name) for layout in layouts_in_text(text, file.name)]
    else:
        found = [read_arrays(file)]
    return [each.load(array.name).shape for each in found for array in each.arrays]


@settings(max_examples=60)
@given(st.sampled_from(LAYOUTS), st.integers(1, 4), st.integers(2, 4), st.integers(0, 2**32 - 1))
def test_what_is_written_in_a_layout_is_read_back_bit_for_bit(
    layout: Layout, rows: int, columns: int, seed: int
) -> None:
    values = np.random.default_rng(seed).standard_normal((rows, columns))
    cells = [[repr(cell).replace(".", layout.decimal_point) for cell in row] for row in values.tolist()]
    text = "\n".join(layout.separator.join(row) for row in cells)
    assert layout in possible_layouts(text)
    assert np.array_equal(read_table(text, layout).values, values)


def test_an_archive_with_names_that_are_no_text_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", a=np.eye(2))
    data = bytearray((tmp_path / "a.npz").read_bytes())
    entry = data.rindex(b"PK\x01\x02")
    data[entry + 9] |= 0x08  # says that names are UTF-8
    data[entry + 46] = 0xFF
    (tmp_path / "a.npz").write_bytes(data)
    with pytest.raises(FileError, match=r"a\.npz: the archive is damaged"):
        read_arrays(tmp_path / "a.npz")
