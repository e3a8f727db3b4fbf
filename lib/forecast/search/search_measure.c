/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors of a candidate in the validation rows. */
#include "forecast/search/search_measure.h"

#include <math.h>
#include <string.h>

#include "core/size.h"
#include "forecast/forecaster.h"
#include "forecast/predict/forecaster_workspace.h"
#include "forecast/rows/feed.h"
#include "train/evaluate.h"

/* Computes mean and standard error of the gains over blocks of windows. Overlapping windows have nearly equal
 * errors, but blocks of 2 H windows are less dependent. Fewer than 4 blocks give no usable standard error. */
static void search_measure_compare(const fgti_search *s, fgti_score_of *score)
{
    const int64_t n = s->windows, length = fgti_least(2 * s->base.pred_len, n / 4);
    const int64_t blocks = length ? n / length : 0;
    double        sum = 0, square = 0;
    score->gain  = isfinite(s->map_loss) ? s->map_loss - score->loss : NAN;
    score->error = isfinite(s->map_loss) ? INFINITY : NAN;
    if (!blocks || !isfinite(s->map_loss)) return;
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t begin = b * n / blocks, end = (b + 1) * n / blocks;
        double        gain = 0;
        for (int64_t i = begin; i < end; i++) gain += (double)s->map[i] - (double)s->losses[i];
        gain /= (double)(end - begin);
        sum += gain;
        square += gain * gain;
    }
    const double mean = sum / (double)blocks, spread = square / (double)blocks - mean * mean;
    score->error = sqrt((spread > 0 ? spread : 0) / (double)(blocks - 1));
}

static fgt_status search_measure_allocate(fgti_search *s, int64_t windows)
{
    if (s->losses) return FGT_OK;
    s->windows = windows;
    FGTI_TRY(FGTI_NEW(s->ctx, windows, "losses of windows", &s->losses));
    return FGTI_NEW(s->ctx, windows, "losses of windows", &s->map);
}

/* All candidates are compared on the same values, even if their look-backs differ. */
fgt_status fgti_search_measure(fgti_search *s, fgt_forecaster *f, fgti_score_of *score)
{
    fgti_frame frame;
    fgti_feed  d = {0};
    fgt_source source;
    fgt_workspace *passes = NULL;
    fgt_status status = fgti_frame_init(f, s->table, &frame);
    if (status == FGT_OK)
        status = fgti_feed_init(&d, f, &frame, "validation", s->split->val_begin, s->split->val_end, 1, 1,
                                &source);
    d.look_back = s->look_back;
    if (status == FGT_OK) status = search_measure_allocate(s, source.count);
    if (status == FGT_OK) status = fgti_forecaster_get_passes(f, &passes);
    if (status == FGT_OK)
        status = fgti_evaluate_samples(f->model, passes, &source, &s->loss, s->losses, &score->loss);
    if (status == FGT_E_NONFINITE) {
        score->loss = INFINITY;
        status      = FGT_OK;
    }
    fgti_feed_done(&d);
    fgti_frame_done(f, &frame);
    if (status == FGT_OK) search_measure_compare(s, score);
    return status;
}

void fgti_search_set_map(fgti_search *s, int64_t candidate, double loss)
{
    s->best_map = candidate;
    s->map_loss = loss;
    memcpy(s->map, s->losses, (size_t)s->windows * sizeof *s->map);
}
