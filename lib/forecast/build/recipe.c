/* SPDX-License-Identifier: BSD-3-Clause */

/* Options of a forecaster, their defaults, and its model as a list of layers. */

#include "forecast/build/recipe.h"

#include <string.h>

#include <fighter/graph.h>

#include "blocks/blocks.h"
#include "forecast/build/closed_form.h"
#include "forecast/build/defaults.h"
#include "forecast/build/token_layers.h"
#include "forecast/forecaster.h"
#include "forecast/known/calendar.h"
#include "forecast/known/statics.h"
#include "model/access.h"

/* Models as lists of layers: x [B,L,D] -> y [B,H,C]; D = C if there are no past columns. */

/* Number of steps in a patch. Of 8, 12, 16, 24, 32 and 48 this number has the lowest validation error on
 * ETTh1 with windows of 96 rows: 0.688 in the mean of seeds 1 to 3, while 16 has 0.693. On ETTh2 both are
 * equally good (0.211, 0.210). */
#define PATCH 24

/* Number of patches of the default length that cover a window side by side. For longer windows the patches
 * grow, so that their cost does not grow with the window. */
#define PATCHES 4

static fgt_status check_layer_len(fgti_error *err, fgt_forecaster_opts *o)
{
    if (o->tokens.layer_len > o->input_len)
        return fgti_fail(err, FGT_E_ARG, "forecaster: `layer_len` is too large (got %lld, need at most %lld)",
                         (long long)o->tokens.layer_len, (long long)o->input_len);
    if (!fgti_recipe_has_linear(o) && o->tokens.layer_len && o->tokens.layer_len < o->input_len)
        return fgti_fail(err, FGT_E_ARG,
                         "forecaster: `layer_len` needs a linear part (got %lld, need 0 or %lld)",
                         (long long)o->tokens.layer_len, (long long)o->input_len);
    if (!o->tokens.layer_len) o->tokens.layer_len = fgti_default_layer_len(o);
    return FGT_OK;
}

static fgt_status check_space(fgti_error *err, fgt_forecaster_opts *o)
{
    const uint32_t traits = fgt_block_get_traits(o->space.block), own = fgt_block_get_traits(o->block.kind);
    const bool     series = own & FGT_BLOCK_TRAIT_TOKENS && o->tokens.kind != FGT_TOKENS_TIME;
    if ((o->space.kind || o->tokens.identity) && (!series || o->inputs.past))
        return fgti_fail(err, FGT_E_ARG,
                         "forecaster: space and identity are for tokens of single series, patches or "
                         "variates, without past columns");
    if (o->space.kind && !(traits & FGT_BLOCK_TRAIT_AXIS))
        return fgti_fail(err, FGT_E_ARG, "forecaster: %s works only along time, not between series",
                         fgt_block_get_name(o->space.block) ? fgt_block_get_name(o->space.block)
                                                            : "space.block");
    const uint32_t reads = o->space.kind ? traits : own;
    if ((o->space.graph && !(reads & FGT_BLOCK_TRAIT_GRAPH)) ||
        (o->space.learned && !(reads & FGT_BLOCK_TRAIT_LEARNED)))
        return fgti_fail(err, FGT_E_ARG, "forecaster: %s reads no graph%s",
                         fgt_block_get_name(o->space.kind ? o->space.block : o->block.kind),
                         o->space.learned ? " that is learned" : "");
    if (!o->space.hops) o->space.hops = 2;
    return FGT_OK;
}

/* The block checks the number of layers of the decoder. */
static fgt_status check_decoder(fgti_error *err, const fgt_forecaster_opts *o)
{
    if (!o->output.decoder) return FGT_OK;
    if (!(fgt_block_get_traits(o->block.kind) & FGT_BLOCK_TRAIT_DECODER))
        return fgti_fail(err, FGT_E_ARG, "forecaster: %s has no decoder", fgt_block_get_name(o->block.kind));
    if (o->tokens.kind != FGT_TOKENS_TIME)
        return fgti_fail(err, FGT_E_ARG,
                         "forecaster: a decoder gives one row after another, so tokens must be time steps");
    if (o->output.quantiles)
        return fgti_fail(err, FGT_E_ARG,
                         "forecaster: a decoder has one number for each row and series, and no quantiles");
    return FGT_OK;
}

