/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/opts.h"
#include "data/table.h"
#include "data/windows.h"

struct fgt_windows {
    fgt_context *ctx;
    const float *series;  /* [rows,columns] */
    float       *own;     /* copy to which `series` points; NULL: `series` is borrowed */
    int64_t     *targets; /* [target_count]: columns of the targets; NULL: all columns, in their order */
    int64_t      columns, target_count;
    int64_t      input_len, pred_len, stride;
    int64_t      first; /* the first target row of window 0 */
    int64_t      count;
};

static fgt_status window_check_opts(fgti_error *err, const fgt_view *series, fgt_windows_opts *o)
{
    static const fgti_opt table[] = {
        {"target_count", offsetof(fgt_windows_opts, target_count), FGTI_OPT_I64, 0, FGTI_OPT_SIZE_MAX, 0},
        {"input_len", offsetof(fgt_windows_opts, input_len), FGTI_OPT_I64, 1, FGTI_OPT_SIZE_MAX,
         FGTI_OPT_REQUIRED},
        {"pred_len", offsetof(fgt_windows_opts, pred_len), FGTI_OPT_I64, 1, FGTI_OPT_SIZE_MAX,
         FGTI_OPT_REQUIRED},
        {"stride", offsetof(fgt_windows_opts, stride), FGTI_OPT_I64, 1, FGTI_OPT_SIZE_MAX, 1},
        {"reach_back", offsetof(fgt_windows_opts, reach_back), FGTI_OPT_BOOL, 0, 1, 0},
        {"reserved", offsetof(fgt_windows_opts, reserved), FGTI_OPT_BOOL, 0, 0, 0},
        {0},
    };
    FGTI_TRY(fgti_opts_check(err, "fgt_windows_opts", table, o));
    if (!o->end) o->end = series->shape[0];
    FGTI_TRY(fgti_view_check_rows(err, "series", series, o->begin, o->end));
    if (!o->targets != !o->target_count)
        return fgti_fail(err, FGT_E_ARG,
                         "windows: targets and target_count do not go together (got one of them, need both "
                         "or neither)");
    for (int64_t i = 0; i < o->target_count; i++)
        if (o->targets[i] < 0 || o->targets[i] >= series->shape[1])
            return fgti_fail(err, FGT_E_ARG, "windows: column is out of range (got %lld, need 0 .. %lld)",
                             (long long)o->targets[i], (long long)series->shape[1] - 1);
    return FGT_OK;
}

/* The sums cannot overflow: lengths are at most FGTI_OPT_SIZE_MAX, and the number of rows is limited by the
 * memory. */
static fgt_status windows_place(fgti_error *err, const fgt_windows_opts *o, fgt_windows *w)
{
    w->first = o->begin + o->input_len;
    if (o->reach_back) w->first = o->begin > o->input_len ? o->begin : o->input_len;
    const int64_t slack = o->end - w->first - o->pred_len; /* number of rows by which the first window can
                                                            * move */
    if (slack < 0)
        return fgti_fail(
            err, FGT_E_DATA,
            "windows: %lld row%s of input and %lld of forecast do not fit into rows %lld..%lld%s; a smaller "
            "`pred_len`%s, or more of these rows, would fit",
            (long long)o->input_len, o->input_len == 1 ? "" : "s", (long long)o->pred_len,
            (long long)o->begin, (long long)o->end - 1, o->reach_back ? " and the rows before them" : "",
            o->reach_back ? "" : " or `input_len`");
    w->count = slack / o->stride + 1;
    return FGT_OK;
}

static fgt_status windows_fill(const fgt_view *series, const fgt_windows_opts *o, fgt_windows *w)
{
    FGTI_TRY(windows_place(&w->ctx->error, o, w));
    w->columns      = series->shape[1];
    w->input_len    = o->input_len;
    w->pred_len     = o->pred_len;
    w->stride       = o->stride;
    w->target_count = o->targets ? o->target_count : w->columns;
    if (o->targets) {
        FGTI_TRY(FGTI_NEW(w->ctx, o->target_count, "targets", &w->targets));
        memcpy(w->targets, o->targets, (size_t)o->target_count * sizeof *w->targets);
    }
    if (series->dtype == FGT_DTYPE_F64) {
        const int64_t n = fgt_view_count(series);
        FGTI_TRY(FGTI_NEW(w->ctx, n, "series", &w->own));
        for (int64_t i = 0; i < n; i++) {
            const double v = ((const double *)series->data)[i];
            if (isfinite(v) && fabs(v) > (double)FLT_MAX)
                return fgti_fail(&w->ctx->error, FGT_E_DATA,
                                 "series: row %lld, column %lld: %g is beyond float32",
                                 (long long)(i / w->columns), (long long)(i % w->columns), v);
            w->own[i] = (float)v;
        }
    }
    w->series = w->own ? w->own : series->data;
    return FGT_OK;
}

