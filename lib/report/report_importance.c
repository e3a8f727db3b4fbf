/* SPDX-License-Identifier: BSD-3-Clause */
/* The importance of each token in the Fighter layers of a page. */
#include "report/report_importance.h"

#include "report/report_matrix.h"
#include "report/report_names.h"

#include <fighter/analysis.h>

/* Finds the entry of a subject's layer and drops its values, or adds an entry. NULL: out of memory. */
static fgti_shown_tokens *find_place(fgt_report *r, int64_t subject, int64_t layer)
{
    for (int64_t i = 0; i < r->importances; i++)
        if (r->importance[i].subject == subject && r->importance[i].layer == layer) {
            fgti_free(r->ctx, r->importance[i].share);
            r->importance[i].share = NULL;
            return &r->importance[i];
        }
    if (fgti_grow(r->ctx, "importance of tokens", sizeof *r->importance, r->importances, r->importances + 1,
                  2 * r->importances + 4, &r->importance_capacity, (void **)&r->importance) != FGT_OK)
        return NULL;
    r->importance[r->importances] = (fgti_shown_tokens){.subject = subject, .layer = layer};
    return &r->importance[r->importances++];
}

/* Adds the share of each square in the sum of the norms [T]; norms NULL: they cannot be computed. */
static fgt_status add_shares(fgt_report *r, const fgti_subject *s, int64_t layer, const double *norms)
{
    double             sum = 0;
    fgti_shown_tokens *t   = find_place(r, s->name, layer);
    if (!t) return FGT_E_NOMEM;
    if (!norms) return FGT_OK;
    FGTI_TRY(FGTI_NEW(r->ctx, s->side, "importance of tokens", &t->share));
    for (int64_t i = 0; i < s->tokens; i++) sum += norms[i];
    for (int64_t i = 0; i < s->tokens && sum > 0; i++) t->share[i / s->merged] += norms[i] / sum;
    return FGT_OK;
}

/* Finds the subject of a pass; it must have matrices. */
static fgt_status find_subject(fgt_report *r, const fgt_report_pass *p, const fgti_subject **s)
{
    int64_t name;
    FGTI_TRY(fgti_report_name(r, &r->text, p->subject ? p->subject : "", FGTI_NAME_SHOWN, &name));
    *s = fgti_report_find(r, name);
    return FGT_OK;
}

/* Adds the norms [groups,T] of layer number `layer` of the report. norms->data NULL: they cannot be
 * computed. */
static fgt_status add_layer(fgt_report *r, int64_t layer, const fgt_view *norms, const fgt_report_pass *pass,
                            int64_t passes)
{
    for (int64_t i = 0; i < passes; i++) {
        const fgti_subject *s;
        const double       *row = norms->data;
        if (row) row += pass[i].sample * norms->shape[1];
        FGTI_TRY(find_subject(r, &pass[i], &s));
        FGTI_TRY(add_shares(r, s, layer, row));
    }
    return FGT_OK;
}

static fgt_status measure_layer(fgt_report *r, fgt_model *model, const fgt_view *dy, int64_t layer,
                                const fgt_report_pass *pass, int64_t passes)
{
    const char *name  = fgti_strings_get(&r->layers.given, layer);
    fgt_view    norms;
    double     *data;
    fgt_status  s = fgt_importance_get_shape(model, name, NULL, &norms);
    if (s == FGT_E_UNSUPPORTED) return add_layer(r, layer, &(fgt_view){0}, pass, passes);
    if (s != FGT_OK) return s;
    FGTI_TRY(FGTI_NEW(r->ctx, fgt_view_count(&norms), "importance of tokens", &data));
    norms.data = data;
    s          = fgt_importance_compute(model, name, NULL, dy, &norms, NULL);
    if (s == FGT_OK) s = add_layer(r, layer, &norms, pass, passes);
    fgti_free(r->ctx, data);
    return s;
}

fgt_status fgti_report_importance(fgt_report *r, fgt_model *model, const fgt_view *dy,
                                  const fgt_report_pass *pass, int64_t passes)
{
    const fgti_subject *s;
    FGTI_TRY(find_subject(r, &pass[0], &s));
    for (int64_t i = 0; s && i < r->sets; i++) {
        const fgti_frame_set *set = &r->set[i];
        if (set->subject != s - r->subject || set->epoch) continue;
        if (fgt_model_count_hops(model, fgti_strings_get(&r->layers.given, set->layer)) < 2) continue;
        FGTI_TRY(measure_layer(r, model, dy, set->layer, pass, passes));
    }
    return FGT_OK;
}
