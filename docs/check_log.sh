#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fails when Doxygen warned: usage check_log.sh LOG
if [ -s "$1" ]; then
    cat "$1"
    exit 1
fi
[ -f "$1" ]
