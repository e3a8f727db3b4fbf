/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/build/token_layers.h"

#include <stdio.h>
#include <string.h>

#include "blocks/blocks.h"
#include "forecast/forecaster_impl.h"
#include "forecast/known/statics.h"
#include "model/access.h"

/* Standard deviation of the initial values of learned vectors. */
#define FIRST 0.02F

bool fgti_reads_in_order(const fgt_forecaster_opts *o)
{
    return fgt_block_get_traits(o->block.kind) & FGT_BLOCK_TRAIT_ORDER;
}

bool fgti_is_last_map(const char *parameter)
{
    return !strcmp(parameter, "head.weight") || !strcmp(parameter, "head.bias") ||
           fgti_decoder_is_last(parameter);
}

fgt_status fgti_add_linear(fgt_model *m, const char *name, int64_t out)
{
    return fgt_model_add(m, fgt_named(name, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = out))));
}

/* Number of outputs of the last map. Output q H + h is quantile q of step h, so a term that is added to all
 * quantiles of a step must be repeated. */
static int64_t head_width(const fgt_forecaster_opts *o)
{
    return o->pred_len * (o->output.quantile_count ? o->output.quantile_count : 1);
}

fgt_status fgti_add_layout(fgt_model *m, const char *name, fgt_layout_kind kind)
{
    return fgt_model_add(m, fgt_named(name, fgt_layout(&FGT_OPTS(fgt_layout_opts, .kind = (int32_t)kind))));
}

/* usual: the kind of positions if the options leave the choice to the tokens. Layers that read one token
 * after another need no positions. */
static fgt_status token_layers_add_position(fgt_model *m, const fgt_forecaster_opts *forecast,
                                            fgt_position_kind usual)
{
    fgt_position_opts o = {.size = sizeof o, .kind = (int32_t)usual};
    if (forecast->tokens.positions == FGT_FORECAST_POSITIONS_NONE ||
        (!forecast->tokens.positions && fgti_reads_in_order(forecast)))
        return FGT_OK;
    if (forecast->tokens.positions == FGT_FORECAST_POSITIONS_LEARNED) o.kind = FGT_POSITION_LEARNED;
    if (forecast->tokens.positions == FGT_FORECAST_POSITIONS_SINUSOIDAL) o.kind = FGT_POSITION_SINUSOIDAL;
    if (forecast->tokens.positions == FGT_FORECAST_POSITIONS_TAPE) o.kind = FGT_POSITION_TAPE;
    return fgt_model_add(m, fgt_named("position", fgt_position(&o)));
}

static fgt_status token_layers_add_dropout(fgt_model *m, const fgt_forecaster_opts *o)
{
    return fgt_model_add(
        m, fgt_named("dropout", fgt_dropout(&FGT_OPTS(fgt_dropout_opts, .p = o->block.dropout))));
}

static fgt_block_opts token_layers_block_of(const fgt_forecaster_opts *o, const fgt_graph *graph)
{
    return (fgt_block_opts){.size      = sizeof(fgt_block_opts),
                            .block     = o->block,
                            .graph     = graph,
                            .learned   = o->space.learned,
                            .diffusion = o->space.diffusion,
                            .distil    = o->tokens.kind != FGT_TOKENS_VARIATE};
}

/* Layer i between the series, which are the nodes of patches. */
static fgt_status add_space(fgt_model *m, const fgt_forecaster_opts *o, const fgt_graph *graph, int64_t i)
{
    char           prefix[32];
    fgt_block_opts block = token_layers_block_of(o, graph);
    snprintf(prefix, sizeof prefix, "space.%lld.", (long long)i);
    block.prefix                 = prefix;
    block.axis                   = o->tokens.kind == FGT_TOKENS_PATCH ? FGT_AXIS_NODES : FGT_AXIS_TIME;
    block.distil                 = 0;
    block.block.kind             = o->space.block;
    block.block.layers           = 1;
    block.block.hops             = o->space.hops;
    block.block.layer_hops       = NULL;
    block.block.layer_hops_count = 0;
    return fgt_block_add(m, &block);
}

