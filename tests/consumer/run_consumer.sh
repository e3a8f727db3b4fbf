#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs a build into an empty place and uses it as a stranger would: nothing but pkg-config.
# usage: run_consumer.sh BUILD_DIR SOURCE_DIR CC [CXX]     (CC may hold several words)
set -eu
build=$1 here=$2/tests/consumer cc=$3 cxx=${4:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck source=tests/consumer/installed.sh
. "$here/installed.sh"
install_build "$build" "$work/root"

pkg-config --validate fighter
if grep -n "$build\|$2" "$pc"; then
    echo "fighter.pc names the build or source folder"
    exit 1
fi

# A host gets no flags but the folder of the headers, and asks for no other package.
for how in "" --static; do
    for flag in $(pkg-config $how --cflags fighter); do
        [ "${flag#-I"$work/root"}" != "$flag" ] || {
            echo "pkg-config $how --cflags fighter: $flag is not for hosts"
            exit 1
        }
    done
done
[ -z "$(pkg-config --print-requires --print-requires-private fighter)" ] || {
    echo "fighter.pc requires other packages"
    exit 1
}
doc=$(dirname "$(find "$work/root" -name COPYING)")
[ -f "$doc/COPYING" ] || {
    echo "COPYING is not installed"
    exit 1
}

# shellcheck disable=SC2046,SC2086 # flags are words
compile() { # LABEL COMPILER FLAGS FILE PKG_CONFIG_ARGS...
    label=$1 compiler=$2 flags=$3 file=$4
    shift 4
    $compiler $flags -Wall -Wextra -Werror -o "$work/$label" "$here/$file" \
        $(pkg-config "$@" --cflags --libs fighter)
    echo "== $label"
    "$work/$label"
}

# With the shared library, and as a C++ program.
if ls "$lib"/libfighter.so >/dev/null 2>&1; then
    compile shared "$cc" -std=c11 consumer.c
    readelf -d "$work/shared" | grep -q 'NEEDED.*libfighter\.so\.0\.1\]' || {
        echo "the program does not ask for libfighter.so.0.1"
        exit 1
    }
    [ -z "$cxx" ] || compile shared_cxx "$cxx" -std=c++11 consumer.cpp
    for example in "$doc"/examples/*.c; do
        [ -f "$example" ] || continue # a build without examples and programs
        # shellcheck disable=SC2046,SC2086 # flags are words
        $cc -std=c11 -D_POSIX_C_SOURCE=200809L -o "$work/example" "$example" \
            $(pkg-config --cflags --libs fighter) -pthread -lm
        [ "${example##*/}" != 01_minimal.c ] || (cd "$work" && ./example)
    done
fi

# With the archive: the shared library is taken away, so that nothing else can be linked.
if ls "$lib"/libfighter.a >/dev/null 2>&1; then
    rm -f "$lib"/libfighter.so*
    compile static "$cc" -std=c11 consumer.c --static
    if readelf -d "$work/static" | grep 'NEEDED.*fighter'; then
        echo "the static program asks for a shared fighter"
        exit 1
    fi
    [ -z "$cxx" ] || compile static_cxx "$cxx" -std=c++11 consumer.cpp --static
fi
