/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_MATRIX_H
#define FGTI_MATRIX_H

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

#endif