/* Checks the ranges of the options and fills in the defaults. A negative number switches some options off. */
#define OPTION(name, field, kind, min, max, standard, ...) \
    {#name, offsetof(fgt_forecaster_opts, field), FGTI_OPT_##kind, min, max, standard},
#define SWITCHED(name, field, kind, min, max, standard, ...) OPTION(name, field, kind, -1, max, standard)
#define KEPT                                                 OPTION
#define PASSED(...)
#define FACT(...)
static const fgti_opt option_list[] = {
#include "forecast/forecast_options.h"
    {0},
};

/* Later versions have options in place of `room`, so it must be 0. */
static fgt_status check_room(fgti_error *err, const int64_t room[4])
{
    for (int i = 0; i < 4; i++) FGTI_TRY(fgti_reserved_check(err, "fgt_forecaster_opts", room[i]));
    return FGT_OK;
}

static fgt_status check_reserved(fgti_error *err, const fgt_forecaster_opts *o)
{
    FGTI_TRY(check_room(err, o->inputs.reserved));
    FGTI_TRY(check_room(err, o->tokens.reserved));
    FGTI_TRY(check_room(err, o->block.reserved));
    FGTI_TRY(fgti_reserved_check(err, "fgt_forecaster_opts", o->space.reserved_32));
    FGTI_TRY(check_room(err, o->space.reserved));
    return check_room(err, o->output.reserved);
}

fgt_status fgti_recipe_check(fgti_error *err, const fgt_table *table, fgt_forecaster_opts *o)
{
    if (!o->input_len) o->input_len = fgti_default_input(table, o);
    FGTI_TRY(check_reserved(err, o));
    FGTI_TRY(fgti_block_check(err, "forecaster", o->block.kind));
    FGTI_TRY(fgti_opts_check(err, "forecaster", option_list, o));
    if (!o->inputs.targets != !o->inputs.target_count || !o->inputs.past != !o->inputs.past_count ||
        !o->inputs.known != !o->inputs.known_count || !o->output.quantiles != !o->output.quantile_count)
        return fgti_fail(
            err, FGT_E_ARG,
            "forecaster: targets, past, known or quantiles and its count do not go together (got "
            "one of them, need both or neither)");
    FGTI_TRY(fgti_quantiles_check(err, o->output.quantiles, o->output.quantile_count));
    if (fgti_reads_in_order(o) && o->tokens.kind == FGT_TOKENS_VARIATE)
        return fgti_fail(err, FGT_E_ARG,
                         "forecaster: %s reads its tokens in order, and variates have none; use patches or "
                         "time steps",
                         fgt_block_get_name(o->block.kind));
    if (o->tokens.positions && (o->tokens.kind == FGT_TOKENS_VARIATE ||
                                !(fgt_block_get_traits(o->block.kind) & FGT_BLOCK_TRAIT_TOKENS)))
        return fgti_fail(err, FGT_E_ARG,
                         "forecaster: positions are for tokens in order, patches or time steps");
    if (o->tokens.known_channel && (o->tokens.kind != FGT_TOKENS_PATCH ||
                                    !(fgt_block_get_traits(o->block.kind) & FGT_BLOCK_TRAIT_TOKENS)))
        return fgti_fail(err, FGT_E_ARG, "forecaster: known_channel is for tokens that are patches");
    if (o->inputs.features && (o->tokens.kind == FGT_TOKENS_TIME || o->inputs.past ||
                               !(fgt_block_get_traits(o->block.kind) & FGT_BLOCK_TRAIT_TOKENS)))
        return fgti_fail(err, FGT_E_ARG,
                         "forecaster: static features are for tokens of single series, patches or variates, "
                         "without past columns");
    FGTI_TRY(check_space(err, o));
    FGTI_TRY(check_decoder(err, o));
    if (o->block.dropout < 0) o->block.dropout = 0;
    FGTI_TRY(check_layer_len(err, o));
    if (!o->tokens.patch) {
        const int64_t part = o->tokens.layer_len / PATCHES;
        o->tokens.patch    = part > PATCH ? part : fgti_least(o->tokens.layer_len, PATCH);
    }
    if (!o->tokens.stride) o->tokens.stride = o->tokens.patch > 1 ? o->tokens.patch / 2 : 1;
    return FGT_OK;
}

typedef struct recipe {
    fgt_model                 *m;
    const fgt_forecaster_opts *o;
    const fgt_forecaster_info *i;
    const fgt_graph           *graph;
    const fgti_closed_form    *closed; /* NULL: no map */
    int64_t                    inputs; /* D */
    int64_t                    known;  /* K */
    bool                       deep;   /* there are trained layers */
} recipe;

/* Terms of a sum. */
typedef struct terms {
    const char *name[FGT_SUM_MAX];
    float       weight[FGT_SUM_MAX];
    int32_t     count;
} terms;

static void add_term(terms *t, const char *name, float weight)
{
    t->name[t->count]     = name;
    t->weight[t->count++] = weight;
}

/* ---- the effect of the known values ---- */

/* Width of the network that computes the effect of the known values on the series. */
#define EFFECT_WIDTH 32
/* Factor on the output of this network. Adam moves every weight by about the learning rate, which is too slow
 * for effects as large as the series. On generated series that depend on two known columns and noise, the
 * error after ten epochs is 1.25 times the noise without this factor, and 1.04 times the noise with it. */
#define EFFECT_GAIN 4

/* Whether the model has a network for the effect. Without known values, or with tokens that contain the known
 * values (known_channel), it needs no network. */
static bool has_effect(const recipe *r)
{
    return r->known && r->deep && !r->o->tokens.known_channel;
}

/* Adds the network linear - GELU - linear(D), which reads a further input. With `shared` it has the
 * parameters of the first network. */
static fgt_status add_effect(fgt_model *m, const char *input, int64_t inputs, const char *const names[3],
                             bool shared)
{
    const fgt_linear_opts in        = {.size = sizeof in, .out = EFFECT_WIDTH},
                          out       = {.size = sizeof out, .out = inputs};
    const fgt_activation_opts act   = {.size = sizeof act, .kind = FGT_ACT_GELU};
    const fgt_layer           first = shared ? fgt_shared("effect_in") : fgt_linear(&in);
    const fgt_layer           last  = shared ? fgt_shared("effect_out") : fgt_linear(&out);
    FGTI_TRY(fgt_model_add_from(m, fgt_named(names[0], first), (const char *[]){input}, 1));
    FGTI_TRY(fgt_model_add(m, fgt_named(names[1], fgt_activation(&act))));
    return fgt_model_add(m, fgt_named(names[2], last));
}

static fgt_status recipe_add_sum(const recipe *r, const char *name, const terms *t)
{
    fgt_sum_opts o = {.size = sizeof o};
    memcpy(o.weight, t->weight, sizeof t->weight);
    return fgt_model_add_from(r->m, fgt_named(name, fgt_sum(&o)), t->name, t->count);
}

/* Adds two layers. "bare" is x - g(k) - e(k), where g is the network and e the effect in closed form. "rest"
 * is "bare" + m, where m is the mean of g over the window: the series as if all rows had the same known
 * values. Without m the network could give each series its own level, and the later layers would tell the
 * series apart by these levels. That would be wrong as soon as the levels move. */
static fgt_status take_effect_off(const recipe *r)
{
    static const char *const names[] = {"effect_in", "effect_act", "effect_out"};
    const fgt_linear_opts    direct  = {.size = sizeof direct, .out = r->inputs};
    terms                    bare = {0}, rest = {0};
    FGTI_TRY(fgti_add_input(r->m, FGTI_KNOWN_BEFORE, r->i->input_len, r->known));
    FGTI_TRY(fgti_add_input(r->m, FGTI_KNOWN, r->i->pred_len, r->known));
    add_term(&bare, "", 1);
    if (r->closed) {
        FGTI_TRY(fgt_model_add_from(r->m, fgt_named("effect_linear", fgt_linear(&direct)),
                                    (const char *[]){FGTI_KNOWN_BEFORE}, 1));
        FGTI_TRY(fgt_model_add_from(r->m, fgt_named("future_linear", fgt_shared("effect_linear")),
                                    (const char *[]){FGTI_KNOWN}, 1));
        add_term(&bare, "effect_linear", -1);
    }
    if (has_effect(r)) {
        FGTI_TRY(add_effect(r->m, FGTI_KNOWN_BEFORE, r->inputs, names, false));
        FGTI_TRY(fgt_model_add(r->m, fgt_named("effect_mean", fgt_pool(NULL))));
        add_term(&bare, "effect_out", -EFFECT_GAIN);
    }
    if (bare.count > 1) FGTI_TRY(recipe_add_sum(r, "bare", &bare));
    if (!has_effect(r)) return FGT_OK;
    add_term(&rest, "bare", 1);
    add_term(&rest, "effect_mean", EFFECT_GAIN);
    return recipe_add_sum(r, "rest", &rest);
}

/* Adds the effect of the future known values to the sum, g(k) - m + e(k). Beside a map in closed form, m is
 * not in the sum, because this map reads "bare". */
static fgt_status add_effect_back(const recipe *r, terms *sum)
{
    static const char *const names[] = {"future_in", "future_act", "future_out"};
    if (has_effect(r)) {
        FGTI_TRY(add_effect(r->m, FGTI_KNOWN, r->inputs, names, true));
        add_term(sum, "future_out", EFFECT_GAIN);
    }
    if (r->closed)
        add_term(sum, "future_linear", 1);
    else if (has_effect(r))
        add_term(sum, "effect_mean", -EFFECT_GAIN);
    return FGT_OK;
}

/* ---- the map in closed form ---- */

/* "bare" -> "skip_time" [B,H,D] */
static fgt_status add_skip(const recipe *r)
{
    const int64_t steps = r->i->pred_len;
    const bool    each  = r->closed->map.maps > 1;
    const fgt_layer map = each ? fgt_token_linear(&FGT_OPTS(fgt_token_linear_opts, .out = steps))
                               : fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = steps));
    const fgt_layout_opts swap = {.size = sizeof swap, .kind = FGT_LAYOUT_SWAP};
    FGTI_TRY(fgt_model_add_from(r->m, fgt_named("skip_series", fgt_layout(&swap)),
                                (const char *[]){r->known ? "bare" : ""}, 1)); /* [B,D,L] */
    FGTI_TRY(fgt_model_add(r->m, fgt_named("skip", map)));                  /* [B,D,H] */
    return fgti_add_layout(r->m, "skip_time", FGT_LAYOUT_SWAP);
}

