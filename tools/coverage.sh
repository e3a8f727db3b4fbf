#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Which lines of lib the tests reach, by clang and llvm-cov: a table by file, then the lines that nothing
# reaches. Builds build-coverage; runs the tests and replays the fuzz corpora.
# usage: tools/coverage.sh [--help] [CORPUS...]
#   CORPUS  a folder fuzz_NAME of further inputs, such as a campaign leaves; it is replayed as well
set -u
case ${1:-} in
-*)
    sed -n '3,6s/^# //p' "$0"
    [ "$1" = --help ]
    exit
    ;;
esac
cd "$(dirname "$0")/.." || exit 2

for tool in clang llvm-profdata llvm-cov; do
    command -v "$tool" >/dev/null || {
        echo "$0: there is no $tool (Debian's packages clang and llvm)" >&2
        exit 1
    }
done

build=$PWD/build-coverage
[ -f "$build/build.ninja" ] ||
    CC=clang meson setup --wrap-mode=nodownload -Doptimization=1 -Ddefault_library=shared -Dtests=enabled \
        -Dexamples=enabled -Dprograms=enabled -Dbench=disabled \
        -Dc_args='-fprofile-instr-generate -fcoverage-mapping' \
        -Dc_link_args=-fprofile-instr-generate "$build" >&2 || exit 1
ninja -C "$build" >&2 || exit 1

# %m: one file for each program, to which every run of it adds.
rm -rf "$build/profile"
export LLVM_PROFILE_FILE="$build/profile/%m.profraw"
# The tests in double are of another library; those of the headers and of style run nothing of ours.
meson test -C "$build" --no-rebuild --suite unit --suite fuzz --suite abi --suite examples >&2
status=$?
for corpus; do
    "$build/tests/fuzz/replay_$(basename "$corpus")" "$corpus" >&2 || status=1
done

# A program that a test kills may leave half a profile.
llvm-profdata merge -sparse -failure-mode=all -o "$build/tests.profdata" "$build"/profile/*.profraw || exit 1
llvm-cov export -format=lcov -instr-profile "$build/tests.profdata" "$build/lib/libfighter.so" \
    -object "$build/lib/libfighter-tasks.so" \
    >"$build/lcov" || exit 1

# "SF:file", "DA:line,count"; a file that is compiled more than once has one list for all its objects.
awk '
    function percent(part, all) { return all ? 100 * part / all : 100 }
    /^SF:/ { file = $0; sub(/^.*\/build-coverage\/\.\.\//, "", file) }
    file !~ /^lib\// { next }
    /^DA:/ {
        split(substr($0, 4), da, ",")
        lines[file]++
        all++
        if (da[2] > 0) { reached[file]++; sum++ } else missed[++count] = file ":" da[1]
    }
    END {
        format = "%6d lines %6.1f %%  %s\n"
        sort = "sort -k5"
        for (file in lines)
            printf format, lines[file], percent(reached[file], lines[file]), file | sort
        close(sort)
        printf format "\nNothing reaches these:\n", all, percent(sum, all), "lib"
        for (i = 1; i <= count; i++) {
            split(missed[i], place, ":")
            if (place[1] != open) {
                if (open) close(open)
                open = place[1]
                at = 0
            }
            while (at < place[2] && (getline text < open) > 0) at++
            print missed[i] ": " text
        }
    }' "$build/lcov"
exit "$status"
