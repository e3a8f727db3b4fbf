# SPDX-License-Identifier: BSD-3-Clause
"""Classes of small pictures by a Vision Transformer.

Each picture of 16 x 16 points has a ring, a square or a cross somewhere, with noise. The classifier
learns the three shapes from 1,200 pictures.
"""

import matplotlib.pyplot as plt
import numpy as np

from fighter import ImageClassifier

rng = np.random.default_rng(4)
rows, columns = np.mgrid[:16, :16]


def draw(shape):
    """A picture of 16 x 16 points from 0 to 255."""
    y, x, size = rng.uniform(5, 10), rng.uniform(5, 10), rng.uniform(3, 5)
    dy, dx = np.abs(rows - y), np.abs(columns - x)
    lines = {'ring': np.abs(np.hypot(dy, dx) - size), 'square': np.abs(np.maximum(dy, dx) - size),
             'cross': np.where(np.maximum(dy, dx) < size, np.minimum(dy, dx), 9)}
    picture = 220 * (lines[shape] < 1) + rng.normal(0, 25, (16, 16))
    return np.clip(picture, 0, 255).astype(np.uint8)


labels = rng.choice(['cross', 'ring', 'square'], 1500)
pictures = np.array([draw(label) for label in labels])
model = ImageClassifier(epochs=12, random_state=1, verbose=False).fit(pictures[:1200], labels[:1200])
print(f'accuracy on 300 other pictures: {model.score(pictures[1200:], labels[1200:]):.3f}')

figure, axes = plt.subplots(2, 6, figsize=(9, 3.4), layout='constrained')
for one, picture, name in zip(axes.flat, pictures[1200:], model.predict(pictures[1200:1212])):
    one.imshow(picture, cmap='gray', vmin=0, vmax=255)
    one.set_title(str(name), fontsize='medium')
    one.set_axis_off()
figure.savefig('images.svg')
