#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# All fuzz programs in turn, two at a time, then damaged model files; a part of tools/campaign.sh.
# usage: tests/campaign/fuzz.sh BUILD STATE SECONDS
#   BUILD    built with clang, -Dfuzz=true -Db_sanitize=address,undefined
#   STATE    keeps corpora, logs, and the inputs that were findings
#   SECONDS  in all; a program gets its share of them
set -u
if [ $# -ne 3 ] || [ ! -d "$1" ]; then
    echo "usage: tests/campaign/fuzz.sh BUILD STATE SECONDS" >&2
    exit 2
fi
build=$1 state=$2 seconds=$3
here=$(dirname "$0")/../fuzz
jobs=2
mkdir -p "$state/corpus" "$state/log" "$state/findings" || exit 2

# A huge malloc fails as it does without a sanitiser; freed memory is kept apart for a short time only,
# because it would otherwise push everything else out of the caches.
export ASAN_OPTIONS=allocator_may_return_null=1:quarantine_size_mb=16:detect_stack_use_after_return=0
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export LSAN_OPTIONS="suppressions=$here/../tools/lsan.supp:print_suppressions=0"

# fuzz NAME SHARE: executions are followed by coverage; inputs that reach something new are kept.
fuzz() {
    name=$1 share=$2
    mkdir -p "$state/corpus/$name"
    # shellcheck disable=SC2046 # words
    set -- $(awk -v name="$name" '$1 == name { print $2, $3, $4 == "" ? 2048 : $4 }' "$here/limits.txt") \
        4096 - 2048
    dict=
    [ "$2" = - ] || dict=-dict=$here/$2
    # Entropic scheduling and smaller forms of kept inputs cost more here than they find.
    "$build/tests/fuzz/$name" -max_total_time="$share" -max_len="$1" ${dict:+"$dict"} -timeout=5 \
        -rss_limit_mb=2048 -malloc_limit_mb="$3" -entropic=0 -reduce_inputs=0 -print_final_stats=1 \
        -artifact_prefix="$state/findings/$name-" "$state/corpus/$name" "$here/corpus/$name" \
        >"$state/log/$name" 2>&1
    echo $? >"$state/log/$name.status"
}

# report NAME: counts and findings of its last run
report() {
    executed=$(awk '/^stat::number_of_executed_units:/ { n += $2 } END { print n + 0 }' "$state/log/$1")
    printf 'COUNT\texecutions of %s\t%s\n' "$1" "$executed"
    echo "fuzz: $1: $executed executions" >&2
    [ "$(cat "$state/log/$1.status")" -ne 0 ] || return 0
    finding "$1" "$state/log/$1"
}

# finding NAME LOG: one sentence, from what the sanitiser or the program said
finding() {
    words=$(grep -a -m 1 -E 'SUMMARY|runtime error|^fgt_|ERROR' "$2" | tr '\t' ' ' | cut -c 1-200)
    input=$(sed -n 's/.*Test unit written to //p' "$2" | tail -n 1)
    printf 'FINDING\t%s: %s%s\n' "$1" "${words:-it ended with an error}" "${input:+, input $input}"
}

# damage NAME SHARE: model files with understanding damaged, as many as there is time for. Each call continues
# with damages that were not tried before.
damage() {
    name=$1
    end=$(($(date +%s) + $2))
    log=$state/log/replay_$name
    total=0
    while [ "$(date +%s)" -lt "$end" ]; do
        seed=$(($(cat "$state/seed-$name" 2>/dev/null || echo 1) + 1))
        echo "$seed" >"$state/seed-$name"
        if ! "$build/tests/fuzz/replay_$name" --damages 200 --seed "$seed" "$here/corpus/$name" >"$log" 2>&1
        then
            cp "$log" "$state/findings/replay_$name-$seed"
            finding "replay_$name --damages 200 --seed $seed" "$log"
            break
        fi
        # "17 files, 200 damaged copies of each; 2351 accepted, 1066 refused"
        total=$(awk -v total="$total" '{ print total + $1 * $3 }' "$log")
    done
    printf 'COUNT\tdamaged files given to %s\t%s\n' "$name" "$total"
    echo "fuzz: $name: $total damaged files" >&2
}

programs=$(cd "$build/tests/fuzz" && find . -maxdepth 1 -type f -name 'fuzz_*' -perm -u+x | sed 's|^\./||' |
    grep -v '^fuzz_seeds$' | sort)
[ -n "$programs" ] || {
    echo "fuzz.sh: $build has no fuzz programs; build it with clang and -Dfuzz=true" >&2
    exit 2
}
models='fuzz_checkpoint fuzz_classifier fuzz_forecaster fuzz_model fuzz_weights'

# A tenth of the time is for damaged files.
# shellcheck disable=SC2086 # lists of words
set -- $programs
share=$((seconds * 9 * jobs / 10 / $#))
[ "$share" -ge 1 ] || share=1
while [ $# -gt 0 ]; do
    pair="$1 ${2:-}"
    shift
    [ $# -eq 0 ] || shift
    for name in $pair; do fuzz "$name" "$share" & done
    wait
    for name in $pair; do report "$name"; done
done
# shellcheck disable=SC2086 # a list of words
set -- $models
share=$((seconds / 10 / $#))
[ "$share" -ge 1 ] || share=1
for name in "$@"; do damage "$name" "$share"; done
