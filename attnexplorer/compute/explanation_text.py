"""An explanation as plain text, Markdown, LaTeX, or a NumPy snippet that prints the number."""

from __future__ import annotations

import math
import re

from attnexplorer.compute.explaining.pieces import Explanation, Line, Piece, Reference, Span, Step, spans

_TIGHT_AFTER = ("(", "[", "√", "e^", "tanh", "erf", "cos", "sin", "max")
_TIGHT_BEFORE = (")", "]", ",", ";", "²", "³")
_PYTHON = {
    "×": "*",
    "÷": "/",
    "−": "-",
    "√": "np.sqrt",
    "e^": "np.exp",
    "tanh": "np.tanh",
    "cos": "np.cos",
    "sin": "np.sin",
    "erf": "math.erf",
    "²": "**2",
    "³": "**3",
}
_BARE_ROOT = re.compile(r"√\((\d+)\)")
_LATEX_OPERATORS = {
    "×": r"\times",
    "÷": r"\div",
    "−": "-",
    "²": "^2",
    "³": "^3",
    "tanh": r"\tanh",
    "cos": r"\cos",
    "sin": r"\sin",
    "max": r"\max",
    "erf": r"\operatorname{erf}",
}
_LATEX_TEXT = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "{}$&#_%"},
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "ᵀ": r"\ensuremath{^{\mathsf{T}}}",
    "′": r"\ensuremath{'}",
    "−": r"\ensuremath{-}",
    "×": r"\ensuremath{\times}",
    "÷": r"\ensuremath{\div}",
    "·": r"\ensuremath{\cdot}",
    "√": r"\ensuremath{\surd}",
    "≤": r"\ensuremath{\le}",
    "∞": r"\ensuremath{\infty}",
    "…": r"\ldots{}",
    "θ": r"\ensuremath{\theta}",
}


def line_text(line: Line) -> str:
    """Return a line of arithmetic as plain text: "1.00 × 1.50 + 1.00 × 1.00 = 2.500"."""
    return _BARE_ROOT.sub(r"√\1", _joined([piece.text for piece in line]))


def subject_text(subject: str) -> str:
    """Return a subject without markup: "q_it · k_animal"."""
    return "".join(_plain(span) for span in spans(subject))


def as_text(explanation: Explanation) -> str:
    """Return the whole explanation as plain text."""
    lines = [f"{explanation.heading} = {explanation.value_text}"]
    lines += [step_text(step) for step in explanation.steps]
    return "\n".join([*lines, *explanation.notes]) + "\n"


def step_text(step: Step) -> str:
    """Return a step as plain text, its lines of arithmetic indented."""
    lines = [f"{step.number}. {step.verb} {subject_text(step.subject)}".rstrip()]
    lines += [f"   {line_text(line)}" for line in step.lines]
    lines += [f"   ({step.note})"] if step.note else []
    return "\n".join(lines)


def as_markdown(explanation: Explanation) -> str:
    """Return the whole explanation as Markdown, a numbered list."""
    lines = [f"**{_markdown(explanation.heading)} = {_markdown(explanation.value_text)}**", ""]
    for step in explanation.steps:
        subject = "".join(_markdown_span(span) for span in spans(step.subject))
        lines.append(f"{step.number}. **{step.verb}** {subject}".rstrip())
        lines += [f"   - `{line_text(line)}`" for line in step.lines]
        lines += [f"   - {_markdown(step.note)}"] if step.note else []
    return "\n".join([*lines, *(f"\n{_markdown(note)}" for note in explanation.notes)]) + "\n"


def as_latex(explanation: Explanation) -> str:
    """Return the whole explanation as LaTeX, an enumeration with displayed equations; no package is needed."""
    lines = [f"\\noindent\\textbf{{{_latex_text(f'{explanation.heading} = {explanation.value_text}')}}}"]
    if explanation.steps:
        lines += ["\\begin{enumerate}", *(part for step in explanation.steps for part in _latex_step(step))]
        lines.append("\\end{enumerate}")
    return "\n".join([*lines, *(_latex_text(note) for note in explanation.notes)]) + "\n"


def as_numpy(explanation: Explanation) -> str:
    """Return Python source with all the numbers in full precision; run, it prints the explained number."""
    script = _Script()
    last = explanation.made_in or 0
    for step in explanation.steps[:last]:
        script.add(step)
    body = script.lines or [f"value = {_python_number(explanation.value)}"]
    imports = ["import math"] if any("math." in line for line in body) else []
    title = _one_line(explanation.heading)
    return "\n".join([*imports, "import numpy as np", "", f"# {title}", *body, f"print(float({script.last}))", ""])


