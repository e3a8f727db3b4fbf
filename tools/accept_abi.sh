#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Accepts the ABI of this tree as the one that later changes are held to, and writes it to tests/abi/CPU:
# NAME.abi of each library, a model file, and the programs of tests/abi/programs as objects. After additions
# the objects stay, because programs that are older say more. usage: tools/accept_abi.sh [--unreleased]
#   --unreleased   no release has the state that was accepted before, so that it may be broken
set -u
option=${1:-}
[ -z "$option" ] || [ "$option" = --unreleased ] || {
    echo "usage: tools/accept_abi.sh [--unreleased]" >&2
    exit 2
}
cd "$(dirname "$0")/.." || exit 2
. tools/need.sh
need_toolchain
need gcc command -v gcc
need abigail-tools command -v abidiff
install_missing || exit 1

accepted=tests/abi/$(uname -m)
if [ ! -d "$accepted" ]; then
    echo "the state is accepted on another kind of processor: there is no $accepted" >&2
    exit 1
fi
again=
[ ! -f build-abi/build.ninja ] || again=--reconfigure
# shellcheck disable=SC2086 # one word or none
CC=gcc meson setup $again --buildtype=debug -Dtests=disabled -Dprograms=disabled -Dexamples=disabled \
    -Dbench=disabled build-abi &&
    ninja -C build-abi || exit 1

stale=
for name in fighter fighter-tasks; do
    library=build-abi/lib/lib$name.so
    abi=$accepted/$name.abi
    [ ! -f "$abi" ] ||
        python3 tests/abi/abi.py compare "$abi" "$library" include/fighter >/dev/null 2>&1 || stale=1
    # shellcheck disable=SC2086 # one word or none
    python3 tests/abi/abi.py accept $option "$abi" "$library" include/fighter NEWS.md || exit 1
done
[ -z "$stale" ] || rm -f "$accepted"/*.o "$accepted/model.safetensors"

# No fortified calls and no canaries: what another libc may not have.
for source in tests/abi/programs/*.c; do
    object=$accepted/$(basename "${source%.c}").o
    [ -f "$object" ] || gcc -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Werror -O2 -fPIE -U_FORTIFY_SOURCE \
        -fno-stack-protector -fno-asynchronous-unwind-tables -fno-ident -Iinclude -c "$source" -o "$object" ||
        exit 1
done
if [ ! -f "$accepted/model.safetensors" ]; then
    gcc -o build-abi/model_file "$accepted/model_file.o" -Lbuild-abi/lib -lfighter-tasks -lfighter &&
        LD_LIBRARY_PATH=build-abi/lib build-abi/model_file "$accepted/model.safetensors" save || exit 1
fi
git status --short "$accepted"
