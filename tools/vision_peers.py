#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times the PyTorch side of the benchmark cases of images; compare.py's --peers does so for the others.

usage: tools/vision_peers.py [--threads N] [--case NAME] [--compile] [--seconds S] [--list]

Prints one JSON object for each case: train_ms, infer_ms, infer1_ms (medians of a training step with AdamW, of
a prediction of the batch, and of one sample), peak_rss_mb and version. The model is what a user of PyTorch
writes: patches by a convolution, torch.nn.TransformerEncoderLayer with batch_first and norm_first, sinusoids
of rows and columns."""
import argparse
import json
import resource
import statistics
import time

import torch
from torch import nn
from torch.nn import functional as F

CASES = {  # batch, side of an image, channels, side of a patch, width, heads, feed-forward, layers
    "vit-small": (64, 28, 1, 4, 64, 4, 256, 4),
    "vit-wide": (32, 32, 3, 4, 192, 3, 768, 4),
}
CLASSES = 10


def grid_positions(side, width):
    """[1 + P,E]: nothing for the class token, then columns and rows, half of the features each."""
    frequency = 10000.0 ** (-torch.arange(width // 4) / (width // 4))
    row, column = torch.meshgrid(torch.arange(side), torch.arange(side), indexing="ij")
    parts = [f(at.reshape(-1, 1) * frequency) for at in (column, row) for f in (torch.sin, torch.cos)]
    return torch.cat([torch.zeros(1, width), torch.cat(parts, 1)])


class Vit(nn.Module):
    def __init__(self, side, channels, patch, width, heads, ff, layers):
        super().__init__()
        self.embedding = nn.Conv2d(channels, width, patch, patch)
        self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, width))
        self.register_buffer("position", grid_positions(side // patch, width))
        layer = nn.TransformerEncoderLayer(width, heads, ff, 0.0, "gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, nn.LayerNorm(width), enable_nested_tensor=False)
        self.head = nn.Linear(width, CLASSES)

    def forward(self, x):
        z = self.embedding(x).flatten(2).transpose(1, 2)
        z = torch.cat([self.class_token.expand(len(z), -1, -1), z], 1) + self.position
        return self.head(self.encoder(z)[:, 0])


def median_ms(run, seconds):
    for _ in range(3):
        run()
    times, stop = [], time.perf_counter() + seconds
    while time.perf_counter() < stop or len(times) < 5:
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def measure(name, a):
    torch.manual_seed(0)
    batch, side, channels, *sizes = CASES[name]
    model = Vit(side, channels, *sizes)
    x, y = torch.randn(batch, channels, side, side), torch.randint(0, CLASSES, (batch,))
    optimiser = torch.optim.AdamW(model.parameters(), 1e-3)
    net = torch.compile(model) if a.compile else model

    def step():
        optimiser.zero_grad()
        F.cross_entropy(net(x), y).backward()
        optimiser.step()

    figures = {"train_ms": median_ms(step, a.seconds)}
    model.eval()
    with torch.no_grad():
        figures["infer_ms"] = median_ms(lambda: net(x), a.seconds / 2)
        figures["infer1_ms"] = median_ms(lambda: net(x[:1]), a.seconds / 2)
    figures["peak_rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"case": name, **{k: round(v, 4) for k, v in figures.items()},
                      "version": "torch " + torch.__version__}), flush=True)


def main():
    p = argparse.ArgumentParser(description="Times PyTorch on the benchmark cases of images.")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--case", action="append", choices=CASES)
    p.add_argument("--compile", action="store_true")
    p.add_argument("--seconds", type=float, default=2)
    p.add_argument("--list", action="store_true", help="print the names of the cases")
    a = p.parse_args()
    if a.list:
        print("\n".join(CASES))
        return
    torch.set_num_threads(a.threads)
    torch.set_flush_denormal(True)
    for name in a.case or CASES:
        measure(name, a)


if __name__ == "__main__":
    main()
