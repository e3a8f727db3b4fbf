/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LINEAR_FORMS_H
#define FGTI_LINEAR_FORMS_H

/* The linear maps whose weighted mean is a forecast, and the errors of these maps. */

#include "forecast/linear/ridge.h"

/* Upper limits. FGTI_LENGTHS: lengths of windows, L, L/2, L/4, ... FGTI_FORMS: maps, namely two for each
 * length, two for each length in periods, two for one period, and two without weights. */
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

/* Makes the maps of one series (each), or the maps that all series share. period: rows of one period; 0: the
 * series has no period. */
fgt_status fgti_forms_new(fgt_context *ctx, int64_t lags, int64_t steps, int64_t period, bool each,
                          fgti_forms *f);
/* Makes maps that read `wide` neighbouring numbers of each row. The first map reads all rows, the next one
 * the newest quarter of the rows, the next one a quarter of these, and so on. L is rows * wide. */
fgt_status fgti_forms_new_rows(fgt_context *ctx, int64_t rows, int64_t wide, int64_t steps, fgti_forms *f);
void       fgti_forms_done(fgt_context *ctx, fgti_forms *f);

/* Solves all forms. scratch: memory for windows as long as the windows of m. */
void fgti_forms_solve(fgti_forms *f, const fgti_moments *m, fgti_ridge *scratch);

/* Computes error[i], the sum of e'e over windows, where e = y - W'x - b is the residual of form i. error[i]
 * is infinite if the form has no solution. The weight and the bias of `scratch` are overwritten. */
void fgti_forms_test(const fgti_forms *f, const fgti_moments *m, fgti_ridge *scratch, double *error);

/* Computes the weights of the forms. Before the call, weight[i] holds the prior weight p_i of form i.
 * Afterwards weight[i] holds w_i, the share of form i in the mean of all forms:
 *
 *     w_i = p_i exp(-(E_i / min_j E_j - 1) n / 4) / sum of these products over all forms
 *
 * E_i = error[i] is the squared error of form i in the tests. inputs: how many numbers of a test window are
 * before the targets. n: number of horizons in the tests; more than 75 count as 75. Returns false if no form
 * has a solution. */
bool fgti_forms_weigh(const fgti_moments *test, int64_t inputs, const double *error, int64_t count, double n,
                      double *weight);

/* Adds `share` times the weights of form i to weight [H,L], and `share` times its bias to bias [H]. */
void fgti_form_add(const fgti_forms *f, int64_t i, double share, double *weight, double *bias);

#endif
