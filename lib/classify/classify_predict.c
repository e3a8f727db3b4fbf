/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicts probabilities from texts or images, in any number of threads. */
#include "classify/classify_predict.h"

#include <math.h>
#include <string.h>

#include "classify/classifier.h"
#include "classify/classify_images.h"
#include "classify/classify_passes.h"
#include "core/size.h"
#include "core/tensor.h"
#include "model/access.h"
#include "model/workspace/workspace_opts.h"
#include "text/vocab/encoder.h"

/* Everything that a prediction writes to. */
struct fgt_classifier_workspace {
    const fgt_classifier *c;
    fgt_workspace       **passes;  /* [members]; NULL: the classifier's own are used */
    int64_t               members; /* number of elements of passes */
    fgt_context           copy;    /* the context with an error of its own, so that threads do not share it */
    fgt_context          *ctx;     /* &copy; in the classifier's own workspace the context itself */
    fgti_encoder          words;
    int64_t               batch;
    void                 *x;    /* [batch]: ids or pixels */
    float                *part; /* [batch,C], logits of one member */
};

/* ---- making ---- */

static fgt_status make_passes(fgt_classifier_workspace *w, const fgt_workspace_opts *o)
{
    const fgt_classifier *c = w->c;
    FGTI_TRY(FGTI_NEW(c->ctx, c->members, "workspaces of members", &w->passes));
    for (; w->members < c->members; w->members++)
        FGTI_TRY(fgti_classifier_new_passes(c, w->members, o, &w->passes[w->members]));
    w->copy       = *c->ctx;
    w->copy.error = (fgti_error){0};
    w->ctx        = &w->copy;
    return FGT_OK;
}

static fgt_status classifier_predict_make(fgt_classifier_workspace *w, const fgt_workspace_opts *o)
{
    const fgt_classifier *c = w->c;
    int64_t               logits;
    FGTI_TRY(fgti_classifier_new_inputs(c, w->batch, &w->x));
    if (!fgti_size_mul(w->batch, c->info.classes, &logits))
        return fgti_fail(&c->ctx->error, FGT_E_SIZE, "classifier: a batch of %lld samples is too large",
                         (long long)w->batch);
    FGTI_TRY(FGTI_NEW(c->ctx, logits, "logits", &w->part));
    if (o) FGTI_TRY(make_passes(w, o));
    if (!c->vocab) return FGT_OK;
    const fgt_status s = fgti_encoder_init(w->ctx, c->vocab, c->info.tokens, &w->words);
    if (s != FGT_OK && o) c->ctx->error = w->copy.error; /* the host has no workspace to ask for it */
    return s;
}

/* opts NULL: makes the classifier's own workspace. */
static fgt_status new_workspace(const fgt_classifier *c, const fgt_workspace_opts *o,
                                fgt_classifier_workspace **out)
{
    FGTI_TRY(FGTI_NEW(c->ctx, 1, "workspace of a classifier", out));
    (*out)->c          = c;
    (*out)->ctx        = c->ctx;
    (*out)->words.ctx  = c->ctx;
    (*out)->batch      = o ? o->batch : c->batch;
    const fgt_status s = classifier_predict_make(*out, o);
    if (s != FGT_OK) fgt_classifier_workspace_destroy(out);
    return s;
}

fgt_status fgt_classifier_create_workspace(const fgt_classifier *classifier, const fgt_workspace_opts *opts,
                                           fgt_classifier_workspace **ws)
{
    fgt_workspace_opts o;
    if (ws) *ws = NULL;
    if (!classifier) return FGT_E_ARG;
    fgti_error *err = &classifier->ctx->error;
    if (!ws) return fgti_fail(err, FGT_E_ARG, "workspace: result pointer is NULL");
    FGTI_TRY(fgti_workspace_opts_read(err, opts, 1, &o));
    if (o.tokens)
        return fgti_fail(err, FGT_E_ARG, "workspace: tokens is wrong (got %lld, need 0 for a classifier)",
                         (long long)o.tokens);
    return new_workspace(classifier, &o, ws);
}

