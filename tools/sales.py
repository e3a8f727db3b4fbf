#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes made hourly sales of a shop, for demonstrations: usage sales.py > FILE.csv

Two years with a daily, a weekly and a yearly rhythm. Each fifth week or so the price is cut for four days,
and sales rise; on holidays they fall. The counter fails now and then, for an hour or for most of a day: then
cells are empty. Of the last two days only price and holidays are known. Always the same numbers.
"""

import datetime
import math
import random

DAYS = 730
FUTURE = 2
# month and day, of any year
HOLIDAYS = {(1, 1), (5, 1), (10, 3), (12, 25), (12, 26)}
FAILURES = 60


def rhythm(hour):
    """Sales of a usual hour: open from 7 to 21, busy before noon and after work, more so on Saturdays."""
    h = hour.hour
    if h < 7 or h > 21:
        return 0.0
    day = 40 * math.exp(-((h - 11) / 2.5) ** 2) + 55 * math.exp(-((h - 17.5) / 2.2) ** 2) + 12
    week = [0.9, 0.85, 0.9, 1.0, 1.2, 1.5, 0.4][hour.weekday()]
    return day * week * (1 + 0.15 * math.cos(2 * math.pi * (hour.timetuple().tm_yday - 350) / 365.25))


def cut_days(draw):
    """Days on which the price is cut."""
    days, at = set(), 0
    while at < DAYS:
        at += draw.randint(20, 50)
        days.update(range(at, at + 4))
    return days


def failed_hours(draw):
    """Hours of which nobody knows the sales."""
    hours = set()
    for _ in range(FAILURES):
        at = draw.randrange((DAYS - 10) * 24)
        hours.update(range(at, at + draw.choice([1, 1, 2, 18])))
    return hours


def main():
    draw = random.Random(1)
    cuts, failed = cut_days(draw), failed_hours(draw)
    level = 0.0
    start = datetime.datetime(2024, 1, 1)
    print('time,sales,price,holiday')
    for t in range(DAYS * 24):
        hour = start + datetime.timedelta(hours=t)
        cut = t // 24 in cuts
        holiday = (hour.month, hour.day) in HOLIDAYS
        # customers come and stay away for days: a first-order process with a standard deviation of 0.1
        level = 0.98 * level + draw.gauss(0, 0.02)
        usual = rhythm(hour) * (1 + level) * (1.6 if cut else 1) * (0.3 if holiday else 1)
        sales = f'{max(0.0, usual + draw.gauss(0, 1 + 0.05 * usual)):.1f}'
        if t in failed or t >= (DAYS - FUTURE) * 24:
            sales = ''
        print(f'{hour:%Y-%m-%d %H:%M}', sales, '1.59' if cut else '1.99', int(holiday), sep=',')


if __name__ == '__main__':
    main()
