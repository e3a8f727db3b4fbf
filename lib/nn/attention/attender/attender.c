/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/attender/attender.h"

/* ---- options and masks that act on scores ---- */

const char *fgti_attender_misfit(const fgt_attention_rule *conf, const fgti_layer *l)
{
    if (conf->diag_mask) return "diag_mask";
    if (conf->diag_penalty != 0) return "diag_penalty";
    if (conf->diag_dropout != 0) return "diag_dropout";
    if (conf->diag_when) return "diag_when";
    if (conf->attn_dropout != 0) return "attn_dropout";
    if (conf->mode == FGT_ATTN_MODE_STREAM) return "the streaming mode";
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

static void attender_matrix_task(void *arg, int64_t gh, int32_t worker)
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
    each_head(&(attend_pass){.c = c, .io = io, .a = a}, attender_matrix_task);
}
