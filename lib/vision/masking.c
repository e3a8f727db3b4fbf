/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws the visible patches, and trains with them. */
#include <math.h>
#include <string.h>

#include "core/opts.h"
#include "vision/autoencoder.h"

void fgti_masking_draw(fgt_masked_autoencoder *m, uint64_t seed, int64_t epoch, int64_t sample)
{
    const fgti_rng rng = fgti_rng_of(seed, FGTI_STREAM_MASKS, (uint64_t)epoch, (uint64_t)sample);
    fgti_rng_shuffle(rng, m->patches, m->order);
    memset(m->seen, 0, (size_t)m->patches);
    for (int64_t i = 0; i < m->kept; i++) m->seen[m->order[i]] = 1;
}

void fgti_masking_list(const fgt_masked_autoencoder *m, int64_t *ids)
{
    for (int64_t p = 0; p < m->patches; p++)
        if (m->seen[p]) *ids++ = p;
}

int64_t fgti_patch_origin(const fgt_masked_autoencoder *m, int64_t p)
{
    const int64_t row = p / m->columns * m->patch_height, column = p % m->columns * m->patch_width;
    return (row * m->width + column) * m->channels;
}

void fgti_patch_scale(const fgt_masked_autoencoder *m, const fgti_real *patch, double *mean,
                      double *deviation)
{
    const int64_t line = m->patch_width * m->channels, step = m->width * m->channels;
    double        sum = 0, square = 0;
    for (int64_t r = 0; r < m->patch_height; r++)
        for (int64_t i = 0; i < line; i++) sum += patch[r * step + i];
    *mean = sum / (double)m->pixels;
    for (int64_t r = 0; r < m->patch_height; r++)
        for (int64_t i = 0; i < line; i++) {
            const double e = patch[r * step + i] - *mean;
            square += e * e;
        }
    *deviation = sqrt(square / (double)(m->pixels - 1) + 1e-6);
}

/* ---- the source ---- */

/* Wraps a source of images into a source of images, masks and targets. */
typedef struct feed {
    fgt_masked_autoencoder *m;
    fgt_source              images;
    int64_t                 epoch; /* 0: validation */
} feed;

/* The target of a prediction: the pixels of a patch, normalised if the options ask for it. */
static void target_of(const fgt_masked_autoencoder *m, const fgti_real *patch, fgti_real *target)
{
    const int64_t line = m->patch_width * m->channels, step = m->width * m->channels;
    double        mean = 0, deviation = 1;
    if (m->normalise) fgti_patch_scale(m, patch, &mean, &deviation);
    for (int64_t r = 0; r < m->patch_height; r++)
        for (int64_t i = 0; i < line; i++)
            target[r * line + i] = (fgti_real)((patch[r * step + i] - mean) / deviation);
}

/* Writes the targets of an image. Hidden patches have their pixels as targets; visible patches have NaN. */
static void targets_of(const fgt_masked_autoencoder *m, const fgti_real *image, fgti_real *target)
{
    for (int64_t p = 0; p < m->patches; p++, target += m->pixels)
        if (m->seen[p])
            for (int64_t i = 0; i < m->pixels; i++) target[i] = (fgti_real)NAN;
        else
            target_of(m, image + fgti_patch_origin(m, p), target);
}

static fgt_status masking_get(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                              const fgt_view *target)
{
    const feed             *f     = user;
    fgt_masked_autoencoder *m     = f->m;
    const int64_t           image = m->height * m->width * m->channels;
    FGTI_TRY(f->images.get(f->images.user, index, n, x, NULL));
    for (int64_t b = 0; b < n; b++) {
        const fgti_real *pixel = (const fgti_real *)x->data + b * image;
        for (int64_t i = 0; i < image; i++)
            if (!isfinite(pixel[i]))
                return fgti_fail(&m->ctx->error, FGT_E_DATA, "image %lld has a pixel that is NaN or infinite",
                                 (long long)index[b]);
        fgti_masking_draw(m, m->seed, f->epoch, index[b]);
        targets_of(m, pixel, (fgti_real *)target->data + b * m->patches * m->pixels);
    }
    return FGT_OK;
}

static fgt_status masking_value(void *user, const int64_t *index, int64_t n, const char *layer,
                                const fgt_view *value)
{
    const feed *f = user;
    (void)layer; /* the model has only one such layer */
    for (int64_t b = 0; b < n; b++) {
        fgti_masking_draw(f->m, f->m->seed, f->epoch, index[b]);
        fgti_masking_list(f->m, (int64_t *)value->data + b * f->m->kept);
    }
    return FGT_OK;
}

static void feed_begin(void *user, int64_t epoch)
{
    feed *f  = user;
    f->epoch = epoch;
    if (f->images.begin_epoch) f->images.begin_epoch(f->images.user, epoch);
}

static fgt_status feed_init(fgt_masked_autoencoder *m, const char *what, const fgt_source *images, feed *f,
                            fgt_source *source)
{
    fgti_error *err = &m->ctx->error;
    *f              = (feed){.m = m};
    FGTI_TRY(fgti_opts_read(err, what, images, &f->images, sizeof f->images));
    if (!f->images.get) return fgti_fail(err, FGT_E_ARG, "%s: the source has no get", what);
    if (f->images.get_value)
        return fgti_fail(err, FGT_E_ARG, "%s: a source of images has no get_value", what);
    *source             = f->images;
    source->get         = masking_get;
    source->get_value   = masking_value;
    source->begin_epoch = feed_begin;
    source->user        = f;
    return FGT_OK;
}

/* ---- training ---- */

fgt_status fgt_masked_autoencoder_fit(fgt_masked_autoencoder *autoencoder, const fgt_fit_opts *opts,
                                      fgt_fit_report *report)
{
    fgt_masked_autoencoder *m = autoencoder;
    fgt_fit_opts            o;
    fgt_loss_opts           loss;
    feed                    a, b;
    fgt_source              train, validation;
    if (!m) return FGT_E_ARG;
    fgti_error *err = &m->ctx->error;
    FGTI_TRY(fgti_opts_read(err, "fit", opts, &o, sizeof o));
    FGTI_TRY(fgti_opts_read(err, "loss", o.loss, &loss, sizeof loss));
    if (!o.train) return fgti_fail(err, FGT_E_ARG, "fit: train is NULL");
    if (o.target_dtype != FGT_DTYPE_F32)
        return fgti_fail(err, FGT_E_ARG, "fit: the targets are pixels, not classes");
    FGTI_TRY(feed_init(m, "train", o.train, &a, &train));
    if (o.validation) FGTI_TRY(feed_init(m, "validation", o.validation, &b, &validation));
    loss.skip_nan = 1;
    o.loss        = &loss;
    o.train       = &train;
    o.validation  = o.validation ? &validation : NULL;
    return fgt_model_fit(m->model, &o, report);
}