void fgt_classifier_workspace_destroy(fgt_classifier_workspace **ws)
{
    if (!ws || !*ws) return;
    fgt_classifier_workspace *w   = *ws;
    fgt_context            *ctx = w->c->ctx;
    for (int64_t m = 0; m < w->members; m++) fgti_classifier_end_passes(w->c, m, &w->passes[m]);
    fgti_free(ctx, w->passes);
    fgti_encoder_done(&w->words);
    fgti_free(ctx, w->x);
    fgti_free(ctx, w->part);
    fgti_free(ctx, w);
    *ws = NULL;
}

const char *fgt_classifier_workspace_get_error(const fgt_classifier_workspace *ws)
{
    return ws ? ws->ctx->error.text : "";
}

/* ---- the mean of the members ---- */

static fgt_status classifier_pass(fgt_classifier_workspace *w, int64_t member, const fgt_view *x,
                                  const fgt_view *y)
{
    fgt_workspace *const passes = w->passes ? w->passes[member] : fgti_classifier_get_passes(w->c, member);
    if (!passes) return fgt_predict(w->c->member[member], x, y);
    const fgt_status s = fgt_workspace_predict(passes, x, y);
    if (s != FGT_OK && w->passes) w->ctx->error = *fgti_workspace_sentence(passes);
    return s;
}

/* first: number of the first sample, for the error text. */
static fgt_status classifier_check_finite(const fgt_classifier_workspace *w, const fgt_view *y, int64_t first)
{
    const float *sum = y->data;
    for (int64_t i = 0; i < y->shape[0] * y->shape[1]; i++)
        if (!isfinite(sum[i]))
            return fgti_fail(&w->ctx->error, FGT_E_DATA,
                             "%s %lld: the model's score of class %lld is %s: its weights are damaged or too "
                             "large",
                             w->c->vocab ? "text" : "image", (long long)(first + i / y->shape[1]),
                             (long long)(i % y->shape[1]), isnan(sum[i]) ? "NaN" : "infinite");
    return FGT_OK;
}

static fgt_status classifier_run(fgt_classifier_workspace *w, const fgt_view *x, const fgt_view *y,
                                 int64_t first)
{
    float         *sum     = y->data;
    const int64_t  n       = y->shape[0] * y->shape[1];
    const int64_t  members = w->passes ? w->members : w->c->members;
    const fgt_view part    = {w->part, {y->shape[0], y->shape[1]}, 2, FGT_DTYPE_F32};
    FGTI_TRY(classifier_pass(w, 0, x, y));
    for (int64_t m = 1; m < members; m++) {
        FGTI_TRY(classifier_pass(w, m, x, &part));
        for (int64_t i = 0; i < n; i++) sum[i] += w->part[i];
    }
    for (int64_t i = 0; i < n; i++) sum[i] /= (float)members;
    return classifier_check_finite(w, y, first);
}

static fgt_status need_workspace(fgt_classifier *c)
{
    if (!c->own) FGTI_TRY(new_workspace(c, NULL, &c->own));
    return fgti_classifier_need_passes(c);
}

fgt_status fgti_classifier_run(fgt_classifier *c, const fgt_view *x, const fgt_view *y, int64_t first)
{
    FGTI_TRY(need_workspace(c));
    return classifier_run(c->own, x, y, first);
}

/* ---- samples ---- */

/* Replaces each row of y [rows,C] by its softmax. */
static void classifier_softmax(float *y, int64_t rows, int64_t classes)
{
    for (; rows-- > 0; y += classes) {
        float  most = y[0];
        double sum  = 0;
        for (int64_t i = 1; i < classes; i++)
            if (y[i] > most) most = y[i];
        for (int64_t i = 0; i < classes; i++) sum += y[i] = expf(y[i] - most); /* <= 1: no overflow */
        for (int64_t i = 0; i < classes; i++) y[i] = (float)(y[i] / sum);
    }
}

/* Turns logits y [rows,C] into probabilities: of labels each by itself, of classes together. */
static void set_probabilities(const fgt_classifier *c, float *y, int64_t rows)
{
    if (!c->labels) {
        classifier_softmax(y, rows, c->info.classes);
        return;
    }
    for (int64_t i = 0; i < rows * c->info.classes; i++) y[i] = 1 / (1 + expf(-y[i]));
}

