"""The version resource of the Windows programs: what Explorer shows under Properties → Details."""

from __future__ import annotations

from pathlib import Path

TEMPLATE = """\
VSVersionInfo(
  ffi=FixedFileInfo(
    filevers={numbers}, prodvers={numbers}, mask=0x3f, flags=0x0, OS=0x40004, fileType=0x1, subtype=0x0
  ),
  kids=[
    StringFileInfo([StringTable('040904B0', [
      StringStruct('CompanyName', 'Attention Explorer authors'),
      StringStruct('FileDescription', 'Attention Explorer'),
      StringStruct('FileVersion', '{version}'),
      StringStruct('InternalName', 'attnexplorer'),
      StringStruct('LegalCopyright', 'MIT licence'),
      StringStruct('OriginalFilename', 'attnexplorer.exe'),
      StringStruct('ProductName', 'Attention Explorer'),
      StringStruct('ProductVersion', '{version}')])]),
    VarFileInfo([VarStruct('Translation', [0x0409, 1200])])
  ]
)
"""


def text(version: str) -> str:
    """Return the resource in the form that PyInstaller reads; Windows wants four numbers."""
    numbers = [int(part) for part in version.split(".") if part.isdigit()]
    return TEMPLATE.format(numbers=tuple([*numbers, 0, 0, 0, 0][:4]), version=version)


def written(version: str, file: Path) -> str:
    """Write the resource to a file and return its path."""
    file.write_text(text(version), encoding="utf-8")
    return str(file)
