#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds the packages of fighter from a source archive of this checkout, with its changes, and tries each;
# installs what is missing (Debian). The last line counts what was tried, the exit status is 0 only if nothing
# failed. docs/packages.md describes the packages.
# usage: tools/packages.sh [--help] [cmake|meson|conan|vcpkg|debian ...]
#   cmake   find_package() of an installed copy, shared and static
#   meson   packaging/fighter.wrap: fighter as a subproject, from the archive
#   conan   packaging/conan, static and shared, with the libraries of this system
#   vcpkg   packaging/vcpkg, with functions that stand in for vcpkg
#   debian  packaging/debian, built and tried in two new Debian 12 systems; needs root, or sudo. The packages
#           come to build-packages
# Without a kind: all of them.
set -u
cd "$(dirname "$0")/.." || exit 2
kinds=
for word; do
    case $word in
    cmake | meson | conan | vcpkg | debian) kinds="$kinds $word" ;;
    *)
        sed -n '/^# usage:/,/^# Without/s/^# //p' "$0"
        [ "$word" = --help ]
        exit $(($? * 2))
        ;;
    esac
done
. tools/need.sh

need_toolchain
need git command -v git
need xz-utils command -v xz
for kind in ${kinds:=cmake meson conan vcpkg debian}; do
    case $kind in
    cmake | vcpkg) need cmake command -v cmake ;;
    conan)
        need cmake command -v cmake
        need make command -v make
        need python3-venv python3 -c 'import ensurepip'
        ;;
    debian)
        need autopkgtest command -v autopkgtest
        need debootstrap test -x /usr/sbin/debootstrap
        ;;
    esac
done
install_missing || exit 1

work=$(mktemp -d)
log=$work/log passed=0 failed=0
trap clean_up EXIT
clean_up() {
    ! mountpoint -q "$work/build-root/proc" || as_root umount "$work/build-root/proc"
    as_root rm -rf --one-file-system "$work"
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# try WHAT COMMAND...: counts whether the command succeeds
try() {
    what=$1 began=$(date +%s)
    shift
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        echo "ok    $what, $(($(date +%s) - began)) s"
    else
        tail -n 40 "$log" | cut -c 1-300
        failed=$((failed + 1))
        echo "FAIL  $what, $(($(date +%s) - began)) s"
        return 1
    fi
}

# ---- the source archive ----

version=$(sed -n "s/^    version: '\(.*\)',/\1/p" meson.build)
archive=$work/fighter-$version.tar.xz source=$work/fighter-$version
pack() {
    commit=$(git stash create)
    git archive --prefix="fighter-$version/" "${commit:-HEAD}" | xz -T0 -1 >"$archive" &&
        tar -xf "$archive" -C "$work"
}
named() {
    status=0
    for file in packaging/fighter.wrap packaging/vcpkg/vcpkg.json packaging/debian/changelog; do
        grep -qF "$version" "$source/$file" || {
            echo "$file: another version (need $version)"
            status=1
        }
    done
    return "$status"
}
try "source archive" pack || exit 1
try "versions" named

# ---- the kinds ----

try_cmake() {
    try "cmake: libraries" libraries "$work/cmake" &&
        try "cmake: hosts" sh "$source/tests/consumer/run_cmake.sh" "$work/cmake" "$source" cc
}
libraries() {
    meson setup --buildtype=release -Dexamples=disabled -Dprograms=disabled -Dbench=disabled \
        -Dtests=disabled "$1" "$source" && ninja -C "$1"
}

try_meson() {
    try "meson: subproject" sh "$source/tests/consumer/run_subproject.sh" "$source" "$archive"
}

# The packages of ConanCenter are replaced by the libraries of this system. Conan only asks for their numbers.
try_conan() {
    export CONAN_HOME="$work/conan"
    try "conan: set-up" set_up_conan || return
    for shared in False True; do
        try "conan: shared=$shared" "$work/venv/bin/conan" create "$source/packaging/conan" --no-remote \
            -pr:a "$work/profile" -o "&:shared=$shared"
    done
}
set_up_conan() {
    python3 -m venv "$work/venv" && "$work/venv/bin/pip" install conan &&
        "$work/venv/bin/conan" profile detect &&
        printf '%s\n' 'include(default)' '[platform_requires]' zlib/1.2.13 libpng/1.6.39 libjpeg/9.5 \
            utf8proc/2.8 kissfft/131.1 '[platform_tool_requires]' meson/1.0.1 >"$work/profile"
}

try_vcpkg() {
    try "vcpkg: port" cmake -DARCHIVE="$archive" -DVERSION="$version" -DWORK="$work/vcpkg" \
        -DFEATURES='blis;fft;jpeg;png;text;zlib' -P "$source/tests/consumer/vcpkg.cmake" &&
        try "vcpkg: host" build_host "$work/vcpkg/packages"
}
build_host() {
    cmake -S "$source/tests/consumer/cmake" -B "$work/host" -G Ninja -DKIND=shared -DCMAKE_PREFIX_PATH="$1" &&
        cmake --build "$work/host" && "$work/host/engine" && "$work/host/tasks"
}

# One system builds and has the build dependencies, the other runs the tests and has none of them.
try_debian() {
    try "debian: two systems" make_systems || return
    try "debian: build" in_chroot '
        apt-get -qq install --no-install-recommends build-essential lintian
        apt-get -qq build-dep --no-install-recommends ./
        dpkg-buildpackage -us -uc' || return
    try "debian: lintian" in_chroot 'lintian --allow-root --info --fail-on error,warning ../*.changes'
    rm -rf build-packages
    mkdir build-packages
    cp "$work"/build-root/build/*.* build-packages
    try "debian: autopkgtest" as_root autopkgtest "$work"/build-root/build/fighter_*.changes \
        -- chroot "$work/test-root"
    for package in build-packages/*.deb; do
        # shellcheck disable=SC2016 # dpkg's own variables
        dpkg-deb --show --showformat='      ${Package}: ${Installed-Size} KB installed\n' "$package"
    done
}
make_systems() {
    root=$work/build-root
    as_root debootstrap --variant=minbase bookworm "$root" "$(find_mirror)" &&
        as_root cp -a "$root" "$work/test-root" && as_root mkdir "$root/build" &&
        as_root cp "$archive" "$root/build/fighter_$version.orig.tar.xz" &&
        as_root cp -r "$source" "$root/build/fighter" &&
        as_root cp -r "$source/packaging/debian" "$root/build/fighter/debian" &&
        as_root mount -t proc proc "$root/proc" # where the loader finds the place of a program ($ORIGIN)
}
in_chroot() {
    as_root chroot "$work/build-root" env LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-}" sh -ec "cd /build/fighter; $1"
}

for kind in $kinds; do
    echo "== $kind"
    "try_$kind"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
