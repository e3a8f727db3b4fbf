/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/recurrent/recurrent_weights.h"

#include <string.h>

/* ---- memory ---- */

static fgti_direction_weights take_direction(const fgti_recurrent_weights *w, fgti_weight_form form,
                                             int64_t width, fgti_real *base, int64_t *at)
{
    fgti_direction_weights to;
    to.w     = fgti_packed_weight_take(form, w->l->blas, width, w->gates, base, at);
    to.u     = fgti_packed_weight_take(form, w->l->blas, w->h, w->gates - w->apart, base, at);
    to.apart = fgti_packed_weight_take(form, w->l->blas, w->h, w->apart, base, at);
    to.b     = fgti_take(base, at, w->gates + w->apart);
    to.w.u = to.u.u = to.apart.u = w->kn->u;
    return to;
}

fgti_recurrent_weights fgti_recurrent_weights_of(const fgti_layer *l, int64_t first)
{
    const fgti_recurrent_cell *cell  = fgti_cell_of(l);
    fgti_recurrent_weights w     = {.l = l, .conf = fgti_recurrent_conf_of(l), .first = first};
    const int64_t          below = w.conf.layers > 1 ? fgti_mul(w.conf.dirs, w.conf.hidden) : 0;
    w.h                          = w.conf.hidden;
    w.gates                      = fgti_mul(cell->gates, w.h);
    w.apart                      = fgti_mul(cell->slots - cell->gates, w.h);
    w.widest                     = first > below ? first : below;
    w.kn                         = fgti_tile_kernel_for(l->blas, w.widest > w.h ? w.widest : w.h);
    w.small = fgti_mul(w.gates, w.h + w.widest) <= FGTI_WEIGHTS_SMALL && w.widest <= FGTI_KC;
    take_direction(&w, FGTI_WEIGHT_FOR_ROWS, w.widest, NULL, &w.each);
    return w;
}

void fgti_recurrent_weights_place(fgti_recurrent_weights *w, fgti_real *base, int64_t *at)
{
    const int64_t all = fgti_mul(w->conf.layers * w->conf.dirs, w->each);
    for (int form = 0; form < FGTI_WEIGHT_FORMS; form++) {
        if (form == FGTI_WEIGHT_FOR_PANELS && !w->small) return;
        w->kept[form]   = fgti_kept_take(base, at);
        w->packed[form] = fgti_take(base, at, all);
    }
}

fgti_direction_weights fgti_recurrent_weights_at(const fgti_recurrent_weights *w, fgti_weight_form form,
                                                 int64_t layer, int64_t d)
{
    const int64_t width = layer ? w->conf.dirs * w->h : w->first;
    int64_t       at    = (layer * w->conf.dirs + d) * w->each;
    return take_direction(w, form, width, w->packed[form], &at);
}

/* ---- packing ---- */

/* Adds up both biases. A last gate that uses h U' separately has each bias in its own slot. */
static void sum_biases(const fgti_recurrent_weights *w, const fgti_run *run, const fgti_io *io, int64_t layer,
                       int64_t d, fgti_real *b)
{
    const int64_t common = w->gates - w->apart;
    memset(b, 0, (size_t)(w->gates + w->apart) * sizeof *b);
    if (w->conf.no_bias) return;
    const fgti_real *ih = fgti_w(w->l, io, fgti_recurrent_param(&w->conf, layer, d, FGTI_B_IH)),
                    *hh = fgti_w(w->l, io, fgti_recurrent_param(&w->conf, layer, d, FGTI_B_HH));
    memcpy(b, ih, (size_t)w->gates * sizeof *b);
    run->vec->axpy(common, 1, hh, b);
    memcpy(b + w->gates, hh + common, (size_t)w->apart * sizeof *b);
}

/* Packs the transposes of the parameters, which are W and U. */
static void pack_direction(const fgti_recurrent_weights *w, const fgti_run *run, const fgti_io *io,
                           fgti_weight_form form, int64_t layer, int64_t d)
{
    const fgti_direction_weights to   = fgti_recurrent_weights_at(w, form, layer, d);
    const fgti_real             *w_ih = fgti_w(w->l, io, fgti_recurrent_param(&w->conf, layer, d, FGTI_W_IH));
    const fgti_real             *w_hh = fgti_w(w->l, io, fgti_recurrent_param(&w->conf, layer, d, FGTI_W_HH));
    fgti_packed_weight_fill(&to.w, run->blas, NULL, w_ih, 1, to.w.k);
    fgti_packed_weight_fill(&to.u, run->blas, NULL, w_hh, 1, w->h);
    fgti_packed_weight_fill(&to.apart, run->blas, NULL, w_hh + to.u.n * w->h, 1, w->h);
    sum_biases(w, run, io, layer, d, to.b);
}

void fgti_recurrent_weights_pack(const fgti_recurrent_weights *w, const fgti_run *run, const fgti_io *io,
                                 fgti_weight_form form)
{
    if (!fgti_kept_is_stale(&w->kept[form], run)) return;
    for (int64_t layer = 0; layer < w->conf.layers; layer++)
        for (int64_t d = 0; d < w->conf.dirs; d++) pack_direction(w, run, io, form, layer, d);
    fgti_kept_set_fresh(&w->kept[form], run);
}
