#!/bin/sh
# Installs Attention Explorer for this user: into ~/.local, or into the folder given. Needs no administrator.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
prefix=${1:-"$HOME/.local"}
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
share=$prefix/share
place=$prefix/lib/attnexplorer

if [ ! -x "$here/program/attnexplorer" ]; then
    echo "$here/program/attnexplorer is missing: unpack the whole archive and start install.sh there." >&2
    exit 1
fi

mkdir -p "$prefix/bin" "$prefix/lib" "$share/applications" "$share/mime/packages"
# The new program is whole before the old one goes.
rm -rf "$place.new"
cp -R "$here/program" "$place.new"
cp "$here/uninstall.sh" "$here/LICENSE" "$place.new/"
rm -rf "$place"
mv "$place.new" "$place"
ln -sf "$place/attnexplorer" "$prefix/bin/attnexplorer"

for file in "$here"/icons/attnexplorer-*.png; do
    number=${file##*-}
    size=$(echo "${number%.png}" | sed 's/^0*//')
    folder=$share/icons/hicolor/${size}x$size/apps
    mkdir -p "$folder"
    cp "$file" "$folder/attnexplorer.png"
done
mkdir -p "$share/icons/hicolor/scalable/apps"
cp "$here/icons/attnexplorer.svg" "$share/icons/hicolor/scalable/apps/attnexplorer.svg"

# A desktop does not search the user's own bin folder everywhere, so the menu entry names the whole path.
escaped=$(printf '%s' "$place/attnexplorer" | sed 's/[\\&|]/\\&/g')
sed "s|^Exec=attnexplorer|Exec=\"$escaped\"|" "$here/attnexplorer.desktop" >"$share/applications/attnexplorer.desktop"
cp "$here/attnexplorer.xml" "$share/mime/packages/attnexplorer.xml"

if command -v update-mime-database >/dev/null; then update-mime-database "$share/mime" || true; fi
if command -v update-desktop-database >/dev/null; then update-desktop-database "$share/applications" || true; fi

echo "Attention Explorer is installed in $place."
echo "It is in the menu of programs, and $prefix/bin/attnexplorer starts it too."
echo "$place/uninstall.sh $prefix removes it."
