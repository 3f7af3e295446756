#!/bin/sh
# Removes what install.sh put into ~/.local, or into the folder given. Experiments and settings stay.
set -eu

prefix=${1:-"$HOME/.local"}
share=$prefix/share

rm -rf "$prefix/lib/attnexplorer"
if [ -L "$prefix/bin/attnexplorer" ]; then rm -f "$prefix/bin/attnexplorer"; fi
rm -f "$share/applications/attnexplorer.desktop" "$share/mime/packages/attnexplorer.xml"
rm -f "$share"/icons/hicolor/*/apps/attnexplorer.png "$share/icons/hicolor/scalable/apps/attnexplorer.svg"

if command -v update-mime-database >/dev/null && [ -d "$share/mime/packages" ]; then
    update-mime-database "$share/mime" || true
fi
if command -v update-desktop-database >/dev/null && [ -d "$share/applications" ]; then
    update-desktop-database "$share/applications" || true
fi
echo "Attention Explorer is removed."
