"""The message that offers work which was not saved when the program last ended."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QDate, QLocale, QTime

from attnexplorer.views.dialogs.message_bar import Choice, MessageArea


def offer_recovery(
    area: MessageArea,
    key: str,
    name: str,
    title: str,
    saved_at: datetime,
    restore: Callable[[], None],
    discard: Callable[[], None],
    waiting: int = 0,
) -> None:
    """Show the offer; closing the window without an answer leaves the copy for the next start.

    `name` is empty for what never had a file; its title is said instead, if it has one. `waiting` more offers come when
    this one is dealt with.
    """
    more = f" {waiting} more will be offered after this." if waiting else ""
    unnamed = f"“{title}”, which had no file yet," if title else "An experiment that had no file yet"
    what = f"“{name}”" if name else unnamed
    text = f"{what} was not saved when the program last ended ({_shown(saved_at)}).{more}"
    choices = (
        Choice("Restore", "Open the unsaved work; the file itself stays as it is until you save", restore),
        Choice("Discard", "Remove the unsaved work for good", discard),
    )
    area.show_message(key, "warning", text, choices, closable=False)


def _shown(time: datetime) -> str:
    locale, short = QLocale(), QLocale.FormatType.ShortFormat
    clock = locale.toString(QTime(time.hour, time.minute), short)
    if time.date() == datetime.now().date():
        return clock
    return f"{locale.toString(QDate(time.year, time.month, time.day), short)}, {clock}"
