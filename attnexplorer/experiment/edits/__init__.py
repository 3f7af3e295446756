"""Structural edits: pure functions from an experiment to a new one that shares every untouched array.

`creation` makes new ones; `tokens`, `vocabulary`, `source`, `masks`, `pins`, `positions`: what is read and seen;
`widths`, `heads`, `layers`, `blocks`: the shape of the network; `losses` names what an edit does not carry. An edit
that cannot be made raises `ExperimentError`. May import from `experiment` only.
"""
