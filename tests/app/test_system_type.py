"""Type as large as a desktop's: taken over where the desktop's is larger than usual, until the user chooses."""

from __future__ import annotations

import subprocess
import sys

import pytest

ASKING = """
import sys
from PySide6.QtGui import QFont
from attnexplorer.app.launch import make_application, make_windows
application = make_application()
font = QFont()
font.setPixelSize(int(sys.argv[1]))
application.setFont(font)
windows = make_windows()
print(windows.appearance.text_scale)
windows.appearance.set_text_scale(2.0)
print(make_windows().appearance.text_scale)
if len(sys.argv) > 2:
    windows.settings.text_scale = float(sys.argv[2])
    print(make_windows().appearance.text_scale)
"""


@pytest.mark.parametrize(
    ("pixels", "scale"), [(12, 1.0), (13, 1.0), (15, 1.0), (20, 20 / 13), (24, 24 / 13), (60, 2.5)]
)
def test_a_desktop_with_large_type_gets_large_type_and_others_the_usual(pixels: int, scale: float) -> None:
    assert told(str(pixels)) == [pytest.approx(scale), pytest.approx(scale)]


def test_what_the_user_chose_counts_more_than_the_desktop() -> None:
    assert told("24", "1.1")[-1] == pytest.approx(1.1)


def told(*arguments: str) -> list[float]:
    command = [sys.executable, "-c", ASKING, *arguments]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (result.returncode, result.stderr) == (0, "")
    return [float(line) for line in result.stdout.split()]
