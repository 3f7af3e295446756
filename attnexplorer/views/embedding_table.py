"""The embedding E as a table in the Input dock: a row a word, editable in place."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from attnexplorer.compute.engine import Evaluation
from attnexplorer.figures.content import NumberStyle
from attnexplorer.views.comparing import Shown, held_sentence, shown_matrix
from attnexplorer.views.matrix_menu import MatrixMenu
from attnexplorer.views.matrix_table import MatrixTable
from attnexplorer.views.table_context import TableContext
from attnexplorer.views.whole_errors import with_whole_errors

PATH = "embedding.E"
_CELL_HEIGHT = 22
_NARROWEST, _WIDEST = 34, 56
_MOST_ROWS = 10
_SCROLL_BAR = 12


@with_whole_errors
class EmbeddingTable(QWidget):
    """Shows E at a height of up to ten rows; more rows and columns scroll."""

    def __init__(self, context: TableContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._words = context.document.evaluation.experiment.embedding.vocabulary
        self._menu = MatrixMenu(context.document, context.appearance, self)
        self._comparison = context.document.comparison
        content = self._shown(context.document.evaluation).content
        self.table = MatrixTable(context, content, editable=True, parent=self)
        self._instead = QLabel(self.table)
        self._instead.setProperty("look", "absent")
        self._instead.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._instead.setWordWrap(True)
        self._instead.hide()
        self.table.setAccessibleName("Embedding E, a row a word")
        self.table.menu_requested.connect(lambda at: self._menu.open(self.table, at))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.table)
        context.document.evaluated.connect(self._on_document_evaluated)
        context.appearance.changed.connect(self._on_appearance_changed)
        self._comparison.changed.connect(self._on_comparison_changed)
        self._fit()

    def _shown(self, evaluation: Evaluation) -> Shown:
        appearance = self._context.appearance
        numbers = NumberStyle(2, appearance.decimal_point, appearance.text_scale)
        shown = shown_matrix(self._comparison, evaluation, PATH, appearance.theme, numbers)
        assert shown is not None
        return shown

    def _on_document_evaluated(self, evaluation: Evaluation) -> None:
        embedding = evaluation.experiment.embedding
        if embedding.E is not self.table.content.picture.values or embedding.vocabulary is not self._words:
            self._show(evaluation)

    def _on_comparison_changed(self) -> None:
        self.table.hold(held_sentence(self._comparison))
        self._show(self._context.document.evaluation)

    def _on_appearance_changed(self) -> None:
        self._show(self._context.document.evaluation)

    def _show(self, evaluation: Evaluation) -> None:
        self._words = evaluation.experiment.embedding.vocabulary
        shown = self._shown(evaluation)
        self.table.show_content(shown.content)
        self._instead.setText(shown.instead)
        self._instead.setVisible(bool(shown.instead))
        self._fit()

    def _fit(self) -> None:
        rows, columns = self.table.content.shape
        chrome = self.table.chrome(_NARROWEST, _CELL_HEIGHT)
        room = self.width() - chrome.width() - (_SCROLL_BAR if rows > _MOST_ROWS else 0)
        width = min(_WIDEST, max(_NARROWEST, room // columns))
        self.table.set_cell_size(width, _CELL_HEIGHT)
        across = _SCROLL_BAR if columns * width > room else 0
        self.setFixedHeight(
            self.table.chrome(width, _CELL_HEIGHT).height() + min(rows, _MOST_ROWS) * _CELL_HEIGHT + across
        )
        self._instead.setGeometry(0, 0, self.width(), self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()