static fgt_status workspace_predict_texts(fgt_classifier_workspace *w, const fgt_classifier_rows *rows,
                                          const fgt_view *probability, int64_t *replaced)
{
    const int64_t classes = w->c->info.classes, n = rows->text_count;
    FGTI_TRY(fgti_texts_check(&w->ctx->error, "text_count", rows->texts, n));
    FGTI_TRY(fgti_view_check(&w->ctx->error, "probability", probability, FGT_DTYPE_F32, 2,
                             (int64_t[]){n, classes}));
    w->words.replaced = 0;
    for (int64_t i = 0; i < n; i += w->batch) {
        const int64_t  b = fgti_least(w->batch, n - i);
        float         *y = (float *)probability->data + i * classes;
        const fgt_view x = fgti_classifier_inputs(w->c, w->x, b);
        FGTI_TRY(fgti_encoder_put(&w->words, rows->texts + i, b, &x, NULL));
        FGTI_TRY(classifier_run(w, &x, FGT_VIEW(y, b, classes), i));
        set_probabilities(w->c, y, b);
    }
    *replaced = w->words.replaced;
    return FGT_OK;
}

static fgt_status workspace_predict_images(fgt_classifier_workspace *w, const fgt_view *pixels,
                                           const fgt_view *probability)
{
    const fgt_classifier_info *o    = &w->c->info;
    const int64_t              area = o->height * o->width, size = area * o->channels;
    FGTI_TRY(fgti_view_check(&w->ctx->error, "pixels", pixels, FGT_DTYPE_F32, 4,
                             (int64_t[]){-1, o->height, o->width, o->channels}));
    const int64_t n = pixels->shape[0];
    FGTI_TRY(fgti_view_check(&w->ctx->error, "probability", probability, FGT_DTYPE_F32, 2,
                             (int64_t[]){n, o->classes}));
    for (int64_t i = 0; i < n; i += w->batch) {
        const int64_t  b = fgti_least(w->batch, n - i);
        float         *y = (float *)probability->data + i * o->classes;
        const fgt_view x = fgti_classifier_inputs(w->c, w->x, b);
        memcpy(x.data, (const float *)pixels->data + i * size, (size_t)(b * size) * sizeof(float));
        fgti_classify_standardise(w->c, x.data, b * area);
        FGTI_TRY(classifier_run(w, &x, FGT_VIEW(y, b, o->classes), i));
        set_probabilities(w->c, y, b);
    }
    return FGT_OK;
}

fgt_status fgt_classifier_workspace_predict(fgt_classifier_workspace *ws, const fgt_classifier_rows *rows,
                                            const fgt_view *probability, int64_t *replaced)
{
    fgt_classifier_workspace *w = ws;
    fgt_classifier_rows       o;
    int64_t                   count = 0;
    if (!w) return FGT_E_ARG;
    fgti_error *err = &w->ctx->error;
    FGTI_TRY(fgti_opts_read(err, "fgt_classifier_rows", rows, &o, sizeof o));
    const bool texts = o.texts || o.text_count;
    if (texts == !!o.pixels)
        return fgti_fail(err, FGT_E_ARG, "predict: the rows have %s texts %s pixels (need one of them)",
                         texts ? "both" : "neither", texts ? "and" : "nor");
    FGTI_TRY(fgti_classifier_check(w->c, err, !texts));
    FGTI_TRY(texts ? workspace_predict_texts(w, &o, probability, &count)
                   : workspace_predict_images(w, o.pixels, probability));
    if (replaced) *replaced = count;
    return FGT_OK;
}

fgt_status fgt_classifier_predict(fgt_classifier *classifier, const fgt_classifier_rows *rows,
                                  const fgt_view *probability, int64_t *replaced)
{
    if (!classifier) return FGT_E_ARG;
    FGTI_TRY(need_workspace(classifier));
    return fgt_classifier_workspace_predict(classifier->own, rows, probability, replaced);
}
