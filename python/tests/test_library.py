# SPDX-License-Identifier: BSD-3-Clause
"""Declarations, errors, handles and views."""

import ctypes as C
import gc
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fighter
from fighter import _api as api
from fighter._library import Context, Handle, array_of, lib, texts, view
from fighter._sentences import PARAMETERS, WORDS, in_python

ROOT = Path(__file__).parents[2]


def test_structs_are_laid_out_as_the_record_of_the_abi_says():
    record = (ROOT / 'tests/abi/test_layouts.c').read_text()
    fields = re.findall(r'S\((\w+), (\w+), (\d+)\);', record)
    sizes = re.findall(r'Z\((\w+), (\d+)\);', record)
    assert len(fields) > 700 and len(sizes) > 50
    assert [f for f in fields if getattr(getattr(api, f[0]), f[1]).offset != int(f[2])] == []
    assert [s for s in sizes if C.sizeof(getattr(api, s[0])) != int(s[1])] == []


def test_enumerators_are_as_in_the_record_of_the_abi():
    pinned = re.findall(r'E\((\w+), (-?\d+)\)', (ROOT / 'tests/abi/test_enums.c').read_text())
    assert len(pinned) > 100
    assert [p for p in pinned if getattr(api, p[0]) != int(p[1])] == []


def test_every_exported_function_is_declared():
    maps = [(ROOT / 'lib' / name).read_text() for name in ('symbols.map', 'tasks.map')]
    names = set(re.findall(r'\b(fgt_\w+);', ''.join(maps)))
    assert len(names) > 300 and names == set(api.FUNCTIONS)
    for name in names:
        getattr(lib, name)


def test_an_error_has_its_status_and_sentence():
    context = Context(1)
    table = Handle(context, 'fgt_table')
    with pytest.raises(fighter.FileError, match='nowhere.csv') as caught:
        context.call('fgt_table_load', context.pointer, b'nowhere.csv', None, table.out)
    assert caught.value.status == 'FGT_E_IO' and isinstance(caught.value, OSError)


def test_an_error_of_a_name_is_a_key_error_without_quotes():
    context = Context(1)
    values = np.zeros((3, 1))
    table = Handle(context, 'fgt_table')
    context.call('fgt_table_create', context.pointer, texts(['a']), C.byref(view(values)), table.out)
    with pytest.raises(KeyError) as caught:
        context.call('fgt_table_get_column', table.pointer, b'b', C.byref(C.c_int64()))
    assert str(caught.value).startswith('table') or '"b"' in str(caught.value)


def test_an_array_on_a_view_keeps_its_owner_alive():
    context = Context(1)
    values = np.arange(6.0).reshape(3, 2)
    table = Handle(context, 'fgt_table')
    context.call('fgt_table_create', context.pointer, None, C.byref(view(values)), table.out)
    shown = array_of(lib.fgt_table_get_values(table.pointer), table)
    del table, context
    gc.collect()
    assert (shown == values).all() and not shown.flags.writeable


def test_an_array_of_another_type_is_refused():
    with pytest.raises(TypeError, match='complex128'):
        view(np.zeros(3, complex))
    with pytest.raises(TypeError, match='contiguous'):
        view(np.zeros((4, 4))[:, 1])


@pytest.mark.parametrize('work', ['model.predict(x)', 'predictor.predict(x)'])
def test_a_process_ends_while_a_thread_is_in_a_call(work):
    code = f'''
import threading, time
import numpy as np
from fighter import Model, layers
model = Model(layers.Linear(out=64), layers.Fighter(heads=4), layers.Linear(out=1), time=48, features=4)
x = np.zeros((32, 48, 4), np.float32)
predictor = model.predictor()
threading.Thread(target=lambda: [{work} for _ in iter(int, 1)], daemon=True).start()
time.sleep(0.3)
'''
    for _ in range(3):
        run = subprocess.run([sys.executable, '-c', code], capture_output=True, timeout=60)
        assert run.returncode == 0, run.stderr


@pytest.mark.parametrize('work, outcome', [
    ('model.fit(x, y, epochs=10**6, progress=False)', 'StateError: fgt_predict: another thread was in a call'),
    ('fighter.losses.mse(x, x)', 'right'), ('predictor.predict(x)', 'right')])
