/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/attender.h"

static const fgti_attender *const attenders[] = {
    [FGT_ATTENDER_FULL] = &fgti_attender_full,
    [FGT_ATTENDER_PROB] = &fgti_attender_prob,
    [FGT_ATTENDER_CORRELATION] = &fgti_attender_correlation,
    [FGT_ATTENDER_LSH] = &fgti_attender_lsh,
    [FGTI_ATTENDER_EDGES] = &fgti_attender_edges,
};

const fgti_attender *fgti_attender_get(int32_t number)
{
    const int32_t count = (int32_t)(sizeof attenders / sizeof *attenders);
    return number >= 0 && number < count ? attenders[number] : NULL;
}

/* ---- options and masks of one attender only ---- */

static const char *foreign(const fgti_attention_conf *conf, const fgti_layer *l)
{
    const int32_t a       = conf->attender;
    const bool    samples = a == FGT_ATTENDER_PROB, delays = a == FGT_ATTENDER_CORRELATION;
    if (conf->factor && !samples && !delays) return "factor";
    if (conf->own_delays && !delays) return "own_delays";
    if (conf->bucket_size && a != FGT_ATTENDER_LSH) return "bucket_size";
    if (conf->n_hashes && a != FGT_ATTENDER_LSH) return "n_hashes";
    if (l->mask[FGT_MASK_SAMPLED_KEYS] >= 0 && !samples) return "a mask of sampled keys";
    if (l->mask[FGT_MASK_ROTATIONS] >= 0 && a != FGT_ATTENDER_LSH) return "a value of rotations";
    return NULL;
}

fgt_status fgti_attender_check_layer(fgti_error *err, const fgti_attention_conf *conf, const fgti_layer *l,
                                     const char *misfit)
{
    const fgti_attender *attender = fgti_attender_get(conf->attender);
    if (!misfit) misfit = foreign(conf, l);
    if (!misfit && attender->misfit) misfit = attender->misfit(conf, l);
    if (!misfit) return FGT_OK;
    if (conf->attender == FGTI_ATTENDER_EDGES)
        return fgti_fail(err, FGT_E_ARG, "%s does not go with a graph", misfit);
    return fgti_fail(err, FGT_E_ARG, "%s does not go with attender %s", misfit, attender->name);
}

/* ---- options and masks that act on scores ---- */

const char *fgti_attender_misfit(const fgti_attention_conf *conf, const fgti_layer *l)
{
    if (conf->diag_mask) return "diag_mask";
    if (conf->diag_penalty != 0) return "diag_penalty";
    if (conf->diag_dropout != 0) return "diag_dropout";
    if (conf->diag_when) return "diag_when";
    if (conf->attn_dropout != 0) return "attn_dropout";
    if (conf->mode == FGT_ATTN_STREAM) return "the streaming mode";
    if (l->mask[FGT_MASK_ATTENTION] >= 0) return "an attention mask";
    if (l->mask[FGT_MASK_DIAG_DROP] >= 0 || l->mask[FGT_MASK_DIAG_SCALE] >= 0)
        return "a mask of the diagonal";
    return NULL;
}

fgt_status fgti_attender_check_masks(const fgti_chain *c, const char *heeds)
{
    const fgti_attention *attention = &c->attention;
    if (!attention->blocked && !attention->additive && !attention->drop && !attention->diag_scale)
        return FGT_OK;
    return fgti_fail(attention->run->error, FGT_E_UNSUPPORTED,
                     "attender %s supports only %s; connect other masks to the layers that use them",
                     c->attender->name, heeds);
}

/* ---- all groups and heads ---- */

typedef struct attend_pass {
    const fgti_chain *c;
    const fgti_io    *io;
    fgti_real        *a;
    void (*one)(const fgti_chain *c, int64_t g, int64_t h, fgti_real *arena, void *scratch);
} attend_pass;

static void one_task(void *arg, int64_t gh, int32_t worker)
{
    const attend_pass *p       = arg;
    const int64_t      heads   = p->c->attention.heads;
    void              *scratch = fgti_worker_scratch(p->c->attention.run->exec, worker);
    p->one(p->c, gh / heads, gh % heads, fgti_worker_arena(p->io, worker), scratch);
}

static void matrix_task(void *arg, int64_t gh, int32_t worker)
{
    const attend_pass    *p         = arg;
    const fgti_attention *attention = &p->c->attention;
    const int64_t         heads = attention->heads, n = attention->tq * attention->tk;
    void                 *scratch = fgti_worker_scratch(attention->run->exec, worker);
    p->c->attender->matrix(p->c, gh / heads, gh % heads, fgti_worker_arena(p->io, worker), scratch,
                           p->a + gh * n);
}

static void each_head(const attend_pass *p, fgti_task_fn task)
{
    const fgti_attention *attention = &p->c->attention;
    fgti_parallel(attention->run->exec, attention->groups * attention->heads, task, (void *)p);
}

fgt_status fgti_attend_check(fgti_chain *c)
{
    return c->attender->check ? c->attender->check(c) : FGT_OK;
}

void fgti_attend_prepare(const fgti_chain *c, const fgti_io *io)
{
    if (c->attender->prepare) c->attender->prepare(c, io);
}

void fgti_attend_forward(const fgti_chain *c, const fgti_io *io)
{
    fgti_attend_prepare(c, io);
    each_head(&(attend_pass){.c = c, .io = io, .one = c->attender->forward}, one_task);
}

void fgti_attend_backward(const fgti_chain *c, const fgti_io *io)
{
    if (c->attender->prepare_grad) c->attender->prepare_grad(c, io);
    each_head(&(attend_pass){.c = c, .io = io, .one = c->attender->backward}, one_task);
}

void fgti_attend_matrices(const fgti_chain *c, const fgti_io *io, fgti_real *a)
{
    each_head(&(attend_pass){.c = c, .io = io, .a = a}, matrix_task);
}
