/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FORECASTER_IMPL_H
#define FGTI_FORECASTER_IMPL_H

/* Letters: C targets; D = C + number of past columns, the width of the model's input; K known values of each
 * row: first the known columns, then the calendar, then the holidays. L and H are as in forecast.h. */

#include <fighter/forecast.h>

#include "core/context.h"
#include "core/opts.h"
#include "core/strings/list.h"
#include "core/tensor.h"
#include "data/scaler.h"
#include "data/store/store_cache.h"
#include "model/predictor/passes.h"

enum { FGTI_TOKENS_COUNT = 3 }; /* number of enumerators of fgt_tokens; recipe.c asserts it */

struct fgt_forecaster {
    fgt_context              *ctx;
    fgt_model                *model;
    fgt_scaler               *scaler;   /* of the columns in `names` */
    fgti_strings              names;    /* targets, past columns, known columns */
    fgti_strings              form;     /* of a long file: names of its columns of series, times and, if there
                                         is one, values; empty: the rows are not from a long file */
    fgt_days                 *holidays; /* NULL: none */
    fgti_real                *statics;  /* [C,S], features of the series; NULL: none */
    int64_t                  *counts;   /* [C], 1: the target has counts; NULL: no target has (counts.c) */
    fgt_forecaster_info       info;
    int64_t                   season; /* rows after which a missing value is likely to come again */
    int64_t                   batch;
    fgt_forecaster_workspace *lent;   /* fgt_forecaster_get_workspace() */
    fgt_forecaster_workspace *own;    /* `lent` while it has memory, otherwise NULL */
    fgti_passes               passes; /* of forecasts and errors */
    bool                      exact;  /* forecasts and errors use the model's own workspace */
    struct fgt_calibration   *kept;   /* errors saved with the forecaster (kept_errors.c); NULL: no errors */
};

static inline int64_t fgti_forecaster_inputs(const fgt_forecaster *f)
{
    return f->info.columns + f->info.past;
}

/* The number of outputs that the model has for each step and target: 1, or Q quantiles. */
static inline int64_t fgti_forecaster_heads(const fgt_forecaster *f)
{
    return f->info.quantile_count ? f->info.quantile_count : 1;
}

/* Names of two further inputs of the model, if info.cycles is set: ids of the time of the window's last
 * row. */
#define FGTI_TIME_OF_DAY "time_of_day" /* [B,1] */
#define FGTI_DAY_OF_WEEK "day_of_week" /* [B,1] */
/* Name of a further input of the model, if info.mask is set: 1 where a series has no value. */
#define FGTI_MISSING "missing" /* [B,L,D] */
/* Names of two further inputs of the model, if K > 0: known values of the window and of the forecast. */
#define FGTI_KNOWN_BEFORE "known_before" /* [B,L,K] */
#define FGTI_KNOWN        "known"        /* [B,H,K] */

#endif
