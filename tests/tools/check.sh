#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Style: what a reader would trip over and a script can see. usage: check.sh SOURCE_ROOT
set -u
cd "${1:-.}" || exit 2

sources=$(find lib include tests examples programs bench tools docs packaging .ci \
    meson.build meson_options.txt -name __pycache__ -prune -o -type f \( \
        -name '*.[ch]' -o -name '*.cpp' -o -name '*.in' -o -name '*.py' -o -name '*.sh' -o -name '*.map' \
        -o -name '*.css' -o -name '*.js' -o -name '*.cmake' -o -name '*.wrap' \
        -o -name meson.build -o -name CMakeLists.txt -o -name meson_options.txt -o -path '.ci/*' \) -print)

# shellcheck disable=SC2086 # one word per file: no name in the tree has a blank
awk '
    function bad(what) { print FILENAME ":" FNR ": " what; wrong = 1 }
    function close_file() {
        if (last == "") return
        if (lines > 800) { print last ": " lines " lines, more than 800"; wrong = 1 }
        if (!spdx) { print last ": no SPDX line in the first three"; wrong = 1 }
    }
    FNR == 1 { close_file(); last = FILENAME; spdx = last ~ /\.map$|options\.txt$/ }
    { lines = FNR }
    FNR <= 3 && /SPDX-License-Identifier: BSD-3-Clause/ { spdx = 1 }
    /\t/ { bad("tab") }
    /\r$/ { bad("carriage return") }
    /[ \t]$/ { bad("blank at the end of the line") }
    length($0) > 110 { bad(length($0) " columns, more than 110") }
    /^[ ]*#[ ]*if[ ]+0/ { bad("dead code") }
    FILENAME !~ /check\.sh$/ && /TODO|FIXME|(^|[^X])XXX([^X]|$)/ { bad("note to self; open an issue") }
    END { close_file(); exit wrong }
' $sources
bad=$?

# One stem, one place: "gemm.c" says where to look.
twice=$(find lib -name '*.c' | sed 's|.*/||' | sort | uniq -d)
if [ -n "$twice" ]; then
    echo "file names that occur twice in lib/: $twice"
    bad=1
fi

# One name, one static function: a profile or a backtrace gives the name without the file.
# shellcheck disable=SC2046
awk '
    /^([^ *]+ )?static [^=]*[(]/ {
        sub(/.*static /, "")
        if (!match($0, /[a-z_0-9]+[(]/)) next
        name = substr($0, RSTART, RLENGTH - 1)
        if (name in home && home[name] != FILENAME) {
            print FILENAME ":" FNR ": " home[name] " also has a static function " name "()"
            wrong = 1
        }
        home[name] = FILENAME
    }
    END { exit wrong }
' $(find lib -name '*.[ch]' | sort) || bad=1

# Every source and public header is in a list of some meson.build: nothing is built by glob.
# shellcheck disable=SC2044
for source in $(find lib tests examples programs bench -name '*.c') \
    include/fighter/*.h include/fighter/experimental/*.h; do
    stem=$(basename "${source%.[ch]}")
    grep -rqw --include=meson.build -- "$stem" lib tests examples programs bench || {
        echo "$source: in no meson.build"
        bad=1
    }
done

# Sentences that a reader understands the first time, as far as single words tell.
python3 tests/tools/prose.py . || bad=1

# Rules of the public interface (docs/abi.md).
python3 tests/tools/api.py . || bad=1

# MemorySanitizer is told by name which functions of the library call stat().
# shellcheck disable=SC2046
callers=$(awk '
    /^[a-z].*\(/ { match($0, /[a-z_0-9]+\(/); name = substr($0, RSTART, RLENGTH - 1) }
    /[^a-z_][fl]?stat\(/ { print name }
' $(find lib -name '*.c') | sort -u)
listed=$(sed -n 's/^fun://p' tests/tools/msan.ignore | grep -v '^test_' | sort)
if [ "$callers" != "$listed" ]; then
    echo "tests/tools/msan.ignore: lists" $listed "but stat() is called by" $callers
    bad=1
fi

# Links of the documents.
python3 tests/tools/links.py . || bad=1
exit "$bad"
