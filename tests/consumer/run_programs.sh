#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs a build into an empty place and looks at its programs: what they say of themselves, and whether man
# pages and completions know their options.
# usage: run_programs.sh BUILD_DIR SOURCE_DIR VERSION
set -eu
build=$1 version=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck source=tests/consumer/installed.sh
. "$2/tests/consumer/installed.sh"
install_build "$build" "$work/root"
root=${pc%/lib*}
# The programs find the library in whatever place the prefix is.
[ "${root##*/}" = usr ] || unset LD_LIBRARY_PATH

fail() {
    echo "$1"
    exit 1
}

# offer NAME WORD...: what bash offers in the place of the last word
offer() {
    bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }
        "_${1//-/_}"; printf "%s\n" "${COMPREPLY[@]}"' \
        bash "$root/share/bash-completion/completions/$1.bash" "$@"
}

for name in fighter-forecast fighter-classify fighter-text; do
    program=$root/bin/$name
    "$program" --version | grep -q "^$name $version\$" || fail "$name --version does not say $version"
    "$program" --help | head -n 1 | grep -q "^usage: $name " || fail "$name --help does not show its name"
    ln -s "$program" "$work/other"
    "$work/other" --wrong 2>&1 | grep -q '^other: unknown option --wrong' ||
        fail "$name called otherwise does not say so"
    rm "$work/other"

    page=$root/share/man/man1/$name.1 zsh=$root/share/zsh/site-functions/_$name
    "$program" --help all | sed -n 's/^  --\([a-zA-Z-]*\).*/\1/p' >"$work/options"
    [ "$(wc -l <"$work/options")" -gt 15 ] || fail "$name --help all shows hardly an option"
    "$program" --help | grep -q '^Which options for which data$' || fail "$name --help lacks its table"
    ! "$program" --help nonsense 2>/dev/null || fail "$name --help accepts a topic that does not exist"
    while read -r option; do
        grep -q "^    '--$option\[" "$zsh" || fail "$zsh lacks --$option"
        grep -qF ".BR \\-\\-$(echo "$option" | sed 's/-/\\-/g')" "$page" || fail "$page lacks --$option"
    done <"$work/options"
    if command -v groff >/dev/null 2>&1; then
        said=$(groff -man -ww -z "$page" 2>&1)
        [ -z "$said" ] || fail "$said"
    fi
    if command -v zsh >/dev/null 2>&1; then zsh -n "$zsh"; fi
    if command -v bash >/dev/null 2>&1; then
        offer "$name" -- | sort >"$work/offered"
        sed 's/^/--/' "$work/options" | sort | cmp - "$work/offered" || fail "bash offers other options"
        word="--model fi fighter" file=--save
        [ "$name" != fighter-text ] || word="--loss soft softmax" file=--input
        # shellcheck disable=SC2086 # three words: option, beginning, completed
        set -- $word
        [ "$(offer "$name" "$1" "$2")" = "$3" ] || fail "bash does not complete $1"
        [ "$(cd "$root/bin" && offer "$name" "$file" "$name")" = "$name" ] || fail "bash completes no file"
    fi
done
