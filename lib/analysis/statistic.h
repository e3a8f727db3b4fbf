/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_STATISTIC_H
#define FGTI_STATISTIC_H

/* The statistics of one matrix in fgt_statistic_compute(), each a formula. */

#include <stdbool.h>
#include <stdint.h>

typedef struct fgti_matrix {
    int64_t       rows, columns;
    const double *x;     /* [rows,columns] */
    const double *graph; /* [rows,rows]; NULL: the complete graph */
    int64_t       first;
    double       *work; /* fgti_statistic_work() elements */
} fgti_matrix;

typedef struct fgti_statistic_kind {
    const char *name;
    double (*of)(const fgti_matrix *m);
    bool weights; /* entries must not be negative */
    bool square;
    bool graph; /* a graph may be given */
    bool work;  /* `work` is needed */
} fgti_statistic_kind;

/* Statistics of the matrices A are in statistic_matrix.c, statistics of values in statistic_values.c. The
 * last function gives the number of elements of `work`. */
double  fgti_statistic_diagonal(const fgti_matrix *m);
double  fgti_statistic_diagonal_expected(const fgti_matrix *m);
double  fgti_statistic_entropy(const fgti_matrix *m);
double  fgti_statistic_entropy_normalised(const fgti_matrix *m);
double  fgti_statistic_distance(const fgti_matrix *m);
double  fgti_statistic_first(const fgti_matrix *m);
double  fgti_statistic_dirichlet(const fgti_matrix *m);
double  fgti_statistic_mad(const fgti_matrix *m);
double  fgti_statistic_cosine(const fgti_matrix *m);
double  fgti_statistic_rank(const fgti_matrix *m);
double  fgti_statistic_rank_one(const fgti_matrix *m);
int64_t fgti_statistic_work(int64_t rows, int64_t columns);

#endif
