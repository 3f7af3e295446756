"""A bare Debian in a folder, without Python and Qt, to run the standalone program in; debootstrap needs root."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import system_packages
from problem import Problem

SUITE = "bookworm"
PACKAGES = ("libegl1", "libgl1", "libx11-xcb1", "libdbus-1-3", "libfontconfig1", "libglib2.0-0")
"""What a bare Debian or Ubuntu lacks for the window; README names the same. Every desktop has them."""
NOBODY = "65534:65534"
HOME = "/home/lecturer"


@dataclass(frozen=True, slots=True)
class BareSystem:
    """The folder with the bare system in it."""

    root: Path

    def install(self, packages: Sequence[str]) -> None:
        """Install packages, and what they depend on, but not what they recommend."""
        shutil.copy("/etc/resolv.conf", self.root / "etc" / "resolv.conf")
        listed = shlex.join(packages)
        script = f"apt-get -q update && apt-get -q install -y --no-install-recommends {listed}"
        plain = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"}
        _succeed(["chroot", str(self.root), "sh", "-c", script], plain)

    def put(self, program: Path, place: str) -> str:
        """Copy a program, a file or a folder, into the system and return its path there."""
        target = self.root / place.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        if program.is_dir():
            shutil.copytree(program, target, symlinks=True)
        else:
            shutil.copy2(program, target)
        return place

    def command(self, command: Sequence[str], variables: Mapping[str, str]) -> list[str]:
        """Return the command line that runs a command in the system, as nobody, without a network.

        The mounts that it needs (proc, and the socket of the X server) end with it.
        """
        root, sockets = shlex.quote(str(self.root)), "/tmp/.X11-unix"
        pairs = [f"{name}={value}" for name, value in {"PATH": "/usr/bin:/bin", "HOME": HOME, **variables}.items()]
        inside = shlex.join(["env", "-i", *pairs, *command])
        steps = (
            f"mount -t proc proc {root}/proc",
            f"mkdir -p {root}{sockets}",
            f"mount --bind {sockets} {root}{sockets}",
            f"exec chroot --userspec={NOBODY} {root} {inside}",
        )
        return ["unshare", "--mount", "--net", "sh", "-c", " && ".join(steps)]


@contextlib.contextmanager
def bare_system() -> Iterator[BareSystem]:
    """Make a bare Debian in a temporary folder and remove it at last."""
    if os.geteuid() != 0:
        raise Problem("A bare Debian can only be made as root; `smoke --here` tries the program on this system.")
    if shutil.which("debootstrap") is None:
        system_packages.install(["debootstrap"], "The bare Debian is made by debootstrap, which is missing.")
    root = Path(tempfile.mkdtemp(prefix="attnexplorer-bare-"))
    try:
        print(f"Making a bare Debian ({SUITE}).", flush=True)
        _succeed(["debootstrap", "--variant=minbase", SUITE, str(root)], dict(os.environ))
        root.chmod(0o755)
        system = BareSystem(root)
        home = root / HOME.lstrip("/")
        home.mkdir(parents=True)
        home.chmod(0o777)
        yield system
    finally:
        _remove(root)


def _succeed(command: Sequence[str], variables: Mapping[str, str]) -> None:
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Problem(f"{shlex.join(command)} failed:\n{(done.stdout + done.stderr)[-2000:]}")


def _remove(root: Path) -> None:
    """Remove the folder, unless something is still mounted in it."""
    mounted = [line.split()[1] for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines()]
    for place in sorted((it for it in mounted if it.startswith(f"{root}/")), reverse=True):
        subprocess.run(["umount", place], check=False)
    if not any(Path(place).is_mount() for place in mounted if place.startswith(f"{root}/")):
        shutil.rmtree(root, ignore_errors=True)
