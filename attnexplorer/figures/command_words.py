"""A specification as the words of the export command, so that a figure can be made again, and elsewhere."""

from __future__ import annotations

from attnexplorer.figures.export import Export
from attnexplorer.figures.spec import FigureSpec

_VALUES = {
    "layer": "--layer",
    "stage": "--stage",
    "row": "--row",
    "column": "--column",
    "width_cm": "--width",
    "height_cm": "--height",
    "width_px": "--width-px",
    "height_px": "--height-px",
    "font_size": "--font-size",
    "theme": "--theme",
    "title": "--title",
    "caption": "--caption",
    "decimals": "--decimals",
    "decimal_point": "--decimal-point",
    "cell_gap": "--cell-gap",
    "rows_shown": "--rows-shown",
    "slide": "--slide",
    "shown": "--shown",
}
_FLAGS = {
    "transparent": (True, "--transparent"),
    "labels": (False, "--no-labels"),
    "numbers": (False, "--no-numbers"),
    "colour_bar": (True, "--colour-bar"),
}
ANIMATIONS = ("gif", "webp")


def command_words(spec: FigureSpec, export: Export) -> tuple[str, ...]:
    """Return the options of the export command that make the same figure; what is usual is left out."""
    usual = FigureSpec()
    words = ["--figure", spec.what]
    if spec.head != usual.head:
        words.append("--head=all" if spec.head is None else f"--head={spec.head}")
    for name, option in _VALUES.items():
        value = getattr(spec, name)
        if value != getattr(usual, name):
            words.append(f"{option}={value}")
    words += [option for name, (value, option) in _FLAGS.items() if getattr(spec, name) is value]
    if spec.axes is not None:
        words.append("--axes={},{}".format(*spec.axes))
    if spec.vectors:
        words.append(f"--vectors={','.join(spec.vectors)}")
    if spec.highlight is not None:
        words.append("--highlight={},{}".format(*("" if place is None else place for place in spec.highlight)))
    if spec.heads:
        words.append(f"--heads={','.join(map(str, spec.heads))}")
    if spec.stages:
        words.append(f"--stages={','.join(spec.stages)}")
    # What is usual for the resolution differs between formats.
    words.append(f"--dpi={spec.dpi:g}")
    return (*words, *_export_words(export))


def _export_words(export: Export) -> list[str]:
    usual = Export(export.form)
    words = [] if export.carry else ["--no-experiment"]
    if export.form in ANIMATIONS:
        words.append(f"--sweep={export.sweep}")
        words += [f"--duration={export.seconds:g}"] if export.seconds != usual.seconds else []
        words += [f"--loops={export.loops}"] if export.loops != usual.loops else []
    return words
