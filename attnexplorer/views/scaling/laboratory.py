"""The d_k laboratory: why the dot products of wide vectors are divided by √d_k."""

from __future__ import annotations

import secrets
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from attnexplorer.compute.dot_products import ROW, WIDTHS, DotProducts, pairs_for, standard_error
from attnexplorer.document.document import Document
from attnexplorer.experiment.edits.widths import set_d_k
from attnexplorer.figures.bars import share_text
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.input.fields import ChoiceBox, CountBox
from attnexplorer.views.input.notice import Edit, EditNotice
from attnexplorer.views.scaling import laboratory_plots as plots
from attnexplorer.views.scaling.plot_view import PlotView
from attnexplorer.views.scaling.sampling import Sampling
from attnexplorer.views.scaling.shown import displayed
from attnexplorer.views.whole_errors import with_whole_errors

FIRST_SEED = 1
LARGEST_SEED = 999_999
_WIDE = 640


class WidthPlotView(PlotView):
    """A plot against d_k; a click chooses the nearest width."""

    width_chosen = Signal(int)

    def clicked(self, event: QMouseEvent) -> None:
        if self.seen_plot is not None:
            area, axis = self.area(), self.seen_plot.x
            at = (event.position().x() - area.left()) / area.width()
            self.width_chosen.emit(min(WIDTHS, key=lambda width: abs(axis.fraction(width) - at)))


