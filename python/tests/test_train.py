# SPDX-License-Identifier: BSD-3-Clause
"""Losses, optimizers, selectors, fit."""

import ctypes
import math
import os
import pickle
import platform
import signal
import subprocess
import threading
import time

import numpy as np
import pytest

import fighter
from fighter import Loss, Model, Optimizer, Schedule, Selector, layers

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 6, 3)).astype(np.float32)
Y = (X.mean((1, 2)) > 0).astype(np.float32) + X[:, 0, 0]


def small(out=1, **options):
    return Model(layers.Linear(out=8), layers.Fighter(heads=2), layers.Pool(), layers.Linear(out=out),
                 time=6, features=3, batch=20, threads=1, **options)


def test_a_loop_has_the_bits_of_the_first_example(tmp_path):
    program = os.environ.get('FIGHTER_EXAMPLE')
    if not program or platform.machine() != 'x86_64' or platform.libc_ver()[0] != 'glibc':
        pytest.skip('the example is not built, or may round its data in another way')
    subprocess.run([program], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    rand, top = ctypes.CDLL(None).rand, 2**31 - 1
    ctypes.CDLL(None).srand(1)
    model = Model(layers.Linear(out=32), layers.Position(), layers.Fighter(heads=4, norm=True), layers.Pool(),
                  layers.Linear(out=4), batch=32, time=24, features=1)
    optimizer = Optimizer(model, lr=3e-3, clip=1)
    x, target = np.empty((32, 24, 1), np.float32), np.empty((32, 4), np.float32)
    for _ in range(400):
        for b in range(32):
            phase = 6.28 * rand() / top
            for t in range(24):
                x[b, t] = math.sin(0.5 * t + phase) + 0.1 * rand() / top
            for t in range(4):
                target[b, t] = math.sin(0.5 * (24 + t) + phase)
        loss, dy = fighter.losses.mse(model.forward(x), target)
        model.backward(dy)
        optimizer.step()
    assert loss < 0.1
    there = Model.load(tmp_path / 'minimal.safetensors').parameters()
    assert all((array == there[name]).all() for name, array in model.parameters().items())


def test_losses_of_samples_and_their_weights():
    y, target = RNG.normal(size=(4, 3)), RNG.normal(size=(4, 3))
    value, gradient, each = Loss(kind='l1').each(y, target)
    assert np.allclose(each, np.abs(y - target).mean(1), atol=1e-6) and np.isclose(value, each.mean())
    value, half, _ = Loss(kind='l1').each(y, target, weight=0.5)
    assert np.allclose(half, gradient / 2) and np.isclose(value, each.mean() / 2)
    rows = np.array([2, 0, -1, 1])
    value, gradient = Loss(kind='cross_entropy', skip_nan=True, class_weights=[1, 2, 3])(y, rows)
    assert (gradient[2] == 0).all() and np.isfinite(value)
    assert np.isclose(fighter.losses.quantile(y, target, [0.1, 0.5, 0.9])[0],
                      np.maximum([.1, .5, .9] * (target - y), ([.1, .5, .9] - np.ones(3)) * (target - y)).mean())
    with pytest.raises(ValueError):
        fighter.losses.mse(y, target[:, :2])
    with pytest.raises(ValueError, match='quantiles: too many'):
        fighter.losses.quantile(y, target, np.linspace(0.01, 0.99, 50))


def test_an_optimizer_follows_its_schedule():
    model = small()
    optimizer = Optimizer(model, kind='sgd', lr=0.5, momentum=0.9, schedule=Schedule(kind='step', every=2, gamma=0.1))
    rates = []
    for _ in range(4):
        y = model.forward(X[:20])
        model.backward(np.ones_like(y))
        rates.append(optimizer.lr)
        optimizer.step()
    assert np.allclose(rates, [0.5, 0.5, 0.05, 0.05]) and optimizer.norm > 0
    optimizer.lr = 0.25
    assert np.isclose(optimizer.lr, 0.0025)
    with pytest.raises(fighter.StateError, match='Optimizer'):
        Optimizer(lr=1).step()
    with pytest.raises(TypeError, match='momentum'):
        Optimizer(model, momentun=0.9)


def test_a_frozen_parameter_stays():
    model = small()
    model.freeze('0.')
    before = model.state_dict()
    model.fit(X, Y, epochs=1)
    changed = {n for n, v in model.parameters().items() if (v != before[n]).any()}
    assert '0.weight' not in changed and '3.weight' in changed


def test_fit_gives_the_weights_of_a_loop():
    one, two = small(), small()
    report = one.fit(X, Y, epochs=2, shuffle=False, lr=0.01)
    optimizer = Optimizer(two, lr=0.01)
    for _ in range(2):
        for at in range(0, 200, 20):
            _, dy = fighter.losses.mse(two.forward(X[at:at + 20]), Y[at:at + 20, None])
            two.backward(dy)
            optimizer.step()
    assert all((v == two.parameters()[n]).all() for n, v in one.parameters().items())
    assert report.steps == 20 and [e['epoch'] for e in report.history] == [1, 2] and math.isnan(report.best_loss)
    assert one.context.threads == 1


def test_fit_keeps_the_best_epoch_and_tells_its_progress():
    seen = []
    model = small()
    report = model.fit(X, Y, validation=(X[:50], Y[:50]), epochs=5, lr=0.01, progress=seen.append,
                       optimizer=None, loss=Loss(kind='huber', beta=0.5))
    assert report.best_loss == min(e['validation_loss'] for e in report.history) == pytest.approx(
        model.evaluate(X[:50], Y[:50], loss=Loss(kind='huber', beta=0.5))['loss'], rel=1e-6)
    assert [p.step for p in seen if not p.epoch_done] == list(range(1, 51))
    assert seen[-1].epoch == 5 and seen[-1].epoch_done
    assert small().fit(X, Y, progress=lambda p: p.step == 3).cancelled


def test_fit_learns_classes():
    model = small(out=2)
    classes = (X.mean((1, 2)) > 0).astype(int)
    model.fit(X, classes, loss='cross_entropy', epochs=30, optimizer=Optimizer(kind='adam', lr=0.02))
    assert model.evaluate(X, classes, loss='cross_entropy')['accuracy'] > 0.9
    with pytest.raises(TypeError, match='whole numbers'):
        model.fit(X, classes + 0.5, loss='cross_entropy')
    with pytest.raises(fighter.DataError, match='class'):
        model.fit(X, classes + 5, loss='cross_entropy')


@pytest.mark.parametrize('sizes', [{'features': 3}, {'features': 3, 'nodes': 2}, {'features': 1, 'time': 3},
                                   {'features': 3, 'nodes': 2, 'time': 4}])
def test_fit_takes_axes_of_length_1(sizes):
    model = Model(layers.Linear(out=1), batch=20, threads=1, **sizes)
    x = RNG.normal(size=(40, *model.input_shape[1:]))
    target = x.sum(-1, keepdims=True) if sizes['features'] > 1 else 2 * x
    report = model.fit(x, target, validation=(x.squeeze(), target.squeeze()), epochs=300, lr=0.05, patience=-1)
    assert report.best_loss < 1e-2 and model.evaluate(x, target)['loss'] < 1e-2


def test_fit_refuses_other_shapes():
    with pytest.raises(fighter.DataError, match=r'y: samples have another shape \(got \(2,\), need \(1,\)\)'):
        small().fit(X, np.zeros((200, 2)))
    with pytest.raises(fighter.DataError, match='as many samples'):
        small().fit(X, Y[:-1])


def test_values_of_samples_are_given_to_fit():
    model = Model(layers.Linear(out=4, name='a'), time=6, features=3, batch=20, threads=1)
    model.add(layers.Value(features=2, time=6, name='known'))
    model.add(layers.Concat(), inputs=['a', 'known'])
    model.add(layers.Layout(kind='flatten'))
    model.add(layers.Linear(out=1))
    known = RNG.normal(size=(200, 6, 2))
    report = model.fit(X, known[:, 0, 0], values={'known': known}, epochs=40, lr=0.02)
    assert report.train_loss < 0.1
    with pytest.raises(fighter.DataError, match='the layer "known" has none'):
        model.fit(X, Y, values={'other': known})
    with pytest.raises(KeyError, match='values: no layer "knwon"; did you mean "known"'):
        model.fit(X, Y, values={'known': known, 'knwon': known})
    with pytest.raises(ValueError, match=r'known: samples have another shape \(got \(6, 1\), need \(6, 2\)\)'):
        model.fit(X, Y, values={'known': known[:, :, :1]})
    with pytest.raises(ValueError, match=r'known: as many samples as x \(got 199, need 200\)'):
        model.evaluate(X, Y, values={'known': known[1:]})


@pytest.mark.parametrize('dtype', [bool, np.int32, np.int64])
def test_ids_and_masks_of_samples_have_the_bits_of_values_set_by_hand(dtype):
    ids, hidden = RNG.integers(0, 6, (20, 6)), np.arange(6) >= RNG.integers(2, 7, (20, 1))
    weights, target = [], RNG.normal(size=(20, 6, 4))
    for by_hand in (True, False):
        model = Model(layers.Linear(out=4, name='a'), time=6, features=3, batch=20, threads=1)
        model.add(layers.Value(kind='key_padding', time=6, name='hidden'))
        model.add(layers.Fighter(heads=2, name='b'), inputs=['a', 'hidden'])
        model.add(layers.Value(kind='ids', time=6, name='ids'))
        model.add(layers.Gather(), inputs=['b', 'ids'])
        values = {'hidden': hidden.astype(dtype), 'ids': ids}
        for name, value in values.items() if by_hand else ():
            model.set_value(name, hidden if name == 'hidden' else value)
        model.fit(X[:20], target, epochs=1, shuffle=False,
                  values=None if by_hand else values)
        weights.append(model.state_dict())
    assert all((v == weights[1][n]).all() for n, v in weights[0].items())


def test_predict_takes_values_of_samples_in_batches():
    model = Model(layers.Linear(out=4, name='a'), time=6, features=3, batch=8, threads=1)
    model.add(layers.Value(kind='key_padding', time=6, name='hidden'))
    model.add(layers.Fighter(heads=2, name='b'), inputs=['a', 'hidden'])
    model.add(layers.Value(kind='ids', time=6, name='ids'))
    model.add(layers.Gather(), inputs=['b', 'ids'])
    ids, hidden = RNG.integers(0, 6, (20, 6)), np.arange(6) >= RNG.integers(2, 7, (20, 1))
    all_of = model.predict(X[:20], {'hidden': hidden, 'ids': ids})
    with pytest.raises(fighter.StateError, match=r'"ids" was not set; give `values`'):
        model.predict(X[:20])
    for at in (0, 8, 16):
        model.set_value('hidden', hidden[at:at + 8].astype(np.int64))
        model.set_value('ids', ids[at:at + 8])
        assert (model.predict(X[at:at + 8][:20 - at]) == all_of[at:at + 8]).all()
    assert (model.predict(X[:4], {'hidden': hidden[:4], 'ids': ids[:4]}) == all_of[:4]).all()
    assert (model.predict(X[16:20]) == all_of[16:]).all() # with the values of set_value() again
    with pytest.raises(KeyError, match='no layer "idz"'):
        model.predict(X[:20], {'hidden': hidden, 'ids': ids, 'idz': ids})
    with pytest.raises(ValueError, match='validation: the training has values of layers'):
        model.fit(X[:20], all_of, values={'hidden': hidden, 'ids': ids}, validation=(X[:20], all_of))


def test_padding_beyond_its_type_is_refused():
    model = Model(layers.Linear(out=1, name='a'), time=6, features=3, batch=20)
    model.add(layers.Value(kind='key_padding', time=6, name='hidden'))
    model.add(layers.Fighter(heads=1), inputs=['a', 'hidden'])
    with pytest.raises(ValueError, match='hidden: a number is too large'):
        model.fit(X, X[:, :, :1], values={'hidden': np.full((200, 6), 2**32)})


@pytest.mark.parametrize('dtype', [np.float32, np.float64, np.int8])
@pytest.mark.parametrize('order', ['C', 'F'])
def test_arrays_of_all_types_and_layouts_give_the_bits_of_a_loop(dtype, order):
    x = np.asarray(3 * X, dtype, order=order)
    model, loop = small(), small()
    model.fit(x, Y, epochs=1, lr=0.01, shuffle=False, batch=20)
    optimizer = Optimizer(loop, lr=0.01)
    for at in range(0, len(x), 20):
        _, dy = fighter.losses.mse(loop.forward(x[at:at + 20]), Y[at:at + 20].reshape(-1, 1))
        loop.backward(dy)
        optimizer.step()
    assert all((v == loop.parameters()[n]).all() for n, v in model.parameters().items())


def test_a_resumed_fit_has_the_bits_of_a_whole_one(tmp_path):
    whole, first, second = small(), small(), small()
    whole.fit(X, Y, epochs=4, seed=5)
    first.fit(X, Y, epochs=2, seed=5, checkpoint=tmp_path / 'c')
    second.fit(X, Y, epochs=4, seed=5, resume=tmp_path / 'c')
    assert all((v == whole.parameters()[n]).all() for n, v in second.parameters().items())
    with pytest.raises(ValueError, match='other data'):
        small().fit(X + 1, Y, epochs=4, seed=5, resume=tmp_path / 'c')


def test_checkpoints_of_a_loop(tmp_path):
    models = [small(), small()]
    optimizers = [Optimizer(m, lr=0.01) for m in models]

    def step(i):
        y = models[i].forward(X[:20])
        models[i].backward(fighter.losses.mse(y, Y[:20, None])[1])
        optimizers[i].step()

    step(0)
    fighter.save_checkpoint(tmp_path / 'c', optimizers[0])
    fighter.load_checkpoint(tmp_path / 'c', optimizers[1])
    step(0), step(1)
    assert all((v == models[1].parameters()[n]).all() for n, v in models[0].parameters().items())


# ---- selectors ----

def course(selector, losses):
    chosen = []
    while True:
        if selector.due:
            selector.add(np.arange(len(losses)), losses)
        subset = selector.begin_epoch()
        if subset.stop:
            return chosen
        chosen.append(sorted(subset.index))
        assert (selector.weights(subset.index) == 1).all()
        assert (selector.subset.index == subset.index).all()


def test_a_selector_chooses_samples_with_high_losses():
    losses = RNG.random(100)
    chosen = course(Selector(samples=100, epochs=3, strategy='hard', ratio=0.2, ratio_schedule='fixed'), losses)
    assert [list(np.sort(np.argsort(-losses.astype('f4'), kind='stable')[:20]))] * 3 == chosen
    with pytest.raises(fighter.StateError, match='score'):
        Selector(samples=5, epochs=2).begin_epoch()
    with pytest.raises(ValueError, match='as many scores'):
        Selector(samples=5, epochs=2).add([1, 2], [1])
    groups = Selector(samples=4, epochs=2, strategy='fixed_weight', groups=[0, 0, 1, 1], group_weight=[1, 3])
    assert groups.begin_epoch().ratio > 0


def test_a_selector_continues_from_its_state_and_from_a_pickle():
    losses = RNG.random(50)
    one = Selector(samples=50, epochs=6, seed=3)
    one.add(np.arange(50), losses)
    one.begin_epoch()
    two = Selector(samples=50, epochs=6, seed=3)
    two.state = one.state
    three = pickle.loads(pickle.dumps(one))
    courses = [course(s, losses) for s in (one, two, three)]
    assert courses[0] == courses[1] == courses[2] and len(courses[0]) == 5


def test_fit_trains_on_the_subsets_of_a_selector():
    selector = Selector(strategy='hard', ratio_schedule='fixed', ratio=0.5)
    report = small().fit(X, Y, epochs=4, selector=selector)
    assert report.samples == 400 and selector.subset.epoch == 4 and len(selector.subset.index) == 100


def test_a_selector_works_in_a_second_fit():
    models, selector = [small(), small(), small()], Selector(strategy='hard', ratio=0.5)
    for model in models[:2]:
        assert model.fit(X, Y, epochs=4, selector=selector).epochs == 4
    kept = pickle.loads(pickle.dumps(selector))
    assert kept.subset.epoch == 4 # until the next fit
    assert models[2].fit(X, Y, epochs=4, selector=kept).epochs == 4
    states = [model.state_dict() for model in models]
    assert all((s[n] == v).all() for s in states[1:] for n, v in states[0].items())
    assert small().fit(X[:100], Y[:100], epochs=2, selector=selector).epochs == 2 # other samples and epochs
    assert selector.subset.epoch == 2 and selector.subset.index.max() < 100


def test_a_selector_without_epochs_is_refused_by_fit():
    done = Selector(samples=200, epochs=2)
    course(done, np.arange(200.0))
    kept, before = done.state, small().state_dict()
    again = Selector(samples=200, epochs=2)
    again.state = kept
    for selector in done, again, pickle.loads(pickle.dumps(again)):
        model = small()
        with pytest.raises(fighter.StateError, match='the selector had no epoch left'):
            model.fit(X, Y, selector=selector)
        assert all((model.state_dict()[n] == v).all() for n, v in before.items())


# ---- exceptions ----

def test_an_exception_of_a_callback_ends_fit():
    def fail(progress):
        raise LookupError('own')

    model = small()
    with pytest.raises(LookupError, match='own'):
        model.fit(X, Y, progress=fail)
    assert model.fit(X, Y, epochs=1).epochs == 1


def test_a_callback_may_predict_but_not_train():
    model, wrong = small(), []

    def follow(progress):
        assert model.predict(X[:3]).shape == (3, 1)
        try:
            model.forward(X[:20])
        except fighter.StateError as error:
            wrong.append(error)

    model.fit(X, Y, epochs=1, progress=follow)
    assert len(wrong) >= 10


@pytest.mark.skipif(not hasattr(signal, 'SIGINT') or os.name != 'posix', reason='no signals')
def test_ctrl_c_ends_fit():
    for _ in range(5):
        model, start = small(), time.monotonic()
        threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, Y, epochs=10**6)
        assert time.monotonic() - start < 10
        assert np.isfinite(model.predict(X)).all() and model.fit(X, Y, epochs=1).epochs == 1


