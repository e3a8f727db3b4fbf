#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a made hourly series, which tests train on: usage series.py > FILE.csv

The shape of ETTh1: 17420 rows, six loads with a daily and a weekly rhythm, and a temperature that
follows them slowly. Always the same numbers.
"""

import datetime
import math
import random

ROWS = 17420
NAMES = ['HUFL', 'HULL', 'MUFL', 'MULL', 'LUFL', 'LULL']


def main():
    draw = random.Random(1)
    noise = [0.0] * len(NAMES)
    temperature = 20.0
    hour = datetime.datetime(2016, 7, 1)
    print('date', *NAMES, 'OT', sep=',')
    for t in range(ROWS):
        day, week, year = (2 * math.pi * t / n for n in (24, 168, 8766))
        loads = []
        for i in range(len(NAMES)):
            # a first-order process: hours of memory, standard deviation about 1
            noise[i] = 0.9 * noise[i] + draw.gauss(0, 0.44)
            daily = (3 - 0.3 * i) * math.sin(day - 0.4 * i) + 0.8 * math.sin(2 * day + i)
            loads.append(6 - i + daily + 0.7 * math.sin(week + i) + noise[i])
        season = 18 + 9 * math.sin(year) + 2 * math.sin(day - 2)
        temperature += 0.05 * (season + 0.3 * loads[0] - temperature) + draw.gauss(0, 0.25)
        print(hour, *(f'{x:.4f}' for x in loads), f'{temperature:.4f}', sep=',')
        hour += datetime.timedelta(hours=1)


if __name__ == '__main__':
    main()
