/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/attention_stream.h"

#include <math.h>
#include <string.h>

#include "nn/masks.h"

void fgti_attention_stream_plan(fgti_layer *l, int64_t heads, int64_t keys, int64_t parts, int64_t rows)
{
    fgti_past_add(l, "k", heads, keys);
    fgti_past_add(l, "padding", 1, 1);
    fgti_past_add(l, "rows", parts, rows);
}

const char *fgti_attention_stream_misfit(const fgt_attention_rule *conf)
{
    if (conf->attender) return "chooses its keys by all tokens, or by a graph between them";
    return conf->causal ? NULL : "is not causal: a token reads later ones";
}

static int64_t row_size(int64_t room)
{
    return fgti_round_up(room, FGTI_REGISTER);
}

int64_t fgti_attention_stream_arena(int64_t room, int64_t n)
{
    return row_size(room) + fgti_round_up(n, FGTI_REGISTER);
}

fgti_real *fgti_attention_stream_sum(const fgti_attention_stream *s, fgti_real *arena)
{
    return arena + row_size(s->room);
}

/* ---- opening ---- */

static fgt_status open_masks(fgti_attention_stream *s)
{
    const fgti_run       *run = s->run;
    const fgti_attention *a   = s->attention;
    const int64_t         all = s->before + a->tq;
    FGTI_TRY(fgti_key_padding(run, a->tq, &s->padding));
    FGTI_TRY(fgti_stream_side(run, FGT_MASK_ATTENTION, all, &s->side_blocked));
    FGTI_TRY(fgti_stream_side(run, FGT_MASK_DIAG_DROP, all, &s->side_drop));
    FGTI_TRY(fgti_stream_side(run, FGT_MASK_DIAG_SCALE, all, &s->side_scale));
    FGTI_TRY(fgti_attn_mask(run, s->side_blocked, s->side_blocked, &s->blocked, &s->additive));
    FGTI_TRY(fgti_diag_drop(run, s->side_drop, &s->drop));
    return fgti_diag_scale(run, a->groups, a->heads, s->side_scale, &s->diag_scale);
}

void fgti_attention_stream_keep(const fgti_attention_stream *s, int k, int64_t parts, const fgti_real *x,
                                int64_t ld)
{
    const int64_t time = s->attention->tq, n = s->past[k].width;
    for (int64_t g = 0; g < s->attention->groups; g++)
        for (int64_t p = 0; p < parts; p++)
            for (int64_t t = 0; t < time; t++)
                memcpy(fgti_past_row(s, k, g, p, s->before + t), x + (g * time + t) * ld + p * n,
                       (size_t)n * sizeof *x);
}

static void keep_padding(const fgti_attention_stream *s)
{
    const fgti_attention *a = s->attention;
    for (int64_t g = 0; g < a->groups; g++)
        for (int64_t t = 0; t < a->tq; t++)
            *fgti_past_row(s, FGTI_PAST_PADDING, g, 0, s->before + t) =
                s->padding && s->padding[g / a->nodes * a->tq + t] ? 1 : 0;
}

fgt_status fgti_attention_stream_open(fgti_attention_stream *s, const fgti_attention *attention,
                                      const fgti_layer *l, const fgti_run *run, const fgti_io *io)
{
    *s = (fgti_attention_stream){.run       = run,
                                 .io        = io,
                                 .attention = attention,
                                 .past      = l->past,
                                 .before    = run->stream->tokens,
                                 .room      = run->stream->room};
    FGTI_TRY(open_masks(s));
    fgti_attention_stream_keep(s, FGTI_PAST_KEYS, attention->heads, attention->k, attention->ldk);
    keep_padding(s);
    return FGT_OK;
}

/* ---- a row of A ---- */

/* Adds the masks, and sets -inf where token t may not look. Keys after t are not in the row. */
static void attention_stream_mask(const fgti_attention_stream *s, int64_t g, int64_t t, fgti_real *a)
{
    const fgt_attention_rule  *conf    = &s->attention->conf;
    const fgti_real           *padding = fgti_past_row(s, FGTI_PAST_PADDING, g, 0, 0);
    const fgti_real            inf     = (fgti_real)INFINITY;
    const int64_t              row     = t * s->side_blocked;
    for (int64_t j = 0; s->additive && j <= t; j++) a[j] += s->additive[row + j];
    for (int64_t j = 0; s->blocked && j <= t; j++)
        if (s->blocked[row + j]) a[j] = -inf;
    for (int64_t j = 0; j <= t; j++)
        if (padding[j] != 0) a[j] = -inf;
    a[t] += conf->diag_penalty;
    if (conf->diag_mask || (s->drop && s->drop[t])) a[t] = -inf;
}

/* Softmax in place. A row with only -inf becomes zeros; a row with a NaN becomes NaN. */
static void attention_stream_softmax(const fgti_vec *vec, int64_t n, fgti_real *a)
{
    const fgti_real one = 1;
    fgti_real       top = -(fgti_real)INFINITY;
    double          sum = 0;
    for (int64_t j = 0; j < n; j++)
        if (!(a[j] <= top)) top = a[j];
    if (top == -(fgti_real)INFINITY) {
        memset(a, 0, (size_t)n * sizeof *a);
        return;
    }
    vec->panels->exp_rows(1, n, n, &top, &one, a);
    for (int64_t j = 0; j < n; j++) sum += a[j];
    vec->scale(n, (fgti_real)(1 / sum), a);
}

int64_t fgti_attention_stream_row(const fgti_attention_stream *s, int64_t g, int64_t h, int64_t i,
                                  fgti_real *a)
{
    const fgti_attention *at = s->attention;
    const int64_t         t = s->before + i, keys = t + 1;
    const fgti_real      *q = at->q + (g * at->tq + i) * at->ldq + h * at->dh;
    memset(a, 0, (size_t)keys * sizeof *a);
    s->run->vec->panels->dot_rows(keys, at->dh, q, 0, fgti_past_row(s, FGTI_PAST_KEYS, g, h, 0), at->dh, a);
    s->run->vec->scale(keys, fgti_attention_scale(at), a);
    attention_stream_mask(s, g, t, a);
    attention_stream_softmax(s->run->vec, keys, a);
    if (s->diag_scale) a[t] *= s->diag_scale[(g * at->heads + h) * s->side_scale + t];
    return keys;
}

void fgti_attention_stream_multiply(const fgti_attention_stream *s, int64_t keys, const fgti_real *a,
                                    int64_t g, int64_t part, fgti_real *sum)
{
    const int64_t n = s->past[FGTI_PAST_ROWS].width, whole = fgti_round_up(n, FGTI_REGISTER);
    s->run->vec->panels->multiply(1, whole, keys, 1, a, 0, 1, fgti_past_row(s, FGTI_PAST_ROWS, g, part, 0), n,
                                  0, sum, whole);
}

/* ---- all heads ---- */

typedef struct heads_pass {
    const fgti_attention_stream *s;
    fgti_stream_fn               fn;
    const void                  *user;
} heads_pass;

static void head_task(void *arg, int64_t task, int32_t worker)
{
    const heads_pass *p     = arg;
    const int64_t     heads = p->s->attention->heads;
    p->fn(p->s, p->user, task / heads, task % heads, fgti_worker_arena(p->s->io, worker));
}

void fgti_attention_stream_each(const fgti_attention_stream *s, fgti_stream_fn fn, const void *user)
{
    heads_pass p = {s, fn, user};
    fgti_parallel(s->run->exec, s->attention->groups * s->attention->heads, head_task, &p);
}
