#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fails when Doxygen warned, or left out a picture: usage check_log.sh LOG, beside which html/ lies
if [ -s "$1" ]; then
    cat "$1"
    exit 1
fi
[ -f "$1" ] || exit 1
cd "$(dirname "$1")/html" || exit 1
for page in md_*.html; do
    for picture in $(grep -oE '(src|data)="[^":]*\.(svg|png)"' "$page" | cut -d '"' -f 2); do
        if [ ! -f "$picture" ]; then
            echo "$page: no file $picture"
            missing=1
        fi
    done
done
[ -z "$missing" ]
