/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/attender/full_head.h"

fgti_full_head fgti_full_head_of(const fgti_chain *c, int64_t g, int64_t h)
{
    const fgti_attention *attention = &c->attention;
    const int64_t         gh        = g * attention->heads + h;
    const int64_t         tiles     = fgti_attention_tiles(attention->kn, attention->tq, attention->tk);
    fgti_full_head        hd        = {.c      = c,
                                       .g      = g,
                                       .h      = h,
                                       .u      = attention->kn->u,
                                       .v      = attention->kn->v,
                                       .tq     = attention->tq,
                                       .tk     = attention->tk,
                                       .dh     = attention->dh,
                                       .n      = c->n,
                                       .panels = attention->run ? attention->run->vec->panels : NULL,
                                       .panel  = fgti_attention_panel(attention)};
    if (attention->soft) hd.soft = attention->soft + gh * fgti_attention_block(attention);
    if (attention->a) hd.a = attention->a + gh * fgti_attention_block(attention);
    if (attention->shift) hd.shift = attention->shift + gh * attention->tq;
    if (attention->factor) hd.factor = attention->factor + gh * attention->tq;
    hd.held = attention->matrices == FGTI_MATRICES_HELD ||
              (attention->matrices == FGTI_MATRICES_KEPT && c->products > 1 && tiles <= FGTI_ATTENTION_HELD);
    return hd;
}

/* Returns the elements of a held A. A shorter pass may hold matrices that a pass of the planned length keeps,
 * even if these are too large to be held. */
int64_t fgti_full_held(const fgti_full_head *hd)
{
    const fgti_attention *attention = &hd->c->attention;
    const int64_t         tiles     = fgti_attention_tiles(attention->kn, hd->tq, hd->tk);
    if (attention->matrices == FGTI_MATRICES_STREAMED || hd->c->products <= 1) return 0;
    return fgti_least(tiles, FGTI_ATTENTION_HELD) + FGTI_TILE_AHEAD;
}
