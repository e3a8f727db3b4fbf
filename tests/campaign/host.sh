#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What calls leave as it is in the host's process, also while signals interrupt them, again and again for
# about SECONDS. usage: host.sh BUILD STATE SECONDS
set -u
[ $# -eq 3 ] || {
    echo "usage: host.sh BUILD STATE SECONDS" >&2
    exit 2
}
end=$(($(date +%s) + $3))
while :; do
    # sanitisers need more stack than a host has to give
    if ! "$1/tests/campaign/host" --no-stack 2>"$2/message"; then
        printf 'FINDING\thost: %s\n' "$(tail -n 1 "$2/message")"
        exit
    fi
    [ "$(date +%s)" -lt "$end" ] || exit 0
done