/* Adds the map of past columns to the targets. */
static fgt_status add_past(const recipe *r)
{
    const int64_t        columns = r->i->columns, rows = r->closed ? r->closed->map.past.lags : 0;
    const fgt_slice_opts last    = {.size = sizeof last, .first = r->i->input_len - rows};
    const fgt_patch_opts steps   = {
          .size = sizeof steps, .length = columns, .stride = columns, .no_padding = 1};
    terms sum = {0};
    if (!rows) return FGT_OK;
    FGTI_TRY(fgt_model_add_from(r->m, fgt_named("past_rows", fgt_slice(&last)),
                                (const char *[]){r->known ? "bare" : ""}, 1)); /* [B,K,D] */
    FGTI_TRY(fgti_add_layout(r->m, "past_row", FGT_LAYOUT_FLATTEN));          /* [B,1,K D] */
    FGTI_TRY(fgti_add_linear(r->m, "past_linear", r->i->pred_len * columns)); /* [B,1,H C] */
    FGTI_TRY(fgti_add_layout(r->m, "past_cells", FGT_LAYOUT_SWAP));           /* [B,H C,1] */
    FGTI_TRY(fgt_model_add(r->m, fgt_named("past_time", fgt_patch(&steps)))); /* [B,H,C] */
    add_term(&sum, "targets", 1);
    add_term(&sum, "past_time", 1);
    return recipe_add_sum(r, "with_past", &sum);
}

