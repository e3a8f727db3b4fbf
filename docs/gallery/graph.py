# SPDX-License-Identifier: BSD-3-Clause
"""Attention as a graph: which days a Fighter layer reads.

The target is the sum of two particular days of twelve. A layer with two hops learns to find them, and
its matrix A is a graph over the days: an edge i - k says how much day i reads day k.
"""

import matplotlib.pyplot as plt
import numpy as np

from fighter import Model, layers

rng = np.random.default_rng(5)
x = rng.normal(size=(2000, 12, 2)).astype(np.float32)
x[:, :, 1] = np.arange(12) / 12 # where a day stands
y = (x[:, 2, 0] + x[:, 9, 0])[:, None]

model = Model(layers.Linear(out=16), layers.Position(), layers.Fighter(heads=1, hops=2, name='fighter'),
              layers.Pool(), layers.Linear(out=1), time=12, features=2, batch=50, threads=1)
report = model.fit(x[:1600], y[:1600], validation=(x[1600:], y[1600:]), epochs=30, lr=3e-3)
error = np.mean((model.predict(x[1600:1650]) - y[1600:1650]) ** 2)
model.forward(x[1600:1650])
matrix = model.adjacency('fighter')[:, 0].mean(axis=0) # the mean over 50 samples
read = matrix.mean(axis=0)
print(f'mean squared error {error:.3f} (variance of the target {y.var():.2f}); '
      f'the days read most: {np.argsort(-read)[:2]}')

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout='constrained')
shown = left.imshow(matrix, cmap='Blues')
left.set(xlabel='day that is read', ylabel='day that reads', title='A, mean over 50 samples')
figure.colorbar(shown, ax=left, shrink=.8)
right.bar(range(12), read)
right.set(xlabel='day', title='how much a day is read')
figure.savefig('graph.svg')
