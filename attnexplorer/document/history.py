"""The undo stack, with gestures merged on this side of Qt."""

from __future__ import annotations

from PySide6.QtGui import QUndoCommand, QUndoStack

from attnexplorer.document.commands import ALONE


class History(QUndoStack):
    """An undo stack that keeps nothing of the commands that were merged into others.

    A command that Qt deletes while it is being pushed, as it does after a merge, is afterwards put under the stack's
    care by PySide, which never lets go of it: a slider that is moved for long would fill the memory.
    """

    def push(self, command: QUndoCommand) -> None:
        """Make an edit, as a part of the present step where both belong to one gesture."""
        if not self._took_into_the_present_step(command):
            super().push(command)

    def _took_into_the_present_step(self, command: QUndoCommand) -> bool:
        index = self.index()
        if command.id() == ALONE or index in (0, self.cleanIndex()) or index != self.count():
            return False
        step = self.command(index - 1)
        if step.id() != command.id() or not step.mergeWith(command):
            return False
        step.redo()
        if step.isObsolete():
            super().undo()  # which drops it, for it has come back to where it began
        else:
            self.indexChanged.emit(index)
            self.undoTextChanged.emit(self.undoText())
        return True