/* ---- first weights ---- */

/* Sets a parameter to these numbers; NULL: to 0. */
static fgt_status recipe_set(fgt_model *m, const char *name, const double *from)
{
    fgt_parameter_info info   = {.size = sizeof info};
    float             *weight = NULL;
    FGTI_TRY(fgt_model_get_parameter_info(m, name, 0, &info));
    fgt_view v = info.shape;
    FGTI_TRY(FGTI_NEW(fgti_model_context(m), fgt_view_count(&v), "weights", &weight));
    for (int64_t i = 0; from && i < fgt_view_count(&v); i++) weight[i] = (float)from[i];
    v.data             = weight;
    v.dtype            = FGT_DTYPE_F32;
    const fgt_status s = fgt_model_set_parameter(m, name, &v);
    fgti_free(fgti_model_context(m), weight);
    return s;
}

static fgt_status clear_last_maps(fgt_model *m)
{
    const fgti_param *p;
    for (int64_t i = 0; (p = fgti_model_param(m, i)); i++)
        if (fgti_is_last_map(p->full_name)) FGTI_TRY(recipe_set(m, p->full_name, NULL));
    return FGT_OK;
}

/* The trained layers have no effect at first: random layers would hide the closed form. */
static fgt_status set_first_weights(const recipe *r)
{
    if (r->deep && r->o->inputs.mask) FGTI_TRY(recipe_set(r->m, "missing_map.weight", NULL));
    if (has_effect(r)) {
        FGTI_TRY(recipe_set(r->m, "effect_out.weight", NULL));
        FGTI_TRY(recipe_set(r->m, "effect_out.bias", NULL));
    }
    if (!r->closed) return FGT_OK;
    if (r->deep) FGTI_TRY(clear_last_maps(r->m));
    if (r->known) {
        FGTI_TRY(recipe_set(r->m, "effect_linear.weight", r->closed->effect));
        FGTI_TRY(recipe_set(r->m, "effect_linear.bias", r->closed->level));
        FGTI_TRY(fgt_model_set_frozen(r->m, "effect_linear.", 1));
    }
    FGTI_TRY(recipe_set(r->m, "skip.weight", r->closed->map.weight));
    FGTI_TRY(recipe_set(r->m, "skip.bias", r->closed->map.bias));
    FGTI_TRY(fgt_model_set_frozen(r->m, "skip.", 1));
    if (!r->closed->map.past.lags) return FGT_OK;
    FGTI_TRY(recipe_set(r->m, "past_linear.weight", r->closed->map.past.weight));
    FGTI_TRY(recipe_set(r->m, "past_linear.bias", r->closed->map.past.bias));
    return fgt_model_set_frozen(r->m, "past_linear.", 1);
}

