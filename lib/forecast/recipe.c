/* SPDX-License-Identifier: BSD-3-Clause */
#include "blocks/blocks.h"
#include "forecast/calendar.h"
#include "forecast/statics.h"
#include "model/access.h"

/* Models as lists of layers: x [B,L,D] -> y [B,H,C], where D = C without past columns. The comment beside a
 * layer is the shape of its output, where P is the number of patches and E the width of a token. */

/* Steps of a patch. Of 8, 12, 16, 24, 32 and 48 this number has the lowest validation error on ETTh1 with
 * windows of 96 rows: 0.688 in the mean of seeds 1-3, while 16 has 0.693. On ETTh2 both are equally good
 * (0.211, 0.210). */
#define PATCH 24

static bool reads_in_order(const fgt_forecaster_opts *o)
{
    return fgt_block_get_traits(o->block) & FGT_BLOCK_HAS_ORDER;
}

fgt_status fgti_recipe_check(fgti_error *err, fgt_forecaster_opts *o)
{
    static const fgti_opt table[] = {
        FGTI_FIELD(fgt_forecaster_opts, column_count, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_forecaster_opts, past_count, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_forecaster_opts, known_count, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_forecaster_opts, input_len, I64, 1, FGTI_OPT_SIZE_MAX, 96),
        FGTI_FIELD(fgt_forecaster_opts, pred_len, I64, 1, FGTI_OPT_SIZE_MAX, 96),
        FGTI_FIELD(fgt_forecaster_opts, batch, I64, 1, FGTI_OPT_SIZE_MAX, 32),
        FGTI_FIELD(fgt_forecaster_opts, dim, I64, 1, FGTI_OPT_SIZE_MAX, 32),
        FGTI_FIELD(fgt_forecaster_opts, patch, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_forecaster_opts, stride, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_forecaster_opts, tokens, ENUM, 0, FGTI_TOKENS_COUNT - 1, 0),
        FGTI_FIELD(fgt_forecaster_opts, revin, BOOL, 0, 1, 0),
        FGTI_FIELD(fgt_forecaster_opts, dropout, F32, -1, 0.95, 0.2),
        FGTI_FIELD(fgt_forecaster_opts, non_negative, BOOL, 0, 1, 0),
        FGTI_FIELD(fgt_forecaster_opts, quantile_count, I64, 0, FGT_QUANTILES_MAX, 0),
        FGTI_FIELD(fgt_forecaster_opts, mask, BOOL, 0, 1, 0),
        FGTI_FIELD(fgt_forecaster_opts, reserved, BOOL, 0, 0, 0),
        {0},
    };
    FGTI_TRY(fgti_block_check(err, "forecaster", o->block));
    FGTI_TRY(fgti_opts_check(err, "forecaster", table, o));
    if (!o->columns != !o->column_count || !o->past != !o->past_count || !o->known != !o->known_count ||
        !o->quantiles != !o->quantile_count)
        return fgti_fail(err, FGT_E_ARG,
                         "forecaster: columns, past, known and quantiles must be given together with their "
                         "counts");
    FGTI_TRY(fgti_quantiles_check(err, o->quantiles, o->quantile_count));
    if (reads_in_order(o) && o->tokens == FGT_TOKENS_VARIATE)
        return fgti_fail(err, FGT_E_ARG,
                         "forecaster: %s reads its tokens in order, and variates have none; use patches or "
                         "time steps",
                         fgt_block_get_name(o->block));
    if (o->features && (o->tokens == FGT_TOKENS_TIME || o->past ||
                        !(fgt_block_get_traits(o->block) & FGT_BLOCK_HAS_TOKENS)))
        return fgti_fail(err, FGT_E_ARG,
                         "forecaster: static features are for tokens of single series, patches or variates, "
                         "without past columns");
    if (o->dropout < 0) o->dropout = 0;
    if (!o->patch) o->patch = o->input_len < PATCH ? o->input_len : PATCH;
    if (!o->stride) o->stride = o->patch > 1 ? o->patch / 2 : 1;
    return FGT_OK;
}

static fgt_status add_linear(fgt_model *m, const char *name, int64_t out)
{
    return fgt_model_add(m, fgt_named(name, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = out))));
}

/* Quantile q of step h is number q H + h. So what is added to all quantiles of a step is repeated. */
static int64_t head_width(const fgt_forecaster_opts *o)
{
    return o->pred_len * (o->quantile_count ? o->quantile_count : 1);
}

static fgt_status add_layout(fgt_model *m, const char *name, fgt_layout_kind kind)
{
    return fgt_model_add(m, fgt_named(name, fgt_layout(&FGT_OPTS(fgt_layout_opts, .kind = (int32_t)kind))));
}

