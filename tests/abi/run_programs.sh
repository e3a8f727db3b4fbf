#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs that were compiled against the state that was accepted last: they link with the installed library,
# run, and print what the same source prints when it is compiled anew.
# usage: run_programs.sh BUILD_DIR SOURCE_DIR CPU CC NAME...     (CC may hold several words)
set -eu
build=$1 source=$2 accepted=$2/tests/abi/$3 cpu=$3 cc=$4
shift 4
if [ ! -d "$accepted" ]; then
    echo "SKIP programs: there are no objects for $cpu"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck source=tests/consumer/installed.sh
. "$source/tests/consumer/installed.sh"
install_build "$build" "$work/root"

bad=0
for name; do
    # shellcheck disable=SC2046,SC2086 # flags are words
    $cc -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -o "$work/anew" \
        "$source/tests/abi/programs/$name.c" $(pkg-config --cflags --libs fighter-tasks)
    # shellcheck disable=SC2046,SC2086 # flags are words
    $cc -o "$work/old" "$accepted/$name.o" $(pkg-config --libs fighter-tasks)
    for program in anew old; do
        "$work/$program" "$accepted/model.safetensors" >"$work/$program.out" || {
            echo "$name, compiled $program: gave $?"
            tail -n 3 "$work/$program.out"
            bad=1
        }
    done
    if diff "$work/old.out" "$work/anew.out"; then
        echo "$name: $(wc -l <"$work/old.out") lines, the same"
    else
        echo "$name: compiled before (<) it behaves otherwise than compiled anew (>); see docs/abi.md"
        bad=1
    fi
done
exit "$bad"
