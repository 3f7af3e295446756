"""A private X server whose picture can be read at any time, and keys and clicks that come from outside."""

from __future__ import annotations

import contextlib
import os
import shutil
import struct
import subprocess
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import system_packages
from displays import SCREEN
from problem import Problem

PATIENCE = 30.0
_HEADER = struct.Struct(">25I")


@dataclass(frozen=True, slots=True)
class WatchedDisplay:
    """An X server without a screen; its picture is a file."""

    name: str
    picture: Path

    def fingerprint(self) -> int:
        """Return a number that stands for what is on the screen now."""
        return zlib.crc32(self.picture.read_bytes())

    def middle(self) -> int:
        """Return a number that stands for the middle of the screen, where the Pipeline is and no panel."""
        data = memoryview(self.picture.read_bytes())
        header = _HEADER.unpack_from(data)
        start, width, height, stride = header[0] + 12 * header[19], header[4], header[5], header[12]
        left, right = round(0.25 * width) * 4, round(0.7 * width) * 4
        found = 0
        for y in range(height // 8, height * 7 // 8):
            found = zlib.crc32(data[start + y * stride + left : start + y * stride + right], found)
        return found

    def save(self, file: Path) -> None:
        """Write what is on the screen as a PNG file."""
        data = self.picture.read_bytes()
        header = _HEADER.unpack_from(data)
        start, width, height, stride = header[0] + 12 * header[19], header[4], header[5], header[12]
        rows = bytearray()
        for y in range(height):
            row = data[start + y * stride : start + y * stride + 4 * width]
            colours = bytearray(3 * width)
            colours[0::3], colours[1::3], colours[2::3] = row[2::4], row[1::4], row[0::4]
            rows += b"\0" + colours
        parts = ((b"IHDR", struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(bytes(rows))))
        file.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in (*parts, (b"IEND", b""))))

    def windows(self, title: str) -> list[str]:
        """Return the program's visible windows whose title contains a text."""
        # Searching for a title itself finds none that has letters beyond ASCII in it.
        found = self._do("search", "--onlyvisible", "--class", "attnexplorer").split()
        return [window for window in found if title in self.title(window)]

    def title(self, window: str) -> str:
        """Return the title of a window; nothing if it is gone."""
        return self._do("getwindowname", window).strip()

    def click(self, window: str, x: int, y: int) -> None:
        """Click into a window, which then has the keyboard, as a window manager would see to."""
        self._do("windowfocus", "--sync", window, "mousemove", "--window", window, str(x), str(y), "click", "1")

    def focus(self, window: str) -> None:
        """Give a window the keyboard, as a window manager would."""
        self._do("windowfocus", "--sync", window)

    def press(self, *keys: str) -> None:
        """Press keys one after another, such as ``ctrl+s``."""
        self._do("key", "--clearmodifiers", "--delay", "60", *keys)

    def type(self, window: str, text: str) -> None:
        """Type a text into a window."""
        self._do("windowfocus", "--sync", window, "type", "--delay", "20", text)

    def _do(self, *arguments: str) -> str:
        variables = {**os.environ, "DISPLAY": self.name}
        done = subprocess.run(["xdotool", *arguments], env=variables, capture_output=True, text=True, check=False)
        return done.stdout


@contextlib.contextmanager
def watched_display() -> Iterator[WatchedDisplay]:
    """Start the X server and end it at last."""
    system_packages.install_x_server()
    reading, writing = os.pipe()
    with contextlib.ExitStack() as at_last:
        folder = Path(at_last.enter_context(tempfile.TemporaryDirectory(prefix="attnexplorer-screen-")))
        command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", SCREEN, "-fbdir", str(folder)]
        server = subprocess.Popen(
            [*command, "-nolisten", "tcp", "-noreset"],
            pass_fds=[writing],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        at_last.callback(server.wait)
        at_last.callback(server.terminate)
        os.close(writing)
        with os.fdopen(reading) as answer:
            number = answer.readline().strip()
        if not number:
            raise Problem("Xvfb, an X server without a screen, did not start.")
        yield WatchedDisplay(f":{number}", folder / "Xvfb_screen0")


def install_xdotool() -> None:
    """Install xdotool, which sends real keys and clicks."""
    if shutil.which("xdotool") is None:
        system_packages.install(["xdotool"], "Real keys and clicks are sent by xdotool, which is missing.")


def wait_until(what: str, condition: Callable[[], object], patience: float = PATIENCE) -> None:
    """Wait until a condition holds.

    Raises
    ------
    Problem
        If it does not hold in time.
    """
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            raise Problem(f"Within {patience:g} seconds, this did not happen: {what}.")
        time.sleep(0.05)


def wait_until_steady(display: WatchedDisplay, still: float = 0.5) -> None:
    """Wait until the picture has not changed for some time."""
    seen = [(display.fingerprint(), time.monotonic())]

    def is_still() -> bool:
        now = display.fingerprint()
        if now != seen[-1][0]:
            seen.append((now, time.monotonic()))
        return time.monotonic() - seen[-1][1] > still

    wait_until("the picture stands still", is_still)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
