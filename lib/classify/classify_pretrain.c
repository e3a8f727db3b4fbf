/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "classify/classifier.h"
#include "core/rng.h"

/* First embeddings from the texts without their classes. Ids that occur in the same texts get similar rows.
 * So what training learns of one id holds for similar ids, too, which helps rare ids most.
 *
 * X [n,W] has a row for each text, and x_rj = w_j / sqrt(words of r) if text r contains word j, otherwise 0.
 * The columns of Q [n,E] are the leading left singular vectors of X, without the constant one, found by block
 * power iteration with X X'. The row of an id, word or n-gram, is the mean of Q over the texts that contain
 * it, shrunk towards zero if they are few. With w_j = 1 / sqrt(count of j) this would be correspondence
 * analysis (Benzecri 1973). Its first columns would belong to words that only a few texts share; FEW
 * prevents that. */

#define FEW    50 /* chosen on AG News's training texts; with 5 some columns belong to a few texts each */
#define SHRINK 5

typedef struct pretrain {
    fgt_classifier     *c;
    const fgt_encoding *texts;
    int64_t             n, e, ids;
    int32_t            *count; /* [ids] */
    float              *q;     /* [n,E] */
    float              *z;     /* [ids,E] */
    double             *dots;  /* [E] */
} pretrain;

/* Whether the id is a single word, neither an n-gram nor a prefix. */
static bool is_word(const pretrain *p, int64_t id)
{
    const char *word = fgt_vocab_get_word(p->c->vocab, id);
    return word && !strpbrk(word, " *");
}

/* Reads the ids of text r into c->ids, those of words or all, and returns their number. Unknown words are
 * left out, because they are different words with one id. */
static int64_t read_text(pretrain *p, int64_t r, bool words)
{
    int64_t       *ids = p->c->ids, n = fgt_encoding_count_tokens(p->texts, r), known = 0;
    const fgt_view x = {ids, {1, p->c->info.tokens}, 2, FGT_I64};
    if (fgt_encoding_get((void *)p->texts, &r, 1, &x, NULL) != FGT_OK) return 0;
    for (int64_t i = 0; i < n; i++)
        if (ids[i] >= FGTI_ID_WORDS && (!words || is_word(p, ids[i]))) ids[known++] = ids[i];
    return known;
}

static void count_ids(pretrain *p)
{
    for (int64_t r = 0; r < p->n; r++)
        for (int64_t i = read_text(p, r, false); i-- > 0;) p->count[p->c->ids[i]]++;
}

/* core/vec/vec.h is not used, because its kernels are in double when the library is. */
static void add_row(const pretrain *p, float a, const float *x, float *y)
{
    for (int64_t i = 0; i < p->e; i++) y[i] += a * x[i];
}

/* Z[j] = sum of Q[r] over the texts r that contain id j; `words`: sum of Q[r] / sqrt(words of r), words
 * only */
static void spread(pretrain *p, bool words)
{
    memset(p->z, 0, (size_t)(p->ids * p->e) * sizeof *p->z);
    for (int64_t r = 0; r < p->n; r++) {
        const int64_t n = read_text(p, r, words);
        const float   a = words ? 1 / sqrtf((float)n) : 1;
        for (int64_t i = 0; i < n; i++) add_row(p, a, p->q + r * p->e, p->z + p->c->ids[i] * p->e);
    }
}

/* Q[r] = sum of w_j^2 Z[j] / sqrt(words of r) over the words j of text r */
static void gather(pretrain *p)
{
    memset(p->q, 0, (size_t)(p->n * p->e) * sizeof *p->q);
    for (int64_t r = 0; r < p->n; r++) {
        const int64_t n = read_text(p, r, true);
        for (int64_t i = 0; i < n; i++) {
            const int64_t j = p->c->ids[i];
            const float   a = 1 / (sqrtf((float)n) * (float)(p->count[j] + FEW));
            add_row(p, a, p->z + j * p->e, p->q + r * p->e);
        }
    }
}

