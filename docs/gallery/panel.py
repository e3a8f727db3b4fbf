# SPDX-License-Identifier: BSD-3-Clause
"""Many short series: a year of forecasts for each of 40 products, without training.

Each product has a trend, a season and a beginning of its own. A frame in long form has a row for each
month of each product. A backtest shows how good the forecasts would have been in the last three years.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from fighter import Forecaster

rng = np.random.default_rng(2)
parts = []
for i in range(40):
    months = pd.date_range(f'{2014 + i % 5}-01-01', '2024-12-01', freq='MS')
    t = np.arange(len(months))
    level = rng.uniform(50, 500) * np.exp(rng.normal(0, .004) * t)
    season = 1 + rng.uniform(.05, .4) * np.sin(2 * np.pi * (t + rng.integers(12)) / 12)
    parts.append(pd.DataFrame({'product': f'product {i:02}', 'month': months,
                               'sold': level * season * rng.lognormal(0, .08, len(t))}))
frame = pd.concat(parts)

model = Forecaster(id='product', value='sold').fit(frame)
forecast = model.predict_intervals(levels=[80])
result = model.backtest(frame, origins=3)
wape = 100 * result.overall['wape']
print(f'{len(frame)} rows of 40 products; WAPE from three past origins {wape:.1f} %')

figure, axes = plt.subplots(2, 2, figsize=(9, 5), layout='constrained')
for one, name in zip(axes.flat, ['product 00', 'product 13', 'product 27', 'product 39']):
    past, ahead = frame[frame['product'] == name].iloc[-48:], forecast[forecast['product'] == name]
    one.plot(past['month'], past['sold'], color='black')
    one.fill_between(ahead['month'], ahead['sold-lo-80'], ahead['sold-hi-80'], color='tab:blue', alpha=.3)
    one.plot(ahead['month'], ahead['sold'], color='tab:blue')
    one.set_title(name, fontsize='medium')
figure.savefig('panel.svg')
