/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LINEAR_MAP_H
#define FGTI_LINEAR_MAP_H

/* An affine map from L rows of a series to the H rows after them, in closed form: the weighted mean of
 * several linear regressions, which is an affine map again. */

#include "forecast/linear/linear_forms.h"

/* What is added to the forecasts of the targets. */
typedef struct fgti_past_map {
    int64_t lags;   /* K: the last rows of the window, which it reads; 0: there are no past columns, or too
                       many */
    double *weight; /* [H,T,K,C] */
    double *bias;   /* [H,T] */
} fgti_past_map;

typedef struct fgti_linear_map {
    int64_t       maps;   /* 1, or the number of series; 0: no training window, or too long ones */
    double       *weight; /* [maps,H,L] */
    double       *bias;   /* [maps,H] */
    double       *share;  /* [C]: of the effect that is taken off */
    fgti_past_map past;
} fgti_linear_map;

typedef struct fgti_linear_task {
    const float *series; /* [rows,C], standardised; NaN is a missing value */
    const float *effect; /* [rows,C]: of what is known of the rows, as training shows it; NULL: nothing is */
    const float *effect_of_all; /* [rows,C]: as rows train_begin .. end-1 show it */
    bool         divisible;     /* a share of the effect may be taken off; else all of it is */
    int64_t      rows, columns;
    int64_t      targets;                /* T: the first columns; all others are past columns. 0: C */
    int64_t      wide;                   /* C or more: from one row to the next, of both */
    int64_t      lags, steps;            /* L, H */
    int64_t      train_begin, train_end; /* rows of the windows of training */
    int64_t      val_begin, val_end;     /* rows of the targets of validation */
    int64_t      end; /* the chosen regressions are solved on rows train_begin .. end-1: train_end or more */
    int64_t      season;                 /* rows after which values are likely to come again; 0: none */
} fgti_linear_task;

/* The map of a series x reads x - s e and forecasts it, with e the effect and s the share of it that is
 * taken off. Short gaps have the values of a season before; where that leaves less than a tenth of the
 * windows without gaps, all gaps between two values have these, or the last value. The forms of
 * linear_forms.h are solved on the training rows by normal equations, in double, and tested on the
 * validation rows. With fewer than 12 horizons there, they are solved on two thirds of the training rows,
 * and tested on the last third as well. Each series has a map of its own, unless there is one series or
 * the maps would be too large:
 *
 *     W = sum_i w_i W_i,  w_i = p_i exp(-(E_i / min_j E_j - 1) n / 4) / sum of the same over i
 *
 * E_i is the squared error of form i in the tests. n is how often the horizon goes into them, at most 75.
 * p_i is the length of the form's window over L, or 1 for a form without weights. Then the forms are
 * solved once more, on the rows up to `end`. W has the probability of gain.h as its share, and the last
 * value the rest, so that nothing is foretold of a random walk. Without tests the last value has all. Of
 * a series that has less than half of the training rows, and no horizon of tests, the others tell the
 * weights and that share; where there is an effect, W repeats its last season.
 *
 * s is the mean of 0 .. 1 with the weights exp(-(E(s) / min E - 1) 30 n), n at most 30. E(s) are straight
 * lines between the errors of one regression with s = 0, 1/2 and 1. Where the effect is not divisible, s is
 * 1, but for series that have less than half of the training rows: without tests these have s = 0.
 *
 * Past columns add to the forecast of a target what the last K = 64 rows of them and of the target tell of
 * the errors of its map, by regressions on the newest K, K/4, K/16, ... rows. These are mixed as above, with
 * p_i = 1. Of that step h has the share s_h p. s_h has the least squared error in the tests, within 0 .. 1,
 * and p is the probability of gain.h that this gains more than chance. K is less where windows are
 * shorter, or where 64 rows would be more than 1024 numbers, or have more than 2^24 weights H T C K, and 0
 * where one row has.
 *
 * fgti_linear_map_done() is due even after an error. FGT_E_NOMEM. */
fgt_status fgti_linear_map_fit(fgt_context *ctx, const fgti_linear_task *task, fgti_linear_map *map);
void       fgti_linear_map_done(fgt_context *ctx, fgti_linear_map *map);

#endif
