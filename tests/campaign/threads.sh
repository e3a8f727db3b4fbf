#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Odd executors, children of fork(), threads that the system refuses, again and again for about SECONDS.
# usage: threads.sh BUILD STATE SECONDS
set -u
[ $# -eq 3 ] || {
    echo "usage: threads.sh BUILD STATE SECONDS" >&2
    exit 2
}
end=$(($(date +%s) + $3))
while :; do
    if ! "$1/tests/campaign/threads" 10 2>"$2/message"; then
        printf 'FINDING\tthreads: %s\n' "$(tr '\n' ' ' <"$2/message")"
        exit
    fi
    [ "$(date +%s)" -lt "$end" ] || exit 0
done
