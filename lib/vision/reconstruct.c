/* SPDX-License-Identifier: BSD-3-Clause */

/* Shows a masked autoencoder at work: images with hidden and reconstructed patches. */

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "vision/autoencoder.h"

static fgt_status reconstruct_reserve(fgt_masked_autoencoder *m)
{
    if (!m->ids) FGTI_TRY(FGTI_NEW(m->ctx, fgti_mul(m->batch, m->kept), "visible patches", &m->ids));
    if (m->y) return FGT_OK;
    return FGTI_NEW(m->ctx, fgti_mul(m->batch, fgti_mul(m->patches, m->pixels)), "predicted pixels", &m->y);
}

/* Writes a patch into an image; y NULL: all pixels of the patch become NaN. */
static void paint(const fgt_masked_autoencoder *m, const fgti_real *y, double mean, double deviation,
                  fgti_real *patch)
{
    const int64_t line = m->patch_width * m->channels, step = m->width * m->channels;
    for (int64_t r = 0; r < m->patch_height; r++)
        for (int64_t i = 0; i < line; i++)
            patch[r * step + i] = y ? (fgti_real)(y[r * line + i] * deviation + mean) : (fgti_real)NAN;
}

/* Writes the hidden patches of image b of a batch. m->ids lists the visible patches. */
static void paint_hidden(const fgt_masked_autoencoder *m, int64_t b, const fgti_real *image,
                         fgti_real *masked, fgti_real *reconstruction)
{
    const int64_t   *id = m->ids + b * m->kept, *const end = id + m->kept;
    const fgti_real *y  = m->y + b * m->patches * m->pixels;
    for (int64_t p = 0; p < m->patches; p++, y += m->pixels) {
        const int64_t at   = fgti_patch_origin(m, p);
        double        mean = 0, deviation = 1;
        if (id < end && *id == p) {
            id++;
            continue;
        }
        if (m->normalise) fgti_patch_scale(m, image + at, &mean, &deviation);
        if (masked) paint(m, NULL, 0, 1, masked + at);
        if (reconstruction) paint(m, y, mean, deviation, reconstruction + at);
    }
}

static fgt_view images_of(const fgt_masked_autoencoder *m, const fgti_real *data, int64_t n)
{
    return (fgt_view){
        .data = (void *)data, .rank = 4, .dtype = FGTI_REAL, .shape = {n, m->height, m->width, m->channels}};
}

/* Reconstructs images first .. first+n-1; n is at most the size of a batch. */
static fgt_status reconstruct(fgt_masked_autoencoder *m, const fgti_real *image, uint64_t seed, int64_t first,
                              int64_t n, fgti_real *masked, fgti_real *reconstruction)
{
    const int64_t  size = m->height * m->width * m->channels;
    const fgt_view x    = images_of(m, image + first * size, n);
    const fgt_view ids  = {.data = m->ids, .rank = 2, .dtype = FGT_DTYPE_I64, .shape = {n, m->kept}};
    const fgt_view y = {.data = m->y, .rank = 3, .dtype = FGTI_REAL, .shape = {n, m->patches, m->pixels}};
    for (int64_t b = 0; b < n; b++) {
        fgti_masking_draw(m, seed, 0, first + b);
        fgti_masking_list(m, m->ids + b * m->kept);
    }
    FGTI_TRY(fgt_workspace_set_value(fgt_model_get_workspace(m->model), FGTI_KEPT, &ids, NULL));
    FGTI_TRY(fgt_predict(m->model, &x, &y));
    for (int64_t b = 0; b < n; b++) {
        const int64_t at = (first + b) * size;
        if (masked) memcpy(masked + at, image + at, (size_t)size * sizeof *image);
        if (reconstruction) memcpy(reconstruction + at, image + at, (size_t)size * sizeof *image);
        paint_hidden(m, b, image + at, masked ? masked + at : NULL,
                     reconstruction ? reconstruction + at : NULL);
    }
    return FGT_OK;
}

static fgt_status check_images(fgt_masked_autoencoder *m, const fgt_view *images, const fgt_view *masked,
                               const fgt_view *reconstruction, int64_t *n)
{
    fgti_error *err     = &m->ctx->error;
    int64_t     shape[] = {-1, m->height, m->width, m->channels};
    FGTI_TRY(fgti_view_check(err, "images", images, FGTI_REAL, 4, shape));
    *n = shape[0] = images->shape[0];
    if (masked) FGTI_TRY(fgti_view_check(err, "masked", masked, FGTI_REAL, 4, shape));
    if (reconstruction) FGTI_TRY(fgti_view_check(err, "reconstruction", reconstruction, FGTI_REAL, 4, shape));
    const fgti_real *pixel = images->data;
    const int64_t    size  = m->height * m->width * m->channels;
    for (int64_t i = 0; i < *n * size; i++)
        if (!isfinite(pixel[i]))
            return fgti_fail(err, FGT_E_DATA, "image %lld has a pixel that is NaN or infinite",
                             (long long)(i / size));
    return FGT_OK;
}

fgt_status fgt_masked_autoencoder_reconstruct(fgt_masked_autoencoder *autoencoder, const fgt_view *images,
                                              uint64_t seed, const fgt_view *masked,
                                              const fgt_view *reconstruction)
{
    fgt_masked_autoencoder *m = autoencoder;
    fgt_status              s = FGT_OK;
    int64_t                 n;
    if (!m) return FGT_E_ARG;
    FGTI_TRY(check_images(m, images, masked, reconstruction, &n));
    FGTI_TRY(reconstruct_reserve(m));
    for (int64_t at = 0; s == FGT_OK && at < n; at += m->batch)
        s = reconstruct(m, images->data, seed, at, n - at < m->batch ? n - at : m->batch,
                        masked ? masked->data : NULL, reconstruction ? reconstruction->data : NULL);
    return s;
}
