/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/recurrent/recurrent_weights.h"

#include <string.h>

#include "nn/projection.h"

/* As fgti_gemm_pack_size, but sticking. */
static int64_t packed_size(int64_t k, int64_t n)
{
    return k && n ? fgti_mul(k + FGTI_TILE_MAX, n + FGTI_TILE_MAX) : 0;
}

fgti_packed fgti_packed_take(const fgti_weights *w, int64_t width, fgti_real *base, int64_t *at)
{
    fgti_packed to;
    to.w     = fgti_take(base, at, packed_size(width, w->gates));
    to.u     = fgti_take(base, at, packed_size(w->h, w->gates));
    to.apart = fgti_take(base, at, packed_size(w->h, w->apart));
    to.b     = fgti_take(base, at, w->gates + w->apart);
    return to;
}

fgti_weights fgti_weights_of(const fgti_layer *l, int64_t first)
{
    const fgti_cell *cell  = fgti_cell_of(l);
    fgti_weights     w     = {.l = l, .kn = fgti_tile_kernel(l->blas), .o = fgti_recurrent_conf_of(l)};
    const int64_t    below = w.o.layers > 1 ? fgti_mul(w.o.dirs, w.o.hidden) : 0;
    w.h                    = w.o.hidden;
    w.gates                = fgti_mul(cell->gates, w.h);
    w.apart                = fgti_mul(cell->slots - cell->gates, w.h);
    w.first                = first;
    w.widest               = first > below ? first : below;
    w.small                = fgti_mul(w.gates, w.h + w.widest) <= FGTI_WEIGHTS_SMALL && w.widest <= FGTI_KC;
    fgti_packed_take(&w, w.widest, NULL, &w.each);
    return w;
}

void fgti_weights_place(fgti_weights *w, fgti_real *base, int64_t *at)
{
    const int64_t all = fgti_mul(w->o.layers * w->o.dirs, w->each);
    for (int form = 0; form < FGTI_FORMS; form++) {
        if (form == FGTI_BY_PANELS && !w->small) return;
        w->version[form] = fgti_take(base, at, (int64_t)(sizeof(uint64_t) / sizeof *base + 1));
        w->packed[form]  = fgti_take(base, at, all);
    }
}

fgti_packed fgti_weights_at(const fgti_weights *w, fgti_form form, int64_t layer, int64_t d)
{
    int64_t at = (layer * w->o.dirs + d) * w->each;
    return fgti_packed_take(w, w->widest, w->packed[form], &at);
}

/* n rows of weights [n,k] */
static void pack(const fgti_weights *w, const fgti_run *run, fgti_form form, int64_t n, int64_t k,
                 const fgti_real *from, fgti_real *to)
{
    if (form == FGTI_BY_ROWS)
        fgti_gemm_pack(run->blas, k, n, from, 1, k, to);
    else
        fgti_tile_pack(w->kn->u, n, k, from, k, 1, to, w->kn->u * k);
}

/* Both biases, but of a last gate that meets h apart, each its own. */
static void sum_biases(const fgti_weights *w, const fgti_run *run, const fgti_io *io, int64_t layer,
                       int64_t d, fgti_real *b)
{
    const int64_t common = w->gates - w->apart;
    memset(b, 0, (size_t)(w->gates + w->apart) * sizeof *b);
    if (w->o.no_bias) return;
    const fgti_real *ih = fgti_w(w->l, io, fgti_recurrent_param(&w->o, layer, d, FGTI_B_IH)),
                    *hh = fgti_w(w->l, io, fgti_recurrent_param(&w->o, layer, d, FGTI_B_HH));
    memcpy(b, ih, (size_t)w->gates * sizeof *b);
    run->vec->axpy(common, 1, hh, b);
    memcpy(b + w->gates, hh + common, (size_t)w->apart * sizeof *b);
}

void fgti_weights_pack(const fgti_weights *w, const fgti_run *run, const fgti_io *io, fgti_form form)
{
    const fgti_projection kept   = {.run = run, .version = w->version[form]};
    const int64_t         common = w->gates - w->apart;
    if (!fgti_projection_stale(&kept)) return;
    for (int64_t layer = 0; layer < w->o.layers; layer++)
        for (int64_t d = 0; d < w->o.dirs; d++) {
            const fgti_packed to = fgti_weights_at(w, form, layer, d);
            const fgti_real  *u  = fgti_w(w->l, io, fgti_recurrent_param(&w->o, layer, d, FGTI_W_HH));
            pack(w, run, form, w->gates, layer ? w->o.dirs * w->h : w->first,
                 fgti_w(w->l, io, fgti_recurrent_param(&w->o, layer, d, FGTI_W_IH)), to.w);
            pack(w, run, form, common, w->h, u, to.u);
            pack(w, run, form, w->apart, w->h, u + common * w->h, to.apart);
            sum_biases(w, run, io, layer, d, to.b);
        }
}
