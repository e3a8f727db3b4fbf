/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/predict/forecaster_workspace.h"

#include <fighter/experimental/evaluate.h>
#include <fighter/experimental/exact.h>

#include <string.h>

#include "core/size.h"
#include "forecast/forecaster.h"
#include "forecast/known/calendar.h"
#include "forecast/known/statics.h"
#include "model/access.h"
#include "model/workspace/workspace_opts.h"

/* ---- the model's passes ---- */

fgt_status fgti_forecaster_get_passes(fgt_forecaster *f, fgt_workspace **passes)
{
    *passes = NULL;
    if (f->exact || !fgti_model_is_plain(f->model)) return FGT_OK;
    FGTI_TRY(fgti_passes_need(&f->passes, f->model));
    *passes = f->passes.own;
    return FGT_OK;
}

void fgti_forecaster_drop_passes(fgt_forecaster *f)
{
    fgti_passes_drop(&f->passes);
    if (f->own) f->own->passes = NULL;
}

fgt_status fgt_forecaster_set_exact(fgt_forecaster *forecaster, int32_t exact)
{
    if (!forecaster) return FGT_E_ARG;
    if (exact != 0 && exact != 1)
        return fgti_fail(&forecaster->ctx->error, FGT_E_ARG,
                         "forecaster: exact is wrong (got %d, need 0 or 1)", exact);
    forecaster->exact = exact;
    if (exact) fgti_forecaster_drop_passes(forecaster);
    return FGT_OK;
}

/* ---- memory ---- */

static fgt_status make_statics(fgt_forecaster_workspace *w)
{
    const fgt_forecaster *f = w->f;
    int64_t               count;
    if (!fgti_size_mul(w->batch, f->info.columns, &count) || !fgti_size_mul(count, f->info.statics, &count))
        return fgti_fail(&f->ctx->error, FGT_E_SIZE, "forecaster: static features are too large");
    FGTI_TRY(FGTI_NEW(f->ctx, count, "static features", &w->statics));
    if (f->statics) fgti_statics_repeat(f, w->batch, w->statics);
    return FGT_OK;
}

static fgt_status make_calendar(fgt_forecaster_workspace *w)
{
    const int64_t width = fgti_calendar_width(w->f->info.calendar);
    FGTI_TRY(FGTI_NEW(w->f->ctx, FGTI_TIMES, "calendar", &w->time));
    for (int64_t i = 0; i < FGTI_TIMES; i++) w->time[i] = INT64_MIN; /* a value that no time has */
    return FGTI_NEW(w->f->ctx, FGTI_TIMES * width, "calendar", &w->calendar);
}

static fgt_status make_windows(fgt_forecaster_workspace *w)
{
    const fgt_forecaster *f   = w->f;
    fgt_context          *ctx = f->ctx;
    const int64_t         l = f->info.input_len, h = f->info.pred_len, k = fgti_forecaster_known(&f->info);
    const int64_t         heads = fgti_forecaster_heads(f);
    int64_t               in, out, x, y, all, before, known;
    if (!fgti_size_mul(w->batch, l, &in) || !fgti_size_mul(w->batch, h, &out) ||
        !fgti_size_mul(in, fgti_forecaster_inputs(f), &x) || !fgti_size_mul(out, f->info.columns, &y) ||
        !fgti_size_mul(y, heads, &all) || !fgti_size_mul(in, k, &before) || !fgti_size_mul(out, k, &known))
        return fgti_fail(&ctx->error, FGT_E_SIZE,
                         "forecaster: %lld windows of %lld and %lld rows are too large", (long long)w->batch,
                         (long long)l, (long long)h);
    FGTI_TRY(FGTI_NEW(ctx, x, "windows", &w->x));
    FGTI_TRY(FGTI_NEW(ctx, y, "forecasts", &w->y));
    w->all = w->y;
    if (f->info.quantile_count) FGTI_TRY(FGTI_NEW(ctx, all, "quantiles", &w->all));
    if (f->info.mask) FGTI_TRY(FGTI_NEW(ctx, x, "mask of windows", &w->missing));
    FGTI_TRY(FGTI_NEW(ctx, before, "known values", &w->before));
    FGTI_TRY(FGTI_NEW(ctx, known, "known values", &w->known));
    FGTI_TRY(make_statics(w));
    FGTI_TRY(make_calendar(w));
    FGTI_TRY(FGTI_NEW(ctx, w->batch, "times of the day", &w->day));
    FGTI_TRY(FGTI_NEW(ctx, w->batch, "days of the week", &w->week));
    FGTI_TRY(FGTI_NEW(ctx, f->names.count, "columns", &w->column));
    FGTI_TRY(FGTI_NEW(ctx, f->info.columns, "columns", &w->begin));
    return FGTI_NEW(ctx, f->info.known, "columns", &w->future);
}

/* Whether a row of the forecast depends only on the known values of that row. The result is false for layers
 * that read the known values of all rows, and for decoders. Such models have inputs with the names in
 * `whole`. In a mean of members a prefix precedes the name. */