static int64_t layers_of(const fgt_forecaster_opts *o)
{
    return o->block.layers ? o->block.layers : o->block.layer_hops_count > 1 ? o->block.layer_hops_count : 1;
}

static bool has_hops_of_each(const fgt_forecaster_opts *o)
{
    return o->block.layer_hops_count > 1 && fgt_block_get_traits(o->block.kind) & FGT_BLOCK_TRAIT_HOPS;
}

static fgt_status add_all_space(fgt_model *m, const fgt_forecaster_opts *o, const fgt_graph *graph)
{
    for (int64_t i = 0; i < layers_of(o); i++) FGTI_TRY(add_space(m, o, graph, i));
    return FGT_OK;
}

/* Layer i of the block, followed by a layer between the series. */
static fgt_status add_time_and_space(fgt_model *m, const fgt_forecaster_opts *o, const fgt_graph *graph,
                                     int64_t i)
{
    char           prefix[32];
    fgt_block_opts block = token_layers_block_of(o, NULL);
    snprintf(prefix, sizeof prefix, "time.%lld.", (long long)i);
    block.prefix       = prefix;
    block.block.layers = 1;
    if (has_hops_of_each(o)) {
        block.block.hops             = o->block.layer_hops[i];
        block.block.layer_hops       = NULL;
        block.block.layer_hops_count = 0;
    }
    FGTI_TRY(fgt_block_add(m, &block));
    return add_space(m, o, graph, i);
}

/* Adds the block: [B,N,T,E] -> [B,N,T,E]. A graph is used only where the series read each other. */
static fgt_status token_layers_add_block(fgt_model *m, const fgt_forecaster_opts *o, const fgt_graph *graph)
{
    const fgt_block_opts block = token_layers_block_of(o, o->space.kind ? NULL : graph);
    if (o->space.kind != FGT_FORECAST_SPACE_AND) return fgt_block_add(m, &block);
    if (has_hops_of_each(o) && o->block.layer_hops_count != layers_of(o))
        return fgti_fail(&fgti_model_context(m)->error, FGT_E_ARG,
                         "forecaster: layer_hops needs one number, or one for each layer (got %lld, need "
                         "%lld)",
                         (long long)o->block.layer_hops_count, (long long)layers_of(o));
    for (int64_t i = 0; i < layers_of(o); i++) FGTI_TRY(add_time_and_space(m, o, graph, i));
    return FGT_OK;
}

fgt_status fgti_add_recent(fgt_model *m, const fgt_forecaster_opts *o, const char *name, const char **from)
{
    const fgt_slice_opts last = {.size = sizeof last, .first = o->input_len - o->tokens.layer_len};
    if (!last.first) return FGT_OK;
    FGTI_TRY(fgt_model_add_from(m, fgt_named(name, fgt_slice(&last)), from, 1));
    *from = name;
    return FGT_OK;
}

fgt_status fgti_add_input(fgt_model *m, const char *name, int64_t rows, int64_t width)
{
    const fgt_value_opts o = {.size = sizeof o, .time = rows, .features = width};
    return fgt_model_add(m, fgt_named(name, fgt_value(&o)));
}

/* Adds the first map u of the series; beside a decoder it is a convolution. With a mask, a second map v reads
 * the mask, which is cut like the series: z = u(cut(x)) + v(cut(missing)). If `cut` has no type, nothing is
 * cut. */
