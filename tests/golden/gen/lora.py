#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Golden files of adapters (LoRA), from torch and peft in double precision: lora.py DIRECTORY [SEED].

Another seed draws other values and other shapes. B is drawn too, because its zeros would hide errors."""

import sys
from pathlib import Path

import numpy
import torch
from torch import nn
from peft import LoraConfig, get_peft_model

from tensor_file import save


class Layer(torch.nn.Module):
    """A module alone; `layer` is cut off the names of its parameters."""

    def __init__(self, layer, run):
        super().__init__()
        self.layer, self.run = layer, run

    def forward(self, x):
        return self.run(self.layer, x)


def drawn(draw, *shape, scale=1.0):
    """Values that float32 has exactly."""
    return torch.tensor(scale * draw.standard_normal(shape)).float().double()


def finish(directory, case, draw, x, y, trained, frozen, meta):
    """trained, frozen: parameters by the names that the model has for them."""
    dy = drawn(draw, *y.shape)
    gradients = list(torch.autograd.grad((y * dy).sum(), [x] * x.requires_grad + list(trained.values())))
    tensors = {"input": x, "output": y, "grad_output": dy}
    if x.requires_grad:
        tensors["grad.input"] = gradients.pop(0)
    tensors.update({"param." + n: p for n, p in {**frozen, **trained}.items()})
    tensors.update({"grad.param." + n: g for n, g in zip(trained, gradients)})
    meta.update(layer="lora", case="lora_" + case)
    arrays = {k: v.detach().numpy().astype(numpy.float32 if v.is_floating_point() else numpy.int64)
              for k, v in tensors.items()}
    save(directory / (meta["case"] + ".safetensors"), meta, arrays)


def by_peft(directory, case, draw, layer, run, shape, rank, alpha, **meta):
    config = LoraConfig(r=rank, lora_alpha=alpha, target_modules=["layer"], init_lora_weights=False)
    model = get_peft_model(Layer(layer.double(), run), config).double()
    for p in model.parameters():
        p.data = drawn(draw, *p.shape, scale=p[0].numel() ** -0.5)
    name_of = lambda n: n.split("model.layer.")[1].replace(".default", "").replace("base_layer.", "")
    of = lambda t: {name_of(n): p for n, p in model.named_parameters() if p.requires_grad == t}
    ids = isinstance(layer, nn.Embedding)
    x = (torch.tensor(draw.integers(layer.num_embeddings, size=shape)) if ids
         else drawn(draw, *shape).requires_grad_())
    meta.update(rank=rank, alpha=alpha, source="lora.py (peft, double)")
    finish(directory, case, draw, x, model(x), of(True), of(False), meta)


def by_torch(directory, case, draw, layer, run, shape, rank, alpha, **meta):
    """W + s B A put in the place of W. peft 0.21 cannot be the reference here: it adds the adapter of
    out_proj of torch.nn.MultiheadAttention twice."""
    layer.double()
    frozen = {n: drawn(draw, *p.shape, scale=p[0].numel() ** -0.5) for n, p in layer.named_parameters()}
    trained, summed = {}, dict(frozen)
    for n, w in frozen.items():
        if w.dim() < 2:
            continue
        a = drawn(draw, rank, w.shape[1], scale=w.shape[1] ** -0.5).requires_grad_()
        b = drawn(draw, w.shape[0], rank, scale=0.3).requires_grad_()
        module = n.removesuffix(".weight")
        trained[module + ".lora_A.weight"], trained[module + ".lora_B.weight"] = a, b
        summed[n] = w + alpha / rank * b @ a
    x = drawn(draw, *shape).requires_grad_()
    y = torch.func.functional_call(Layer(layer, run), {"layer." + n: p for n, p in summed.items()}, (x,))
    meta.update(rank=rank, alpha=alpha, source="lora.py (torch, double)")
    finish(directory, case, draw, x, y, trained, frozen, meta)


def attention(m, x):
    return m(x, x, x, need_weights=False)[0]


def main():
    directory, seed = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    draw = numpy.random.default_rng(seed)
    more = 0 if seed == 1 else int(draw.integers(5))
    plain, along = lambda m, x: m(x), lambda m, x: m(x.transpose(1, 2)).transpose(1, 2)
    d = 16 + 4 * more
    by_peft(directory, "linear", draw, nn.Linear(d, 9 + more), plain, (3, 7 + more, d), 4, 6, kind="linear")
    by_peft(directory, "linear_nobias", draw, nn.Linear(5 + more, 33, bias=False), plain, (2, 5 + more), 1, 3,
            kind="linear")
    by_peft(directory, "conv", draw, nn.Conv1d(6 + more, 8, 3, padding=1), along,
            (2, 9 + more, 6 + more), 2, 5, kind="conv")
    by_torch(directory, "attention", draw, nn.MultiheadAttention(d, 4, batch_first=True), attention,
             (2, 6 + more, d), 3, 12, kind="attention", heads=4)
    by_torch(directory, "encoder", draw, nn.TransformerEncoderLayer(d, 2, 24 + more, 0.0, batch_first=True),
             plain, (2, 6 + more, d), 2, 8, kind="encoder", heads=2)
    by_peft(directory, "embedding", draw, nn.Embedding(23 + more, d, padding_idx=2), plain, (3, 11 + more),
            5, 7, kind="embedding", padding_idx=2)


if __name__ == "__main__":
    main()
