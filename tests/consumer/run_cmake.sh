#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs a build into an empty place and uses it from CMake: the shared libraries, then the archives.
# usage: run_cmake.sh BUILD_DIR SOURCE_DIR CC     (CC may hold several words)
set -eu
here=$2/tests/consumer
export CC="$3"
command -v cmake >/dev/null || {
    echo "SKIP no cmake"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck source=tests/consumer/installed.sh
. "$here/installed.sh"
install_build "$1" "$work/first"
version=$(pkg-config --modversion fighter)
# An installed copy can be moved. Nothing but the targets says where the libraries are.
mv "$work/first" "$work/root"
lib=$work/root${lib#"$work/first"}
unset LD_LIBRARY_PATH PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
if grep -n "$1\|$2" "$lib"/cmake/fighter/*; then
    echo "CMake's files name the build or source folder"
    exit 1
fi

configure() { # KIND OPTION...
    kind=$1
    shift
    cmake -G Ninja -S "$here/cmake" -B "$work/$kind" -DKIND="$kind" -DCMAKE_PREFIX_PATH="${lib%/lib*}" "$@"
}

use() { # KIND COMPONENTS
    configure "$1" -DVERSION="$version" -DCOMPONENTS="$2"
    cmake --build "$work/$1"
    (cd "$work/$1" && ctest --output-on-failure)
}

refused() { # WORDS OPTION...: the message of CMake has the words
    words=$1
    shift
    if configure refused "$@" >"$work/log" 2>&1 || ! grep -q "$words" "$work/log"; then
        cat "$work/log"
        echo "CMake does not say: $words"
        exit 1
    fi
    rm -r "$work/refused"
}

refused 'requested version "99"' -DVERSION=99
case $(cmake --version) in
*" 3.18."*) ;; # has no ranges of versions
*) refused "$version" -DVERSION=0.1...0.2 ;;
esac
refused 'component nonsense' -DCOMPONENTS=nonsense
if [ -f "$lib/libfighter.so" ]; then
    use shared 'fighter;tasks'
    for library in libfighter libfighter-tasks; do
        readelf -d "$work/shared/tasks" | grep -q "NEEDED.*\[$library\.so\.0\]" || {
            echo "the program does not ask for $library.so.0"
            exit 1
        }
    done
fi
if [ -f "$lib/libfighter.a" ]; then
    use static 'static;tasks-static'
    if readelf -d "$work/static/engine" "$work/static/tasks" | grep 'NEEDED.*fighter'; then
        echo "a program that is linked with the archives asks for a shared fighter"
        exit 1
    fi
    # Without shared libraries the archives are the only fighter.
    rm -rf "$work/shared" "$lib"/libfighter*.so*
    use shared 'fighter;tasks'
fi
