# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Sourced by the scripts beside it: installs the Debian packages of what is not there yet.

# need PACKAGE COMMAND...: the package is wanted unless the command succeeds.
missing=
need() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}

need_toolchain() {
    need gcc command -v cc
    need meson command -v meson
    need ninja-build command -v ninja
    need pkg-config command -v pkg-config
    need python3 command -v python3
    need libc6-dev test -e /usr/include/stdio.h
    need libjansson-dev pkg-config --exists jansson
    need zlib1g-dev pkg-config --exists zlib
    need libutf8proc-dev pkg-config --exists libutf8proc
    need libpng-dev pkg-config --exists libpng
    need libjpeg-dev pkg-config --exists libjpeg
    need libkissfft-dev pkg-config --exists kissfft-float
    need libblis-dev has_header blis.h blis/blis.h
}

# has_header NAME...: the compiler finds one of them.
has_header() {
    for name; do
        echo "#include <$name>" | cc -E - >/dev/null 2>&1 && return 0
    done
    return 1
}

# find_mirror: the Debian archive that this system uses
find_mirror() {
    # shellcheck disable=SC2016 # apt's own variables
    apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' |
        awk '$1 ~ /\/debian\/?$/ { print $1; exit }'
}

# install_missing: 1 when it cannot.
install_missing() {
    [ -n "$missing" ] || return 0
    wanted=$missing missing=
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "missing, and no apt-get to install it with (Debian's names):$wanted" >&2
        return 1
    fi
    sudo=
    [ "$(id -u)" -eq 0 ] || sudo=sudo
    echo "installing:$wanted"
    apt_log=$(mktemp)
    # shellcheck disable=SC2086 # lists of words
    {
        $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq update &&
            $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $wanted
    } >"$apt_log" 2>&1
    status=$?
    if [ "$status" -ne 0 ]; then
        tail -n 5 "$apt_log" >&2
        echo "could not install:$wanted" >&2
    fi
    rm -f "$apt_log"
    return "$status"
}