/* Adds the map from all columns to the targets, which are the first columns. At first each target is the
 * forecast of its own column; without layers the map is frozen. */
static fgt_status choose_targets(const recipe *r)
{
    double *choice = NULL;
    if (!r->i->past) return FGT_OK;
    FGTI_TRY(fgti_add_linear(r->m, "targets", r->i->columns)); /* [B,H,C] */
    if (!r->closed) return FGT_OK;
    FGTI_TRY(FGTI_NEW(fgti_model_context(r->m), r->i->columns * r->inputs, "weights", &choice));
    for (int64_t c = 0; c < r->i->columns; c++) choice[c * r->inputs + c] = 1;
    fgt_status s = recipe_set(r->m, "targets.weight", choice);
    if (s == FGT_OK) s = recipe_set(r->m, "targets.bias", NULL);
    if (s == FGT_OK && !r->deep) s = fgt_model_set_frozen(r->m, "targets.", 1);
    fgti_free(fgti_model_context(r->m), choice);
    return s;
}

/* Adds the inverse of "revin". Its second input is "revin" itself, which has the statistics. Every list of
 * layers above ends with "to_time". */
static fgt_status add_revin_inverse(fgt_model *m)
{
    return fgt_model_add_from(m, fgt_named("revin_inverse", fgt_revin_inverse(NULL)),
                              (const char *[]){"to_time", "revin"}, 2);
}

/* ---- the whole model ---- */

/* Adds the trained layers. Beside a map in closed form, the layers must not forecast the level again. So the
 * level that they add (a mean of the window) is subtracted. */
static fgt_status add_deep(const recipe *r, terms *sum)
{
    const bool         known   = r->closed && r->known && !r->o->tokens.no_profile;
    const int32_t      cycles  = r->i->cycles;
    const fgti_profile profile = {
        .before       = known ? "effect_linear" : NULL,
        .future       = known ? "future_linear" : NULL,
        .known        = r->known,
        .times_of_day = cycles & FGT_CALENDAR_DAY ? fgti_cycle_count(&r->i->step, FGT_CALENDAR_DAY) : 0,
        .days_of_week = cycles & FGT_CALENDAR_WEEK ? fgti_cycle_count(&r->i->step, FGT_CALENDAR_WEEK) : 0};
    const char        *input   = has_effect(r) ? "rest" : r->known && r->closed ? "bare" : "";
    FGTI_TRY(fgti_add_recent(r->m, r->o, "recent", &input));
    if (r->o->tokens.revin) FGTI_TRY(fgt_model_add(r->m, fgt_named("revin", fgt_revin(NULL))));
    FGTI_TRY(fgti_add_token_layers(r->m, r->o, r->inputs, r->graph, &profile));
    if (r->o->tokens.revin) FGTI_TRY(add_revin_inverse(r->m));
    add_term(sum, r->o->tokens.revin ? "revin_inverse" : "to_time", 1);
    /* The trend of an Autoformer's decoder begins at the mean of the window. */
    const bool has_level =
        r->o->tokens.revin || (r->o->output.decoder && r->o->block.kind == FGT_BLOCK_AUTOFORMER);
    if (!has_level || !r->closed) return FGT_OK;
    add_term(sum, "level", -1);
    return fgt_model_add_from(r->m, fgt_named("level", fgt_pool(NULL)), &input, 1);
}

