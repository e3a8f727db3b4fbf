/* SPDX-License-Identifier: BSD-3-Clause */
#include "classify/classify_pretrain.h"

#include <math.h>
#include <string.h>

#include "classify/classifier.h"
#include "core/rng.h"
#include "text/corpus.h"
#include "text/vocab/encoding.h"

/* Computes first embeddings from the texts without their classes. Ids that occur in the same texts get
 * similar rows, so training on one id improves similar ids, too. This helps rare ids most.
 *
 * X [n,W] has a row for each text. Its elements are x_rj = w_j / sqrt(words of r) if text r contains word j,
 * otherwise 0. The columns of Q [n,E] are the leading left singular vectors of X, without the constant
 * vector. Block power iteration with X X' finds them. The row of an id (a word or an n-gram) is the mean of Q
 * over the texts that contain the id, shrunk towards zero if these texts are few. With w_j = 1 / sqrt(count
 * of j) this would be correspondence analysis (Benzecri 1973), and its first columns would belong to words
 * that only a few texts share. FEW is added to the count in w_j and prevents this.
 *
 * Q is never in memory as a whole, because there may be more texts than fit. A pass computes the rows of Y =
 * X X' Q one by one from Z = X' Q [W,E], and adds them to the next Z. Y = Q R has a triangle R, which is
 * found from Y' Y by a Cholesky factorisation. The next Z is multiplied by the inverse of R from the right.
 * The products of Y are in double. The last Z is over all ids and has no weights. */

#define FEW    50 /* chosen on AG News's training texts; with 5 some columns belong to a few texts each */
#define SHRINK 5

typedef struct pretrain {
    fgt_classifier *c;
    fgt_encoding   *texts;
    int64_t         n, e, ids;
    int64_t        *row;     /* [T]: ids of the text that was read last */
    bool           *is_word; /* [ids]: the id is a single word, neither an n-gram nor a prefix */
    int64_t        *count;   /* [ids] */
    double         *share;   /* [ids]: sum of 1 / sqrt(words of r) over the texts r that contain the word */
    float          *z, *next; /* [ids,E] */
    float          *y;        /* [E]: one row of Y */
    double         *mean;     /* [E]: mean row of Y */
    double         *product;  /* [E,E]: lower triangle of Y' Y without the mean, later of R' */
} pretrain;

/* Reads the ids of text r into p->row and their number into *n. Unknown words are left out, because different
 * unknown words share one id. */
static fgt_status pretrain_read_text(pretrain *p, int64_t r, int64_t *n)
{
    int64_t       *ids = p->row, known = 0;
    const int64_t  t   = fgti_classifier_ids(p->c);
    const fgt_view x   = {ids, {1, t}, 2, FGT_DTYPE_I64};
    FGTI_TRY(fgt_encoding_copy_samples(p->texts, &r, 1, &x, NULL));
    for (int64_t i = 0; i < t; i++)
        if (ids[i] >= FGTI_ID_WORDS) ids[known++] = ids[i];
    *n = known;
    return FGT_OK;
}

/* Returns 1 / sqrt(words of the text), or 0 if the text has no words. */
static float pretrain_weight_of(const pretrain *p, int64_t n)
{
    int64_t words = 0;
    for (int64_t i = 0; i < n; i++) words += p->is_word[p->row[i]];
    return words ? 1 / sqrtf((float)words) : 0;
}

/* core/vec/vec.h is not used, because its kernels are in double in the double build. */
static void pretrain_add_row(const pretrain *p, float a, const float *x, float *y)
{
    for (int64_t i = 0; i < p->e; i++) y[i] += a * x[i];
}

/* Adds a times p->y to the rows of z that belong to the text's ids. words: only to the rows of its words. */
static void spread(const pretrain *p, int64_t n, bool words, float a, float *z)
{
    for (int64_t i = 0; i < n; i++) {
        const int64_t j = p->row[i];
        if (!words || p->is_word[j]) pretrain_add_row(p, a, p->y, z + j * p->e);
    }
}

