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

# A host gets no flags but the folder of the headers. The engine asks for no other package, the tasks only for
# the engine of their version.
for package in fighter fighter-tasks; do
    pkg-config --validate $package
    if grep -n "$build\|$2" "$lib/pkgconfig/$package.pc"; then
        echo "$package.pc names the build or source folder"
        exit 1
    fi
    for how in "" --static; do
        for flag in $(pkg-config $how --cflags $package); do
            [ "${flag#-I"$work/root"}" != "$flag" ] || {
                echo "pkg-config $how --cflags $package: $flag is not for hosts"
                exit 1
            }
        done
    done
done
version=$(pkg-config --modversion fighter)
[ -z "$(pkg-config --print-requires --print-requires-private fighter)" ] || {
    echo "fighter.pc requires other packages"
    exit 1
}
[ "$(pkg-config --print-requires --print-requires-private fighter-tasks)" = "fighter = $version" ] || {
    echo "fighter-tasks.pc does not require fighter = $version alone"
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
    $compiler $flags -Wall -Wextra -Werror -o "$work/$label" "$here/$file" $(pkg-config --cflags --libs "$@")
    echo "== $label"
    "$work/$label"
}

# needs LABEL LIBRARY: whether a program or library asks for a library when it is loaded
needs() {
    readelf -d "$1" | grep -q "NEEDED.*\[$2\.so\.0\]"
}

# With the shared library, and as a C++ program.
if ls "$lib"/libfighter.so >/dev/null 2>&1; then
    compile shared "$cc" -std=c11 consumer.c fighter
    needs "$work/shared" libfighter || {
        echo "the program does not ask for libfighter.so.0"
        exit 1
    }
    [ -z "$cxx" ] || compile shared_cxx "$cxx" -std=c++11 consumer.cpp fighter
    compile shared_tasks "$cc" -std=c11 tasks.c fighter-tasks
    needs "$work/shared_tasks" libfighter-tasks || {
        echo "the program of tables does not ask for libfighter-tasks.so.0"
        exit 1
    }
    # The engine reads no files of users, so it needs none of the libraries for them.
    if readelf -d "$lib/libfighter.so" | grep -E 'NEEDED.*lib(z|png|jpeg|utf8proc)'; then
        echo "libfighter.so needs a library that only fighter-tasks should need"
        exit 1
    fi
    # The tasks refuse an engine of another version, even if it has the same soname.
    mkdir "$work/other"
    sed "s/FIGHTER_PRIVATE_$version/FIGHTER_PRIVATE_9.9.9/" "$lib/libfighter.so.$version" \
        >"$work/other/libfighter.so.0"
    if LD_LIBRARY_PATH="$work/other:$lib" "$work/shared_tasks" >"$work/refused" 2>&1; then
        echo "fighter-tasks $version runs with an engine of another version"
        exit 1
    fi
    grep -q "FIGHTER_PRIVATE_$version" "$work/refused" || {
        cat "$work/refused"
        echo "fighter-tasks fails with another engine, but not for its version"
        exit 1
    }
    for example in "$doc"/examples/*.c; do
        [ -f "$example" ] || continue # a build without examples and programs
        # shellcheck disable=SC2046,SC2086 # flags are words
        $cc -std=c11 -D_POSIX_C_SOURCE=200809L -o "$work/example" "$example" \
            $(pkg-config --cflags --libs fighter-tasks) -pthread -lm
        [ "${example##*/}" != 01_minimal.c ] || (cd "$work" && ./example)
    done
fi

# With the archives: the shared libraries are taken away, so that nothing else can be linked.
if ls "$lib"/libfighter.a >/dev/null 2>&1; then
    rm -f "$lib"/libfighter*.so*
    compile static "$cc" -std=c11 consumer.c --static fighter
    compile static_tasks "$cc" -std=c11 tasks.c --static fighter-tasks
    for program in static static_tasks; do
        if readelf -d "$work/$program" | grep 'NEEDED.*fighter'; then
            echo "the program $program asks for a shared fighter"
            exit 1
        fi
    done
    [ -z "$cxx" ] || compile static_cxx "$cxx" -std=c++11 consumer.cpp --static fighter
fi
