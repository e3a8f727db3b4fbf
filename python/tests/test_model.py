# SPDX-License-Identifier: BSD-3-Clause
"""Models: layers, passes, arrays, files, threads."""

import copy
import gc
import pickle
import resource
import threading
import weakref

import numpy as np
import pytest

import fighter
from fighter import Model, layers


def small(act='relu', **options):
    return Model(layers.Linear(out=8), layers.Fighter(heads=2, norm=True, act=act), layers.Pool(), layers.Linear(out=3),
                 time=6, features=4, batch=5, threads=1, **options)


X = np.random.default_rng(0).normal(size=(12, 6, 4)).astype(np.float32)


# ---- layers ----

def test_an_unknown_option_is_refused_with_the_near_name():
    with pytest.raises(TypeError, match='Linear: no option "outt"; did you mean "out"'):
        layers.Linear(outt=3)
    with pytest.raises(ValueError, match='no act "gelo"; did you mean "gelu"'):
        layers.Fighter(act='gelo')
    with pytest.raises(TypeError, match='out'):
        layers.Linear()
    with pytest.raises(TypeError, match='heads'):
        Model(layers.Fighter(heads=1.5), features=2)
    with pytest.raises(OverflowError, match='heads'):
        Model(layers.Fighter(heads=2**70), features=2)


def test_every_layer_has_a_signature_and_documentation():
    for name in layers.__all__:
        kind = getattr(layers, name)
        assert kind.__doc__ and (name == 'Layer' or kind.__signature__.parameters)
        if name not in ('Layer', 'Shared'):
            assert 'Parameters' in kind.__init__.__doc__


def test_branches_read_layers_by_name():
    model = Model(time=4, features=3, batch=2, threads=1)
    a = model.add(layers.Linear(out=5, name='a'))
    b = model.add(layers.Linear(out=5), inputs=[''])
    assert (a, b) == ('a', '1') and model.add(layers.Sum(weight=[2, -1]), inputs=[a, b]) == '2'
    x = X[:2, :4, :3]
    assert np.allclose(model.predict(x), 2 * model.output('a') - model.output('1'), atol=1e-6)
    with pytest.raises(TypeError, match=r'\["a"\]'):
        model.add(layers.Dropout(p=0.1), inputs='a')


def test_blocks_and_shared_layers():
    model = Model(layers.Linear(out=8, name='first'), layers.Block(kind='lstm', layers=2, prefix='x.'), time=6,
                  features=4, threads=1)
    assert 'x.blocks' in model.layers
    model = Model(layers.Linear(out=4, name='one'), layers.Shared('one'), time=6, features=4, threads=1)
    assert set(model.parameters()) == {'one.weight', 'one.bias'}


def test_graphs_are_arrays_or_sparse_or_of_networkx():
    weights = np.array([[0, 1, 0], [0, 0, 2], [3, 0, 0]], float)
    outs = []
    graphs = [weights]
    networkx = pytest.importorskip('networkx')
    pytest.importorskip('scipy')
    import scipy.sparse

    graphs.append(scipy.sparse.csr_matrix(weights))
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(3))
    graph.add_weighted_edges_from([(1, 0, 1), (2, 1, 2), (0, 2, 3)]) # from the node that is read
    graphs.append(graph)
    for given in graphs:
        model = Model(layers.GCN(graph=given, out=2), time=3, features=4, seed=1, threads=1)
        outs.append(model.predict(X[:2, :3]))
        assert (model.adjacency('0')[0, 0] == weights).all()
    assert np.allclose(outs[0], outs[1]) and np.allclose(outs[0], outs[2])
    drawn = model.graph('0', names='abc')
    assert sorted(drawn.edges(data='weight')) == [('a', 'c', 3), ('b', 'a', 1), ('c', 'b', 2)]


# ---- arrays ----

def test_numbers_are_converted_only_where_nothing_surprises():
    model = small()
    y = model.predict(X)
    assert (model.predict(X.astype(np.float64)) == y).all()
    assert (model.predict(np.asfortranarray(X)) == y).all()
    assert (model.predict(X.tolist()) == y).all()
    with pytest.raises(ValueError, match=r'2\*\*24'):
        model.predict(np.full((1, 6, 4), 1_700_000_000))
    with pytest.raises(ValueError, match='range of float32'):
        model.predict(np.full((1, 6, 4), 1e300))
    with pytest.raises(TypeError, match='need float32'):
        model.predict(np.full((1, 6, 4), 'a'))
    words = Model(layers.Embedding(vocab=9, out=4), layers.Pool(), time=5, threads=1)
    assert words.predict(np.ones((3, 5), np.uint8)).shape == (3, 4)
    with pytest.raises(TypeError, match='whole numbers'):
        words.predict(np.ones((3, 5)))


def test_shapes_that_do_not_fit_are_named():
    with pytest.raises(fighter.DataError, match='x'):
        small().predict(X[:, :, :3])
    with pytest.raises(ValueError):
        small().forward(np.zeros((99, 6, 4)))


