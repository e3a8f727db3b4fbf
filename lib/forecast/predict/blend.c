/* SPDX-License-Identifier: BSD-3-Clause */
/* A forecaster as one member of a blend with local forecasters (fgt_forecast_local()). */
#include <math.h>
#include <string.h>

#include <fighter/experimental/local.h>
#include <fighter/experimental/table_file.h>

#include "data/table.h"
#include "forecast/forecaster_impl.h"

typedef struct beside {
    fgt_forecaster  *f, *all;
    const fgt_table *table, *future;
    int64_t          h, end; /* h: rows of a forecast; end: the row after the last one of the table */
    int64_t          row;    /* first row of `forecast`; -1: no forecast yet */
    double          *forecast; /* [h,C] */
    double          *values;   /* [C,end] */
    const double   **series;   /* [C] */
    int64_t         *rows;     /* [C]: `end`, repeated for each series */
} beside;

static fgt_status new_beside(fgt_context *ctx, beside *b)
{
    const int64_t count = b->f->info.columns;
    int64_t       cells;
    if (!fgti_size_mul(count, b->h, &cells))
        return fgti_fail(&ctx->error, FGT_E_SIZE, "%lld forecasts of %lld rows overflow the memory",
                         (long long)count, (long long)b->h);
    FGTI_TRY(FGTI_NEW(ctx, cells, "forecasts", &b->forecast));
    FGTI_TRY(FGTI_NEW(ctx, count * b->end, "series", &b->values));
    FGTI_TRY(FGTI_NEW(ctx, count, "series", &b->series));
    return FGTI_NEW(ctx, count, "series", &b->rows);
}

static void free_beside(fgt_context *ctx, const beside *b)
{
    fgti_free(ctx, b->forecast);
    fgti_free(ctx, b->values);
    fgti_free(ctx, (void *)b->series);
    fgti_free(ctx, b->rows);
}

static fgt_status blend_take_series(beside *b)
{
    const fgt_view values = fgt_table_get_values(b->table);
    for (int64_t c = 0; c < b->f->info.columns; c++) {
        double     *y    = b->values + c * b->end;
        const char *name = fgti_strings_get(&b->f->names, c);
        int64_t     column;
        FGTI_TRY(fgti_table_find_part(&b->f->ctx->error, b->table, name, &column));
        for (int64_t t = 0; t < b->end; t++)
            y[t] = ((const double *)values.data)[t * values.shape[1] + column];
        b->series[c] = y;
        b->rows[c]   = b->end;
    }
    return FGT_OK;
}

/* Forecasts all series from a row on. Known values of the past are in the table, not in `future`. The
 * forecast is NaN if a row of the past has too few rows before it, or if known values are missing. */
static fgt_status forecast_all(beside *b, int64_t row)
{
    const int64_t  count = b->f->info.columns;
    const fgt_view view  = *FGT_VIEW_OF(FGT_DTYPE_F64, b->forecast, b->h, count);
    fgt_status     s     = FGT_E_DATA;
    if (row == b->end) return fgt_forecaster_predict_table(b->all, b->table, row, b->future, &view);
    if (row >= b->f->info.input_len) s = fgt_forecaster_predict_table(b->f, b->table, row, NULL, &view);
    for (int64_t k = 0; s == FGT_E_DATA && k < b->h * count; k++) b->forecast[k] = NAN;
    return s == FGT_E_DATA ? FGT_OK : s;
}

/* Returns the forecast of one series. All series are forecast in one call and kept, because they are asked
 * for one after another. */
static fgt_status blend_forecast(void *user, int64_t series, int64_t rows, double *f)
{
    beside *b = user;
    if (rows != b->row) {
        b->row = -1;
        FGTI_TRY(forecast_all(b, rows));
        b->row = rows;
    }
    for (int64_t t = 0; t < b->h; t++) f[t] = b->forecast[t * b->f->info.columns + series];
    return FGT_OK;
}

static bool same_targets(const fgt_forecaster *f, const fgt_forecaster *all)
{
    bool same = f->info.columns == all->info.columns;
    for (int64_t c = 0; same && c < f->info.columns; c++)
        same = !strcmp(fgti_strings_get(&f->names, c), fgti_strings_get(&all->names, c));
    return same;
}

static fgt_status blend_check(const fgt_forecaster *f, const fgt_forecaster *all, const fgt_table *table,
                              const fgt_local_opts *opts)
{
    fgti_error *err = &f->ctx->error;
    if (!table || !opts || (all && !same_targets(f, all)))
        return fgti_fail(err, FGT_E_ARG, "forecaster: table or opts is NULL, or `all` has other targets");
    if (table->store)
        return fgti_fail(err, FGT_E_UNSUPPORTED,
                         "forecaster: the table is on disk (local forecasters need it in memory)");
    if (opts->horizon < 1 || opts->model)
        return fgti_fail(err, FGT_E_ARG,
                         "forecaster: opts has horizon %lld (need 1 or more) and %s model (need no model: "
                         "the forecaster is the model)",
                         (long long)opts->horizon, opts->model ? "another" : "no");
    return FGT_OK;
}

fgt_status fgt_forecaster_predict_blend(fgt_forecaster *forecaster, fgt_forecaster *all,
                                        const fgt_table *table, int64_t seen, const fgt_table *future,
                                        const fgt_local_opts *opts)
{
    fgt_forecaster *f = forecaster;
    fgt_local_opts  o = {.size = sizeof o};
    if (!f) return FGT_E_ARG;
    FGTI_TRY(fgti_opts_read(&f->ctx->error, "fgt_local_opts", opts, &o, sizeof o));
    FGTI_TRY(blend_check(f, all, table, &o));
    beside b = {.f      = f,
                .all    = all ? all : f,
                .table  = table,
                .future = future,
                .h      = o.horizon,
                .end    = fgt_forecaster_find_row(f, table),
                .row    = -1};
    if (b.end < 0) /* the next call fails and stores the reason */
        return fgt_forecaster_predict_table(
            f, table, -1, future, FGT_VIEW_OF(FGT_DTYPE_F64, o.forecast, o.horizon, f->info.columns));
    if (b.end < f->info.input_len || seen < 0)
        return fgti_fail(&f->ctx->error, FGT_E_DATA,
                         "forecaster: the table has %lld rows before the forecast, of which %lld were seen "
                         "(need at least %lld rows, and seen from 0 on)",
                         (long long)b.end, (long long)seen, (long long)f->info.input_len);
    o.model      = blend_forecast;
    o.model_user = &b;
    o.model_rows = b.end > seen ? b.end - seen : 0;
    fgt_status s = new_beside(f->ctx, &b);
    if (s == FGT_OK) s = blend_take_series(&b);
    if (s == FGT_OK) s = fgt_forecast_local(f->ctx, b.series, b.rows, f->info.columns, &o);
    free_beside(f->ctx, &b);
    return s;
}
