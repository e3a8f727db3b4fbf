#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fighter inside somebody else's Meson project; only the libraries must be built there.
# usage: run_subproject.sh SOURCE_DIR
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/subprojects"
ln -s "$1" "$work/subprojects/fighter"
cp "$1/tests/consumer/consumer.c" "$1/tests/consumer/tasks.c" "$work"
cat >"$work/meson.build" <<'END'
project('host', 'c', default_options: ['default_library=static', 'optimization=0'])
fighter_dep = dependency('fighter', fallback: 'fighter')
fighter_tasks_dep = dependency('fighter-tasks', fallback: ['fighter', 'fighter_tasks_dep'])
test('consumer', executable('consumer', 'consumer.c', dependencies: fighter_dep))
test('tasks', executable('tasks', 'tasks.c', dependencies: fighter_tasks_dep))
END

meson setup "$work/build" "$work" -Dfighter:simd=none
ninja -C "$work/build"
if find "$work/build/subprojects/fighter" -path '*/tests/*' -o -path '*/examples/*' | grep .; then
    echo "tests or examples were built inside somebody else's project"
    exit 1
fi
meson test -C "$work/build"