static bool knows_by_row(const fgt_model *m)
{
    static const char *const whole[] = {"profile_future", "known_rows"};
    fgt_layer_info           layer   = {.size = sizeof layer};
    for (int64_t i = 0; i < fgti_model_layers(m); i++) {
        if (fgt_model_get_layer(m, i, &layer) != FGT_OK) return false;
        for (size_t k = 0; k < sizeof whole / sizeof *whole; k++) {
            const size_t n = strlen(layer.name), size = strlen(whole[k]);
            if (n >= size && !strcmp(layer.name + n - size, whole[k])) return false;
        }
    }
    return true;
}

/* The cast from const is safe: only the thread that uses the context makes and destroys workspaces, so other
 * threads that predict with the forecaster see no change. */
static fgti_passes *passes_of(const fgt_forecaster *f)
{
    return &((fgt_forecaster *)f)->passes;
}

/* Frees the memory of a workspace, but not the struct itself. */
static void predict_release(fgt_forecaster_workspace *w)
{
    fgt_context *ctx = w->f->ctx;
    fgti_passes_end(passes_of(w->f), &w->made);
    fgti_free(ctx, w->x);
    if (w->all != w->y) fgti_free(ctx, w->all);
    fgti_free(ctx, w->y);
    fgti_free(ctx, w->missing);
    fgti_free(ctx, w->before);
    fgti_free(ctx, w->known);
    fgti_free(ctx, w->statics);
    fgti_free(ctx, w->time);
    fgti_free(ctx, w->calendar);
    fgti_free(ctx, w->day);
    fgti_free(ctx, w->week);
    fgti_free(ctx, w->column);
    fgti_free(ctx, w->begin);
    fgti_free(ctx, w->future);
    *w = (fgt_forecaster_workspace){.f = w->f, .error = &ctx->error};
}

/* Makes the memory of a workspace. opts NULL: it is the forecaster's own workspace, which gets its passes
 * later. */
static fgt_status predict_fill(fgt_forecaster_workspace *w, const fgt_workspace_opts *opts)
{
    const fgt_forecaster *f = w->f;
    w->batch                = opts ? opts->batch : f->batch;
    w->by_row               = knows_by_row(f->model);
    FGTI_TRY(make_windows(w));
    if (!opts) return FGT_OK;
    FGTI_TRY(fgti_passes_new(passes_of(f), f->model, f->exact, opts, &w->made));
    w->error  = fgti_workspace_sentence(w->made);
    w->passes = w->made;
    return FGT_OK;
}

static fgt_status new_handle(const fgt_forecaster *f, fgt_forecaster_workspace **out)
{
    FGTI_TRY(FGTI_NEW(f->ctx, 1, "workspace of a forecaster", out));
    **out = (fgt_forecaster_workspace){.f = f, .error = &f->ctx->error};
    return FGT_OK;
}

fgt_status fgti_forecaster_workspace_lend(fgt_forecaster *f)
{
    return new_handle(f, &f->lent);
}

fgt_status fgti_forecaster_need_workspace(fgt_forecaster *f)
{
    const fgt_status s = f->own ? FGT_OK : predict_fill(f->lent, NULL);
    if (s != FGT_OK) predict_release(f->lent);
    FGTI_TRY(s);
    f->own = f->lent;
    return fgti_forecaster_get_passes(f, &f->own->passes);
}

/* The cast from const is safe: the forecaster's own workspace is not for threads. */
fgt_status fgti_forecaster_workspace_begin(fgt_forecaster_workspace *w)
{
    return w == w->f->lent ? fgti_forecaster_need_workspace((fgt_forecaster *)w->f) : FGT_OK;
}

fgt_forecaster_workspace *fgt_forecaster_get_workspace(fgt_forecaster *forecaster)
{
    return forecaster ? forecaster->lent : NULL;
}

fgt_status fgt_forecaster_create_workspace(const fgt_forecaster *forecaster, const fgt_workspace_opts *opts,
                                           fgt_forecaster_workspace **ws)
{
    fgt_workspace_opts o;
    if (ws) *ws = NULL;
    if (!forecaster) return FGT_E_ARG;
    fgti_error *err = &forecaster->ctx->error;
    if (!ws) return fgti_fail(err, FGT_E_ARG, "workspace: result pointer is NULL");
    FGTI_TRY(fgti_workspace_opts_read(err, opts, 1, &o));
    if (o.tokens)
        return fgti_fail(err, FGT_E_ARG, "workspace: tokens is wrong (got %lld, need 0 for a forecaster)",
                         (long long)o.tokens);
    FGTI_TRY(new_handle(forecaster, ws));
    const fgt_status s = predict_fill(*ws, &o);
    if (s != FGT_OK) fgt_forecaster_workspace_destroy(ws);
    return s;
}

void fgt_forecaster_workspace_destroy(fgt_forecaster_workspace **ws)
{
    if (!ws || !*ws) return;
    fgt_forecaster_workspace *w = *ws;
    *ws                         = NULL;
    if (w == w->f->lent) return;
    fgt_context *ctx = w->f->ctx;
    predict_release(w);
    fgti_free(ctx, w);
}

void fgti_forecaster_workspace_end(fgt_forecaster *f)
{
    if (f->lent) predict_release(f->lent);
    fgti_free(f->ctx, f->lent);
}

const char *fgt_forecaster_workspace_get_error(const fgt_forecaster_workspace *ws)
{
    return ws ? ws->error->text : "";
}