def test_any_number_of_samples_and_fewer_steps():
    model = small()
    y = model.predict(X)
    assert y.shape == (12, 3) and (model.predict(X[7:8]) == y[7]).all() and model.predict(X[:0]).shape == (0, 3)
    model = Model(layers.Linear(out=2), time=6, features=4, threads=1)
    assert model.predict(X[:, :3]).shape == (12, 3, 2)


def test_arrays_of_parameters_are_views_that_outlive_the_model():
    model = small()
    shown, before = model.parameters(), model.state_dict()
    assert not shown['0.weight'].flags.writeable and shown['0.weight'].base is not None
    model.load_state_dict({**before, '0.bias': np.arange(8)})
    assert (shown['0.bias'] == np.arange(8)).all()
    with pytest.raises(fighter.StateError, match='add all layers before'):
        model.add(layers.Linear(out=1))
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None and (shown['0.bias'] == np.arange(8)).all()


def test_a_state_dict_is_loaded_whole_or_not_at_all():
    model = small()
    before = model.state_dict()
    wrongs = [({'0.weight': before['0.weight']}, KeyError), ({**before, '0.wait': 1}, KeyError),
              ({**before, '0.bias': np.zeros(7)}, ValueError),
              ({**before, '0.bias': np.full(8, np.nan)}, ArithmeticError)]
    for wrong, error in wrongs:
        with pytest.raises(error):
            model.load_state_dict({n: v + 1 if n == '3.bias' else v for n, v in wrong.items()})
        assert all((v == before[n]).all() for n, v in model.parameters().items())
    model.load_state_dict({'0.bias': np.ones(8), 'other': 1}, strict=False)
    assert (model.parameters()['0.bias'] == 1).all()


def test_tensors_of_pytorch_are_loaded():
    torch = pytest.importorskip('torch')
    module = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.GELU(), torch.nn.Linear(8, 2))
    model = Model(layers.Linear(out=8), layers.Activation(kind='gelu'), layers.Linear(out=2), time=6, features=4)
    model.load_state_dict(module.state_dict())
    assert np.allclose(model.predict(X), module(torch.from_numpy(X)).detach().numpy(), atol=1e-5)
    module.load_state_dict(model.state_dict(tensors=True))


# ---- passes ----

def test_gradients_agree_with_finite_differences():
    model = small('tanh', seed=3) # relu has kinks
    x, target = X[:5], np.random.default_rng(1).normal(size=(5, 3))
    _, dy = fighter.losses.mse(model.forward(x), target)
    model.backward(dy)
    state, gradients = model.state_dict(), {n: g.copy() for n, g in model.gradients().items()}
    top = max(np.abs(g).max() for g in gradients.values())
    for name in gradients:
        direction = np.random.default_rng(2).normal(size=state[name].shape)
        values = []
        for h in (1e-2, -1e-2):
            model.load_state_dict({**state, name: state[name] + h * direction})
            values.append(fighter.losses.mse(model.predict(x), target)[0])
        slope = (values[0] - values[1]) / 2e-2
        assert abs(slope - (gradients[name] * direction).sum()) < 2e-2 * max(abs(slope), top), name


@pytest.mark.parametrize('name', ['time', 'features', 'nodes', 'batch', 'seed', 'threads'])
def test_whole_numbers_beyond_their_fields_are_refused(name):
    for number in (2**64 + 1, -2**70):
        with pytest.raises(OverflowError, match=rf'{name}: is out of range \(got {number}, need \d\d bits\)'):
            Model(layers.Linear(out=8), **{'time': 6, 'features': 3, name: number})
    assert Model(layers.Linear(out=8), **{'time': 6, 'features': 3, name: np.int64(1)}).output_shape


def test_whole_numbers_beyond_64_bits_in_fit():
    model = Model(layers.Linear(out=1), time=6, features=3)
    x = np.ones((4, 6, 3))
    for name in 'epochs', 'batch', 'patience', 'seed':
        with pytest.raises(OverflowError, match=f'{name}: is out of range'):
            model.fit(x, x[:, :, :1], **{name: 2**70})
    assert (Model(layers.Linear(out=1), features=3, seed=-1).state_dict()['0.weight']
            == Model(layers.Linear(out=1), features=3, seed=2**64 - 1).state_dict()['0.weight']).all()


def test_layers_are_added_after_state_dict_but_not_after_parameters():
    model = Model(layers.Linear(out=8), time=6, features=3)
    state = model.state_dict()
    model.load_state_dict(state)
    assert model.add(layers.Linear(out=1)) == '1'
    assert all((model.state_dict()[name] == array).all() for name, array in state.items())
    kept = model.parameters()
    with pytest.raises(fighter.StateError, match=r'take the copies of state_dict\(\)'):
        model.add(layers.Linear(out=1))
    assert (kept['0.weight'] == state['0.weight']).all()


