/* SPDX-License-Identifier: BSD-3-Clause */
/* A tracker of layers with attention during training: creation, the times of its records, and its results. */
#include "analysis/tracked.h"

#include <math.h>
#include <string.h>

#include "analysis/attending.h"
#include "analysis/node_name.h"
#include "analysis/tracker_record.h"
#include "core/context.h"
#include "core/opts.h"
#include "model/access.h"
#include "model/files/file_output.h"
#include "model/pass/own_pass.h"
#include "model/pass/values.h"

static const fgti_opt tracker_opts[] = {
    FGTI_FIELD(fgt_tracker_opts, layer_count, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_tracker_opts, powers, I64, 1, FGTI_POWERS_MAX, 1),
    FGTI_FIELD(fgt_tracker_opts, epochs, I64, 1, FGTI_OPT_SIZE_MAX, 1),
    FGTI_FIELD(fgt_tracker_opts, steps, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_tracker_opts, ranks, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_tracker_opts, hops, BOOL, 0, 1, 0),
    {0},
};

/* ---- creation ---- */

static fgt_status tracker_add_layer(fgt_tracker *k, const char *name)
{
    FGTI_TRY(fgti_attending_find(k->model, name, NULL, NULL));
    FGTI_TRY(fgti_strdup(k->ctx, name, &k->layer[k->layers]));
    k->layers++;
    return FGT_OK;
}

static fgt_status add_all_layers(fgt_tracker *k)
{
    const int64_t n = fgti_model_layers(k->model);
    if (!n) return fgti_fail(&k->ctx->error, FGT_E_STATE, "tracker: the model has no layers");
    FGTI_TRY(FGTI_NEW(k->ctx, n, "layers", &k->layer));
    for (int64_t i = 0; i < n; i++) {
        fgt_layer_info info = {.size = sizeof info};
        FGTI_TRY(fgt_model_get_layer(k->model, i, &info));
        if (info.adjacency == FGT_ADJACENCY_ATTENTION || info.adjacency == FGT_ADJACENCY_LEARNED)
            FGTI_TRY(tracker_add_layer(k, info.name));
    }
    if (k->layers) return FGT_OK;
    return fgti_fail(&k->ctx->error, FGT_E_UNSUPPORTED,
                     "tracker: no layer of the model has attention or learns a graph");
}

static fgt_status tracker_add_layers(fgt_tracker *k)
{
    const char *const *names = k->opts.layers;
    if (!names != !k->opts.layer_count)
        return fgti_fail(&k->ctx->error, FGT_E_ARG, "tracker: layers and layer_count do not fit together");
    if (!names) return add_all_layers(k);
    FGTI_TRY(FGTI_NEW(k->ctx, k->opts.layer_count, "layers", &k->layer));
    for (int64_t i = 0; i < k->opts.layer_count; i++) {
        if (!names[i]) return fgti_fail(&k->ctx->error, FGT_E_ARG, "tracker: a layer's name is NULL");
        FGTI_TRY(tracker_add_layer(k, names[i]));
    }
    k->opts.layers = NULL; /* belongs to the caller */
    return FGT_OK;
}

static fgt_status tracker_copy_input(fgt_tracker *k, const fgt_view *x)
{
    if (!x) return FGT_OK;
    FGTI_TRY(fgti_model_output(k->model, x, &k->y));
    FGTI_TRY(fgti_values_copy(k->model, &k->values));
    const int64_t count = fgt_view_count(x);
    k->x                = *x;
    FGTI_TRY(fgti_alloc(k->ctx, count, fgti_dtype_size(x->dtype), "batch of the tracker", &k->x.data));
    memcpy(k->x.data, x->data, (size_t)count * fgti_dtype_size(x->dtype));
    return fgti_alloc(k->ctx, fgt_view_count(&k->y), sizeof(fgti_real), "output of the tracker", &k->y.data);
}

static fgt_status tracker_fill(fgt_tracker *k, const fgt_tracker_opts *opts, const fgt_view *x)
{
    fgti_error *err = &k->ctx->error;
    FGTI_TRY(fgti_opts_read(err, "fgt_tracker_opts", opts, &k->opts, sizeof k->opts));
    FGTI_TRY(fgti_opts_check(err, "fgt_tracker_opts", tracker_opts, &k->opts));
    if (!x == !k->opts.pass) return fgti_fail(err, FGT_E_ARG, "tracker: wrong x and pass (need one of them)");
    FGTI_TRY(tracker_add_layers(k));
    return tracker_copy_input(k, x);
}

fgt_status fgt_tracker_create(fgt_model *model, const fgt_tracker_opts *opts, const fgt_view *x,
                              fgt_tracker **tracker)
{
    if (tracker) *tracker = NULL;
    if (!model) return FGT_E_ARG;
    fgt_context *ctx = fgti_model_context(model);
    if (!tracker) return fgti_fail(&ctx->error, FGT_E_ARG, "tracker: tracker is NULL");
    FGTI_TRY(FGTI_NEW(ctx, 1, "tracker", tracker));
    (*tracker)->model  = model;
    (*tracker)->ctx    = ctx;
    const fgt_status s = tracker_fill(*tracker, opts, x);
    if (s != FGT_OK) fgt_tracker_destroy(tracker);
    return s;
}

void fgt_tracker_destroy(fgt_tracker **tracker)
{
    if (!tracker || !*tracker) return;
    fgt_tracker *k   = *tracker;
    fgt_context *ctx = k->ctx;
    for (int64_t i = 0; i < k->layers; i++) fgti_free(ctx, k->layer[i]);
    fgti_free(ctx, k->layer);
    if (!k->opts.pass) {
        fgti_free(ctx, k->y.data);
        fgti_free(ctx, k->x.data);
    }
    fgti_values_done(ctx, &k->values);
    fgti_free(ctx, k->row);
    fgti_free(ctx, k);
    *tracker = NULL;
}

