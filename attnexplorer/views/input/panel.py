"""The left dock: everything that goes into the attention but the numbers of its matrices."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from attnexplorer.document.document import Document
from attnexplorer.experiment.edits.growth import Growth
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.input.mask_panel import MaskSection
from attnexplorer.views.input.position_panel import PositionSection
from attnexplorer.views.input.section import SPACING, Section, heading
from attnexplorer.views.input.size_panel import SizeSection
from attnexplorer.views.input.softmax_panel import SoftmaxSection
from attnexplorer.views.input.source_panel import SourceSection
from attnexplorer.views.input.token_chips import TokenSection
from attnexplorer.views.soon import soon
from attnexplorer.views.whole_errors import with_whole_errors

WIDTH = 240
"""The least width in pixels at the usual size of type."""
MARGIN = 10
BETWEEN = 16


@with_whole_errors
class InputPanel(QScrollArea):
    """Sections beneath each other, in a column that scrolls. A hidden panel costs nothing."""

    def __init__(self, document: Document, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Input")
        self._document, self._appearance = document, appearance
        # Everything is made where it stays: with a style sheet, moving a part costs as much as making it.
        self._content = content = self._column_in_view()
        self.token_section = TokenSection("sequence", document, appearance, self._growth, content)
        self.position_section = PositionSection(document, appearance, self._growth, content)
        self.mask_section = MaskSection(document, appearance, content)
        self.softmax_section = SoftmaxSection(document, appearance, content)
        self.source_section = SourceSection(document, appearance, self._growth, content)
        self.source_token_section = TokenSection("source", document, appearance, self._growth, content)
        self.size_section = SizeSection(document, appearance, content)
        self._sections: tuple[Section, ...] = (
            self.token_section,
            self.position_section,
            self.mask_section,
            self.softmax_section,
            self.source_section,
            self.source_token_section,
            self.size_section,
        )
        for section in self._sections:
            self._column.addWidget(section)
            section.notice.asked.connect(lambda notice=section.notice: self._bring_into_view(notice))
        self._column.addStretch(1)
        document.experiment_changed.connect(self._on_changed)
        document.replaced.connect(self._go_to_top)
        document.display.changed.connect(self._on_changed)
        appearance.changed.connect(self._on_appearance_changed)
        self._on_appearance_changed()

    def add_section(self, title: str, build: Callable[[QWidget], QWidget]) -> None:
        """Append a section of another view's, which is made in the column."""
        widget = build(self._content)
        section = QVBoxLayout()
        section.setSpacing(SPACING)
        label = heading(title)
        label.setBuddy(widget)
        section.addWidget(label)
        section.addWidget(widget)
        self._column.insertLayout(self._column.count() - 1, section)

    def refresh(self) -> None:
        """Show the present experiment."""
        for section in self._sections:
            if section is not self.source_token_section:
                section.refresh()
        cross = self._document.experiment.source is not None
        if cross:
            self.source_token_section.refresh()
        self.source_token_section.setVisible(cross)

    def _growth(self) -> Growth:
        return self.size_section.growth()

    def _column_in_view(self) -> QWidget:
        content = QWidget(self.viewport())
        content.setProperty("look", "panel")
        content.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        self._column.setSpacing(BETWEEN)
        self.setWidget(content)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        return content

    def _go_to_top(self) -> None:
        """What was opened is read from its beginning."""
        self.verticalScrollBar().setValue(0)

    def _bring_into_view(self, widget: QWidget) -> None:
        # The notice gets its place once the layout has been done anew.
        soon(widget, lambda: self.ensureWidgetVisible(widget))

    def _on_changed(self) -> None:
        if self.isVisible():
            self.refresh()

    def _on_appearance_changed(self) -> None:
        self.setMinimumWidth(round(WIDTH * self._appearance.text_scale))
        self._on_changed()

    def showEvent(self, event: QShowEvent) -> None:
        self.refresh()
        super().showEvent(event)
