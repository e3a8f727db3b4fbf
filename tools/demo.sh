#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds fighter and trains a forecaster on ETTh1, a public series of hourly transformer readings;
# installs what is missing (Debian). Leaves demo/plot.svg and demo/model.safetensors.
# usage: tools/demo.sh [further options of examples/forecast]
set -eu
cd "$(dirname "$0")/.."
. tools/need.sh

need_toolchain
need libcairo2-dev pkg-config --exists cairo
install_missing || exit 1

# The file that published results are about.
sha256=f18de3ad269cef59bb07b5438d79bb3042d3be49bdeecf01c1cd6d29695ee066
home=https://raw.githubusercontent.com/zhouhaoyi/ETDataset/main/ETT-small/ETTh1.csv

genuine() {
    [ -f "$1" ] && echo "$sha256  $1" | sha256sum --check --status
}

download() {
    need curl command -v curl
    need ca-certificates test -e /etc/ssl/certs/ca-certificates.crt
    install_missing && curl --silent --fail --location --max-time 60 --output "$2" "$1"
}

mkdir -p demo
data=
for place in "${FGT_DATA:-data}" data ../shared/data; do
    [ -f "$place" ] || place=$place/ETTh1.csv
    if genuine "$place"; then
        data=$place
        break
    fi
done
if [ -z "$data" ]; then
    mkdir -p data
    echo "ETTh1.csv is in none of \$FGT_DATA, data, ../shared/data; asking its public home"
    if download "$home" data/ETTh1.part && genuine data/ETTh1.part; then
        data=data/ETTh1.csv
        mv data/ETTh1.part "$data"
    else
        rm -f data/ETTh1.part
        data=demo/generated.csv
        echo "no network, or not the file expected: training on a generated series instead;"
        echo "its errors compare with nothing published"
        python3 tools/series.py >"$data"
    fi
fi

{
    { [ -f build/build.ninja ] || meson setup --wrap-mode=nodownload --buildtype=release build; } &&
        ninja -C build examples/forecast
} >demo/build.log 2>&1 || {
    tail -n 40 demo/build.log
    exit 1
}

echo "training on $data"
build/examples/forecast --data "$data" --split etth --input 96 --pred 96 --model fighter --hops 3 \
    --tokens patch --revin --epochs 10 --seed 1 --threads "$(nproc)" \
    --save demo/model.safetensors --plot demo/plot.svg "$@"
echo "plot: demo/plot.svg   model: demo/model.safetensors"
