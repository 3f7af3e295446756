"""The section of the mask of the layer that is shown: rules that combine, and pairs that were set by hand."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any, cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QWidget

from attnexplorer.document.document import Document
from attnexplorer.experiment.edits.masks import set_align, set_prefix, set_segments, set_window, toggle_causal
from attnexplorer.experiment.model import Align, Experiment, Mask
from attnexplorer.experiment.paths import replace
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.input.check_box import CheckBox
from attnexplorer.views.input.fields import CountBox
from attnexplorer.views.input.notice import Edit
from attnexplorer.views.input.section import Section, caption, form
from attnexplorer.views.input.segmented import Choice, SegmentedControl
from attnexplorer.views.input.token_chips import link
from attnexplorer.views.wrong_ways import WrongWays

LARGEST_WINDOW = 1_000_000
LONGEST_INTEGER = 15
ALIGNMENTS = (
    Choice("end", "Ends together", "The last query stands at the last key"),
    Choice("start", "Starts together", "The first query stands at the first key"),
)


class MaskSection(Section):
    """Switches the rules of a layer's mask on and off."""

    def __init__(self, document: Document, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__("Mask", document, appearance, parent)
        self.causal = CheckBox("causal", "Causal", "A query sees no key that comes after it")
        self.window_on = CheckBox("window-on", "Window", "A query sees only keys that are near it")
        self.prefix_on = CheckBox("prefix-on", "Prefix", "Every query sees the first keys, whatever else is on")
        self.padding = CheckBox("padding", "Padding", "Nobody attends to padding; the box of a token marks it")
        self.segments_on = CheckBox("segments-on", "Segments", "A query sees only keys with the same label")
        self.window_size = CountBox("window", 1, LARGEST_WINDOW)
        self.prefix_size = CountBox("prefix", 0, 0)
        self.labels = QLineEdit()
        self.padded = caption()
        self.padded.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.align = SegmentedControl("Queries and keys", ALIGNMENTS)
        self.align.setObjectName("align")
        self.pairs = QLabel()
        self.clear_pairs = link("Clear", "Leave all pairs to the rules", "clear-pairs")
        self._ways = WrongWays.of(document)
        self.wrong_ways = link("", "Weights with 0 in place of −∞, and masked after softmax", "wrong-ways")
        self._name_wrong_ways()
        self._name_fields()
        self._connect()
        self._lay_out()

    def parts(self, experiment: Experiment) -> tuple[Any, ...]:
        layers = len(experiment.layers)
        return (self.shown_layer(experiment).attention.mask, experiment.sequence, experiment.source, self.layer, layers)

    def show_experiment(self, experiment: Experiment) -> None:
        mask = self.shown_layer(experiment).attention.mask
        self.name_layer(experiment)
        self.causal.setChecked(mask.causal)
        self._show_window(mask)
        self._show_prefix(mask, len(experiment.key_tokens))
        self._show_padding(experiment.key_padding)
        self._show_segments(mask, self_attention=experiment.source is None)
        self.align.choose(mask.align)
        self.align.setVisible(len(experiment.query_tokens) != len(experiment.key_tokens))
        self._show_pairs(mask)

    def _show_window(self, mask: Mask) -> None:
        self.window_on.setChecked(mask.window is not None)
        self.window_size.setVisible(mask.window is not None)
        if mask.window is not None:
            self.window_size.show_number(mask.window)

    def _show_prefix(self, mask: Mask, keys: int) -> None:
        self.prefix_on.setChecked(mask.prefix is not None)
        self.prefix_size.setVisible(mask.prefix is not None)
        self.prefix_size.blockSignals(True)
        self.prefix_size.setMaximum(keys)
        self.prefix_size.blockSignals(False)
        if mask.prefix is not None:
            self.prefix_size.show_number(mask.prefix)

    def _show_padding(self, padding: tuple[bool, ...]) -> None:
        count = sum(padding)
        self.padding.setChecked(count > 0)
        self.padding.setEnabled(count > 0)
        self.padded.setText(f"{count} of {len(padding)} tokens" if count else "no token marked")

    def _show_segments(self, mask: Mask, *, self_attention: bool) -> None:
        self.segments_on.setChecked(mask.segments is not None)
        self.segments_on.setEnabled(self_attention)
        self.labels.setVisible(mask.segments is not None)
        self.labels.setText(" ".join(map(str, mask.segments or ())))
        self.labels.setCursorPosition(0)

    def _show_pairs(self, mask: Mask) -> None:
        self.pairs.setText(_by_hand(mask))
        self._pairs_row.setVisible(bool(mask.blocked or mask.allowed))

    def _on_window_clicked(self, on: bool) -> None:
        size = min(3, len(self.document.experiment.key_tokens)) if on else None
        self._edit_rule(f"Window of {size}" if on else "Window off", partial(set_window, layer=self.layer, window=size))

    def _on_window_entered(self, size: int, going_on: bool) -> None:
        edit = partial(set_window, layer=self.layer, window=size)
        self.edit(Edit(self.in_layer(f"Window of {size}"), edit, gesture=self.gesture_of(going_on)))

    def _on_prefix_clicked(self, on: bool) -> None:
        size = 1 if on else None
        self._edit_rule(f"Prefix of {size}" if on else "Prefix off", partial(set_prefix, layer=self.layer, prefix=size))

    def _on_prefix_entered(self, size: int, going_on: bool) -> None:
        edit = partial(set_prefix, layer=self.layer, prefix=size)
        self.edit(Edit(self.in_layer(f"Prefix of {size}"), edit, gesture=self.gesture_of(going_on)))

    def _on_causal_clicked(self, on: bool) -> None:
        self._edit_rule(f"Causal mask {'on' if on else 'off'}", partial(toggle_causal, layer=self.layer))

    def _on_padding_clicked(self) -> None:
        self.notice.clear()
        self.document.apply("No token is padding", _without_padding)

    def _on_segments_clicked(self, on: bool) -> None:
        labels = (1,) * len(self.document.experiment.query_tokens) if on else None
        edit = partial(set_segments, layer=self.layer, segments=labels)
        self._edit_rule(f"Segments {'on' if on else 'off'}", edit)

    def _on_labels_finished(self) -> None:
        if not self.labels.isModified():
            return
        labels = _labels(self.labels.text(), self.shown_layer(self.document.experiment).attention.mask.segments or ())
        edit = partial(set_segments, layer=self.layer, segments=labels)
        self.labels.setModified(False)
        if self.notice.make(Edit(self.in_layer("Set the segments"), edit)):
            self.reset()

    def _on_align_chosen(self, align: str) -> None:
        words = "ends" if align == "end" else "starts"
        edit = partial(set_align, layer=self.layer, align=cast(Align, align))
        self._edit_rule(f"Align queries and keys at their {words}", edit)

    def _on_clear_clicked(self) -> None:
        self.notice.clear()
        self.document.apply(self.in_layer("Leave all pairs to the rules"), partial(_without_pairs, layer=self.layer))

    def _edit_rule(self, text: str, change: partial[Experiment]) -> None:
        # Switching a rule off is what was asked for, not a loss to be named.
        self.notice.clear()
        self.document.apply(self.in_layer(text), change)

    def _connect(self) -> None:
        self.causal.clicked.connect(self._on_causal_clicked)
        self.window_on.clicked.connect(self._on_window_clicked)
        self.window_size.entered.connect(self._on_window_entered)
        self.prefix_on.clicked.connect(self._on_prefix_clicked)
        self.prefix_size.entered.connect(self._on_prefix_entered)
        self.padding.clicked.connect(self._on_padding_clicked)
        self.segments_on.clicked.connect(self._on_segments_clicked)
        self.labels.editingFinished.connect(self._on_labels_finished)
        self.align.chosen.connect(self._on_align_chosen)
        self.clear_pairs.clicked.connect(self._on_clear_clicked)
        self.wrong_ways.clicked.connect(lambda: self._ways.show(not self._ways.shown))
        self._ways.changed.connect(self._name_wrong_ways)

    def _name_wrong_ways(self) -> None:
        self.wrong_ways.setText("Hide the wrong ways" if self._ways.shown else "Compare wrong ways to mask")

    def _name_fields(self) -> None:
        self.window_size.setAccessibleName("Window: how many places")
        self.window_size.setToolTip("A query sees keys that are less than this many places away")
        self.prefix_size.setAccessibleName("Prefix: how many keys")
        self.prefix_size.setToolTip("How many of the first keys every query sees")
        self.labels.setObjectName("segments")
        self.labels.setAccessibleName("Segments: one label a token")
        self.labels.setToolTip("One label a token, with spaces between them, such as 1 1 2 2")

    def _lay_out(self) -> None:
        grid = form()
        rows: tuple[tuple[CheckBox, QWidget | None], ...] = (
            (self.causal, None),
            (self.window_on, self.window_size),
            (self.prefix_on, self.prefix_size),
            (self.padding, self.padded),
            (self.segments_on, None),
        )
        for row, (box, field) in enumerate(rows):
            grid.addWidget(box, row, 0)
            if field is not None:
                grid.addWidget(field, row, 1)
        self.body.addLayout(grid)
        self.body.addWidget(self.labels)
        self.body.addWidget(self.align)
        self._pairs_row = QWidget()
        pairs = QGridLayout(self._pairs_row)
        pairs.setContentsMargins(0, 0, 0, 0)
        pairs.setColumnStretch(0, 1)
        self.pairs.setWordWrap(True)
        pairs.addWidget(self.pairs, 0, 0)
        pairs.addWidget(self.clear_pairs, 0, 1)
        self.body.addWidget(self._pairs_row)
        self.body.addWidget(caption("Click a cell of the mask to block or allow one pair."))
        self.body.addWidget(self.wrong_ways, 0, Qt.AlignmentFlag.AlignLeft)


def _by_hand(mask: Mask) -> str:
    """Say how many pairs were set by hand: "2 pairs blocked, 1 allowed by hand"."""
    said, noun = [], True
    for pairs, word in ((mask.blocked, "blocked"), (mask.allowed, "allowed")):
        if pairs:
            counted = f"{len(pairs)} {'pair' if len(pairs) == 1 else 'pairs'} " if noun else f"{len(pairs)} "
            said.append(counted + word)
            noun = False
    return f"{', '.join(said)} by hand"


def _labels(text: str, old: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Return the labels of a text; one that was there keeps its type, another one is an integer if it looks so."""
    known = {str(label): label for label in old}
    return tuple(known.get(word, _label(word)) for word in text.split())


def _label(word: str) -> str | int:
    plain = word.isascii() and word.isdigit() and len(word) <= LONGEST_INTEGER
    return int(word) if plain and str(int(word)) == word else word


def _without_padding(experiment: Experiment) -> Experiment:
    name = "sequence" if experiment.source is None else "source"
    return replace(experiment, f"{name}.padding", (False,) * len(experiment.key_padding))


def _without_pairs(experiment: Experiment, layer: int) -> Experiment:
    path = f"layers.{layer}.attention.mask"
    mask = experiment.layers[layer].attention.mask
    return replace(experiment, path, dataclasses.replace(mask, blocked=(), allowed=()))
