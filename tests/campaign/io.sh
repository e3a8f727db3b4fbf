#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every call that reads or writes a file fails once, in each of several ways.
# usage: io.sh BUILD STATE SECONDS
set -u
[ $# -eq 3 ] || {
    echo "usage: io.sh BUILD STATE SECONDS" >&2
    exit 2
}
if ! output=$("$1/tests/campaign/io" 1 2>"$2/message"); then
    printf 'FINDING\tinput and output: %s\n' "$(tail -n 1 "$2/message")"
    exit
fi
echo "$output"
