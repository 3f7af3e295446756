"""Reading and writing `.attn` files; may import what `experiment` may import."""

from __future__ import annotations

from attnexplorer.experiment.fileformat.layout import KnownTexts
from attnexplorer.experiment.fileformat.reading import ReadResult, load, loads, parse, read
from attnexplorer.experiment.fileformat.writing import dumps

__all__ = ["KnownTexts", "ReadResult", "dumps", "load", "loads", "parse", "read"]
