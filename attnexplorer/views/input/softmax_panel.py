"""The section of what is done to the scores of the layer that is shown before the softmax."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtWidgets import QWidget

from attnexplorer.document.document import Document
from attnexplorer.experiment.edits.masks import set_softcap, set_temperature
from attnexplorer.experiment.model import Experiment
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.input.fields import NumberField
from attnexplorer.views.input.notice import Edit
from attnexplorer.views.input.section import Section, add_row, form

OFF = "off"


class SoftmaxSection(Section):
    """Sets temperature and softcap."""

    def __init__(self, document: Document, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__("Softmax", document, appearance, parent)
        self.temperature = NumberField("temperature")
        self.softcap = NumberField("softcap", absent=OFF)
        self.temperature.entered.connect(self._on_temperature_entered)
        self.softcap.entered.connect(self._on_softcap_entered)
        grid = form()
        tip = "Masked scores are divided by it: above 1 flatter, below 1 sharper"
        add_row(grid, "Temperature", self.temperature, tip)
        add_row(grid, "Softcap", self.softcap, "Bends scores to stay within ± this number; “off” leaves them")
        for field in (self.temperature, self.softcap):
            self.connect_field(field)
        self.body.addLayout(grid)

    def parts(self, experiment: Experiment) -> tuple[Any, ...]:
        attention = self.shown_layer(experiment).attention
        return (attention.temperature, attention.softcap, self.layer, len(experiment.layers))

    def show_experiment(self, experiment: Experiment) -> None:
        attention = self.shown_layer(experiment).attention
        self.name_layer(experiment)
        self.temperature.show_number(attention.temperature, self.appearance.decimal_point)
        self.softcap.show_number(attention.softcap, self.appearance.decimal_point)

    def _on_temperature_entered(self, temperature: float) -> None:
        text = self.in_layer(f"Set the temperature to {self.temperature.text().strip()}")
        edit = partial(set_temperature, layer=self.layer, temperature=temperature)
        self.enter(self.temperature, Edit(text, edit))

    def _on_softcap_entered(self, softcap: float | None) -> None:
        text = "Softcap off" if softcap is None else f"Set the softcap to {self.softcap.text().strip()}"
        self.enter(self.softcap, Edit(self.in_layer(text), partial(set_softcap, layer=self.layer, softcap=softcap)))
