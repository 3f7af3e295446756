"""Where the cards of the Pipeline stand: cells as large as fit, rows that break, edges that align."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QRect, QSize

from attnexplorer.views.matrix_card import MatrixCard
from attnexplorer.views.pipeline_plan import Item, Row, Slot

GAP = 18
ROW_GAP = 14
EDGE = 14
_STACK_GAP = 8
_COMFORTABLE = 36
_TIGHT = 29
_WIDEST = 52
_TALLEST_CELL = 26
_TALLEST_TABLE = 430
_TALLEST_STACKED = 170
_LARGE_COLUMNS = 10
_LARGE_SHARE = 0.31
_PAIR_WIDEST = 56
_TALLEST_MAP = 640
_PAIR_READABLE = 29
_COUNTED = 4
"""Parameters up to this many rows and columns go without numbers beside them."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a card stands, and the size of its cells."""

    rect: QRect
    cell_width: int
    cell_height: int


Cards = Mapping[str, MatrixCard]


@dataclass(frozen=True, slots=True)
class _Room:
    """What a row has to stand in: the cards, the width, and the width that a cell wants at least."""

    cards: Cards
    width: int
    cell: int
    wanted: dict[Slot, int] = field(default_factory=dict)
    """The widths of slots as far as they are known: lines are tried out with the same slots over and over."""


Placed = tuple[dict[str, Place], int, list[tuple[int, int, str]]]
"""The place of each card by its key, the bottom edge, and the operators with their centres."""


def place_row(row: Row, cards: Cards, width: int, top: int) -> Placed:
    """Return the place of each card of a row by its key, the bottom edge, and the operators with their centres."""
    if row.pairs:
        return _place_pairs(row, cards, width, top)
    _name_axes(row, cards)
    stacked, spread = (_place_slots(slots, cards, width, top) for slots in (row.slots, _spread(row.slots)))
    return spread if spread[1] < stacked[1] else stacked


def _place_slots(slots: Sequence[Slot], cards: Cards, width: int, top: int) -> Placed:
    places: dict[str, Place] = {}
    operators: list[tuple[int, int, str]] = []
    room = _roomiest(slots, cards, width)
    for line in _lines(slots, room):
        top = _place_line(line, room, top, places, operators) + ROW_GAP
    return places, top - ROW_GAP, operators


def _spread(slots: Sequence[Slot]) -> list[Slot]:
    """Put the cards of a stack beside one another: better where they are high."""
    spread: list[Slot] = []
    for slot in slots:
        stacks: list[list[Item]] = []
        for item in slot.items:
            if item.attached and stacks:
                stacks[-1].append(item)
            else:
                stacks.append([item])
        spread += [Slot(tuple(items), "" if place else slot.operator) for place, items in enumerate(stacks)]
    return spread


def _name_axes(row: Row, cards: Cards) -> None:
    """Leave out the numbers of rows and columns beside small parameters: they can be counted at a glance."""
    for slot in row.slots:
        for item in slot.items:
            table = cards[item.key].table
            named = table.content.rows.coloured or max(table.content.shape) > _COUNTED
            table.name_axes(rows=named, columns=named)


def _roomiest(slots: Sequence[Slot], cards: Cards, width: int) -> _Room:
    """Return the room with comfortable cells, or with tighter ones where that saves a line."""
    scale = next(iter(cards.values())).type_scale
    comfortable, tight = (_Room(cards, width, round(cell * scale)) for cell in (_COMFORTABLE, _TIGHT))
    return tight if len(_lines(slots, tight)) < len(_lines(slots, comfortable)) else comfortable


def _lines(slots: Sequence[Slot], room: _Room) -> list[list[Slot]]:
    """Break a row into lines, between groups where that is enough: Q, K and V stay together if they can."""
    lines: list[list[Slot]] = [[]]
    for group in _groups(slots):
        together = _line_width(group, room) <= room.width
        if lines[-1] and together and _line_width([*lines[-1], *group], room) > room.width:
            lines.append([])
        for slot in group:
            if lines[-1] and _line_width([*lines[-1], slot], room) > room.width:
                lines.append([])
            lines[-1].append(slot)
    return lines


