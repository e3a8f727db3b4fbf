/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptions of a model: of each layer, and of all layers as a table. */
#include <stdio.h>
#include <string.h>

#include "core/opts.h"
#include "core/text.h"
#include "model/access.h"
#include "model/files/safetensors.h"
#include "model/layer_kind.h"
#include "model/model_impl.h"
#include "model/params.h"
#include "model/views.h"
#include "model/workspace/plan.h"
#include "model/workspace/workspace.h"

/* Number of scalars in the layer's own parameters. */
static int64_t count_scalars(const fgti_layer *l)
{
    int64_t n = 0;
    for (int32_t i = 0; !l->shares && i < l->params; i++) n += l->param[i].count;
    return n;
}

/* Shape of the layer's output. Ids and padding have the shape that the host gives. Other masks have no view,
 * because their shape depends on the layer that reads them. */
static fgt_view output_of(const fgt_model *m, const fgti_layer *l)
{
    if (l->kind == FGT_VALUE_REAL) return fgti_view_of(NULL, m->opts.batch, l->out);
    const bool told = l->kind == FGT_VALUE_IDS || l->kind == FGT_VALUE_KEY_PADDING;
    return (fgt_view){.rank = told ? 2 : 0, .dtype = FGT_DTYPE_I32, .shape = {m->opts.batch, l->out.time}};
}

/* Fills in the names of the inputs of a layer. Returns their number. */
static int32_t name_inputs(const fgt_model *m, fgti_layer *l)
{
    int32_t n = 0;
    for (; n < l->inputs; n++)
        l->reads[n] = l->input[n].from == FGTI_MODEL_INPUT ? "" : m->layer[l->input[n].from]->name;
    for (int i = 0; i < FGT_MASK_COUNT; i++)
        if (l->mask[i] >= 0) l->reads[n++] = m->layer[l->mask[i]]->name;
    return n;
}

static fgt_layer_info info_of(const fgt_model *m, fgti_layer *l)
{
    const fgti_need need = fgti_workspace_need(l, m->opts.batch);
    fgt_layer_info  info = {.size        = sizeof info,
                            .name        = l->name,
                            .type        = l->cls->name,
                            .route       = fgti_routes[l->route].name,
                            .shares      = l->shares ? l->shares->name : NULL,
                            .inputs      = l->reads,
                            .parameters  = count_scalars(l),
                            .cache_bytes = need.cache * (int64_t)sizeof(fgti_real),
                            .flops       = l->cls->flops ? l->cls->flops(l, m->opts.batch, l->in) : 0,
                            .input_count = name_inputs(m, l),
                            .adjacency   = fgti_layer_adjacency(l),
                            .output      = output_of(m, l),
                            .axis        = l->axis,
                            .hops        = (int32_t)fgti_model_hops(m, l->name)};
    return info;
}

static fgt_status need_layer(const fgt_model *m, int64_t i)
{
    if (i >= 0 && i < m->layers) return FGT_OK;
    return fgti_fail(&m->ctx->error, FGT_E_ARG, "layer is out of range (got %lld, need 0 .. %lld)",
                     (long long)i, (long long)m->layers - 1);
}

fgt_status fgt_model_get_info(const fgt_model *model, fgt_model_info *info)
{
    if (!model) return FGT_E_ARG;
    if (!info) return fgti_fail(&model->ctx->error, FGT_E_ARG, "fgt_model_get_info: info is NULL");
    const fgt_model_opts *o       = &model->opts;
    const fgti_trained    trained = fgti_model_trained((fgt_model *)model);
    const fgti_shape      in      = {o->nodes, o->time, o->features};
    const fgt_view        ids     = {.rank = 2, .dtype = FGT_DTYPE_I64, .shape = {o->batch, o->time}};
    const fgt_model_info  ours    = {.size       = sizeof ours,
                                     .layers     = model->layers,
                                     .tensors    = fgti_model_tensors(model),
                                     .parameters = trained.size,
                                     .input      = o->features ? fgti_view_of(NULL, o->batch, in) : ids,
                                     .output     = fgti_model_output_shape(model)};
    return fgti_result_write(&model->ctx->error, "fgt_model_info", &ours, sizeof ours, info);
}

