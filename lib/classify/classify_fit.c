/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <fighter/corpus_file.h>

#include "classify/classifier.h"
#include "core/tensor.h"
#include "text/corpus.h"
#include "train/train_impl.h"

/* The texts of a corpus as an fgt_source. Classes get the numbers that the classifier uses. */
typedef struct feed {
    fgt_context  *ctx;
    fgt_encoding *encoding;
    int64_t      *class_of; /* [classes of the corpus] */
} feed;

static fgt_status feed_get(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                           const fgt_view *target)
{
    const feed *d     = user;
    int64_t    *label = target->data;
    FGTI_TRY(fgt_encoding_get(d->encoding, index, n, x, target));
    for (int64_t i = 0; i < n; i++) label[i] = d->class_of[label[i]];
    return FGT_OK;
}

static fgt_status map_classes(const fgt_classifier *c, const fgt_corpus *corpus, feed *d)
{
    const int64_t count = fgt_corpus_count_classes(corpus);
    if (!count) return fgti_fail(&c->ctx->error, FGT_E_DATA, "classifier: the texts have no classes");
    FGTI_TRY(FGTI_NEW(c->ctx, count, "classes", &d->class_of));
    for (int64_t i = 0; i < count; i++) {
        const char *name = fgt_corpus_get_class_name(corpus, i);
        char        show[FGTI_SHOW];
        d->class_of[i] = fgti_words_find(&c->classes, name, (int64_t)strlen(name));
        if (d->class_of[i] < 0 && fgt_corpus_count_class(corpus, i))
            return fgti_fail(&c->ctx->error, FGT_E_DATA, "class \"%s\" is not one of the classifier's",
                             fgti_show(name, show));
    }
    return FGT_OK;
}

/* bytes: for texts that stay on disk; 0: few, they are taken in their order. feed_done() must be called even
 * after an error. */
static fgt_status feed_init(const fgt_classifier *c, const fgt_corpus *corpus, int64_t bytes, feed *d,
                            fgt_source *source)
{
    d->ctx = c->ctx;
    FGTI_TRY(map_classes(c, corpus, d));
    FGTI_TRY(fgti_encoding_new(c->vocab, corpus, c->info.tokens, bytes, &d->encoding));
    *source = (fgt_source){.size = sizeof *source, .count = fgt_encoding_count(d->encoding),
                           .get = feed_get, .user = d, .fingerprint = fgti_encoding_hash(d->encoding)};
    fgt_encoding_get_chunk(d->encoding, &source->chunk, &source->pool);
    return FGT_OK;
}

static void feed_done(feed *d)
{
    fgt_encoding_destroy(&d->encoding);
    if (d->class_of) fgti_free(d->ctx, d->class_of);
}

/* ---- training ---- */

fgt_status fgti_classifier_fit_check(const fgt_classifier *c, fgt_classifier_fit_opts *o)
{
    static const fgti_opt table[] = {
        FGTI_FIELD(fgt_classifier_fit_opts, epochs, I64, 1, FGTI_OPT_SIZE_MAX, 2),
        FGTI_FIELD(fgt_classifier_fit_opts, batch, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_classifier_fit_opts, patience, I64, -1, FGTI_OPT_SIZE_MAX, 2),
        FGTI_FIELD(fgt_classifier_fit_opts, label_smoothing, F32, -1, 0.99, 0.1),
        FGTI_FIELD(fgt_classifier_fit_opts, reserved, BOOL, 0, 0, 0),
        {0},
    };
    fgti_error *err = &c->ctx->error;
    FGTI_TRY(fgti_opts_check(err, "fit", table, o));
    if (o->label_smoothing < 0) o->label_smoothing = 0;
    return fgti_fit_check(err, "classifier", c->batch, &o->batch, 2e-3, &o->lr);
}

static fgt_status fit(fgt_classifier *c, const fgt_classifier_fit_opts *o, const fgt_source *train,
                      const fgt_source *validation, fgt_fit_report *report)
{
    const fgt_loss_opts loss = {.size = sizeof loss, .kind = FGT_LOSS_CROSS_ENTROPY,
                                .label_smoothing = o->label_smoothing};
    const fgt_fit_opts  all  = {FGTI_FIT_OPTS(o), .train = train, .validation = validation, .loss = &loss,
                                .target_dtype = FGT_I64};
    return fgti_fit(c->member[0], &all, o->lr, 0, report);
}

