/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts and images as sources of training samples. */
#include "classify/classify_feed.h"

#include <string.h>

#include <fighter/experimental/corpus_file.h>

#include "classify/classifier.h"
#include "classify/classify_images.h"
#include "core/rng.h"
#include "text/corpus.h"
#include "text/vocab/encoding.h"

static void set_targets(const fgti_classify_feed *d, int64_t n, int64_t *label)
{
    for (int64_t i = 0; i < n; i++) label[i] = d->class_of[label[i]];
}

/* ---- texts ---- */

static fgt_status get_texts(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                            const fgt_view *target)
{
    const fgti_classify_feed *d = user;
    FGTI_TRY(fgt_encoding_copy_samples(d->encoding, index, n, x, target));
    set_targets(d, n, target->data);
    return FGT_OK;
}

/* target F32 [n,C]: 1 for each label of the text, otherwise 0. */
static fgt_status get_labels(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                             const fgt_view *target)
{
    const fgti_classify_feed *d       = user;
    const int64_t             classes = d->c->info.classes;
    float                    *t       = target->data;
    FGTI_TRY(fgt_encoding_copy_samples(d->encoding, index, n, x, FGT_VIEW_OF(FGT_DTYPE_I64, d->row, n)));
    memset(t, 0, (size_t)(n * classes) * sizeof *t);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = d->begin[d->row[i]]; k < d->begin[d->row[i] + 1]; k++)
            t[i * classes + d->class_of[k]] = 1;
    return FGT_OK;
}

/* ---- images ---- */

/* The change of an image in an epoch. */
typedef struct change {
    int64_t down, right; /* pixels by which the image is moved */
    bool    flip;
} change;

/* The change depends only on the seed, the epoch and the image. The order of images, threads, ranks and
 * interruptions have no influence on it. */
static change draw_change(const fgti_classify_feed *d, int64_t image)
{
    const fgti_rng rng  = fgti_rng_of(d->seed, FGTI_STREAM_AUGMENT, (uint64_t)d->epoch, 0);
    const uint64_t at   = 3 * (uint64_t)image, span = 2 * (uint64_t)d->shift + 1;
    change         made = {0};
    if (!d->epoch) return made;
    made.down  = (int64_t)fgti_rng_below(rng, at, span) - d->shift;
    made.right = (int64_t)fgti_rng_below(rng, at + 1, span) - d->shift;
    made.flip  = d->flip && fgti_rng_below(rng, at + 2, 2);
    return made;
}

/* x[i,j] = image[i - down, j - right], mirrored if it is flipped; 0 outside the image. */
static void put_image(const fgt_images *m, int64_t image, change by, float *x)
{
    const int64_t        h = m->info.height, w = m->info.width, c = m->info.channels;
    const unsigned char *from = m->pixels + image * h * w * c;
    for (int64_t i = 0; i < h; i++)
        for (int64_t j = 0; j < w; j++, x += c) {
            const int64_t row = i - by.down, at = (by.flip ? w - 1 - j : j) - by.right;
            const bool    in  = row >= 0 && row < h && at >= 0 && at < w;
            for (int64_t k = 0; k < c; k++) x[k] = in ? from[(row * w + at) * c + k] : 0;
        }
}

static fgt_status get_images(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                             const fgt_view *target)
{
    const fgti_classify_feed *d    = user;
    const fgt_images_info    *info = &d->images->info;
    const int64_t             size = info->height * info->width * info->channels;
    int64_t                  *label = d->masked ? NULL : target->data;
    for (int64_t i = 0; i < n; i++) {
        put_image(d->images, index[i], draw_change(d, index[i]), (float *)x->data + i * size);
        if (label) label[i] = d->images->label[index[i]];
    }
    fgti_classify_standardise(d->c, x->data, n * info->height * info->width);
    if (label) set_targets(d, n, label);
    return FGT_OK;
}

static void begin_images(void *user, int64_t epoch)
{
    fgti_classify_feed *d = user;
    d->epoch              = epoch;
}

/* ---- classes ---- */

/* size: bytes of the class or the label at the start of `name`. */
static fgt_status map_class(const fgt_classifier *c, const char *name, int64_t size, bool used,
                            int64_t *number)
{
    char show[FGTI_SHOW];
    *number = fgti_words_find(&c->classes, name, size);
    if (*number >= 0 || !used) return FGT_OK;
    return fgti_fail(&c->ctx->error, FGT_E_DATA, "class \"%s\" is not one of the classifier's",
                     fgti_show(name, show));
}

