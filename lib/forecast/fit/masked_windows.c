/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/fit/masked_windows.h"

#include <math.h>
#include <string.h>

#include "core/rng.h"
#include "forecast/rows/frame.h"
#include "model/access.h"

/* ---- which patches are hidden ---- */

fgt_status fgti_masked_plan(const fgt_forecaster *f, double share, fgti_masked *m)
{
    const fgti_shape  patch = fgti_model_shape_of(f->model, "patch");
    const char *const end = fgti_model_input_of(f->model, "flatten");
    fgti_error       *err = &f->ctx->error;
    if (!end || !patch.time)
        return fgti_fail(err, FGT_E_STATE,
                         "masked: only a forecaster whose tokens are patches has patches to hide, and no "
                         "mean of several has them");
    if (fgti_model_shape_of(f->model, end).time != patch.time)
        return fgti_fail(err, FGT_E_STATE, "masked: %s with several layers joins patches to fewer tokens",
                         fgt_block_get_name(f->info.block));
    if (f->info.block == FGT_BLOCK_MLP)
        return fgti_fail(err, FGT_E_STATE, "masked: needs a block whose patches read each other (got mlp)");
    if (patch.time < 2)
        return fgti_fail(err, FGT_E_STATE, "masked: a window needs at least two patches (got 1)");
    if (fgti_model_slabs(f->model).serial)
        return fgti_fail(err, FGT_E_STATE,
                         "masked: it trains the layers themselves, which are frozen while an adapter is "
                         "active");
    const char *const from = fgti_model_input_of(f->model, "patch");

    m->patches = patch.time;
    m->length  = patch.width;
    m->stride  = (int64_t)fgti_model_option_of(f->model, "patch", "stride");
    m->rows    = *from ? fgti_model_shape_of(f->model, from).time : f->info.input_len;
    m->hidden  = (int64_t)(share * (double)patch.time + 0.5);
    if (m->hidden < 1) m->hidden = 1;
    if (m->hidden >= patch.time) m->hidden = patch.time - 1;
    return FGT_OK;
}

/* Hides runs from random first patches until M are hidden. A run is as long as the number of patches that
 * overlap with one patch. */
static void masked_windows_hide(fgti_masked *m, int64_t sample)
{
    const fgti_rng rng  = fgti_rng_of(m->seed, FGTI_STREAM_MASKS, (uint64_t)m->epoch, (uint64_t)sample);
    const int64_t  run  = 2 * ((m->length - 1) / m->stride) + 1;
    int64_t        left = m->hidden;
    fgti_rng_shuffle(rng, m->patches, m->order);
    memset(m->is_hidden, 0, (size_t)m->patches);
    for (int64_t i = 0; left; i++) {
        const int64_t count = fgti_least(run, left), first = fgti_least(m->order[i], m->patches - count);
        for (int64_t p = first; p < first + count; p++) {
            left -= !m->is_hidden[p];
            m->is_hidden[p] = 1;
        }
    }
}

/* Steps after the end of the window repeat its last step. */
static int64_t masked_windows_step_of(const fgti_masked *m, int64_t patch, int64_t i)
{
    return fgti_least(patch * m->stride + i, m->rows - 1);
}

static void find_shown(fgti_masked *m)
{
    memset(m->is_shown, 0, (size_t)m->rows);
    for (int64_t p = 0; p < m->patches; p++)
        for (int64_t i = 0; !m->is_hidden[p] && i < m->length; i++)
            m->is_shown[masked_windows_step_of(m, p, i)] = 1;
}

/* ---- the source ---- */

/* The target of a window [rows,D], which ends with the last row before the forecast. */
static void masked_windows_put_target(const fgti_masked *m, const float *rows, int64_t series, float *out)
{
    for (int64_t d = 0; d < series; d++)
        for (int64_t p = 0; p < m->patches; p++)
            for (int64_t i = 0; m->is_hidden[p] && i < m->length; i++) {
                const int64_t t = masked_windows_step_of(m, p, i);
                *out++          = m->is_shown[t] || isnan(rows[t * series + d]) ? NAN : 0;
            }
}

static fgt_status masked_get(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                             const fgt_view *target)
{
    fgti_masked          *m = user;
    const fgt_forecaster *f = m->feed.f;
    const int64_t         l = f->info.input_len, series = fgti_forecaster_inputs(f);
    const int64_t         values = series * m->hidden * m->length;
    float                *in = x->data, *out = target->data;
    const float          *rows;
    for (int64_t i = 0; i < n; i++, in += l * series, out += values) {
        const int64_t row = fgti_windows_row(m->feed.windows, index[i]);
        FGTI_TRY(fgti_frame_get_series(m->feed.frame, row - l, l, &rows));
        memcpy(in, rows, (size_t)(l * series) * sizeof *in);
        fgti_fill(in, l, series, f->season);
        masked_windows_hide(m, index[i]);
        find_shown(m);
        masked_windows_put_target(m, rows + (l - m->rows) * series, series, out);
    }
    return FGT_OK;
}

static fgt_status masked_value(void *user, const int64_t *index, int64_t n, const char *layer,
                               const fgt_view *value)
{
    fgti_masked *m      = user;
    const bool   hidden = !strcmp(layer, FGTI_HIDDEN);
    if (!hidden && strcmp(layer, FGTI_VISIBLE) != 0)
        return m->whole.get_value(m->whole.user, index, n, layer, value);
    int64_t *out = value->data;
    for (int64_t i = 0; i < n; i++) {
        masked_windows_hide(m, index[i]);
        for (int64_t p = 0; p < m->patches; p++)
            if (m->is_hidden[p] == hidden) *out++ = p;
    }
    return FGT_OK;
}

static void masked_begin(void *user, int64_t epoch)
{
    fgti_masked *m = user;
    m->epoch       = epoch;
}

fgt_status fgti_masked_init(fgti_masked *m, const fgt_forecaster *f, const fgti_frame *frame,
                            const char *what, int64_t begin, int64_t end, int64_t stride, int32_t reach_back,
                            fgt_source *source)
{
    FGTI_TRY(fgti_feed_init(&m->feed, f, frame, what, begin, end, stride, reach_back, &m->whole));
    FGTI_TRY(FGTI_NEW(f->ctx, m->patches, "masks", &m->order));
    FGTI_TRY(FGTI_NEW(f->ctx, m->patches, "masks", &m->is_hidden));
    FGTI_TRY(FGTI_NEW(f->ctx, m->rows, "masks", &m->is_shown));
    *source             = m->whole;
    source->get         = masked_get;
    source->get_value   = masked_value;
    source->begin_epoch = masked_begin;
    source->user        = m;
    return FGT_OK;
}

void fgti_masked_done(fgti_masked *m)
{
    if (!m->feed.f) return;
    fgt_context *ctx = m->feed.f->ctx;
    fgti_feed_done(&m->feed);
    fgti_free(ctx, m->order);
    fgti_free(ctx, m->is_hidden);
    fgti_free(ctx, m->is_shown);
}
