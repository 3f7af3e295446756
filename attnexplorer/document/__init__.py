"""The open, live experiment: commands, undo, recompute, selection, autosave. QtCore and QUndoStack only."""
