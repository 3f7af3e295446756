"""The part of the dialog that asks what the figure shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFormLayout, QMenu, QPushButton, QWidget

from attnexplorer.compute.stages import unit_for
from attnexplorer.document.document import Document
from attnexplorer.document.shapes import matrix_shape
from attnexplorer.figures.deck import WALKTHROUGH, page_names, page_words
from attnexplorer.figures.spec import FigureSpec
from attnexplorer.figures.titles import stage_words
from attnexplorer.views.export_dialog.fields import LiveCount, WideChoice
from attnexplorer.views.export_dialog.subjects import (
    EXPLAIN,
    MATRIX,
    SCALING,
    Subject,
    path_of,
    selected_in,
)

_ALL = "all"
_LARGEST = 100_000
_HIGHLIGHTS = (("", "Nothing"), ("cell", "The selected cell"), ("row", "Its row"), ("column", "Its column"))
_Highlight = tuple[int | None, int | None]


class SubjectForm(QWidget):
    """Offers the subjects, and what there is to choose about the chosen one."""

    changed = Signal()

    def __init__(self, document: Document, subjects: Sequence[Subject], first: int) -> None:
        super().__init__()
        self._document, self._subjects = document, tuple(subjects)
        self._spec = FigureSpec()
        entries = [(subject.key, subject.words) for subject in subjects]
        self.what = WideChoice("figure-what", "Figure", "What the figure shows", entries)
        self.what.setCurrentIndex(first)
        self.stage = WideChoice("figure-stage", "Stage", "Which stage of the computation")
        self.head = WideChoice("figure-head", "Head", "Which head, or all of them")
        self.row = LiveCount("figure-row", "Row", "The row, counted from 1", 1, _LARGEST)
        self.column = LiveCount("figure-column", "Column", "The column, counted from 1", 1, _LARGEST)
        tip = "What is framed: a cell has to be selected in the matrix"
        self.highlight = WideChoice("figure-highlight", "Framed", tip, _HIGHLIGHTS)
        self.pages = QPushButton()
        self._page_actions: dict[str, QAction] = {}
        self._lay_out()
        self._connect()
        self._show_subject()

    @property
    def subject(self) -> Subject:
        """The chosen subject."""
        return self._subjects[self.what.currentIndex()]

    @property
    def spec(self) -> FigureSpec:
        """What is to be shown; the rest of the specification is usual."""
        return self._spec

    def choose(self, key: str) -> None:
        """Choose a subject by its key."""
        self.what.show_value(key)
        self._show_subject()

    def _lay_out(self) -> None:
        self._form = self.form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.addRow("&Figure", self.what)
        self._form.addRow("&Stage", self.stage)
        self._form.addRow("&Head", self.head)
        self._form.addRow("&Row", self.row)
        self._form.addRow("&Column", self.column)
        self._form.addRow("Fr&amed", self.highlight)
        self._form.addRow("&Pages", self.pages)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        self.pages.setObjectName("figure-pages")
        self.pages.setAccessibleName("Pages")
        self.pages.setToolTip("Which stages have a page in the deck")
        menu = QMenu(self.pages)
        menu.setObjectName("figure-pages-menu")
        self.pages.setMenu(menu)

    def _connect(self) -> None:
        self.what.currentIndexChanged.connect(self._on_what_changed)
        for box in (self.stage, self.head, self.highlight):
            box.currentIndexChanged.connect(self._on_detail_changed)
        for count in (self.row, self.column):
            count.valueChanged.connect(self._on_detail_changed)

    def _on_what_changed(self) -> None:
        self._show_subject()
        self.changed.emit()

    def _on_detail_changed(self) -> None:
        self._take_details()
        self._limit_cell()
        self._take_details()
        self.changed.emit()

    def _show_subject(self) -> None:
        subject = self.subject
        spec = self._spec = subject.spec
        self.stage.offer([(name, stage_words(name)) for name in subject.stages], spec.stage)
        self._offer_heads(subject)
        self._limit_cell()
        self.row.show_number((spec.row or 0) + 1)
        self.column.show_number((spec.column or 0) + 1)
        selected = subject.kind == MATRIX and self._selected() is not None
        self.highlight.show_value("cell" if selected and subject.key == "this" else "")
        self._offer_pages()
        for field, there in (
            (self.stage, len(subject.stages) > 1),
            (self.head, subject.heads > 0),
            (self.row, subject.kind in (SCALING, EXPLAIN)),
            (self.column, subject.kind == EXPLAIN),
            (self.highlight, selected),
            (self.pages, subject.kind == WALKTHROUGH),
        ):
            self._form.setRowVisible(field, there)
        self._take_details()

    def _offer_heads(self, subject: Subject) -> None:
        entries = [(str(head), f"{head + 1} of {subject.heads}") for head in range(subject.heads)]
        if subject.all_heads:
            entries.append((_ALL, "all heads"))
        self.head.offer(entries, _ALL if subject.spec.head is None else str(subject.spec.head))

    def _offer_pages(self) -> None:
        menu = self.pages.menu()
        menu.clear()
        self._page_actions = {}
        if self.subject.kind != WALKTHROUGH:
            return
        for name in page_names(self._spec, self._document.experiment):
            words = page_words(name)
            action = menu.addAction(words[0].upper() + words[1:])
            action.setCheckable(True)
            action.setChecked(True)
            action.setObjectName(f"figure-page-{name}")
            action.toggled.connect(self._on_detail_changed)
            self._page_actions[name] = action

    def _take_details(self) -> None:
        subject, spec = self.subject, self._spec
        if subject.stages:
            spec = replace(spec, stage=self.stage.currentData())
        if subject.heads:
            chosen = self.head.currentData()
            spec = replace(spec, head=None if chosen == _ALL else int(chosen))
        if subject.kind in (SCALING, EXPLAIN):
            spec = replace(spec, row=self.row.value() - 1)
        if subject.kind == EXPLAIN:
            spec = replace(spec, column=self.column.value() - 1)
        wanted = [name for name, action in self._page_actions.items() if action.isChecked()]
        stages = tuple(wanted) if len(wanted) < len(self._page_actions) else ()
        self._spec = replace(spec, highlight=self._framed(), stages=stages)
        chosen_pages = f"{len(wanted)} of {len(self._page_actions)}" if stages else "all"
        self.pages.setText(f"Stages: {chosen_pages}")

    def _limit_cell(self) -> None:
        """Let only rows and columns be chosen that are there."""
        experiment, spec = self._document.experiment, self._spec
        rows, columns = len(experiment.query_tokens), len(experiment.key_tokens)
        if self.subject.kind == EXPLAIN:
            unit = unit_for(experiment, spec.stage, spec.layer, spec.head or 0)
            rows, columns = matrix_shape(experiment, unit.path) or (rows, columns)
        for field, count in ((self.row, rows), (self.column, columns)):
            field.blockSignals(True)
            field.setRange(1, max(1, count))
            field.setSuffix(f" of {count}")
            field.blockSignals(False)

    def _selected(self) -> tuple[int, int] | None:
        cell = selected_in(self._document, path_of(self.subject, self._document.experiment))
        return None if cell is None else (cell.row, cell.column)

    def _framed(self) -> _Highlight | None:
        cell: tuple[int, int] | None = self._selected() if self.subject.kind == MATRIX else None
        if cell is None or self._spec.head is None:
            return None
        framed: dict[str, _Highlight] = {"cell": cell, "row": (cell[0], None), "column": (None, cell[1])}
        return framed.get(self.highlight.currentData() or "")
