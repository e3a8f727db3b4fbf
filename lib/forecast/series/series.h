/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SERIES_H
#define FGTI_SERIES_H

/* The series of a table, each with its own beginning, end and step. series.c finds them, series_forecast.c
 * forecasts them. */

#include <fighter/experimental/series.h>

#include "core/context.h"

typedef struct fgti_one_series {
    fgt_series_info info;
    fgt_table      *own; /* the table of its own step; NULL: it has the step of the table */
} fgti_one_series;

struct fgt_series {
    fgt_context      *ctx;
    int64_t           count, groups, main; /* main: the group with the most series */
    fgti_one_series  *one;                 /* [count] */
    fgt_series_group *group;               /* [groups] */
};

#endif
