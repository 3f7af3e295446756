"""Widgets: tables, panels, workspaces, dialogs; one widget a file. QtWidgets and pyqtgraph."""