fgt_status fgt_model_get_layer(const fgt_model *model, int64_t index, fgt_layer_info *info)
{
    if (!model) return FGT_E_ARG;
    if (!info) return fgti_fail(&model->ctx->error, FGT_E_ARG, "fgt_model_get_layer: info is NULL");
    FGTI_TRY(need_layer(model, index));
    const fgt_layer_info ours = info_of(model, model->layer[index]);
    return fgti_result_write(&model->ctx->error, "fgt_layer_info", &ours, sizeof ours, info);
}

/* ---- the table ---- */

enum { NAME, TYPE, READS, OUTPUT, PARAMETERS, CACHE, FLOPS, ROUTE, COLUMNS };

static const char *const heads[COLUMNS] = {"layer",      "type",  "reads", "output",
                                           "parameters", "cache", "flop",  "route"};

#define CELL 96 /* bytes of a cell, with its final 0; a longer text is cut */

/* Writes a number and its unit, with a prefix of the unit such as M: "1.25 M". */
static void put_amount(char *to, double v, const char *unit)
{
    static const char *const powers[] = {"", " k", " M", " G", " T"};
    int                      p        = 0;
    if (v < 0) {
        snprintf(to, CELL, "?");
        return;
    }
    for (; v >= 1000 && p < 4; p++) v /= 1000;
    const long long whole = (long long)v, rest = (long long)((v - (double)whole) * 100);
    if (p && whole < 100)
        snprintf(to, CELL, "%lld.%02lld%s%s", whole, rest, powers[p], unit);
    else
        snprintf(to, CELL, "%lld%s%s", whole, powers[p], unit);
}

static void put_shape(char *to, const fgt_view *v)
{
    int n = snprintf(to, CELL, "[");
    for (int32_t i = 0; i < v->rank && n > 0 && n < CELL; i++)
        n += snprintf(to + n, (size_t)(CELL - n), i ? ",%lld" : "%lld", (long long)v->shape[i]);
    if (n > 0 && n < CELL) snprintf(to + n, (size_t)(CELL - n), "]");
}

static void put_reads(char *to, const fgt_layer_info *info)
{
    int  n = 0;
    char label[FGTI_ST_LABEL];
    *to = 0;
    for (int32_t k = 0; k < info->input_count && n >= 0 && n < CELL - 4; k++)
        n += snprintf(to + n, (size_t)(CELL - n), "%s%s", k ? ", " : "",
                      *info->inputs[k] ? fgti_st_label(info->inputs[k], label) : "(input)");
}

/* Fills one row of the table. layer -1: the head of the table. */
static void fill_row(const fgt_model *m, int64_t layer, char cell[COLUMNS][CELL])
{
    for (int c = 0; layer < 0 && c < COLUMNS; c++) snprintf(cell[c], CELL, "%s", heads[c]);
    if (layer < 0) return;
    const fgt_layer_info info = info_of(m, m->layer[layer]);
    char label[FGTI_ST_LABEL];
    snprintf(cell[NAME], CELL, "%s", fgti_st_label(info.name, label));
    snprintf(cell[TYPE], CELL, "%s", info.type);
    put_reads(cell[READS], &info);
    put_shape(cell[OUTPUT], &info.output);
    if (info.shares)
        snprintf(cell[PARAMETERS], CELL, "of %s", fgti_st_label(info.shares, label));
    else
        put_amount(cell[PARAMETERS], (double)info.parameters, "");
    put_amount(cell[CACHE], (double)info.cache_bytes, "B");
    put_amount(cell[FLOPS], info.flops, "");
    snprintf(cell[ROUTE], CELL, "%s", info.route);
}

