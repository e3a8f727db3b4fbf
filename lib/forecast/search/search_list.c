/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidates of a search. */
#include "forecast/search/search_list.h"

#include <string.h>

#include "core/size.h"
#include "forecast/build/defaults.h"

/* Options that fit only one kind of tokens or one block. If the host has set such an option, a search keeps
 * tokens and block. */
/* clang-format off */
#define FREE(...)
#define BINDS(name, field, kind) {#name, offsetof(fgt_forecaster_opts, field), FGTI_OPT_##kind, 0, 0, 0},
#define OPTION(name, field, kind, min, max, standard, words, trait, search, ...) search(name, field, kind)
#define KEPT     OPTION
#define PASSED   OPTION
#define SWITCHED OPTION
/* clang-format on */
#define FACT(...)
static const fgti_opt bindings[] = {
#include "forecast/forecast_options.h"
    {0},
};

/* ---- linear maps ---- */

/* Look-backs that are tried, as multiples or parts of the default look-back. */
static const struct {
    int64_t times, parts;
} look_backs[] = {{1, 2}, {2, 1}};

static fgti_candidate *search_list_add(fgti_search *s, const fgti_candidate *c)
{
    for (int64_t i = 0; i < s->count; i++)
        if (!memcmp(&s->candidate[i].make, &c->make, sizeof c->make) &&
            !memcmp(&s->candidate[i].fit, &c->fit, sizeof c->fit))
            return NULL;
    s->candidate[s->count] = *c;
    return &s->candidate[s->count++];
}

/* The longest look-back of a linear map. With more rows a map takes minutes to compute. */
#define LONGEST 1024

/* Whether a look-back is possible. At least half of the training rows must begin a window, the validation
 * targets must stay the same, and the layers must get the rows that the host wants them to read. */
static bool search_list_fits(const fgti_search *s, int64_t input_len)
{
    const int64_t rows = s->split->train_end - s->split->train_begin;
    return input_len > 0 && input_len <= LONGEST && input_len + s->base.pred_len <= rows / 2 &&
           input_len <= s->split->val_begin && input_len >= s->base.tokens.layer_len;
}

static bool is_fixed(const fgti_search *s, int32_t part, int64_t value)
{
    return value != 0 || (s->o.fixed & part);
}

void fgti_search_list_first(fgti_search *s)
{
    fgti_candidate c = {.make = s->base, .fit = s->fit, .kept = {.loss = INFINITY}};
    c.make.block.kind = FGT_BLOCK_LINEAR;
    /* a linear map has no tokens, so it takes no options of tokens */
    c.make.inputs.features = NULL;
    c.make.space.graph     = NULL;
    for (const fgti_opt *bound = bindings; bound->name; bound++) fgti_opt_set(bound, &c.make, 0);
    c.is_map         = true;
    c.can_win =
        s->base.block.kind == FGT_BLOCK_LINEAR || !is_fixed(s, FGT_SEARCH_PART_BLOCK, s->base.block.kind);
    search_list_add(s, &c);
}

void fgti_search_list_linear(fgti_search *s)
{
    const fgti_candidate first = s->candidate[0];
    s->look_back               = first.make.input_len;
    for (size_t i = 0; !s->base.input_len && i < sizeof look_backs / sizeof *look_backs; i++) {
        fgti_candidate c = first;
        c.make.input_len = first.make.input_len * look_backs[i].times / look_backs[i].parts;
        if (search_list_fits(s, c.make.input_len) && search_list_add(s, &c))
            s->look_back = fgti_least(s->look_back, c.make.input_len);
    }
}

void fgti_search_list_calendar(fgti_search *s)
{
    fgti_candidate c = {.make    = s->candidate[s->best_map].make,
                        .fit     = s->fit,
                        .kept    = {.loss = INFINITY},
                        .is_map  = true,
                        .can_win = s->candidate[s->best_map].can_win};
    c.make.inputs.calendar = FGT_CALENDAR_NONE;
    if (!is_fixed(s, FGT_SEARCH_PART_CALENDAR, s->base.inputs.calendar)) search_list_add(s, &c);
}

/* ---- layers ---- */

/* Options of a candidate that differ from the defaults. 0 stands for the default. */
typedef struct variant {
    int32_t block, tokens, loss, revin, no_profile;
    int64_t dim, layers;
    int64_t patches; /* patches without overlap in the rows that the layers read */
    int64_t part;    /* the number of rows that the layers read is divided by this; without a linear map the
                      * look-back is divided instead */
    float   dropout;
    double  lr, average, weight_decay;
} variant;

