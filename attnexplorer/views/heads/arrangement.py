"""The grid of heads and the cards beside it: where they stand, and which of them can be seen."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget

from attnexplorer.experiment.model import Experiment
from attnexplorer.views.heads import large_map
from attnexplorer.views.heads.head_grid import HeadGridView
from attnexplorer.views.heads.placing import Placing, Wishes, place
from attnexplorer.views.matrix_card import MatrixCard
from attnexplorer.views.sight import sight_of


class Arrangement:
    """Lays grid and cards out in a scene, once there is an enlarged map and a room for them."""

    def __init__(self, scene: QWidget, grid: HeadGridView, cards: dict[str, QWidget]) -> None:
        self._scene, self._grid, self._cards = scene, grid, cards
        self._room = (0, 0)
        self._placed_for: tuple[object, ...] = ()
        self.map: MatrixCard | None = None
        self.placing: Placing | None = None

    def set_room(self, width: int, height: int) -> bool:
        """Take over a width, and a height beyond which the scene scrolls; return whether they are other ones."""
        changed = (width, height) != self._room
        self._room = (width, height)
        return changed

    def forget(self) -> None:
        """Lay everything out anew next time."""
        self.placing = None

    def is_stale(self, experiment: Experiment, heads: int, tiles: int) -> bool:
        """Tell whether other tokens, heads or tiles than before are to be placed, and take note of them."""
        tokens = (experiment.query_tokens, experiment.key_tokens, experiment.source is None)
        depends = (*tokens, heads, tiles)
        stale = self.placing is None or depends != self._placed_for
        self._placed_for = depends
        return stale

    def lay_out(self, experiment: Experiment, names: tuple[str, ...], tiles: int, scale: float) -> bool:
        """Place the grid and the cards of these names; return whether it could be."""
        if self.map is None or not tiles or not self._room[0]:
            return False
        shape = (len(experiment.query_tokens), len(experiment.key_tokens))
        metrics = 4 if experiment.source is None else 2
        self.placing = place(*self._room, Wishes(tiles, shape, metrics, scale, names, self._height_of))
        self._grid.setGeometry(self.placing.places["grid"])
        self._place_cards(self.placing)
        return True

    def shows(self, name: str) -> bool:
        """Tell whether the grid or a card is in sight; before anything is placed it may be."""
        placed = None if self.placing is None else self.placing.places.get(name)
        return self.placing is None or (placed is not None and self._can_be_seen(placed))

    def shows_tile(self, index: int) -> bool:
        """Tell whether a tile of the grid is in sight."""
        if self.placing is None:
            return True
        corner = self.placing.places["grid"].topLeft()
        return self._can_be_seen(self.placing.grid.tile_rect(index).translated(corner))

    def _place_cards(self, placing: Placing) -> None:
        assert self.map is not None
        for name, card in {"map": self.map, **self._cards}.items():
            rect = placing.places.get(name)
            card.setVisible(rect is not None)
            if rect is None:
                continue
            if name == "map":
                # Before the geometry: cells that are too large for it would leave scroll bars behind.
                large_map.fit(self.map, rect.width())
            card.setGeometry(rect)

    def _height_of(self, name: str, width: int) -> int:
        if name == "map":
            assert self.map is not None
            return large_map.height_for(self.map, width)
        card = self._cards[name]
        layout = card.layout()
        card.resize(width, card.height())
        if layout is None:
            return card.sizeHint().height()
        layout.activate()
        return layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else layout.totalSizeHint().height()

    def _can_be_seen(self, rect: QRect) -> bool:
        seen = sight_of(self._scene)
        return seen.isEmpty() or seen.intersects(rect)
