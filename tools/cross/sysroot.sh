#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fetches Debian packages of another processor (arm64, i386, s390x) or another release, and unpacks them into
# build-sysroot/NAME, whose root.ini tells Meson where that is. Needs no root, and changes no package of this
# system.
# usage: tools/cross/sysroot.sh NAME ARCH SUITE PACKAGE...
set -u
if [ $# -lt 4 ]; then
    echo "usage: $0 NAME ARCH SUITE PACKAGE..." >&2
    exit 2
fi
root=$(cd "$(dirname "$0")/../.." && pwd)/build-sysroot/$1 arch=$2 suite=$3
shift 3

# Nothing to do if the same packages are there.
wanted="$arch $suite $*"
[ "$(cat "$root/wanted" 2>/dev/null)" != "$wanted" ] || exit 0
rm -rf "$root"
mkdir -p "$root/apt/lists/partial" "$root/apt/cache/archives/partial" || exit 1
: >"$root/apt/status"

# An apt of its own, with the mirror of this system: its lists, and no package counts as installed.
key=/usr/share/keyrings/debian-archive-keyring.gpg
. "$(dirname "$0")/../need.sh"
echo "deb [signed-by=$key] $(find_mirror) $suite main" >"$root/apt/sources.list"
export APT_CONFIG="$root/apt/apt.conf"
cat >"$APT_CONFIG" <<END
#clear APT::Architectures;
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
APT::Sandbox::User "";
Dir::State::lists "$root/apt/lists";
Dir::State::status "$root/apt/status";
Dir::Cache "$root/apt/cache";
Dir::Etc::sourceparts "-";
Dir::Etc::sourcelist "$root/apt/sources.list";
END
(
    cd "$root/apt/cache" && apt-get -qq update && apt-get -qq download "$@" &&
        for package in *.deb; do
            dpkg-deb -x "$package" "$root" || exit 1
        done
) || exit 1
# libz.so names a file by its path on the other system; libz.a does as well.
find "$root" -xtype l -delete
rm -rf "$root/apt"
printf "[constants]\nsysroot = '%s'\n" "$root" >"$root/root.ini"
echo "$wanted" >"$root/wanted"
