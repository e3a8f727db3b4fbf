/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/forecaster.h"

#include <math.h>
#include <string.h>

#include "core/text.h"
#include "data/table.h"

/* ---- making ---- */

fgt_status fgti_forecaster_new(fgt_context *ctx, const fgt_forecaster_info *info, fgti_strings *names,
                               fgt_forecaster **out)
{
    int64_t inputs, outputs;
    if (!fgti_size_mul(info->input_len, info->columns, &inputs) ||
        !fgti_size_mul(info->pred_len, info->columns, &outputs))
        return fgti_fail(&ctx->error, FGT_E_SIZE, "forecaster: windows of %lld and %lld rows are too large",
                         (long long)info->input_len, (long long)info->pred_len);
    FGTI_TRY(FGTI_NEW(ctx, 1, "forecaster", out));
    fgt_forecaster *f = *out;
    f->ctx            = ctx;
    f->info           = *info;
    f->info.size      = sizeof f->info;
    fgt_status s      = FGTI_NEW(ctx, inputs, "window", &f->x);
    if (s == FGT_OK) s = FGTI_NEW(ctx, outputs, "forecast", &f->y);
    if (s == FGT_OK) s = fgt_scaler_create(ctx, info->columns, &f->scaler);
    if (s != FGT_OK) {
        fgt_forecaster_destroy(out);
        return s;
    }
    f->names = *names;
    *names   = (fgti_strings){0};
    return FGT_OK;
}

void fgt_forecaster_destroy(fgt_forecaster **forecaster)
{
    if (!forecaster || !*forecaster) return;
    fgt_forecaster *f   = *forecaster;
    fgt_context    *ctx = f->ctx;
    fgt_model_destroy(&f->model);
    fgt_scaler_destroy(&f->scaler);
    fgti_strings_done(ctx, &f->names);
    fgti_free(ctx, f->x);
    fgti_free(ctx, f->y);
    fgti_free(ctx, f);
    *forecaster = NULL;
}

static fgt_status copy_names(fgt_context *ctx, const fgt_table *table, fgti_strings *names)
{
    const int64_t columns = fgt_table_count_columns(table);
    for (int64_t c = 0; c < columns; c++) {
        const char *name = fgt_table_get_name(table, c);
        char        show[FGTI_SHOW];
        if (!fgti_is_utf8(name))
            return fgti_fail(&ctx->error, FGT_E_NAME, "the name of column %lld, \"%s\", is not UTF-8",
                             (long long)c, fgti_show(name, show));
        FGTI_TRY(fgti_strings_add(ctx, names, name, (int64_t)strlen(name)));
    }
    return FGT_OK;
}

/* Tokens that are variates get the graph of their correlations. For other tokens the block has a default. */
static fgt_status default_graph(fgt_context *ctx, const fgt_forecaster_opts *o, const fgt_view *values,
                                const fgt_split *split, fgt_graph **graph)
{
    const bool has_graph = fgt_block_get_traits(o->block) & FGT_BLOCK_HAS_GRAPH;
    if (!has_graph || o->graph || o->tokens != FGT_TOKENS_VARIATE) return FGT_OK;
    return fgt_graph_create_correlation(ctx, values, split->train_begin, split->train_end, 0, graph);
}

/* table holds only the series of the forecaster, in their order. */
static fgt_status make(fgt_context *ctx, const fgt_forecaster_opts *o, const fgt_table *table,
                       const fgt_split *split, fgt_forecaster **out)
{
    const fgt_view      values = fgt_table_get_values(table);
    fgt_forecaster_info info   = {.columns = values.shape[1], .input_len = o->input_len,
                                  .pred_len = o->pred_len, .seed = o->seed, .block = o->block,
                                  .tokens = o->tokens, .revin = o->revin};
    fgti_strings        names  = {0};
    fgt_graph          *graph  = NULL;
    fgt_status          s      = copy_names(ctx, table, &names);
    if (s == FGT_OK) s = fgti_forecaster_new(ctx, &info, &names, out);
    if (s == FGT_OK) s = fgt_scaler_fit((*out)->scaler, &values, split->train_begin, split->train_end);
    if (s == FGT_OK) s = default_graph(ctx, o, &values, split, &graph);
    if (s == FGT_OK)
        s = fgti_recipe_build(ctx, o, info.columns, o->graph ? o->graph : graph, &(*out)->model);
    if (s == FGT_OK) (*out)->batch = o->batch;
    if (s != FGT_OK) fgt_forecaster_destroy(out);
    fgt_graph_destroy(&graph);
    fgti_strings_done(ctx, &names);
    return s;
}

