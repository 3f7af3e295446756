"""The licences of the program and of everything that it consists of or comes with.

A standalone program carries the texts that were gathered when it was built; from source they are those of the installed
packages. Texts that no package brings along lie in ``resources/licences``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path

from attnexplorer.assets import folder

OWN = "Attention Explorer"
FONTS = "Fonts: Inter, JetBrains Mono, STIX"
_LICENCE_FILE = re.compile(r"(licen[cs]e|copying|notice|copyright)", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def licence_texts() -> Mapping[str, str]:
    """Return the text of each licence by the name of what it covers, the program itself first."""
    found = {} if getattr(sys, "frozen", False) else _of_installed_packages()
    for file in folder("licences").glob("*.txt"):
        found[file.stem] = file.read_text(encoding="utf-8").strip()
    of_fonts = sorted(folder("fonts").glob("*.txt"))
    found[FONTS] = "\n\n\n".join(file.read_text(encoding="utf-8").strip() for file in of_fonts)
    return dict(sorted(found.items(), key=lambda item: (item[0] != OWN, item[0].lower())))


def licence_of(distribution: metadata.Distribution) -> str:
    """Return what an installed package says of its licence, and the texts that it brings along."""
    about = distribution.metadata
    stated = next((about[name] for name in ("License-Expression", "License") if name in about), "")
    heading = f"{about['Name']} {distribution.version}"
    parts = [f"{heading}: {stated}" if stated and "\n" not in stated else heading]
    files = [it for it in distribution.files or () if ".dist-info" in str(it) and _LICENCE_FILE.search(it.name)]
    for file in sorted(files, key=lambda it: (len(it.parts), str(it))):
        parts.append(Path(file.locate()).read_text(encoding="utf-8", errors="replace").strip())
    return "\n\n".join(parts)


def _of_installed_packages() -> dict[str, str]:
    found = {OWN: "Attention Explorer is under the MIT licence."}
    waiting = ["attnexplorer"]
    while waiting:
        name = waiting.pop()
        # A source tree can be known twice; what was left by a build in it has no licence with it.
        known = sorted(metadata.distributions(name=name), key=lambda it: len(licence_of(it)))
        if not known:
            continue
        title = OWN if name == "attnexplorer" else known[-1].metadata["Name"]
        if title not in found or title == OWN:
            found[title] = licence_of(known[-1])
            waiting += _required(known[-1].requires or ())
    return found


def _required(requirements: Iterable[str]) -> list[str]:
    """The names of what is always required; what only an extra asks for has a marker that says so."""
    always = (it for it in requirements if "extra ==" not in it)
    return [match.group() for it in always if (match := _NAME.match(it))]
