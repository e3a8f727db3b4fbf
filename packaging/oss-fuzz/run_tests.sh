#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs the C programs of the tests, and the fuzz programs on their seeds, in the build that build.sh left in
# $WORK. usage: run_tests.sh
set -eu
meson test -C "$WORK/fighter" --suite unit --suite fuzz --no-suite long --print-errorlogs \
    --timeout-multiplier 3