static fgt_status add_first(fgt_model *m, const fgt_forecaster_opts *o, int64_t columns, const char *name,
                            int64_t out, fgt_layer cut)
{
    const fgt_linear_opts map    = {.size = sizeof map, .out = out, .no_bias = 1};
    const fgt_conv_opts   circle = {
          .size = sizeof circle, .out = out, .padding = FGT_CONV_PADDING_CIRCULAR, .no_bias = 1};
    if (cut.type) FGTI_TRY(fgt_model_add(m, cut));
    FGTI_TRY(o->output.decoder ? fgt_model_add(m, fgt_named(name, fgt_conv(&circle)))
                               : fgti_add_linear(m, name, out));
    if (!o->inputs.mask) return FGT_OK;
    const char *mask = FGTI_MISSING;
    FGTI_TRY(fgti_add_input(m, mask, o->input_len, columns));
    FGTI_TRY(fgti_add_recent(m, o, "recent_missing", &mask));
    if (cut.type) FGTI_TRY(fgt_model_add_from(m, fgt_named("missing_cut", cut), &mask, 1));
    if (cut.type) mask = "missing_cut";
    FGTI_TRY(fgt_model_add_from(m, fgt_named("missing_map", fgt_linear(&map)), &mask, 1));
    return fgt_model_add_from(m, fgt_named("with_missing", fgt_sum(NULL)),
                              (const char *[]){name, "missing_map"}, 2);
}

/* [B,L,D] -> [B,D,L] */
static fgt_layer to_series(void)
{
    static const fgt_layout_opts swap = {.size = sizeof swap, .kind = FGT_LAYOUT_SWAP};
    return fgt_named("to_series", fgt_layout(&swap));
}

static fgt_status add_linear_block(fgt_model *m, const fgt_forecaster_opts *o, int64_t columns,
                                   const fgt_graph *graph, const fgti_profile *p)
{
    (void)graph;
    (void)p;
    FGTI_TRY(add_first(m, o, columns, "head", head_width(o), to_series())); /* [B,C,H] */
    return fgti_add_layout(m, "to_time", FGT_LAYOUT_SWAP);
}

/* Adds the sum z + v(x), where z is the layer *tokens and v a linear map, and sets *tokens to the sum. x has
 * a row for each series. */
static fgt_status token_layers_join(fgt_model *m, const fgt_forecaster_opts *o, const char **tokens,
                                    const char *x, const char *map, const char *sum)
{
    const fgt_linear_opts v = {.size = sizeof v, .out = o->tokens.dim, .no_bias = 1};
    FGTI_TRY(fgt_model_add_from(m, fgt_named(map, fgt_linear(&v)), &x, 1));
    FGTI_TRY(fgt_model_add_from(m, fgt_named(sum, fgt_sum(NULL)), (const char *[]){*tokens, map}, 2));
    *tokens = sum;
    return FGT_OK;
}

/* Static features: a token contains the static features of its series. */
static fgt_status add_static(fgt_model *m, const fgt_forecaster_opts *o, int64_t columns, const char **tokens)
{
    if (!o->inputs.features) return FGT_OK;
    const fgt_value_opts value = {.size     = sizeof value,
                                  .nodes    = columns,
                                  .time     = 1,
                                  .features = fgt_table_count_columns(o->inputs.features)};
    const char          *from  = FGTI_STATIC;
    FGTI_TRY(fgt_model_add(m, fgt_named(from, fgt_value(&value))));
    if (o->tokens.kind != FGT_TOKENS_PATCH) { /* variates are tokens of one node */
        static const fgt_layout_opts line = {.size = sizeof line, .kind = FGT_LAYOUT_TOKENS};
        FGTI_TRY(fgt_model_add_from(m, fgt_named("static_tokens", fgt_layout(&line)), &from, 1));
        from = "static_tokens";
    }
    return token_layers_join(m, o, tokens, from, "static_embed", "static_sum");
}

/* Turns a profile [B,rows,D], a value for each row of the window, into a row for each series, in the layout
 * of the tokens. */
static fgt_status add_course(fgt_model *m, const fgt_forecaster_opts *o, const char *from, const char *name,
                             int64_t rows)
{
    const fgt_patch_opts  whole = {.size = sizeof whole, .length = rows, .stride = rows, .no_padding = 1};
    const fgt_layout_opts swap  = {.size = sizeof swap, .kind = FGT_LAYOUT_SWAP};
    const fgt_layer       turn  = o->tokens.kind == FGT_TOKENS_PATCH ? fgt_patch(&whole) : fgt_layout(&swap);
    return fgt_model_add_from(m, fgt_named(name, turn), &from, 1);
}

