/* SPDX-License-Identifier: BSD-3-Clause */

/* Sets of images in memory: subsets, splits, pixels and statistics. */

#include "image/images.h"

#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/opts.h"
#include "core/rng.h"
#include "core/tensor.h"

static int64_t images_size_of(const fgt_images *m)
{
    return m->info.height * m->info.width * m->info.channels;
}

void fgt_images_destroy(fgt_images **images)
{
    if (!images || !*images) return;
    fgt_images  *m   = *images;
    fgt_context *ctx = m->ctx;
    fgti_free(ctx, m->pixels);
    fgti_free(ctx, m->label);
    fgti_strings_done(ctx, &m->names);
    fgti_words_done(ctx, &m->classes);
    fgti_free(ctx, m);
    *images = NULL;
}

/* ---- from other sets ---- */

static fgt_status copy_classes(const fgt_images *from, fgt_images *to)
{
    const fgti_strings *names = &from->classes.texts;
    int64_t             number;
    for (int64_t i = 0; i < names->count; i++)
        FGTI_TRY(fgti_words_add(to->ctx, &to->classes, fgti_strings_get(names, i), fgti_strings_size(names,
                                                                                                     i),
                                &number));
    return FGT_OK;
}

static fgt_status images_copy_rows(const fgt_images *from, int64_t count, const int64_t *rows, fgt_images *to)
{
    const int64_t size = images_size_of(from);
    for (int64_t i = 0; i < count; i++)
        if (rows[i] < 0 || rows[i] >= from->info.count)
            return fgti_fail(&to->ctx->error, FGT_E_ARG, "images: image %lld does not exist",
                             (long long)rows[i]);
    if (count > INT32_MAX || !fgti_size_mul(count, size, &to->pixel_capacity))
        return fgti_fail(&to->ctx->error, FGT_E_SIZE, "images: %lld are too many", (long long)count);
    to->info           = from->info;
    to->background     = from->background;
    to->info.count     = 0;
    to->label_capacity = count;
    FGTI_TRY(copy_classes(from, to));
    FGTI_TRY(fgti_alloc_dirty(to->ctx, to->pixel_capacity, 1, "images", (void **)&to->pixels));
    FGTI_TRY(FGTI_NEW(to->ctx, count, "classes of images", &to->label));
    for (int64_t i = 0; i < count; i++) {
        memcpy(to->pixels + i * size, from->pixels + rows[i] * size, (size_t)size);
        to->label[i] = from->label[rows[i]];
        if (to->label[i] >= 0) to->classes.count[to->label[i]]++;
        if (from->names.count)
            FGTI_TRY(fgti_strings_add(to->ctx, &to->names, fgti_strings_get(&from->names, rows[i]),
                                      fgti_strings_size(&from->names, rows[i])));
    }
    to->info.count = count;
    return FGT_OK;
}

fgt_status fgt_images_create_subset(const fgt_images *images, const int64_t *rows, int64_t count,
                                    fgt_images **subset)
{
    if (subset) *subset = NULL;
    if (!images) return FGT_E_ARG;
    fgt_context *ctx = images->ctx;
    if (!subset || !rows || count < 1)
        return fgti_fail(&ctx->error, FGT_E_ARG,
                         "images: the number of rows is below 1, or a pointer is NULL");
    FGTI_TRY(FGTI_NEW(ctx, 1, "images", subset));
    (*subset)->ctx     = ctx;
    const fgt_status s = images_copy_rows(images, count, rows, *subset);
    if (s != FGT_OK) fgt_images_destroy(subset);
    return s;
}

fgt_status fgt_images_create_split(const fgt_images *images, const fgt_images_split_opts *opts,
                                   fgt_images **first, fgt_images **rest)
{
    fgt_images_split_opts o;
    int64_t              *order;
    if (first) *first = NULL;
    if (rest) *rest = NULL;
    if (!images) return FGT_E_ARG;
    fgt_context  *ctx = images->ctx;
    const int64_t n   = images->info.count;
    FGTI_TRY(fgti_opts_read(&ctx->error, "fgt_images_split_opts", opts, &o, sizeof o));
    if (!first || !rest || o.count < 1 || o.count >= n)
        return fgti_fail(&ctx->error, FGT_E_ARG,
                         "images: %lld of %lld cannot be split off, or a pointer is NULL", (long long)o.count,
                         (long long)n);
    FGTI_TRY(FGTI_NEW(ctx, n, "order of images", &order));
    fgti_rng_shuffle(fgti_rng_of(o.seed, FGTI_STREAM_SHUFFLE, 0, 0), n, order);
    fgt_status s = fgt_images_create_subset(images, order, o.count, first);
    if (s == FGT_OK) s = fgt_images_create_subset(images, order + o.count, n - o.count, rest);
    if (s != FGT_OK) fgt_images_destroy(first);
    fgti_free(ctx, order);
    return s;
}

