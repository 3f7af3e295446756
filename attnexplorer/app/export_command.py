"""attnexplorer export: a figure into a file, without a display."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from attnexplorer.app.arguments import Arguments, UsageError, parsed
from attnexplorer.app.output import write_file, write_out

if TYPE_CHECKING:
    from attnexplorer.compute.progress import Step
    from attnexplorer.experiment.model import Experiment
    from attnexplorer.figures.export import Export
    from attnexplorer.figures.spec import FigureSpec

EXPORT_HELP = """\
usage: attnexplorer export FILE --figure NAME [-o] OUT.png|svg|pdf|pptx|gif|webp [...]
       attnexplorer export [FILE] --list

Write a figure into the file OUT and replace it. NAME is a stage such as weights, a parameter such as W_Q, or one of
heads, flow, pipeline, projections, scaling, explain, geometry, compare, walkthrough. Layers, heads, rows and columns
count from 0. Of captured weights (.npz) there are weights, heads, flow and compare.

  --list              print the names of all figures
  --layer L           the layer; the first unless given
  --head H|all        the head, or all of them; the first unless given
  --stage NAME        what heads, explain and compare show; weights unless given
  --row R, --column C the cell that explain explains; the row of scaling; the row that stands out in flow
  --with FILE         experiment A, which FILE is compared with as B, for compare and heads
  --shown A|B|B-A     which of them, or what changed, heads shows; B unless given
  --heads I,J,…       only these heads in a grid of heads, in this order
  --axes I,J          the columns that geometry draws
  --vectors A,B,…     which vectors geometry draws: query, key, value, output, input
  --highlight R,C     frame a cell; R, or ,C frames a row or a column
  --rows-shown N      uncover only the first N rows

  --width CM, --height CM, --width-px N, --height-px N
                      the size of the figure; as large as it needs to be unless given
  --dpi N             the resolution of PNG (300), GIF and WebP (110)
  --font-size PT      the size of labels as printed; cells take the room that is left
  --theme light|dark, --transparent
  --slide 16:9|4:3    the slides of PPTX and walkthrough
  --stages A,B        only these pages of walkthrough

  --title T, --caption T
                      another title, or none (""); a caption, or one that the experiment says ("")
  --no-labels, --no-numbers, --colour-bar
  --decimals N, --decimal-point MARK, --cell-gap PIXELS

  --sweep scale|mask|rows|tokens, --duration SECONDS, --loops N
                      what a GIF or WebP shows, how long it takes, and how often it is played; 0, as usual: for ever
  --no-experiment     do not put the experiment into the file; else it is, up to 5 MB, and opens again from there
  --progress          print how many pages or pictures of how many are done, a line each
  -h, --help          show this text
"""
_VALUED = (
    *("--figure", "--layer", "--head", "--stage", "--row", "--column", "--with", "--axes", "--vectors", "--highlight"),
    *("--rows-shown", "--width", "--height", "--width-px", "--height-px", "--dpi", "--font-size", "--theme"),
    *("--slide", "--title", "--caption", "--decimals", "--decimal-point", "--cell-gap", "--sweep", "--duration"),
    *("--loops", "--stages", "--heads", "--shown", "-o"),
)
_FLAGS = (
    *("-h", "--help", "--list", "--transparent", "--no-labels", "--no-numbers", "--colour-bar", "--color-bar"),
    *("--no-experiment", "--progress"),
)
_INTEGERS = {
    "--layer": "layer",
    "--row": "row",
    "--column": "column",
    "--rows-shown": "rows_shown",
    "--width-px": "width_px",
    "--height-px": "height_px",
    "--decimals": "decimals",
}
_NUMBERS = {
    "--width": "width_cm",
    "--height": "height_cm",
    "--dpi": "dpi",
    "--font-size": "font_size",
    "--cell-gap": "cell_gap",
}
_TEXTS = {"--figure": "what", "--stage": "stage", "--title": "title", "--caption": "caption"}
_CHOICES = {
    "--theme": ("theme", ("light", "dark")),
    "--slide": ("slide", ("16:9", "4:3")),
    "--decimal-point": ("decimal_point", (".", ",")),
    "--shown": ("shown", ("A", "B", "B-A")),
}

Reader = Callable[[str], "Experiment"]


def export(arguments: list[str], read: Reader) -> int:
    """Run the command; `read` reads the experiment that a FILE names."""
    given = parsed_options(arguments)
    if given.flags & {"-h", "--help"}:
        write_out([EXPORT_HELP])
        return 0
    _use_no_display()
    if "--list" in given.flags:
        write_out(_listing(given, read))
        return 0
    file, out = _file_and_out(given)
    spec, export_as = figure_spec(given, out), export_settings(given, out)
    other = given.options.get("--with")
    for name in (file, other):
        if name is not None and _is_same_file(name, out):
            raise UsageError(f"{out} is the experiment itself and would be lost; choose another OUT")
    experiment = read(file)
    step = _print_step if "--progress" in given.flags else None
    write_file(out, _bytes(spec, experiment, export_as, None if other is None else read(other), step))
    return 0


def parsed_options(arguments: list[str]) -> Arguments:
    """Return the words, options and flags of the command."""
    return parsed(arguments, _VALUED, _FLAGS)


def figure_spec(given: Arguments, out: str) -> FigureSpec:
    """Return the figure that the options describe, for a file called `out`."""
    from attnexplorer.figures.export import SCREEN_DPI, format_of
    from attnexplorer.figures.spec import FigureSpec

    options = given.options
    values: dict[str, Any] = {field: options[name] for name, field in _TEXTS.items() if name in options}
    values |= {field: _integer(name, options[name]) for name, field in _INTEGERS.items() if name in options}
    values |= {field: _number(name, options[name]) for name, field in _NUMBERS.items() if name in options}
    values |= {field: _choice(name, options[name], c) for name, (field, c) in _CHOICES.items() if name in options}
    if "--head" in options:
        values["head"] = None if options["--head"] == "all" else _integer("--head", options["--head"])
    if "--axes" in options:
        values["axes"] = _pair("--axes", options["--axes"])
    if "--vectors" in options:
        values["vectors"] = _words("--vectors", options["--vectors"])
    if "--highlight" in options:
        values["highlight"] = _place(options["--highlight"])
    if "--heads" in options:
        values["heads"] = tuple(_integer("--heads", part) for part in options["--heads"].split(","))
    if "--stages" in options:
        values["stages"] = _words("--stages", options["--stages"])
    if "dpi" not in values and format_of(out) in ("gif", "webp"):
        values["dpi"] = SCREEN_DPI
    flags = given.flags
    return FigureSpec(
        **values,
        transparent="--transparent" in flags,
        labels="--no-labels" not in flags,
        numbers="--no-numbers" not in flags,
        colour_bar=bool(flags & {"--colour-bar", "--color-bar"}),
    )


def export_settings(given: Arguments, out: str) -> Export:
    """Return how the figure becomes a file called `out`."""
    from attnexplorer.figures.carrying import MOST_BYTES
    from attnexplorer.figures.export import Export, format_of
    from attnexplorer.figures.spec import SWEEPS

    options = given.options
    return Export(
        format_of(out),
        0 if "--no-experiment" in given.flags else MOST_BYTES,
        _choice("--sweep", options.get("--sweep", "scale"), SWEEPS),
        _number("--duration", options.get("--duration", "4")),
        _integer("--loops", options.get("--loops", "0")),
    )


def _print_step(done: int, total: int) -> None:
    write_out([f"{done}/{total}\n"])


def _bytes(
    spec: FigureSpec, experiment: Experiment, export_as: Export, other: Experiment | None, step: Step | None
) -> bytes:
    from PySide6.QtGui import QGuiApplication

    from attnexplorer.compute.progress import silent
    from attnexplorer.figures.export import figure_bytes

    application = QGuiApplication.instance() or QGuiApplication(["attnexplorer"])
    data = figure_bytes(spec, experiment, export_as, other, step or silent)
    del application
    return data


def _use_no_display() -> None:
    """Figures are the same on every machine's display because they are never made on one."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    try:
        import PySide6.QtGui  # noqa: F401
    except ImportError as error:
        from attnexplorer.app.system_libraries import why_qt_does_not_load

        raise UsageError(why_qt_does_not_load(f"figures cannot be made: {error}")) from None


