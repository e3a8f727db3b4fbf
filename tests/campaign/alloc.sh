#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every allocation of every call fails once: through the context's hook in BUILD, and in malloc() itself in a
# build without sanitisers, which is kept in STATE. usage: alloc.sh BUILD STATE SECONDS
set -u
[ $# -eq 3 ] || {
    echo "usage: alloc.sh BUILD STATE SECONDS" >&2
    exit 2
}
build=$1 state=$2
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 2

# sweep PROGRAM: its counts, or a finding
sweep() {
    if ! output=$("$1" 1 2>"$state/message"); then
        printf 'FINDING\tallocations: %s\n' "$(tail -n 1 "$state/message")"
        return
    fi
    echo "$output"
}

# Where a sanitiser is, malloc() is its own.
plain=$build/tests/campaign/sweep_malloc
if [ ! -x "$plain" ]; then
    plain=$state/build/tests/campaign/sweep_malloc
    [ -f "$state/build/build.ninja" ] ||
        meson setup --buildtype=release -Dtests=enabled "$state/build" "$root" >&2 || exit 1
    ninja -C "$state/build" tests/campaign/sweep_malloc >&2 || exit 1
fi
sweep "$build/tests/campaign/sweep_hook"
sweep "$plain"
