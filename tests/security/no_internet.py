"""Run as a program: opens the window, works in it, and says which sockets were asked for; none may be."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

from PySide6.QtCore import QTimer

ASKED: list[str] = []


def forbid(event: str, arguments: tuple[object, ...]) -> None:
    """Note and refuse every socket; Qt's connection to the display is none of Python's."""
    if event.startswith("socket."):
        ASKED.append(f"{event} {arguments[1:]}")
        raise PermissionError(event)


def main(folder: Path) -> int:
    """Return 0 if everything was done without a socket."""
    sys.addaudithook(forbid)
    from attnexplorer.app.launch import make_application, make_windows
    from attnexplorer.document.storage import load_copy_of_example, load_file
    from attnexplorer.interop.numpy_script import numpy_script

    application, windows = make_application(), make_windows()
    window = windows.show_new(load_copy_of_example("multi-head"))
    for name in window.workspaces:
        window.show_workspace(name)
        window.document.recomputation.finish()
        application.processEvents()
    window.document.set_cell("embedding.E", 0, 0, 7.0)
    window.storage.save_as(folder / "lesson.attn")
    assert load_file(folder / "lesson.attn").experiment.embedding.E[0, 0] == 7.0
    assert numpy_script(window.document.experiment)
    QTimer.singleShot(0, window.close)
    application.exec()
    print(f"sockets asked for: {ASKED}")
    return 1 if ASKED else 0


def internet_is_there() -> bool:
    """Tell whether this process could reach anything: whether there is a network interface that is up, but no name."""
    return any(name != "lo" for _, name in socket.if_nameindex())


if __name__ == "__main__":
    if "--interfaces" in sys.argv:
        print(internet_is_there())
        sys.exit(0)
    sys.exit(main(Path(sys.argv[1])))
