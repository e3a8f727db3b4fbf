/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SCALER_H
#define FGTI_SCALER_H

#include <fighter/scaler.h>
#include <fighter/table.h>

#include "core/alloc.h"

struct fgt_scaler {
    fgt_context *ctx;
    int64_t      columns;
    double      *mean, *scale; /* [columns] each; both are in one block */
};

/* A view of `data`, which is the scaler's mean or scale. */
static inline fgt_view fgti_scaler_view(const fgt_scaler *scaler, double *data)
{
    return (fgt_view){.data = data, .rank = 1, .dtype = FGT_DTYPE_F64, .shape = {scaler->columns}};
}

/* Computes mean and population standard deviation of each column in rows begin .. end-1 of `values` [R,C],
 * without NaN. dev is 0 if the column is constant up to rounding. mean, dev [C] are undefined after an error.
 * table: the table with these values, whose rows and columns errors name; NULL: errors give numbers. */
fgt_status fgti_columns_fit(fgt_context *ctx, const fgt_view *values, int64_t begin, int64_t end,
                            const fgt_table *table, double *mean, double *dev);
/* fgt_scaler_fit() for the values of a table. */
fgt_status fgti_scaler_fit(fgt_scaler *scaler, const fgt_view *values, int64_t begin, int64_t end,
                           const fgt_table *table);

#endif
