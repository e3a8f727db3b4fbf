/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FORECASTER_IMPL_H
#define FGTI_FORECASTER_IMPL_H

/* Letters: C targets, D = C + past columns, which are the model's input; K known values of each row: known
 * columns, then calendar, then holidays; L and H as in forecast.h. */

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
    fgt_scaler               *scaler; /* of the columns in `names` */
    fgti_strings              names;  /* targets, past columns, known columns */
    fgti_strings              form;   /* of a long file: names of its columns of series, times and, if there,
                                   values; empty: the rows came from no such file */
    fgt_days                 *holidays; /* NULL: none */
    fgti_real                *statics;  /* [C,S], features of the series; NULL: none */
    int64_t                  *counts;   /* [C], 1: the target has counts; NULL: no target has (counts.c) */
    fgt_forecaster_info       info;
    int64_t                   season; /* rows after which a missing value is likely to come again */
    int64_t                   batch;
    fgt_forecaster_workspace *lent;   /* fgt_forecaster_get_workspace() */
    fgt_forecaster_workspace *own;    /* `lent` while it has memory, else NULL */
    fgti_passes               passes; /* of forecasts and errors */
    bool                      exact;  /* forecasts and errors use the model's own workspace instead */
    struct fgt_calibration   *kept;   /* errors that go with the file; NULL: none (kept_errors.c) */
};

static inline int64_t fgti_forecaster_inputs(const fgt_forecaster *f)
{
    return f->info.columns + f->info.past;
}

/* How many numbers the model has for each step and target: 1, or Q quantiles. */
static inline int64_t fgti_forecaster_heads(const fgt_forecaster *f)
{
    return f->info.quantile_count ? f->info.quantile_count : 1;
}

/* Names of the model's further inputs with info.cycles: ids of the last row of the window. */
#define FGTI_TIME_OF_DAY "time_of_day" /* [B,1] */
#define FGTI_DAY_OF_WEEK "day_of_week" /* [B,1] */
/* Name of the model's further input with info.mask: 1 where series had no value. */
#define FGTI_MISSING "missing" /* [B,L,D] */
/* Names of the model's further inputs if K > 0. */
#define FGTI_KNOWN_BEFORE "known_before" /* [B,L,K] */
#define FGTI_KNOWN        "known"        /* [B,H,K] */

#endif
