#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compares the changed lines of C files with .clang-format, and shows how clang-format would write them.
# usage: format.sh [--fix] [BASE]
#   --fix  writes them
#   BASE   a commit; without it the last release tag or, before the first one, the commit from which lines are
#          formatted. clang-format aligns a changed line with its changed neighbours, so that another base can
#          ask for another layout: only this one counts.
# The exit status is 1 if lines differ. Without clang-format or a base the script says so and ends with 0.
set -u
cd "$(dirname "$0")/../.." || exit 2

skip() {
    echo "SKIP format: $1"
    exit 0
}

fix=
[ "${1:-}" = --fix ] && fix=1 && shift

# .clang-format was fitted with version 14; other versions write some lines in another way.
tool=
for name in clang-format-14 clang-format; do
    "$name" --version 2>/dev/null | grep -q 'version 14\.' && tool=$name && break
done
[ -n "$tool" ] || skip 'no clang-format 14 here (Debian: clang-format-14)'
git rev-parse --git-dir >/dev/null 2>&1 || skip 'no git repository here'

base=${1:-}
[ -n "$base" ] || base=$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null)
[ -n "$base" ] || base=1ef86e94c9efcbd215e801ac72e291c4a04df465
git rev-parse -q --verify "$base^{commit}" >/dev/null || skip "there is no commit $base in this copy"

# "FILE --lines=FIRST:LAST ..." for each file with new lines; a moved file has only its changed lines.
# pin.py writes the three files that are left out.
changed() {
    git diff -U0 -M --no-color --no-ext-diff --src-prefix=a/ --dst-prefix=b/ --diff-filter=d "$base" -- \
        'lib/**.[ch]' 'include/**.h' 'programs/**.[ch]' 'examples/**.[ch]' 'bench/**.[ch]' 'tests/**.[ch]' \
        ':!tests/abi/test_enums.c' ':!tests/abi/test_layouts.c' ':!tests/abi/test_signatures.c' |
        awk '
            /^\+\+\+ b\// { file = substr($0, 7) }
            /^@@ / {
                n = split(substr($3, 2), at, ",")
                count = n > 1 ? at[2] : 1
                if (count > 0) lines[file] = lines[file] " --lines=" at[1] ":" at[1] + count - 1
            }
            END { for (file in lines) print file lines[file] }' | sort
}

# No name in the tree has a blank.
changed | {
    bad=0
    while read -r file lines; do
        # shellcheck disable=SC2086
        "$tool" --style=file $lines "$file" | diff -u --label "$file" --label "$file, formatted" "$file" - ||
            bad=$((bad + 1))
        # shellcheck disable=SC2086
        [ -z "$fix" ] || "$tool" --style=file -i $lines "$file"
    done
    [ "$bad" -eq 0 ] || [ -n "$fix" ] && exit 0
    echo "$bad files have changed lines that differ from .clang-format: tests/tools/format.sh --fix $base"
    exit 1
}
