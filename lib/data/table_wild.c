/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds values of a column that are probably errors. */
#include <math.h>

#include "core/context.h"
#include "core/gaps.h"
#include "core/wild.h"
#include "data/table.h"

/* The rows begin .. end-1 of a column that are checked. */
typedef struct piece {
    double  *raw, *y; /* [rows] */
    double  *scratch; /* [3,rows] */
    int64_t *at;      /* [rows]: number of each row in the table */
    int64_t  rows;
} piece;

static fgt_status wild_piece_new(const fgt_table *t, int64_t column, piece *p)
{
    int64_t begin, end, values = 0;
    fgti_table_span(t, column, &begin, &end);
    const int64_t n = end - begin;
    *p              = (piece){0};
    FGTI_TRY(FGTI_NEW(t->ctx, n, "column", &p->raw));
    FGTI_TRY(FGTI_NEW(t->ctx, n, "column", &p->y));
    FGTI_TRY(FGTI_NEW(t->ctx, 3 * n, "column", &p->scratch));
    FGTI_TRY(FGTI_NEW(t->ctx, n, "column", &p->at));
    for (int64_t r = begin; r < end; r++) values += !isnan(t->values[r * t->columns + column]);
    const bool sparse = 2 * values < n; /* the column has a longer step than the table, so rows without a
                                         * value are skipped */
    for (int64_t r = begin; r < end; r++) {
        const double v = t->values[r * t->columns + column];
        if (sparse && isnan(v)) continue;
        p->raw[p->rows]  = v;
        p->at[p->rows++] = r;
    }
    fgti_gaps_fill(p->raw, p->rows, p->y);
    return FGT_OK;
}

static void wild_piece_done(fgt_context *ctx, piece *p)
{
    fgti_free(ctx, p->raw);
    fgti_free(ctx, p->y);
    fgti_free(ctx, p->scratch);
    fgti_free(ctx, p->at);
}

/* Finds wild values. If the piece lacks some rows (`whole` is false), the length of the season in rows is
 * unknown, and no season is used. */
static int find_wild(const piece *p, bool whole, int64_t season, int64_t longer, int64_t row[FGT_LEFT_OUT])
{
    const int64_t n = p->rows, period = !whole ? 1 : season < n ? season : n;
    return fgti_wild_leave_out(p->raw, p->y, n, period, whole && longer < n ? longer : 0, p->scratch, row);
}

fgt_status fgt_table_leave_out(fgt_table *table, int64_t column, int64_t season, int64_t long_season,
                               int64_t *rows, double *values, int64_t *count)
{
    fgt_table *t = table;
    piece      p;
    int64_t    row[FGT_LEFT_OUT];
    if (!t) return FGT_E_ARG;
    if (column < 0 || column >= t->columns || season < 0 || long_season < 0 || !count)
        return fgti_fail(&t->ctx->error, FGT_E_ARG,
                         "table: column %lld of %lld, season %lld or long_season %lld is out of range, or "
                         "count is NULL",
                         (long long)column, (long long)t->columns, (long long)season, (long long)long_season);
    FGTI_TRY(fgti_table_check_loaded(&t->ctx->error, "leaving values out", t));
    *count             = 0;
    const fgt_status s = wild_piece_new(t, column, &p);
    if (s == FGT_OK && p.rows) {
        const int64_t span = p.at[p.rows - 1] - p.at[0] + 1;
        *count             = find_wild(&p, p.rows == span, season, long_season, row);
    }
    for (int64_t i = 0; s == FGT_OK && i < *count; i++) {
        double *v = &t->values[p.at[row[i]] * t->columns + column];
        if (rows) rows[i] = p.at[row[i]];
        if (values) values[i] = *v;
        *v = row[i] < p.rows - 1 ? NAN : p.y[row[i]]; /* a forecast begins after the last row, which gets an
                                                       * estimate instead of NaN */
    }
    wild_piece_done(t->ctx, &p);
    return s;
}