/* Makes column k of Q orthogonal to columns 0 .. k-1 and to the constant column. */
static void project(pretrain *p, int64_t k)
{
    double mean = 0;
    memset(p->dots, 0, (size_t)p->e * sizeof *p->dots);
    for (int64_t r = 0; r < p->n; r++) {
        const float *q = p->q + r * p->e;
        const double x = q[k];
        mean += x;
        for (int64_t j = 0; j < k; j++) p->dots[j] += x * q[j];
    }
    mean /= (double)p->n;
    for (int64_t r = 0; r < p->n; r++) {
        float *q   = p->q + r * p->e;
        double sum = mean;
        for (int64_t j = 0; j < k; j++) sum += p->dots[j] * q[j];
        q[k] = (float)(q[k] - sum);
    }
}

static double norm(const pretrain *p, int64_t k)
{
    double sum = 0;
    for (int64_t r = 0; r < p->n; r++) sum += (double)p->q[r * p->e + k] * p->q[r * p->e + k];
    return sqrt(sum);
}

/* Gram-Schmidt, twice for each column. A column that depends on those before it becomes zero; there are such
 * columns if there are fewer texts or ids than columns. */
static void orthonormalise(pretrain *p)
{
    for (int64_t k = 0; k < p->e; k++) {
        const double before = norm(p, k);
        project(p, k);
        project(p, k);
        const double after = norm(p, k), scale = after > 1e-5 * before ? 1 / after : 0;
        for (int64_t r = 0; r < p->n; r++) p->q[r * p->e + k] = (float)(p->q[r * p->e + k] * scale);
    }
}

/* Writes the rows, scaled to the standard deviation that the options ask for. */
static void finish(pretrain *p, float init)
{
    double  sum  = 0;
    int64_t used = 0;
    spread(p, false);
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

static fgt_status prepare(pretrain *p, const fgt_classifier_opts *o, const fgt_corpus *corpus,
                          fgt_encoding **texts)
{
    fgt_context *ctx = p->c->ctx;
    int64_t      q, z;
    FGTI_TRY(fgt_encoding_create(p->c->vocab, corpus, o->tokens, texts));
    p->texts = *texts;
    p->n     = fgt_encoding_count(*texts);
    p->e     = o->dim;
    p->ids   = fgt_vocab_size(p->c->vocab);
    if (!fgti_size_mul(p->n, p->e, &q) || !fgti_size_mul(p->ids, p->e, &z))
        return fgti_fail(&ctx->error, FGT_E_SIZE, "first embeddings: %lld columns are too many",
                         (long long)p->e);
    FGTI_TRY(FGTI_NEW(ctx, p->ids, "counts of ids", &p->count));
    FGTI_TRY(FGTI_NEW(ctx, q, "first embeddings", &p->q));
    FGTI_TRY(FGTI_NEW(ctx, z, "first embeddings", &p->z));
    FGTI_TRY(FGTI_NEW(ctx, p->e, "first embeddings", &p->dots));
    const fgti_rng rng = fgti_rng_of(o->seed, FGTI_STREAM_PRETRAIN, 0, 0);
    for (int64_t i = 0; i < q; i++) p->q[i] = (float)fgti_rng_normal(rng, (uint64_t)i);
    return FGT_OK;
}

fgt_status fgti_classify_pretrain(fgt_classifier *c, const fgt_classifier_opts *o, const fgt_corpus *corpus)
{
    pretrain      p     = {.c = c};
    fgt_encoding *texts = NULL;
    fgt_status    s     = prepare(&p, o, corpus, &texts);
    if (s == FGT_OK) {
        count_ids(&p);
        for (int64_t i = 0; i < o->pretrain; i++) {
            spread(&p, true);
            gather(&p);
            orthonormalise(&p);
        }
        finish(&p, o->init);
        s = fgt_model_set_parameter(c->member[0], "embedding.weight", FGT_VIEW(p.z, p.ids, p.e));
    }
    fgt_encoding_destroy(&texts);
    fgti_free(c->ctx, p.count);
    fgti_free(c->ctx, p.q);
    fgti_free(c->ctx, p.z);
    fgti_free(c->ctx, p.dots);
    return s;
}
