/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_SCALER_H
#define FIGHTER_SCALER_H

/** @file scaler.h
 *  Standardisation: z = (x - mean) / scale, column by column.
 *
 *      fgt_scaler_create(ctx, columns, &scaler);
 *      fgt_scaler_fit(scaler, &values, split.train_begin, split.train_end);
 *      fgt_scaler_transform(scaler, &values, FGT_VIEW(series, rows, columns));
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** z = (x - mean) / scale, column by column. */
typedef struct fgt_scaler fgt_scaler;

/** Makes a scaler that changes nothing: mean 0, scale 1.
 *  Shapes   columns: C >= 1
 *  Owner    *scaler is the caller's
 *  Errors   FGT_E_ARG NULL, columns < 1; FGT_E_SIZE; FGT_E_NOMEM. On error *scaler is NULL */
FGT_API FGT_MUST fgt_status fgt_scaler_create(fgt_context *ctx, int64_t columns, fgt_scaler **scaler);

/** Destroys a scaler and sets *scaler to NULL.
 *  Owner    takes *scaler */
FGT_API void fgt_scaler_destroy(fgt_scaler **scaler);

/** Computes mean and population standard deviation of each column in rows begin .. end-1, without NaN values.
 *  A constant column gets scale 1. A column counts as constant if its deviation may come from rounding, that
 *  is up to n |mean| 2^-52 for n rows.
 *  Source   as StandardScaler of scikit-learn
 *  Shapes   values [R,C] of F32 or F64
 *  Units    as the values
 *  Cost     two passes over the rows, sums in double
 *  Errors   FGT_E_ARG NULL, not 0 <= begin < end <= R; FGT_E_SHAPE not [R,C]; FGT_E_DATA an infinite
 *           value, values whose squares add up to infinity, or a column without any value; FGT_E_NOMEM. On
 *           error the scaler is as before */
FGT_API FGT_MUST fgt_status fgt_scaler_fit(fgt_scaler *scaler, const fgt_view *values, int64_t begin,
                                           int64_t end);

/** out = (in - mean) / scale. NaN stays NaN.
 *  Shapes   in, out: views of the same shape with last axis C, each of F32 or F64; out may be in
 *  Units    in: as given to fgt_scaler_fit(); out: standard deviations
 *  Errors   FGT_E_ARG NULL; FGT_E_SHAPE */
FGT_API FGT_MUST fgt_status fgt_scaler_transform(const fgt_scaler *scaler, const fgt_view *in,
                                                 const fgt_view *out);

/** The inverse of fgt_scaler_transform(): out = in * scale + mean.
 *  Shapes   as fgt_scaler_transform()
 *  Units    in: standard deviations; out: as given to fgt_scaler_fit()
 *  Errors   FGT_E_ARG NULL; FGT_E_SHAPE */
FGT_API FGT_MUST fgt_status fgt_scaler_inverse_transform(const fgt_scaler *scaler, const fgt_view *in,
                                                         const fgt_view *out);

/** Gets the means and the scales of all columns. Scales are above 0.
 *  Shapes   *mean and *scale become F64 [C]
 *  Units    as given to fgt_scaler_fit()
 *  Owner    both are the scaler's, to be read only, valid until the scaler is destroyed; either may be NULL
 *  Errors   FGT_E_ARG scaler is NULL
 *  Threads  any */
FGT_API FGT_MUST fgt_status fgt_scaler_get_moments(const fgt_scaler *scaler, fgt_view *mean, fgt_view *scale);

/** Sets means and scales, for example from a file, or some columns of another scaler.
 *  Shapes   mean, scale [C] of F32 or F64
 *  Units    the unit of the values that will be transformed
 *  Owner    copied
 *  Errors   FGT_E_ARG NULL; FGT_E_SHAPE; FGT_E_DATA a number that is not finite, or a scale that is not above
 *           0. On error the scaler is as before */
FGT_API FGT_MUST fgt_status fgt_scaler_set_moments(fgt_scaler *scaler, const fgt_view *mean,
                                                   const fgt_view *scale);

#ifdef __cplusplus
}
#endif
#endif
