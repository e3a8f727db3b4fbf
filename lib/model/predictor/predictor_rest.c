/* SPDX-License-Identifier: BSD-3-Clause */

/* Keeps only the parameters that the passes of a predictor still read. */

#include "model/predictor/predictor_rest.h"

#include <string.h>

#include "model/access.h"
#include "model/params.h"

/* Calls fn for every parameter that some layer owns. */
static void each_param(fgt_predictor *p, const fgti_real *weights,
                       void (*fn)(fgt_predictor *p, fgti_param *q, bool gone, const fgti_real *weights))
{
    for (int64_t i = 0; i < p->model->layers; i++) {
        const fgti_layer *l = p->model->layer[i];
        for (int32_t k = 0; k < (l->shares ? 0 : l->params); k++)
            fn(p, &l->param[k], p->gone[l->first_param + k], weights);
    }
}

static void rest_layout(fgt_predictor *p, fgti_param *q, bool gone, const fgti_real *weights)
{
    (void)weights;
    q->offset = p->size;
    if (!gone) fgti_take(NULL, &p->size, q->count);
}

void fgti_predictor_place(fgt_predictor *p)
{
    p->size = 0;
    each_param(p, NULL, rest_layout);
}

int64_t fgti_predictor_rest(const fgt_predictor *p)
{
    int64_t size = 0;
    for (int64_t i = 0; i < fgti_params_count(p->model); i++)
        if (!p->gone[i]) fgti_take(NULL, &size, fgti_model_param(p->model, i)->count);
    return size;
}

/* Copies a parameter that is still read. p->size counts the copied elements. */
static void predictor_rest_copy(fgt_predictor *p, fgti_param *q, bool gone, const fgti_real *weights)
{
    const fgti_real *from = weights + q->offset;
    q->offset             = p->size;
    if (!gone)
        memcpy(fgti_take(p->model->weights, &p->size, q->count), from, (size_t)q->count * sizeof *from);
}

fgt_status fgti_predictor_keep_rest(fgt_predictor *p, const fgti_real *weights)
{
    const int64_t size = fgti_predictor_rest(p);
    /* at least one element, because layers also compute addresses of parameters that they do not read */
    FGTI_TRY(FGTI_NEW(p->model->ctx, size ? size : 1, "parameters", &p->model->weights));
    p->size = 0;
    each_param(p, weights, predictor_rest_copy);
    return FGT_OK;
}
