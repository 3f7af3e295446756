"""Writing a capture as an .npz file. Reading one, which has to expect anything, is a matter of `interop`."""

from __future__ import annotations

from io import BytesIO
from typing import Any
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from attnexplorer.experiment.captured import Capture
from attnexplorer.experiment.errors import ExperimentError


def capture_bytes(capture: Capture) -> bytes:
    """Return the bytes of an .npz file; equal captures give equal bytes.

    Raises
    ------
    ExperimentError
        If a token ends in a zero character, which such a file cannot hold.
    """
    arrays: dict[str, NDArray[Any]] = {"attention": capture.attention, "tokens": _text_array(capture.query_tokens)}
    if capture.source is not None:
        arrays["source_tokens"] = _text_array(capture.key_tokens)
    arrays["title"] = np.array(capture.title.rstrip("\0"), dtype=np.str_)
    buffer = BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            # A ZipInfo of its own has a fixed date, where a bare name would carry the time of writing.
            with archive.open(ZipInfo(f"{name}.npy"), "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.asarray(array, order="C"), allow_pickle=False)
    return buffer.getvalue()


def _text_array(tokens: tuple[str, ...]) -> NDArray[np.str_]:
    if any(token.endswith("\0") for token in tokens):
        raise ExperimentError("", "a token ends in a zero character, which an .npz file cannot hold")
    return np.array(tokens, dtype=np.str_)