def _file_and_out(given: Arguments) -> tuple[str, str]:
    words, out = list(given.words), given.options.get("-o")
    if out is None and len(words) == 2:
        out = words.pop()
    if len(words) != 1:
        found = f"{len(words)} were given" if words else "none was given"
        raise UsageError(f"export expects one FILE, but {found}; see attnexplorer export --help")
    if out is None:
        raise UsageError("export expects -o OUT, the file to write; see attnexplorer export --help")
    if "--figure" not in given.options:
        raise UsageError("export expects --figure NAME; attnexplorer export --list prints the names")
    return words[0], out


def _listing(given: Arguments, read: Reader) -> list[str]:
    from attnexplorer.experiment.examples import DEFAULT_EXAMPLE
    from attnexplorer.figures.deck import WALKTHROUGH, WORDS, has_walkthrough
    from attnexplorer.figures.kinds import figure_names

    if len(given.words) > 1:
        raise UsageError("export --list takes at most one FILE")
    experiment = read(given.words[0] if given.words else f"example:{DEFAULT_EXAMPLE}")
    layer = _integer("--layer", given.options.get("--layer", "0"))
    if not 0 <= layer < len(experiment.layers):
        raise UsageError(f"there is no layer {layer}; layers count from 0 to {len(experiment.layers) - 1}")
    deck = [(WALKTHROUGH, WORDS)] if has_walkthrough(experiment, layer) else []
    names = [*figure_names(experiment, layer), *deck]
    width = max(len(name) for name, _ in names)
    return [f"{name:<{width}}  {words}\n" for name, words in names]


def _integer(name: str, text: str) -> int:
    try:
        return int(text) if len(text) < 12 else int("")
    except ValueError:
        raise UsageError(f"{name} expects a whole number, not {text[:40]!r}") from None


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{name} expects a number, not {text[:40]!r}") from None


def _choice(name: str, text: str, choices: tuple[str, ...]) -> Any:
    if text not in choices:
        raise UsageError(f"{name} is one of {', '.join(choices)}, not {text[:40]!r}")
    return text


def _pair(name: str, text: str) -> tuple[int, int]:
    first, comma, second = text.partition(",")
    if not comma:
        raise UsageError(f"{name} expects two numbers with a comma between them, not {text[:40]!r}")
    return _integer(name, first), _integer(name, second)


def _words(name: str, text: str) -> tuple[str, ...]:
    words = tuple(word.strip() for word in text.split(",") if word.strip())
    if not words:
        raise UsageError(f"{name} expects names with commas between them, not {text[:40]!r}")
    return words


def _place(text: str) -> tuple[int | None, int | None]:
    row, _, column = text.partition(",")
    if not row.strip() and not column.strip():
        raise UsageError(f"--highlight expects a row, a column or both with a comma, not {text[:40]!r}")
    return (
        _integer("--highlight", row) if row.strip() else None,
        _integer("--highlight", column) if column.strip() else None,
    )


def _is_same_file(file: str, out: str) -> bool:
    try:
        return os.path.samefile(file, out)
    except (OSError, ValueError):
        return False