/* Copies the columns that the options name to a table of their own. */
static fgt_status choose(fgt_context *ctx, const fgt_forecaster_opts *o, const fgt_table *table,
                         fgt_table **chosen)
{
    int64_t   *index;
    fgt_status s = FGT_OK;
    FGTI_TRY(FGTI_NEW(ctx, o->column_count, "columns", &index));
    for (int64_t i = 0; s == FGT_OK && i < o->column_count; i++)
        s = fgt_table_get_column(table, o->columns[i], &index[i]);
    if (s == FGT_OK) s = fgt_table_create_subset(table, o->column_count, index, chosen);
    fgti_free(ctx, index);
    return s;
}

fgt_status fgt_forecaster_create(fgt_context *ctx, const fgt_forecaster_opts *opts, const fgt_table *table,
                                 const fgt_split *split, fgt_forecaster **forecaster)
{
    fgt_forecaster_opts o;
    fgt_table          *chosen = NULL;
    if (forecaster) *forecaster = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!table || !split || !forecaster)
        return fgti_fail(&ctx->error, FGT_E_ARG, "forecaster: table, split or result pointer is NULL");
    FGTI_TRY(fgti_opts_read(&ctx->error, "fgt_forecaster_opts", opts, &o, sizeof o));
    FGTI_TRY(fgti_recipe_check(&ctx->error, &o));
    if (o.columns) FGTI_TRY(choose(ctx, &o, table, &chosen));
    const fgt_status s = make(ctx, &o, chosen ? chosen : table, split, forecaster);
    fgt_table_destroy(&chosen);
    return s;
}

/* ---- what it is ---- */

fgt_status fgt_forecaster_get_info(const fgt_forecaster *forecaster, fgt_forecaster_info *info)
{
    if (!forecaster) return FGT_E_ARG;
    fgti_error *err = &forecaster->ctx->error;
    if (!info) return fgti_fail(err, FGT_E_ARG, "forecaster: info is NULL");
    return fgti_result_write(err, "fgt_forecaster_info", &forecaster->info, sizeof *info, info);
}

const char *fgt_forecaster_get_name(const fgt_forecaster *forecaster, int64_t column)
{
    if (!forecaster || column < 0 || column >= forecaster->info.columns) return NULL;
    return fgti_strings_get(&forecaster->names, column);
}

fgt_model *fgt_forecaster_get_model(fgt_forecaster *forecaster)
{
    return forecaster ? forecaster->model : NULL;
}

const fgt_scaler *fgt_forecaster_get_scaler(const fgt_forecaster *forecaster)
{
    return forecaster ? forecaster->scaler : NULL;
}

int64_t fgt_forecaster_count_windows(const fgt_forecaster *forecaster, int64_t begin, int64_t end,
                                     int32_t inside)
{
    if (!forecaster || begin < 0 || end < begin) return 0;
    const int64_t l = forecaster->info.input_len, h = forecaster->info.pred_len;
    /* the first row that can be forecast, as in fgt_windows_create() */
    const int64_t first = inside ? begin + l : begin > l ? begin : l;
    return end - first >= h ? end - first - h + 1 : 0;
}

/* ---- values ---- */

/* The most standard deviations from the mean that float, and products of it, can hold. A value beyond them is
 * no measurement. */
#define FARTHEST 1e15

