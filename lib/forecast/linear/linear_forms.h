/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LINEAR_FORMS_H
#define FGTI_LINEAR_FORMS_H

/* The linear maps whose mean is a forecast, and their errors. */

#include "forecast/linear/ridge.h"

/* Upper limits: lengths of windows, L, L/2, L/4, ...; and forms: two for each length, two for each length in
 * periods, two for one period, and two without weights. */
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

/* The maps of one series (each), or the maps that all series share. period: rows of one period; 0: no
 * period. */
fgt_status fgti_forms_new(fgt_context *ctx, int64_t lags, int64_t steps, int64_t period, bool each,
                          fgti_forms *f);
/* Maps that read `wide` neighbouring numbers of each row: of all rows, of the newest quarter of the rows, of
 * a quarter of these, ... L is rows * wide. */
fgt_status fgti_forms_new_rows(fgt_context *ctx, int64_t rows, int64_t wide, int64_t steps, fgti_forms *f);
void       fgti_forms_done(fgt_context *ctx, fgti_forms *f);

/* Solves all forms. scratch: for windows as long as the windows of m. */
void fgti_forms_solve(fgti_forms *f, const fgti_moments *m, fgti_ridge *scratch);

/* error[i] = sum of e'e over windows, with e = y - W'x - b the residual of form i; infinite: the form has no
 * solution. scratch: its weight and bias are overwritten. */
void fgti_forms_test(const fgti_forms *f, const fgti_moments *m, fgti_ridge *scratch, double *error);

/* Sets weight[i] from p_i, its value before the call, to the share w_i of form i in the mean of all:
 *
 *     w_i = p_i exp(-(E_i / min_j E_j - 1) n / 4) / sum of the same over i
 *
 * E_i is the squared error in the tests, whose windows have `inputs` numbers before the targets. n: number of
 * horizons in the tests; more than 75 count as 75. Returns false if no form has a solution. */
bool fgti_forms_weigh(const fgti_moments *test, int64_t inputs, const double *error, int64_t count, double n,
                      double *weight);

/* weight [H,L] += share times the weights of form i; the same for bias [H]. */
void fgti_form_add(const fgti_forms *f, int64_t i, double share, double *weight, double *bias);

#endif
