# SPDX-License-Identifier: BSD-3-Clause
"""Classifiers of texts and images."""

import copy
import csv
import ctypes as C
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import fighter
from fighter import ImageClassifier, TextClassifier
from fighter import _api as api
from fighter._estimator import count_threads
from fighter._library import Context, Handle
from fighter._library import texts as texts_of_c
from fighter._option_table import table

WORDS = {'sport': 'goal match team coach league', 'money': 'bank stock price market trade',
         'space': 'moon rocket orbit star probe'}


def make_texts(n, seed=0):
    """Texts of three classes, and their classes."""
    draw = np.random.default_rng(seed)
    labels = [list(WORDS)[i] for i in draw.integers(3, size=n)]
    common = [f'w{i}' for i in range(40)]
    return [' '.join([*draw.choice(WORDS[c].split(), 2), *draw.choice(common, 5)]) for c in labels], labels


def make_images(n, seed=0):
    """Images with a bright upper or lower half, and their classes."""
    draw = np.random.default_rng(seed)
    labels = draw.integers(2, size=n)
    images = draw.integers(0, 60, (n, 8, 8))
    for image, label in zip(images, labels):
        image[4 * label:4 * label + 4] += 150
    return images.astype(np.uint8), labels


@pytest.fixture(scope='module')
def news():
    return TextClassifier(epochs=8).fit(*make_texts(300))


@pytest.fixture(scope='module')
def pictures():
    return ImageClassifier(epochs=20, dim=16, layers=1).fit(*make_images(200))


# ---- results ----

def test_texts_are_classified(news):
    texts, labels = make_texts(100, 1)
    assert news.score(texts, labels) > 0.95
    assert news.classes_.tolist() == ['money', 'space', 'sport']
    probability = news.predict_proba(texts)
    assert probability.dtype == np.float32 and np.allclose(probability.sum(1), 1, atol=1e-6)
    assert (news.predict(texts) == news.classes_[probability.argmax(1)]).all()
    assert news.n_iter_ == 8 and [h['epoch'] for h in news.history_] == list(range(1, 9))
    weight = np.arange(100)
    right = news.predict(texts) == labels
    assert news.score(texts, labels, weight) == pytest.approx(weight[right].sum() / weight.sum())


def test_images_are_classified(pictures):
    images, labels = make_images(100, 1)
    assert pictures.score(images, labels) > 0.95 and pictures.image_shape_ == (8, 8, 1)
    assert (pictures.predict_proba(images.astype(float)[..., None]) == pictures.predict_proba(images)).all()


def write_csv(path, texts, labels):
    with open(path, 'w', newline='') as file:
        csv.writer(file).writerows(zip(labels, texts))