/* ---- recording ---- */

/* Whether the step was recorded already. A step is reported again for a batch without targets, and the last
 * step of an epoch again as its end. Another training has the same step numbers. */
static bool is_recorded(const fgt_tracker *k, const fgt_progress *p)
{
    const fgti_tracked *last = k->within ? &k->row[k->rows - 1] : NULL;
    return last && last->epoch == p->epoch && last->step == p->step;
}

static bool is_due(const fgt_tracker *k, const fgt_progress *p)
{
    if (p->epoch_done) return p->epoch % k->opts.epochs == 0;
    return k->opts.steps && p->step > 0 && p->step % k->opts.steps == 0;
}

static fgt_status make_pass(fgt_tracker *k)
{
    if (k->opts.pass) return k->opts.pass(k->opts.user);
    return fgti_model_predict(k->model, &k->x, &k->y);
}

/* Records with the tracker's values in place of the host's. The values include masks, on which the matrices
 * depend. If the call is refused before the pass, the matrices and the masks of the host's last pass stay. */
static fgt_status record(fgt_tracker *k, int64_t epoch, int64_t step)
{
    if (!k->opts.pass) FGTI_TRY(fgti_model_check_stateless(k->model, "tracker"));
    fgti_values_swap(k->model, &k->values);
    fgt_status s = make_pass(k);
    if (s == FGT_OK) s = fgti_tracker_record(k, epoch, step);
    fgti_values_swap(k->model, &k->values);
    return s;
}

fgt_status fgt_tracker_record(fgt_tracker *tracker, const fgt_progress *progress)
{
    fgt_progress p;
    if (!tracker) return FGT_E_ARG;
    FGTI_TRY(fgti_opts_read(&tracker->ctx->error, "fgt_progress", progress, &p, sizeof p));
    const bool recorded = progress && is_recorded(tracker, &p);
    tracker->within     = recorded && !p.epoch_done;
    if (recorded || (progress && !is_due(tracker, &p))) return FGT_OK;
    FGTI_TRY(record(tracker, p.epoch, p.step));
    tracker->within = progress && !p.epoch_done;
    return FGT_OK;
}

/* ---- the table ---- */

int64_t fgt_tracker_count_rows(const fgt_tracker *tracker)
{
    return tracker ? tracker->rows : 0;
}

fgt_status fgt_tracker_get_row(const fgt_tracker *tracker, int64_t i, fgt_tracker_row *row)
{
    if (!tracker) return FGT_E_ARG;
    fgti_error *err = &tracker->ctx->error;
    if (!row) return fgti_fail(err, FGT_E_ARG, "tracker: row is NULL");
    if (i < 0 || i >= tracker->rows)
        return fgti_fail(err, FGT_E_ARG, "tracker: row is out of range (got %lld, of %lld)", (long long)i,
                         (long long)tracker->rows);
    const fgti_tracked   *t = &tracker->row[i];
    const fgt_tracker_row r = {.size      = sizeof r,
                               .epoch     = t->epoch,
                               .step      = t->step,
                               .layer     = tracker->layer[t->layer],
                               .head      = t->head,
                               .power     = t->power,
                               .statistic = t->statistic,
                               .value     = t->value};
    return fgti_result_write(err, "fgt_tracker_row", &r, sizeof r, row);
}

/* Appends a cell with the number; the cell is empty if there is no number. */
static fgt_status put_cell(fgti_text *t, bool there, double v)
{
    char number[FGTI_NUMBER_TEXT_MAX];
    if (there) FGTI_TRY(fgti_text_put(t, fgti_number_text(v, number)));
    return fgti_text_put(t, ",");
}

static fgt_status tracker_put_row(fgti_text *t, const fgt_tracker *k, const fgti_tracked *r)
{
    char       number[FGTI_NUMBER_TEXT_MAX];
    const bool hop = r->statistic >= FGT_HOP_MEASURE_NORM;
    FGTI_TRY(put_cell(t, true, (double)r->epoch));
    FGTI_TRY(put_cell(t, true, (double)r->step));
    FGTI_TRY(fgti_text_put(t, "\""));
    FGTI_TRY(fgti_name_put(t, FGT_EDGES_FORMAT_CSV, k->layer[r->layer]));
    FGTI_TRY(fgti_text_put(t, "\","));
    FGTI_TRY(put_cell(t, r->head >= 0, (double)r->head));
    FGTI_TRY(put_cell(t, r->power > 0 || hop, (double)r->power));
    FGTI_TRY(fgti_text_put(t, fgt_statistic_get_name((int32_t)r->statistic)));
    FGTI_TRY(fgti_text_put(t, ","));
    if (!isnan(r->value)) FGTI_TRY(fgti_text_put(t, fgti_number_text(r->value, number)));
    return fgti_text_put(t, "\n");
}

fgt_status fgt_tracker_save(const fgt_tracker *tracker, const fgt_output *output)
{
    fgti_output out;
    if (!tracker) return FGT_E_ARG;
    FGTI_TRY(fgti_output_to(&tracker->ctx->error, output, &out));
    fgti_text  t = {.ctx = tracker->ctx};
    fgt_status s = fgti_text_put(&t, "epoch,step,layer,head,power,statistic,value\n");
    for (int64_t i = 0; i < tracker->rows && s == FGT_OK; i++)
        s = tracker_put_row(&t, tracker, &tracker->row[i]);
    if (s == FGT_OK) s = fgti_output_whole(tracker->ctx, &out, t.s, t.length);
    fgti_text_done(&t);
    return s;
}
