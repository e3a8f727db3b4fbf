/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGT_TEST_INTERVALS_H
#define FGT_TEST_INTERVALS_H

#include <fighter/experimental/evaluate.h>

static fgt_status judge_intervals(fgt_forecaster *f, const fgt_table *t, int64_t begin, int64_t end,
                                  const double *levels, int64_t count, fgt_interval_metric *metrics,
                                  const fgt_view *by_step)
{
    const fgt_forecast_interval_opts o = {
        .size = sizeof o, .begin = begin, .end = end, .levels = levels, .level_count = count};
    return fgt_forecaster_evaluate_intervals(f, t, &o, metrics, by_step);
}

#endif