fgt_status fgt_windows_create(fgt_context *ctx, const fgt_view *series, const fgt_windows_opts *opts,
                              fgt_windows **windows)
{
    fgt_windows_opts o;
    if (windows) *windows = NULL;
    if (!ctx) return FGT_E_ARG;
    fgti_error *err = &ctx->error;
    if (!windows) return fgti_fail(err, FGT_E_ARG, "windows: the result pointer is NULL");
    FGTI_TRY(fgti_opts_read(err, "fgt_windows_opts", opts, &o, sizeof o));
    FGTI_TRY(fgti_view_check_rows(err, "series", series, 0, series ? series->shape[0] : 0));
    FGTI_TRY(window_check_opts(err, series, &o));
    FGTI_TRY(FGTI_NEW(ctx, 1, "windows", windows));
    (*windows)->ctx    = ctx;
    const fgt_status s = windows_fill(series, &o, *windows);
    if (s != FGT_OK) fgt_windows_destroy(windows);
    return s;
}

fgt_status fgti_windows_place(fgt_context *ctx, int64_t rows, const fgt_windows_opts *opts,
                              fgt_windows **windows)
{
    fgt_windows_opts o    = *opts;
    float            value = 0;
    const fgt_view   none  = {
           .data = &value, .rank = 2, .dtype = FGT_DTYPE_F32, .shape = {rows, 1}}; /* not read */
    *windows              = NULL;
    FGTI_TRY(window_check_opts(&ctx->error, &none, &o));
    FGTI_TRY(FGTI_NEW(ctx, 1, "windows", windows));
    (*windows)->ctx    = ctx;
    (*windows)->stride = o.stride;
    const fgt_status s = windows_place(&ctx->error, &o, *windows);
    if (s != FGT_OK) fgt_windows_destroy(windows);
    return s;
}

void fgt_windows_destroy(fgt_windows **windows)
{
    if (!windows || !*windows) return;
    fgt_context *ctx = (*windows)->ctx;
    fgti_free(ctx, (*windows)->own);
    fgti_free(ctx, (*windows)->targets);
    fgti_free(ctx, *windows);
    *windows = NULL;
}

int64_t fgt_windows_count_samples(const fgt_windows *windows)
{
    return windows ? windows->count : 0;
}

int64_t fgti_windows_row(const fgt_windows *windows, int64_t i)
{
    return windows->first + i * windows->stride;
}

static void window_copy_input(const fgt_windows *w, int64_t row, float *x)
{
    const int64_t n    = w->input_len * w->columns;
    const float  *from = w->series + (row - w->input_len) * w->columns;
    for (int64_t i = 0; i < n; i++) x[i] = isnan(from[i]) ? 0 : from[i];
}

static void copy_target(const fgt_windows *w, int64_t row, float *y)
{
    const float *from = w->series + row * w->columns;
    if (!w->targets) {
        memcpy(y, from, (size_t)(w->pred_len * w->columns) * sizeof *y);
        return;
    }
    for (int64_t t = 0; t < w->pred_len; t++, from += w->columns)
        for (int64_t c = 0; c < w->target_count; c++) *y++ = from[w->targets[c]];
}

fgt_status fgt_windows_copy_samples(const fgt_windows *windows, const int64_t *index, int64_t count,
                                    const fgt_view *x, const fgt_view *y)
{
    if (!windows) return FGT_E_ARG;
    const fgt_windows *w   = windows;
    fgti_error        *err = &w->ctx->error;
    if (!index || count < 0) return fgti_fail(err, FGT_E_ARG, "windows: index is NULL, or count is negative");
    FGTI_TRY(
        fgti_view_check(err, "x", x, FGT_DTYPE_F32, 3, (const int64_t[]){count, w->input_len, w->columns}));
    if (y)
        FGTI_TRY(fgti_view_check(err, "y", y, FGT_DTYPE_F32, 3,
                                 (const int64_t[]){count, w->pred_len, w->target_count}));
    for (int64_t b = 0; b < count; b++)
        if (index[b] < 0 || index[b] >= w->count)
            return fgti_fail(err, FGT_E_ARG, "windows: window is out of range (got %lld, need 0 .. %lld)",
                             (long long)index[b], (long long)w->count - 1);
    for (int64_t b = 0; b < count; b++) {
        const int64_t row = fgti_windows_row(w, index[b]);
        window_copy_input(w, row, (float *)x->data + b * w->input_len * w->columns);
        if (y) copy_target(w, row, (float *)y->data + b * w->pred_len * w->target_count);
    }
    return FGT_OK;
}