/* Variants in order of priority: a small budget tries only the first ones. */
static const variant variants[] = {
    {0},
    {.block = FGT_BLOCK_TRANSFORMER},
    {.dim = 16, .dropout = 0.4F},
    {.tokens = FGT_TOKENS_VARIATE},
    {.part = 2},
    {.loss = FGT_LOSS_SMOOTH_L1},
    {.block = FGT_BLOCK_MLP, .dropout = 0.4F},
    {.lr = 2e-4, .average = 0.999},
    {.dim = 64, .layers = 2},
    {.weight_decay = 1},
    {.revin = 1},
    {.block = FGT_BLOCK_GRU},
    {.tokens = FGT_TOKENS_TIME},
    {.block = FGT_BLOCK_TRANSFORMER, .tokens = FGT_TOKENS_VARIATE, .dropout = 0.4F},
    {.patches = 12},
    {.no_profile = 1},
};
_Static_assert(2 + sizeof look_backs / sizeof *look_backs + sizeof variants / sizeof *variants <=
                   FGTI_CANDIDATES,
               "the list of candidates is too short");

static int64_t layer_rows(const fgt_forecaster_opts *o)
{
    return o->tokens.layer_len ? o->tokens.layer_len : fgti_default_layer_len(o);
}

static void shorten(const fgti_search *s, int64_t part, fgt_forecaster_opts *o)
{
    if (s->linear && !o->tokens.layer_len && layer_rows(o) / part > 0)
        o->tokens.layer_len = layer_rows(o) / part;
    if (!s->linear && !s->base.input_len && search_list_fits(s, o->input_len / part)) o->input_len /= part;
}

/* Sets the options of a variant. Options that the host has set are kept; but layers, heads and a graph are
 * kept only for the block that they were set for. */
static void set_layers(const fgti_search *s, const variant *v, fgt_forecaster_opts *o)
{
    const bool has_tokens = fgt_block_get_traits(o->block.kind) & FGT_BLOCK_TRAIT_TOKENS;
    const bool has_profile =
        has_tokens && s->linear && o->tokens.kind != FGT_TOKENS_TIME &&
        (o->inputs.calendar != FGT_CALENDAR_NONE || o->inputs.known || o->inputs.holidays);
    if (o->block.dropout == 0 && has_tokens) o->block.dropout = v->dropout;
    if (!o->tokens.dim && !o->block.heads && has_tokens) o->tokens.dim = v->dim;
    if (!o->block.layers && o->block.layer_hops_count < 2 && has_tokens) o->block.layers = v->layers;
    if (!o->tokens.patch && !o->space.graph && has_tokens && o->tokens.kind == FGT_TOKENS_PATCH && v->patches)
        o->tokens.patch = (layer_rows(o) - 1) / v->patches + 1;
    if (!o->tokens.no_profile && has_profile) o->tokens.no_profile = v->no_profile;
    if (!is_fixed(s, FGT_SEARCH_PART_REVIN, o->tokens.revin)) o->tokens.revin = v->revin;
}

static bool is_bound(const fgt_forecaster_opts *o)
{
    for (const fgti_opt *bound = bindings; bound->name; bound++)
        if (fgti_opt_get(bound, o) != 0) return true;
    return o->space.graph;
}

static bool reads_in_order(int32_t block)
{
    return fgt_block_get_traits(block) & FGT_BLOCK_TRAIT_ORDER;
}

static fgti_candidate search_list_apply(const fgti_search *s, const variant *v, const fgti_candidate *like)
{
    fgti_candidate       c = {.make = s->base, .fit = s->fit, .kept = {.loss = INFINITY}, .can_win = true};
    fgt_forecaster_opts *o = &c.make;
    o->input_len           = like->make.input_len;
    o->inputs.calendar     = like->make.inputs.calendar;
    if (v->part && !o->space.graph) shorten(s, v->part, o);
    if (!is_fixed(s, FGT_SEARCH_PART_BLOCK, o->block.kind) && !is_bound(o) &&
        !(o->tokens.kind == FGT_TOKENS_VARIATE && reads_in_order(v->block)))
        o->block.kind = v->block;
    if (!is_fixed(s, FGT_SEARCH_PART_TOKENS, o->tokens.kind) && !is_bound(o) &&
        !(v->tokens == FGT_TOKENS_VARIATE && (reads_in_order(o->block.kind) || s->inputs < 2)) &&
        !(v->tokens == FGT_TOKENS_TIME && o->inputs.features))
        o->tokens.kind = v->tokens;
    set_layers(s, v, o);
    if (!is_fixed(s, FGT_SEARCH_PART_LOSS, c.fit.loss) && !o->output.quantile_count) c.fit.loss = v->loss;
    if (c.fit.training.lr == 0) c.fit.training.lr = v->lr;
    if (c.fit.training.average == 0) c.fit.training.average = v->average;
    if (c.fit.training.weight_decay == 0) c.fit.training.weight_decay = v->weight_decay;
    return c;
}

/* If the host has fixed options, variants can be equal. Duplicates are left out. */
void fgti_search_list_layers(fgti_search *s, const fgti_candidate *like)
{
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        const fgti_candidate c = search_list_apply(s, &variants[i], like);
        if (c.make.tokens.patch > layer_rows(&c.make)) continue;
        if (search_list_add(s, &c)) s->look_back = fgti_least(s->look_back, c.make.input_len);
    }
}