def _groups(slots: Sequence[Slot]) -> list[list[Slot]]:
    """Gather slots with those after them that no operator separates from them."""
    groups: list[list[Slot]] = []
    for slot in slots:
        if groups and not slot.operator:
            groups[-1].append(slot)
        else:
            groups.append([slot])
    return groups


def _line_width(line: Sequence[Slot], room: _Room) -> int:
    return sum(_wanted(slot, room) for slot in line) + GAP * (len(line) - 1)


def _wanted(slot: Slot, room: _Room) -> int:
    """Return a slot's comfortable width; a wide matrix makes do with a share of the row."""
    known = room.wanted.get(slot)
    if known is None:
        known = room.wanted[slot] = _comfortable_width(slot, room)
    return known


def _comfortable_width(slot: Slot, room: _Room) -> int:
    widest = 0
    for item in slot.items:
        card = room.cards[item.key]
        comfortable = card.size_for(room.cell, _tallest_cell(card), _TALLEST_TABLE).width()
        if card.table.content.shape[1] > _LARGE_COLUMNS:
            comfortable = min(comfortable, max(int(room.width * _LARGE_SHARE), 150))
        widest = max(widest, comfortable)
    return min(widest, room.width)


def _place_line(
    line: Sequence[Slot], room: _Room, top: int, places: dict[str, Place], operators: list[tuple[int, int, str]]
) -> int:
    cards = room.cards
    widths = _grown([_wanted(slot, room) for slot in line], line, room)
    heights = [_stack_heights(slot, cards, slot_width) for slot, slot_width in zip(line, widths, strict=True)]
    tallest = max(sum(h) + _STACK_GAP * (len(h) - 1) for h in heights)
    left = 0
    for slot, slot_width, stack in zip(line, widths, heights, strict=True):
        y = top + (tallest - sum(stack) - _STACK_GAP * (len(stack) - 1)) // 2
        if left:
            operators.append((left - GAP // 2, top + tallest // 2, slot.operator))
        for item, height in zip(slot.items, stack, strict=True):
            cell = _cell_size(cards[item.key], slot_width, _limit(slot))
            places[item.key] = Place(QRect(left, y, slot_width, height), *cell)
            y += height + _STACK_GAP
        left += slot_width + GAP
    return top + tallest


def _grown(widths: list[int], line: Sequence[Slot], room: _Room) -> list[int]:
    """Share what is left of the row among the slots by their columns, as far as wider cells are of use."""
    left = room.width - sum(widths) - GAP * (len(widths) - 1)
    cards = room.cards
    columns = [max(cards[item.key].table.content.shape[1] for item in slot.items) for slot in line]
    most = [
        max(
            0,
            max(cards[item.key].size_for(_widest(room), _TALLEST_CELL, _limit(slot)).width() for item in slot.items)
            - w,
        )
        for slot, w in zip(line, widths, strict=True)
    ]
    total = sum(c for c, m in zip(columns, most, strict=True) if m) or 1
    return [w + min(m, int(left * c / total)) if left > 0 else w for w, c, m in zip(widths, columns, most, strict=True)]


def _tallest_cell(card: MatrixCard) -> int:
    return round(_TALLEST_CELL * card.type_scale)


def _widest(room: _Room) -> int:
    return round(_WIDEST * next(iter(room.cards.values())).type_scale)


def _limit(slot: Slot) -> int:
    return _TALLEST_TABLE if len(slot.items) == 1 else _TALLEST_STACKED


def _stack_heights(slot: Slot, cards: Cards, width: int) -> list[int]:
    heights = []
    for item in slot.items:
        card = cards[item.key]
        cell = _cell_size(card, width, _limit(slot))
        heights.append(card.size_for(*cell, _limit(slot), width).height())
    return heights


def _cell_size(card: MatrixCard, width: int, most_height: int) -> tuple[int, int]:
    rows, columns = card.table.content.shape
    cell_height = min(_tallest_cell(card), max(3, (most_height - 40) // max(rows, 1)))
    room = width - card.chrome_width(_COMFORTABLE, cell_height)
    return max(2, min(round(_WIDEST * card.type_scale), room // max(columns, 1))), cell_height


def _place_pairs(
    row: Row, cards: Cards, width: int, top: int
) -> tuple[dict[str, Place], int, list[tuple[int, int, str]]]:
    """Place the four maps in one line, or two by two where that makes their cells larger and readable.

    Titles and tools may need more than the cells: then fewer stand in a line.
    """
    in_line, in_square = (_pair_cell(row, cards, width, across) for across in (4, 2))
    scale = next(iter(cards.values())).type_scale
    keys = [slot.items[0].key for slot in row.slots]
    in_one = in_line >= _PAIR_READABLE * scale or in_line > in_square
    for across in (4, 2, 1) if in_one else (2, 1):
        cell = in_line if across == 4 else max(in_line, in_square)
        low, high = round(26 * scale), round(34 * scale)
        cell_height = cell if cell < low else min(high, max(low, int(cell * 0.74)))
        _name_pair_axes(keys, cards, across)
        lines = [keys[start : start + across] for start in range(0, len(keys), across)]
        sizes_of_lines = [_pair_sizes([cards[key] for key in line], width, cell, cell_height) for line in lines]
        if all(sum(size.width() for size in sizes) <= width - GAP * (across - 1) for sizes in sizes_of_lines):
            break
    places: dict[str, Place] = {}
    operators: list[tuple[int, int, str]] = []
    for line, sizes in zip(lines, sizes_of_lines, strict=True):
        spare = max(0, width - sum(s.width() for s in sizes) - GAP * (across - 1)) // across
        left, height = 0, max(size.height() for size in sizes)
        for key, size in zip(line, sizes, strict=True):
            card_width = size.width() + spare
            if left:
                operators.append((left - GAP // 2, top + height // 2, "›"))
            places[key] = Place(QRect(left, top, card_width, height), cell, cell_height)
            left += card_width + GAP
        top += height + ROW_GAP
    return places, top - ROW_GAP, operators


def _pair_sizes(cards: Sequence[MatrixCard], width: int, cell: int, cell_height: int) -> list[QSize]:
    """Return the sizes of maps in a line: as they would be, or if that is too wide with an equal share for each."""
    room = width - GAP * (len(cards) - 1)
    sizes = [card.size_for(cell, cell_height, _TALLEST_MAP) for card in cards]
    if sum(size.width() for size in sizes) <= room:
        return sizes
    return [card.size_for(cell, cell_height, _TALLEST_MAP, room // len(cards)) for card in cards]


def _name_pair_axes(keys: Sequence[str], cards: Cards, across: int) -> None:
    """Name the rows of the first map of each line only; the others have the positions' colours."""
    for place, key in enumerate(keys):
        cards[key].table.name_axes(rows=place % across == 0, columns=True)


def _pair_cell(row: Row, cards: Cards, width: int, across: int) -> int:
    """Return the largest cell with which every line of the four maps fits."""
    smallest = round(_PAIR_WIDEST * next(iter(cards.values())).type_scale)
    keys = [slot.items[0].key for slot in row.slots]
    _name_pair_axes(keys, cards, across)
    for start in range(0, len(keys), across):
        line = [cards[key] for key in keys[start : start + across]]
        columns = sum(card.table.content.shape[1] for card in line)
        chrome = sum(card.chrome_width(20, 20) for card in line)
        smallest = min(smallest, (width - chrome - GAP * (across - 1)) // max(columns, 1))
    return max(1, smallest)