/* ---- what it holds ---- */

static bool images_has_row(const fgt_images *m, int64_t row)
{
    return m && row >= 0 && row < m->info.count;
}

static bool images_has_class(const fgt_images *m, int64_t i)
{
    return m && i >= 0 && i < m->info.classes;
}

fgt_status fgt_images_get_info(const fgt_images *images, fgt_images_info *info)
{
    if (!images) return FGT_E_ARG;
    fgti_error *err = &images->ctx->error;
    if (!info) return fgti_fail(err, FGT_E_ARG, "images: info is NULL");
    fgt_images_info all = images->info;
    all.class_rows      = images->classes.count;
    all.row_classes     = images->label;
    return fgti_result_write(err, "fgt_images_info", &all, sizeof all, info);
}

fgt_status fgt_images_copy_pixels(const fgt_images *images, const int64_t *index, int64_t count,
                                  const fgt_view *x)
{
    const fgt_images *m = images;
    if (!m) return FGT_E_ARG;
    fgti_error *err = &m->ctx->error;
    if (!index || count < 0)
        return fgti_fail(err, FGT_E_ARG, "images: index is NULL, or count is %lld", (long long)count);
    FGTI_TRY(fgti_view_check(err, "x", x, FGT_DTYPE_F32, 4,
                             (int64_t[]){count, m->info.height, m->info.width, m->info.channels}));
    for (int64_t i = 0; i < count; i++)
        if (!images_has_row(m, index[i]))
            return fgti_fail(err, FGT_E_ARG, "images: image %lld does not exist", (long long)index[i]);
    const int64_t size = images_size_of(m);
    float        *to   = x->data;
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < size; k++) *to++ = m->pixels[index[i] * size + k];
    return FGT_OK;
}

fgt_status fgt_images_compute_moments(const fgt_images *images, const fgt_view *mean,
                                      const fgt_view *deviation)
{
    const fgt_images *m = images;
    if (!m) return FGT_E_ARG;
    fgti_error *err = &m->ctx->error;
    FGTI_TRY(fgti_view_check(err, "mean", mean, FGT_DTYPE_F64, 1, &m->info.channels));
    FGTI_TRY(fgti_view_check(err, "deviation", deviation, FGT_DTYPE_F64, 1, &m->info.channels));
    const int64_t channels = m->info.channels, pixels = m->info.count * m->info.height * m->info.width;
    for (int64_t c = 0; c < channels; c++) {
        uint64_t counts[256] = {0};
        double   sum = 0, squares = 0;
        for (int64_t i = 0; i < pixels; i++) counts[m->pixels[i * channels + c]]++;
        for (int v = 0; v < 256; v++) sum += (double)counts[v] * v;
        const double a = sum / (double)pixels;
        for (int v = 0; v < 256; v++) squares += (double)counts[v] * (v - a) * (v - a);
        ((double *)mean->data)[c]      = a;
        ((double *)deviation->data)[c] = sqrt(squares / (double)pixels);
    }
    return FGT_OK;
}

const char *fgt_images_get_class_name(const fgt_images *images, int64_t class_id)
{
    return images_has_class(images, class_id) ? fgti_strings_get(&images->classes.texts, class_id) : NULL;
}

const char *fgt_images_get_name(const fgt_images *images, int64_t row)
{
    return images_has_row(images, row) && images->names.count ? fgti_strings_get(&images->names, row) : NULL;
}

uint64_t fgti_images_hash(const fgt_images *m)
{
    const uint64_t h = fgti_hash(FGTI_HASH_START, m->pixels, m->info.count * images_size_of(m));
    uint64_t       k = h;
    for (int64_t i = 0; i < m->info.count; i++) k = fgti_hash_value(k, (uint64_t)m->label[i]);
    return k;
}
