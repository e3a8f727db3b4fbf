/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies parameters from one model to another. */
#include <string.h>

#include "core/tensor.h"
#include "model/guard.h"
#include "model/model_impl.h"
#include "model/names.h"
#include "model/params.h"

static bool have_one_shape(const fgti_param *a, const fgti_param *b)
{
    return a->rank == b->rank && !memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape);
}

static fgt_status check_one(fgt_model *to, const fgti_param *from)
{
    char              have[FGTI_SHAPE_TEXT], want[FGTI_SHAPE_TEXT];
    const fgti_param *p = fgti_param_find(to, from->full_name);
    if (!p)
        return fgti_fail(&to->ctx->error, FGT_E_NAME, "copy: the model has no parameter \"%.100s\"",
                         from->full_name);
    if (have_one_shape(p, from)) return FGT_OK;
    return fgti_fail(&to->ctx->error, FGT_E_SHAPE, "copy: \"%.100s\" has the wrong shape (got %s, need %s)",
                     from->full_name, fgti_shape_text(from->rank, from->shape, have),
                     fgti_shape_text(p->rank, p->shape, want));
}

static fgt_status model_copy_check(fgt_model *to, const fgt_model *from, const char *pattern)
{
    const fgti_layer *l;
    const fgti_param *p;
    int64_t           count = 0;
    for (int64_t i = 0; (p = fgti_param_at(from, i, &l)); i++) {
        if (!fgti_name_matches(pattern, p->full_name)) continue;
        FGTI_TRY(check_one(to, p));
        count++;
    }
    if (count) return FGT_OK;
    return fgti_fail(&to->ctx->error, FGT_E_NAME, "copy: no parameter matches \"%.100s\"", pattern);
}

fgt_status fgt_model_copy_parameters(fgt_model *model, const fgt_model *from, const char *pattern)
{
    const fgti_layer *l;
    const fgti_param *p;
    if (!model) return FGT_E_ARG;
    if (!from || !pattern)
        return fgti_fail(&model->ctx->error, FGT_E_ARG, "copy: the other model, or the pattern, is NULL");
    FGTI_TRY(fgti_model_check_asking(model));
    FGTI_TRY(model_copy_check(model, from, pattern));
    for (int64_t i = 0; (p = fgti_param_at(from, i, &l)); i++)
        if (fgti_name_matches(pattern, p->full_name))
            memmove(model->weights + fgti_param_find(model, p->full_name)->offset, from->weights + p->offset,
                    (size_t)p->count * sizeof *from->weights);
    fgti_model_changed(model);
    return FGT_OK;
}
