#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds the programs of tests/fuzz, and puts them into $OUT with their seeds, words and limits. OSS-Fuzz sets
# CC, CFLAGS, LIB_FUZZING_ENGINE, SANITIZER, OUT, SRC and WORK. usage: build.sh, in the root of the sources
set -eu
build=$WORK/fighter engine=$LIB_FUZZING_ENGINE
fuzz=$PWD/tests/fuzz

# Static libraries, because the machines that fuzz have no others; plain C products, because BLIS of old
# distributions is too old.
set -- --buildtype=plain --wrap-mode=nodownload -Ddefault_library=static -Dprefer_static=true \
    -Db_lundef=false -Dblas=ref -Dfft=disabled -Dtests=enabled -Dgradient_tests=false -Dprograms=disabled \
    -Dexamples=disabled -Dbench=disabled -Dfuzz=true
if [ "${SANITIZER:-}" = memory ]; then
    # Only memory that instrumented code filled counts as initialised.
    set -- "$@" -Dzlib=disabled -Dtext=disabled -Dpng=disabled -Djpeg=disabled
    export CFLAGS="$CFLAGS -fsanitize-ignorelist=$PWD/tests/tools/msan.ignore"
else
    set -- "$@" -Dzlib=enabled -Dtext=enabled -Dpng=enabled -Djpeg=enabled
fi
# An engine that is an archive has parts in C++.
case "$engine ${CXXFLAGS:-}" in
-*) ;;
*-stdlib=libc++*) engine="$engine -lc++" ;;
*) engine="$engine -lstdc++" ;;
esac
[ ! -f "$build/build.ninja" ] || set -- --wipe "$@"
meson setup "$@" -Dfuzz_engine="$engine" "$build"
# shellcheck disable=SC2046 # words
ninja -C "$build" $(awk '!/^#/ { print "tests/fuzz/" $1 }' "$fuzz/limits.txt")

# Lines of limits.txt: NAME LONGEST_INPUT DICTIONARY [MIB_OF_AN_ALLOCATION]
grep -v '^#' "$fuzz/limits.txt" | while read -r name length words memory; do
    cp "$build/tests/fuzz/$name" "$OUT/"
    rm -f "$OUT/${name}_seed_corpus.zip"
    zip -q -j -X "$OUT/${name}_seed_corpus.zip" "$fuzz/corpus/$name"/*
    [ "$words" = - ] || cp "$fuzz/$words" "$OUT/$name.dict"
    printf '%s\n' '[libfuzzer]' "max_len = $length" "malloc_limit_mb = ${memory:-2048}" \
        'timeout = 25' 'rss_limit_mb = 2560' >"$OUT/$name.options"
done
