# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Sourced by test.sh: the release build's tests with each of BLIS's kernels.
# shellcheck disable=SC2154 # log, skipped: of builds.sh

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
        fail "kernels $1: not what runs"
    fi
    unset BLIS_ARCH_TYPE
}
