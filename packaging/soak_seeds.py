"""Whole files of every kind for the fuzzing to begin with: bare ones, and figures as the program itself writes them."""

from __future__ import annotations

import base64
import io
import json
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import safetensors.numpy

from attnexplorer.experiment.examples import example_names, example_path
from attnexplorer.experiment.fileformat import parse
from attnexplorer.figures import carrying
from attnexplorer.figures.export import FORMATS, Export, figure_bytes
from attnexplorer.figures.fonts import register_fonts
from attnexplorer.figures.spec import FigureSpec
from attnexplorer.interop.capture import capture, capture_bytes

Seeds = dict[str, list[bytes]]
CAPTURE = "capture"
ZIPPED = (".npz", ".pptx", CAPTURE)
"""Kinds of files that are archives."""
BOMB = 80
"""Megabytes that a small file swells to: more than a figure may carry."""
_SPACES = b" " * 2**20


def seeds() -> Seeds:
    """Return whole files of each kind; a program with a window or without one must be there to paint figures."""
    texts = [example_path(name).read_bytes() for name in example_names()]
    small = sorted(texts, key=len)[:8]
    matrix = np.arange(6.0).reshape(2, 3)
    flat = np.arange(12.0)
    tensors = {"a": matrix, "b": matrix.astype(np.float16), "c": flat.astype(np.int8), "d": matrix > 1}
    figures = bare_figures(small[:3])
    for suffix, written in _written_figures(small[:2]).items():
        figures[suffix] += written
    return {
        ".attn": small,
        **figures,
        ".csv": [b"1,2,3\n4,5,6\n", b"a;b\n1,5;2\n3;4\n", b"\xef\xbb\xbfx,y\r\n1e3,-2\r\n", "1\t2\n".encode("utf-16")],
        ".tsv": [b"1\t2\n3\t4\n", b"\tthe\tcat\nthe\t1\t2\ncat\t3\t4\n"],
        ".json": [b"[[1, 2], [3, 4]]", json.dumps({"a": matrix.tolist(), "b": {"c": [1, 2]}}).encode()],
        ".npy": [_npy(matrix), _npy(matrix.astype(np.float32)), _npy(np.array([[1, 2]], np.int8)), _npy(matrix.T)],
        ".npz": [_npz(a=matrix, b=matrix[0]), _npz(packed=True, a=matrix, b=flat)],
        ".safetensors": [safetensors.numpy.save(tensors), safetensors.numpy.save({"a": matrix}, {"format": "pt"})],
        CAPTURE: [capture_bytes(it) for it in _captures()],
        "typed": [
            *(b"1/3", b"sqrt(2)*-1e-3", b"2**10", b"0,5", b"1\t2\n3\t4", b"(1+2)/(3-4)", b"[[1, 2], [3, 4]]", b"pi"),
        ],
    }


def bare_figures(texts: list[bytes]) -> Seeds:
    """Return files of each format that carry the texts and show nothing."""
    return {suffix: [around(text) for text in texts] for suffix, around in _BARE.items()}


def figures_around(packed: bytes) -> Seeds:
    """Return files that carry what is packed already, well or badly, between the two marks."""
    opening = carrying.marked(b"").partition("[")[0].encode("ascii")
    mark = opening + b"[" + base64.b64encode(packed) + b"]"
    return {
        ".png": [_png(carrying.text_chunk(carrying.PNG_KEYWORD, mark))],
        ".svg": [_svg(mark)],
        ".pdf": [_pdf(packed, b"/Filter /FlateDecode ")],
        ".pptx": [_pptx(mark)],
    }


def bombs() -> Seeds:
    """Return small files that swell. They are made piece by piece, so that nothing has swollen before they are read."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(_SPACES) for _ in range(BOMB)) + packer.flush()
    header = io.BytesIO()
    as_numbers = {"descr": "<f8", "fortran_order": False, "shape": (BOMB << 17,)}
    np.lib.format.write_array_header_1_0(header, as_numbers)
    return {
        **figures_around(packed),
        ".pptx": [*figures_around(packed)[".pptx"], _swelling(carrying.PPTX_PART)],
        ".npz": [_swelling("a.npy", start=header.getvalue())],
        CAPTURE: [_swelling("attention.npy", "tokens.npy", start=header.getvalue())],
    }


def _swelling(*names: str, start: bytes = b"") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            with archive.open(name, "w") as part:
                part.write(start)
                for _ in range(BOMB):
                    part.write(_SPACES)
    return buffer.getvalue()


def zipped(parts: dict[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return an archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", packing) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _written_figures(texts: list[bytes]) -> Seeds:
    """Return small figures of each kind of file, each carrying its experiment."""
    register_fonts()
    written: Seeds = {suffix: [] for suffix in carrying.SUFFIXES}
    for text, what in zip(texts, ("weights", "scores"), strict=False):
        experiment = parse(text, "seed").experiment
        for form in FORMATS:
            if f".{form}" in written:
                written[f".{form}"].append(figure_bytes(FigureSpec(what, dpi=40), experiment, Export(form)))
    return written


def _captures() -> list[Any]:
    plain = np.full((1, 2, 2, 2), 0.5, np.float32)
    crossed = np.full((2, 1, 2, 3), 1 / 3)
    return [
        capture(plain, ("a", "b")),
        capture(crossed, ("Ġthe", "👩"), ("ein", "zwei", "")),
        capture(plain.astype(np.float16), ("a", "b")),
    ]


def _png(chunk: bytes) -> bytes:
    return carrying.PNG_SIGNATURE + chunk + carrying.chunk(b"IEND", b"")


def _svg(mark: bytes) -> bytes:
    return b"<svg xmlns='http://www.w3.org/2000/svg'><metadata>" + mark + b"</metadata></svg>"


def _pptx(mark: bytes) -> bytes:
    return zipped({"[Content_Types].xml": b"<Types/>", carrying.PPTX_PART: mark})


def _pdf(stream: bytes, how: bytes = b"") -> bytes:
    head = b"%PDF-1.4\n5 0 obj\n<< /Length " + str(len(stream)).encode() + b" " + how + b">>\nstream\n"
    end = b"\nendstream\nendobj\n6 0 obj\n<< /F (experiment.attn) /EF << /F 5 0 R >> >>\nendobj\n%%EOF\n"
    return head + stream + end


_BARE: dict[str, Callable[[bytes], bytes]] = {
    ".png": lambda text: _png(carrying.png_chunk(text)),
    ".svg": lambda text: _svg(carrying.marked(text).encode("ascii")),
    ".pdf": _pdf,
    ".pptx": lambda text: _pptx(carrying.marked(text).encode("ascii")),
}


def _npy(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _npz(*, packed: bool = False, **arrays: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> bytes:
    buffer = io.BytesIO()
    if packed:
        np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    else:
        np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()
