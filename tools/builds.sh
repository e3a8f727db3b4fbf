# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Sourced by test.sh: makes one build after the other, runs tests in each, and counts.

passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# A sanitiser's report ends the program; a huge malloc under it fails as it does without.
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1
export MSAN_OPTIONS=allocator_may_return_null=1
export TSAN_OPTIONS=halt_on_error=1:allocator_may_return_null=1
export LSAN_OPTIONS="suppressions=$PWD/tests/tools/lsan.supp:print_suppressions=0"

# fail SENTENCE
fail() {
    echo "$1"
    failed=$((failed + 1))
}

# lacks SENTENCE: root can install everything, so to root it is a failure; to others it is said and left out.
lacks() {
    if [ "$(id -u)" -eq 0 ]; then
        fail "$1"
    else
        echo "SKIP $1"
        skipped=$((skipped + 1))
    fi
}

# with COMMAND run DIR ...: what follows, if there is such a command.
with() {
    command=$1
    shift
    if command -v "$command" >/dev/null 2>&1; then
        "$@"
    else
        lacks "$2: there is no $command"
    fi
}

# with_sysroot "NAME ARCH SUITE PACKAGE..." run DIR ...: with what tools/cross/sysroot.sh fetches. A mirror
# that does not have it is no fault of the code: that is said, and counted as skipped.
with_sysroot() {
    sysroot=$1
    shift
    # shellcheck disable=SC2154 # as in run()
    case " $only " in '  ' | *" build-${sysroot%% *} "*) ;; *) return ;; esac
    # shellcheck disable=SC2086 # a list of words
    if tools/cross/sysroot.sh $sysroot >"$log" 2>&1; then
        "$@"
    else
        tail -n 5 "$log"
        echo "SKIP build-${sysroot%% *}: Debian's packages for it cannot be had"
        skipped=$((skipped + 1))
    fi
}

# run DIR "TESTS" SETUP_ARGUMENTS...: TESTS are arguments of `meson test`, or the names of programs of tests/,
# of which the others are not built. $targets, if it is set, is what is built.
run() {
    dir=$1 tests=$2
    shift 2
    # shellcheck disable=SC2154 # the builds that were asked for; none: all
    case " $only " in '  ' | *" $dir "*) ;; *) return ;; esac
    began=$(date +%s)
    echo "== $dir"
    # Meson keeps some old settings when it configures again, so a tree is configured once. Ninja does it
    # again if a meson.build has changed.
    if [ "$(cat "$dir/arguments" 2>/dev/null)" != "$*" ]; then rm -rf "$dir"; fi
    mkdir -p "$dir"
    programs=${targets:-}
    case $tests in
    '' | -*) ;;
    *) for name in $tests; do programs="$programs tests/$name"; done ;;
    esac
    # shellcheck disable=SC2086 # a list of words
    if { [ -f "$dir/build.ninja" ] || meson setup --wrap-mode=nodownload -Dwerror=true "$@" "$dir"; } \
        >"$log" 2>&1 && echo "$*" >"$dir/arguments" &&
        ninja -C "$dir" $programs >"$log" 2>&1; then
        run_tests "$dir" "$tests"
    else
        tail -n 60 "$log"
        fail "$dir: does not build"
    fi
    echo "   $(($(date +%s) - began)) s"
}

# run_for ARCH "TESTS" SETUP_ARGUMENTS...: for another processor, with what with_sysroot fetched
run_for() {
    arch=$1 tests=$2
    shift 2
    run "build-$arch" "$tests" --cross-file "build-sysroot/$arch/root.ini" \
        --cross-file "tools/cross/$arch.ini" "$@"
}

# run_tests DIR "MESON TEST ARGUMENTS": of a build that is there
run_tests() {
    dir=$1 tests=$2
    testlog=$dir/meson-logs/testlog.txt
    rm -f "$testlog"
    # Limits are for programs that hang, not for slow ones: an emulator takes ten times as long.
    # shellcheck disable=SC2086 # a list of words
    meson test -C "$dir" --no-rebuild --print-errorlogs --timeout-multiplier 3 $tests >"$log" 2>&1
    status=$?
    grep -v '^ *[0-9]*/[0-9]* .* OK ' "$log" | grep -v '^$'
    [ -f "$testlog" ] || : >"$testlog"
    # What a passing program left out, in its own words.
    grep '^SKIP' "$testlog" | sort -u
    # The summary's own numbers ("Ok:   12"), and cmocka's of cases (" 1 SKIPPED TEST(S)").
    # shellcheck disable=SC2046 # three numbers
    set -- $(awk '
        / SKIPPED TEST\(S\)$/ { skip += $1 }
        NF > 3 || $NF !~ /^[0-9]+$/ { next }
        /^(Ok|Expected Fail):/ { ok += $NF }
        /^(Fail|Unexpected Pass|Timeout):/ { bad += $NF }
        /^Skipped:/ { skip += $NF }
        END { print ok + 0, bad + 0, skip + 0 }' "$testlog")
    if [ "$status" -ne 0 ] && [ "$2" -eq 0 ] || [ "$1" -eq 0 ]; then
        echo "$dir: meson test gave $status and no failed test, or no test at all"
        set -- "$1" $(($2 + 1)) "$3"
    fi
    passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

# The last line; 1 if anything failed.
count() {
    if [ "$skipped" -gt 0 ]; then
        echo "$passed passed, $failed failed, $skipped skipped"
    else
        echo "$passed passed, $failed failed"
    fi
    [ "$failed" -eq 0 ]
}