@with_whole_errors
class LaboratoryCard(QFrame):
    """Dot products of random vectors for every width, seeded; one width is looked at, and can become the heads'."""

    def __init__(self, document: Document, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document, self._appearance = document, appearance
        self._seed, self._width = FIRST_SEED, 64
        self._wanted = False
        self._wide: bool | None = None
        self.setProperty("look", "card")
        self.setObjectName("laboratory-card")
        self.setAccessibleName("The d_k laboratory")
        self.sampling = Sampling(self)
        self._make_parts()
        self._arrange()
        self._connect()

    @property
    def seed(self) -> int:
        """The seed that the vectors are drawn with."""
        return self._seed

    @property
    def chosen_width(self) -> int:
        """The width that is looked at."""
        return self._width

    def begin(self) -> None:
        """Draw what is missing, unless it was stopped by the user; called when the card comes on screen."""
        if not self._wanted:
            self._wanted = True
            self._width = self._wanted_width()
        if not self.sampling.running and not self._paused and not self.sampling.complete(self._seed):
            self.sampling.start(self._seed, self._width)
        self.refresh()

    def rest(self) -> None:
        """Stop drawing, as the card is no longer seen; it goes on with `begin`."""
        self.sampling.stop()

    def choose_width(self, width: int) -> None:
        """Look at another width."""
        self._document.display.choose("laboratory_width", width)

    def refresh(self) -> None:
        """Show what is known by now."""
        found = self.sampling.results(self._seed)
        self.widths.setCurrentIndex(WIDTHS.index(self._width))
        self.seeds.show_number(self._seed)
        self._show_plots(found)
        here = found.get(self._width)
        self._sentence.setText("" if here is None else self._told(here))
        self._show_state()
        self.apply.setText(f"Make my heads {self._width:,} wide")
        self.show_document()

    def show_document(self) -> None:
        """Show what the lab takes from the experiment: whether its heads have the chosen width already."""
        self.apply.setEnabled(self._shown_d_k() != self._width)

    def apply_appearance(self) -> None:
        """Take over fonts and colours that have changed."""
        self._title.setFont(self._appearance.font("mathematics", 15, bold=True))
        for view in self._views:
            view.updateGeometry()
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_plots()

    def _make_parts(self) -> None:
        self._paused = False
        self._title = QLabel("The d<sub>k</sub> laboratory")
        self._caption = _label("caption", "laboratory-caption")
        self._caption.setText("why √dₖ: dot products of random vectors whose parts have mean 0 and variance 1")
        self._sentence = _label("", "laboratory-sentence")
        self._state = _label("caption", "laboratory-state")
        self._error = _label("error", "laboratory-error")
        self._error.hide()
        self.widths = ChoiceBox("laboratory-width", [(str(width), f"{width:,}") for width in WIDTHS])
        self.widths.setAccessibleName("d_k")
        self.widths.setToolTip("The width whose dot products are shown; a click into the plots chooses it too")
        self.seeds = CountBox("laboratory-seed", 0, LARGEST_SEED)
        self.seeds.setAccessibleName("Seed")
        self.seeds.setToolTip("The number that the random vectors are made from; the same seed gives the same vectors")
        self.new_seed = _button("New seed", "laboratory-new-seed", "Draw other vectors, with a seed taken by chance")
        self.cancel = _button("Cancel", "laboratory-cancel", "Stop drawing; what is finished stays")
        self.resume = _button("Go on", "laboratory-resume", "Draw the widths that are missing")
        self.apply = _button(
            "", "laboratory-apply", "Set d_k of the displayed layer to the chosen width; undo takes it back"
        )
        self.progress = QProgressBar()
        self.progress.setRange(0, 1000)
        self.progress.setTextVisible(False)
        self.progress.setFixedSize(120, 8)
        self.progress.setAccessibleName("Progress of drawing")
        self.notice = EditNotice(self._document)
        self.unscaled = PlotView("Histogram of q·k", self._appearance, self)
        self.scaled = PlotView("Histogram of q·k over √dₖ", self._appearance, self)
        self.variance = WidthPlotView("Variance against dₖ", self._appearance, self)
        self.largest = WidthPlotView("Largest weight against dₖ", self._appearance, self)
        self._views = (self.unscaled, self.scaled, self.variance, self.largest)
        for view, name in zip(self._views, ("unscaled", "scaled", "variance", "largest"), strict=True):
            view.setObjectName(f"laboratory-{name}")
            view.failed.connect(self._on_view_failed)

    def _arrange(self) -> None:
        heading = QHBoxLayout()
        heading.setSpacing(8)
        heading.addWidget(self._title)
        heading.addWidget(self._caption, 1)
        choosing = QHBoxLayout()
        choosing.setSpacing(8)
        for part in (QLabel("dₖ"), self.widths, QLabel("Seed"), self.seeds, self.new_seed):
            choosing.addWidget(part)
        choosing.addStretch(1)
        telling = QHBoxLayout()
        telling.setSpacing(12)
        telling.addWidget(self._sentence, 1)
        telling.addWidget(self.apply, 0, Qt.AlignmentFlag.AlignTop)
        state = QHBoxLayout()
        state.setSpacing(8)
        state.addWidget(self._state, 1)
        for widget in (self.progress, self.cancel, self.resume):
            state.addWidget(widget)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(18)
        self._grid.setVerticalSpacing(8)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.setSpacing(8)
        layout.addLayout(heading)
        layout.addLayout(choosing)
        layout.addWidget(self.notice)
        layout.addWidget(self._error)
        layout.addLayout(self._grid, 1)
        layout.addLayout(telling)
        layout.addLayout(state)

    def _connect(self) -> None:
        self._document.display.changed.connect(self._on_display_changed)
        self.widths.chosen.connect(lambda value: self.choose_width(int(value)))
        self.variance.width_chosen.connect(self.choose_width)
        self.largest.width_chosen.connect(self.choose_width)
        self.seeds.entered.connect(lambda seed, _going_on: self._take_seed(seed))
        self.new_seed.clicked.connect(lambda: self._take_seed(secrets.randbelow(LARGEST_SEED) + 1))
        self.cancel.clicked.connect(self._on_cancel_clicked)
        self.resume.clicked.connect(self._on_resume_clicked)
        self.apply.clicked.connect(self._on_apply_clicked)
        self.sampling.found.connect(self._on_sampling_found)
        self.sampling.progressed.connect(lambda share: self.progress.setValue(round(1000 * share)))
        self.sampling.running_changed.connect(self._on_running_changed)

    def _place_plots(self) -> None:
        wide = self.width() >= _WIDE * self._appearance.text_scale
        if wide == self._wide:
            return
        self._wide = wide
        beside, below = ((0, 0, 1), (1, 0, 1), (0, 1, 2), (0, 2, 2)), ((0, 0, 1), (1, 0, 1), (2, 0, 1), (3, 0, 1))
        places = beside if wide else below
        for view, (row, column, rows) in zip(self._views, places, strict=True):
            self._grid.addWidget(view, row, column, rows, 1)
        for column in range(3):
            self._grid.setColumnStretch(column, 1 if wide or column == 0 else 0)
        self.updateGeometry()

    def _show_plots(self, found: plots.Found) -> None:
        theme, mark, here = self._appearance.theme, self._appearance.decimal_point, found.get(self._width)
        if here is not None:
            for view, scaled in ((self.unscaled, False), (self.scaled, True)):
                view.show_plot(plots.histogram(here, scaled, theme, mark), plots.histogram_table(here, scaled))
        if found:
            of_variance = plots.width_table(found, ("pairs", "variance", "scaled_variance"))
            self.variance.show_plot(plots.variances(found, self._width, theme), of_variance)
            of_largest = plots.width_table(found, ("pairs", "largest", "scaled_largest"))
            self.largest.show_plot(plots.largest_weights(found, self._width, theme, mark), of_largest)

    def _told(self, here: DotProducts) -> str:
        mark = self._appearance.decimal_point
        variance = _fixed(here.variance, 1 if here.d_k >= 16 else 3, mark)
        error = _fixed(100 * standard_error(here.d_k, here.pairs), 2, mark)
        beyond = (
            f" {here.beyond:,} {'lies' if here.beyond == 1 else 'lie'} beyond the histogram." if here.beyond else ""
        )
        return (
            f"At dₖ = {here.d_k:,}, {here.pairs:,} pairs: variance {variance} unscaled, "
            f"{_fixed(here.scaled_variance, 3, mark)} scaled (standard error {error} %). "
            f"Softmax of {ROW} of them gives {share_text(here.largest, mark)} to one key unscaled, "
            f"{share_text(here.scaled_largest, mark)} scaled, on average.{beyond}"
        )

    def _show_state(self) -> None:
        found, running = self.sampling.results(self._seed), self.sampling.running
        complete = self.sampling.complete(self._seed)
        few, many = pairs_for(WIDTHS[-1]), pairs_for(WIDTHS[0])
        if complete:
            text = f"Seed {self._seed}: {many:,} pairs at dₖ = 1 to {few:,} at dₖ = {WIDTHS[-1]:,}."
        else:
            text = f"Seed {self._seed}: {len(found)} of {len(WIDTHS)} widths drawn."
        self._state.setText(text)
        self.progress.setVisible(running)
        self.cancel.setVisible(running)
        self.resume.setVisible(not running and not complete and self._paused)

    def _shown_d_k(self) -> int:
        experiment = self._document.experiment
        layer, _ = displayed(experiment, self._document)
        return experiment.layers[layer].attention.d_k

    def _take_seed(self, seed: int) -> None:
        self._seed, self._paused = seed, False
        self.progress.setValue(0)
        self.sampling.start(seed, self._width)
        self.refresh()

    def _wanted_width(self) -> int:
        return _nearest(self._document.display["laboratory_width"] or self._shown_d_k())

    def _on_display_changed(self, name: str) -> None:
        if name == "laboratory_width":
            self._width = self._wanted_width()
            self.refresh()

    def _on_cancel_clicked(self) -> None:
        self._paused = True
        self.sampling.stop()
        self.resume.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_resume_clicked(self) -> None:
        self._paused = False
        self.progress.setValue(0)
        self.sampling.start(self._seed, self._width)
        self.refresh()

    def _on_apply_clicked(self) -> None:
        layer, _ = displayed(self._document.experiment, self._document)
        text = f"Make the heads {self._width:,} wide"
        self.notice.make(Edit(text, partial(set_d_k, layer=layer, d_k=self._width), "Make them so wide"))

    def _on_sampling_found(self, seed: int) -> None:
        if seed == self._seed:
            self.refresh()

    def _on_running_changed(self) -> None:
        self._show_state()

    def _on_view_failed(self, sentence: str) -> None:
        self._error.setText(sentence)
        self._error.setVisible(bool(sentence))


def _nearest(d_k: int) -> int:
    return int(max(width for width in WIDTHS if width <= d_k))


def _fixed(value: float, decimals: int, decimal_point: str) -> str:
    return f"{value:,.{decimals}f}" if decimal_point == "." else f"{value:.{decimals}f}".replace(".", decimal_point)


def _label(look: str, name: str) -> QLabel:
    label = QLabel()
    if look:
        label.setProperty("look", look)
    label.setObjectName(name)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    return label


def _button(text: str, name: str, tip: str) -> QPushButton:
    button = QPushButton(text)
    button.setObjectName(name)
    button.setToolTip(tip)
    return button