class _Script:
    """Assignments, one a line of arithmetic; numbers that an earlier line made are called by their names."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.last = "value"
        self._cells: dict[Reference, tuple[str, float]] = {}
        self._values: dict[float, str] = {}

    def add(self, step: Step) -> None:
        """Write a step with its lines."""
        self.lines.append(f"# {step.number}. {step.verb} {_one_line(subject_text(step.subject))}".rstrip())
        for place, line in enumerate(step.lines):
            result = next((piece for piece in line if piece.kind == "result"), None)
            if result is not None:
                self._assign(line, result, f"step_{step.number}_{place + 1}")

    def _assign(self, line: Line, result: Piece, fallback: str) -> None:
        reference = result.reference
        name = fallback if reference is None else _variable(reference)
        terms = [piece for piece in line[: line.index(result)] if piece.kind != "note" and piece.text != "="]
        self.lines.append(f"{name} = {_joined([self._term(piece) for piece in terms or [result]])}")
        value = result.value or 0.0
        self._values[value] = name
        if reference is not None:
            self._cells[reference] = (name, value)
        self.last = name

    def _term(self, piece: Piece) -> str:
        if piece.value is None:
            return _PYTHON.get(piece.text, piece.text)
        if piece.reference is not None:
            name, value = self._cells.get(piece.reference, ("", math.nan))
            if value == piece.value:
                return name
        # A number that stands in no cell, or is passed on unchanged, is an earlier result if it has its very value;
        # whole numbers are more likely counts.
        unchanged = piece.reference is None or piece.kind == "result"
        if unchanged and not piece.value.is_integer() and piece.value in self._values:
            return self._values[piece.value]
        return _python_number(piece.value)


def _variable(reference: Reference) -> str:
    parts = [part for part in reference.path.split(".") if not part.isdigit() and part != "layers"]
    return f"{parts[-1]}_{reference.row}_{reference.column}"


def _python_number(value: float) -> str:
    if math.isfinite(value):
        return f"({value!r})" if math.copysign(1.0, value) < 0 else repr(value)
    return "np.nan" if math.isnan(value) else "np.inf" if value > 0 else "(-np.inf)"


def _joined(texts: list[str]) -> str:
    """Join with spaces, but for brackets, powers and the names of functions."""
    joined, before = "", ""
    for text in texts:
        tight = not joined or before in _TIGHT_AFTER or text in _TIGHT_BEFORE or text.startswith("**")
        tight = tight or (text == "(" and before.startswith(("np.", "math.")))
        joined, before = joined + ("" if tight else " ") + text, text
    return joined


def _plain(span: Span) -> str:
    if span.style == "plain":
        return span.text
    sign = "_" if span.style == "subscript" else "^"
    return sign + (span.text if " " not in span.text else f"({span.text})")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _markdown(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>&#|])", r"\\\1", text)


def _markdown_span(span: Span) -> str:
    tag = {"plain": "", "subscript": "sub", "superscript": "sup"}[span.style]
    return f"<{tag}>{_markdown(span.text)}</{tag}>" if tag else _markdown(span.text)


def _latex_text(text: str) -> str:
    return "".join(_LATEX_TEXT.get(sign, sign) for sign in text)


def _latex_span(span: Span) -> str:
    command = {"plain": "", "subscript": "\\textsubscript", "superscript": "\\textsuperscript"}[span.style]
    return f"{command}{{{_latex_text(span.text)}}}" if command else _latex_text(span.text)


def _latex_step(step: Step) -> list[str]:
    subject = "".join(_latex_span(span) for span in spans(step.subject))
    lines = [f"\\item \\textbf{{{step.verb}}} {subject}".rstrip()]
    lines += [f"\\[ {_latex_line(line)} \\]" for line in step.lines]
    return [*lines, _latex_text(step.note)] if step.note else lines


def _latex_line(line: Line) -> str:
    """Turn a line into mathematics; the bracket after √ and e^ becomes the group of the root or the power."""
    parts: list[str] = []
    closings: list[str] = []
    for place, piece in enumerate(line):
        before = line[place - 1].text if place else ""
        if piece.kind == "operator" and piece.text == "(":
            grouped = before in ("√", "e^")
            parts.append({"√": r"\sqrt{", "e^": "e^{"}.get(before, "("))
            closings.append("}" if grouped else ")")
        elif piece.kind == "operator" and piece.text == ")":
            parts.append(closings.pop())
        elif piece.text not in ("√", "e^"):
            parts.append(_latex_piece(piece))
    return " ".join(parts)


def _latex_piece(piece: Piece) -> str:
    if piece.kind == "note":
        return rf"\mbox{{{_latex_text(piece.text)}}}"
    if piece.kind == "operator":
        return _LATEX_OPERATORS.get(piece.text, piece.text)
    text = piece.text.replace("√(2/π)", r"\sqrt{2/\pi}").replace("∞", r"\infty").replace("NaN", r"\mathrm{NaN}")
    text = text.replace("−", "-").replace(",", "{,}")
    return re.sub(r"e(-?\d+)", r" \\cdot 10^{\1}", text)
