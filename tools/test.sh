#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs the tests in all the builds below; installs what is missing (Debian), or says so and goes on without
# it. The last line counts the tests, the exit status is 0 only if none failed.
# usage: tools/test.sh [--all | --kernels] [BUILD...]
#   BUILD      only these of the builds, by their directories: build, build-asan ...
#   --all      also what takes too long for every change: GCC's sanitisers, and valgrind
#   --kernels  also the release build's tests with each of BLIS's kernels that runs here
# shellcheck disable=SC2086 # lists of words, here and below
set -u
more='' only=''
for word; do
    case $word in
    --all | --kernels) more=$word ;;
    build*) only="$only $word" ;;
    *)
        echo "usage: tools/test.sh [--all | --kernels] [BUILD...]" >&2
        exit 2
        ;;
    esac
done
cd "$(dirname "$0")/.." || exit 2
. tools/need.sh

need_toolchain
need g++ command -v c++
need clang command -v clang++
need cmake command -v cmake
need binutils command -v readelf
need ccache command -v ccache
need libcmocka-dev pkg-config --exists cmocka
need libcairo2-dev pkg-config --exists cairo
need doxygen command -v doxygen
need chromium command -v chromium
need python3-numpy python3 -c 'import numpy'
need graphviz command -v dot
need python3-networkx python3 -c 'import networkx'
need python3-pandas python3 -c 'import pandas'
need python3-matplotlib python3 -c 'import matplotlib'
need python3-pytest python3 -c 'import pytest'
need python3-sklearn python3 -c 'import sklearn'
need mypy command -v mypy
need abigail-tools command -v abidiff
need locales test -e /usr/share/i18n/locales/de_DE
need gcc-i686-linux-gnu command -v i686-linux-gnu-gcc
need libc6-dev-i386-cross test -e /usr/i686-linux-gnu/include
need libc6-i386 test -e /lib/ld-linux.so.2
need gcc-aarch64-linux-gnu command -v aarch64-linux-gnu-gcc
need libc6-dev-arm64-cross test -e /usr/aarch64-linux-gnu/include
need gcc-s390x-linux-gnu command -v s390x-linux-gnu-gcc
need libc6-dev-s390x-cross test -e /usr/s390x-linux-gnu/include
need openmpi-bin command -v mpirun.openmpi
need libopenmpi-dev pkg-config --exists ompi-c
need mpich command -v mpirun.mpich
need libmpich-dev pkg-config --exists mpich
need qemu-user-static command -v qemu-s390x-static
[ "$more" != --all ] || need valgrind command -v valgrind
install_missing || echo "going on without them"
. tools/builds.sh

# Tests by what they are about, for builds that are about little else; only these are built there.
files='test_safetensors test_safetensors_write test_json test_model_file test_pytorch test_branches_file
    test_forecast_file test_checkpoint test_checkpoint_layers test_weights golden'
readers='test_csv test_number test_table test_graph test_keyed_hash test_config test_rng'
numbers='test_vec test_vec_cells test_vec_panels test_vec_rows test_vec_scan test_vec_update test_context
    test_sparse golden'
threads='test_threads test_packed_weights test_predictor test_predictor_fold test_context
    test_attention_mode test_states test_fit test_lazy_rows test_ntk_passes test_host_pass test_callbacks
    test_float_env test_forecaster test_predict test_classify_threads test_shards'
sizes='test_alloc test_alloc_sweep test_arrow test_corpus test_limits test_routes test_predictor
    test_shards test_window test_forecaster test_optim test_lazy_rows test_layer_memory'

# Many builds differ in what is linked, so most of their objects are the same.
export CCACHE_DIR="$PWD/build-ccache" CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=4G

fast='-Doptimization=1' # with assertions
once='-Dgradient_tests=false' # nothing is built in double as well
small='-Dexamples=disabled -Dprograms=disabled -Dbench=disabled -Dtests=enabled -Ddefault_library=static'
plain='-Dblas=ref -Dsimd=none -Dzlib=disabled -Dtext=disabled -Dfft=disabled -Dpng=disabled -Djpeg=disabled'
blis1=$PWD/build-sysroot/blis1/usr lib1=$PWD/build-sysroot/blis1/usr/lib/x86_64-linux-gnu/blis-serial

# ---- the builds ----

