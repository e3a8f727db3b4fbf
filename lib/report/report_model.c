/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds the matrices of a model's last pass. */
#include "report/report_model.h"

#include <string.h>

#include "core/size.h"
#include "model/access.h"
#include "report/report_names.h"

int64_t fgti_report_count_tokens(const fgt_model *m)
{
    fgt_layer_info info = {.size = sizeof info};
    for (int64_t i = 0; i < fgt_model_count_layers(m); i++)
        if (fgt_model_get_layer(m, i, &info) == FGT_OK && info.adjacency == FGT_ADJACENCY_ATTENTION &&
            info.axis == FGT_AXIS_TIME)
            return info.output.shape[info.output.rank - 2];
    return 0;
}

/* Copies the matrices [A,count,count] of one sample from the matrices of a layer. */
static fgt_status copy_matrices(fgt_report *r, const fgt_view *all, int64_t sample, int64_t count,
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
static fgt_status leave_out(fgt_report *r, const char *layer)
{
    int64_t number;
    return fgti_report_name(r, &r->others, layer, FGTI_NAME_SHOWN, &number);
}

/* *tokens: number of tokens of the layers before; 0: no layer yet. A given graph counts as one sample. */
static fgt_status add_layer(fgt_report *r, fgt_model *model, const fgt_layer_info *info,
                            const fgt_report_pass *p, int64_t *tokens)
{
    const int64_t sample = info->adjacency == FGT_ADJACENCY_ATTENTION ? p->sample : 0;
    fgt_view      a;
    fgti_real    *copy = NULL;
    FGTI_TRY(fgt_model_get_adjacency(model, info->name, &a));
    if (*tokens && *tokens != a.shape[2]) return leave_out(r, info->name);
    const int64_t count = p->count ? p->count : a.shape[2];
    if (sample >= a.shape[0] || count > a.shape[2])
        return fgti_fail(&r->ctx->error, FGT_E_ARG,
                         "report: sample %lld, %lld tokens; layer \"%.60s\" has %lld samples of %lld tokens",
                         (long long)sample, (long long)count, info->name, (long long)a.shape[0],
                         (long long)a.shape[2]);
    *tokens = a.shape[2];
    FGTI_TRY(copy_matrices(r, &a, sample, count, &copy));
    const fgt_report_matrix m = {.size    = sizeof m,
                                 .layer   = info->name,
                                 .subject = p->subject,
                                 .a       = FGT_VIEW_OF(FGTI_REAL, copy, a.shape[1], count, count),
                                 .tokens  = p->tokens,
                                 .epoch   = p->epoch};
    const fgt_status        s = fgt_report_add_matrix(r, &m);
    fgti_free(r->ctx, copy);
    const bool nodes = info->adjacency != FGT_ADJACENCY_ATTENTION || info->axis == FGT_AXIS_NODES;
    for (int64_t i = 0; i < r->subjects; i++)
        if (nodes && fgti_report_is_subject(r, r->subject[i].name, p->subject)) r->subject[i].nodes = true;
    return s;
}

/* Recognises layers of a decoder by their names (blocks.h). Their tokens are not tokens of the input. */
static bool is_of_decoder(const char *layer)
{
    return !strncmp(layer, "decoder.", 8) || strstr(layer, ".decoder.");
}

static bool is_shown(const fgt_layer_info *info, const fgt_report_pass *p)
{
    if (p->layer) return !strcmp(info->name, p->layer);
    return info->adjacency == FGT_ADJACENCY_ATTENTION && info->axis == FGT_AXIS_TIME;
}

fgt_status fgt_report_add_model(fgt_report *report, fgt_model *model, const fgt_report_pass *opts)
{
    fgt_report_pass p;
    fgt_layer_info  info   = {.size = sizeof info};
    int64_t         tokens = 0, shown = 0;
    if (!report) return FGT_E_ARG;
    fgti_error *err = &report->ctx->error;
    if (!model) return fgti_fail(err, FGT_E_ARG, "report: model is NULL");
    FGTI_TRY(fgti_opts_read(err, "fgt_report_pass", opts, &p, sizeof p));
    if (p.count < 0 || p.sample < 0 || p.epoch < 0)
        return fgti_fail(err, FGT_E_ARG, "report: count, sample or epoch is negative");
    for (int64_t i = 0; i < fgt_model_count_layers(model); i++) {
        FGTI_TRY(fgt_model_get_layer(model, i, &info));
        if (!is_shown(&info, &p)) continue;
        shown++;
        const bool cross = fgti_model_is_cross(model, i);
        if (p.layer && cross)
            return fgti_fail(err, FGT_E_SHAPE, "report: layer \"%.60s\" is cross attention", p.layer);
        if (cross || (!p.layer && is_of_decoder(info.name)))
            FGTI_TRY(leave_out(report, info.name));
        else
            FGTI_TRY(add_layer(report, model, &info, &p, &tokens));
    }
    if (!p.layer || shown) return FGT_OK;
    return fgti_fail(err, FGT_E_NAME, "report: there is no layer \"%.60s\"", p.layer);
}
