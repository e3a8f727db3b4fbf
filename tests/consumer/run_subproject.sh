#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fighter inside somebody else's Meson project, by its wrap file; only the libraries must be built there.
# usage: run_subproject.sh SOURCE_DIR [ARCHIVE]     (ARCHIVE: unpacked by Meson in place of SOURCE_DIR)
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/subprojects/packagefiles"
cp "$1/packaging/fighter.wrap" "$work/subprojects"
folder=$(sed -n 's/^directory = //p' "$work/subprojects/fighter.wrap")
if [ $# -gt 1 ]; then
    cp "$2" "$work/subprojects/packagefiles"
else
    ln -s "$1" "$work/subprojects/$folder"
fi
cp "$1/tests/consumer/consumer.c" "$1/tests/consumer/tasks.c" "$work"
cat >"$work/meson.build" <<'END'
project('host', 'c', default_options: ['default_library=static', 'optimization=0'])
test('consumer', executable('consumer', 'consumer.c', dependencies: dependency('fighter')))
test('tasks', executable('tasks', 'tasks.c', dependencies: dependency('fighter-tasks')))
END

meson setup --wrap-mode=forcefallback "$work/build" "$work" -Dfighter:simd=none
ninja -C "$work/build"
if find "$work/build/subprojects/$folder" -path '*/tests/*' -o -path '*/examples/*' | grep .; then
    echo "tests or examples were built inside somebody else's project"
    exit 1
fi
meson test -C "$work/build"