/* The known values of the rows of a patch, which all series share: [B,L,K] -> [B,1,P,K patch]. */
static fgt_status add_known_channel(fgt_model *m, const fgt_forecaster_opts *o, const fgti_profile *p,
                                    const char **tokens)
{
    const fgt_patch_opts cut  = {.size = sizeof cut, .length = o->tokens.patch, .stride = o->tokens.stride};
    const char          *rows = FGTI_KNOWN_BEFORE;
    if (!o->tokens.known_channel || !p->known) return FGT_OK;
    FGTI_TRY(fgti_add_recent(m, o, "recent_known", &rows));
    FGTI_TRY(fgt_model_add_from(m, fgt_named("known_patch", fgt_patch(&cut)), &rows, 1)); /* [B,K,P,patch] */
    FGTI_TRY(fgti_add_layout(m, "known_steps", FGT_LAYOUT_SWAP));                         /* [B,K,patch,P] */
    FGTI_TRY(fgti_add_layout(m, "known_all", FGT_LAYOUT_TOKENS));  /* [B,1,K patch,P] */
    FGTI_TRY(fgti_add_layout(m, "known_places", FGT_LAYOUT_SWAP)); /* [B,1,P,K patch] */
    return token_layers_join(m, o, tokens, "known_places", "known_embed", "known_sum");
}

/* The profile: a token contains the usual values of its series in the rows of the window and of the
 * forecast. */
static fgt_status add_profile(fgt_model *m, const fgt_forecaster_opts *o, const fgti_profile *p,
                              const char **tokens)
{
    static const char *const parts[] = {"profile_before", "profile_future"};
    const char              *before  = p->before;
    if (!before) return FGT_OK;
    FGTI_TRY(fgti_add_recent(m, o, "recent_profile", &before));
    FGTI_TRY(add_course(m, o, before, parts[0], o->tokens.layer_len));
    FGTI_TRY(add_course(m, o, p->future, parts[1], o->pred_len));
    FGTI_TRY(fgt_model_add_from(m, fgt_named("profile", fgt_concat(NULL)), parts, 2));
    return token_layers_join(m, o, tokens, "profile", "profile_embed", "profile_sum");
}

/* A learned vector for each time of a cycle: [B,1,1,E], the same for all tokens. */
static fgt_status add_cycle(fgt_model *m, const fgt_forecaster_opts *o, const char *input, const char *name,
                            int32_t count)
{
    const fgt_value_opts     id    = {.size = sizeof id, .time = 1, .kind = FGT_VALUE_IDS};
    const fgt_embedding_opts table = {
        .size = sizeof table, .vocab = count, .out = o->tokens.dim, .init = FIRST};
    FGTI_TRY(fgt_model_add(m, fgt_named(input, fgt_value(&id))));
    return fgt_model_add_from(m, fgt_named(name, fgt_embedding(&table)), &input, 1);
}

/* Identity: a token contains learned vectors of its series, of the time of day and of the day of week. */
static fgt_status add_identity(fgt_model *m, const fgt_forecaster_opts *o, const fgti_profile *p,
                               const char **tokens)
{
    const int32_t           axis  = o->tokens.kind == FGT_TOKENS_PATCH ? FGT_AXIS_NODES : FGT_AXIS_TIME;
    const fgt_position_opts table = {.size = sizeof table, .kind = FGT_POSITION_LEARNED, .init = FIRST};
    const char             *part[3];
    int32_t                 parts = 0;
    if (!o->tokens.identity) return FGT_OK;
    FGTI_TRY(fgt_model_add_from(m, fgt_named("series", fgt_along(axis, fgt_position(&table))), tokens, 1));
    part[parts++] = *tokens = "series";
    if (p->times_of_day) {
        FGTI_TRY(add_cycle(m, o, FGTI_TIME_OF_DAY, "daily", p->times_of_day));
        part[parts++] = "daily";
    }
    if (p->days_of_week) {
        FGTI_TRY(add_cycle(m, o, FGTI_DAY_OF_WEEK, "weekly", p->days_of_week));
        part[parts++] = "weekly";
    }
    if (parts < 2) return FGT_OK;
    *tokens = "identity";
    return fgt_model_add_from(m, fgt_named("identity", fgt_sum(NULL)), part, parts);
}

