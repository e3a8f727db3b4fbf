/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TRACKED_H
#define FGTI_TRACKED_H

#include <fighter/analysis.h>
#include <fighter/experimental/tracker.h>
#include <stdbool.h>

#include "model/pass/values.h"
#include "nn/layer.h"

/* A recorded number; `layer` is an index of fgt_tracker.layer. */
typedef struct fgti_tracked {
    int64_t epoch, step, head, power;
    double  value;
    int32_t layer, statistic;
} fgti_tracked;

struct fgt_tracker {
    fgt_model       *model;
    fgt_context     *ctx;
    fgt_tracker_opts opts;
    char           **layer; /* names */
    int64_t          layers;
    fgt_view         x, y;   /* input and output of the tracker's own passes; data NULL: the host makes
                                them */
    fgti_values      values; /* values of its own passes */
    fgti_tracked    *row;
    int64_t          rows, capacity;
    bool             within; /* the last record is from a step within an epoch, not from its end */
};

#endif
