#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs all the tests in four builds; installs what is missing (Debian). The last line counts them, the
# exit status is 0 only if none failed. usage: tools/test.sh [--kernels]
#   build              release, shared and static, docs, consumers
#   build-asan         address and undefined-behaviour sanitisers, assertions on
#   build-blis-static  BLIS inside the library: what is exported, what a program links
#   build-ref          plain C products, no vector kernels, no zlib, no FFT, archive alone
#   --kernels          the release build's tests again with each of BLIS's kernels that runs here
set -u
kernels=${1:-}
[ -z "$kernels" ] || [ "$kernels" = --kernels ] || {
    echo "usage: tools/test.sh [--kernels]" >&2
    exit 2
}
cd "$(dirname "$0")/.." || exit 2
. tools/need.sh

need_toolchain
need g++ command -v c++
need binutils command -v readelf
need libcmocka-dev pkg-config --exists cmocka
need libcairo2-dev pkg-config --exists cairo
need doxygen command -v doxygen
need python3-numpy python3 -c 'import numpy'
need abigail-tools command -v abidiff
need locales test -e /usr/share/i18n/locales/de_DE
install_missing || exit 1

passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# A sanitiser's report ends the program; a huge malloc under it fails as it does without.
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1
export LSAN_OPTIONS=suppressions=$PWD/tests/tools/lsan.supp:print_suppressions=0

# run DIR "MESON TEST ARGUMENTS" SETUP_ARGUMENTS...
run() {
    dir=$1 selection=$2
    shift 2
    echo "== $dir"
    [ ! -f "$dir/build.ninja" ] || set -- --reconfigure "$@"
    if ! meson setup --wrap-mode=nodownload -Dwerror=true "$@" "$dir" >"$log" 2>&1 ||
        ! ninja -C "$dir" >"$log" 2>&1; then
        tail -n 60 "$log"
        echo "$dir: does not build"
        failed=$((failed + 1))
        return
    fi
    run_tests "$dir" "$selection"
}

# run_tests DIR "MESON TEST ARGUMENTS": of a build that is there
run_tests() {
    dir=$1 selection=$2
    testlog=$dir/meson-logs/testlog.txt
    rm -f "$testlog"
    # shellcheck disable=SC2086 # a list of words
    meson test -C "$dir" --no-rebuild --print-errorlogs $selection >"$log" 2>&1
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

# debug: the types of the interface, which tests/abi compares, are in the debug information
run build '' --buildtype=release -Ddebug=true -Dtests=enabled -Dexamples=enabled -Dplots=enabled \
    -Ddocs=enabled
run build-asan '' --buildtype=debugoptimized -Db_sanitize=address,undefined -Db_lundef=false \
    -Dtests=enabled -Ddefault_library=shared
run build-blis-static '--suite tools --suite abi --suite consumer' --buildtype=release -Ddebug=true \
    -Dblas=blis-static -Dtests=enabled -Dexamples=disabled -Dbench=disabled
run build-ref '--no-suite headers --no-suite subproject' --buildtype=debugoptimized -Dblas=ref \
    -Dsimd=none -Dzlib=disabled -Dfft=disabled -Ddefault_library=static -Dtests=enabled \
    -Dexamples=disabled -Dbench=disabled

# The number that this BLIS has for a sub-configuration: before 2.0 the variable takes no names.
arch_number() {
    header=blis.h
    echo '#include <blis/blis.h>' | cc -E - >"$log" 2>&1 && header=blis/blis.h
    printf '#include <%s>\nint number = BLIS_ARCH_%s;\n#include <stdio.h>\n%s\n' "$header" "$1" \
        'int main(void) { return printf("%d", number) < 0; }' | cc -x c -o "$log.out" - -lblis -lm &&
        "$log.out"
    rm -f "$log.out"
}

# run_kernels NAME CPU_FLAG: what multiplies matrices, with these kernels of BLIS
run_kernels() {
    if ! grep -qw "$2" /proc/cpuinfo; then
        echo "SKIP kernels $1: this processor has no $2"
        skipped=$((skipped + 1))
        return
    fi
    BLIS_ARCH_TYPE=$(arch_number "$(echo "$1" | tr '[:lower:]' '[:upper:]')")
    export BLIS_ARCH_TYPE
    echo "== build, BLIS_ARCH_TYPE=$BLIS_ARCH_TYPE ($1)"
    if build/bench/bench --json --seconds 0 --case rnn-seed | grep -q "\"blas\": \"$1\""; then
        run_tests build '--suite unit --suite abi --suite examples'
    else
        echo "kernels $1: not what runs"
        failed=$((failed + 1))
    fi
    unset BLIS_ARCH_TYPE
}

if [ "$kernels" ]; then
    run_kernels skx avx512f
    run_kernels haswell avx2
    run_kernels zen3 avx2
    run_kernels generic fpu
fi

if [ "$skipped" -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ]
