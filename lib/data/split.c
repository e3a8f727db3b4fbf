/* SPDX-License-Identifier: BSD-3-Clause */

/* Divides rows into training, validation and test rows. */

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <fighter/table.h>

#include "core/context.h"
#include "core/opts.h"
#include "core/size.h"

/* Hours in a month of 30 days. Publications that use these data sets train on 12 such months, and validate
 * and test on 4 each. */
#define MONTH (30 * 24)

typedef struct parts {
    int64_t train, val, test;
} parts;

static fgt_status by_ratio(fgti_error *err, const double given[3], int64_t rows, parts *p)
{
    static const double standard[3] = {0.7, 0.1, 0.2};
    const bool          none        = given[0] == 0 && given[1] == 0 && given[2] == 0;
    const double       *r           = none ? standard : given;
    /* The tolerance 1e-5 allows thirds with six digits. The comparison is written so that NaN fails. */
    if (!(r[0] > 0 && r[1] >= 0 && r[2] >= 0 && fabs(r[0] + r[1] + r[2] - 1) <= 1e-5))
        return fgti_fail(
            err, FGT_E_ARG,
            "split: ratios are wrong (got %g, %g, %g, need 0 or more, the first above 0, the sum 1)", r[0],
            r[1], r[2]);
    /* at most `rows`, in spite of rounding */
    p->train = fgti_least((int64_t)(r[0] * (double)rows), rows);
    p->test  = fgti_least((int64_t)(r[2] * (double)rows), rows - p->train);
    p->val   = rows - p->train - p->test;
    if (r[1] == 0) {
        p->test += p->val;
        p->val = 0;
    }
    return FGT_OK;
}

static fgt_status split_by_rows(fgti_error *err, const int64_t given[3], parts *p)
{
    int64_t sum;
    if (given[0] < 1 || given[1] < 0 || given[2] < 0 || !fgti_size_add(given[0], given[1], &sum) ||
        !fgti_size_add(sum, given[2], &sum))
        return fgti_fail(err, FGT_E_ARG,
                         "split: rows are wrong (got %lld, %lld, %lld, need 0 or more, the first above 0)",
                         (long long)given[0], (long long)given[1], (long long)given[2]);
    *p = (parts){given[0], given[1], given[2]};
    return FGT_OK;
}

fgt_status fgt_split_compute(fgt_context *ctx, int64_t rows, const fgt_split_opts *opts, fgt_split *split)
{
    fgt_split_opts o;
    parts          p = {0};
    if (!ctx) return FGT_E_ARG;
    fgti_error *err = &ctx->error;
    if (!split || rows < 0)
        return fgti_fail(err, FGT_E_ARG, "split: rows is negative, or the result pointer is NULL");
    FGTI_TRY(fgti_opts_read(err, "fgt_split_opts", opts, &o, sizeof o));
    FGTI_TRY(fgti_reserved_check(err, "fgt_split_opts", o.reserved));
    switch (o.kind) {
    case FGT_SPLIT_KIND_RATIO: FGTI_TRY(by_ratio(err, o.ratio, rows, &p)); break;
    case FGT_SPLIT_KIND_ROWS: FGTI_TRY(split_by_rows(err, o.rows, &p)); break;
    case FGT_SPLIT_KIND_ETTH: p = (parts){12 * MONTH, 4 * MONTH, 4 * MONTH}; break;
    case FGT_SPLIT_KIND_ETTM: p = (parts){4 * 12 * MONTH, 4 * 4 * MONTH, 4 * 4 * MONTH}; break;
    default:
        return fgti_fail(err, FGT_E_ARG, "fgt_split_opts: unknown kind (got %d, need an fgt_split_kind)",
                         o.kind);
    }
    if (p.train < 1)
        return fgti_fail(err, FGT_E_DATA, "split: of %lld rows none is left to train on", (long long)rows);
    if (p.train + p.val + p.test > rows)
        return fgti_fail(err, FGT_E_DATA,
                         "split: %lld + %lld + %lld rows are more than the %lld rows there are",
                         (long long)p.train, (long long)p.val, (long long)p.test, (long long)rows);
    split->train_begin = 0;
    split->train_end = split->val_begin = p.train;
    split->val_end = split->test_begin = p.train + p.val;
    split->test_end                    = p.train + p.val + p.test;
    return FGT_OK;
}