class Ended(Exception):
    pass


def ended(number, frame):
    raise Ended(number)


@pytest.mark.parametrize('number', [signal.SIGALRM, signal.SIGTERM, signal.SIGUSR1])
def test_an_exception_of_a_handler_ends_fit(number):
    before = signal.signal(number, ended)
    try:
        for progress in (False, lambda told: None):
            for _ in range(10): # it may come between any two lines of a callback
                model = small()
                timer = threading.Timer(0.05, os.kill, [os.getpid(), number])
                with pytest.raises(Ended):
                    timer.start()
                    model.fit(X, Y, epochs=10**6, progress=progress)
                assert signal.getsignal(number) is ended
                assert model.fit(X, Y, epochs=1, progress=progress).epochs == 1
    finally:
        signal.signal(number, before)


def test_a_callback_may_catch_the_exception_of_a_handler():
    caught = []

    def follow(told):
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        try:
            time.sleep(60)
        except Ended as error:
            caught.append(error)

    before = signal.signal(signal.SIGALRM, ended)
    try:
        assert small().fit(X, Y, epochs=1, progress=follow).steps == 10
        assert len(caught) == 11
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_handler_that_a_callback_sets_stays():
    before = signal.getsignal(signal.SIGUSR1)
    try:
        small().fit(X, Y, epochs=1, progress=lambda told: signal.signal(signal.SIGUSR1, ended) and None)
        assert signal.getsignal(signal.SIGUSR1) is ended
        kept = []
        small().fit(X, Y, epochs=1, progress=lambda told: kept.append(signal.getsignal(signal.SIGUSR1)))
        signal.signal(signal.SIGUSR1, kept[0]) # after its call it is the handler that it stood for
        with pytest.raises(Ended):
            signal.raise_signal(signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, before)