static fgt_status map_classes(const fgt_classifier *c, const fgt_samples *data, int64_t **class_of)
{
    const fgt_corpus *t     = data->texts;
    const fgt_images *m     = data->images;
    const int64_t     count = t ? t->classes.texts.count : m->info.classes;
    if (!count)
        return fgti_fail(&c->ctx->error, FGT_E_DATA, "classifier: the %s have no classes",
                         t ? "texts" : "images");
    FGTI_TRY(FGTI_NEW(c->ctx, count, "classes", class_of));
    for (int64_t i = 0; i < count; i++) {
        const char *name = t ? fgt_corpus_get_class_name(t, i) : fgt_images_get_class_name(m, i);
        FGTI_TRY(map_class(c, name, (int64_t)strlen(name), t ? t->classes.count[i] : m->classes.count[i],
                           *class_of + i));
    }
    return FGT_OK;
}

/* Makes the lists of labels: counts them, then finds their numbers. */
static fgt_status map_labels(const fgt_classifier *c, const fgt_corpus *t, fgti_classify_feed *d)
{
    const int64_t count = t->classes.texts.count;
    if (!count) return fgti_fail(&c->ctx->error, FGT_E_DATA, "classifier: the texts have no classes");
    FGTI_TRY(FGTI_NEW(c->ctx, c->batch, "classes of texts", &d->row));
    FGTI_TRY(FGTI_NEW(c->ctx, count + 1, "labels", &d->begin));
    for (int64_t i = 0; i < count; i++) {
        const char *at  = fgt_corpus_get_class_name(t, i);
        d->begin[i + 1] = d->begin[i];
        for (int64_t n; (n = fgti_label_next(&at)) > 0; at += n) d->begin[i + 1]++;
    }
    FGTI_TRY(FGTI_NEW(c->ctx, d->begin[count], "labels", &d->class_of));
    for (int64_t i = 0; i < count; i++) {
        const char *at    = fgt_corpus_get_class_name(t, i);
        int64_t    *label = d->class_of + d->begin[i];
        for (int64_t n; (n = fgti_label_next(&at)) > 0; at += n)
            FGTI_TRY(map_class(c, at, n, t->classes.count[i], label++));
    }
    return FGT_OK;
}

/* ---- texts or images ---- */

static fgt_status classifier_check_size(const fgt_classifier *c, const fgt_images_info *m)
{
    const fgt_classifier_info *i = &c->info;
    if (i->height == m->height && i->width == m->width && i->channels == m->channels) return FGT_OK;
    return fgti_fail(
        &c->ctx->error, FGT_E_SHAPE,
        "the images have the wrong size (got [%lld,%lld,%lld], need [%lld,%lld,%lld] of the classifier)",
        (long long)m->height, (long long)m->width, (long long)m->channels, (long long)i->height,
        (long long)i->width, (long long)i->channels);
}

fgt_status fgti_classify_feed_init(const fgt_classifier *c, const fgt_samples *data, int64_t bytes,
                                   fgti_classify_feed *d, fgt_source *source)
{
    d->c      = c;
    d->texts  = data->texts;
    d->images = data->images;
    *source   = (fgt_source){.size = sizeof *source, .user = d};
    if (data->images) FGTI_TRY(classifier_check_size(c, &data->images->info));
    if (c->labels && !d->masked)
        FGTI_TRY(map_labels(c, data->texts, d));
    else if (!d->masked)
        FGTI_TRY(map_classes(c, data, &d->class_of));
    if (data->images) {
        source->count       = data->images->info.count;
        source->get         = get_images;
        source->begin_epoch = begin_images;
        source->fingerprint = fgti_images_hash(data->images);
        return FGT_OK;
    }
    FGTI_TRY(fgti_encoding_new(c->vocab, data->texts, c->info.tokens, bytes, &d->encoding));
    source->count       = data->texts->rows;
    source->get         = c->labels ? get_labels : get_texts;
    source->fingerprint = fgti_encoding_hash(d->encoding);
    fgti_encoding_get_chunk(d->encoding, &source->chunk, &source->pool);
    return FGT_OK;
}

int64_t fgti_classify_feed_count(const fgti_classify_feed *d, int64_t class_id)
{
    const int64_t classes = d->texts ? d->texts->classes.texts.count : d->images->info.classes;
    for (int64_t i = 0; i < classes; i++)
        if (d->class_of[i] == class_id)
            return d->texts ? d->texts->classes.count[i] : d->images->classes.count[i];
    return 0;
}

void fgti_classify_feed_done(fgti_classify_feed *d)
{
    fgt_encoding_destroy(&d->encoding);
    if (!d->c) return;
    fgti_free(d->c->ctx, d->class_of);
    fgti_free(d->c->ctx, d->begin);
    fgti_free(d->c->ctx, d->row);
}
