/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "blocks/blocks.h"
#include "core/config.h"
#include "forecast/forecaster.h"
#include "forecast/forecaster_create.h"
#include "forecast/known/calendar.h"
#include "forecast/known/holidays.h"
#include "forecast/known/statics.h"
#include "forecast/predict/kept_errors.h"
#include "model/access.h"
#include "model/files/file_input.h"
#include "model/files/file_output.h"
#include "model/files/safetensors.h"
#include "model/pass/values.h"
#include "model/stored/extra.h"
#include "model/stored/model_file.h"
#include "model/stored/model_load.h"

/* A forecaster's file is a model's file (model/stored/model_file.c) with these metadata and tensors:
 *     forecast.format    1
 *     forecast.block     fighter
 *     forecast.windows   input_len=96 pred_len=96 revin=1 past=1 known=1 calendar=6 milliseconds=3600000
 *     forecast.columns   ["HUFL","HULL","OT","holiday"]: targets, past, known
 *     forecast.form      ["store","date","sales"]: columns of series, times and (optional) values; only if
 *                        the model was trained on a long file
 *     forecast.holidays   tensor [n,2], I64: days since 1970, index of the name or -1; only with holidays
 *     forecast.holiday_names   ["Easter","Christmas"]: only with holidays that have names
 *     forecast.static   tensor [C,S], F32: static features of the targets, if there are any
 *     forecast.counts   tensor [C], I64: 1 for targets that are counts, if there are any
 *     forecast.mean, forecast.scale   tensors of all columns, F64
 * and the kept errors (kept_errors.h) */
#define FORMAT "1"

#define STEP_MAX 1e15 /* milliseconds */

#define QUANTILE(k)                                                                                    \
    {                                                                                                  \
        "q" #k, offsetof(fgt_forecaster_info, quantiles) + (k) * sizeof(double), FGTI_OPT_F64, 0, 1, 0 \
    }

/* Writes lengths of at least one row even if they are 0. */
#define KEPT(name, field, kind, min, max, ...) \
    FGTI_FIELD(fgt_forecaster_info, name, kind, min, max, (min) > 0 ? FGTI_OPT_REQUIRED : 0),
