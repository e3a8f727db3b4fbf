/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits a forecaster, which was chosen by some rows, again to all rows. */
#include <math.h>
#include <string.h>

#include <fighter/experimental/evaluate.h>

#include "data/table.h"
#include "forecast/build/closed_form.h"
#include "forecast/build/token_layers.h"
#include "forecast/fit/fit.h"
#include "forecast/forecaster.h"
#include "forecast/forecaster_create.h"
#include "forecast/predict/calibrate.h"
#include "forecast/predict/calibration.h"
#include "forecast/predict/kept_errors.h"
#include "forecast/rows/feed.h"
#include "forecast/rows/frame.h"
#include "forecast/rows/scale.h"
#include "model/access.h"
#include "model/guard.h"

/* The layers are trained further for a few epochs at a low rate. */
#define EPOCHS 3
#define RATE   2e-4

typedef struct refit {
    fgt_forecaster  *old, *next;
    const fgt_table *table;
    fgt_split        split; /* of the old forecaster */
    fgt_split        all;   /* split of the new forecaster: training rows up to the last one with a target */
} refit;

/* ---- a copy ---- */

static fgt_status refit_copy(fgt_forecaster *f, fgt_forecaster **out)
{
    int64_t bytes;
    void   *file;
    FGTI_TRY(fgt_forecaster_save(f, FGT_TO_MEMORY(NULL, 0, &bytes)));
    FGTI_TRY(fgti_alloc(f->ctx, bytes, 1, "copy of a forecaster", &file));
    fgt_status s = fgt_forecaster_save(f, FGT_TO_MEMORY(file, bytes, &bytes));
    if (s == FGT_OK) s = fgt_forecaster_load(f->ctx, FGT_FROM_MEMORY(file, bytes), NULL, out);
    fgti_free(f->ctx, file);
    return s;
}

/* ---- parameters ---- */

/* The name that a parameter had before its model became a member of a mean. */
static const char *own_name(const char *name)
{
    static const char before[] = "member";
    const char       *dot;
    while (!strncmp(name, before, sizeof before - 1) && (dot = strchr(name, '.'))) name = dot + 1;
    return name;
}

static bool has_map(const fgt_forecaster *f)
{
    const fgti_param *p;
    for (int64_t i = 0; (p = fgti_model_param(f->model, i)); i++)
        if (!strcmp(own_name(p->full_name), "skip.weight")) return true;
    return false;
}

/* Whether the trained layers add anything to the map. Without a map there are always layers. The bias of the
 * last map is no sign of layers, because quantiles begin with it (first_quantiles.h). */
static bool refit_has_layers(const fgt_forecaster *f)
{
    const fgti_real  *weights = fgti_model_slabs(f->model).weights;
    const fgti_param *p;
    if (!has_map(f)) return true;
    for (int64_t i = 0; (p = fgti_model_param(f->model, i)); i++) {
        const char *name = own_name(p->full_name);
        if (!strcmp(name, "head.bias")) continue;
        if (!fgti_is_last_map(name) && strncmp(name, "effect_out.", 11) != 0) continue;
        for (int64_t k = 0; k < p->count; k++)
            if (weights[p->offset + k] != 0) return true;
    }
    return false;
}

/* ---- the scaler ---- */

static bool shares_scale(const fgt_forecaster *f)
{
    const double *mean = f->scaler->mean, *scale = f->scaler->scale;
    int64_t       c    = 1;
    while (c < f->info.columns && mean[c] == mean[0] && scale[c] == scale[0]) c++;
    return f->info.columns > 1 && c == f->info.columns;
}

static fgt_status refit_fit_scaler(const refit *r)
{
    const fgt_forecaster *f      = r->old;
    fgt_table            *chosen = NULL;
    int64_t              *index;
    FGTI_TRY(FGTI_NEW(f->ctx, f->names.count, "columns", &index));
    fgt_status s = FGT_OK;
    for (int64_t c = 0; s == FGT_OK && c < f->names.count; c++)
        s = fgti_table_find_part(&f->ctx->error, r->table, fgti_strings_get(&f->names, c), &index[c]);
    if (s == FGT_OK && !r->table->store)
        s = fgt_table_create_subset(r->table, index, f->names.count, &chosen);
    if (s == FGT_OK)
        s = fgti_forecaster_fit_scaler(
            r->next, (fgti_scaling){.shared = shares_scale(f), .keeps_0 = fgti_forecaster_keeps_0(f)},
            chosen ? chosen : r->table, &r->all, index);
    fgt_table_destroy(&chosen);
    fgti_free(f->ctx, index);
    return s;
}

/* ---- the map ---- */

/* Finds the share s in the weights w. If the layers were trained apart from the map M, the map became s x_L +
 * (1 - s) M, where x_L is the last value of the window. */
static double find_share(const fgti_real *w, const double *map, int64_t count, int64_t lags)
{
    double product = 0, square = 0;
    for (int64_t k = 0; k < count; k++) {
        const double more = (double)(k % lags == lags - 1) - map[k];
        product += ((double)w[k] - map[k]) * more;
        square += more * more;
    }
    return square > 0 ? fmin(fmax(product / square, 0), 1) : 0;
}