static fgt_status describe_put_row(fgti_text *t, char cell[COLUMNS][CELL], const int *width)
{
    char line[COLUMNS * (CELL + 2) + 2];
    int  n = 0;
    for (int c = 0; c + 1 < COLUMNS; c++)
        n += snprintf(line + n, sizeof line - (size_t)n, "%-*s  ", width[c], cell[c]);
    snprintf(line + n, sizeof line - (size_t)n, "%s\n", cell[COLUMNS - 1]);
    return fgti_text_put(t, line);
}

static fgt_status put_table(const fgt_model *m, fgti_text *t)
{
    char cell[COLUMNS][CELL];
    int  width[COLUMNS] = {0};
    for (int64_t i = -1; i < m->layers; i++) {
        fill_row(m, i, cell);
        for (int c = 0; c + 1 < COLUMNS; c++)
            if ((int)strlen(cell[c]) > width[c]) width[c] = (int)strlen(cell[c]);
    }
    for (int64_t i = -1; i < m->layers; i++) {
        fill_row(m, i, cell);
        FGTI_TRY(describe_put_row(t, cell, width));
    }
    return FGT_OK;
}

/* Finds the bytes of a workspace. *bytes is -1 if a workspace cannot be made or would be too large; this is
 * not an error here. */
static fgt_status find_bytes(const fgt_model *m, fgti_purpose purpose, int64_t *bytes)
{
    const fgti_error before = m->ctx->error;
    *bytes                  = -1;
    if (m->last < 0) return FGT_OK;
    const fgt_status s = fgti_workspace_bytes(
        m, purpose, &(fgt_workspace_opts){.batch = m->opts.batch, .threads = 1}, bytes);
    if (s != FGT_E_SIZE) return s;
    m->ctx->error = before;
    return FGT_OK;
}

static fgt_status put_totals(const fgt_model *m, fgti_text *t)
{
    char   line[6 * CELL], parameters[CELL], train[CELL], predict[CELL], flops[CELL];
    double  sum = 0;
    int64_t to_train, to_predict;
    FGTI_TRY(find_bytes(m, FGTI_TRAIN, &to_train));
    FGTI_TRY(find_bytes(m, FGTI_LEAN, &to_predict));
    for (int64_t i = 0; i < m->layers; i++) {
        const fgt_layer_info info = info_of(m, m->layer[i]);
        sum                       = info.flops < 0 || sum < 0 ? -1 : sum + info.flops;
    }
    put_amount(parameters, (double)m->size, "");
    put_amount(train, (double)to_train, "B");
    put_amount(predict, (double)to_predict, "B");
    put_amount(flops, sum, "");
    snprintf(line, sizeof line,
             "%s parameters; a forward pass of %lld samples: %s flop; memory to train %s, to predict %s\n",
             parameters, (long long)m->opts.batch, flops, train, predict);
    return fgti_text_put(t, line);
}

fgt_status fgt_model_describe(const fgt_model *model, char *buffer, int64_t capacity, int64_t *bytes)
{
    if (!model) return FGT_E_ARG;
    fgti_error *err = &model->ctx->error;
    if (!bytes || (buffer && capacity < 0))
        return fgti_fail(err, FGT_E_ARG, "fgt_model_describe: bytes is NULL, or capacity negative");
    fgti_text  t = {.ctx = model->ctx};
    fgt_status s = put_table(model, &t);
    if (s == FGT_OK) s = put_totals(model, &t);
    if (s == FGT_OK && buffer && capacity <= t.length)
        s = fgti_fail(err, FGT_E_SIZE,
                      "fgt_model_describe: the buffer is too small (got %lld bytes, need %lld)",
                      (long long)capacity, (long long)t.length + 1);
    if (s == FGT_OK) {
        *bytes = t.length + 1;
        if (buffer) memcpy(buffer, t.s, (size_t)t.length + 1);
    }
    fgti_text_done(&t);
    return s;
}
