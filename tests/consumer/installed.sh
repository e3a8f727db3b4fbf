# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Sourced by what uses an installed library: run_consumer.sh, tests/abi/run_programs.sh.

# install_build BUILD_DIR ROOT: installs a build under ROOT and points pkg-config and the loader to it; $pc is
# the .pc file of the engine, $lib the folder of the libraries.
install_build() {
    DESTDIR=$2 meson install -C "$1" --no-rebuild --quiet
    pc=$(find "$2" -name fighter.pc)
    lib=$(dirname "$(dirname "$pc")")
    export PKG_CONFIG_PATH="$lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$2" LD_LIBRARY_PATH="$lib"
}
