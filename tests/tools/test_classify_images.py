#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The classify program on images that it makes itself: usage test_classify_images.py CLASSIFY plots|no-plots

IDX files, saved and loaded models, encoders that are taken over, masked pre-training, predictions, and for
each kind of bad input a sentence and the exit status 1.
"""

import json
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

SIDE, COUNT = 8, 60
SMALL = '--dim 8 --layers 1 --batch 16 --lr 0.01 --split 0.2 --epochs 40'.split()

failures = []


def check(what, good, more=''):
    if not good:
        failures.append(what)
        print(f'FAIL {what} {more}')


def write_idx(folder, name, count):
    """Upright bars are class 4, lying ones class 9."""
    draw = random.Random(5)
    pixels, labels = bytearray(), bytearray()
    for k in range(count):
        at = draw.randrange(1, SIDE - 1)
        for i in range(SIDE):
            for j in range(SIDE):
                pixels.append((200 if (i if k % 2 else j) == at else 0) + draw.randrange(30))
        labels.append(9 if k % 2 else 4)
    head = struct.pack('>IIII', 0x803, count, SIDE, SIDE)
    (folder / f'{name}.idx3').write_bytes(head + pixels)
    (folder / f'{name}.idx1').write_bytes(struct.pack('>II', 0x801, count) + labels)


def main(program, plots):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = str(Path(program).resolve())

        def run(*args):
            return subprocess.run([program, *args], cwd=folder, capture_output=True, encoding='utf-8',
                                  timeout=120, check=False)

        def measured(*args):
            done = run(*args, '--json')
            check(' '.join(args), done.returncode == 0, done.stderr)
            return json.loads(done.stdout) if done.returncode == 0 else {}

        def refused(words, *args):
            done = run(*args)
            check(' '.join(args), done.returncode == 1 and words in done.stderr, done.stderr)

        write_idx(folder, 'bars', COUNT)
        write_idx(folder, 'more', 20)
        bars = ['--images', 'bars.idx3', '--labels', 'bars.idx1']
        first = measured(*bars, *SMALL, '--save', 'm', '--threads', '1')
        check('it learns', first.get('test_accuracy', 0) > 0.9, first.get('test_accuracy'))
        check('counts', first.get('train_samples') == 48 and first.get('test_samples') == 12, first)
        again = measured(*bars, *SMALL, '--threads', '2')
        check('threads', first.get('weights_hash') == again.get('weights_hash'))
        tested = measured('--load', 'm', '--test-images', 'more.idx3', '--test-labels', 'more.idx1')
        check('loaded', tested.get('weights_hash') == first.get('weights_hash'))
        lines = run('--load', 'm', '--predict', 'more.idx3').stdout.split('\n')
        check('predictions', len(lines) == 21 and lines[0].split()[0] in '49', lines)
        refused('wrong background (got "blue", need white', '--load', 'm', '--predict', 'more.idx3',
                '--background', 'blue')
        refused('are for images', '--train', 'x.csv', '--background', 'black')
        fighter = measured(*bars, *SMALL, '--model', 'fighter', '--hops', '2', '--flip', '--shift', '0')
        check('fighter', fighter.get('model') == 'fighter', fighter)
        whole = [*bars, *SMALL, '--model', 'fighter', '--whole']
        plain, relu = measured(*whole, '--save', 'w'), measured(*whole, '--act', 'relu')
        check('whole: fewer weights', plain.get('parameters', 0) < fighter.get('parameters', 0), plain)
        check('whole: act', relu.get('weights_hash') != plain.get('weights_hash'), relu)
        tested = measured('--load', 'w', '--test-images', 'more.idx3', '--test-labels', 'more.idx1')
        check('whole: loaded', tested.get('weights_hash') == plain.get('weights_hash'), tested)
        refused('--whole is for --model fighter', *bars, *SMALL, '--whole')
        refused('--act of images is for', *bars, *SMALL, '--model', 'fighter', '--act', 'relu')
        few = measured(*bars, *SMALL, '--pretrain-masked', '2', '--labelled', '10', '--save', 'e')
        check('labelled', few.get('train_samples') == 10, few)
        probe = [a for a in SMALL if a not in ('--dim', '8', '--layers', '1')]
        measured(*bars, *probe, '--pretrained', 'e', '--probe')
        masked = [*bars, *SMALL[:-2], '--epochs', '1', '--pretrain-masked', '3', '--labelled', '10',
                  '--attent-in']
        chosen = ['--ratio', 'fixed', '--share', '0.5', '--interval', 'fixed']
        for how in 'random', 'hard', 'soft', 'gradnorm':
            got = measured(*masked, 'pretraining', '--attent', how, *chosen)
            before = got.get('pretraining', {})
            check(f'{how}: of pre-training', before.get('samples_backpropagated') == 3 * 24, got)
            check(f'{how}: training has all', got.get('samples_backpropagated') == 10, got)
            check(f'{how}: told', (got.get('attent'), got.get('attent_in')) == (how, 'pretraining'), got)
        got = measured(*masked, 'pretraining', '--attent', 'infobatch')
        check('infobatch', 48 < got.get('pretraining', {}).get('samples_backpropagated', 0) < 3 * 48, got)
        soft = [*masked, 'both', '--attent', 'soft', '--scores', 'training', *chosen]
        hashes = {measured(*soft, '--threads', str(n)).get('weights_hash') for n in (1, 2)}
        check('scores of training: threads', len(hashes) == 1, hashes)
        both = measured(*soft)
        check('both', (both.get('samples_backpropagated'), both.get('pretraining', {}).get(
            'samples_backpropagated')) == (5, 72), both)

        adapt = ['--load', 'm', *bars, '--split', '0.2', '--adapt', 'a.lora', '--adapt-rank', '2']
        adapted = measured(*adapt, '--epochs', '2', '--attent', 'soft', '--ratio', 'simple')
        test = ['--load', 'm', '--test-images', 'more.idx3', '--test-labels', 'more.idx1']
        used = measured(*test, '--adapter', 'a.lora')
        check('adapter: the same', used.get('weights_hash') == adapted.get('weights_hash'), used)
        check('adapter: another model', used.get('weights_hash') != first['weights_hash'], used)
        check('adapter: fewer', adapted.get('parameters', 0) < first['parameters'], adapted)
        check('adapter: chosen', adapted.get('samples_backpropagated') == 48 + 34, adapted)
        if plots == 'plots':
            drawn = measured(*bars, *SMALL[:-2], '--epochs', '3', '--ntk-plot', 'k.svg')
            check('kernels', len(drawn.get('ntk', [])) == 4 and (folder / 'k.svg').exists(), drawn)

        refused('of images, so --adapt needs --images', '--load', 'm', '--train', 'm', '--adapt', 'b')
        refused('says what the model is', *adapt, '--pretrained', 'e')
        refused('cannot both be given', *bars, '--load', 'm')
        refused('has seen others', *bars, *probe, '--pretrained', 'e', '--ntk-plot', 'k.svg')
        refused('does not look', *masked, 'both', '--attent', 'class-weight')
        refused('needs --attent', *masked, 'pretraining')
        refused('needs --pretrain-masked', *bars, *SMALL, '--attent', 'soft', '--attent-in', 'both')
        refused('the file of its labels is missing', '--images', 'bars.idx3', '--split', '0.2')
        refused('got 20, need 60', '--images', 'bars.idx3', '--labels', 'more.idx1', '--split', '0.2')
        refused('no such file', '--images', 'none', '--split', '0.2')
        refused('is for texts', *bars, *SMALL, '--model', 'lstm')
        for option in (['--diag-mask'], ['--pretrain', '3'], ['--init', '0.1'], ['--max-tokens', '9'],
                       ['--label', 'a'], ['--header', 'no'], ['--resident', '1']):
            refused(f'{option[0]} is for texts', *bars, *SMALL, '--model', 'fighter', *option)
            refused(f'{option[0]} is for texts', *test, *option)
        for option in (['--resize', '8x8'], ['--channels', '1']):
            refused('are for images', '--train', 'm', '--save', 'x', *option)
        refused('takes images of 8x8', *test, '--resize', '9x8')
        check('--resize as the model', run(*test, '--resize', '8x8').returncode == 0)
        refused('are for images', '--load', 'm', '--test', 'bars.idx1', '--resize', '8x8')
        refused('needs a trained encoder', *bars, *SMALL, '--probe')
        refused('says what the encoder is', *bars, *SMALL, '--pretrained', 'e')
        refused('--test-images PATH or --split SHARE is missing', *bars)
        refused('is a classifier of images', '--load', 'm', '--test', 'bars.idx1')
        refused('--split 0.01 of 60 images leaves none', *bars, '--split', '0.01')
        refused('expected rows and columns', *bars, *SMALL, '--resize', '8')
        refused('--predict needs the images', '--load', 'm', '--predict')
        refused('--predict needs the images', *bars, *SMALL, '--predict')
        check('before the training', 'epoch' not in run(*bars, *SMALL, '--predict').stderr)
        (folder / 'cut.idx3').write_bytes((folder / 'bars.idx3').read_bytes()[:-1])
        refused('ends too early', '--images', 'cut.idx3', '--labels', 'bars.idx1', '--split', '0.2')
    return bool(failures)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