/* Layers that read one token after another know the positions. */
static fgt_status add_position(fgt_model *m, const fgt_forecaster_opts *forecast, fgt_position_kind kind)
{
    if (reads_in_order(forecast)) return FGT_OK;
    const fgt_position_opts o = {.size = sizeof o, .kind = (int32_t)kind};
    return fgt_model_add(m, fgt_named("position", fgt_position(&o)));
}

static fgt_status add_dropout(fgt_model *m, const fgt_forecaster_opts *o)
{
    return fgt_model_add(m, fgt_named("dropout", fgt_dropout(&FGT_OPTS(fgt_dropout_opts, .p = o->dropout))));
}

/* [B,N,T,E] -> the same */
static fgt_status add_block(fgt_model *m, const fgt_forecaster_opts *o, const fgt_graph *graph)
{
    return fgt_block_add(m, &FGT_OPTS(fgt_block_opts, .block = o->block, .graph = graph, .hops = o->hops,
                                      .hop_count = o->hop_count, .layers = o->layers, .heads = o->heads,
                                      .ff = o->ff, .dropout = o->dropout));
}

static fgt_status add_input(fgt_model *m, const char *name, int64_t rows, int64_t width)
{
    const fgt_value_opts o = {.size = sizeof o, .time = rows, .features = width};
    return fgt_model_add(m, fgt_named(name, fgt_value(&o)));
}

/* The linear map that reads the series first. With a mask a second one reads the mask, cut in the same way:
 * z = u(cut(x)) + v(cut(missing)). cut without a type: neither is. */
static fgt_status add_first(fgt_model *m, const fgt_forecaster_opts *o, int64_t columns, const char *name,
                            int64_t out, fgt_layer cut)
{
    const fgt_linear_opts map = {.size = sizeof map, .out = out, .no_bias = 1};
    if (cut.type) FGTI_TRY(fgt_model_add(m, cut));
    FGTI_TRY(add_linear(m, name, out));
    if (!o->mask) return FGT_OK;
    const char *mask = FGTI_MISSING;
    FGTI_TRY(add_input(m, mask, o->input_len, columns));
    if (cut.type) FGTI_TRY(fgt_model_add_from(m, fgt_named("missing_cut", cut), 1, &mask));
    if (cut.type) mask = "missing_cut";
    FGTI_TRY(fgt_model_add_from(m, fgt_named("missing_map", fgt_linear(&map)), 1, &mask));
    return fgt_model_add_from(m, fgt_named("with_missing", fgt_sum(NULL)), 2,
                              (const char *[]){name, "missing_map"});
}

/* [B,L,D] -> [B,D,L] */
static fgt_layer to_series(void)
{
    static const fgt_layout_opts swap = {.size = sizeof swap, .kind = FGT_LAYOUT_SWAP};
    return fgt_named("to_series", fgt_layout(&swap));
}

static fgt_status add_linear_block(fgt_model *m, const fgt_forecaster_opts *o, int64_t columns,
                                   const fgt_graph *graph)
{
    (void)graph;
    FGTI_TRY(add_first(m, o, columns, "head", head_width(o), to_series())); /* [B,C,H] */
    return add_layout(m, "to_time", FGT_LAYOUT_SWAP);
}

/* A linear map of the static features of a series joins its tokens: each sees of which kind it is. */
static fgt_status add_static(fgt_model *m, const fgt_forecaster_opts *o, int64_t nodes, int64_t time)
{
    if (!o->features) return FGT_OK;
    const fgt_value_opts  value = {.size     = sizeof value,
                                   .nodes    = nodes,
                                   .time     = time,
                                   .features = fgt_table_count_columns(o->features)};
    const fgt_linear_opts map   = {.size = sizeof map, .out = o->dim, .no_bias = 1};
    FGTI_TRY(fgt_model_add(m, fgt_named(FGTI_STATIC, fgt_value(&value))));
    FGTI_TRY(fgt_model_add_from(m, fgt_named("static_embed", fgt_linear(&map)), 1,
                                (const char *[]){FGTI_STATIC}));
    return fgt_model_add_from(m, fgt_named("static_sum", fgt_sum(NULL)), 2,
                              (const char *[]){o->mask ? "with_missing" : "embed", "static_embed"});
}

