#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does a job of `bench --case jobs` with a library that its users would take, for compare_jobs.py.

usage: job_peers.py PEER JOB FOLDER DATA        one thread; prints an object of JSON

PEER is one of PEERS below. FOLDER has the files that the benchmark made, DATA the public sets. An error is
the mean absolute error over the mean of the truth for stores and months, the mean squared error of
standardised values for the other series; `accuracy` is a share of test texts.
"""

import csv
import gzip
import json
import sys
import tempfile
from pathlib import Path

SERIES = {'job-etth1-96': ('ETTh1', 96), 'job-ettm1-192': ('ETTm1', 192), 'job-weather-192': ('Weather', 192)}
PANELS = {'job-stores': ('stores', 'store', 'date', 'sales', 28, 7, 'D'),
          'job-monthly': ('monthly', 'series', 'month', 'value', 12, 12, 'MS')}


def show(result):
    print(json.dumps(result))


# ---- LightGBM ----

def boost_series(job, data):
    """All windows of a set, as compare_forecasts.py does it."""
    import boosting
    from compare_forecasts import SETS
    name, horizon = SERIES[job]
    what = SETS[name]
    got = boosting.run(Path(data) / what['file'], what['split'], max(96, horizon), horizon, 1, 1)
    show({'error': got['test_mse'], 'version': got['version'].split(',', maxsplit=1)[0]})


def lag_features(frame, key, value, horizon, season):
    """Of each row values at least `horizon` rows before it, so that one model forecasts all steps."""
    group = frame.groupby(key, observed=True)[value]
    step = -(-horizon // season) * season
    year = 364 if season == 7 else 24
    for lag in sorted({horizon, horizon + 1, horizon + 2, step, step + season, step + 2 * season, year}):
        frame[f'lag{lag}'] = group.shift(lag)
    for rows in (season, 4 * season):
        frame[f'mean{rows}'] = group.transform(
            lambda x, n=rows: x.shift(horizon).rolling(n, min_periods=1).mean())
    return frame


def boost_panel(job, folder):
    """One model of all series: lags and means of at least the horizon ago, the calendar and the series."""
    import lightgbm
    import numpy as np
    import pandas as pd
    name, key, when, value, horizon, season, _ = PANELS[job]
    known, truth = (pd.read_csv(Path(folder) / f'{name}{part}.csv') for part in ('', '-truth'))
    for frame in (known, truth):
        frame[when] = pd.to_datetime(frame[when])
    rows = pd.concat([known.assign(known=True), truth.assign(known=False)]).sort_values([key, when])
    scale = known.groupby(key)[value].mean()
    rows['y'] = rows[value].where(rows['known']) / rows[key].map(scale)
    rows = lag_features(rows, key, 'y', horizon, season)
    rows['of'] = rows[key].astype('category')
    date = rows[when].dt
    rows['of weekday'], rows['of month'], rows['of day'] = date.weekday, date.month, date.dayofyear
    columns = [c for c in rows if c.startswith(('lag', 'mean', 'of'))]
    train = rows[rows['known'] & rows[f'lag{horizon}'].notna()]
    late = train[when] > train[when].max() - pd.Timedelta(days=28 if season == 7 else 365)
    sets = [lightgbm.Dataset(part[columns], part['y']) for part in (train[~late], train[late])]
    model = lightgbm.train({'objective': 'regression', 'learning_rate': 0.05, 'num_leaves': 31,
                            'verbosity': -1, 'num_threads': 1}, sets[0], 500, valid_sets=[sets[1]],
                           callbacks=[lightgbm.early_stopping(30, verbose=False)])
    future = rows[~rows['known']]
    forecast = model.predict(future[columns]) * future[key].map(scale)
    error = np.abs(forecast - future[value]).mean() / future[value].mean()
    show({'error': error, 'version': f'LightGBM {lightgbm.__version__}'})


def lightgbm_job(job, folder, data):
    if job in SERIES:
        boost_series(job, data)
    else:
        boost_panel(job, folder)


# ---- statsforecast ----

def statsforecast_job(job, folder, _):
    """AutoETS, a model of each series."""
    import pandas as pd
    import statsforecast
    from statsforecast.models import AutoETS
    name, key, when, value, horizon, season, freq = PANELS[job]
    names = {key: 'unique_id', when: 'ds', value: 'y'}
    known, truth = (pd.read_csv(Path(folder) / f'{name}{part}.csv').rename(columns=names)
                    for part in ('', '-truth'))
    for frame in (known, truth):
        frame['ds'] = pd.to_datetime(frame['ds'])
    engine = statsforecast.StatsForecast([AutoETS(season_length=season)], freq, n_jobs=1)
    got = engine.forecast(df=known, h=horizon).merge(truth, on=['unique_id', 'ds'])
    error = (got['AutoETS'] - got['y']).abs().mean() / got['y'].mean()
    show({'error': error, 'version': f'statsforecast {statsforecast.__version__} AutoETS'})


# ---- fastText ----

def labelled(path):
    """Classes and texts of a file, cut into words as the library does it."""
    from compare_fasttext import words
    opened = gzip.open if path.suffix == '.gz' else open
    with opened(path, 'rt', encoding='utf-8', errors='replace', newline='') as file:
        rows = csv.reader(file)
        if path.suffix != '.gz':
            next(rows)
        for row in rows:
            yield f'__label__{row[0]}', ' '.join(words(' '.join(row[1:]), False))


def best(model, text):
    """The likeliest class and its share: predict() itself does not work with numpy 2."""
    share, label = model.f.predict(text + '\n', 1, 0.0, 'strict')[0]
    return label, share


def fasttext_job(job, folder, data):
    import fasttext
    fasttext.FastText.eprint = lambda *_: None
    folder, data = Path(folder), Path(data)
    train, test = {
        'job-news': (data / 'ag_news_train_subset.csv.gz', data / 'ag_news_test.csv.gz'),
    }.get(job, (folder / 'spam.csv', folder / 'spam-test.csv'))
    if job == 'job-texts':
        model = fasttext.load_model(str(folder / 'spam.fasttext'))
        with open(folder / 'texts.csv', encoding='utf-8') as texts, \
                open(folder / 'texts-fasttext.csv', 'w', encoding='utf-8') as out:
            next(texts)
            for text in texts:
                print(*best(model, text.rstrip('\n')), sep=',', file=out)
        show({'version': 'fastText 0.9.2'})
        return
    with tempfile.NamedTemporaryFile('w', suffix='.txt', encoding='utf-8') as file:
        for label, text in labelled(train):
            print(label, text, file=file)
        file.flush()
        model = fasttext.train_supervised(file.name, dim=32, epoch=5, lr=0.25, wordNgrams=2, thread=1,
                                          verbose=0)
    rows = list(labelled(test))
    right = sum(best(model, text)[0] == label for label, text in rows)
    if job == 'job-spam':
        model.save_model(str(folder / 'spam.fasttext'))
    show({'accuracy': right / len(rows), 'version': 'fastText 0.9.2'})


# ---- DuckDB and pandas ----

def duckdb_job(_, folder, __):
    import duckdb
    base = duckdb.connect()
    base.execute('SET threads = 1')
    base.execute(f"COPY (SELECT * FROM read_csv('{folder}/wide.csv')) TO '{folder}/wide.parquet'")
    show({'version': f'DuckDB {duckdb.__version__}, to Parquet'})


def pandas_job(_, folder, __):
    import pandas
    with open(f'{folder}/wide.f32', 'wb') as out:
        for part in pandas.read_csv(f'{folder}/wide.csv', chunksize=100_000, parse_dates=['time']):
            part.drop(columns='time').to_numpy('float32').tofile(out)
    show({'version': f'pandas {pandas.__version__}, to raw floats'})


PEERS = {'lightgbm': (lightgbm_job, {*SERIES, *PANELS}),
         'statsforecast': (statsforecast_job, {'job-monthly'}),
         'fasttext': (fasttext_job, {'job-news', 'job-spam', 'job-texts'}),
         'duckdb': (duckdb_job, {'job-convert'}),
         'pandas': (pandas_job, {'job-convert'})}


def main():
    if len(sys.argv) != 5 or sys.argv[1] not in PEERS:
        sys.exit(__doc__)
    PEERS[sys.argv[1]][0](*sys.argv[2:])


if __name__ == '__main__':
    main()
