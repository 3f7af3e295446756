"""Calls that are made soon: after what waits, not for an owner that is gone, and without keeping it."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QObject, QTimer

import attnexplorer
from attnexplorer.views.soon import soon


class Owner(QObject):
    """Has something to be done soon."""

    def __init__(self, done: list[str]) -> None:
        super().__init__()
        self._done = done

    def work(self) -> None:
        self._done.append("done")


def as_method(owner: Owner) -> Callable[[], object]:
    return owner.work


def as_function(owner: Owner) -> Callable[[], object]:
    return lambda: owner.work()


@pytest.mark.parametrize("call_of", [as_method, as_function])
def test_the_call_is_made_once_and_its_timer_goes(
    qapp: QCoreApplication, call_of: Callable[[Owner], Callable[[], object]]
) -> None:
    done: list[str] = []
    owner = Owner(done)
    soon(owner, call_of(owner))
    assert done == []
    for _ in range(3):
        qapp.processEvents()
    assert done == ["done"]
    qapp.sendPostedEvents()
    assert owner.findChildren(QTimer) == []


@pytest.mark.parametrize("call_of", [as_method, as_function])
def test_an_owner_that_is_gone_before_is_neither_called_nor_kept(
    qapp: QCoreApplication, call_of: Callable[[Owner], Callable[[], object]]
) -> None:
    done: list[str] = []
    owner = Owner(done)
    there = weakref.ref(owner)
    soon(owner, call_of(owner))
    shiboken6.delete(owner)
    del owner
    qapp.processEvents()
    gc.collect()
    assert done == []
    assert there() is None


def test_nothing_uses_the_single_shots_that_keep_their_owners() -> None:
    form = "single" + "Shot("
    sources = Path(attnexplorer.__file__).parent.rglob("*.py")
    assert [path.name for path in sources if f".{form}" in path.read_text(encoding="utf-8")] == []