static fgt_status add_patch(fgt_model *m, const fgt_forecaster_opts *o, int64_t columns,
                            const fgt_graph *graph)
{
    const fgt_patch_opts patch = {.size = sizeof patch, .length = o->patch, .stride = o->stride};
    const fgt_layer      cut   = fgt_named("patch", fgt_patch(&patch)); /* [B,C,P,patch] */
    FGTI_TRY(add_first(m, o, columns, "embed", o->dim, cut));           /* [B,C,P,E] */
    FGTI_TRY(add_static(m, o, columns, 1));
    FGTI_TRY(add_position(m, o, FGT_POSITION_LEARNED));
    FGTI_TRY(add_block(m, o, graph));
    FGTI_TRY(add_layout(m, "flatten", FGT_LAYOUT_FLATTEN)); /* [B,C,1,P E] */
    FGTI_TRY(add_dropout(m, o));
    FGTI_TRY(add_linear(m, "head", head_width(o)));      /* [B,C,1,H] */
    return add_layout(m, "to_time", FGT_LAYOUT_MERGE); /* [B,1,H,C] */
}

static fgt_status add_time(fgt_model *m, const fgt_forecaster_opts *o, int64_t columns,
                           const fgt_graph *graph)
{
    FGTI_TRY(add_first(m, o, columns, "embed", o->dim, (fgt_layer){0})); /* [B,L,E] */
    FGTI_TRY(add_position(m, o, FGT_POSITION_SINUSOIDAL));
    FGTI_TRY(add_block(m, o, graph));
    FGTI_TRY(add_linear(m, "mix", columns)); /* [B,L,C] */
    FGTI_TRY(fgt_model_add(m, to_series())); /* [B,C,L] */
    FGTI_TRY(add_linear(m, "head", head_width(o)));
    return add_layout(m, "to_time", FGT_LAYOUT_SWAP);
}

static fgt_status add_variate(fgt_model *m, const fgt_forecaster_opts *o, int64_t columns,
                              const fgt_graph *graph)
{
    FGTI_TRY(add_first(m, o, columns, "embed", o->dim, to_series())); /* [B,C,E] */
    FGTI_TRY(add_static(m, o, 1, columns));
    FGTI_TRY(add_block(m, o, graph));
    FGTI_TRY(add_linear(m, "head", head_width(o))); /* [B,C,H] */
    return add_layout(m, "to_time", FGT_LAYOUT_SWAP);
}

/* ---- what is known of the rows ---- */

/* Width of the network that turns it into its effect on the series. */
#define EFFECT_WIDTH 32
/* The effect is so many times the output of that network. Adam moves every weight by about the learning rate,
 * which is too slow for effects as large as the series: on made series that depend on two known columns
 * and noise, ten epochs end at 1.25 times the noise without this factor, at 1.04 times with it. */
#define EFFECT_GAIN 4

/* linear - GELU - linear(D) of a further input. The second network has the parameters of the first. */
static fgt_status add_effect(fgt_model *m, const char *input, int64_t inputs, const char *const names[3],
                             bool shared)
{
    const fgt_linear_opts in        = {.size = sizeof in, .out = EFFECT_WIDTH},
                          out       = {.size = sizeof out, .out = inputs};
    const fgt_activation_opts act   = {.size = sizeof act, .kind = FGT_ACT_GELU};
    const fgt_layer           first = shared ? fgt_shared("effect_in") : fgt_linear(&in);
    const fgt_layer           last  = shared ? fgt_shared("effect_out") : fgt_linear(&out);
    FGTI_TRY(fgt_model_add_from(m, fgt_named(names[0], first), 1, (const char *[]){input}));
    FGTI_TRY(fgt_model_add(m, fgt_named(names[1], fgt_activation(&act))));
    return fgt_model_add(m, fgt_named(names[2], last));
}

/* x - g(k) + m, where m is the mean of g over the window: what the series would be if the same were known of
 * all rows. Without m the network could give each series a level of its own, by which the layers that follow
 * would tell the series apart; what they learn of single series is wrong as soon as the levels move. */
static fgt_status take_effect_off(fgt_model *m, const fgt_forecaster_info *i)
{
    static const char *const names[] = {"effect_in", "effect_act", "effect_out"};
    const int64_t            inputs = i->columns + i->past, k = fgti_forecaster_known(i);
    const fgt_sum_opts       minus = {.size = sizeof minus, .weight = {1, -EFFECT_GAIN, EFFECT_GAIN}};
    FGTI_TRY(add_input(m, FGTI_KNOWN_BEFORE, i->input_len, k));
    FGTI_TRY(add_input(m, FGTI_KNOWN, i->pred_len, k));
    FGTI_TRY(add_effect(m, FGTI_KNOWN_BEFORE, inputs, names, false));
    FGTI_TRY(fgt_model_add(m, fgt_named("effect_mean", fgt_pool(NULL))));
    return fgt_model_add_from(m, fgt_named("rest", fgt_sum(&minus)), 3,
                              (const char *[]){"", "effect_out", "effect_mean"});
}

