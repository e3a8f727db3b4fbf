#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Training with checkpoints, killed at 500 random moments and resumed. usage: kill.sh BUILD STATE SECONDS
set -u
[ $# -eq 3 ] || {
    echo "usage: kill.sh BUILD STATE SECONDS" >&2
    exit 2
}
if ! output=$("$1/tests/campaign/kill" 500 2>"$2/message"); then
    printf 'FINDING\tkills: %s\n' "$(tail -n 1 "$2/message")"
    exit
fi
echo "$output"
