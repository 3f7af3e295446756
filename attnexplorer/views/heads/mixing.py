"""Mute and solo, as on a mixing desk. Solo is muting all others; the mutes from before come back when it ends."""

from __future__ import annotations

from dataclasses import dataclass

from attnexplorer.document.document import Document

Muted = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Solo:
    """Which heads play alone, of how many, and what was muted before."""

    heads: frozenset[int]
    count: int
    former: Muted

    @property
    def muted(self) -> Muted:
        """The heads that it mutes."""
        return tuple(head for head in range(self.count) if head not in self.heads)


class Mixing:
    """Every press is one undo step. A solo counts only as long as exactly the others are muted, undo included.

    A head that is the only one heard plays alone however it came to that: pressed here, or read from a file.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._solos: dict[int, Solo] = {}

    def soloed(self, layer: int) -> frozenset[int]:
        """Return the heads of a layer that play alone; none where there is no solo."""
        solo = self._solo(layer)
        return frozenset() if solo is None else solo.heads

    def toggle_mute(self, layer: int, head: int) -> None:
        """Mute a head, or let it be heard."""
        muted = set(self._muted(layer))
        verb = "Unmute" if head in muted else "Mute"
        self._set(layer, tuple(sorted(muted ^ {head})), f"{verb} head {head + 1}")

    def toggle_solo(self, layer: int, head: int) -> None:
        """Let a head play alone, or along with others that do; the last one to leave brings the former mutes back."""
        solo, count = self._solo(layer), self._document.experiment.layers[layer].attention.heads
        if solo is None:
            self._start(layer, Solo(frozenset({head}), count, self._muted(layer)), f"Solo head {head + 1}")
        elif solo.heads == {head}:
            self._solos.pop(layer, None)
            self._set(layer, solo.former, "End the solo")
        else:
            verb = "Leave the solo: head" if head in solo.heads else "Solo head"
            self._start(layer, Solo(solo.heads ^ {head}, count, solo.former), f"{verb} {head + 1}")

    def _start(self, layer: int, solo: Solo, text: str) -> None:
        self._solos[layer] = solo
        self._set(layer, solo.muted, text)

    def _solo(self, layer: int) -> Solo | None:
        solo, muted = self._solos.get(layer), self._muted(layer)
        count = self._document.experiment.layers[layer].attention.heads
        if solo is not None and solo.count == count and solo.muted == muted:
            return solo
        heard = frozenset(range(count)).difference(muted)
        return Solo(heard, count, ()) if len(heard) == 1 and count > 1 else None

    def _muted(self, layer: int) -> Muted:
        return tuple(sorted(self._document.experiment.layers[layer].attention.muted_heads))

    def _set(self, layer: int, muted: Muted, text: str) -> None:
        several = len(self._document.experiment.layers) > 1
        place = f", layer {layer + 1}" if several else ""
        self._document.set_value(f"layers.{layer}.attention.muted_heads", muted, f"{text}{place}")