/* Counts the ids, and computes Z = X' Q with random rows of Q. */
static fgt_status pretrain_begin(pretrain *p, uint64_t seed)
{
    const fgti_rng rng = fgti_rng_of(seed, FGTI_STREAM_PRETRAIN, 0, 0);
    for (int64_t r = 0; r < p->n; r++) {
        int64_t n;
        FGTI_TRY(pretrain_read_text(p, r, &n));
        const float a = pretrain_weight_of(p, n);
        for (int64_t i = 0; i < n; i++) {
            p->count[p->row[i]]++;
            if (p->is_word[p->row[i]]) p->share[p->row[i]] += (double)a;
        }
        for (int64_t k = 0; k < p->e; k++)
            p->y[k] = (float)fgti_rng_normal(rng, (uint64_t)r * (uint64_t)p->e + (uint64_t)k);
        spread(p, n, true, a, p->z);
    }
    return FGT_OK;
}

/* ---- one pass ---- */

/* Square of the weight of a word: w_j^2. */
static double pretrain_square_of(const pretrain *p, int64_t j)
{
    return 1.0 / (double)(p->count[j] + FEW);
}

/* Computes the mean of the rows of Y from Z, before the rows are computed. */
static void find_mean(pretrain *p)
{
    memset(p->mean, 0, (size_t)p->e * sizeof *p->mean);
    for (int64_t j = 0; j < p->ids; j++) {
        const double a = p->share[j] * pretrain_square_of(p, j) / (double)p->n;
        for (int64_t k = 0; a > 0 && k < p->e; k++) p->mean[k] += a * (double)p->z[j * p->e + k];
    }
}

/* Computes a row of Y into p->y: the sum of w_j^2 Z[j] / sqrt(words of r) over the words j of text r, minus
 * the mean row. */
static void pretrain_gather(pretrain *p, int64_t n, float a)
{
    memset(p->y, 0, (size_t)p->e * sizeof *p->y);
    for (int64_t i = 0; i < n; i++) {
        const int64_t j = p->row[i];
        if (p->is_word[j]) pretrain_add_row(p, a * (float)pretrain_square_of(p, j), p->z + j * p->e, p->y);
    }
    for (int64_t k = 0; k < p->e; k++) p->y[k] -= (float)p->mean[k];
}

static void pretrain_add_product(pretrain *p)
{
    for (int64_t k = 0; k < p->e; k++)
        for (int64_t i = 0; i <= k; i++) p->product[k * p->e + i] += (double)p->y[k] * (double)p->y[i];
}

/* Replaces the lower triangle of Y' Y by R', where Y = Q R. A column that depends linearly on earlier columns
 * gets 0 in the diagonal. This happens if there are fewer texts or ids than columns. */
static void factorise(pretrain *p)
{
    double *l = p->product;
    for (int64_t k = 0; k < p->e; k++) {
        const double whole = l[k * p->e + k] + (double)p->n * p->mean[k] * p->mean[k];
        for (int64_t i = 0; i <= k; i++) {
            double sum = l[k * p->e + i];
            for (int64_t m = 0; m < i; m++) sum -= l[k * p->e + m] * l[i * p->e + m];
            const double d = l[i * p->e + i];
            if (i < k)
                l[k * p->e + i] = d > 0 ? sum / d : 0;
            else
                l[k * p->e + k] = sum > 1e-10 * whole ? sqrt(sum) : 0;
        }
    }
}

/* Replaces each row z of Z by z R^-1. */
static void pretrain_divide(pretrain *p)
{
    const double *l = p->product;
    for (int64_t j = 0; j < p->ids; j++) {
        float *z = p->z + j * p->e;
        for (int64_t k = 0; k < p->e; k++) {
            double sum = (double)z[k];
            for (int64_t m = 0; m < k; m++) sum -= (double)z[m] * l[k * p->e + m];
            z[k] = l[k * p->e + k] > 0 ? (float)(sum / l[k * p->e + k]) : 0;
        }
    }
}

/* Computes Z = X' Q with the next Q. The last pass computes the sums of Q over the texts that contain an
 * id. */
