/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/fighter/fighter_step.h"

#include <string.h>

#include "nn/attention/attention_stream.h"
#include "nn/graph/multihop.h"

/* Declares the parts of the past: over outputs U_1 .. U_{kappa-1} of each head; over inputs X', then Z_1 ..
 * Z_{kappa-2} of each head. */
void fgti_fighter_step_plan(fgti_layer *l)
{
    const fgt_fighter_opts *o = l->opts;
    const int64_t           d = l->in.width, keys = o->attn / o->heads;
    if (o->hops == 1) return;
    if (fgti_multihop_prefers_inputs(o->heads, d, o->out))
        fgti_attention_stream_plan(l, o->heads, keys, 1 + fgti_mul(o->hops - 2, o->heads), d);
    else
        fgti_attention_stream_plan(l, o->heads, keys, fgti_mul(o->hops - 1, o->heads), o->out / o->heads);
}

void fgti_fighter_step_size(const fgti_layer *l, int64_t room, fgti_need *need)
{
    const int64_t arena = l->pasts ? fgti_attention_stream_arena(room, l->past[FGTI_PAST_ROWS].width) : 0;
    if (arena > need->arena) need->arena = arena;
}

/* part_of_output() returns the number of the part for U_i, i > 0; part_of_input(), for Z_i of a head. */
static int64_t part_of_output(const fgt_fighter_opts *o, int64_t i, int64_t h)
{
    return (i - 1) * o->heads + h;
}

static int64_t part_of_input(const fgt_fighter_opts *o, int64_t i, int64_t h)
{
    return i ? 1 + (i - 1) * o->heads + h : 0;
}

/* ---- over outputs ---- */

typedef struct outputs {
    const fgti_fighter_pass *p;
    fgti_real               *y; /* P_0 of the first row */
    int64_t                  ld;
} outputs;

/* U_i[t] = P_i[t] + sum_{s <= t} A_ts U_{i+1}[s] */
static void head_of_outputs(const fgti_attention_stream *s, const void *user, int64_t g, int64_t h,
                            fgti_real *arena)
{
    const outputs          *v = user;
    const fgt_fighter_opts *o = v->p->o;
    const int64_t           n = o->out / o->heads, time = s->attention->tq;
    fgti_real              *sum = fgti_attention_stream_sum(s, arena);
    for (int64_t i = 0; i < time; i++) {
        const int64_t keys = fgti_attention_stream_row(s, g, h, i, arena);
        fgti_real    *p    = v->y + (g * time + i) * v->ld + h * n;
        for (int64_t m = o->hops - 1; m >= 0; m--) {
            fgti_real *u = p + m * o->out;
            if (m < o->hops - 1) {
                fgti_attention_stream_multiply(s, keys, arena, g, part_of_output(o, m + 1, h), sum);
                s->run->vec->axpy(n, 1, sum, u);
            }
            if (m)
                memcpy(fgti_past_row(s, FGTI_PAST_ROWS, g, part_of_output(o, m, h), s->before + i), u,
                       (size_t)n * sizeof *u);
        }
    }
}

fgt_status fgti_fighter_step_outputs(fgti_fighter_pass *p, fgti_real *y, int64_t ld)
{
    fgti_attention       *a = &p->chain.attention;
    fgti_attention_stream s;
    a->q   = y;
    a->k   = y + p->o->attn;
    a->ldq = a->ldk = ld;
    p->u            = y + 2 * p->o->attn;
    p->ldu          = ld;
    FGTI_TRY(fgti_attention_stream_open(&s, a, p->l, p->run, p->io));
    fgti_attention_stream_each(&s, head_of_outputs, &(outputs){p, p->u, ld});
    return FGT_OK;
}

/* ---- over inputs ---- */

typedef struct inputs {
    const fgti_fighter_pass *p;
    fgti_real               *z;
} inputs;

/* Z_i[t] = sum_{s <= t} A_ts Z_{i-1}[s] */
static void head_of_inputs(const fgti_attention_stream *s, const void *user, int64_t g, int64_t h,
                           fgti_real *arena)
{
    const inputs           *v = user;
    const fgt_fighter_opts *o = v->p->o;
    const int64_t           d = v->p->d, time = s->attention->tq;
    const size_t            bytes = (size_t)d * sizeof(fgti_real);
    fgti_real              *sum   = fgti_attention_stream_sum(s, arena);
    for (int64_t i = 0; i < time; i++) {
        const int64_t keys = fgti_attention_stream_row(s, g, h, i, arena), row = g * time + i;
        for (int64_t m = 1; m < o->hops; m++) {
            fgti_attention_stream_multiply(s, keys, arena, g, part_of_input(o, m - 1, h), sum);
            memcpy(v->z + (((m - 1) * o->heads + h) * v->p->rows + row) * d, sum, bytes);
            if (m == o->hops - 1) break;
            memcpy(fgti_past_row(s, FGTI_PAST_ROWS, g, part_of_input(o, m, h), s->before + i), sum, bytes);
        }
    }
}

fgt_status fgti_fighter_step_inputs(fgti_fighter_pass *p, fgti_real *z)
{
    fgti_attention_stream s;
    FGTI_TRY(fgti_attention_stream_open(&s, &p->chain.attention, p->l, p->run, p->io));
    fgti_attention_stream_keep(&s, FGTI_PAST_ROWS, 1, p->x, p->d);
    fgti_attention_stream_each(&s, head_of_inputs, &(inputs){p, z});
    return FGT_OK;
}