/* Parameters in a closed form. */
typedef struct part {
    const double *from; /* NULL: the closed form has no parameter of this name */
    int64_t       count;
    bool          lines, map; /* lines: the weights of the map; map: its weights or its bias, or the map of
                               * past columns */
} part;

static part refit_find_part(const fgt_forecaster *f, const fgti_closed_form *c, const char *name)
{
    const int64_t rows = c->map.maps * f->info.pred_len, inputs = fgti_forecaster_inputs(f);
    const int64_t known = fgti_forecaster_known(&f->info), cells = f->info.pred_len * f->info.columns;
    const fgti_past_map *past = &c->map.past;
    if (!strcmp(name, "skip.weight")) return (part){c->map.weight, rows * f->info.input_len, true, true};
    if (!strcmp(name, "skip.bias")) return (part){c->map.bias, rows, false, true};
    if (!strcmp(name, "past_linear.weight"))
        return (part){past->weight, cells * past->lags * inputs, false, true};
    if (!strcmp(name, "past_linear.bias")) return (part){past->bias, cells, false, true};
    if (!strcmp(name, "effect_linear.weight")) return (part){c->effect, inputs * known, false, false};
    if (!strcmp(name, "effect_linear.bias")) return (part){c->level, inputs, false, false};
    return (part){0};
}

/* Sets the map. before: the weights of the old map as they were fitted, from which the share of the last
 * value is found; NULL: this share is 0. */
static void put_map(fgt_forecaster *f, const double *before, const fgti_closed_form *c)
{
    fgti_real        *weights = fgti_model_slabs(f->model).weights;
    const int64_t     lags    = f->info.input_len;
    const fgti_param *p;
    double            share = 0; /* share of the last value in the member whose parameters are being set */
    for (int64_t i = 0; (p = fgti_model_param(f->model, i)); i++) {
        fgti_real *w = weights + p->offset;
        const part n = refit_find_part(f, c, own_name(p->full_name));
        if (!n.from || n.count != p->count) continue; /* a file may have other layers of this name */
        if (n.lines) share = before ? find_share(w, before, p->count, lags) : 0;
        for (int64_t k = 0; k < p->count; k++) {
            const double last = n.lines && k % lags == lags - 1, kept = n.map ? share : 0;
            w[k]              = (fgti_real)(kept * last + (1 - kept) * n.from[k]);
        }
    }
    fgti_model_changed(f->model);
}

/* Reads the last rows of a table on disk, as many as fit into memory. If these rows are not all rows of the
 * split, their last quarter chooses the weights in the mean of the regressions. */
static fgt_status refit_read_rows(const refit *r, fgt_table **rows, fgt_split *split, int64_t *end)
{
    const int64_t window = r->old->info.input_len + r->old->info.pred_len;
    fgt_split     seen;
    FGTI_TRY(fgti_forecaster_read_excerpt(window, r->table, &r->all, rows, &seen));
    const int64_t first = r->all.train_end - seen.train_end, cut = seen.train_end - seen.train_end / 4;
    *end                = seen.train_end;
    *split = (fgt_split){.train_end = cut, .val_begin = cut, .val_end = *end};
    if (first == r->split.train_begin)
        *split = (fgt_split){.train_end = r->split.train_end - first,
                             .val_begin = r->split.val_begin - first,
                             .val_end   = r->split.val_end - first};
    return FGT_OK;
}

/* Fits the old map again. The map that the old forecaster has now is another one only if the layers were
 * trained apart. */
static fgt_status fit_before(const refit *r, fgti_closed_form *c)
{
    const int64_t window = r->old->info.input_len + r->old->info.pred_len;
    fgt_table    *rows   = NULL;
    fgt_split     split  = r->split;
    fgt_status    s      = FGT_OK;
    if (r->table->store) s = fgti_forecaster_read_excerpt(window, r->table, &r->split, &rows, &split);
    if (s == FGT_OK) s = fgti_closed_form_fit(r->old, rows ? rows : r->table, &split, split.train_end, c);
    fgt_table_destroy(&rows);
    return s;
}

/* Fits the map to all rows. The validation rows choose the weights in the mean of the regressions, as for the
 * old map. */
static fgt_status refit_fit_map(const refit *r)
{
    fgti_closed_form before = {0}, c = {0};
    fgt_table       *rows  = NULL;
    fgt_split        split = r->split;
    int64_t          end   = r->all.train_end;
    fgt_status       s     = FGT_OK;
    if (r->table->store) s = refit_read_rows(r, &rows, &split, &end);
    if (s == FGT_OK) s = fgti_closed_form_fit(r->next, rows ? rows : r->table, &split, end, &c);
    if (s == FGT_OK && refit_has_layers(r->old)) s = fit_before(r, &before);
    const double *was = before.map.maps == c.map.maps ? before.map.weight : NULL;
    if (s == FGT_OK && c.map.maps) put_map(r->next, was, &c);
    fgti_closed_form_done(r->old->ctx, &c);
    fgti_closed_form_done(r->old->ctx, &before);
    fgt_table_destroy(&rows);
    return s;
}

