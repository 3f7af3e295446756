"""Orders: for each new place on an axis the old place it comes from, or None where something new begins.

Growing, shrinking, inserting, removing, moving and copying are all orders, so that one routine carries them out.
"""

from __future__ import annotations

import numpy as np

from attnexplorer.experiment.arrays import Matrix, frozen
from attnexplorer.experiment.edits.growth import Fill

Order = tuple[int | None, ...]


def resized(old: int, new: int) -> Order:
    """Keep the first places; new ones come last."""
    return tuple(place if place < old else None for place in range(new))


def inserted(size: int, index: int) -> Order:
    """Make a new place before the old place `index`."""
    return (*range(index), None, *range(index, size))


def removed(size: int, index: int) -> Order:
    """Leave out the place `index`."""
    return (*range(index), *range(index + 1, size))


def moved(size: int, start: int, end: int) -> Order:
    """Move the place `start` so that it stands at `end`."""
    rest = list(removed(size, start))
    return (*rest[:end], start, *rest[end:])


def shuffled(size: int, seed: int) -> Order:
    """Return a random order of a seed; never the present one where there is another."""
    order = [int(place) for place in np.random.default_rng(seed).permutation(size)]
    if order == list(range(size)):
        order = [*order[1:], *order[:1]]
    return tuple(order)


def duplicated(size: int, index: int) -> Order:
    """Repeat the place `index` just after itself."""
    return (*range(index + 1), *range(index, size))


def product(outer: Order, inner: Order, old_inner: int) -> Order:
    """Return the order of an axis made of blocks: outer place h, inner place v stand at h · width + v."""
    return tuple(None if h is None or v is None else h * old_inner + v for h in outer for v in inner)


def aligned(old: tuple[str, ...], new: tuple[str, ...]) -> Order:
    """Let the words that two lists have in common, in the same succession, keep their places."""
    from difflib import SequenceMatcher  # the first picture does without

    order: list[int | None] = [None] * len(new)
    for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        for step in range(block.size):
            order[block.b + step] = block.a + step
    return tuple(order)


def new_places(order: Order) -> dict[int, int]:
    """Return where each old place that remains has gone."""
    return {old: new for new, old in enumerate(order) if old is not None}


def is_unchanged(order: Order | None, size: int) -> bool:
    """Tell whether an order leaves an axis as it is."""
    return order is None or order == tuple(range(size))


def taken(array: Matrix, orders: tuple[Order | None, ...], name: str, fill: Fill) -> Matrix:
    """Return `array` with each axis in its new order; an axis without an order stays, and so may the very array."""
    if all(is_unchanged(order, size) for order, size in zip(orders, array.shape, strict=True)):
        return array
    whole = [range(size) if order is None else order for order, size in zip(orders, array.shape, strict=True)]
    result = np.array(fill(name, tuple(len(order) for order in whole)), dtype=np.float64)
    kept = [[(new, old) for new, old in enumerate(order) if old is not None] for order in whole]
    targets = np.ix_(*([new for new, _ in pairs] for pairs in kept)) if all(kept) else None
    if targets is not None:
        result[targets] = array[np.ix_(*([old for _, old in pairs] for pairs in kept))]
    return frozen(result)


def taken_stack(
    stack: tuple[Matrix, ...], heads: Order | None, orders: tuple[Order | None, ...], name: str, fill: Fill
) -> tuple[Matrix, ...]:
    """Return a matrix a head with heads and axes in their new order; a new head is filled as a whole."""
    sources: Order = tuple(range(len(stack))) if heads is None else heads
    shape = tuple(size if order is None else len(order) for order, size in zip(orders, stack[0].shape, strict=True))
    return tuple(
        frozen(fill(f"{new}.{name}", shape)) if old is None else taken(stack[old], orders, f"{new}.{name}", fill)
        for new, old in enumerate(sources)
    )
