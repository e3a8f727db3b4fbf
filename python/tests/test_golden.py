# SPDX-License-Identifier: BSD-3-Clause
"""Layers and losses agree with the golden vectors, to the tolerances of tests/golden."""

import json
from pathlib import Path

import numpy as np
import pytest

import fighter
from fighter import Model, layers

VECTORS = Path(__file__).parents[2] / 'tests/golden/vectors'
TYPES = {'F32': np.float32, 'F64': np.float64, 'I64': np.int64, 'I32': np.int32}


def read(name):
    """Tensors and metadata of a safetensors file."""
    data = (VECTORS / f'{name}.safetensors').read_bytes()
    size = int.from_bytes(data[:8], 'little')
    header = json.loads(data[8:8 + size])
    about = header.pop('__metadata__')
    tensors = {}
    for tensor, entry in header.items():
        begin, end = (8 + size + at for at in entry['data_offsets'])
        tensors[tensor] = np.frombuffer(data[begin:end], TYPES[entry['dtype']]).reshape(entry['shape'])
    return tensors, about


def close(got, want, gradient=False):
    got, want = np.asarray(got, np.float64).reshape(want.shape), want.astype(np.float64)
    top = np.abs(want).max()
    assert np.abs(got - want).max() <= (1e-4 * top if gradient else 1e-5 * max(1, top))


FIGHTER = {'heads': 4, 'hops': 3, 'norm': True, 'residual': True}
CASES = {
    'linear': [layers.Linear(out=15, name='')],
    'linear_nobias': [layers.Linear(out=15, no_bias=True, name='')],
    'layernorm': [layers.LayerNorm(name='')],
    'act_gelu': [layers.Activation(kind='gelu')],
    'act_elu': [layers.Activation(kind='elu')],
    'embedding': [layers.Embedding(vocab=31, out=20, name='')],
    'pos_sinusoidal': [layers.Position(kind='sinusoidal')],
    'rnn_relu_1l': [layers.RNN(hidden=15, nonlinearity='relu', name='')],
    'gru_1l': [layers.GRU(hidden=15, name='')],
    'lstm_2l': [layers.LSTM(hidden=15, layers=2, name='')],
    'mha_self': [layers.Attention(heads=4, name='')],
    'mha_causal': [layers.Attention(heads=4, causal=True, name='')],
    'encoder_layer_post_gelu': [layers.Transformer(heads=4, ff=37, act='gelu', name='')],
    'fighter_full_L2_k3': [layers.Fighter(act='gelu', name='layers.0', **FIGHTER),
                           layers.Fighter(act='none', name='layers.1', **FIGHTER)],
    'variant_conv_circular': None,
    'variant_max_pool_odd': None,
    's4d_lin_zoh': None,
}


def described(name, about, tensors):
    """Layers whose options are in the metadata."""
    if about['layer'] == 'conv':
        weight = tensors['param.weight']
        return [layers.Conv(out=weight.shape[0], kernel=weight.shape[2], stride=int(about.get('stride', 1)),
                            padding=about['padding'], no_bias='param.bias' not in tensors, name='')]
    if about['layer'] == 'max_pool':
        return [layers.MaxPool(kernel=int(about['kernel']), stride=int(about['stride']))]
    state = 2 * next(t.shape[-2] for n, t in tensors.items() if n.endswith('.C'))
    return [layers.S4(block='none', kind='diagonal', init='lin', disc='zoh', state=state, name='')]


@pytest.mark.parametrize('name', CASES)
def test_a_layer_agrees_with_its_golden_vectors(name):
    tensors, about = read(name)
    x = tensors['input']
    shape = x.shape if x.dtype == np.int64 or x.ndim > 2 else (1, *x.shape)
    x = x.reshape(shape)
    sizes = {'batch': shape[0], 'time': shape[-1]} if x.dtype == np.int64 else \
        {'batch': shape[0], 'time': shape[-2], 'features': shape[-1], 'nodes': shape[1] if len(shape) > 3 else 1}
    model = Model(*(CASES[name] or described(name, about, tensors)), threads=1, **sizes)
    model.load_state_dict({n[6:]: t for n, t in tensors.items() if n.startswith('param.')})
    close(model.predict(x), tensors['output'])
    y = model.forward(x)
    close(y, tensors['output'])
    dx = model.backward(tensors['grad_output'].reshape(y.shape), input_gradient='grad.input' in tensors)
    if dx is not None:
        close(dx, tensors['grad.input'], gradient=True)
    zero = about.get('zero_gradients', '')
    for parameter, gradient in model.gradients().items():
        if f'param.{parameter}' not in zero and f'grad.param.{parameter}' in tensors:
            close(gradient, tensors[f'grad.param.{parameter}'], gradient=True)
    if name.startswith('fighter'):
        close(model.adjacency('layers.1'), tensors['adjacency.1'])


@pytest.mark.parametrize('name, options', [
    ('mse', {}), ('l1', {}), ('huber_delta2', {'beta': 2}), ('smooth_l1', {}), ('bce_logits', {}),
    ('cross_entropy', {}), ('cross_entropy_smooth01', {'label_smoothing': 0.1})])
def test_a_loss_agrees_with_its_golden_vectors(name, options):
    tensors, _ = read(f'loss_{name}')
    kind = name.replace('_delta2', '').replace('_logits', '').replace('_smooth01', '')
    target = tensors['target']
    target = target.astype(np.int64) if kind == 'cross_entropy' else target
    value, gradient = getattr(fighter.losses, kind)(tensors['input'], target, **options)
    loss = next(t for n, t in tensors.items() if n in ('loss', 'output'))
    close(value, loss.reshape(()))
    close(gradient, tensors['grad.input'], gradient=True)
