# SPDX-License-Identifier: BSD-3-Clause
"""Classes of short texts, with misspelt words.

Messages to a shop are about delivery, payment or a return. The classifier learns them from 600
sentences. Runs of letters (`letters`) let it understand words that it never saw.
"""

import matplotlib.pyplot as plt
import numpy as np

from fighter import TextClassifier

rng = np.random.default_rng(3)
words = {
    'delivery': ['parcel', 'shipping', 'courier', 'delivered', 'tracking', 'arrives', 'address', 'package'],
    'payment': ['invoice', 'card', 'charged', 'payment', 'transfer', 'billing', 'paid', 'voucher'],
    'return': ['refund', 'broken', 'exchange', 'return', 'damaged', 'wrong size', 'send back', 'defective'],
}
common = ['my order', 'please', 'yesterday', 'still', 'the', 'a question about', 'help with', 'when',
          'why is']
labels = rng.choice(list(words), 900)
texts = []
for label in labels:
    parts = [*rng.choice(common, 4), *rng.choice(words[label], 2)]
    rng.shuffle(parts)
    texts.append(' '.join(parts))

model = TextClassifier(letters=3, epochs=10, random_state=1, verbose=False).fit(texts[:600], labels[:600])
print(f'accuracy on 300 other messages: {model.score(texts[600:], labels[600:]):.3f}')
typed = ['my parcle has not arived', 'i was chargd twice', 'the shoes are brokn, i want a refnd']
shares = model.predict_proba(typed)
for text, label in zip(typed, model.predict(typed)):
    print(f'{label:10} {text}')

figure, axes = plt.subplots(figsize=(9, 3), layout='constrained')
left = np.zeros(len(typed))
for k, name in enumerate(model.classes_):
    axes.barh(typed, shares[:, k], left=left, label=name)
    left += shares[:, k]
axes.set_xlabel('probability')
axes.set_xlim(0, 1)
axes.invert_yaxis()
axes.legend(ncols=3, loc='lower right', bbox_to_anchor=(1, 1))
figure.savefig('texts.svg')