# ---- matrices and pages ----

def test_matrices_edges_and_their_means():
    model = small()
    y = model.predict(X[:20])
    a = model.adjacency('1')
    assert a.shape == (20, 2, 6, 6) and np.allclose(a.sum(-1), 1, atol=1e-5) and y.shape == (20, 1)
    edges = model.edges('1', sample=3, head=1, count=4, diagonal=False)
    assert len(edges) == 4 and all(np.isclose(a[3, 1, e['to'], e['from']], e['weight']) for e in edges)
    mean = fighter.Adjacency(model, '1', powers=2)
    mean.add()
    assert len(mean) == 20 and np.allclose(mean.mean(), a.mean((0, 1)), atol=1e-6)
    assert np.allclose(mean.mean(head=1, power=2), (a[:, 1] @ a[:, 1]).mean(0), atol=1e-6)
    best = fighter.edges_of(mean.mean(), per_node=1)
    assert len(best) == 6 and best['weight'][0] == mean.mean().max()
    assert fighter.statistic('entropy', a).shape == (20, 2)
    with pytest.raises(ValueError, match='"entropy"'):
        fighter.statistic('entrpy', a)


def test_a_report_is_a_page_and_shown_in_a_notebook(tmp_path):
    model = small()
    model.predict(X[:20])
    report = fighter.Report(model, title='A <page>')
    report.add_fact('model', 'small')
    report.add_model(model, sample=2, tokens=list('abcdef'))
    report.add_matrix('mean', model.adjacency('1')[0], subject='other')
    report.add_curve('Loss', 'training', [3, 2, 1])
    report.save(tmp_path / 'page.html')
    page = report.to_html()
    assert (tmp_path / 'page.html').read_text() == page and 'A &lt;page&gt;' in page and 'mean' in page
    assert report._repr_html_().startswith('<iframe srcdoc="&lt;!')
    with pytest.raises(ValueError, match='as many names'):
        report.add_matrix('mean', np.eye(3), tokens='ab')