def test_a_child_of_fork_waits_for_no_thread_of_its_parent(work, outcome):
    code = f'''
import os, signal, threading, time, warnings
import numpy as np
import fighter
from fighter import Model, layers
warnings.simplefilter('ignore')
def make():
    return Model(layers.Linear(out=8), layers.Linear(out=1), time=48, features=4, seed=1)
model, x = make(), np.ones((320, 48, 4), np.float32)
y, predictor, right = np.zeros((320, 48, 1)), model.predictor(), make().predict(x)
threading.Thread(target=lambda: [{work} for _ in iter(int, 1)], daemon=True).start()
time.sleep(0.3)
for _ in range(20):
    child = os.fork()
    if not child:
        signal.alarm(30)
        try:
            print('right' if (model.predict(x) == right).all() else 'wrong')
        except fighter.StateError as error:
            print(f'StateError: {{error}}')
        fighter.losses.mse(x, x)
        new = make()
        new.fit(x, y, epochs=1, progress=False)
        print('new', flush=True)
        del model, predictor
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
os._exit(0)
'''
    run = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, timeout=120)
    lines = run.stdout.splitlines()
    assert run.returncode == 0, run.stderr
    assert len(lines) == 40 and lines[1::2] == 20 * ['new']
    assert any(line.startswith(outcome) for line in lines[::2])
    assert all(line.startswith((outcome, 'right')) for line in lines[::2])


def test_a_stream_that_was_read_is_refused():
    pyarrow = pytest.importorskip('pyarrow')
    capsule = pyarrow.table({'y': [1., 2, 3]}).__arrow_c_stream__()
    pyarrow.RecordBatchReader._import_from_c_capsule(capsule)
    frame = type('Frame', (), {'__arrow_c_stream__': lambda self, schema=None: capsule})()
    with pytest.raises(fighter.DataError, match='once'):
        fighter.Forecaster().fit(frame)


def test_names_with_the_character_nul_are_refused():
    with pytest.raises(ValueError, match='NUL'):
        texts(['a\0b'])
    with pytest.raises(ValueError, match='NUL'):
        fighter.Forecaster.load('n.safetensors\0.evil')


# ---- sentences ----

@pytest.mark.parametrize('sentence, expected', [
    ('arrow: row 7: no value; the option `missing` can mask or fill it',
     'data: row 7: no value; the parameter `missing` can mask or fill it'),
    ('the option `repair` gaps can add them, and `missing` says with which values',
     'the parameter repair=True can add them, and `missing` says with which values'),
    ('the option `round` 15min can move the times to whole steps',
     "the parameter round='15min' can move the times to whole steps"),
    ('the option `max_rows` 230 reads the rows before it, and `comment` leaves out lines',
     '`nrows=230` of pandas.read_csv() reads the rows before it, and `comment` of pandas.read_csv() leaves out lines'),
    ("the option `form` 'shop+product,date,\"a,b\"' (id, time, value) would say so",
     "the parameters id='shop+product', time='date', value='a,b' would say so"),
    ('the option `form` a,auto,y (id, time, value) would say so', "the parameters id='a', value='y' would say so"),
    ('which `non_negative` rules out', 'which `non_negative` rules out'),
    ('the layer `x` is no option', 'the layer `x` is no option')])
def test_sentences_name_parameters(sentence, expected):
    assert in_python(sentence) == expected


def test_all_options_in_sentences_about_data_and_forecasts_have_words_in_python():
    sources = [p.read_text() for folder in ('data', 'forecast') for p in (ROOT / 'lib' / folder).rglob('*.[ch]')]
    code = re.sub(r'/\*.*?\*/', '', ''.join(sources), flags=re.S)
    named = {n for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', code) for n in re.findall(r'`([a-z_]+)`', text)}
    of_other_functions = {'all', 'count'}
    assert len(named) > 25 and named - PARAMETERS - set(WORDS) - of_other_functions == set()
    assert PARAMETERS - {'exact', 'future'} <= set(fighter.Forecaster().get_params())
