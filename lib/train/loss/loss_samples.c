/* SPDX-License-Identifier: BSD-3-Clause */
/* Losses of single samples, and losses with a spectral part. Each sequence of the spectral part lies within
 * one sample. */
#include "train/loss/loss_samples.h"

#include <math.h>
#include <string.h>

#include "core/opts.h"
#include "train/cut.h"
#include "train/loss/loss.h"
#include "train/loss/spectral.h"

/* ---- a spectral part ---- */

enum { LANES = FGTI_DFT_LANES };

/* Some sequences, first .. first+count-1, of a sample [H,width]. begin: number of the sample's first
 * element. */
typedef struct tile {
    int64_t begin, width, first, count;
    int64_t kept[LANES]; /* for each sequence, the number of targets that are not missing */
} tile;

static int64_t element_of(const tile *t, int64_t h, int64_t lane)
{
    return t->begin + h * t->width + t->first + lane;
}

static bool counts(const fgti_loss_work *w, int64_t i)
{
    return fgti_loss_count(w->opts, w->target, i, i + 1);
}

/* e [H,LANES] = y - t. It is 0 where the target is missing. */
static void loss_sample_gather(const fgti_loss_work *w, tile *t, fgti_real *e)
{
    const fgti_real *target = w->target->data;
    memset(e, 0, (size_t)w->spectral->length * LANES * sizeof *e);
    memset(t->kept, 0, sizeof t->kept);
    for (int64_t h = 0; h < w->spectral->length; h++)
        for (int64_t lane = 0; lane < t->count; lane++) {
            const int64_t i = element_of(t, h, lane);
            if (!counts(w, i)) continue;
            e[h * LANES + lane] = w->y[i] - target[i];
            t->kept[lane]++;
        }
}

/* With a the share of the spectral part, l the loss of an element, and S the spectral loss of a sequence with
 * n targets that are not missing (spectral.h):
 *     (1 - a) sum l + a sum n S
 * So a sequence with many missing targets has a small weight. */
static double run_tile(const fgti_loss_work *w, tile *t, int32_t worker, double scale, double *square)
{
    const double a   = (double)w->opts->spectral;
    double       sum = 0, size[LANES];
    loss_sample_gather(w, t, fgti_spectral_input(w->spectral, worker));
    const fgti_real *slope = fgti_spectral_run(w->spectral, worker, size);
    for (int64_t lane = 0; lane < t->count; lane++) sum += a * (double)t->kept[lane] * size[lane];
    for (int64_t h = 0; h < w->spectral->length; h++)
        for (int64_t lane = 0; lane < t->count; lane++) {
            const int64_t i = element_of(t, h, lane);
            double        d;
            const bool    in = counts(w, i); /* read now, before dy overwrites y */
            sum += (1 - a) * fgti_loss_element(w, i, &d);
            d = (1 - a) * d + (in ? a * (double)t->kept[lane] * (double)slope[h * LANES + lane] : 0);
            if (square) *square += d * d;
            if (w->dy) w->dy[i] = (fgti_real)(scale * d);
        }
    return sum;
}

/* Runs the elements of one sample, as fgti_loss_range() does. */
static double loss_sample_run_sequences(const fgti_loss_work *w, int64_t begin, int32_t worker, double scale,
                                        double *square)
{
    tile   t   = {.begin = begin, .width = w->each / w->spectral->length};
    double sum = 0;
    for (; t.first < t.width; t.first += LANES) {
        t.count = t.width - t.first < LANES ? t.width - t.first : LANES;
        sum += run_tile(w, &t, worker, scale, square);
    }
    return sum;
}

/* ---- a sample ---- */

/* l_b is the mean over those elements of sample b whose target is not missing. So dl_b/dy is the derivative
 * divided by the number of these elements. If all targets of a sample are missing, its loss is 0. Returns
 * the term of this sample in the sum over the batch. */
static double loss_sample_run(fgti_loss_work *w, int64_t b, int32_t worker, int64_t *bad)
{
    const fgt_loss_samples *s     = w->samples;
    const int64_t           begin = b * w->each, end = begin + w->each;
    const int64_t           own    = fgti_loss_count(w->opts, w->target, begin, end);
    const double            weight = s->weight ? (double)s->weight[b] : 1, scale = weight * w->scale;
    double                  square = 0, *norm = s->norm ? &square : NULL;
    const double sum = w->opts->spectral > 0 ? loss_sample_run_sequences(w, begin, worker, scale, norm)
                                             : fgti_loss_range(w, begin, end, scale, norm);
    const float             loss = own ? (float)(sum / (double)own) : 0;
    if (!isfinite(loss) && *bad < 0) *bad = b;
    if (s->loss) s->loss[b] = loss;
    if (s->norm) s->norm[b] = own ? (float)(sqrt(square) / (double)own) : 0;
    return weight * sum;
}

static void run_samples(void *arg, int64_t chunk, int32_t worker)
{
    fgti_loss_work *w     = arg;
    const int64_t   begin = chunk * w->cut.size, end = begin + fgti_cut_length(&w->cut, chunk);
    double          sum = 0;
    w->bad[chunk]       = -1;
    for (int64_t b = begin; b < end; b++) sum += loss_sample_run(w, b, worker, &w->bad[chunk]);
    w->partial[chunk] = sum;
}

fgt_status fgti_loss_run_samples(fgt_context *ctx, const fgt_loss_opts *opts, const fgt_view *y,
                                 const fgt_view *target, const fgti_spectral *spectral,
                                 const fgt_loss_samples *samples, double *sum, int64_t *count,
                                 const fgt_view *dy, int64_t *bad)
{
    const bool  classes = fgti_loss_of_classes(opts);
    fgti_error *err     = &ctx->error;
    *bad                = -1;
    FGTI_TRY(fgti_target_check(err, y, target, classes, opts->skip_nan));
    if (dy) FGTI_TRY(fgti_view_check(err, "dy", dy, FGTI_REAL, y->rank, y->shape));
    if (target->rank < 1) return fgti_fail(err, FGT_E_SHAPE, "the target has no first axis of samples");
    const int64_t n = fgt_view_count(target), batch = target->shape[0];
    const int64_t columns = classes ? y->shape[y->rank - 1] : 1;
    FGTI_TRY(fgti_loss_check_classes(err, opts, columns));
    *sum   = 0;
    *count = fgti_loss_count(opts, target, 0, n);
    if (!n) return FGT_OK;
    fgti_loss_work w    = {.opts     = opts,
                           .target   = target,
                           .y        = y->data,
                           .dy       = dy ? dy->data : NULL,
                           .columns  = columns,
                           .scale    = *count ? 1 / (double)*count : 0,
                           .samples  = samples,
                           .spectral = spectral,
                           .each     = n / batch};
    const int64_t  wide = w.each * columns;
    w.cut               = fgti_cut_of(batch, wide < FGTI_GRAIN ? FGTI_GRAIN / wide : 1);
    fgti_parallel(&ctx->exec, w.cut.count, run_samples, &w);
    for (int64_t i = 0; i < w.cut.count; i++) {
        *sum += w.partial[i];
        if (*bad < 0) *bad = w.bad[i];
    }
    if (*bad < 0) return FGT_OK;
    return fgti_fail(err, FGT_E_NONFINITE, "%s: the loss is NaN or infinite", fgti_loss_name(opts->kind));
}
