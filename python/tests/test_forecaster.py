# SPDX-License-Identifier: BSD-3-Clause
"""Forecasts: the same numbers as the program, data frames of several kinds, errors."""

import copy
import os
import pickle
import signal
import subprocess
import threading

import numpy as np
import pandas as pd
import pytest

import fighter
from fighter import Forecaster

PROGRAM = os.environ.get('FIGHTER_FORECAST')
needs_program = pytest.mark.skipif(not PROGRAM, reason='the programs are not built')
rng = np.random.default_rng(0)
DAYS = pd.DataFrame({'date': pd.date_range('2024-01-01', periods=300, freq='D'),
                     'a': 10 + 3 * np.sin(np.arange(300) * 2 * np.pi / 7) + rng.normal(size=300),
                     'b': rng.integers(0, 20, 300)})
LONG = pd.concat([pd.DataFrame({'unique_id': f's{i}', 'ds': DAYS['date'][:200 + 10 * i],
                                'y': np.abs(rng.normal(size=200 + 10 * i)).cumsum()}) for i in range(5)])


@pytest.fixture(scope='module')
def hours():
    t = np.arange(1100)
    noise = np.random.default_rng(1).normal(size=(1100, 2))
    return pd.DataFrame({'time': pd.date_range('2024-01-01', periods=1100, freq='h'),
                         'v': 20 + 5 * np.sin(t * 2 * np.pi / 24) + noise[:, 0], 'w': noise[:, 1].cumsum()})


