#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds the site: the documents and the headers as pages, with a search. Installs what is missing (Debian,
# and Sphinx into build-site/venv). A link to a page that is not there, and every other warning, is an error.
# usage: tools/site.sh
#   build-site/html/index.html   the first page
set -eu
cd "$(dirname "$0")/.."
. tools/need.sh
need python3 command -v python3
need python3-venv python3 -c 'import ensurepip, venv'
need doxygen command -v doxygen
install_missing || exit 1

here=$PWD build=$PWD/build-site
mkdir -p "$build/doxygen"
if ! cmp -s docs/site/requirements.txt "$build/venv/requirements.txt"; then
    rm -rf "$build/venv"
    python3 -m venv "$build/venv"
    "$build/venv/bin/pip" install --quiet --disable-pip-version-check -r docs/site/requirements.txt
    cp docs/site/requirements.txt "$build/venv/"
fi
FIGHTER_VERSION=$(sed -n "s/^ *version: '\(.*\)',/\1/p" meson.build)
FIGHTER_XML=$build/doxygen/xml
export FIGHTER_VERSION FIGHTER_XML

# The same settings as for the pages of Doxygen, but only the headers, and as XML.
{
    sed -e "s|@VERSION@|$FIGHTER_VERSION|; s|@ROOT@|$here|g; s|@OUTPUT@|$build/doxygen|" \
        -e "s|@PYTHON@|python3|g; s|@LOG@|$build/doxygen/log|; /@MAINPAGE@/d" \
        -e "s|@INPUT@|\"$here/include/fighter\"|" docs/Doxyfile.in
    printf '%s\n' 'RECURSIVE = YES' 'GENERATE_HTML = NO' 'GENERATE_XML = YES' 'XML_PROGRAMLISTING = NO'
} >"$build/doxygen/Doxyfile"
rm -rf "$FIGHTER_XML"
doxygen "$build/doxygen/Doxyfile"
if [ -s "$build/doxygen/log" ]; then
    cat "$build/doxygen/log" >&2
    exit 1
fi

python3 docs/site/stage.py . "$build/source"
"$build/venv/bin/sphinx-build" --quiet --fail-on-warning --keep-going --jobs auto -b html \
    -d "$build/doctrees" "$build/source" "$build/html"
echo "$build/html/index.html"
