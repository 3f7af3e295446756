"""What a window is filled with: the panels and workspaces of one document."""

from __future__ import annotations

from attnexplorer.app.main_window import Panels, Workspace
from attnexplorer.document.document import Document
from attnexplorer.document.lights import Lights
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.explain.panel import ExplainPanel
from attnexplorer.views.input.panel import InputPanel
from attnexplorer.views.matrix_table import TableContext
from attnexplorer.views.pipeline import PipelineWorkspace


def build_panels(document: Document, appearance: Appearance) -> Panels:
    """Return new widgets that show a document and edit it."""
    pipeline = PipelineWorkspace(TableContext(document, appearance, Lights(document)))
    return Panels(
        input=InputPanel(document, appearance),
        explain=ExplainPanel(document, appearance),
        workspaces=[Workspace("pipeline", "Pipeline", "One head, every matrix from X to the output", pipeline)],
    )
