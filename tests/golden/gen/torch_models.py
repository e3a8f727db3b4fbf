# SPDX-License-Identifier: BSD-3-Clause
"""Files that PyTorch writes, for tests/model/test_pytorch.c: torch_models.py DIRECTORY
NAME.safetensors is the state_dict of a model as the package safetensors writes it, NAME.io.safetensors an
input and what the model makes of it. Made with torch 1.13.0. The weights are drawn, because the first values
of norms and biases would hide mistakes."""

import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn


class Text(nn.Module):
    """Token ids to logits, through a pre-norm encoder and a GRU of both directions."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(11, 8)
        layer = nn.TransformerEncoderLayer(8, 2, 12, activation="gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(8))
        self.gru = nn.GRU(8, 3, 2, batch_first=True, bidirectional=True)
        self.norm = nn.LayerNorm(6)
        self.head = nn.Linear(6, 4)

    def forward(self, ids):
        return self.head(self.norm(self.gru(self.encoder(self.embed(ids)))[0]))


class Series(nn.Module):
    """Rows of numbers to the next value, through a post-norm encoder, an LSTM and a plain RNN."""

    def __init__(self):
        super().__init__()
        self.project = nn.Linear(3, 6)
        layer = nn.TransformerEncoderLayer(6, 3, 10, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1)
        self.lstm = nn.LSTM(6, 5, 1, batch_first=True)
        self.rnn = nn.RNN(5, 4, 2, batch_first=True, nonlinearity="relu")
        self.head = nn.Linear(4, 1, bias=False)

    def forward(self, x):
        y = self.encoder(self.project(x))
        return self.head(self.rnn(self.lstm(y)[0])[0][:, -1])


def write(directory, name, model, x):
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(p + 0.3 * torch.randn_like(p))
        model.eval()
        y = model(x)
    save_file({k: v.contiguous() for k, v in model.state_dict().items()}, directory / f"{name}.safetensors")
    save_file({"x": x, "y": y}, directory / f"{name}.io.safetensors")


def main(directory):
    torch.manual_seed(7)
    write(directory, "text", Text(), torch.randint(0, 11, (2, 7)))
    write(directory, "series", Series(), torch.randn(3, 9, 3))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
