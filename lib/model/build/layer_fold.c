/* SPDX-License-Identifier: BSD-3-Clause */
/* Work that a predictor leaves out. Maps are folded into the layers after them (nn/fold.h), and rows that no
 * layer reads are not computed. */
#include "model/build/layer_fold.h"

#include <string.h>

#include "model/model_impl.h"

static bool is(const fgti_layer *l, const char *name)
{
    return !strcmp(l->cls->name, name) && l->axis == FGT_AXIS_TIME;
}

/* The layer whose output `reader` reads; NULL: it reads the model's input. A dropout between the two does
 * nothing in a prediction, so it is passed over. */
static const fgti_layer *maker_of(const fgt_model *m, const fgti_layer *reader)
{
    int64_t from = reader->input[0].from;
    while (from >= 0 && (is(m->layer[from], "dropout") || is(m->layer[from], "drop_path")))
        from = m->layer[from]->input[0].from;
    return from < 0 ? NULL : m->layer[from];
}

void fgti_layer_offer_fold(const fgt_model *m, fgti_layer *l)
{
    if (!l->cls->folds || l->axis != FGT_AXIS_TIME) return;
    const fgti_layer *map = maker_of(m, l), *position = NULL;
    if (map && is(map, "position")) {
        position = map;
        map      = maker_of(m, position);
    }
    if (!map || !is(map, "linear")) return;
    l->fold_map      = map;
    l->fold_position = position;
}

void fgti_layer_take_fold(fgti_layer *l)
{
    if (l->fold_map) l->input[l->inputs++] = l->fold_map->input[0];
}

/* ---- rows that are not read ---- */

/* The layer that reads this layer's output; NULL: no layer, or several layers. */
static const fgti_layer *reader_of(const fgt_model *m, const fgti_layer *l)
{
    const fgti_layer *reader = NULL;
    int               edges  = 0;
    for (int64_t i = (int64_t)l->id + 1; i < m->layers; i++)
        for (int32_t k = 0; k < m->layer[i]->inputs; k++)
            if (m->layer[i]->input[k].from == (int64_t)l->id) {
                reader = m->layer[i];
                edges++;
            }
    return edges == 1 && (int64_t)l->id != m->last ? reader : NULL;
}

/* Whether each row of the output depends only on the same row of the input. A `seasonal` norm subtracts a
 * mean over all tokens, so there it does not. */
static bool takes_rows_alone(const fgti_layer *l)
{
    if (is(l, "layer_norm")) return !((const fgt_layer_norm_opts *)l->opts)->seasonal;
    return is(l, "dropout") || is(l, "drop_path");
}

/* Whether two layers see the same padding in every pass; neither may have a mask of its own. An embedding
 * with mask_padding makes a mask from ids, which layers before the embedding do not see. */
static bool see_same_padding(const fgt_model *m, const fgti_layer *l, const fgti_layer *r)
{
    if (l->mask[FGT_MASK_KEY_PADDING] >= 0 || r->mask[FGT_MASK_KEY_PADDING] >= 0) return false;
    for (uint64_t i = l->id; i < r->id; i++)
        if (m->layer[i]->masks) return false;
    return true;
}

/* The value of fgti_layer.wanted for layer l. Between l and the layer that reads one row there may be layers
 * that take each row by itself. With padding the last token is in an earlier row, and the pass computes all
 * rows. Both layers must therefore see the same padding. */
static int64_t row_read(const fgt_model *m, const fgti_layer *l)
{
    const fgti_layer *r = reader_of(m, l);
    while (r && takes_rows_alone(r)) r = reader_of(m, r);
    if (!r) return 0;
    if (is(r, "pool") && ((const fgt_pool_opts *)r->opts)->kind == FGT_POOL_LAST)
        return see_same_padding(m, l, r) ? -1 : 0;
    const fgt_slice_opts *o = is(r, "slice") ? r->opts : NULL;
    return o && r->out.time == 1 && o->count == 1 ? o->first + 1 : 0;
}

void fgti_model_find_rows(const fgt_model *m)
{
    for (int64_t i = 0; m->folds && i < m->layers; i++) {
        fgti_layer *l = m->layer[i];
        if (l->cls->one_row && l->axis == FGT_AXIS_TIME && l->out.width % FGTI_REGISTER == 0)
            l->wanted = row_read(m, l);
    }
}