/* The forecast of the rest, and the effect of what will be known. */
static fgt_status add_effect_back(fgt_model *m, const fgt_forecaster_info *i, const char *last)
{
    static const char *const names[] = {"future_in", "future_act", "future_out"};
    const fgt_sum_opts       plus    = {.size = sizeof plus, .weight = {1, EFFECT_GAIN, -EFFECT_GAIN}};
    FGTI_TRY(add_effect(m, FGTI_KNOWN, i->columns + i->past, names, true));
    return fgt_model_add_from(m, fgt_named("both", fgt_sum(&plus)), 3,
                              (const char *[]){last, "future_out", "effect_mean"});
}

/* What a further input adds is nothing at first: a random effect would hide the series. */
static fgt_status clear(fgt_model *m, const char *name)
{
    fgt_view v    = {0};
    float   *zero = NULL;
    FGTI_TRY(fgt_model_get_parameter(m, name, &v));
    FGTI_TRY(FGTI_NEW(fgti_model_context(m), fgt_view_count(&v), "weights", &zero));
    v.data             = zero;
    const fgt_status s = fgt_model_set_parameter(m, name, &v);
    fgti_free(fgti_model_context(m), zero);
    return s;
}

/* Undoes "revin", whose statistics are the second input. Every list of layers above ends with "to_time". */
static fgt_status add_revin_inverse(fgt_model *m)
{
    return fgt_model_add_from(m, fgt_named("revin_inverse", fgt_revin_inverse(NULL)), 2,
                              (const char *[]){"to_time", "revin"});
}

/* ---- all of it ---- */

/* Indexed by fgt_tokens. */
static fgt_status (*const add_tokens[])(fgt_model *m, const fgt_forecaster_opts *o, int64_t columns,
                                        const fgt_graph *graph) = {
    [FGT_TOKENS_PATCH]   = add_patch,
    [FGT_TOKENS_TIME]    = add_time,
    [FGT_TOKENS_VARIATE] = add_variate,
};
_Static_assert(sizeof add_tokens / sizeof *add_tokens == FGTI_TOKENS_COUNT, "one row for each fgt_tokens");

static fgt_status add_series(fgt_model *m, const fgt_forecaster_opts *o, int64_t inputs,
                             const fgt_graph *graph)
{
    const bool has_tokens = fgt_block_get_traits(o->block) & FGT_BLOCK_HAS_TOKENS;
    if (o->revin) FGTI_TRY(fgt_model_add(m, fgt_named("revin", fgt_revin(NULL))));
    FGTI_TRY((has_tokens ? add_tokens[o->tokens] : add_linear_block)(m, o, inputs, graph));
    return o->revin ? add_revin_inverse(m) : FGT_OK;
}

/* What the layers give as forecasts that are not negative, and as quantiles in their order. */
static fgt_status add_outcome(fgt_model *m, const fgt_forecaster_opts *o)
{
    const fgt_activation_opts positive = {.size = sizeof positive, .kind = FGT_ACT_SOFTPLUS};
    const fgt_quantiles_opts  several  = {.size = sizeof several, .count = o->quantile_count};
    if (o->non_negative) FGTI_TRY(fgt_model_add(m, fgt_named("positive", fgt_activation(&positive))));
    return o->quantiles ? fgt_model_add(m, fgt_named("quantiles", fgt_quantiles(&several))) : FGT_OK;
}

static fgt_status add_all(fgt_model *m, const fgt_forecaster_opts *o, const fgt_forecaster_info *i,
                          const fgt_graph *graph)
{
    const bool known = fgti_forecaster_known(i) > 0;
    if (known) FGTI_TRY(take_effect_off(m, i));
    FGTI_TRY(add_series(m, o, i->columns + i->past, graph));
    if (known) FGTI_TRY(add_effect_back(m, i, o->revin ? "revin_inverse" : "to_time"));
    if (i->past) FGTI_TRY(add_linear(m, "targets", i->columns)); /* [B,H,C] */
    FGTI_TRY(add_outcome(m, o));
    if (o->mask) FGTI_TRY(clear(m, "missing_map.weight"));
    if (!known) return FGT_OK;
    FGTI_TRY(clear(m, "effect_out.weight"));
    return clear(m, "effect_out.bias");
}

fgt_status fgti_recipe_build(fgt_context *ctx, const fgt_forecaster_opts *o, const fgt_forecaster_info *info,
                             const fgt_graph *graph, fgt_model **model)
{
    const fgt_model_opts opts = {.size     = sizeof opts,
                                 .batch    = o->batch,
                                 .time     = o->input_len,
                                 .features = info->columns + info->past,
                                 .seed     = o->seed};
    FGTI_TRY(fgt_model_create(ctx, &opts, model));
    const fgt_status s = add_all(*model, o, info, graph);
    if (s != FGT_OK) fgt_model_destroy(model);
    return s;
}
