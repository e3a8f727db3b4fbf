/* SPDX-License-Identifier: BSD-3-Clause */
/* Frozen parameters: they take part in passes, but no step changes them. The flag stands in fgti_param; the
 * optimiser reads it at every step. A model file names them in its metadata:
 *     fighter.frozen   ["embedding.weight","0.bias"]        absent: none is */
#include <string.h>

#include "model/files/json.h"
#include "model/model_impl.h"

/* Sets the flag of all parameters that match; returns how many do. */
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

fgt_status fgt_model_set_frozen(fgt_model *model, const char *pattern, int32_t frozen)
{
    if (!model) return FGT_E_ARG;
    fgti_error *err = &model->ctx->error;
    if (!pattern) return fgti_fail(err, FGT_E_ARG, "set_frozen: the pattern is NULL");
    if (set_flag(model, pattern, frozen != 0)) return FGT_OK;
    return fgti_fail(err, FGT_E_NAME, "set_frozen: no parameter matches \"%.100s\"", pattern);
}

int32_t fgt_model_get_frozen(const fgt_model *model, int64_t i)
{
    const fgti_param *p = model ? fgti_trained_at(model, i) : NULL;
    return p && p->frozen;
}

/* ---- in files ---- */

fgt_status fgti_frozen_write(const fgt_model *model, fgti_text *out)
{
    char              quoted[6 * FGTI_NAME_MAX + 3]; /* the longest escape has six bytes: \u001f */
    const fgti_layer *layer;
    const fgti_param *p;
    for (int64_t i = 0; (p = fgti_param_at(model, i, &layer)); i++) {
        if (!p->frozen) continue;
        FGTI_TRY(fgti_text_put(out, out->length ? "," : "["));
        quoted[fgti_json_quote(p->full_name, quoted)] = 0;
        FGTI_TRY(fgti_text_put(out, quoted));
    }
    return out->length ? fgti_text_put(out, "]") : FGT_OK;
}

/* Names come in the order of the parameters, so that a list takes no more time than it is long. *next: the
 * parameter after the last one found. */
static bool freeze(fgt_model *model, fgti_json_text text, int64_t *next)
{
    const fgti_layer *layer;
    const fgti_param *p;
    char              name[FGTI_NAME_MAX];
    if (text.size >= sizeof name) return false;
    fgti_json_decode(text, name);
    while ((p = fgti_param_at(model, (*next)++, &layer)))
        if (!strcmp(p->full_name, name)) {
            layer->param[p - layer->param].frozen = true;
            return true;
        }
    return false;
}

fgt_status fgti_frozen_read(fgt_model *model, const char *text)
{
    if (!text) return FGT_OK;
    fgti_json      j    = {.text = text, .size = strlen(text)};
    bool           good = fgti_json_open(&j, '[');
    int64_t        next = 0;
    fgti_json_text name;
    for (int64_t n = 0; good && fgti_json_next(&j, ']', &n);)
        good = fgti_json_string(&j, &name) && freeze(model, name, &next);
    if (good && fgti_json_end(&j)) return FGT_OK;
    return fgti_fail(&model->ctx->error, FGT_E_FORMAT,
                     "\"fighter.frozen\" is no list of parameters of the model, in their order");
}
