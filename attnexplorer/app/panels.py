"""What a window is filled with: the panels and workspaces of one document."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from attnexplorer.app.main_window import Panels
from attnexplorer.app.workspace import Workspace
from attnexplorer.document.document import Document
from attnexplorer.document.lights import Lights
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.embedding_table import EmbeddingTable
from attnexplorer.views.explain.panel import ExplainPanel
from attnexplorer.views.input.panel import InputPanel
from attnexplorer.views.table_context import TableContext


def build_panels(document: Document, appearance: Appearance) -> Panels:
    """Return what shows a document and edits it; workspaces are imported and made when they are first shown."""
    context = TableContext(document, appearance, Lights(document))

    def input_panel(parent: QWidget) -> QWidget:
        panel = InputPanel(document, appearance, parent)
        panel.add_section("Embedding E", lambda column: EmbeddingTable(context, column))
        return panel

    def explain_panel(parent: QWidget) -> QWidget:
        return ExplainPanel(document, appearance, parent)

    return Panels(input_panel, explain_panel, _workspaces(context))


def _workspaces(context: TableContext) -> list[Workspace]:
    def pipeline() -> QWidget:
        from attnexplorer.views.pipeline import PipelineWorkspace

        return PipelineWorkspace(context)

    def heads() -> QWidget:
        from attnexplorer.views.heads.workspace import HeadsWorkspace

        return HeadsWorkspace(context)

    def scaling() -> QWidget:
        from attnexplorer.views.scaling.workspace import ScalingWorkspace

        return ScalingWorkspace(context)

    def geometry() -> QWidget:
        from attnexplorer.views.geometry.workspace import GeometryWorkspace

        return GeometryWorkspace(context)

    return [
        Workspace("pipeline", "Pipeline", "One head, every matrix from X to the output", pipeline),
        Workspace("heads", "Heads", "All heads of the layer side by side, and what each adds", heads),
        Workspace("scaling", "Scaling", "What 1/√dₖ is for: softmax under any scale", scaling),
        Workspace("geometry", "Geometry", "Vectors as arrows in the plane, to be dragged", geometry),
    ]