#define FACT(name, field, kind, min, max) \
    {#name, offsetof(fgt_forecaster_info, field), FGTI_OPT_##kind, min, max, 0},
#define OPTION(...)
#define PASSED(...)
#define SWITCHED(...)
static const fgti_opt windows_opts[] = {
#include "forecast/forecast_options.h"
    {"quantiles", offsetof(fgt_forecaster_info, quantile_count), FGTI_OPT_I64, 0, FGT_QUANTILES_MAX, 0},
    QUANTILE(0),
    QUANTILE(1),
    QUANTILE(2),
    QUANTILE(3),
    QUANTILE(4),
    QUANTILE(5),
    QUANTILE(6),
    QUANTILE(7),
    QUANTILE(8),
    QUANTILE(9),
    QUANTILE(10),
    QUANTILE(11),
    QUANTILE(12),
    QUANTILE(13),
    QUANTILE(14),
    QUANTILE(15),
    QUANTILE(16),
    QUANTILE(17),
    QUANTILE(18),
    QUANTILE(19),
    QUANTILE(20),
    QUANTILE(21),
    QUANTILE(22),
    QUANTILE(23),
    QUANTILE(24),
    QUANTILE(25),
    QUANTILE(26),
    QUANTILE(27),
    QUANTILE(28),
    QUANTILE(29),
    QUANTILE(30),
    QUANTILE(31),
    {0},
};
_Static_assert(FGT_QUANTILES_MAX == 32, "a row for each");

/* ---- saving ---- */

static fgt_status forecaster_save(const fgt_forecaster *f, fgti_output *out)
{
    const fgt_days *days = f->holidays;
    char           *day_names = NULL, *form = NULL;
    const fgt_view  mean   = fgti_scaler_view(f->scaler, f->scaler->mean),
                   scale   = fgti_scaler_view(f->scaler, f->scaler->scale);
    fgti_text      windows = {.ctx = f->ctx};
    char          *names   = NULL;
    int64_t       *numbers = NULL;
    fgt_status     s       = fgti_config_write(&windows, windows_opts, &f->info);
    if (s == FGT_OK) s = fgti_extra_write_names(f->ctx, &f->names, &names);
    if (s == FGT_OK && days && days->names.count)
        s = fgti_extra_write_names(f->ctx, &days->names, &day_names);
    if (s == FGT_OK && f->form.count) s = fgti_extra_write_names(f->ctx, &f->form, &form);
    if (s == FGT_OK) {
        fgti_st_pair       pair[6] = {{"forecast.format", FORMAT},
                                     {"forecast.block", fgt_block_get_name(f->info.block)},
                                     {"forecast.windows", windows.s},
                                     {"forecast.columns", names}};
        fgti_st_tensor     tensor[5 + FGTI_KEPT_TENSORS];
        int64_t            count = 2, pairs = 4;
        if (day_names) pair[pairs++] = (fgti_st_pair){"forecast.holiday_names", day_names};
        if (form) pair[pairs++] = (fgti_st_pair){"forecast.form", form};
        tensor[0]      = (fgti_st_tensor){.name  = "forecast.mean",
                                          .dtype = FGTI_ST_F64,
                                          .rank  = 1,
                                          .shape = {mean.shape[0]},
                                          .data  = mean.data};
        tensor[1]      = tensor[0];
        tensor[1].name = "forecast.scale";
        tensor[1].data = scale.data;
        if (days)
            tensor[count++] = (fgti_st_tensor){.name  = "forecast.holidays",
                                         .dtype = FGTI_ST_I64,
                                         .rank  = 2,
                                         .shape = {days->count, 2},
                                         .data  = days->entry};
        if (f->statics)
            tensor[count++] = (fgti_st_tensor){.name  = "forecast.static",
                                               .dtype = FGTI_ST_REAL,
                                               .rank  = 2,
                                               .shape = {f->info.columns, f->info.statics},
                                               .data  = f->statics};
        if (f->counts)
            tensor[count++] = (fgti_st_tensor){.name  = "forecast.counts",
                                               .dtype = FGTI_ST_I64,
                                               .rank  = 1,
                                               .shape = {f->info.columns},
                                               .data  = f->counts};
        s = fgti_kept_errors_write(f, &numbers, tensor, &count);
        if (s == FGT_OK)
            s = fgti_model_save_with(f->model, out, &(fgti_extra){count, pairs, tensor, pair});
    }
    fgti_free(f->ctx, numbers);
    fgti_free(f->ctx, form);
    fgti_free(f->ctx, day_names);
    fgti_free(f->ctx, names);
    fgti_text_done(&windows);
    return s;
}

fgt_status fgt_forecaster_save(const fgt_forecaster *forecaster, const fgt_output *to)
{
    fgti_output out;
    if (!forecaster) return FGT_E_ARG;
    FGTI_TRY(fgti_output_to(&forecaster->ctx->error, to, &out));
    return forecaster_save(forecaster, &out);
}

/* ---- loading ---- */

static fgt_status read_info(fgt_context *ctx, const fgti_st *st, fgt_forecaster_info *info,
                            fgti_strings *names)
{
    const char *format = fgti_st_meta(st, "forecast.format"), *windows = fgti_st_meta(st, "forecast.windows");
    const char *columns = fgti_st_meta(st, "forecast.columns");
    fgti_error *err     = &ctx->error;
    *info               = (fgt_forecaster_info){.size = sizeof *info};
    if (!format)
        return fgti_fail(err, FGT_E_FORMAT, "the file is %s, not a forecaster", fgti_extra_kind(st));
    if (strcmp(format, FORMAT))
        return fgti_fail(err, FGT_E_VERSION, "forecaster format %.20s is unknown; this library reads " FORMAT,
                         format);
    if (!windows || !columns)
        return fgti_fail(err, FGT_E_FORMAT, "\"forecast.windows\" or \"forecast.columns\" is missing");
    FGTI_TRY(fgti_block_read(err, "forecast.block", fgti_st_meta(st, "forecast.block"), &info->block));
    FGTI_TRY(fgti_config_read(err, windows_opts, windows, info));
    FGTI_TRY(fgti_opts_check(err, "forecast.windows", windows_opts, info));
    if (fgti_quantiles_check(err, info->quantiles, info->quantile_count) != FGT_OK)
        return fgti_fail(err, FGT_E_FORMAT, "\"forecast.windows\": the quantiles do not rise from 0 to 1");
    if (fgti_step_closes(&info->step) && !fgti_step_valid(&info->step))
        return fgti_fail(err, FGT_E_FORMAT, "\"forecast.windows\": the step of time is not valid");
    FGTI_TRY(fgti_extra_read_names(ctx, "forecast.columns", columns, names));
    info->columns = names->count - info->past - info->known;
    if (info->columns < 1 || (info->calendar | info->cycles) & FGT_CALENDAR_NONE)
        return fgti_fail(err, FGT_E_FORMAT,
                         "\"forecast.windows\": %lld past and %lld known of %lld columns, "
                         "calendar %d, cycles %d",
                         (long long)info->past, (long long)info->known, (long long)names->count,
                         (int)info->calendar, (int)info->cycles);
    return FGT_OK;
}

static fgt_status read_scaler(const fgti_st *st, fgt_forecaster *f)
{
    const int64_t columns = f->names.count;
    double       *both;
    FGTI_TRY(FGTI_NEW(f->ctx, 2 * columns, "scaler", &both));
    fgt_status s = fgti_st_read_f64(f->ctx, st, "forecast.mean", 1, &columns, both);
    if (s == FGT_OK) s = fgti_st_read_f64(f->ctx, st, "forecast.scale", 1, &columns, both + columns);
    if (s == FGT_OK)
        s = fgt_scaler_set_moments(f->scaler, FGT_VIEW_OF(FGT_DTYPE_F64, both, columns),
                                   FGT_VIEW_OF(FGT_DTYPE_F64, both + columns, columns));
    fgti_free(f->ctx, both);
    return s;
}

/* Reads the holidays. The number of their names must match the model's input. */
static fgt_status read_days(const fgti_st *st, const int64_t *entries, int64_t count, fgt_forecaster *f)
{
    fgti_strings names = {0};
    const char  *text  = fgti_st_meta(st, "forecast.holiday_names");
    fgt_status   s     = FGT_OK;
    if (text) s = fgti_extra_read_names(f->ctx, "forecast.holiday_names", text, &names);
    if (s == FGT_OK && FGTI_HOLIDAYS_PLAIN + names.count != f->info.holidays)
        s = fgti_fail(&f->ctx->error, FGT_E_FORMAT,
                      "\"forecast.holiday_names\": wrong number of names (got %lld, need %lld)",
                      (long long)names.count, (long long)f->info.holidays - FGTI_HOLIDAYS_PLAIN);
    if (s == FGT_OK) s = fgti_days_restore(f->ctx, entries, count, &names, &f->holidays);
    fgti_strings_done(f->ctx, &names);
    return s;
}

static fgt_status read_holidays(const fgti_st *st, fgt_forecaster *f)
{
    const fgti_st_tensor *t;
    int64_t              *entries;
    if (!f->info.holidays) return FGT_OK;
    FGTI_TRY(fgti_st_expect(f->ctx, st, "forecast.holidays", 2, (const int64_t[]){-1, 2}, &t));
    FGTI_TRY(FGTI_NEW(f->ctx, 2 * t->shape[0], "holidays", &entries));
    fgt_status s = fgti_st_read_i64(f->ctx, st, "forecast.holidays", 2, t->shape, entries);
    if (s == FGT_OK) s = read_days(st, entries, t->shape[0], f);
    fgti_free(f->ctx, entries);
    return s;
}

static fgt_status read_statics(const fgti_st *st, fgt_forecaster *f)
{
    const int64_t         shape[] = {f->info.columns, f->info.statics};
    const fgti_st_tensor *t;
    if (!f->info.statics) return FGT_OK;
    FGTI_TRY(fgti_st_expect(f->ctx, st, "forecast.static", 2, shape, &t)); /* checks the bytes, too */
    FGTI_TRY(FGTI_NEW(f->ctx, shape[0] * shape[1], "static features", &f->statics));
    return fgti_st_load_real(f->ctx, st, "forecast.static", 2, shape, f->statics);
}

static fgt_status read_form(const fgti_st *st, fgt_forecaster *f)
{
    const char *text = fgti_st_meta(st, "forecast.form");
    if (!text) return FGT_OK;
    FGTI_TRY(fgti_extra_read_names(f->ctx, "forecast.form", text, &f->form));
    if (f->form.count == 2 || f->form.count == 3) return FGT_OK;
    return fgti_fail(&f->ctx->error, FGT_E_FORMAT,
                     "\"forecast.form\": wrong number of names (got %lld, need 2 or 3)",
                     (long long)f->form.count);
}

static fgt_status read_counts(const fgti_st *st, fgt_forecaster *f)
{
    const int64_t c = f->info.columns;
    if (!fgti_st_find(st, "forecast.counts")) return FGT_OK;
    FGTI_TRY(FGTI_NEW(f->ctx, c, "counts", &f->counts));
    FGTI_TRY(fgti_st_read_i64(f->ctx, st, "forecast.counts", 1, &c, f->counts));
    for (int64_t i = 0; i < c; i++) {
        if (f->counts[i] < 0 || f->counts[i] > 1)
            return fgti_fail(&f->ctx->error, FGT_E_FORMAT, "\"forecast.counts\": element %lld is not 0 or 1",
                             (long long)i);
        f->info.counts += f->counts[i];
    }
    return FGT_OK;
}

static bool forecaster_has_input(const fgt_model *m, const char *name, int64_t rows, int64_t width)
{
    fgt_view v;
    return fgti_forecaster_find_input(m, name, &v) && v.dtype == FGTI_REAL && v.shape[v.rank - 1] == width &&
           fgt_view_count(&v) == rows * width;
}

/* Whether the model has an input `name` with one id for each window. Each pass checks the range of the
 * ids. */
static bool has_id(const fgt_model *m, const char *name)
{
    fgt_view v;
    return fgti_forecaster_find_input(m, name, &v) && v.dtype == FGT_DTYPE_I64 && fgt_view_count(&v) == 1;
}

/* Checks that the model maps [L,D] to [H,C], or [H,C,Q], and has an input for each kind of known values. */
static fgt_status forecaster_check_model(fgt_context *ctx, const fgt_model *m,
                                         const fgt_forecaster_info *info)
{
    const fgt_model_opts *in    = fgti_model_options(m);
    const int64_t         known = fgti_forecaster_known(info), q = info->quantile_count;
    const fgti_shape      out   = fgti_model_last_shape(m);
    const fgti_shape      want  = q ? (fgti_shape){info->pred_len, info->columns, q}
                                    : (fgti_shape){1, info->pred_len, info->columns};
    if (in->time != info->input_len || in->features != info->columns + info->past || in->nodes != 1 ||
        out.nodes != want.nodes || out.time != want.time || out.width != want.width ||
        (info->mask && !forecaster_has_input(m, FGTI_MISSING, info->input_len, info->columns + info->past)) ||
        (known && (!forecaster_has_input(m, FGTI_KNOWN_BEFORE, info->input_len, known) ||
                   !forecaster_has_input(m, FGTI_KNOWN, info->pred_len, known))) ||
        (info->statics && !forecaster_has_input(m, FGTI_STATIC, info->columns, info->statics)) ||
        (info->cycles & FGT_CALENDAR_DAY && !has_id(m, FGTI_TIME_OF_DAY)) ||
        (info->cycles & FGT_CALENDAR_WEEK && !has_id(m, FGTI_DAY_OF_WEEK)))
        return fgti_fail(&ctx->error, FGT_E_FORMAT,
                         "the model does not map windows of %lld rows to %lld rows of %lld columns",
                         (long long)info->input_len, (long long)info->pred_len, (long long)info->columns);
    return FGT_OK;
}

/* Checks the model first, so that a damaged file makes no allocations for its windows. */
static fgt_status forecaster_read_all(fgt_context *ctx, const fgti_st *st, const fgt_model_opts *opts,
                                      fgti_strings *names, fgt_forecaster **out)
{
    fgt_forecaster_info info;
    fgt_model          *model = NULL;
    FGTI_TRY(read_info(ctx, st, &info, names));
    FGTI_TRY(fgti_model_load_from(ctx, st, opts, &model));
    info.seed    = fgti_model_options(model)->seed;
    fgt_status s = forecaster_check_model(ctx, model, &info);
    if (s == FGT_OK) s = fgti_forecaster_new(ctx, &info, names, out);
    if (s != FGT_OK) {
        fgt_model_destroy(&model);
        return s;
    }
    (*out)->model  = model;
    (*out)->batch  = fgti_model_options(model)->batch;
    (*out)->season = fgti_calendar_season(&info.step);
    FGTI_TRY(read_form(st, *out));
    FGTI_TRY(read_holidays(st, *out));
    FGTI_TRY(read_statics(st, *out));
    FGTI_TRY(read_scaler(st, *out));
    FGTI_TRY(read_counts(st, *out));
    return fgti_kept_errors_read(st, *out);
}

static fgt_status forecaster_load(fgt_context *ctx, const fgti_input *in, const fgt_load_opts *opts,
                                  fgt_forecaster **out)
{
    fgt_model_opts model;
    fgti_strings names = {0};
    fgti_st     *st;
    FGTI_TRY(fgti_extra_open(ctx, in, opts, &model, &st));
    fgt_status s = forecaster_read_all(ctx, st, &model, &names, out);
    if (s != FGT_OK) fgt_forecaster_destroy(out);
    fgti_strings_done(ctx, &names);
    return fgti_extra_loaded(ctx, &st, s);
}

fgt_status fgt_forecaster_load(fgt_context *ctx, const fgt_input *from, const fgt_load_opts *opts,
                               fgt_forecaster **forecaster)
{
    fgti_input in;
    if (forecaster) *forecaster = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!forecaster) return fgti_fail(&ctx->error, FGT_E_ARG, "forecaster: result pointer is NULL");
    FGTI_TRY(fgti_input_from(&ctx->error, from, &in));
    return forecaster_load(ctx, &in, opts, forecaster);
}