fgt_status fgt_classifier_fit(fgt_classifier *classifier, const fgt_corpus *train,
                              const fgt_corpus *validation, const fgt_classifier_fit_opts *opts,
                              fgt_fit_report *report)
{
    fgt_classifier         *c = classifier;
    fgt_classifier_fit_opts o;
    feed                    a = {0}, b = {0};
    fgt_source              from, check;
    if (!c) return FGT_E_ARG;
    if (!train) return fgti_fail(&c->ctx->error, FGT_E_ARG, "fit: train is NULL");
    if (c->members > 1)
        return fgti_fail(&c->ctx->error, FGT_E_STATE,
                         "fit: the classifier has %lld members; train each one before it is added",
                         (long long)c->members);
    FGTI_TRY(fgti_opts_read(&c->ctx->error, "fgt_classifier_fit_opts", opts, &o, sizeof o));
    FGTI_TRY(fgti_classifier_fit_check(c, &o));
    if (report) FGTI_TRY(fgti_result_check(&c->ctx->error, "fgt_fit_report", report));
    if (o.selector && fgt_corpus_is_stored(train))
        return fgti_fail(&c->ctx->error, FGT_E_UNSUPPORTED,
                         "fit: a selector takes texts from all over the corpus, which stays on disk");
    fgt_status s = feed_init(c, train, fgti_corpus_get_resident(train), &a, &from);
    if (s == FGT_OK && validation) s = feed_init(c, validation, 0, &b, &check);
    if (s == FGT_OK) s = fit(c, &o, &from, validation ? &check : NULL, report);
    feed_done(&a);
    feed_done(&b);
    return s;
}

/* ---- comparing ---- */

static void count_pairs(const fgt_classifier *c, int64_t rows, int64_t *confusion)
{
    const int64_t classes = c->info.classes;
    for (int64_t r = 0; r < rows; r++) {
        const float *y    = c->logits + r * classes;
        int64_t      best = 0;
        for (int64_t i = 1; i < classes; i++)
            if (y[i] > y[best]) best = i;
        confusion[c->target[r] * classes + best]++;
    }
}

static fgt_status compare(fgt_classifier *c, const fgt_source *source, int64_t *index, fgt_metric *metric,
                          const fgt_view *confusion)
{
    const int64_t t = c->info.tokens, classes = c->info.classes;
    for (int64_t i = 0; i < source->count; i += c->batch) {
        const int64_t  b      = source->count - i < c->batch ? source->count - i : c->batch;
        const fgt_view x      = {c->ids, {b, t}, 2, FGT_I64}, y = {c->logits, {b, classes}, 2, FGT_F32};
        const fgt_view target = {c->target, {b}, 1, FGT_I64};
        for (int64_t k = 0; k < b; k++) index[k] = i + k;
        FGTI_TRY(source->get(source->user, index, b, &x, &target));
        FGTI_TRY(fgti_classifier_run(c, &x, &y));
        FGTI_TRY(fgt_metric_add(c->ctx, metric, &y, &target));
        if (confusion) count_pairs(c, b, confusion->data);
    }
    return FGT_OK;
}

fgt_status fgt_classifier_evaluate(fgt_classifier *classifier, const fgt_corpus *corpus, fgt_metric *metric,
                                   const fgt_view *confusion)
{
    fgt_classifier *c     = classifier;
    feed            d     = {0};
    int64_t        *index = NULL;
    fgt_source      source;
    if (!c) return FGT_E_ARG;
    if (!corpus || !metric)
        return fgti_fail(&c->ctx->error, FGT_E_ARG, "classifier: corpus or metric is NULL");
    if (confusion)
        FGTI_TRY(fgti_view_check(&c->ctx->error, "confusion", confusion, FGT_I64, 2,
                                 (int64_t[]){c->info.classes, c->info.classes}));
    fgt_status s = feed_init(c, corpus, 0, &d, &source);
    if (s == FGT_OK) s = FGTI_NEW(c->ctx, c->batch, "numbers of texts", &index);
    if (s == FGT_OK) s = compare(c, &source, index, metric, confusion);
    fgti_free(c->ctx, index);
    feed_done(&d);
    return s;
}
