/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds the matrices of a model's last pass, and the importance of each token in its Fighter layers. */
#include "report/report_data.h"

#include <string.h>

#include <fighter/experimental/hops.h>

#include "core/size.h"
#include "model/access.h"

/* ---- matrices ---- */

static bool report_pass_attends(const fgt_layer_info *info)
{
    return info->adjacency == FGT_ADJACENCY_ATTENTION && info->axis == FGT_AXIS_TIME;
}

int64_t fgti_report_count_tokens(const fgt_model *m)
{
    fgt_layer_info info = {.size = sizeof info};
    for (int64_t i = 0; i < fgti_model_layers(m); i++)
        if (fgt_model_get_layer(m, i, &info) == FGT_OK && report_pass_attends(&info))
            return info.output.shape[info.output.rank - 2];
    return 0;
}

/* Copies the matrices [A,count,count] of one sample from the matrices of a layer. */
static fgt_status report_pass_copy(fgt_report *r, const fgt_view *all, int64_t sample, int64_t count,
                                   fgti_real **out)
{
    const int64_t    heads = all->shape[1], t = all->shape[2];
    const fgti_real *a = (const fgti_real *)all->data + sample * heads * t * t;
    FGTI_TRY(FGTI_NEW(r->ctx, fgti_mul(heads, fgti_mul(count, count)), "matrices of a layer", out));
    for (int64_t i = 0; i < heads * count; i++)
        memcpy(*out + i * count, a + (i / count * t + i % count) * t, (size_t)count * sizeof **out);
    return FGT_OK;
}

/* Lists the name of a layer that is not shown. */
static fgt_status report_pass_leave_out(fgt_report *r, const char *layer)
{
    int64_t number;
    return fgti_report_name(r, &r->others, layer, &number);
}

/* Adds the matrices of one layer. *tokens: number of tokens of the layers before; 0: there was no layer yet.
 * A graph that the host gives counts as one sample. */
static fgt_status report_pass_add(fgt_report *r, fgt_model *model, const fgt_layer_info *info,
                                  const fgt_report_pass *p, int64_t *tokens)
{
    const int64_t sample = info->adjacency == FGT_ADJACENCY_ATTENTION ? p->sample : 0;
    fgt_view      a;
    fgti_real    *copy = NULL;
    FGTI_TRY(fgt_model_get_adjacency(model, info->name, &a));
    if (*tokens && *tokens != a.shape[2]) return report_pass_leave_out(r, info->name);
    const int64_t count = p->count ? p->count : a.shape[2];
    if (sample >= a.shape[0] || count > a.shape[2])
        return fgti_fail(&r->ctx->error, FGT_E_ARG,
                         "report: layer \"%.60s\" has no such sample or tokens (got sample %lld and %lld "
                         "tokens, need 0 to %lld and at most %lld)",
                         info->name, (long long)sample, (long long)count, (long long)a.shape[0] - 1,
                         (long long)a.shape[2]);
    *tokens = a.shape[2];
    FGTI_TRY(report_pass_copy(r, &a, sample, count, &copy));
    const fgt_report_matrix m = {.size    = sizeof m,
                                 .layer   = info->name,
                                 .subject = p->subject,
                                 .a       = FGT_VIEW_OF(FGTI_REAL, copy, a.shape[1], count, count),
                                 .tokens  = p->tokens,
                                 .epoch   = p->epoch};
    const fgt_status        s = fgt_report_add_matrix(r, &m);
    fgti_free(r->ctx, copy);
    if (s == FGT_OK && (info->adjacency != FGT_ADJACENCY_ATTENTION || info->axis == FGT_AXIS_NODES))
        r->subject[fgti_subject_find(r, p->subject)].nodes = true;
    return s;
}

/* Whether a layer belongs to a decoder, by its name (blocks.h). The tokens of a decoder are not tokens of the
 * input. */
static bool report_pass_is_of_decoder(const char *layer)
{
    return !strncmp(layer, "decoder.", 8) || strstr(layer, ".decoder.");
}

