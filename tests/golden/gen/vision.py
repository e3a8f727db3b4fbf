#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Golden files of layers and models for images: vision.py DIRECTORY

PyTorch computes them in double precision. Inputs and parameters are exact float32 values, results are rounded
to float32. Made with torch 2."""

import sys
from pathlib import Path

import numpy
import torch
from tensor_file import save
from torch import nn
from torch.nn import functional as F

SOURCE = "vision.py (torch, double)"


def draw(*shape, scale=1.0):
    return (scale * torch.randn(*shape)).double()


def write(directory, case, layer, meta, module, x, ids=None):
    """Parameters are drawn anew, since the first values of norms and biases hide mistakes."""
    module.double()
    with torch.no_grad():
        for p in module.parameters():
            old, scale = (p.float(), 0.3) if p.dim() == 1 else (0, p[0].numel() ** -0.5)
            p.copy_((old + scale * torch.randn(p.shape)).double())
    x.requires_grad_(True)
    y = module(x) if ids is None else module(x, ids)
    dy = draw(*y.shape)
    (y * dy).sum().backward()
    tensors = {"input": x, "output": y, "grad_output": dy, "grad.input": x.grad}
    for name, p in module.named_parameters():
        tensors["param." + name] = p
        tensors["grad.param." + name] = p.grad
    tensors = {k: v.detach().numpy() for k, v in tensors.items()}
    if ids is not None:
        tensors["ids"] = ids.numpy()
    meta = {"case": case, "layer": layer, "source": SOURCE, **meta}
    save(Path(directory) / (case + ".safetensors"), meta, tensors)


# ---- layers ----


class Conv(nn.Module):
    """[B,H,W,C] as torch.nn.Conv2d takes [B,C,H,W]."""

    def __init__(self, channels, out, kernel, stride, padding, bias=True):
        super().__init__()
        conv = nn.Conv2d(channels, out, kernel, stride, padding, bias=bias)
        self.weight, self.bias, self.stride, self.padding = conv.weight, conv.bias, stride, padding

    def forward(self, x):
        y = F.conv2d(x.permute(0, 3, 1, 2), self.weight, self.bias, self.stride, self.padding)
        return y.permute(0, 2, 3, 1).contiguous()


class Patches(nn.Module):
    """torch.nn.functional.unfold has the channels first in a patch; here they come last."""

    def __init__(self, kernel, stride, padding):
        super().__init__()
        self.kernel, self.stride, self.padding = kernel, stride, padding

    def forward(self, x):
        channels = x.shape[3]
        u = F.unfold(x.permute(0, 3, 1, 2), self.kernel, padding=self.padding, stride=self.stride)
        u = u.reshape(x.shape[0], channels, -1, u.shape[2])
        return u.permute(0, 3, 2, 1).reshape(x.shape[0], u.shape[3], -1)


class Gather(nn.Module):
    def __init__(self, prefix=0):
        super().__init__()
        self.prefix = prefix

    def forward(self, x, ids):
        at = ids[:, :, None].expand(-1, -1, x.shape[2])
        return torch.cat([x[:, : self.prefix], torch.gather(x[:, self.prefix :], 1, at)], 1)


class Scatter(nn.Module):
    def __init__(self, width, time, prefix=0):
        super().__init__()
        self.weight, self.time, self.prefix = nn.Parameter(torch.zeros(width)), time, prefix

    def forward(self, x, ids):
        at = ids[:, :, None].expand(-1, -1, x.shape[2])
        empty = self.weight[None, None].expand(x.shape[0], self.time, -1)
        return torch.cat([x[:, : self.prefix], torch.scatter(empty, 1, at, x[:, self.prefix :])], 1)


class ClassToken(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1, width))

    def forward(self, x):
        return torch.cat([self.weight[None].expand(x.shape[0], -1, -1), x], 1)


def grid_positions(rows, columns, width, prefix):
    """Columns in the first half of the features, rows in the second one, as in the masked autoencoder."""
    quarter = width // 4
    w = 10000.0 ** (-torch.arange(quarter).double() / quarter)
    table = torch.zeros(prefix + rows * columns, width).double()
    for t in range(rows * columns):
        parts = [f(at * w) for at in (t % columns, t // columns) for f in (torch.sin, torch.cos)]
        table[prefix + t] = torch.cat(parts)
    return table


# ---- models, with the names of their parameters ----


class Stack(nn.Module):
    def __init__(self, width, heads, ff, layers):
        super().__init__()
        layer = lambda: nn.TransformerEncoderLayer(
            width, heads, ff, 0, "gelu", batch_first=True, norm_first=True
        )
        self.layers = nn.ModuleList([layer() for _ in range(layers)])
        self.norm = nn.LayerNorm(width)

    def run(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.norm(x)


class Encoder(Stack):
    def __init__(self, shape, patch, width, heads, ff, layers, class_token):
        super().__init__(width, heads, ff, layers)
        self.patches = Patches(patch, patch, 0)
        self.embedding = nn.Linear(patch[0] * patch[1] * shape[2], width)
        self.grid = (shape[0] // patch[0], shape[1] // patch[1])
        self.prefix = int(class_token)
        if class_token:
            self.class_token = ClassToken(width)

    def forward(self, x, ids=None):
        z = self.embedding(self.patches(x))
        if self.prefix:
            z = self.class_token(z)
        z = z + grid_positions(*self.grid, z.shape[2], self.prefix)
        return self.run(z if ids is None else Gather(self.prefix)(z, ids))


class Decoder(Stack):
    def __init__(self, encoder, width, heads, layers, pixels):
        super().__init__(width, heads, 4 * width, layers)
        self.grid, self.prefix = encoder.grid, encoder.prefix
        self.embedding = nn.Linear(encoder.norm.weight.shape[0], width)
        self.mask = Scatter(width, self.grid[0] * self.grid[1], self.prefix)
        self.pixels = nn.Linear(width, pixels)

    def forward(self, z, ids):
        z = self.mask(self.embedding(z), ids)
        z = self.run(z + grid_positions(*self.grid, z.shape[2], self.prefix))
        return self.pixels(z[:, self.prefix :])


class Vit(nn.Module):
    def __init__(self, *args):
        super().__init__()
        self.encoder = Encoder(*args)

    def forward(self, x):
        z = self.encoder(x)
        return z[:, 0] if self.encoder.prefix else z.mean(1)


class MaskedAutoencoder(Vit):
    def __init__(self, args, width, heads, layers):
        super().__init__(*args)
        pixels = self.encoder.embedding.weight.shape[1]
        self.decoder = Decoder(self.encoder, width, heads, layers, pixels)

    def forward(self, x, ids):
        return self.decoder(self.encoder(x, ids), ids)


def pick(batch, count, kept):
    return torch.stack([torch.randperm(count)[:kept] for _ in range(batch)])


def layer_cases(d):
    def windows(kernel, stride, padding):
        names = ("height", "width"), ("stride_height", "stride_width"), ("padding_height", "padding_width")
        return {n: v for pair, values in zip(names, (kernel, stride, padding)) for n, v in zip(pair, values)}

    for name, shape, out, geometry, bias in (
        ("square", (2, 6, 5, 3), 4, ((3, 3), (1, 1), (1, 1)), True),
        ("rectangle", (2, 7, 9, 2), 5, ((2, 3), (2, 1), (0, 2)), False),
        ("patches", (2, 6, 8, 3), 6, ((3, 2), (3, 2), (0, 0)), True),
    ):
        module = Conv(shape[3], out, *geometry, bias)
        write(d, "vision_conv_2d_" + name, "conv_2d", windows(*geometry), module, draw(*shape))
    for name, shape, geometry in (
        ("apart", (2, 6, 8, 3), ((3, 2), (3, 2), (0, 0))),
        ("overlapping", (2, 5, 7, 2), ((3, 2), (2, 1), (1, 1))),
    ):
        write(d, "vision_patch_2d_" + name, "patch_2d", windows(*geometry), Patches(*geometry), draw(*shape))
    write(d, "vision_gather", "gather", {"prefix": 1}, Gather(1), draw(3, 7, 4), torch.randint(0, 6, (3, 5)))
    module, meta = Scatter(4, 7, 2), {"prefix": 2, "time": 7}
    write(d, "vision_scatter", "scatter", meta, module, draw(3, 5, 4), pick(3, 7, 3))


def model_cases(d):
    shape, patch = (6, 8, 2), (3, 2)
    for name, class_token in (("class_token", True), ("mean", False)):
        meta = {"patch_height": 3, "patch_width": 2, "heads": 2, "ff": 6, "layers": 2, "dim": 8,
                "class_token": class_token}
        args = (shape, patch, 8, 2, 6, 2, class_token)
        write(d, "vision_vit_" + name, "vit", meta, Vit(*args), draw(2, *shape))
        meta = {**meta, "decoder_dim": 4, "decoder_heads": 1, "decoder_layers": 1, "mask_ratio": 0.625}
        write(d, "vision_mae_" + name, "masked_autoencoder", meta, MaskedAutoencoder(args, 4, 1, 1),
              draw(2, *shape), pick(2, 8, 3))


if __name__ == "__main__":
    torch.manual_seed(20261)
    layer_cases(sys.argv[1])
    model_cases(sys.argv[1])
