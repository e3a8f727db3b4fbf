/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluates a source with several ranks. Each rank evaluates a range of the batches. */
#include <stdio.h>

#include "model/access.h"
#include "ranks/ranks.h"
#include "train/evaluate.h"
#include "train/loss/loss.h"
#include "train/loss/loss_run.h"

/* The sums of one batch. They are added in the order of the batches, so the result does not depend on the
 * number of ranks. */
typedef struct batch_sums {
    double     loss;
    int64_t    count;
    fgt_metric metric;
} batch_sums;

typedef struct evaluation {
    fgt_model    *model;
    fgt_context  *ctx;
    fgt_source    source;
    fgt_loss_opts loss;
    bool          has_loss, has_metric;
    fgti_batch    batch;
    fgti_ranks    ranks;
    int64_t       batches;
    batch_sums   *mine, *all; /* [batches]: mine: of this rank; all: of all ranks */
    int64_t      *bytes;      /* [ranks]: size of each rank's message */
} evaluation;

static fgt_status evaluate_ranks_prepare(evaluation *e, const fgt_source *source, const fgt_loss_opts *opts,
                                         int32_t target_dtype)
{
    fgti_error *err = &e->ctx->error;
    FGTI_TRY(fgti_source_check(err, "evaluate", source, &e->source));
    FGTI_TRY(fgti_loss_read(err, opts, &e->loss));
    FGTI_TRY(fgti_target_dtype_check(err, e->has_loss ? &e->loss : NULL, target_dtype));
    FGTI_TRY(fgti_batch_create(e->model, fgti_model_options(e->model)->batch, target_dtype,
                               e->source.get_value, &e->loss, &e->batch));
    e->batches = (e->source.count - 1) / e->batch.size + 1;
    FGTI_TRY(FGTI_NEW(e->ctx, e->batches, "sums of batches", &e->mine));
    FGTI_TRY(FGTI_NEW(e->ctx, e->batches, "sums of batches", &e->all));
    return FGTI_NEW(e->ctx, e->ranks.with.ranks, "sums of batches", &e->bytes);
}

static fgt_status evaluate_mine(evaluation *e, int64_t begin, int64_t end)
{
    fgti_batch *b = &e->batch;
    int64_t     n;
    for (int64_t i = begin; i < end; i++) {
        batch_sums *s = &e->mine[i];
        FGTI_TRY(fgti_batch_predict(e->model, b, &e->source, i * b->size, &n));
        if (e->has_metric)
            FGTI_TRY(fgti_batch_blame(e->ctx, b->index,
                                      fgt_metric_add(e->ctx, &s->metric, &b->y, &b->target)));
        if (e->has_loss)
            FGTI_TRY(fgti_batch_blame(e->ctx, b->index,
                                      fgti_loss_run(e->ctx, &e->loss, &b->y, &b->target, &b->spectral,
                                                    &s->loss, &s->count, NULL)));
    }
    return FGT_OK;
}

/* Compares the ranks. If their numbers of samples differed, they would wait for each other for ever. If their
 * weights or data differed, the result would mean nothing. */
static fgt_status evaluate_ranks_compare(evaluation *e)
{
    char            samples[32], weights[32], data[32];
    const fgti_word word[] = {
        {"the number of samples", samples}, {"the weights", weights}, {"the data", data}};
    const long long          count = (long long)e->source.count;
    const unsigned long long hash = fgt_model_get_hash(e->model), print = e->source.fingerprint;
    snprintf(samples, sizeof samples, "%lld", count);
    snprintf(weights, sizeof weights, "hash %016llx", hash);
    snprintf(data, sizeof data, "hash %016llx", print);
    return fgti_ranks_compare(&e->ranks, word, sizeof word / sizeof *word);
}

static void add_up(const evaluation *e, double *loss, int64_t *count, fgt_metric *m)
{
    for (int64_t i = 0; i < e->batches; i++) {
        const batch_sums *s = &e->all[i];
        *loss += s->loss;
        *count += s->count;
        m->square += s->metric.square;
        m->absolute += s->metric.absolute;
        m->percent += s->metric.percent;
        m->symmetric += s->metric.symmetric;
        m->count += s->metric.count;
        m->percent_count += s->metric.percent_count;
        m->rows += s->metric.rows;
        m->correct += s->metric.correct;
    }
}

static fgt_status evaluate_ranks_run(evaluation *e, double *loss, fgt_metric *metric)
{
    const int64_t n = e->batches, rank = e->ranks.with.rank;
    const int64_t begin = fgti_ranks_share(&e->ranks, n, rank);
    double        sum   = 0;
    int64_t       count = 0;
    FGTI_TRY(evaluate_ranks_compare(e));
    FGTI_TRY(fgti_ranks_agree(&e->ranks, evaluate_mine(e, begin, fgti_ranks_share(&e->ranks, n, rank + 1))));
    for (int64_t q = 0; q < e->ranks.with.ranks; q++)
        e->bytes[q] = (fgti_ranks_share(&e->ranks, n, q + 1) - fgti_ranks_share(&e->ranks, n, q)) *
                      (int64_t)sizeof *e->mine;
    FGTI_TRY(fgti_ranks_gather(&e->ranks, e->mine + begin, e->bytes, e->all));
    add_up(e, &sum, &count, metric);
    if (loss && !count)
        return fgti_fail(&e->ctx->error, FGT_E_DATA, "all targets are missing (need at least one)");
    if (loss) *loss = sum / (double)count;
    return FGT_OK;
}

fgt_status fgt_model_evaluate_ranks(fgt_model *model, const fgt_source *source, const fgt_loss_opts *opts,
                                    int32_t target_dtype, const fgt_collective *collective, double *loss,
                                    fgt_metric *metric)
{
    if (!model) return FGT_E_ARG;
    fgt_context *ctx  = fgti_model_context(model);
    fgt_metric   sums = metric ? *metric : (fgt_metric){0};
    evaluation   e    = {.model = model, .ctx = ctx, .has_loss = loss, .has_metric = metric};
    fgt_status   s    = fgti_ranks_init(ctx, collective, &e.ranks);
    if (s == FGT_OK) s = fgti_ranks_agree(&e.ranks, evaluate_ranks_prepare(&e, source, opts, target_dtype));
    if (s == FGT_OK) s = evaluate_ranks_run(&e, loss, &sums);
    if (s == FGT_OK && metric) *metric = sums;
    fgti_batch_destroy(ctx, &e.batch);
    fgti_ranks_done(&e.ranks);
    fgti_free(ctx, e.mine);
    fgti_free(ctx, e.all);
    fgti_free(ctx, e.bytes);
    return s;
}
