#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The libraries alone, as archives, and a program that needs no shared library at all. Where the C library or
# BLIS has no archive, the test is skipped.
# usage: run_static.sh SOURCE_DIR CC     (CC may hold several words)
set -eu
cc=$2 here=$1/tests/consumer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo 'void bli_init(void); int main(void) { bli_init(); return 0; }' >"$work/archives.c"
# shellcheck disable=SC2086 # words
if ! $cc -static -o "$work/archives" "$work/archives.c" -l:libblis.a -pthread -lm 2>"$work/log" &&
    ! $cc -static -o "$work/archives" "$work/archives.c" -l:libblis.a -lgomp -pthread -lm 2>"$work/log"; then
    cat "$work/log"
    echo "SKIP no archive of BLIS, or of the C library"
    exit 77
fi

meson setup "$work/build" "$1" -Dauto_features=disabled -Dtext=auto -Dzlib=auto -Dfft=auto \
    -Ddefault_library=static -Dprefer_static=true -Doptimization=0 -Dsimd=none
ninja -C "$work/build"
if find "$work/build/tests" "$work/build/examples" "$work/build/bench" 2>/dev/null | grep .; then
    echo "more than the libraries was built"
    exit 1
fi
# shellcheck source=tests/consumer/installed.sh
. "$here/installed.sh"
install_build "$work/build" "$work/root"
# shellcheck disable=SC2046,SC2086 # flags are words
$cc -static -o "$work/consumer" "$here/consumer.c" $(pkg-config --static --cflags --libs fighter)
# shellcheck disable=SC2046,SC2086 # flags are words
$cc -static -o "$work/tasks" "$here/tasks.c" $(pkg-config --static --cflags --libs fighter-tasks)
for program in consumer tasks; do
    "$work/$program"
    if readelf -d "$work/$program" | grep NEEDED; then
        echo "the program $program needs shared libraries"
        exit 1
    fi
done