def test_several_outputs_values_and_masks():
    model = Model(layers.Linear(out=3, name='a'), time=6, features=4, batch=5, threads=1)
    model.add(layers.Value(features=2, time=6, name='known'))
    model.add(layers.Concat(), inputs=['a', 'known'])
    model.add(layers.Attention(name='b'))
    with pytest.raises(fighter.StateError, match='known'):
        model.forward(X[:5])
    into = model.set_value('known', np.ones((5, 6, 2)), gradient=True)
    model.set_mask('key_padding', np.arange(6) >= np.array([[6], [5], [4], [3], [2]]))
    y = model.forward(X[:5])
    assert (model.adjacency('b')[4, 0, :, 2:] == 0).all()
    model.add_gradient('a', np.ones_like(model.output('a')))
    model.backward(np.ones_like(y))
    assert np.abs(into).max() > 0
    model.set_mask('key_padding', None)
    with pytest.raises(KeyError, match='key_padding'):
        model.set_mask('key_pading', None)


def test_states_are_carried_from_pass_to_pass():
    model = Model(layers.GRU(hidden=3, name='r'), time=6, features=4, batch=5, threads=1)
    whole = model.predict(X[:5])
    model.set_stateful(True)
    model.begin_series()
    parts = [model.predict(X[:5, :2]), model.predict(X[:5, 2:])]
    assert np.allclose(np.concatenate(parts, 1), whole, atol=1e-6) and model.state('r.h').shape == (1, 5, 3)
    model.begin_series()
    assert np.allclose(model.predict(X[:5, :2]), parts[0], atol=1e-6)


def test_a_stream_reads_token_by_token():
    model = Model(layers.Linear(out=8), layers.Fighter(heads=2, causal=True), layers.GRU(hidden=3), time=6, features=4,
                  batch=5, threads=1)
    whole = model.predict(X[:2])
    stream = model.predictor().stream(tokens=6, batch=2)
    for _ in range(2):
        parts = [stream.next(X[:2, :3]), *(stream.next(X[:2, t:t + 1]) for t in range(3, 6))]
        assert np.allclose(np.concatenate(parts, 1), whole, atol=1e-5) and len(stream) == 6
        with pytest.raises(fighter.DataError):
            stream.next(X[:2, :1])
        stream.begin()
    with pytest.raises(fighter.UnsupportedError, match='fighter'):
        small().predictor().stream(tokens=6)


# ---- files ----

def test_a_model_is_saved_pickled_and_copied(tmp_path):
    model = small(seed=4)
    y = model.predict(X)
    model.save(tmp_path / 'm.safetensors')
    loaded = Model.load(tmp_path / 'm.safetensors', batch=1)
    assert (loaded.predict(X) == y).all() and loaded.layers == model.layers and loaded.input_shape == (1, 6, 4)
    for other in pickle.loads(pickle.dumps(model)), copy.deepcopy(model):
        assert (other.predict(X) == y).all() and other.context.threads == 1
    other.load_state_dict({n: 0 * v for n, v in model.state_dict().items()})
    assert (model.predict(X) == y).all()
    other.load_weights(tmp_path / 'm.safetensors')
    assert (other.predict(X) == y).all()
    with pytest.raises(fighter.FileError, match='nowhere'):
        Model.load(tmp_path / 'nowhere')


def test_a_description_is_pickled():
    layer = pickle.loads(pickle.dumps(layers.Fighter(heads=2, causal=True)))
    assert repr(layer) == 'Fighter(heads=2, causal=True)'


def test_a_table_of_the_layers():
    table = small().describe()
    assert 'fighter' in table and 'parameters' in table


# ---- threads and memory ----

def together(count, function):
    wrong = []

    def run(i):
        try:
            function(i)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=run, args=[i]) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_threads_share_a_model_and_a_predictor():
    model = small()
    y, predictor = model.predict(X), model.predictor(exact=True)

    def run(i):
        for k in range(50):
            part = X[i:i + 1 + k % 8]
            assert (model.predict(part) == y[i:i + len(part)]).all()
            assert (predictor.predict(part) == y[i:i + len(part)]).all()

    together(4, run)


def test_an_error_of_a_predictor_has_its_sentence():
    predictor = small().predictor()
    with pytest.raises(ValueError, match='x'):
        predictor.predict(np.zeros((1, 6, 3)))
    assert predictor.nbytes > 0


def test_memory_stays_the_same_over_many_models():
    def cycle():
        model = small()
        model.forward(X[:5])
        model.backward(np.ones((5, 3)))
        fighter.Optimizer(model, lr=0.1).step()
        return model.predictor().predict(X), model.parameters()['0.weight']

    for _ in range(50):
        cycle()
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(400):
        cycle()
    gc.collect()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096 # KiB


def test_a_report_reads_matrices_of_any_layout():
    model = Model(layers.Linear(out=2), time=3, features=2)
    pages = []
    for matrix in ([[3, 1], [2, 5]], np.array([[3., 1], [2, 5]], np.float32), np.asfortranarray([[3., 1], [2, 5]])):
        report = fighter.Report(model)
        report.add_matrix('a', matrix)
        pages.append(report.to_html())
    assert pages[0] == pages[1] == pages[2]


def test_masked_arrays_are_refused():
    model = Model(layers.Linear(out=2), time=3, features=2)
    with pytest.raises(TypeError, match='masked'):
        model.predict(np.ma.zeros((1, 3, 2)))
