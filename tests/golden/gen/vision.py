#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Golden files of layers and models for images: vision.py DIRECTORY [SEED [CASES]]

PyTorch computes them in double precision. Inputs and parameters are exact float32 values, results are rounded
to float32. Made with torch 2. With a seed there are CASES files of each kind (default 10) of shapes that are
drawn: these check any shape, and are not kept."""

import random
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
    largest = {k[5:]: numpy.abs(v).max() for k, v in tensors.items() if k.startswith("grad.")}
    zero = [k for k, v in largest.items() if v <= 1e-12 * max(largest.values())]
    if zero:  # what is left is rounding, as behind the norm of one number
        meta = {**meta, "zero_gradients": ", ".join(zero)}
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


class Positions(nn.Module):
    def __init__(self, grid, width, prefix, learned):
        super().__init__()
        if learned:
            self.table = nn.Parameter(torch.zeros(prefix + grid[0] * grid[1], width))
        else:
            self.table = grid_positions(*grid, width, prefix)

    def forward(self, x):
        return x + self.table


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
    def __init__(self, shape, patch, width, heads, ff, layers, class_token, learned=False):
        super().__init__(width, heads, ff, layers)
        self.patches = Patches(patch, patch, 0)
        self.embedding = nn.Linear(patch[0] * patch[1] * shape[2], width)
        self.grid = (shape[0] // patch[0], shape[1] // patch[1])
        self.prefix, self.learned = int(class_token), learned
        if class_token:
            self.class_token = ClassToken(width)
        self.position = Positions(self.grid, width, self.prefix, learned)

    def forward(self, x, ids=None):
        z = self.embedding(self.patches(x))
        if self.prefix:
            z = self.class_token(z)
        z = self.position(z)
        return self.run(z if ids is None else Gather(self.prefix)(z, ids))


class Decoder(Stack):
    def __init__(self, encoder, width, heads, layers, pixels):
        super().__init__(width, heads, 4 * width, layers)
        self.grid, self.prefix = encoder.grid, encoder.prefix
        self.embedding = nn.Linear(encoder.norm.weight.shape[0], width)
        self.mask = Scatter(width, self.grid[0] * self.grid[1], self.prefix)
        self.position = Positions(self.grid, width, self.prefix, encoder.learned)
        self.pixels = nn.Linear(width, pixels)

    def forward(self, z, ids):
        z = self.run(self.position(self.mask(self.embedding(z), ids)))
        return self.pixels(z[:, self.prefix :])


class Vit(nn.Module):
    def __init__(self, *args, pool="mean"):
        super().__init__()
        self.encoder, self.pool = Encoder(*args), pool

    def forward(self, x):
        z = self.encoder(x)
        if self.encoder.prefix:
            return z[:, 0]
        return z if self.pool == "tokens" else z.mean(1)


class MaskedAutoencoder(Vit):
    def __init__(self, args, width, heads, layers):
        super().__init__(*args)
        pixels = self.encoder.embedding.weight.shape[1]
        self.decoder = Decoder(self.encoder, width, heads, layers, pixels)

    def forward(self, x, ids):
        return self.decoder(self.encoder(x, ids), ids)


def pick(batch, count, kept):
    return torch.stack([torch.randperm(count)[:kept] for _ in range(batch)])


def windows(kernel, stride, padding):
    names = ("height", "width"), ("stride_height", "stride_width"), ("padding_height", "padding_width")
    return {n: v for pair, values in zip(names, (kernel, stride, padding)) for n, v in zip(pair, values)}


def layer_cases(d):
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
    # learned positions, one head of odd width, one image; and one visible patch, one hidden patch
    meta = {"patch_height": 2, "patch_width": 5, "heads": 1, "ff": 5, "layers": 1, "dim": 9,
            "class_token": False, "pool": "tokens", "learned_position": True}
    args = ((8, 15, 3), (2, 5), 9, 1, 5, 1, False, True)
    write(d, "vision_vit_tokens", "vit", meta, Vit(*args, pool="tokens"), draw(1, 8, 15, 3))
    for name, kept in (("one_visible", 1), ("one_hidden", 11)):
        more = {"decoder_dim": 6, "decoder_heads": 2, "decoder_layers": 1, "mask_ratio": 1 - kept / 12}
        write(d, "vision_mae_" + name, "masked_autoencoder", {**meta, **more},
              MaskedAutoencoder(args, 6, 2, 1), draw(1, 8, 15, 3), pick(1, 12, kept))
    # of a shape in which a predictor that computes the class token alone rounds otherwise than the model
    meta = {"patch_height": 1, "patch_width": 1, "heads": 1, "ff": 21, "layers": 1, "dim": 16,
            "class_token": True, "learned_position": True}
    args = ((2, 6, 3), (1, 1), 16, 1, 21, 1, True, True)
    write(d, "vision_vit_one_row", "vit", meta, Vit(*args), draw(2, 2, 6, 3))


# ---- any shapes ----


def drawn_windows(r):
    """An image and windows that are in it: of any size, any distance, with borders of up to their size."""
    kernel = r.randint(1, 5), r.randint(1, 5)
    stride = r.randint(1, kernel[0] + 1), r.randint(1, kernel[1] + 1)
    padding = r.randint(0, kernel[0] - 1), r.randint(0, kernel[1] - 1)
    shape = (r.randint(1, 4), kernel[0] + r.randint(0, 9), kernel[1] + r.randint(0, 9), r.randint(1, 5))
    return shape, (kernel, stride, padding)


def drawn_layers(d, r, name):
    shape, geometry = drawn_windows(r)
    write(d, "vision_patch_2d_" + name, "patch_2d", windows(*geometry), Patches(*geometry), draw(*shape))
    shape, geometry = drawn_windows(r)
    module = Conv(shape[3], r.randint(1, 33), *geometry, r.random() < 0.5)
    write(d, "vision_conv_2d_" + name, "conv_2d", windows(*geometry), module, draw(*shape))
    batch, prefix, count, width = r.randint(1, 5), r.randint(0, 3), r.randint(1, 20), r.randint(1, 33)
    kept = r.randint(1, count)
    write(d, "vision_gather_" + name, "gather", {"prefix": prefix}, Gather(prefix),
          draw(batch, prefix + count, width), torch.randint(0, count, (batch, kept)))
    meta = {"prefix": prefix, "time": count}
    write(d, "vision_scatter_" + name, "scatter", meta, Scatter(width, count, prefix),
          draw(batch, prefix + kept, width), pick(batch, count, kept))


def drawn_width(r, learned):
    """Heads and their width together: 4 divides it where positions are sinusoids. It is at least 4: the
    gradient of a norm of 1 or 2 numbers is little more than what float32 rounds off, in PyTorch as well."""
    heads = r.choice((1, 1, 2, 3, 4, 5))
    width = heads * r.randint(-(-4 // heads), 17)
    return heads, width * (1 if learned or width % 4 == 0 else 4)


def drawn_models(d, r, name):
    learned, class_token = r.random() < 0.5, r.random() < 0.5
    patch, grid = (r.randint(1, 5), r.randint(1, 5)), (r.randint(1, 6), r.randint(2, 7))
    shape = (patch[0] * grid[0], patch[1] * grid[1], r.randint(1, 4))
    (heads, width), layers, ff = drawn_width(r, learned), r.randint(1, 3), r.randint(1, 70)
    pool = "class_token" if class_token else r.choice(("mean", "tokens"))
    meta = {"patch_height": patch[0], "patch_width": patch[1], "heads": heads, "ff": ff, "layers": layers,
            "dim": width, "class_token": class_token, "pool": pool, "learned_position": learned}
    args = (shape, patch, width, heads, ff, layers, class_token, learned)
    batch, count = r.randint(1, 4), grid[0] * grid[1]
    write(d, "vision_vit_" + name, "vit", meta, Vit(*args, pool=pool), draw(batch, *shape))
    kept = r.choice((1, count - 1, r.randint(1, count - 1)))
    (heads, width), layers = drawn_width(r, learned), r.randint(1, 2)
    meta = {**meta, "decoder_dim": width, "decoder_heads": heads, "decoder_layers": layers,
            "mask_ratio": 1 - kept / count}
    write(d, "vision_mae_" + name, "masked_autoencoder", meta, MaskedAutoencoder(args, width, heads, layers),
          draw(batch, *shape), pick(batch, count, kept))


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else None
    cases = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    torch.manual_seed(20261 if seed is None else seed)
    if seed is None:
        layer_cases(sys.argv[1])
        model_cases(sys.argv[1])
        return
    r = random.Random(seed)
    for i in range(cases):
        drawn_layers(sys.argv[1], r, f"{seed}_{i}")
        drawn_models(sys.argv[1], r, f"{seed}_{i}")


if __name__ == "__main__":
    main()