/* Adds static features, known values, profile and identity of a series to its tokens. */
static fgt_status add_context(fgt_model *m, const fgt_forecaster_opts *o, int64_t columns,
                              const fgti_profile *p)
{
    const char *tokens = o->inputs.mask ? "with_missing" : "embed";
    FGTI_TRY(add_static(m, o, columns, &tokens));
    FGTI_TRY(add_known_channel(m, o, p, &tokens));
    FGTI_TRY(add_profile(m, o, p, &tokens));
    return add_identity(m, o, p, &tokens);
}

static fgt_status add_patch(fgt_model *m, const fgt_forecaster_opts *o, int64_t columns,
                            const fgt_graph *graph, const fgti_profile *p)
{
    const fgt_patch_opts patch = {
        .size = sizeof patch, .length = o->tokens.patch, .stride = o->tokens.stride};
    const fgt_layer      cut   = fgt_named("patch", fgt_patch(&patch)); /* [B,C,P,patch] */
    FGTI_TRY(add_first(m, o, columns, "embed", o->tokens.dim, cut));    /* [B,C,P,E] */
    FGTI_TRY(add_context(m, o, columns, p));
    FGTI_TRY(token_layers_add_position(m, o, FGT_POSITION_LEARNED));
    FGTI_TRY(token_layers_add_block(m, o, graph));
    FGTI_TRY(fgti_add_layout(m, "flatten", FGT_LAYOUT_FLATTEN)); /* [B,C,1,P E] */
    if (o->space.kind == FGT_FORECAST_SPACE_THEN) {
        FGTI_TRY(fgti_add_linear(m, "whole", o->tokens.dim)); /* [B,C,1,E] */
        FGTI_TRY(add_all_space(m, o, graph));
    }
    FGTI_TRY(token_layers_add_dropout(m, o));
    FGTI_TRY(fgti_add_linear(m, "head", head_width(o)));    /* [B,C,1,H] */
    return fgti_add_layout(m, "to_time", FGT_LAYOUT_MERGE); /* [B,1,H,C] */
}

/* Adds the known columns of the window to the encoder's tokens. For the rows that the decoder reads it also
 * makes a layer, *name; NULL: there is no such layer. */
static fgt_status add_known(fgt_model *m, const fgt_forecaster_opts *o, const fgti_decoder *d,
                            const char **name)
{
    const fgt_linear_opts  map    = {.size = sizeof map, .out = o->tokens.dim, .no_bias = 1};
    const fgt_slice_opts  label  = {.size = sizeof label, .first = o->input_len - d->label};
    const fgt_extend_opts  behind = {.size = sizeof behind, .count = o->pred_len};
    const char           *tokens = fgti_model_last_name(m), *known = FGTI_KNOWN_BEFORE;
    FGTI_TRY(fgt_model_add_from(m, fgt_named("known_label", fgt_slice(&label)), &known, 1));
    FGTI_TRY(fgt_model_add_from(m, fgt_named("known_rows", fgt_extend(&behind)),
                                (const char *[]){"known_label", FGTI_KNOWN}, 2));
    FGTI_TRY(fgt_model_add(m, fgt_named("decoder.known", fgt_linear(&map))));
    *name = "decoder.known";
    FGTI_TRY(fgti_add_recent(m, o, "recent_known", &known));
    return token_layers_join(m, o, &tokens, known, "known_embed", "known_sum");
}

