/* SPDX-License-Identifier: BSD-3-Clause */
/* Frozen parameters: they take part in passes, but no step changes them. The flag is in fgti_param, and the
 * optimiser reads it in every step. A model file names them in its metadata:
 *     fighter.frozen ["embedding.weight","0.bias"] absent: no parameter is frozen
 * Parameters of the active adapter come after the parameters of the layers. */
#include "model/stored/frozen.h"

#include <string.h>

#include "model/access.h"
#include "model/guard.h"
#include "model/model_impl.h"
#include "model/names.h"
#include "model/params.h"

/* Sets the flag of each parameter that matches. Returns the number of these parameters. */
static int64_t set_flag(fgt_model *model, const char *pattern, bool frozen)
{
    fgti_param *p;
    int64_t     count = 0;
    for (int64_t i = 0; (p = fgti_trained_at(model, i)); i++) {
        if (!fgti_name_matches(pattern, p->full_name)) continue;
        p->frozen = frozen;
        count++;
    }
    return count;
}

/* Whether a layer that has parameters has this name. */
static bool names_layer(const fgt_model *model, const char *name)
{
    const size_t      n = strlen(name);
    const fgti_param *p;
    for (int64_t i = 0; (p = fgti_trained_at(model, i)); i++)
        if (!strncmp(p->full_name, name, n) && p->full_name[n] == '.') return true;
    return false;
}

fgt_status fgt_model_set_frozen(fgt_model *model, const char *pattern, int32_t frozen)
{
    if (!model) return FGT_E_ARG;
    fgti_error *err = &model->ctx->error;
    if (!pattern) return fgti_fail(err, FGT_E_ARG, "set_frozen: pattern is NULL");
    FGTI_TRY(fgti_model_check_asking(model));
    if (set_flag(model, pattern, frozen != 0)) return FGT_OK;
    if (names_layer(model, pattern))
        return fgti_fail(err, FGT_E_NAME,
                         "set_frozen: no parameter matches \"%.100s\"; "
                         "this layer's parameters begin with \"%.100s.\"",
                         pattern, pattern);
    return fgti_fail(err, FGT_E_NAME, "set_frozen: no parameter matches \"%.100s\"", pattern);
}

/* ---- in files ---- */

fgt_status fgti_frozen_write(const fgt_model *model, fgti_text *out)
{
    const fgti_real  *weights;
    const fgti_param *p;
    for (int64_t i = 0; (p = fgti_model_stored(model, i, &weights)); i++)
        if (p->frozen) FGTI_TRY(fgti_names_put(out, p->full_name));
    return fgti_names_end(out);
}

/* A search in a list of names. The names are in the order of the parameters, so one sweep finds all of them.
 * next: the parameter after the one found last. */
typedef struct search {
    fgt_model *model;
    int64_t    next;
} search;

static bool freeze(void *user, const char *name)
{
    search           *s = user;
    const fgti_real  *weights;
    const fgti_param *p;
    while ((p = fgti_model_stored(s->model, s->next++, &weights)))
        if (!strcmp(p->full_name, name)) {
            ((fgti_param *)p)->frozen = true;
            return true;
        }
    return false;
}

fgt_status fgti_frozen_read(fgt_model *model, const char *text)
{
    search s = {.model = model};
    if (!text || fgti_names_read(text, freeze, &s)) return FGT_OK;
    return fgti_fail(&model->ctx->error, FGT_E_FORMAT,
                     "\"fighter.frozen\" is not a list of parameters of the model in their order");
}
