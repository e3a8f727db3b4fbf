/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LINEAR_FORMS_H
#define FGTI_LINEAR_FORMS_H

/* The linear maps that a forecast is the mean of, and their errors. */

#include "forecast/linear/ridge.h"

/* At most: lengths of windows, L, L/2, L/4, ...; and forms, two of each length, of each length in periods, of
 * one period, and without weights. */
enum { FGTI_LENGTHS = 5, FGTI_FORMS = 4 * FGTI_LENGTHS + 4 };

typedef struct fgti_form {
    fgti_linear_choice choice;
    bool               solved;
    double            *weight; /* [l,H] */
    double            *bias;   /* [H] */
} fgti_form;

typedef struct fgti_forms {
    int64_t   lags, steps; /* L, H */
    int64_t   count;       /* K */
    fgti_form form[FGTI_FORMS];
} fgti_forms;

/* The maps of one series, or those that all series share. period: rows of one; 0: none. */
fgt_status fgti_forms_new(fgt_context *ctx, int64_t lags, int64_t steps, int64_t period, bool each,
                          fgti_forms *f);
/* Maps that read `wide` numbers of each row, which are neighbours: of all rows, the newest quarter of them, a
 * quarter of these, ... L is rows * wide. */
fgt_status fgti_forms_new_rows(fgt_context *ctx, int64_t rows, int64_t wide, int64_t steps, fgti_forms *f);
void       fgti_forms_done(fgt_context *ctx, fgti_forms *f);

/* Finds all of them. scratch: of windows as long as those of m. */
void fgti_forms_solve(fgti_forms *f, const fgti_moments *m, fgti_ridge *scratch);

/* error[i] = sum of e'e over windows, with e = y - W'x - b the residual of form i; infinite: it has no
 * solution. scratch: weight and bias are written over. */
void fgti_forms_test(const fgti_forms *f, const fgti_moments *m, fgti_ridge *scratch, double *error);

/* weight[i] p_i becomes the share of form i in their mean, with p_i what it is before:
 *
 *     w_i = p_i exp(-(E_i / min_j E_j - 1) n / 4) / sum of the same over i
 *
 * E_i is the squared error in the tests, whose windows have `inputs` numbers before the targets. n: horizons
 * in the tests, of which at most 75 count. False: no form has a solution. */
bool fgti_forms_weigh(const fgti_moments *test, int64_t inputs, const double *error, int64_t count, double n,
                      double *weight);

/* weight [H,L] += share of the map, bias [H] as well. */
void fgti_form_add(const fgti_forms *f, int64_t i, double share, double *weight, double *bias);

#endif