/* ---- the layers ---- */

static fgt_status refit_train(const refit *r, const fgt_forecaster_fit_opts *o, fgt_fit_report *report)
{
    fgt_forecaster *f     = r->next;
    fgti_frame      frame = {0};
    fgti_feed       d     = {0};
    fgt_source      source;
    fgt_status      s = fgti_frame_init(f, r->table, &frame);
    if (s == FGT_OK)
        s = fgti_feed_init(&d, f, &frame, "refit", r->all.train_begin, r->all.train_end, 1, 0, &source);
    if (s == FGT_OK) s = fgti_forecaster_train(f, o, &source, NULL, 1, report);
    fgti_feed_done(&d);
    fgti_frame_done(f, &frame);
    return s;
}

/* ---- errors ---- */

/* Keeps errors for the next forecaster: the errors of the old one on rows that it was not trained on. */
static fgt_status keep_errors(const refit *r)
{
    fgt_forecaster  *f = r->old, *next = r->next;
    const bool       timed = fgti_table_has_times(r->table) && f->info.seen_last;
    const int64_t    first = timed ? fgti_calibration_first(f, r->table) : r->split.train_end;
    fgt_calibration *all   = NULL;
    fgt_status       s     = fgti_calibration_make(f, r->table, first, -1, r->all.train_end, &all);
    if (s == FGT_E_DATA) return FGT_OK; /* too few windows */
    if (s == FGT_OK) s = fgti_kept_errors_of(next, all, &next->kept);
    fgt_calibration_destroy(&all);
    return s;
}

/* ---- the refit ---- */

static fgt_status refit_run(const refit *r, const fgt_forecaster_fit_opts *o, fgt_fit_report *report)
{
    fgt_fit_report nothing = {
        .size = sizeof nothing, .train_loss = NAN, .best_loss = NAN, .share = NAN};
    FGTI_TRY(fgti_check_sign(r->old, r->table, r->all.train_begin, r->all.train_end));
    FGTI_TRY(refit_fit_scaler(r));
    if (has_map(r->old)) FGTI_TRY(refit_fit_map(r));
    if (refit_has_layers(r->old))
        FGTI_TRY(refit_train(r, o, report));
    else if (report)
        (void)fgti_result_write(NULL, "", &nothing, sizeof nothing, report); /* checked before */
    fgti_forecaster_remember(r->next, r->table, &r->all);
    return keep_errors(r);
}

static fgt_status check_rows(refit *r)
{
    fgti_error   *err = &r->old->ctx->error;
    const int64_t end = fgt_forecaster_find_row(r->old, r->table);
    if (end < 0) return fgti_fail(err, FGT_E_NAME, "refit: the table lacks a target");
    if (fgti_model_slabs(r->old->model).serial)
        return fgti_fail(err, FGT_E_STATE,
                         "refit: an adapter is active, which is for the weights as they are");
    FGTI_TRY(fgti_forecaster_check_split(r->old->ctx, r->table, &r->split));
    r->all = (fgt_split){.train_begin = r->split.train_begin, .train_end = end};
    if (r->split.train_end <= end && r->split.val_end <= end) return FGT_OK;
    return fgti_fail(err, FGT_E_ARG,
                     "refit: training or validation rows lie after row %lld, the last one with a target",
                     (long long)end - 1);
}

fgt_status fgt_forecaster_create_refit(fgt_forecaster *forecaster, const fgt_table *table,
                                       const fgt_split *split, const fgt_forecaster_fit_opts *opts,
                                       fgt_fit_report *report, fgt_forecaster **all)
{
    refit                   r = {.old = forecaster, .table = table};
    fgt_forecaster_fit_opts o;
    if (all) *all = NULL;
    if (!forecaster) return FGT_E_ARG;
    fgti_error *err = &forecaster->ctx->error;
    if (!table || !split || !all)
        return fgti_fail(err, FGT_E_ARG, "refit: table, split or result pointer is NULL");
    r.split = *split;
    FGTI_TRY(fgti_opts_read(err, "fgt_forecaster_fit_opts", opts, &o, sizeof o));
    FGTI_TRY(check_rows(&r));
    if (!o.training.epochs) o.training.epochs = EPOCHS;
    if (o.training.lr == 0) o.training.lr = RATE;
    const int64_t windows =
        fgt_forecaster_count_windows(forecaster, r.all.train_begin, r.all.train_end, 1);
    FGTI_TRY(fgti_fit_opts_check(forecaster, windows, &o));
    o.apart = 0; /* layers and map are blended already, and are trained further together */
    if (report) FGTI_TRY(fgti_result_check(err, "fgt_fit_report", report));
    FGTI_TRY(refit_copy(forecaster, &r.next));
    const fgt_status s = refit_run(&r, &o, report);
    if (s != FGT_OK) fgt_forecaster_destroy(&r.next);
    if (s == FGT_OK) r.next->exact = forecaster->exact;
    *all = r.next;
    return s;
}