def run_program(*args):
    program = os.environ.get('FIGHTER_CLASSIFY')
    if not program:
        pytest.skip('the programs are not built')
    return subprocess.run([program, *args], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize('given,params', [
    ([], {}),
    (['--epochs', '3', '--validation', '0.3', '--seed', '7', '--dropout', '0', '--ngrams', '1', '--letters', '2'],
     dict(epochs=3, validation_fraction=0.3, random_state=7, dropout=0, ngrams=1, letters=2)),
    (['--model', 'transformer', '--heads', '2', '--epochs', '2', '--members', '2', '--batch', '16', '--balance', '0'],
     dict(model='transformer', heads=2, epochs=2, members=2, batch=16, balance=0)),
    (['--epochs', '4', '--attent', 'soft', '--act', 'relu', '--max-tokens', '20', '--diag-mask'],
     dict(epochs=4, attent=True, act='relu', max_tokens=20, diag_mask=True)),
    (['--epochs', '4', '--attent', 'class-weight', '--pretrain', '2', '--punctuation', '--prefix', '3'],
     dict(epochs=4, attent='class-weight', pretrain=2, punctuation=True, prefix=3))])
@pytest.mark.parametrize('numbers', [False, True])
def test_the_program_makes_the_same_model(tmp_path, given, params, numbers):
    texts, labels = make_texts(240)
    texts[3] += '\\nline\\break'
    if numbers:
        labels = [list(WORDS).index(c) + 9 for c in labels]
    write_csv(tmp_path / 'train.csv', texts, labels)
    run_program('--train', str(tmp_path / 'train.csv'), '--save', str(tmp_path / 'program.st'), *given)
    TextClassifier(**params).fit(texts, labels).save(tmp_path / 'python.st')
    assert (tmp_path / 'python.st').read_bytes() == (tmp_path / 'program.st').read_bytes()


def test_the_program_predicts_the_same(tmp_path, news):
    texts, _ = make_texts(30, 2)
    texts[0] += '\\ngoal' # an escaped line break
    news.save(tmp_path / 'news.st')
    (tmp_path / 'texts.txt').write_text('\n'.join(texts) + '\n')
    lines = run_program('--load', str(tmp_path / 'news.st'), '--predict', str(tmp_path / 'texts.txt')).split('\n')
    found = [f'{c} {p:.4f}' for c, p in zip(news.predict(texts), news.predict_proba(texts).max(1))]
    assert lines[:30] == found


def write_idx(path, array):
    head = np.array([8 << 8 | array.ndim, *array.shape], '>i4').tobytes()
    path.write_bytes(head + array.astype(np.uint8).tobytes())


@pytest.mark.parametrize('given,params', [
    (['--epochs', '3', '--dim', '16', '--flip', '--shift', '0', '--dropout', '0'],
     dict(epochs=3, dim=16, flip=True, shift=0, dropout=0)),
    (['--model', 'fighter', '--epochs', '2', '--layers', '2', '--hops', '2', '--validation', '0.4', '--whole',
      '--act', 'relu', '--attent', 'hard', '--dropout', '0.2', '--seed', '4'],
     dict(model='fighter', epochs=2, layers=2, hops=2, validation_fraction=0.4, whole=True, act='relu', attent='hard',
          dropout=0.2, random_state=4))])
def test_the_program_makes_the_same_model_of_images(tmp_path, given, params):
    images, labels = make_images(150)
    write_idx(tmp_path / 'images', images)
    write_idx(tmp_path / 'labels', labels)
    run_program('--images', str(tmp_path / 'images'), '--labels', str(tmp_path / 'labels'), '--save',
                str(tmp_path / 'program.st'), *given)
    ImageClassifier(**params).fit(images, labels).save(tmp_path / 'python.st')
    assert (tmp_path / 'python.st').read_bytes() == (tmp_path / 'program.st').read_bytes()


def test_parameters_are_the_options_of_the_program():
    own = {'ngrams', 'buckets', 'prefix', 'letters', 'punctuation', 'validation_fraction', 'members', 'attent',
           'random_state', 'n_jobs', 'verbose', 'patch', 'whole'}
    library = {w for t in ('option', 'fit_option') for w, _ in table(f'fgt_classifier_get_{t}')}
    of_texts, of_images = set(TextClassifier().get_params()), set(ImageClassifier().get_params())
    assert of_texts | of_images == library | own
    assert of_images - of_texts == {'shift', 'flip', 'patch', 'whole'}


def test_a_selector_may_have_options():
    texts, labels = make_texts(60)
    named = TextClassifier(epochs=4, attent='hard').fit(texts, labels).predict_proba(texts)
    selector = fighter.Selector(strategy='hard')
    assert (TextClassifier(epochs=4, attent=selector).fit(texts, labels).predict_proba(texts) == named).all()
    selector = fighter.Selector(strategy='fixed_weight', group_weight=[1, 2, 3], ratio_end=0.4)
    estimator = TextClassifier(epochs=4, attent=selector)
    chosen = estimator.fit(texts, labels).predict_proba(texts)
    assert (chosen != named).any() and (estimator.fit(texts, labels).predict_proba(texts) == chosen).all()


def test_results_do_not_depend_on_threads(news):
    texts, _ = make_texts(50, 3)
    two = TextClassifier(epochs=8, n_jobs=1).fit(*make_texts(300))
    assert (two.predict_proba(texts) == news.predict_proba(texts)).all()


# ---- inputs ----

def test_arrays_and_series_are_lists(news):
    pd = pytest.importorskip('pandas')
    texts, labels = make_texts(60, 4)
    expected = news.predict_proba(texts)
    for X in (tuple(texts), np.array(texts), np.array(texts, object), pd.Series(texts, index=range(60, 0, -1)),
              pd.Series(texts, dtype='string'), pd.DataFrame({'text': texts})):
        assert (news.predict_proba(X) == expected).all()
    small = TextClassifier(epochs=1)
    one = small.fit(texts, labels).predict_proba(texts)
    for y in (np.array(labels), np.array(labels, object), pd.Series(labels), pd.Categorical(labels)):
        assert (small.fit(texts, y).predict_proba(texts) == one).all()


def test_polars_series_are_lists(news):
    pl = pytest.importorskip('polars')
    texts, labels = make_texts(60, 4)
    assert (news.predict(pl.Series(texts)) == news.predict(texts)).all()
    assert TextClassifier(epochs=1).fit(pl.Series(texts), pl.Series(labels)).classes_.tolist() == sorted(WORDS)


@pytest.mark.parametrize('labels,classes', [
    ([0, 1], [0, 1]), ([10, 9], [9, 10]), ([-1, 1], [-1, 1]), ([True, False], [False, True]), ([2.0, 1.0], [1.0, 2.0]),
    (['10', '9'], ['10', '9']), ([1 << 40, 5], [5, 1 << 40]), (['é', 'z'], ['z', 'é']),
    ([np.datetime64('2024-02-01'), np.datetime64('2024-01-01')], None)])
@pytest.mark.parametrize('what', ['texts', 'images'])
def test_classes_may_be_of_many_types(what, labels, classes):
    texts, words = make_texts(100)
    images, numbers = make_images(100)
    y = np.array([labels[i] for i in (numbers if what == 'images' else [w == 'space' for w in words])])
    estimator = ImageClassifier(epochs=30, dim=16, layers=1) if what == 'images' else TextClassifier(epochs=12)
    X = images if what == 'images' else texts
    estimator.fit(X, y)
    assert estimator.classes_.dtype == y.dtype and (estimator.classes_ == np.unique(y)).all()
    assert classes is None or estimator.classes_.tolist() == classes
    assert estimator.score(X, y) > 0.9
    assert (pickle.loads(pickle.dumps(estimator)).predict(X) == estimator.predict(X)).all()


def test_texts_may_have_any_characters(news):
    found = news.predict_proba(['', ' ', '\0', 'moon\0orbit', 'moon orbit', 'moon \ud800 orbit', 'moon\\nOrbit'])
    assert (found[0] == found[1:3]).all() and (found[3] == found[4]).all() and (found[3] == found[6]).all()


@pytest.mark.parametrize('X,error,sentence', [
    ('one text', ValueError, 'is one text'), ([], ValueError, 'has no text'), (['a', None], ValueError, 'text 1'),
    (['a', float('nan')], ValueError, 'text 1 is missing'), ([1, 2], TypeError, 'text 0 is not a text .got int'),
    ([b'a'], TypeError, 'bytes'), (np.zeros((3, 2)), ValueError, r'shape \[3, 2\]'),
    (np.zeros(3), TypeError, 'float'), (None, ValueError, 'not a list')])
def test_wrong_texts_are_refused(news, X, error, sentence):
    with pytest.raises(error, match=sentence):
        news.predict(X)
    with pytest.raises(error, match=sentence):
        TextClassifier().fit(X, ['a', 'b'])


@pytest.mark.parametrize('y,sentence', [
    (None, 'requires y'), (['a'] * 29, 'inconsistent numbers of samples'), (['a'] * 30, 'two or more classes'),
    (np.linspace(0, 1, 30), 'continuous'), ([np.nan] + [1.0] * 29, 'NaN'), ([None] + ['a'] * 29, 'sample 0 is missing'),
    (np.array(['a', 1] * 15, object), 'different types .*got int, str'), (np.zeros((30, 2)), '1d array'),
    (range(30), '30 classes')])
def test_wrong_classes_are_refused(y, sentence):
    with pytest.raises(ValueError, match=sentence):
        TextClassifier().fit(make_texts(30)[0], y)


def test_empty_texts_are_refused_in_training():
    with pytest.raises(ValueError, match='row 2: the text is empty'):
        TextClassifier().fit(['a b', 'c d', ''], [0, 1, 1])


@pytest.mark.parametrize('X,sentence', [
    (np.zeros((4, 64)), 'reshape'), (np.zeros(4), 'no array of images'), (np.full((4, 8, 8), 0.5), r'255 \* X'),
    (np.full((4, 8, 8), 300), 'got 300'), (np.full((4, 8, 8), np.nan), 'got nan'),
    (np.zeros((4, 8, 6), np.uint8), 'another shape'), (np.zeros((0, 8, 8)), 'no image')])
def test_wrong_images_are_refused(pictures, X, sentence):
    with pytest.raises(ValueError, match=sentence):
        pictures.predict(X)


@pytest.mark.parametrize('params,error,sentence', [
    (dict(hops=0), ValueError, 'hops: is out of range'), (dict(hops=2.5), TypeError, 'float'),
    (dict(model='rocket'), ValueError, 'fighter'), (dict(act='tanhh'), ValueError, 'relu'),
    (dict(model='gru', hops=2), ValueError, 'hops: model gru has no such option .need fighter'),
    (dict(patience=0), ValueError, 'patience'), (dict(attent='best'), ValueError, 'soft'),
    (dict(n_jobs=0), ValueError, 'n_jobs'), (dict(validation_fraction=1), ValueError, 'validation_fraction'),
    (dict(members=0), ValueError, 'members'), (dict(lr='fast'), TypeError, 'lr'), (dict(random_state=-1), ValueError,
                                                                                   'random_state')])
def test_wrong_parameters_are_refused_by_fit(params, error, sentence):
    with pytest.raises(error, match=sentence):
        TextClassifier(**params).fit(*make_texts(30))


# ---- the estimator ----

def test_parameters_are_read_and_set():
    estimator = TextClassifier(hops=2).set_params(dim=16)
    assert estimator.get_params()['hops'] == 2 and repr(estimator) == 'TextClassifier(dim=16, hops=2)'
    with pytest.raises(ValueError, match="no parameter 'hop'"):
        estimator.set_params(hop=3)


def test_an_estimator_without_fit_says_so():
    with pytest.raises(fighter.NotFittedError, match='TextClassifier: is not fitted'):
        TextClassifier().predict(['a'])
    exceptions = pytest.importorskip('sklearn.exceptions')
    with pytest.raises(exceptions.NotFittedError):
        ImageClassifier().predict(np.zeros((2, 8, 8)))


def test_a_random_state_is_a_seed():
    texts, labels = make_texts(60)

    def fit(seed):
        return TextClassifier(epochs=1, random_state=seed).fit(texts, labels).predict_proba(texts)

    assert (fit(np.random.default_rng(3)) == fit(np.random.default_rng(3))).all()
    assert (fit(np.random.RandomState(3)) == fit(np.random.RandomState(3))).all()
    assert (fit(None) != fit(None)).any()


@pytest.mark.parametrize('copied', [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_copies_predict_the_same(news, pictures, copied):
    texts, images = make_texts(20, 5)[0], make_images(20, 5)[0]
    assert (copied(news).predict_proba(texts) == news.predict_proba(texts)).all()
    assert (copied(pictures).predict_proba(images) == pictures.predict_proba(images)).all()
    assert copied(TextClassifier(hops=2)).get_params() == TextClassifier(hops=2).get_params()
    assert str(copied(news).history_) == str(news.history_)


def test_a_file_keeps_the_model(tmp_path, news, pictures):
    texts, images = make_texts(20, 5)[0], make_images(20, 5)[0]
    news.save(tmp_path / 'a.st')
    pictures.save(str(tmp_path / 'b.st'))
    loaded = TextClassifier.load(tmp_path / 'a.st', n_jobs=2)
    assert loaded.classes_.tolist() == news.classes_.tolist()
    assert (loaded.predict_proba(texts) == news.predict_proba(texts)).all()
    loaded = ImageClassifier.load(tmp_path / 'b.st')
    assert (loaded.predict(images) == pictures.predict(images)).all()
    labels = np.array(['low', 'high'])[make_images(20, 5)[1]]
    ImageClassifier(epochs=1).fit(images, labels).save(tmp_path / 'c.st')
    assert ImageClassifier.load(tmp_path / 'c.st').classes_.tolist() == ['high', 'low']
    with pytest.raises(ValueError, match='no classifier of texts'):
        TextClassifier.load(tmp_path / 'b.st')
    with pytest.raises(OSError, match='nowhere'):
        TextClassifier.load(tmp_path / 'nowhere.st')


def test_scikit_learn_is_not_needed():
    code = ("import sys; sys.modules['sklearn'] = None; import fighter\n"
            "print(fighter.TextClassifier(epochs=1).fit(['a b', 'c d'] * 9, [0, 1] * 9).predict(['a b']).shape)")
    assert subprocess.run([sys.executable, '-c', code], check=True, capture_output=True).stdout == b'(1,)\n'


def test_a_file_with_several_labels_is_refused(tmp_path):
    context = Context(1)
    corpus, made = Handle(context, 'fgt_corpus'), Handle(context, 'fgt_classifier')
    rows, labels = texts_of_c(['a b', 'b c', 'a c'] * 4), texts_of_c(['x', 'x y', 'y'] * 4)
    context.call('fgt_corpus_create', context.pointer, rows, labels, 12, None, corpus.out)
    context.call('fgt_classifier_create_labels', context.pointer, corpus.pointer, None, made.out)
    path = os.fsencode(tmp_path / 'labels.st')
    context.call('fgt_classifier_save', made.pointer, C.byref(api.fgt_output(path=path)))
    with pytest.raises(ValueError, match='several labels a text'):
        TextClassifier.load(tmp_path / 'labels.st')


def test_threads_are_counted(monkeypatch):
    processors = len(os.sched_getaffinity(0))
    monkeypatch.delenv('OMP_NUM_THREADS', raising=False)
    assert [count_threads(n) for n in (None, -1, 3, -1000)] == [processors, processors, 3, 1]
    monkeypatch.setenv('OMP_NUM_THREADS', '1')
    assert count_threads(None) == 1


def test_searches_and_pipelines():
    pytest.importorskip('sklearn')
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer
    texts, labels = make_texts(90)
    search = GridSearchCV(TextClassifier(epochs=6), {'hops': [1, 2]}, cv=3).fit(texts, labels)
    assert search.best_score_ > 0.7 and search.best_params_['hops'] in (1, 2)
    assert len(cross_val_score(clone(search.best_estimator_), texts, labels, cv=2)) == 2
    pipeline = make_pipeline(FunctionTransformer(lambda t: [x.upper() for x in t]), TextClassifier(epochs=6))
    assert pipeline.fit(texts, labels).score(texts, labels) > 0.7


# ---- running ----

def test_an_interrupt_ends_the_training(news):
    texts, labels = make_texts(2000)
    estimator = copy.deepcopy(news).set_params(epochs=1000, patience=-1)
    before = estimator.predict_proba(texts[:5])
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(texts, labels)
    assert (estimator.predict_proba(texts[:5]) == before).all()
    assert estimator.set_params(epochs=1).fit(texts, labels).n_iter_ == 1


def test_threads_predict_at_the_same_time(news):
    texts, _ = make_texts(50, 6)
    expected, found = news.predict_proba(texts), []

    def predict():
        for _ in range(20):
            found.append((news.predict_proba(texts) == expected).all())

    threads = [threading.Thread(target=predict) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 80 and all(found)


def test_a_bar_is_shown_if_asked(capsys):
    texts, labels = make_texts(100)
    TextClassifier(epochs=2, verbose=True, validation_fraction=0.5).fit(texts, labels)
    shown = capsys.readouterr().err
    assert '  2/2 [########################]  loss ' in shown and 'validation' in shown and shown.endswith('\n')
    TextClassifier(epochs=2).fit(texts, labels)
    assert capsys.readouterr().err == ''


def resident():
    """Resident memory of this process, in bytes."""
    gc.collect()
    with open('/proc/self/statm') as file:
        return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')


def test_memory_does_not_grow(news):
    texts, labels = make_texts(40)
    small = TextClassifier(epochs=1, dim=8)

    def cycle(n):
        for _ in range(n):
            small.fit(texts, labels)
            for _ in range(20):
                news.predict(texts)
            copy.deepcopy(small)

    cycle(10)
    before = resident()
    cycle(30)
    assert resident() - before < 3e6