static fgt_status pretrain_pass(pretrain *p, bool last)
{
    find_mean(p);
    memset(p->next, 0, (size_t)(p->ids * p->e) * sizeof *p->next);
    memset(p->product, 0, (size_t)(p->e * p->e) * sizeof *p->product);
    for (int64_t r = 0; r < p->n; r++) {
        int64_t n;
        FGTI_TRY(pretrain_read_text(p, r, &n));
        const float a = pretrain_weight_of(p, n);
        pretrain_gather(p, n, a);
        pretrain_add_product(p);
        spread(p, n, !last, last ? 1 : a, p->next);
    }
    float *z = p->z;
    p->z     = p->next;
    p->next  = z;
    factorise(p);
    pretrain_divide(p);
    return FGT_OK;
}

/* ---- all of it ---- */

/* Divides the sums by their counts, and scales the means to the standard deviation of the options. */
static void pretrain_finish(pretrain *p, float init)
{
    double  sum  = 0;
    int64_t used = 0;
    for (int64_t j = 0; j < p->ids; j++) {
        float *z = p->z + j * p->e;
        if (!p->count[j]) continue;
        used++;
        for (int64_t i = 0; i < p->e; i++) {
            z[i] /= (float)(p->count[j] + SHRINK);
            sum += (double)z[i] * z[i];
        }
    }
    const double scale = sum > 0 ? init / sqrt(sum / (double)(used * p->e)) : 0;
    for (int64_t i = 0; i < p->ids * p->e; i++) p->z[i] = (float)(p->z[i] * scale);
}

static fgt_status pretrain_prepare(pretrain *p, const fgt_classifier_opts *o, const fgt_corpus *corpus)
{
    fgt_context     *ctx = p->c->ctx;
    const fgt_vocab *v   = p->c->vocab;
    int64_t          z, e;
    FGTI_TRY(fgti_encoding_new(v, corpus, o->tokens, 0, &p->texts));
    p->n   = corpus->rows;
    p->e   = o->dim;
    p->ids = fgti_vocab_ids(v);
    if (!fgti_size_mul(p->ids, p->e, &z) || !fgti_size_mul(p->e, p->e, &e))
        return fgti_fail(&ctx->error, FGT_E_SIZE, "first embeddings: %lld columns are too many",
                         (long long)p->e);
    FGTI_TRY(FGTI_NEW(ctx, p->ids, "kinds of ids", &p->is_word));
    FGTI_TRY(FGTI_NEW(ctx, p->ids, "counts of ids", &p->count));
    FGTI_TRY(FGTI_NEW(ctx, p->ids, "shares of ids", &p->share));
    FGTI_TRY(FGTI_NEW(ctx, z, "first embeddings", &p->z));
    FGTI_TRY(FGTI_NEW(ctx, z, "first embeddings", &p->next));
    FGTI_TRY(FGTI_NEW(ctx, p->e, "first embeddings", &p->y));
    FGTI_TRY(FGTI_NEW(ctx, p->e, "first embeddings", &p->mean));
    FGTI_TRY(FGTI_NEW(ctx, e, "first embeddings", &p->product));
    for (int64_t j = 0; j < p->ids; j++) {
        const char *word = fgt_vocab_get_word(v, j);
        p->is_word[j]    = word && !strpbrk(word, " *");
    }
    return FGT_OK;
}

fgt_status fgti_classify_pretrain(fgt_classifier *c, const fgt_classifier_opts *o, const fgt_corpus *corpus)
{
    pretrain   p = {.c = c, .row = c->x};
    fgt_status s = pretrain_prepare(&p, o, corpus);
    if (s == FGT_OK) s = pretrain_begin(&p, o->seed);
    for (int64_t i = 0; s == FGT_OK && i < o->pretrain; i++) s = pretrain_pass(&p, i == o->pretrain - 1);
    if (s == FGT_OK) {
        pretrain_finish(&p, o->init);
        s = fgt_model_set_parameter(c->member[0], "embedding.weight", FGT_VIEW(p.z, p.ids, p.e));
    }
    fgt_encoding_destroy(&p.texts);
    void *const part[] = {p.is_word, p.count, p.share, p.z, p.next, p.y, p.mean, p.product};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) fgti_free(c->ctx, part[i]);
    return s;
}
