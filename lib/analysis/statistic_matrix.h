/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_STATISTIC_MATRIX_H
#define FGTI_STATISTIC_MATRIX_H

#include "analysis/matrix.h"

/* Statistics of the matrices A are in statistic_matrix.c, statistics of values in statistic_values.c. The
 * last function gives the number of elements of `work`. */
double fgti_statistic_diagonal(const fgti_matrix *m);
double fgti_statistic_diagonal_expected(const fgti_matrix *m);
double fgti_statistic_entropy(const fgti_matrix *m);
double fgti_statistic_entropy_normalised(const fgti_matrix *m);
double fgti_statistic_distance(const fgti_matrix *m);
double fgti_statistic_first(const fgti_matrix *m);

#endif
