"""The checks of what is displayed, a line each: a glyph, what is checked, and the finding where there is one."""

from __future__ import annotations

import html
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from attnexplorer.compute.check_result import Check, Status
from attnexplorer.compute.numbers import with_true_minus
from attnexplorer.figures.theme import Theme
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.whole_errors import with_whole_errors


class _Sign(NamedTuple):
    glyph: str
    colour: str
    spoken: str
    told: bool


_SIGNS: dict[Status, _Sign] = {
    "ok": _Sign("✓", "good", "ok", False),
    "not applicable": _Sign("–", "muted", "not applicable", False),
    "note": _Sign("i", "accent", "note", True),
    "FAIL": _Sign("✗", "bad", "failed", True),
}


class ChecksView(QWidget):
    """A line a check. The sentence of a note or a failure stands below it; the others say theirs in the tooltip."""

    check_chosen = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._checks: tuple[Check, ...] = ()
        self._lines: list[CheckLine] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(3)
        self.setObjectName("explain-checks")
        self.setAccessibleName("Checks")
        appearance.changed.connect(self._on_appearance_changed)

    @property
    def lines(self) -> tuple[CheckLine, ...]:
        """The lines that are shown."""
        return tuple(self._lines)

    def show_checks(self, checks: tuple[Check, ...]) -> None:
        """Show other findings; only lines whose finding changed are written anew."""
        if checks == self._checks:
            return
        self._checks = checks
        while len(self._lines) > len(checks):
            line = self._lines.pop()
            self._layout.removeWidget(line)
            line.deleteLater()
        while len(self._lines) < len(checks):
            line = CheckLine(self)
            line.chosen.connect(self.check_chosen)
            self._layout.addWidget(line)
            self._lines.append(line)
        self._write()

    def _on_appearance_changed(self) -> None:
        for line in self._lines:
            line.forget()
        self._write()

    def _write(self) -> None:
        for line, check in zip(self._lines, self._checks, strict=True):
            line.show_check(check, self._appearance)


@with_whole_errors
class CheckLine(QWidget):
    """One check. Where it found something in a cell, a click or Enter leads there."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._check: Check | None = None
        self._glyph, self._name, self._sentence = QLabel(), QLabel(), QLabel()
        for label in (self._name, self._sentence):
            label.setWordWrap(True)
            label.setMinimumWidth(1)
        self._sentence.hide()
        self._name.setTextFormat(Qt.TextFormat.PlainText)
        self._sentence.setTextFormat(Qt.TextFormat.PlainText)
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setHorizontalSpacing(6)
        layout.setVerticalSpacing(0)
        layout.setColumnStretch(1, 1)
        layout.addWidget(self._glyph, 0, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignHCenter)
        layout.addWidget(self._name, 0, 1)
        layout.addWidget(self._sentence, 1, 1)
        self.installEventFilter(self)

    @property
    def check(self) -> Check | None:
        """What the line shows."""
        return self._check

    @property
    def text(self) -> str:
        """What stands on screen."""
        sentence = "" if self._sentence.isHidden() else f" {self._sentence.text()}"
        return f"{self._glyph.text()} {self._name.text()}{sentence}"

    def forget(self) -> None:
        """Have the next finding written even if it is the same."""
        self._check = None

    def show_check(self, check: Check, appearance: Appearance) -> None:
        """Show a finding."""
        if check == self._check:
            return
        self._check = check
        sign = _SIGNS[check.status]
        self._glyph.setText(sign.glyph)
        self._glyph.setFont(appearance.font("text", 13, bold=True))
        self._glyph.setFixedWidth(round(14 * appearance.text_scale))
        self._name.setText(check.name.replace("d_k", "dₖ"))
        sentence = with_true_minus(check.sentence)
        self._sentence.setText(sentence)
        self._sentence.setVisible(sign.told)
        self._colour(check, sign, appearance.theme)
        leads = check.where is not None
        more = "\nClick to go there." if leads else ""
        self.setToolTip(f"<p>{html.escape(sentence + more)}</p>".replace("\n", "<br>"))
        self.setAccessibleName(f"{check.name}: {sign.spoken}")
        self.setAccessibleDescription(check.sentence)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if leads else Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor if leads else Qt.CursorShape.ArrowCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self._choose()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._choose()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            font = self._name.font()
            font.setUnderline(event.type() == QEvent.Type.FocusIn)
            self._name.setFont(font)
        return False

    def _choose(self) -> None:
        if self._check is not None and self._check.where is not None:
            self.chosen.emit(self._check)

    def _colour(self, check: Check, sign: _Sign, theme: Theme) -> None:
        colour = getattr(theme, sign.colour)
        name = {"ok": theme.text, "not applicable": theme.muted, "note": theme.text, "FAIL": theme.bad}[check.status]
        _paint_in(self._glyph, colour)
        _paint_in(self._name, name)
        _paint_in(self._sentence, theme.bad if check.status == "FAIL" else theme.muted)


def _paint_in(label: QLabel, colour: str) -> None:
    # A style sheet is costly to set, also when it is the same.
    sheet = f"color: {colour};"
    if label.styleSheet() != sheet:
        label.setStyleSheet(sheet)
