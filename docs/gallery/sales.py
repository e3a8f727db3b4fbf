# SPDX-License-Identifier: BSD-3-Clause
"""Sales of a shop: a forecast with intervals, from prices that are known in advance.

Two years of daily sales depend on the day of the week, the season and the price. The prices of the next
four weeks are known. The forecaster reads them, and intervals show how far the sales may be from the
forecast.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from fighter import Forecaster

rng = np.random.default_rng(1)
days = pd.date_range('2024-01-01', periods=758, freq='D')
price = np.where(rng.random(758) < 0.15, 3.99, 4.99)
level = 200 + 40 * np.sin(2 * np.pi * np.arange(758) / 365) + 50 * (np.arange(758) % 7 >= 5)
sold = np.maximum(np.round(level * (4.99 / price) ** 1.8 + rng.normal(0, 15, 758)), 0)
sales = pd.DataFrame({'day': days, 'sold': sold, 'price': price})
sales.loc[730:, 'sold'] = np.nan # the last 28 days lie ahead

model = Forecaster('sold', known='price', pred_len=28, missing='mask')
forecast = model.fit(sales).predict_intervals(levels=[80, 95])
truth = sold[730:758]
error = np.abs(forecast['sold'] - truth).mean()
inside = ((truth >= forecast['sold-lo-80']) & (truth <= forecast['sold-hi-80'])).mean()
print(f'mean absolute error {error:.1f} of {truth.mean():.0f} sold a day; '
      f'{100 * inside:.0f} % of the days lie in the interval of 80 %')

figure, axes = plt.subplots(figsize=(9, 4), layout='constrained')
axes.plot(days[660:730], sold[660:730], color='black', label='sold')
axes.plot(days[730:], truth, color='black', linestyle=':', label='sold later')
axes.fill_between(forecast['day'], forecast['sold-lo-95'], forecast['sold-hi-95'], color='tab:blue',
                  alpha=.15, label='95 %')
axes.fill_between(forecast['day'], forecast['sold-lo-80'], forecast['sold-hi-80'], color='tab:blue',
                  alpha=.3, label='80 %')
axes.plot(forecast['day'], forecast['sold'], color='tab:blue', label='forecast')
axes.set_ylabel('sold a day')
axes.legend(ncols=5, loc='lower left')
figure.savefig('sales.svg')
