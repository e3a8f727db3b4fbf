/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_STATISTIC_MATRIX_H
#define FGTI_STATISTIC_MATRIX_H

#include "analysis/matrix.h"

/* statistic_matrix.c has the statistics of matrices A, statistic_values.c the statistics of values. The last
 * function returns how many elements `work` needs. */
double fgti_statistic_diagonal(const fgti_matrix *m);
double fgti_statistic_diagonal_expected(const fgti_matrix *m);
double fgti_statistic_entropy(const fgti_matrix *m);
double fgti_statistic_entropy_normalised(const fgti_matrix *m);
double fgti_statistic_distance(const fgti_matrix *m);
double fgti_statistic_first(const fgti_matrix *m);

#endif
