#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds fighter, trains a forecaster on made hourly sales with what is known in advance, and forecasts the
# next two days with intervals; installs what is missing (Debian). Leaves all files in demo/.
# usage: tools/demo.sh [further options of fighter-forecast, for the training]
set -eu
cd "$(dirname "$0")/.."
. tools/need.sh

need_toolchain
need libcairo2-dev pkg-config --exists cairo
install_missing || exit 1

mkdir -p demo
{
    { [ -f build/build.ninja ] || meson setup --wrap-mode=nodownload --buildtype=release build; } &&
        ninja -C build programs/fighter-forecast
} >demo/build.log 2>&1 || {
    tail -n 40 demo/build.log
    exit 1
}

# step COMMAND...: shows the command, which the caller may redirect, and runs it
step() {
    printf '\n$ %s\n' "$*" >&2
    "$@"
}

step tools/sales.py >demo/sales.csv
echo "two years of hourly sales, with empty cells; price and holidays are known two days longer:"
tail -n 50 demo/sales.csv | head -n 4

step build/programs/fighter-forecast --data demo/sales.csv --target sales --known price,holiday \
    --missing mask --non-negative --pred 48 --intervals 80,95 --save demo/sales.safetensors \
    --plot demo/plot.svg "$@"

step build/programs/fighter-forecast --load demo/sales.safetensors --data demo/sales.csv --missing mask \
    --intervals 80,95 --predict demo/next.csv >demo/predict.log
echo "the next two days, with intervals of 80 and 95 %, from 7 o'clock on:"
sed -n '1p;9,14p' demo/next.csv
echo "forecast: demo/next.csv   plot: demo/plot.svg   model: demo/sales.safetensors"
