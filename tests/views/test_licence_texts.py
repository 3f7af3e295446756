"""The licences that the program shows are there for everything that it consists of."""

from __future__ import annotations

from attnexplorer.views.dialogs.licence_texts import FONTS, OWN, licence_texts


def test_every_part_of_the_program_has_its_licence() -> None:
    texts = licence_texts()
    assert next(iter(texts)) == OWN
    assert {OWN, FONTS, "Qt", "LGPL-3", "GPL-3", "numpy", "PySide6_Essentials"} <= set(texts)
    assert "Permission is hereby granted" in texts[OWN]
    assert "Redistribution and use in source and binary forms" in texts["numpy"]
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in texts["LGPL-3"]


def test_packages_that_only_test_or_build_are_not_among_them() -> None:
    assert not {"pytest", "ruff", "mypy", "pyinstaller"} & {name.lower() for name in licence_texts()}