fgt_status fgt_report_add_model(fgt_report *report, fgt_model *model, const fgt_report_pass *opts)
{
    fgt_report_pass p;
    fgt_layer_info  info   = {.size = sizeof info};
    int64_t         tokens = 0, shown = 0;
    FGTI_TRY(fgti_report_read(report, "pass", false, opts, &p, sizeof p));
    fgti_error *err = &report->ctx->error;
    if (!model) return fgti_fail(err, FGT_E_ARG, "report: model is NULL");
    if (p.count < 0 || p.sample < 0 || p.epoch < 0)
        return fgti_fail(err, FGT_E_ARG,
                         "report: count, sample or epoch is negative (got %lld, %lld and %lld)",
                         (long long)p.count, (long long)p.sample, (long long)p.epoch);
    for (int64_t i = 0; i < fgti_model_layers(model); i++) {
        FGTI_TRY(fgt_model_get_layer(model, i, &info));
        if (p.layer ? strcmp(info.name, p.layer) != 0 : !report_pass_attends(&info)) continue;
        shown++;
        const bool cross = fgti_model_is_cross(model, i);
        if (p.layer && cross)
            return fgti_fail(err, FGT_E_SHAPE, "report: layer \"%.60s\" is cross attention", p.layer);
        FGTI_TRY(cross || (!p.layer && report_pass_is_of_decoder(info.name))
                     ? report_pass_leave_out(report, info.name)
                     : report_pass_add(report, model, &info, &p, &tokens));
    }
    if (!p.layer || shown) return FGT_OK;
    return fgti_fail(err, FGT_E_NAME, "report: there is no layer \"%.60s\"", p.layer);
}

/* ---- importance ---- */

/* Writes the share of each square in the sum of the norms [T]. norms NULL: the norms cannot be computed. The
 * figure replaces an earlier figure of the same subject and layer. */
static fgt_status report_pass_put(fgt_report *r, const fgt_report_pass *pass, int64_t layer,
                                  const double *norms)
{
    const fgti_subject *s    = &r->subject[fgti_subject_find(r, pass->subject)];
    const char         *name = fgti_strings_get(&r->layers, layer);
    double              sum = 0, share[FGTI_REPORT_SIDE] = {0};
    fgti_figures       *list = &r->figures[FGTI_FIGURE_IMPORTANCE];
    int64_t             i = 0, count = list->count;
    fgti_figure         f;
    const fgti_column   columns[] = {
          {"token", NULL, FGTI_COLUMN_NAMES, &s->names, false},
          {"share", "shares", FGTI_COLUMN_NUMBERS, FGT_VIEW_OF(FGT_DTYPE_F64, share, s->side), false}};
    while (i < count && (list->item[i].subject != s->name || list->item[i].layer != layer)) i++;
    for (int64_t k = 0; norms && k < s->tokens; k++) sum += norms[k];
    for (int64_t k = 0; norms && k < s->tokens && sum > 0; k++) share[k / s->merged] += norms[k] / sum;
    FGTI_TRY(fgti_figure_begin(r, pass->subject, &f));
    f.layer = layer;
    fgti_put(&f.begin.data, "{\"layer\":%j,", name);
    if (norms) {
        fgti_begin_details(&f.rest.tables, "importance", i, "importance", pass->subject);
        fgti_put(&f.rest.tables, "<p>Layer %s</p>\n", name);
        fgti_put_table(&f.rest, columns, 2, s->side, s->side);
        fgti_put(&f.rest.tables, "</details>\n");
    }
    fgti_put(&f.rest.data, "}");
    FGTI_TRY(fgti_figure_add(r, FGTI_FIGURE_IMPORTANCE, &f));
    if (i == count) return FGT_OK;
    fgti_figure_done(&list->item[i]);
    list->item[i] = list->item[--list->count];
    return FGT_OK;
}

/* Writes the importance in a layer. If fgt_importance_compute() refuses the layer, it has no norms. */
static fgt_status report_pass_measure(fgt_report *r, fgt_model *model, const fgt_view *dy, int64_t layer,
                                      const fgt_report_pass *pass, int64_t passes)
{
    const char *name  = fgti_strings_get(&r->layers, layer);
    double     *data  = NULL;
    fgt_view    norms = {0};
    fgt_status  s     = fgt_importance_get_shape(model, name, NULL, &norms);
    if (s != FGT_OK && s != FGT_E_UNSUPPORTED) return s;
    if (s == FGT_OK) {
        FGTI_TRY(FGTI_NEW(r->ctx, fgt_view_count(&norms), "importance of tokens", &data));
        norms.data = data;
        s          = fgt_importance_compute(model, name, NULL, dy, &norms, NULL);
    } else {
        s = FGT_OK;
    }
    for (int64_t i = 0; s == FGT_OK && i < passes; i++)
        s = report_pass_put(r, &pass[i], layer, data ? data + pass[i].sample * norms.shape[1] : NULL);
    fgti_free(r->ctx, data);
    return s;
}

fgt_status fgti_report_importance(fgt_report *r, fgt_model *model, const fgt_view *dy,
                                  const fgt_report_pass *pass, int64_t passes)
{
    const int64_t subject = fgti_subject_find(r, pass[0].subject);
    for (int64_t i = 0; subject >= 0 && i < r->sets; i++) {
        const fgti_frame_set *set = &r->set[i];
        if (set->subject != subject || set->epoch) continue;
        if (fgti_model_hops(model, fgti_strings_get(&r->layers, set->layer)) < 2) continue;
        FGTI_TRY(report_pass_measure(r, model, dy, set->layer, pass, passes));
    }
    return FGT_OK;
}
