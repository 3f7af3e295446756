"""The part of the dialog that asks how the figure is set: size, type, colours, texts, format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from attnexplorer.figures.command_words import ANIMATIONS
from attnexplorer.figures.deck import WALKTHROUGH
from attnexplorer.views.export_dialog.choices import Choices
from attnexplorer.views.export_dialog.fields import LiveCount, LiveNumber, WideChoice, beside
from attnexplorer.views.export_dialog.sizes import CUSTOM_CM, CUSTOM_PX, SIZES
from attnexplorer.views.export_dialog.subjects import Subject
from attnexplorer.views.input.check_box import CheckBox
from attnexplorer.views.input.segmented import Choice, SegmentedControl

FORMATS = (
    Choice("png", "PNG", "A picture of pixels, for slides and documents"),
    Choice("svg", "SVG", "Vector cells and real text, for drawing programs and the web"),
    Choice("pdf", "PDF", "Vector cells and embedded fonts, for LaTeX; a walkthrough has a page a stage"),
    Choice("pptx", "PPTX", "A slide of shapes and texts that can be edited; a walkthrough has a slide a stage"),
    Choice("gif", "GIF", "An animation that every program shows"),
    Choice("webp", "WebP", "An animation in full colours, several times smaller than GIF"),
)
_THEMES = (
    Choice("light", "Light", "Dark type on white"),
    Choice("dark", "Dark", "Light type on a dark ground, for dark slides"),
)
_SLIDES = (Choice("16:9", "16 : 9", "Wide slides"), Choice("4:3", "4 : 3", "Slides of the older shape"))
_SWEEPS = (
    ("scale", "The scale, from 0 to 4 and back"),
    ("mask", "The causal mask, off and on"),
    ("rows", "Row by row"),
    ("tokens", "Token by token"),
)


class ChoicesForm(QWidget):
    """Shows choices and lets them be changed; texts of title and caption belong to one figure only."""

    changed = Signal()

    def __init__(self, choices: Choices, decimal_point: str) -> None:
        super().__init__()
        self._choices, self._decimal_point = choices, decimal_point
        self._shows: list[Callable[[Choices], None]] = []
        self.forms: list[QFormLayout] = []
        self._headings: dict[str, QLabel] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)
        self._add_format()
        self._add_size()
        self._add_look()
        self._add_texts()
        self.show_choices(choices)

    @property
    def choices(self) -> Choices:
        """What is chosen."""
        return self._choices

    def show_choices(self, choices: Choices) -> None:
        """Show other choices, without a signal."""
        self._choices = choices
        for show in self._shows:
            show(choices)

    def suit(self, subject: Subject, choices: Choices) -> None:
        """Ask only what matters for a subject; `choices` are those in force for it."""
        is_deck = subject.kind == WALKTHROUGH
        for form in FORMATS:
            fits = form.value in ("pdf", "pptx") if is_deck else subject.sweeps or form.value not in ANIMATIONS
            self.form.button(form.value).setEnabled(bool(fits))
        if self.form.value != choices.form:
            self.form.choose(choices.form)
        self._offer_sweeps(subject, choices)
        on_slides = choices.form == "pptx" or is_deck
        sized = choices.size in (CUSTOM_CM, CUSTOM_PX)
        pixels = choices.size == CUSTOM_PX and not on_slides
        for field, there in (
            (self.slide_row, on_slides),
            (self.sweep, choices.is_animation),
            (self.seconds, choices.is_animation),
            (self.loops, choices.is_animation),
            (self.size_box, not on_slides),
            (self.extent_row, sized and not on_slides),
            (self.dpi, (choices.form == "png" or pixels) and not choices.is_animation),
            (self.animation_dpi, choices.is_animation),
            (self.font_size, not on_slides),
            (self.title_row, not is_deck),
            (self.carry_row, True),
        ):
            self._set_visible(field, there)
        self._headings["Size"].setVisible(not on_slides)
        self._unit.setText("pixels" if choices.size == CUSTOM_PX else "cm")
        self.transparent.setEnabled(not choices.is_animation and not on_slides)
        self.decimals.setEnabled(choices.numbers)
        self.carry.setEnabled(not choices.is_animation)

    def _offer_sweeps(self, subject: Subject, choices: Choices) -> None:
        entries = [entry for entry in _SWEEPS if entry[0] in subject.sweeps]
        if entries and self.sweep.count() != len(entries):
            self.sweep.offer(entries, choices.sweep)

    def say_carried(self, words: str, *, possible: bool) -> None:
        """Say how large the experiment is that the file carries, or why it carries none."""
        self.carry.setText(f"Carry the experiment{f' ({words})' if words else ''}")
        if not possible:
            self.carry.setEnabled(False)
        self.carry.updateGeometry()

    def _add_format(self) -> None:
        form = self._section("Format")
        self.form = SegmentedControl("Format", FORMATS)
        form.addRow(self.form)
        self.form.chosen.connect(lambda value: self._take(form=value))
        self._shows.append(lambda it: self.form.choose(it.form))
        self.slide_row = self._segmented("Slides", _SLIDES, "slide")
        form.addRow("Slides", self.slide_row)
        tip = "What the pictures of the animation differ in"
        self.sweep = self._choice("figure-sweep", "Animated", tip, _SWEEPS, "sweep")
        form.addRow("&Animated", self.sweep)
        self.seconds = self._number("figure-seconds", "Duration", "Seconds until it begins again", "seconds")
        form.addRow("&Duration, s", self.seconds)
        self.loops = self._count("figure-loops", "Played", "How often it is played", "loops", 0, 1000)
        self.loops.setSpecialValueText("for ever")
        form.addRow("Pla&yed", self.loops)
        tip = "The file then opens in this program again, with every number as it is now"
        self.carry = self._check("figure-carry", "Carry the experiment", tip, "carry")
        self.carry_row = self.carry
        form.addRow(self.carry)

    def _add_size(self) -> None:
        form = self._section("Size")
        tip = "The size of the whole figure"
        entries = [(size.name, size.label) for size in SIZES]
        self.size_box = self._choice("figure-size", "Size", tip, entries, "size")
        form.addRow("Si&ze", self.size_box)
        self.width_field = self._number("figure-width", "Width", "The width; empty: it follows", "width", "auto")
        self.height_field = self._number("figure-height", "Height", "The height; empty: it follows", "height", "auto")
        self._unit = QLabel("cm")
        self.extent_row = beside(self.width_field, QLabel("×"), self.height_field, self._unit)
        form.addRow("&Wide × high", self.extent_row)
        tip = "Pixels an inch"
        self.dpi = self._count("figure-dpi", "Resolution", tip, "dpi", 20, 2400)
        self.dpi.setSuffix(" dpi")
        self.dpi.set_choices((72, 96, 150, 200, 300, 600, 1200))
        form.addRow("R&esolution", self.dpi)
        self.animation_dpi = self._count("figure-animation-dpi", "Resolution", tip, "animation_dpi", 20, 2400)
        self.animation_dpi.setSuffix(" dpi")
        self.animation_dpi.set_choices((72, 96, 110, 150, 200, 300))
        form.addRow("R&esolution", self.animation_dpi)
        tip = "The size of labels in points, as printed; cells take the room that is left. Empty: type grows with them"
        self.font_size = self._number("figure-font", "Type in points", tip, "font_size", "auto")
        form.addRow("&Type, pt", self.font_size)

    def _add_look(self) -> None:
        form = self._section("Look")
        tip = "No ground: what is behind the figure shines through"
        self.transparent = self._check("figure-transparent", "Transparent", tip, "transparent")
        theme = self._segmented("Theme", _THEMES, "theme")
        form.addRow("Theme", beside(theme, self.transparent))
        tip = "Write numbers into the cells where they fit"
        self.numbers = self._check("figure-numbers", "Numbers", tip, "numbers")
        self.decimals = self._count("figure-decimals", "Decimals", "Decimals of the numbers", "decimals", 0, 8)
        decimals = QLabel("Deci&mals")
        decimals.setBuddy(self.decimals)
        form.addRow("Cells", beside(self.numbers, decimals, self.decimals))
        self.labels = self._check("figure-labels", "Labels", "Names at rows and columns", "labels")
        self.colour_bar = self._check("figure-colour-bar", "Colour bar", "What the colours stand for", "colour_bar")
        form.addRow("", beside(self.labels, self.colour_bar))
        tip = "The gap between cells; 12 is the size of a label"
        self.cell_gap = self._number("figure-gap", "Cell gap", tip, "cell_gap")
        form.addRow("Cell &gap", self.cell_gap)

    def _add_texts(self) -> None:
        form = self._section("Texts")
        self.titled = self._check("figure-titled", "Title", "Whether there is a title", "titled")
        self.title = _text("figure-title", "Title", "Says what is shown", "The title; empty: what is shown")
        self.title_row = beside(self.titled, self.title, stretch=self.title)
        form.addRow(self.title_row)
        self.captioned = self._check("figure-captioned", "Caption", "Whether there is a caption", "captioned")
        self.caption = _text("figure-caption", "Caption", "Says what the data are", "Empty: tokens, heads, scale, mask")
        form.addRow(beside(self.captioned, self.caption, stretch=self.caption))
        # A text that is typed is wanted.
        self.title.textEdited.connect(lambda: self._on_text_edited(replace(self._choices, titled=True)))
        self.caption.textEdited.connect(lambda: self._on_text_edited(replace(self._choices, captioned=True)))

    def _on_text_edited(self, choices: Choices) -> None:
        self.show_choices(choices)
        self.changed.emit()

    def _take(self, **values: Any) -> None:
        self._choices = replace(self._choices, **values)
        self.changed.emit()

    def _section(self, title: str) -> QFormLayout:
        label = QLabel(title.upper())
        label.setProperty("look", "section")
        self._headings[title] = label
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        self._column.addSpacing(6)
        self._column.addWidget(label)
        self._column.addLayout(form)
        self.forms.append(form)
        return form

    def _set_visible(self, field: QWidget, there: bool) -> None:
        for form in self.forms:
            if form.indexOf(field) >= 0:
                form.setRowVisible(field, there)

    def _check(self, name: str, text: str, tip: str, field: str) -> CheckBox:
        box = CheckBox(name, text, tip)
        box.clicked.connect(lambda: self._take(**{field: box.isChecked()}))
        self._shows.append(lambda it: box.setChecked(getattr(it, field)))
        return box

    def _choice(self, name: str, described: str, tip: str, entries: Any, field: str) -> WideChoice:
        box = WideChoice(name, described, tip, entries)
        box.currentIndexChanged.connect(lambda: self._take(**{field: box.currentData()}))
        self._shows.append(lambda it: box.show_value(getattr(it, field)))
        return box

    def _segmented(self, name: str, entries: tuple[Choice, ...], field: str) -> SegmentedControl:
        control = SegmentedControl(name, entries)
        control.chosen.connect(lambda value: self._take(**{field: value}))
        self._shows.append(lambda it: control.choose(getattr(it, field)))
        return control

    def _count(self, name: str, described: str, tip: str, field: str, low: int, high: int) -> LiveCount:
        count = LiveCount(name, described, tip, low, high)
        count.valueChanged.connect(lambda value: self._take(**{field: value}))
        self._shows.append(lambda it: count.show_number(getattr(it, field)))
        return count

    def _number(self, name: str, described: str, tip: str, field: str, absent: str | None = None) -> LiveNumber:
        number = LiveNumber(name, described, tip, absent)
        number.typed.connect(lambda value: self._take(**{field: value}))
        self._shows.append(lambda it: number.show_number(getattr(it, field), self._decimal_point))
        return number


def _text(name: str, described: str, placeholder: str, tip: str) -> QLineEdit:
    field = QLineEdit()
    field.setObjectName(name)
    field.setAccessibleName(described)
    field.setPlaceholderText(placeholder)
    field.setToolTip(tip)
    return field