static fgt_status standardise(const fgt_forecaster *f, int64_t row, int64_t c, double v, float *out)
{
    const double mean = ((const double *)fgt_scaler_get_mean(f->scaler).data)[c];
    const double z    = (v - mean) / ((const double *)fgt_scaler_get_scale(f->scaler).data)[c];
    char         name[FGTI_SHOW];
    *out = (float)z;
    if (isnan(v) || fabs(z) <= FARTHEST) return FGT_OK;
    return fgti_fail(&f->ctx->error, FGT_E_DATA,
                     "row %lld, column %lld (\"%s\"): %g is too far from %g, the mean of training",
                     (long long)row, (long long)c, fgti_show(fgti_strings_get(&f->names, c), name), v, mean);
}

static fgt_status standardise_column(const fgt_forecaster *f, const fgt_table *table, int64_t c, float *out)
{
    const fgt_view values = fgt_table_get_values(table);
    const int64_t  rows = values.shape[0], wide = values.shape[1], columns = f->info.columns;
    int64_t        from;
    FGTI_TRY(fgt_table_get_column(table, fgti_strings_get(&f->names, c), &from));
    const double *v = (const double *)values.data + from;
    for (int64_t r = 0; r < rows; r++) FGTI_TRY(standardise(f, r, c, v[r * wide], &out[r * columns + c]));
    return FGT_OK;
}

fgt_status fgti_forecaster_series(const fgt_forecaster *f, const fgt_table *table, float **out)
{
    const int64_t rows = fgt_table_get_values(table).shape[0], columns = f->info.columns;
    int64_t       count;
    *out = NULL;
    if (!fgti_size_mul(rows, columns, &count))
        return fgti_fail(&f->ctx->error, FGT_E_SIZE, "forecaster: %lld rows are too many", (long long)rows);
    FGTI_TRY(FGTI_NEW(f->ctx, count, "standardised series", out));
    fgt_status s = FGT_OK;
    for (int64_t c = 0; s == FGT_OK && c < columns; c++) s = standardise_column(f, table, c, *out);
    if (s == FGT_OK) return FGT_OK;
    fgti_free(f->ctx, *out);
    *out = NULL;
    return s;
}

/* ---- predicting ---- */

/* Copies the last L rows to f->x, standardised. */
static fgt_status take_rows(fgt_forecaster *f, const fgt_view *rows)
{
    const int64_t columns = f->info.columns, l = f->info.input_len, skip = (rows->shape[0] - l) * columns;
    for (int64_t i = 0; i < l * columns; i++) {
        const double v = fgti_view_get(rows, skip + i);
        FGTI_TRY(standardise(f, (skip + i) / columns, i % columns, v, &f->x[i]));
        if (isnan(v)) f->x[i] = 0;
    }
    return FGT_OK;
}

fgt_status fgt_forecaster_predict(fgt_forecaster *forecaster, const fgt_view *rows, const fgt_view *forecast)
{
    fgt_forecaster *f = forecaster;
    if (!f) return FGT_E_ARG;
    const fgt_forecaster_info *info = &f->info;
    fgti_error                *err  = &f->ctx->error;
    FGTI_TRY(fgti_view_check_number(err, "rows", rows, 2, (const int64_t[]){-1, info->columns}));
    FGTI_TRY(fgti_view_check_number(err, "forecast", forecast, 2,
                                    (const int64_t[]){info->pred_len, info->columns}));
    if (rows->shape[0] < info->input_len)
        return fgti_fail(err, FGT_E_DATA, "rows: %lld rows are given, the model needs %lld",
                         (long long)rows->shape[0], (long long)info->input_len);
    FGTI_TRY(take_rows(f, rows));
    FGTI_TRY(fgt_predict(f->model, FGT_VIEW(f->x, 1, info->input_len, info->columns),
                         FGT_VIEW(f->y, 1, info->pred_len, info->columns)));
    return fgt_scaler_inverse_transform(f->scaler, FGT_VIEW(f->y, info->pred_len, info->columns), forecast);
}