def run_program(folder, frame, *options):
    """The forecast of fighter-forecast for a file with these rows."""
    frame.to_csv(folder / 'data.csv', index=False)
    run = subprocess.run([PROGRAM, '--data', folder / 'data.csv', '--predict', folder / 'next.csv', *options],
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return pd.read_csv(folder / 'next.csv', float_precision='round_trip')


def expect_same(got, want):
    """Every number has the same bits, and every column its name."""
    assert list(got.columns) == list(want.columns) and len(got) == len(want)
    for name in want.columns:
        if want[name].dtype.kind == 'f':
            np.testing.assert_array_equal(np.asarray(got[name], float), want[name].to_numpy())
        else:
            assert [str(v)[:19] for v in got[name]] == [str(v) for v in want[name]] or \
                list(pd.to_datetime(got[name])) == list(pd.to_datetime(want[name]))


# ---- as the program ----

@needs_program
@pytest.mark.parametrize('frame, options', [(DAYS, []), (LONG, []), (DAYS[['date', 'a']], ['--season', '7'])])
def test_forecasts_without_training_are_those_of_the_program(tmp_path, frame, options):
    model = Forecaster(season=7 if options else None).fit(frame)
    expect_same(model.predict_intervals(levels=[80, 95]),
                run_program(tmp_path, frame, '--intervals', '80,95', *options))
    expect_same(model.predict(20), run_program(tmp_path, frame, '--horizon', '20', *options))


@needs_program
def test_quantiles_without_training_are_those_of_the_program(tmp_path):
    got = Forecaster(quantiles=[0.1, 0.5, 0.9]).fit(DAYS).predict_quantiles()
    expect_same(got, run_program(tmp_path, DAYS, '--quantiles', '0.1,0.5,0.9'))


@needs_program
def test_a_blend_with_a_trained_model_is_that_of_the_program(tmp_path, hours):
    model = Forecaster(verbose=False).fit(hours)
    expect_same(model.predict_intervals(levels=[80]), run_program(tmp_path, hours, '--intervals', '80'))


@needs_program
def test_a_chosen_model_is_that_of_the_program(tmp_path, hours):
    model = Forecaster('v', model='lstm', dim=16, epochs=2, pred_len=24, quantiles=[0.1, 0.5, 0.9]).fit(hours)
    want = run_program(tmp_path, hours, '--target', 'v', '--model', 'lstm', '--dim', '16', '--epochs', '2',
                       '--pred', '24', '--quantiles', '0.1,0.5,0.9')
    expect_same(model.predict_quantiles(), want)


@needs_program
def test_known_columns_holidays_and_gaps_are_as_in_the_program(tmp_path, hours):
    data = hours.assign(price=1 + (np.arange(1100) % 168 > 120))
    data.loc[1050:, 'v'] = np.nan
    data.loc[300:302, 'v'] = np.nan
    (tmp_path / 'days.csv').write_text('2024-01-06,Epiphany\n2024-02-14,Valentine\n')
    model = Forecaster('v', known='price', past='w', missing='mask', pred_len=24, epochs=1,
                       holidays={'2024-01-06': 'Epiphany', '2024-02-14': 'Valentine'}).fit(data)
    want = run_program(tmp_path, data, '--target', 'v', '--known', 'price', '--past', 'w', '--missing', 'mask',
                       '--pred', '24', '--epochs', '1', '--holidays', tmp_path / 'days.csv', '--intervals', '90')
    expect_same(model.predict_intervals(levels=[90]), want)
    future = data[['time', 'price']].iloc[1050:1074]
    expect_same(model.predict(future=future), want[['time', 'v']])


@needs_program
def test_a_trained_model_of_long_form_is_that_of_the_program(tmp_path):
    frame = LONG.assign(promo=lambda f: (np.arange(len(f)) % 7 == 5).astype(int))
    model = Forecaster(past='promo', epochs=1, pred_len=7, input_len=28).fit(frame)
    want = run_program(tmp_path, frame, '--past', 'promo', '--epochs', '1', '--pred', '7', '--input', '28',
                       '--intervals', '80')
    expect_same(model.predict_intervals(levels=[80]), want)


@needs_program
def test_files_go_both_ways(tmp_path, hours):
    model = Forecaster('v', model='linear', pred_len=24).fit(hours)
    model.save(tmp_path / 'v.safetensors')
    want = run_program(tmp_path, hours, '--load', tmp_path / 'v.safetensors', '--intervals', '80')
    loaded = Forecaster.load(tmp_path / 'v.safetensors')
    expect_same(loaded.predict_intervals(levels=[80], data=hours), want)
    run_program(tmp_path, hours, '--target', 'v', '--model', 'gru', '--epochs', '1', '--pred', '24', '--save',
                tmp_path / 'gru.safetensors')
    want = run_program(tmp_path, hours, '--load', tmp_path / 'gru.safetensors')
    expect_same(Forecaster.load(tmp_path / 'gru.safetensors').predict(data=hours), want)


@needs_program
def test_errors_from_past_origins_are_those_of_the_program(tmp_path):
    import json
    DAYS.to_csv(tmp_path / 'data.csv', index=False)
    run = subprocess.run([PROGRAM, '--data', tmp_path / 'data.csv', '--backtest', '3', '--json'],
                         capture_output=True, text=True)
    series = {s['series']: s for s in json.loads(run.stdout)['by_series']}
    result = Forecaster().backtest(DAYS, origins=3)
    assert result.overall['mae'] == pytest.approx(np.mean([series[s]['mae'] for s in 'ab']), rel=1e-12)
    assert len(result.frame) == 2 * 3 * 14 and result.frame['truth'].notna().all()
    for name in 'ab':
        assert result.errors[name]['mae'] == pytest.approx(series[name]['mae'], rel=1e-12)
        assert result.errors[name]['rmse'] == pytest.approx(series[name]['rmse'], rel=1e-12)


# ---- data of several kinds ----

def test_frames_arrays_and_files_give_the_same_numbers(tmp_path):
    want = Forecaster().fit(DAYS).predict()
    DAYS.to_csv(tmp_path / 'days.csv', index=False)
    assert Forecaster().fit(tmp_path / 'days.csv').predict().equals(want.astype({'date': 'datetime64[ms]'}) if
                                                                     want['date'].dtype == 'datetime64[ms]' else want)
    indexed = Forecaster().fit(DAYS.set_index('date')).predict()
    assert indexed.equals(want.set_index('date'))
    periods = DAYS.assign(date=DAYS['date'].dt.to_period('D'))
    assert Forecaster().fit(periods).predict()['a'].equals(want['a'])
    nullable = DAYS.astype({'a': 'Float64', 'b': 'Int64'})
    assert Forecaster().fit(nullable).predict()['b'].equals(want['b'])
    series = Forecaster('a').fit(DAYS.set_index('date')['a']).predict()
    assert series.equals(Forecaster('a').fit(DAYS[['date', 'a']]).predict().set_index('date'))
    plain = Forecaster(pred_len=5).fit(DAYS[['a', 'b']].to_numpy()).predict()
    assert plain.shape == (5, 2)
    assert Forecaster(pred_len=5).fit(DAYS['a'].to_numpy()[::-1]).predict_intervals().shape == (5, 5)


def test_series_are_named_by_a_column_of_any_kind():
    want = Forecaster().fit(LONG).predict()['y']
    for ids in (LONG['unique_id'].astype('category'), LONG['unique_id'].str[1:].astype(int)):
        assert Forecaster().fit(LONG.assign(unique_id=ids)).predict()['y'].equals(want)
    renamed = LONG.rename(columns={'unique_id': 'shop', 'ds': 'day', 'y': 'sold'})
    got = Forecaster(id='shop', value='sold').fit(renamed).predict()
    assert got['sold'].equals(want) and list(got.columns) == ['shop', 'day', 'sold']
    indexed = Forecaster().fit(LONG.set_index(['unique_id', 'ds'])).predict()
    assert indexed.index.names == ['unique_id', 'ds'] and indexed['y'].tolist() == want.tolist()


def test_forecasts_are_in_the_zone_of_the_data():
    days = DAYS.assign(date=DAYS['date'].dt.tz_localize('Europe/Berlin')) # with a day of 23 hours, and one of 25
    got = Forecaster().fit(days).predict()
    assert got['a'].equals(Forecaster().fit(DAYS).predict()['a'])
    assert str(got['date'].iloc[0]) == '2024-10-27 00:00:00+02:00'
    assert str(got['date'].iloc[1]) == '2024-10-28 00:00:00+01:00'
    hours = pd.date_range('2024-03-20', periods=300, freq='h', tz='Europe/Berlin')
    got = Forecaster(pred_len=30).fit(pd.DataFrame({'time': hours, 'v': np.sin(np.arange(300) * np.pi / 12)})).predict()
    assert list(got['time']) == list(pd.date_range(hours[-1], periods=31, freq='h')[1:])


def test_columns_without_numbers_are_named():
    with pytest.warns(fighter.FighterWarning, match="'shop' are left out"):
        Forecaster().fit(DAYS.assign(shop='north'))


def test_dates_of_python_are_times_and_integers_name_series():
    dated = DAYS.assign(date=list(DAYS['date'].dt.date))
    want = Forecaster().fit(DAYS).predict()
    assert Forecaster().fit(dated).predict()['a'].equals(want['a'])
    assert Forecaster().fit(DAYS.set_index(pd.Index(dated['date'])).drop(columns='date')).predict()['a'].tolist() == \
        want['a'].tolist()
    numbered = LONG.assign(unique_id=LONG['unique_id'].str[1:].astype(int))
    assert sorted(set(Forecaster().fit(numbered).predict()['unique_id'])) == [0, 1, 2, 3, 4]


def test_masked_values_are_missing():
    values = np.ma.masked_greater(np.append(100 + np.sin(np.arange(80.)), [1000, 1000]), 500)
    assert np.abs(Forecaster(pred_len=3).fit(values).predict() - 100).max() < 5


def test_texts_known_ahead_may_come_in_a_frame_of_their_own(hours):
    data = hours.assign(promo=np.where(np.arange(1100) % 168 > 120, 'tv', 'none'))
    model = Forecaster('v', known='promo', past=[], model='linear', pred_len=24).fit(data[:1076])
    ahead = model.predict(future=data[['time', 'promo']].iloc[1076:])
    inside = data.copy()
    inside.loc[1076:, 'v'] = np.nan
    want = Forecaster('v', known='promo', past=[], model='linear', pred_len=24, missing='mask').fit(inside)
    assert np.isfinite(ahead['v']).all() and len(want.predict()) == 24


def test_missing_texts_of_pandas_are_missing():
    notes = pd.Series(['x'] * 299 + [pd.NA], dtype='string')
    with pytest.warns(fighter.FighterWarning, match='left out'):
        Forecaster('a').fit(DAYS.assign(note=notes)).predict()


def test_rows_ahead_of_a_long_frame_need_no_values():
    frame = LONG.assign(price=np.arange(len(LONG)) % 5).rename(columns={'unique_id': 'shop', 'y': 'sold'})
    model = Forecaster(id='shop', value='sold', known='price', epochs=1, pred_len=7, input_len=28).fit(frame)
    ahead = pd.concat([pd.DataFrame({'shop': name, 'ds': pd.date_range(rows['ds'].max(), periods=8)[1:],
                                     'price': range(7)}) for name, rows in frame.groupby('shop')])
    assert len(model.predict(future=ahead)) == 7 * 5


def test_a_series_cannot_be_named_as_an_end_of_another():
    with pytest.raises(ValueError, match="'a-lo-80'"):
        Forecaster().fit(DAYS.rename(columns={'b': 'a-lo-80'})).predict_intervals(levels=[80])


def test_a_column_that_nobody_needs_may_be_of_any_kind():
    frame = DAYS.assign(note=[object()] * 300)
    with pytest.warns(fighter.FighterWarning, match="'note'.*left out"):
        got = Forecaster('a', past=[], fast=False, pred_len=7).fit(frame[['date', 'a', 'note']])
    assert len(got.predict()) == 7


def test_polars_and_arrow_frames():
    polars, pyarrow = pytest.importorskip('polars'), pytest.importorskip('pyarrow')
    want = Forecaster().fit(DAYS).predict()
    got = Forecaster().fit(polars.DataFrame({c: DAYS[c].to_numpy() for c in DAYS})).predict()
    assert isinstance(got, polars.DataFrame) and got['a'].to_list() == want['a'].to_list()
    got = Forecaster().fit(pyarrow.Table.from_pandas(LONG, preserve_index=False)).predict()
    assert got['y'].to_pylist() == Forecaster().fit(LONG).predict()['y'].tolist()


# ---- state ----

def test_copies_and_pickles_forecast_the_same(hours):
    for model in (Forecaster().fit(DAYS), Forecaster('v', model='linear', pred_len=24).fit(hours), Forecaster()):
        for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            assert other.get_params() == model.get_params()
            if model._table is not None:
                assert other.predict_intervals().equals(model.predict_intervals())


@pytest.mark.parametrize('split', [(2**64 + 400, 100, 100), (400, 100, 2**63), (400, -2**64, 100)])
def test_a_split_beyond_64_bits_is_refused(split, hours):
    with pytest.raises(ValueError, match=r'split: numbers of rows are out of range \(got'):
        Forecaster(split=split, epochs=1).fit(hours)


class Weeks(fighter.Forecaster):
    """A class with parameters of its own beside ours."""

    def __init__(self, target=None, *, weeks=1, **params):
        super().__init__(target, pred_len=7 * weeks, **params)
        self.weeks = weeks


class Fixed(fighter.Forecaster):
    """A class with nothing but parameters of its own."""

    def __init__(self, weeks=1):
        super().__init__('a', pred_len=7 * weeks, season=7)
        self.weeks, self.notes = weeks, []

    def fit(self, data, y=None):
        self.notes.append(len(data))
        return super().fit(data)


def test_derived_classes_keep_their_parameters():
    base = pytest.importorskip('sklearn.base')
    for model in Weeks('a', weeks=2, season=7), Fixed(weeks=2):
        assert repr(model) in ("Weeks(season=7, target='a', weeks=2)", 'Fixed(weeks=2)')
        cloned = base.clone(model)
        assert type(cloned) is type(model) and cloned.get_params() == model.get_params() and cloned.weeks == 2
        want = model.fit(DAYS).predict()
        assert len(want) == 14 and cloned.fit(DAYS).predict().equals(want)
        for other in pickle.loads(pickle.dumps(model)), copy.deepcopy(model):
            assert type(other) is type(model) and other.get_params() == model.get_params() and other.weeks == 2
            assert other.predict().equals(want) and len(other.set_params(weeks=3).fit(DAYS).predict()) == 14
    assert copy.deepcopy(model).notes == model.notes == [300]
    assert len(Fixed(weeks=2).backtest(DAYS, origins=2).frame) == 28


def test_data_that_changed_cannot_be_pickled():
    frame = DAYS.copy()
    model = Forecaster().fit(frame)
    frame.loc[5, 'a'] = 99
    with pytest.raises(fighter.StateError, match='changed'):
        pickle.dumps(model)
    model = Forecaster().fit(frame)
    frame['date'] += pd.Timedelta(days=1)
    with pytest.raises(fighter.StateError, match='changed'):
        pickle.dumps(model)


def test_an_update_learns_from_newer_rows(hours):
    model = Forecaster('v', model='gru', dim=8, epochs=1, pred_len=24).fit(hours[:1000])
    before = model.predict()
    model.update(hours)
    assert str(model.predict()['time'].iloc[0])[:19] == '2024-02-15 20:00:00' and not model.predict().equals(before)


def test_forecasts_from_arrays_are_those_from_frames(hours):
    model = Forecaster('v', model='linear', pred_len=24, past=[]).fit(hours)
    rows = hours[['v']].to_numpy()
    got = model.predict_rows(rows, time=hours['time'].iloc[-1])
    np.testing.assert_array_equal(got[:, 0], model.predict()['v'])
    both = model.predict_rows(np.stack([rows, rows]), time=[hours['time'].iloc[-1]] * 2)
    assert both.shape == (2, 24, 1) and (both == got).all()
    assert model.predict_rows(rows.astype('float32'), time=hours['time'].iloc[-1]).dtype == np.float32
    with pytest.raises(ValueError, match='one time for each window'):
        model.predict_rows(np.stack([rows, rows]), time=hours['time'].iloc[-1])
    with pytest.raises(ValueError, match='rows'):
        model.predict_rows(rows[:2], time=hours['time'].iloc[-1])


def test_parameters_count_from_the_next_fit_on():
    model = Forecaster().fit(DAYS)
    want = model.predict()
    model.set_params(season=9, non_negative=True, pred_len=3, time='nothing')
    assert model.predict().equals(want) and copy.deepcopy(model).predict().equals(want)
    assert len(model.set_params(time=None).fit(DAYS).predict()) == 3


def test_an_interrupted_update_keeps_the_fit(hours):
    model = Forecaster('v', model='transformer', epochs=3000, patience=3000, pred_len=24, input_len=200, verbose=False)
    model.set_params(epochs=1).fit(hours[:1000])
    want = model.predict()
    model._params['epochs'] = 3000
    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        model.update(hours)
    assert model.predict().equals(want)


def test_threads_predict_at_the_same_time():
    model = Forecaster().fit(DAYS)
    want, got = model.predict(), []
    threads = [threading.Thread(target=lambda: got.append(model.predict())) for _ in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(got) == 8 and all(g.equals(want) for g in got)


def test_control_c_ends_a_fit_and_leaves_the_forecaster_usable(hours):
    model = Forecaster('v', model='transformer', epochs=1000, patience=1000, pred_len=24, input_len=200)
    threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(hours)
    with pytest.raises(fighter.StateError, match='fit'):
        model.predict()
    assert len(model.set_params(epochs=1).fit(hours).predict()) == 24


# ---- times ----

@pytest.mark.parametrize('unit, rows', [(pd.offsets.BMonthEnd(), 60), (pd.offsets.BQuarterEnd(), 40),
                                        (pd.offsets.BYearEnd(), 30)])
def test_last_business_days_are_followed_by_last_business_days(unit, rows):
    times = pd.date_range('2010-01-01', periods=rows + 5, freq=unit)
    got = Forecaster().fit(pd.DataFrame({'date': times[:rows], 'y': np.arange(rows) % 7.})).predict(5)
    assert list(got['date']) == list(times[rows:])


@pytest.mark.parametrize('unit, zone', [('1h', None), ('1D', None), ('1D', 'Asia/Tokyo'), ('15min', 'Asia/Tokyo')])
def test_times_of_a_clock_with_jitter_are_rounded(unit, zone, tmp_path):
    times = pd.date_range('2024-01-01', periods=303, freq=pd.Timedelta(unit), tz=zone)
    jitter = pd.to_timedelta(np.arange(303) * 7 % 41 - 20, unit='s')
    frame = pd.DataFrame({'date': times + jitter, 'y': np.arange(303) % 7.})[:300]
    with pytest.raises(ValueError, match="the parameter round='"):
        Forecaster().fit(frame)
    expected = Forecaster().fit(frame.assign(date=times[:300])).predict(3)
    assert list(expected['date']) == list(times[300:])
    for step in (unit, pd.Timedelta(unit), np.timedelta64(pd.Timedelta(unit))):
        pd.testing.assert_frame_equal(Forecaster(round=step).fit(frame).predict(3), expected)
    frame.to_csv(tmp_path / 'a.csv', index=False)
    assert Forecaster(round=unit).fit(str(tmp_path / 'a.csv')).predict(3)['y'].tolist() == expected['y'].tolist()


@pytest.mark.parametrize('zone, unit, freq', [('Europe/Berlin', '6h', '6h'), ('Asia/Kolkata', '1h', 'h')])
def test_times_with_a_zone_are_rounded_on_its_clock(zone, unit, freq):
    times = pd.date_range('2024-01-01', periods=60, freq=freq, tz=zone)
    expected = Forecaster().fit(pd.DataFrame({'ds': times, 'y': np.arange(60) % 4})).predict(2)
    late = times + pd.to_timedelta(np.arange(60) % 7 - 3, 's')
    got = Forecaster(round=unit).fit(pd.DataFrame({'ds': late, 'y': np.arange(60) % 4})).predict(2)
    pd.testing.assert_frame_equal(got, expected)


def test_times_with_a_zone_of_arrow_are_not_rounded():
    pyarrow = pytest.importorskip('pyarrow')
    times = pd.date_range('2024-01-01', periods=60, freq='h', tz='Asia/Kolkata')
    table = pyarrow.table({'ds': pyarrow.array(times), 'y': np.arange(60.)})
    with pytest.raises(ValueError, match='round: times with a zone are rounded .* frames of pandas'):
        Forecaster(round='1h').fit(table)


def test_columns_that_end_early_are_refused():
    frame = pd.DataFrame({'a': np.arange(60.), 'b': np.where(np.arange(60) < 40, 1., np.nan)})
    with pytest.raises(ValueError, match="column 'b': no value in the 20 rows before the forecast"):
        Forecaster(pred_len=6).fit(frame).predict()
    assert Forecaster(pred_len=24).fit(frame).predict()['b'].iloc[0] == 1


def test_rows_that_are_rounded_to_one_time_are_named():
    with pytest.raises(ValueError, match='row 0 .* and row 1 .* rounded to one time .* parameter `round`'):
        Forecaster(round='12h').fit(DAYS.assign(date=pd.date_range('2024-01-01', periods=300, freq='h')))
    for bad in ('7h', 'month', 0, '2d'):
        with pytest.raises(ValueError, match='round: no part of a day'):
            Forecaster(round=bad).fit(DAYS)


# ---- bad input ----

@pytest.mark.parametrize('data, error, sentence', [
    (DAYS.rename(columns={'a': 'a\0'}), ValueError, 'NUL'),
    (DAYS.iloc[:0], ValueError, 'no rows'),
    (DAYS.drop(columns=['a', 'b']), ValueError, 'no column of numbers'),
    (DAYS.assign(date=DAYS['date'].astype(str)), ValueError, 'to_datetime'),
    (DAYS.iloc[[0, 1, 1, 2, 3]], ValueError, 'the parameter repair=True can'),
    (DAYS.assign(c=[object()] * 300), TypeError, "'c'"),
    (DAYS.assign(c=1j), TypeError, 'complex128'),
    (DAYS.assign(a=np.inf), ValueError, 'not finite'),
    (pd.concat([DAYS, DAYS], axis=1).iloc[:, 1:], ValueError, 'two columns'),
    (LONG.assign(unique_id=None), ValueError, 'no series'),
    (pd.concat([LONG, LONG]), ValueError, 'repair'),
    (np.zeros((2, 3, 4)), ValueError, 'shape'),
    (DAYS.set_index(DAYS['date'].astype(str)).drop(columns='date'), ValueError, 'to_datetime'),
    (pd.DataFrame({'year': [2019, 2020, 2021, 2022], 'y': [1., 2, 3, 4]}), ValueError, 'year'),
    (LONG.rename(columns={'unique_id': 'shop'}), ValueError, "id='shop'"),
    (np.zeros((20, 2), complex), TypeError, 'complex128'),
    ({'a': 1}, TypeError, 'dict'),
    ('nowhere.csv', OSError, 'nowhere.csv'),
])
def test_data_that_is_no_table_is_refused(data, error, sentence):
    with pytest.raises(error, match=sentence):
        Forecaster().fit(data)


@pytest.mark.parametrize('params, error, sentence', [
    ({'target': 'c'}, KeyError, 'c'),
    ({'target': 'a', 'past': 'a', 'fast': False}, ValueError, 'one role'),
    ({'pred_len': 0}, ValueError, 'pred_len'),
    ({'pred_len': '24h'}, TypeError, 'pred_len'),
    ({'pred_len': 2**64 + 3}, ValueError, 'pred_len'),
    ({'epoch': 3}, TypeError, "'epochs' is near"),
    ({'model': 'lstn'}, ValueError, 'lstm'),
    ({'dropout': 2}, ValueError, 'dropout'),
    ({'dim': 'wide'}, TypeError, 'dim'),
    ({'missing': 'drop'}, ValueError, 'missing'),
    ({'fast': True, 'model': 'gru'}, ValueError, 'fast'),
    ({'split': (1, 2)}, ValueError, 'split'),
])
def test_parameters_that_cannot_be_are_refused(params, error, sentence):
    with pytest.raises(error, match=sentence):
        Forecaster(**params).fit(DAYS)


def test_a_gap_is_named_by_a_model(hours):
    data = hours.copy()
    data.loc[500, 'v'] = np.nan
    with pytest.raises(ValueError, match='row 500, column "v"'):
        Forecaster().fit(data)


def test_calls_at_the_wrong_time_are_refused(tmp_path):
    with pytest.raises(fighter.StateError, match='fit'):
        Forecaster().predict()
    with pytest.raises(fighter.StateError, match='fast=False'):
        Forecaster().fit(DAYS).save(tmp_path / 'x.safetensors')
    for levels in (0, 0.8, [100]):
        with pytest.raises(ValueError, match='percent'):
            Forecaster().fit(DAYS).predict_intervals(levels=levels)
    with pytest.raises(ValueError, match='none is given'):
        Forecaster().fit(DAYS).predict_quantiles()
    with pytest.raises(ValueError, match='h:'):
        Forecaster().fit(DAYS).predict(0)


def test_single_wrong_values_are_left_out_with_a_warning(hours):
    data = hours.copy()
    data.loc[500, 'v'] = 1e6
    with pytest.warns(fighter.FighterWarning, match='row 500'):
        Forecaster('v', model='linear', pred_len=24, past=[]).fit(data)
    wild = DAYS.copy()
    wild.loc[250, 'a'] = 1e6
    with pytest.warns(fighter.FighterWarning, match='row 250'):
        Forecaster().fit(wild).predict()


def test_quantiles_without_the_median_are_said(hours):
    with pytest.warns(fighter.FighterWarning, match='0.5'):
        Forecaster('v', model='linear', quantiles=[0.1, 0.9], pred_len=24, past=[]).fit(hours)
