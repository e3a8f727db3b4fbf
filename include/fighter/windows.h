/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_WINDOWS_H
#define FIGHTER_WINDOWS_H

/** @file windows.h
 *  Samples from a series: an input of L rows and the H rows that follow it.
 *
 *      fgt_windows_create(ctx, FGT_VIEW(series, rows, columns), &opts, &windows);
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Sliding windows over a series: an input of L rows and the H rows that follow it. */
typedef struct fgt_windows fgt_windows;

typedef struct fgt_windows_opts {
    size_t         size;
    const int64_t *targets;      /**< columns to predict; NULL: all */
    int64_t        target_count; /**< number of targets; 0 with targets NULL */
    int64_t        input_len;    /**< L, at least 1; no default */
    int64_t        pred_len;     /**< H, at least 1; no default */
    int64_t        stride;       /**< rows from one window to the next; 0: 1 */
    int64_t        begin;        /**< first row */
    int64_t        end;          /**< row after the last one; 0: all rows */
    int32_t        reach_back;   /**< 0: whole windows lie inside begin .. end-1. 1, for validation and test:
                                      only the targets lie inside, and inputs may start up to L rows
                                      earlier */
    int32_t        reserved;
} fgt_windows_opts;

/** Describes the windows of a series; fgt_windows_copy_samples() copies them. Window i has the input rows t-L
 *  .. t-1 and the target rows t .. t+H-1, where t = t0 + i stride. t0 is begin + L, or max(begin, L) with
 *  reach_back.
 *  Source   Time-Series-Library, data_provider/data_loader.py
 *  Shapes   series [R,C] of F32 or F64
 *  Units    usually standard deviations (fgt_scaler_transform())
 *  Owner    F32: the series is borrowed until fgt_windows_destroy(); F64: copied as F32. targets are copied;
 *           *windows is the caller's
 *  Errors   FGT_E_ARG NULL, a length < 1, not 0 <= begin < end <= R, a target out of range; FGT_E_SHAPE;
 *           FGT_E_DATA not a single window fits, a value of F64 is beyond float32; FGT_E_VERSION;
 *           FGT_E_NOMEM. On error *windows is NULL */
FGT_API FGT_MUST fgt_status fgt_windows_create(fgt_context *ctx, const fgt_view *series,
                                               const fgt_windows_opts *opts, fgt_windows **windows);

/** Destroys windows and sets *windows to NULL.
 *  Owner    takes *windows */
FGT_API void fgt_windows_destroy(fgt_windows **windows);

/** Number of windows.
 *  Units    windows
 *  Errors   none; NULL has 0
 *  Threads  any */
FGT_API int64_t fgt_windows_count_samples(const fgt_windows *windows);

/** Copies a batch. A missing value becomes 0 in x, which is the mean of a standardised series, and
 *  stays NaN in y, where losses and metrics skip it.
 *  Shapes   index [B]: numbers of windows, B = count; x [B,L,C], y [B,H,targets], both F32; y may be NULL
 *  Units    as the series
 *  Cost     one copy; nothing is allocated
 *  Errors   FGT_E_ARG NULL, an index out of range; FGT_E_SHAPE. On error x and y are untouched */
FGT_API FGT_MUST fgt_status fgt_windows_copy_samples(const fgt_windows *windows, const int64_t *index,
                                                     int64_t count, const fgt_view *x, const fgt_view *y);

#ifdef __cplusplus
}
#endif
#endif