/* Adds layers that make forecasts not negative, and put quantiles in their order. */
static fgt_status add_outcome(fgt_model *m, const fgt_forecaster_opts *o)
{
    const fgt_activation_opts positive = {.size = sizeof positive, .kind = FGT_ACT_SOFTPLUS};
    const fgt_quantiles_opts  several  = {.size = sizeof several, .count = o->output.quantile_count};
    if (fgti_recipe_is_positive(o))
        FGTI_TRY(fgt_model_add(m, fgt_named("positive", fgt_activation(&positive))));
    return o->output.quantiles ? fgt_model_add(m, fgt_named("quantiles", fgt_quantiles(&several))) : FGT_OK;
}

static fgt_status recipe_add_all(const recipe *r)
{
    terms sum = {0};
    if (r->known) FGTI_TRY(take_effect_off(r));
    if (r->deep) FGTI_TRY(add_deep(r, &sum));
    if (r->closed) {
        FGTI_TRY(add_skip(r));
        add_term(&sum, "skip_time", 1);
    }
    if (r->known) FGTI_TRY(add_effect_back(r, &sum));
    if (sum.count > 1) FGTI_TRY(recipe_add_sum(r, "both", &sum));
    FGTI_TRY(choose_targets(r));
    FGTI_TRY(add_past(r));
    FGTI_TRY(add_outcome(r->m, r->o));
    return set_first_weights(r);
}

static fgt_status recipe_check_graph(fgti_error *err, const fgt_forecaster_opts *o, int64_t series,
                                     const fgt_graph *graph)
{
    const uint32_t traits = o->space.kind ? fgt_block_get_traits(o->space.block) : 0;
    if (traits & FGT_BLOCK_TRAIT_LEARNED && !graph && !o->space.learned)
        return fgti_fail(err, FGT_E_ARG,
                         "forecaster: there is no graph between the series, nor a learned one");
    int64_t nodes;
    if (!o->space.kind || !graph) return FGT_OK;
    FGTI_TRY(fgt_graph_get_size(graph, &nodes, NULL));
    if (nodes == series) return FGT_OK;
    return fgti_fail(err, FGT_E_SHAPE, "forecaster: the graph needs one node a series (got %lld, need %lld)",
                     (long long)nodes, (long long)series);
}

fgt_status fgti_recipe_build(fgt_context *ctx, const fgt_forecaster_opts *o, const fgt_forecaster_info *info,
                             const fgt_graph *graph, const fgti_closed_form *closed, fgt_model **model)
{
    const bool           has_map = closed && closed->map.maps > 0;
    const fgt_model_opts opts    = {.size     = sizeof opts,
                                    .batch    = o->batch,
                                    .time     = o->input_len,
                                    .features = info->columns + info->past,
                                    .seed     = o->seed};
    FGTI_TRY(recipe_check_graph(&ctx->error, o, info->columns, graph));
    FGTI_TRY(fgt_model_create(ctx, &opts, model));
    fgt_forecaster_opts layers = *o;
    if (!has_map) layers.tokens.layer_len = o->input_len;
    const recipe     r = {.m      = *model,
                          .o      = &layers,
                          .i      = info,
                          .graph  = graph,
                          .closed = has_map ? closed : NULL,
                          .inputs = info->columns + info->past,
                          .known  = fgti_forecaster_known(info),
                          .deep   = !has_map || o->block.kind != FGT_BLOCK_LINEAR || o->output.quantiles ||
                                  o->inputs.mask};
    const fgt_status s = recipe_add_all(&r);
    if (s != FGT_OK) fgt_model_destroy(model);
    return s;
}
