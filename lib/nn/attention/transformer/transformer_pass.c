/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/transformer/transformer_pass.h"

int fgti_transformer_weight(const fgti_layer *l, int which)
{
    const fgt_transformer_opts *o = l->opts;
    return o->no_bias ? which / 2 : which;
}

const fgti_real *fgti_transformer_bias(const fgti_layer *l, const fgti_io *io, int which)
{
    const fgt_transformer_opts *o = l->opts;
    return o->no_bias ? NULL : fgti_w(l, io, which + 1);
}

fgti_tail fgti_transformer_tail(const fgti_transformer_pass *p, int32_t act, fgti_draw draw)
{
    const fgt_transformer_opts *o = p->l->opts;
    fgti_tail                   t = fgti_tail_of(p->run, p->l, act, p->dropout, draw);
    if (draw != FGTI_DRAW_HIDDEN) /* the end of a residual path */
        fgti_tail_skip(&t, p->run, p->l, o->drop_path, draw, p->io->in.nodes * p->io->in.time * p->d);
    return t;
}

/* The first map whose weights are packed. */
static int first_map(const fgti_transformer_pass *p)
{
    return fgti_is_folded(p->l) ? FGTI_MAP_OUT : FGTI_MAP_IN;
}

/* Takes memory for the results of p->rows rows. If the activation is relu, v overwrites u: relu(u) is
 * positive where u is positive, and the gradient depends on nothing else. */
int64_t fgti_transformer_place(fgti_transformer_pass *p, fgti_real *base)
{
    const fgt_transformer_opts *o  = p->l->opts;
    const int64_t               rd = fgti_mul(p->rows, p->d), rf = fgti_mul(p->rows, p->f);
    int64_t                     at = 0;
    p->a                           = fgti_take(base, &at, rd);
    p->h                           = fgti_take(base, &at, rd);
    p->b                           = fgti_take(base, &at, rd);
    for (int i = 0; i < 2; i++) {
        p->mean[i] = fgti_take(base, &at, p->rows);
        p->rstd[i] = fgti_take(base, &at, p->rows);
    }
    p->u = fgti_take(base, &at, rf);
    p->v = o->act == FGT_ACT_RELU ? p->u : fgti_take(base, &at, rf);
    return at;
}

int64_t fgti_transformer_place_keep(fgti_transformer_pass *p, fgti_real *base)
{
    int64_t at = fgti_is_folded(p->l) ? fgti_fold_keep(&p->fold, base) : 0;
    if (!p->packs) return at;
    p->kept = fgti_kept_take(base, &at);
    for (int i = first_map(p); i < FGTI_MAPS; i++)
        p->map[i].packed = fgti_packed_weight_take_small(p->l->blas, p->map[i].d, p->map[i].h, base, &at);
    return at;
}

int64_t fgti_transformer_place_packs(fgti_transformer_pass *p, fgti_real *base)
{
    int64_t at = 0;
    for (int i = first_map(p); !p->packs && i < FGTI_MAPS; i++)
        p->map[i].pack = fgti_affine_pack_take(p->l, p->map[i].d, p->map[i].h, base, &at);
    return at;
}
