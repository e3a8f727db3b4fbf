#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs what is too long for CI, for so many minutes, and says what was counted and found in all runs so far.
# usage: tools/campaign.sh [--report] [MINUTES]
#   MINUTES    in all (default 60; 0: only the table of earlier runs); three quarters are for the fuzz
#              programs, the rest is shared by the other parts, tests/campaign/*.sh
#   --report   writes the table into docs/trust.md, too
#   build-campaign        clang, fuzz programs, address and undefined-behaviour sanitisers, assertions on
#   build-campaign-state  corpora, findings and counts of all runs; a further run continues with them
# The exit status is 1 if this run found something, 2 if it could not run.
set -u
usage() {
    echo "usage: tools/campaign.sh [--report] [MINUTES]"
}

minutes=60 report=
for argument; do
    case $argument in
    --help) usage && exit 0 ;;
    --report) report=1 ;;
    *[!0-9]* | '') usage >&2 && exit 2 ;;
    *) minutes=$argument ;;
    esac
done
cd "$(dirname "$0")/.." || exit 2
. tools/need.sh

need_toolchain
need clang command -v clang
need libcmocka-dev pkg-config --exists cmocka
install_missing || exit 2

build=build-campaign state=build-campaign-state
counts=$state/counts.tsv findings=$state/findings.tsv # lines: date, commit, part, what, number or sentence
mkdir -p "$state" || exit 2
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
trap 'exit 2' INT TERM

compile() {
    set -- --buildtype=debugoptimized -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false \
        -Dtests=enabled -Dexamples=disabled -Dprograms=disabled -Dbench=disabled
    [ ! -f "$build/build.ninja" ] || set -- --reconfigure "$@"
    CC=clang meson setup --wrap-mode=nodownload "$@" "$build" >"$log" 2>&1 && ninja -C "$build" >"$log" 2>&1
}

# run_part SCRIPT SECONDS: appends its counts and findings; what it said goes to stderr
run_part() {
    name=$(basename "$1" .sh)
    echo "campaign: $name, $2 s" >&2
    mkdir -p "$state/$name"
    sh "$1" "$build" "$state/$name" "$2" >"$log" || {
        status=$?
        printf 'FINDING\tthe part %s ended with status %s\n' "$name" "$status" >>"$log"
    }
    for kind in COUNT FINDING; do
        file=$counts
        [ $kind = COUNT ] || file=$findings
        awk -F '\t' -v OFS='\t' -v kind=$kind -v date="$date" -v commit="$commit" -v part="$name" \
            '$1 == kind { $1 = date OFS commit OFS part; print }' "$log" >>"$file"
    done
}

processor() {
    sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1 | grep . || uname -m
}

# The table in Markdown: sums over all runs, by part and by what was counted.
table() {
    echo "| part | counted | number |"
    echo "|---|---|---:|"
    awk -F '\t' '
        { key = $3 "\t" $4; if (!(key in sum)) order[++n] = key; sum[key] += $5 }
        END { for (i = 1; i <= n; i++) printf "%s\t%.0f\n", order[i], sum[order[i]] }' "$counts" |
        sort | awk -F '\t' '
        # 1234567 as 1,234,567
        function grouped(s) {
            while (s ~ /[0-9][0-9][0-9][0-9]/) sub(/[0-9][0-9][0-9](,|$)/, ",&", s)
            return s
        }
        { printf "| %s | %s | %s |\n", $1, $2, grouped($3) }
        $2 ~ /^executions of fuzz_/ { all += $3 }
        END { printf "| fuzz | executions of all fuzz programs | %s |\n", grouped(sprintf("%.0f", all)) }'
    echo
    awk -F '\t' 'NR == 1 { first = $1 } { last = $1 } !seen[$2]++ { commits = commits " " $2 }
        END { printf "From %s to %s; commits:%s.\n", first, last, commits }' "$counts"
    echo "$(clang --version | head -n 1); $(processor)."
    echo
    if [ -s "$findings" ]; then
        echo "Findings:"
        echo
        awk -F '\t' '{ printf "- %s, %s: %s\n", $1, $2, $4 }' "$findings"
    else
        echo "Findings: none."
    fi
}

if [ "$minutes" -gt 0 ] && ! compile; then
    tail -n 40 "$log" >&2
    echo "campaign: $build does not build" >&2
    exit 2
fi
date=$(date +%Y-%m-%d)
commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
[ -z "$(git status --porcelain --untracked-files=no 2>/dev/null)" ] || commit=$commit+
touch "$counts" "$findings"
before=$(wc -l <"$findings")

set --
[ "$minutes" -eq 0 ] || set -- tests/campaign/*.sh
share=$((minutes * 15 / ($# > 1 ? $# - 1 : 1) + 1))
for part; do
    case $part in
    */fuzz.sh) run_part "$part" $((minutes * 45 + 1)) ;;
    *) run_part "$part" $share ;;
    esac
done

table
if [ "$report" ]; then
    table | python3 -c '
import sys
sys.path.insert(0, "tools")
import marked
marked.write("docs/trust.md", "campaign", sys.stdin.read().splitlines())'
fi
[ "$(wc -l <"$findings")" -eq "$before" ]