/* Encoder and decoder. */
static fgt_status add_decoded(fgt_model *m, const fgt_forecaster_opts *o, int64_t columns,
                              const fgt_graph *graph, const fgti_profile *p)
{
    const fgt_slice_opts ahead = {.size = sizeof ahead, .first = (o->tokens.layer_len + 1) / 2};
    fgt_block_opts       block = token_layers_block_of(o, graph);
    fgti_decoder         d     = {.series  = fgti_model_last_name(m),
                                  .rows    = o->tokens.layer_len,
                                  .label   = ahead.first,
                                  .ahead   = o->pred_len,
                                  .columns = columns,
                                  .width   = o->tokens.dim};
    FGTI_TRY(add_first(m, o, columns, "embed", o->tokens.dim, (fgt_layer){0})); /* [B,L,E] */
    if (p->known) FGTI_TRY(add_known(m, o, &d, &d.known));
    FGTI_TRY(token_layers_add_position(m, o, FGT_POSITION_SINUSOIDAL));
    FGTI_TRY(fgti_block_encode(m, &block));
    d.memory     = fgti_model_last_name(m);
    block.block.layers = o->output.decoder;
    FGTI_TRY(fgti_block_decode(m, &block, &d)); /* [B,label+H,C] */
    return fgt_model_add(m, fgt_named("to_time", fgt_slice(&ahead)));
}

static fgt_status add_time(fgt_model *m, const fgt_forecaster_opts *o, int64_t columns,
                           const fgt_graph *graph, const fgti_profile *p)
{
    if (o->output.decoder) return add_decoded(m, o, columns, graph, p);
    FGTI_TRY(add_first(m, o, columns, "embed", o->tokens.dim, (fgt_layer){0})); /* [B,L,E] */
    FGTI_TRY(token_layers_add_position(m, o, FGT_POSITION_SINUSOIDAL));
    FGTI_TRY(token_layers_add_block(m, o, graph));
    FGTI_TRY(fgti_add_linear(m, "mix", columns)); /* [B,L,C] */
    FGTI_TRY(fgt_model_add(m, to_series()));      /* [B,C,L] */
    FGTI_TRY(fgti_add_linear(m, "head", head_width(o)));
    return fgti_add_layout(m, "to_time", FGT_LAYOUT_SWAP);
}

static fgt_status add_variate(fgt_model *m, const fgt_forecaster_opts *o, int64_t columns,
                              const fgt_graph *graph, const fgti_profile *p)
{
    FGTI_TRY(add_first(m, o, columns, "embed", o->tokens.dim, to_series())); /* [B,C,E] */
    FGTI_TRY(add_context(m, o, columns, p));
    FGTI_TRY(token_layers_add_block(m, o, graph));
    if (o->space.kind == FGT_FORECAST_SPACE_THEN) FGTI_TRY(add_all_space(m, o, graph));
    FGTI_TRY(fgti_add_linear(m, "head", head_width(o))); /* [B,C,H] */
    return fgti_add_layout(m, "to_time", FGT_LAYOUT_SWAP);
}

/* Indexed by fgt_tokens. */
static fgt_status (*const add_tokens[])(fgt_model *m, const fgt_forecaster_opts *o, int64_t columns,
                                        const fgt_graph *graph, const fgti_profile *p) = {
    [FGT_TOKENS_PATCH]   = add_patch,
    [FGT_TOKENS_TIME]    = add_time,
    [FGT_TOKENS_VARIATE] = add_variate,
};
_Static_assert(sizeof add_tokens / sizeof *add_tokens == FGTI_TOKENS_COUNT, "one row for each fgt_tokens");

fgt_status fgti_add_token_layers(fgt_model *m, const fgt_forecaster_opts *o, int64_t columns,
                                 const fgt_graph *graph, const fgti_profile *profile)
{
    const bool has_tokens = fgt_block_get_traits(o->block.kind) & FGT_BLOCK_TRAIT_TOKENS;
    return (has_tokens ? add_tokens[o->tokens.kind] : add_linear_block)(m, o, columns, graph, profile);
}
