/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_STATISTIC_VALUES_H
#define FGTI_STATISTIC_VALUES_H

#include "analysis/matrix.h"

double  fgti_statistic_dirichlet(const fgti_matrix *m);
double  fgti_statistic_mad(const fgti_matrix *m);
double  fgti_statistic_cosine(const fgti_matrix *m);
double  fgti_statistic_rank(const fgti_matrix *m);
double  fgti_statistic_rank_one(const fgti_matrix *m);
int64_t fgti_statistic_work(int64_t rows, int64_t columns);

#endif
