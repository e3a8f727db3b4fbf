/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_STATICS_H
#define FGTI_STATICS_H

/* Features of the series that do not change with time. */

#include "forecast/forecaster_impl.h"

/* Name of the model's further input for static features. The shape of this input is [B,C,1,S], whether tokens
 * are patches or variates. So forecasters with patches and forecasters with variates can be members of one
 * mean (fit/members.c). In older files the shape with variates is [B,C,S]. */
#define FGTI_STATIC "static"

/* Finds the rows of the series by their labels and writes out [C,S]. Each feature has mean 0 and deviation 1
 * over the series. The caller frees *out, which is NULL without features. */
fgt_status fgti_statics_read(fgt_context *ctx, const fgt_table *features, const fgti_strings *names,
                             int64_t targets, fgti_real **out);
/* Writes a copy of the features for each of n windows. */
void fgti_statics_repeat(const fgt_forecaster *f, int64_t n, float *out);

#endif
