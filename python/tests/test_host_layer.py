# SPDX-License-Identifier: BSD-3-Clause
"""Layers that are written in Python."""

import pickle
import sys
import threading

import numpy as np
import pytest

import fighter
from fighter import HostLayer, Model, layers

X = np.random.default_rng(0).normal(size=(7, 6, 4)).astype(np.float32)


class PReLU(HostLayer):
    type, options = 'acme.prelu', {'slope': 0.25}

    def plan(self, plan):
        plan.add_parameter('slope', plan.input()[2:], 'value', self.slope)

    def forward(self, p):
        x, a = p.input(), p.parameter(0, p.shape()[3:])
        p.output()[...] = np.where(x > 0, x, a * x)

    def backward(self, p):
        x, dy, a = p.input(), p.output_gradient(), p.parameter(0, p.shape()[3:])
        p.parameter_gradient(0, a.shape)[...] += np.where(x > 0, 0, dy * x).sum((0, 1, 2))
        if p.input_gradient() is not None:
            p.input_gradient()[...] = np.where(x > 0, dy, a * dy)


class Product(HostLayer):
    """The product of two inputs, with one more feature of ones."""

    type, more_inputs = 'acme.product', 1

    def plan(self, plan):
        nodes, time, width = plan.input()
        plan.set_output(nodes, time, width + 1)

    def cache_size(self, shape):
        return int(np.prod(shape))

    def shaped(self, p):
        return (*p.shape()[:3], p.shape()[3] + 1)

    def forward(self, p):
        y = p.output(self.shaped(p))
        p.cache(p.shape())[...] = p.input(0) * p.input(1)
        y[..., :-1], y[..., -1] = p.cache(p.shape()), 1

    def backward(self, p):
        dy = p.output_gradient(self.shaped(p))[..., :-1]
        assert np.allclose(p.cache(p.shape()), p.input(0) * p.input(1))
        for i in range(2):
            if p.input_gradient(i) is not None:
                p.input_gradient(i)[...] = dy * p.input(1 - i)


def small():
    return Model(layers.Linear(out=8, name='in'), PReLU(name='act'), layers.Pool(), layers.Linear(out=1), time=6,
                 features=4, batch=7, threads=1)


def test_a_layer_of_the_host_trains():
    model = small()
    error, worst = model.check_gradient(X)
    assert error < 1e-2 and worst
    assert (model.parameters()['act.slope'] == np.float32(0.25)).all()
    model.fit(X, X[:, 0, 0], epochs=3, lr=0.01)
    assert not (model.parameters()['act.slope'] == np.float32(0.25)).any()


def test_a_layer_with_two_inputs():
    model = Model(layers.Linear(out=3, name='a'), time=6, features=4, batch=7, threads=1)
    model.add(layers.Linear(out=3, name='b'), inputs=[''])
    model.add(Product(), inputs=['a', 'b'])
    y = model.predict(X)
    assert y.shape == (7, 6, 4) and np.allclose(y[..., :3], model.output('a') * model.output('b'), atol=1e-6)
    assert model.check_gradient(X)[0] < 1e-2
    with pytest.raises(TypeError, match='no option "slope"'):
        Product(slope=1)


def test_files_keep_options_and_pickles_keep_classes(tmp_path):
    model = Model(PReLU(slope=0.5), time=6, features=4, batch=7)
    y = model.predict(X)
    assert np.allclose(y[X < 0], X[X < 0] / 2)
    model.save(tmp_path / 'm')
    with pytest.raises(ValueError, match='acme.prelu'):
        Model.load(tmp_path / 'm')
    for other in Model.load(tmp_path / 'm', host_layers=[PReLU]), pickle.loads(pickle.dumps(model)):
        assert (other.predict(X) == y).all()
    assert (model.predictor().predict(X) == y).all()


def test_an_exception_of_a_layer_is_raised():
    class Wrong(HostLayer):
        type = 'acme.wrong'

        def forward(self, p):
            raise LookupError('own')

    model = Model(Wrong(), time=6, features=4, batch=7, threads=1)
    for call in model.predict, model.forward, model.predictor().predict:
        with pytest.raises(LookupError, match='own'):
            call(X)
    with pytest.raises(fighter.StateError):
        model.backward(X)

    class Planless(HostLayer):
        type = 'acme.planless'

        def plan(self, plan):
            plan.add_parameter('w', (-1,))

    with pytest.raises(ValueError, match='w'):
        Model(Planless(), features=4)


class Shrink(HostLayer):
    """Keeps one number of a sample."""

    type = 'acme.shrink'
    kept = None

    def plan(self, plan):
        plan.set_output(1, 1, 1)
        Shrink.kept = plan

    def forward(self, p):
        p.output()[...] = p.input()[:, :1, :1, :1]
        with pytest.raises(fighter.DataError, match='too large'):
            p.output(p.shape())
        with pytest.raises(fighter.DataError, match='too large'):
            p.cache(p.shape())
        with pytest.raises(IndexError, match='parameter 0'):
            p.parameter(0, (3,))
        Shrink.passed = p


def test_arrays_of_a_pass_have_at_most_their_size():
    model = Model(Shrink(), time=6, features=4, threads=1)
    np.testing.assert_array_equal(model.predict(X)[..., 0], X[:, 0, 0].reshape(model.predict(X)[..., 0].shape))


def test_plan_and_pass_end_with_their_call():
    model = Model(Shrink(), time=6, features=4, threads=1)
    model.predict(X)
    for call in (lambda: Shrink.kept.add_parameter('late', (2,)), lambda: Shrink.passed.shape(),
                 lambda: Shrink.passed.output()):
        with pytest.raises(fighter.StateError, match='within the call'):
            call()


class Moody(HostLayer):
    """Fails in the threads that are told to."""

    type, failing = 'acme.moody', threading.local()

    def forward(self, p):
        p.output()[...] = p.input()
        if Moody.failing.now:
            raise LookupError('own')


def test_an_exception_comes_up_in_its_own_thread():
    predictor, came, interval = Model(Moody(), time=6, features=4, batch=7).predictor(), {}, sys.getswitchinterval()

    def work(fails):
        Moody.failing.now, came[fails] = fails, 0
        for _ in range(500):
            try:
                assert (predictor.predict(X) == X).all()
            except LookupError:
                came[fails] += 1

    threads = [threading.Thread(target=work, args=(fails,)) for fails in (False, True)]
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert came == {False: 0, True: 500}
