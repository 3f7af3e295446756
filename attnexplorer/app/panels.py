"""What a window is filled with: the panels and workspaces of one document."""

from __future__ import annotations

from attnexplorer.app.main_window import Panels, Workspace
from attnexplorer.document.document import Document
from attnexplorer.document.lights import Lights
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.embedding_table import EmbeddingTable
from attnexplorer.views.explain.panel import ExplainPanel
from attnexplorer.views.geometry.workspace import GeometryWorkspace
from attnexplorer.views.heads.workspace import HeadsWorkspace
from attnexplorer.views.input.panel import InputPanel
from attnexplorer.views.matrix_table import TableContext
from attnexplorer.views.pipeline import PipelineWorkspace
from attnexplorer.views.scaling.workspace import ScalingWorkspace


def build_panels(document: Document, appearance: Appearance) -> Panels:
    """Return new widgets that show a document and edit it."""
    context = TableContext(document, appearance, Lights(document))
    pipeline = PipelineWorkspace(context)
    input_panel = InputPanel(document, appearance)
    input_panel.add_section("Embedding E", EmbeddingTable(context))
    return Panels(
        input=input_panel,
        explain=ExplainPanel(document, appearance),
        workspaces=[
            Workspace("pipeline", "Pipeline", "One head, every matrix from X to the output", pipeline),
            Workspace("heads", "Heads", "All heads of the layer side by side, and what each adds", HeadsWorkspace(context)),
            Workspace("scaling", "Scaling", "What 1/√dₖ is for: softmax under any scale", ScalingWorkspace(context)),
            Workspace("geometry", "Geometry", "Vectors as arrows in the plane, to be dragged", GeometryWorkspace(context)),
        ],
    )