# As it is installed: GCC, shared and static, docs, consumers. The types of the interface, which tests/abi
# compares, are in the debug information.
run build '' --buildtype=release -Ddebug=true -Dtests=enabled -Dexamples=enabled -Dprograms=enabled \
    -Dplots=enabled -Ddocs=enabled -Dpython=enabled

# Address and undefined behaviour, assertions on; all of it compiled by clang, the headers by clang++.
export CC=clang CXX=clang++
with clang run build-asan '--no-suite tools --no-suite tour --no-suite long' $fast $once \
    -Db_sanitize=address,undefined -Db_lundef=false -Dtests=enabled -Ddefault_library=shared
# Uninitialised memory: no library that this sanitiser did not see may fill any.
with clang run build-msan '--suite unit --suite fuzz --no-suite long' $fast $once $small $plain \
    -Db_sanitize=memory -Db_lundef=false -Dc_args="-fsanitize-ignorelist=$PWD/tests/tools/msan.ignore"
# Data races.
with clang run build-tsan "$threads" $fast $small -Dblas=ref -Db_sanitize=thread -Db_lundef=false
unset CC CXX

# BLIS inside the library: what is exported, what a program links.
targets=interface_tests
run build-blis-static '--suite tools --suite abi --suite consumer' $once --buildtype=release -Ddebug=true \
    -Dblas=blis-static -Dtests=enabled -Dexamples=disabled -Dprograms=disabled -Dbench=disabled
# Training by several processes, over both MPIs of Debian.
ranks='-Dtests=enabled -Dexamples=disabled -Dprograms=enabled -Dplots=disabled -Dbench=enabled'
targets=mpi_tests
with mpirun.openmpi run build-openmpi '--suite mpi' $fast $once $ranks -Dmpi=ompi-c
with mpirun.mpich run build-mpich '--suite mpi' $fast $once $ranks -Dmpi=mpich
targets=
# Plain C products, no vector kernels, no zlib, no FFT, no PNG, no JPEG, as in build-msan, by GCC.
run build-ref "$numbers $files $readers $sizes" $fast $once $small -Dblas=ref -Dsimd=none \
    -Dzlib=disabled -Dfft=disabled -Dpng=disabled -Djpeg=disabled
# BLIS without vector kernels of ours.
run build-simd-none "$numbers" $fast $small -Dsimd=none
# The BLIS of Debian 13.
with_sysroot 'blis1 amd64 trixie libblis4-serial libblis-serial-dev' \
    run build-blis1 "$numbers test_gemm test_routes" $fast $small \
    -Dc_args="-isystem $blis1/include/x86_64-linux-gnu/blis-serial" \
    -Dc_link_args="-L$lib1 -Wl,-rpath,$lib1"

# 32 bits.
with_sysroot 'i386 i386 bookworm libcmocka-dev libcmocka0 zlib1g-dev' \
    with i686-linux-gnu-gcc run_for i386 "$numbers $files $readers $sizes" $fast $once $small \
    -Dblas=ref -Dtext=disabled -Dfft=disabled -Dpng=disabled -Djpeg=disabled
# Plain char is unsigned here, and BLIS has other kernels.
with_sysroot 'arm64 arm64 bookworm libcmocka-dev libcmocka0 zlib1g-dev libblis4-serial libblis-serial-dev' \
    with qemu-aarch64-static run_for arm64 "$numbers $files $readers" $fast $small \
    -Dtext=disabled -Dfft=disabled -Dpng=disabled -Djpeg=disabled
# Big-endian: what is written here is read there.
with_sysroot 's390x s390x bookworm libcmocka-dev libcmocka0 zlib1g-dev' \
    with qemu-s390x-static run_for s390x "$files $readers" $fast $small \
    -Dblas=ref -Dtext=disabled -Dfft=disabled -Dpng=disabled -Djpeg=disabled

if [ "$more" = --all ]; then
    run build-asan-gcc '--no-suite tools' --buildtype=debugoptimized -Db_sanitize=address,undefined \
        -Db_lundef=false -Dtests=enabled -Ddefault_library=shared
    export VALGRIND_OPTS='-q --error-exitcode=1'
    with valgrind run_tests build "--wrapper valgrind $files $readers test_ntk"
fi

if [ "$more" = --kernels ]; then
    . tools/kernels.sh
    run_kernels skx avx512f
    run_kernels haswell avx2
    run_kernels zen3 avx2
    run_kernels generic fpu
fi

count
