/* SPDX-License-Identifier: BSD-3-Clause */
/* Options about the model and its training. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

static const char *const tokens[] = {
    [FGT_TOKENS_PATCH]   = "patch",
    [FGT_TOKENS_TIME]    = "time",
    [FGT_TOKENS_VARIATE] = "variate",
    NULL,
};
static const char *const places[] = {
    [FGT_PLACES_AUTO]       = "auto",
    [FGT_PLACES_NONE]       = "none",
    [FGT_PLACES_LEARNED]    = "learned",
    [FGT_PLACES_SINUSOIDAL] = "sinusoidal",
    [FGT_PLACES_TAPE]       = "tape",
    NULL,
};
static const char *const spaces[] = {
    [FGT_SPACE_NONE] = "none",
    [FGT_SPACE_AND]  = "and",
    [FGT_SPACE_THEN] = "then",
    NULL,
};
/* Losses of forecasts: their words, and their kinds in the same order. */
static const char *const losses[]     = {"mse",      "mae",     "smooth-l1",         "huber",
                                         "quantile", "poisson", "negative-binomial", NULL};
static const int32_t     loss_kinds[] = {FGT_LOSS_MSE,   FGT_LOSS_L1,       FGT_LOSS_SMOOTH_L1,
                                         FGT_LOSS_HUBER, FGT_LOSS_QUANTILE, FGT_LOSS_POISSON,
                                         FGT_LOSS_NEGATIVE_BINOMIAL};
_Static_assert(sizeof losses / sizeof *losses == sizeof loss_kinds / sizeof *loss_kinds + 1, "a kind a word");

const char *tokens_name(int64_t t)
{
    return tokens[t];
}

const char *space_name(int64_t s)
{
    return spaces[s];
}

int32_t loss_kind(int64_t word)
{
    return loss_kinds[word];
}

const char *loss_name(int32_t kind)
{
    int64_t i = 0;
    while (losses[i] && loss_kinds[i] != kind) i++;
    return losses[i];
}

/* Help texts that contain names of blocks. */
static char model_help[BLOCK_HELP], tokens_help[BLOCK_HELP], hops_help[BLOCK_HELP], heads_help[BLOCK_HELP],
    ff_help[BLOCK_HELP], act_help[BLOCK_HELP], space_help[BLOCK_HELP], decoder_help[BLOCK_HELP];

void options_write_help(void)
{
    blocks_init();
    blocks_help_model(model_help);
    const size_t n = strlen(model_help);
    snprintf(model_help + n, sizeof model_help - n,
             "; linear: ridge regression in closed form, without steps of training");
    blocks_help_list(tokens_help,
                     "patch: pieces of one series (default); time: time steps, as in the paper; variate: "
                     "whole series, not for",
                     FGT_BLOCK_HAS_ORDER);
    blocks_help_option(hops_help, FGT_BLOCK_HAS_HOPS, "hops of every layer, or of each one; default: 3");
    blocks_help_option(heads_help, FGT_BLOCK_HAS_HEADS, "attention heads; default: 4");
    blocks_help_option(ff_help, FGT_BLOCK_HAS_FF, "width of the feed-forward block; default: 4 times --dim");
    blocks_help_act(act_help);
    diagonal_write_help();
    blocks_help_option(decoder_help, FGT_BLOCK_HAS_DECODER,
                       "layers of a decoder, which gives all rows of the forecast in one pass; with --tokens "
                       "time");
    blocks_help_list(space_help, "layers between the series; default: gcn with --graph, else fighter;",
                     FGT_BLOCK_HAS_AXIS);
}

static bool read_hops(const char *text, options *o)
{
    const char *p = text;
    for (o->hop_count = 0; o->hop_count < MAX_HOPS;) {
        char           *end;
        const long long n = strtoll(p, &end, 10);
        if (end == p || *p == ' ' || (*end && *end != ',') || n < 1 || n > 64)
            return complain("--hops takes a number from 1 to 64, or one for each layer as in 3,2, not \"%s\"",
                            text);
        o->hops[o->hop_count++] = n;
        if (!*end) return true;
        p = end + 1;
    }
    return complain("--hops takes at most %d numbers", MAX_HOPS);
}

static bool read_quantiles(const char *text, options *o)
{
    const char *p = text;
    for (o->quantile_count = 0; o->quantile_count < FGT_QUANTILES_MAX;) {
        char        *end;
        const double before = o->quantile_count ? o->quantiles[o->quantile_count - 1] : 0;
        const double q      = strtod(p, &end);
        if (end == p || *p == ' ' || (*end && *end != ',') || !(q > before && q < 1)) break;
        o->quantiles[o->quantile_count++] = q;
        if (!*end) return true;
        p = end + 1;
    }
    return complain("--quantiles takes up to %d rising numbers between 0 and 1 with commas between them, not "
                    "\"%s\"",
                    FGT_QUANTILES_MAX, text);
}

enum { HOPS = OWN, QUANTILES };

static bool read_own(int kind, const char *text, void *base)
{
    return kind == HOPS ? read_hops(text, base) : read_quantiles(text, base);
}

static const opt rows[] = {
    {"model", WORD, AT(block), AT(has_block), 0, 0, block_names, "NAME", model_help},
    {"tokens", WORD, AT(tokens), AT(has_tokens), 0, 0, tokens, "WHAT", tokens_help},
    {"hops", HOPS, 0, 0, 0, 0, NULL, "K|K,K,...", hops_help},
    {"heads", COUNT, AT(heads), 0, 1, BIG, NULL, "N", heads_help},
    {"ff", COUNT, AT(ff), 0, 1, BIG, NULL, "N", ff_help},
    {"act", WORD, AT(act), 0, 0, 0, block_acts, "NAME", act_help},
    DIAGONAL_ROWS(diagonal),
    {"dim", COUNT, AT(dim), 0, 1, BIG, NULL, "N", "width of a token, and of recurrent layers; default: 32"},
    {"layers", COUNT, AT(layers), 0, 1, MAX_HOPS, NULL, "N", "default: as many as --hops has numbers"},
    {"decoder", COUNT, AT(decoder), 0, 1, MAX_HOPS, NULL, "N", decoder_help},
    {"patch", COUNT, AT(patch), 0, 1, BIG, NULL, "ROWS",
     "in a patch; default: a quarter of the rows that the layers\nread, at least 24"},
    {"stride", COUNT, AT(stride), 0, 1, BIG, NULL, "ROWS",
     "from one patch to the next; default: half a patch"},
    {"places", WORD, AT(places), 0, 0, 0, places, "HOW",
     "how patches and time steps are told their places in the window:\n"
     "learned, sinusoidal, tape (sinusoidal, for short windows), none;\n"
     "auto (default): learned for patches, sinusoidal for time steps"},
    {"graph", TEXT, AT(graph), 0, 0, 0, NULL, "FILE|learn",
     "between the series: CSV file of a square matrix, with the names of\n"
     "the series in its first line or without, or a list of edges\n"
     "(from,to,weight); or learned in training, only by gcn. fighter,\n"
     "transformer and attention attend along its edges, whatever their\n"
     "weights, also negative ones: as --model of --tokens variate, or as\n"
     "--space-model. --model gcn without --space: between the tokens;\n"
     "default: correlations of variates, a chain of other tokens"},
    {"learned", COUNT, AT(learned), 0, 1, BIG, NULL, "N",
     "a learned graph has 2 N numbers for each series; with --graph FILE\n"
     "it stands beside that graph; default: 10 with --graph learn"},
    {"space", WORD, AT(space), AT(has_space), 0, 0, spaces, "WHERE",
     "where series read each other: and: after each layer (time and\n"
     "space), then: after all layers, none; default: and with --graph,\n"
     "else none. For patches and variates"},
    {"space-model", WORD, AT(space_block), AT(has_space_block), 0, 0, block_names, "NAME", space_help},
    {"space-hops", COUNT, AT(space_hops), 0, 1, 64, NULL, "K",
     "hops of --space-model gcn and fighter; default: 2"},
    {"identity", FLAG, AT(identity), 0, 0, 0, NULL, NULL,
     "each series has a learned vector, and so has each time of the day\n"
     "and each day of the week; for patches and variates"},
    {"no-residual", FLAG, AT(no_residual), 0, 0, 0, NULL, NULL,
     "--model attention: without the path around each layer"},
    {"post-norm", FLAG, AT(post_norm), 0, 0, 0, NULL, NULL,
     "--model attention and gcn, also between series: a LayerNorm after\n"
     "each layer and its residual path; attention then has none before it"},
    {"known-channel", FLAG, AT(known_channel), 0, 0, 0, NULL, NULL,
     "tell each patch what is known of its rows, as the time of the day\n"
     "with --calendar day, in place of an effect of it on the series"},
    {"shared-scale", FLAG, AT(shared_scale), 0, 0, 0, NULL, NULL,
     "standardise all targets alike: they have one unit, in which errors\n"
     "are then reported, too"},
    {"blind", FLAG, AT(blind), 0, 0, 0, NULL, NULL,
     "a series without a value in the window is forecast, trained on and\n"
     "compared all the same"},
    {"mask-channel", FLAG, AT(mask), 0, 0, 0, NULL, NULL,
     "tell the model which values of its input were missing and filled"},
    {"revin", FLAG, AT(revin), 0, 0, 0, NULL, NULL, "reversible instance normalisation around the model"},
    {"no-linear", FLAG, AT(no_linear), 0, 0, 0, NULL, NULL,
     "without the linear map in closed form that stands beside the\n"
     "layers; --model linear is then trained in steps, too"},
    {"no-profile", FLAG, AT(no_profile), 0, 0, 0, NULL, NULL,
     "do not tell patches and variates the course that their series\n"
     "usually takes, by what is known of the rows"},
    {"dropout", REAL, AT(dropout), AT(has_dropout), 0, 0.95, NULL, "P", "in training; default: 0.2"},
    {"fast", FLAG, AT(fast), 0, 0, 0, NULL, NULL,
     "train no model: each series is forecast by the mean of simple\n"
     "forecasters, weighted by their errors on its last rows. The default\n"
     "for files in long form and for fewer than 500 rows, unless an option\n"
     "is for a model, as --model or --save"},
    {"auto", FLAG, AT(automatic), 0, 0, 0, NULL, NULL,
     "try many models on the validation rows and take the best one. What\n"
     "is given of the options above and below stays as it is; --epochs is\n"
     "the most that one model gets"},
    {"budget", REAL, AT(budget), AT(has_budget), 0, 1e9, NULL, "SECONDS",
     "of --auto; 0: only the linear map in closed form; default: 120, or\n"
     "none with --budget-epochs"},
    {"budget-epochs", COUNT, AT(budget_epochs), 0, 1, BIG, NULL, "N",
     "epochs of training that --auto spends on all models together. The\n"
     "result is then the same on every machine"},
    {"epochs", COUNT, AT(epochs), 0, 1, BIG, NULL, "N", "at most; default: 10"},
    {"patience", COUNT, AT(patience), 0, -1, BIG, NULL, "N",
     "stop after N epochs without progress; -1: never; default: 3,\n"
     "times --thin, and where the layers are no better than the linear\n"
     "map after half of the windows, at once"},
    {"batch", COUNT, AT(batch), 0, 1, BIG, NULL, "N", "windows in a step; default: 32, divided by --thin"},
    {"thin", COUNT, AT(thin), 0, 1, 1000000, NULL, "K",
     "an epoch has one window in K, drawn anew, in batches of one\n"
     "K-th of the size, and no more than every K-th validation window;\n"
     "with 4, ten epochs take half the time of five of all; default:\n"
     "as much as leaves 8000 windows, at most 4; 1 with --batch,\n"
     "--attent and --auto"},
    {"average", REAL, AT(average), AT(has_average), 0, 0.9999999, NULL, "D",
     "decay of the moving average of the weights, which is validated and\n"
     "kept in place of the last ones; 0: none; default: 0.995"},
    {"apart", FLAG, AT(apart), 0, 0, 0, NULL, NULL,
     "train the layers without the linear map in closed form, and mix the\n"
     "two forecasts by the share that is best on the validation rows"},
    {"members", COUNT, AT(members), 0, 1, MEMBERS_MAX, NULL, "N",
     "train so many models, with this seed and those that follow, and\n"
     "forecast the mean of their forecasts; default: 1"},
    {"pretrain-masked", COUNT, AT(pretrain), 0, 1, BIG, NULL, "EPOCHS",
     "before that let the layers learn to make out hidden patches of the\n"
     "training windows; for --tokens patch"},
    {"mask-share", REAL, AT(mask_share), 0, 0.01, 0.99, NULL, "SHARE",
     "of the patches that are hidden then; default: 0.4"},
    {"probe", FLAG, AT(probe), 0, 0, 0, NULL, NULL,
     "train only the last map, which shows how good the layers before it\n"
     "are as they are"},
    {"lr", REAL, AT(lr), 0, 1e-12, 1e3, NULL, "F", "first learning rate, which falls to 0; default: 0.001"},
    {"weight-decay", REAL, AT(weight_decay), 0, 0, 1e6, NULL, "WD",
     "each step takes lr WD w off each weight w; default: 0"},
    {"warmup", REAL, AT(warmup), 0, 0, 0.9, NULL, "SHARE",
     "of the steps in which the learning rate grows to --lr; default: 0"},
    {"loss", WORD, AT(loss), AT(has_loss), 0, 0, losses, "NAME",
     "mse (default), mae, smooth-l1, huber or quantile; for counts\n"
     "poisson or negative-binomial, with --non-negative"},
    {"quantile", REAL, AT(quantile), AT(has_quantile), 0.001, 0.999, NULL, "Q",
     "of --loss quantile: the share of values that shall lie below\n"
     "the forecast; default: 0.5"},
    {"spectral", REAL, AT(spectral), 0, 0, 1, NULL, "SHARE",
     "of the loss that the error of the forecast's Fourier transform has,\n"
     "frequency by frequency, beside --loss mse, mae, smooth-l1 or huber;\n"
     "default: 0"},
    {"quantiles", QUANTILES, 0, 0, 0, 0, NULL, "0.1,0.5,0.9",
     "train an output for each of them; --predict writes them as columns\n"
     "-q-0.1, --intervals reckons from them, and the forecast is the one\n"
     "nearest to 0.5"},
    {"non-negative", FLAG, AT(non_negative), 0, 0, 0, NULL, NULL,
     "the targets cannot be below 0, so no forecast is"},
    {"allow-negative", FLAG, AT(negative), 0, 0, 0, NULL, NULL,
     "without it, all forecasts of counts, whole numbers from 0 on, are\n"
     "at least 0, and errors are measured with these forecasts"},
};

const opt_group options_model = {rows, sizeof rows / sizeof *rows, 0, read_own, "Model and training",
                                 "model"};

static bool check_auto(const options *o)
{
    if (!o->automatic)
        return (!o->has_budget && !o->budget_epochs) ||
               complain("--budget and --budget-epochs are for --auto");
    if (o->checkpoint.write || o->checkpoint.resume)
        return complain("--auto trains several models, so --checkpoint and --resume are not for it");
    return !o->selection.attent ||
           complain("--auto trains several models, of other windows each, so --attent is not for it");
}

static bool check_members(const options *o)
{
    if (o->members < 2) return true;
    if (o->automatic) return complain("--auto averages its best models itself, so --members is not for it");
    if (o->checkpoint.write || o->checkpoint.resume)
        return complain("--members are several models, so --checkpoint and --resume are not for them");
    return !o->selection.attent || complain("--attent chooses the windows of one model, not of --members");
}

static bool check_masked(const options *o)
{
    if (!o->pretrain && o->mask_share > 0) return complain("--mask-share is for --pretrain-masked");
    if (!o->pretrain && !o->probe) return true;
    if (o->automatic)
        return complain("--auto tries models that are not pre-trained; --pretrain-masked and --probe are for "
                        "one model");
    if (o->pretrain && o->block == FGT_BLOCK_MLP)
        return complain("--pretrain-masked: with --model mlp no patch sees the others, from which it could "
                        "be made out");
    return !o->pretrain || (o->tokens == FGT_TOKENS_PATCH && block_has(o->block, FGT_BLOCK_HAS_TOKENS)) ||
           complain("--pretrain-masked hides patches, so it needs --tokens patch, and a model that has them");
}

bool options_learn_graph(const options *o)
{
    return o->graph && !strcmp(o->graph, "learn");
}

/* Whether the block of --model reads the graph: a gcn, or variates that attend to each other along its
 * edges. */
static bool reads_graph(const options *o)
{
    return block_has(o->block, FGT_BLOCK_HAS_LEARNED) ||
           (block_has(o->block, FGT_BLOCK_HAS_GRAPH) && o->tokens == FGT_TOKENS_VARIATE && !o->learned &&
            !o->has_space_block);
}

/* Any other graph is between the series. */
void options_set_space(options *o)
{
    if (options_learn_graph(o) && !o->learned) o->learned = 10;
    if (!o->has_space && o->graph && block_has(o->block, FGT_BLOCK_HAS_TOKENS) && !reads_graph(o))
        o->space = FGT_SPACE_AND;
    if (!o->has_space_block) o->space_block = o->graph || o->learned ? FGT_BLOCK_GCN : FGT_BLOCK_FIGHTER;
}

static bool has_post_norm(int64_t block)
{
    return block == FGT_BLOCK_ATTENTION || block == FGT_BLOCK_GCN;
}

static bool check_space(const options *o)
{
    const int64_t reads = o->space ? o->space_block : o->block;
    const bool    series = o->tokens != FGT_TOKENS_TIME && block_has(o->block, FGT_BLOCK_HAS_TOKENS);
    if (o->graph && o->tokens == FGT_TOKENS_TIME && block_has(o->block, FGT_BLOCK_HAS_TOKENS) &&
        !block_has(o->block, FGT_BLOCK_HAS_LEARNED))
        return complain("--graph: its nodes are series, so a token must be of one series (got --tokens time, "
                        "need --tokens patch or variate)");
    if ((o->space || o->identity) && !series)
        return complain("--space and --identity are for tokens of single series: --tokens patch or variate");
    if (o->known_channel && (o->tokens != FGT_TOKENS_PATCH || !block_has(o->block, FGT_BLOCK_HAS_TOKENS)))
        return complain("--known-channel is for --tokens patch, and a model that has them");
    if (o->space && !block_has(o->space_block, FGT_BLOCK_HAS_AXIS))
        return complain("--space-model %s: it cannot work between series", block_names[o->space_block]);
    if (o->learned && !o->graph && !block_has(reads, FGT_BLOCK_HAS_LEARNED))
        return complain("--learned needs --graph FILE or learn, or --model gcn");
    if (o->learned && !block_has(reads, FGT_BLOCK_HAS_LEARNED))
        return complain("--graph learn and --learned are for --space-model gcn, or --model gcn; %s reads no "
                        "graph that is learned",
                        block_names[reads]);
    if (o->graph && !blocks_check_option("graph", reads, FGT_BLOCK_HAS_GRAPH)) return false;
    if (o->space && block_has(o->space_block, FGT_BLOCK_HAS_LEARNED) && !o->graph && !o->learned)
        return complain("--space-model %s needs --graph FILE or learn", block_names[o->space_block]);
    if (!o->space && (o->has_space_block || o->space_hops))
        return complain("--space-model and --space-hops need --space");
    if (o->no_residual && o->block != FGT_BLOCK_ATTENTION)
        return complain("--no-residual is for --model attention");
    return !o->post_norm || has_post_norm(o->block) || (o->space && has_post_norm(o->space_block)) ||
           complain("--post-norm is for --model or --space-model attention and gcn");
}

static bool has_spectral(int32_t kind)
{
    return kind == FGT_LOSS_MSE || kind == FGT_LOSS_L1 || kind == FGT_LOSS_SMOOTH_L1 ||
           kind == FGT_LOSS_HUBER;
}

bool options_counts(const options *o)
{
    const int32_t kind = loss_kind(o->loss);
    return kind == FGT_LOSS_POISSON || kind == FGT_LOSS_NEGATIVE_BINOMIAL;
}

bool options_check_model(const options *o)
{
    if (!o->patience && command_line_given((const char *const[]){"patience", NULL}))
        return complain("--patience 0: give 1 or more epochs, or -1 to never stop early");
    if (!check_auto(o) || !check_members(o) || !check_masked(o)) return false;
    if (o->thin > 1 && o->selection.attent)
        return complain("--thin draws the windows of an epoch at random, so --attent is not for it");
    if (o->selection.excess && o->load)
        return complain("--excess compares with a map that is made beside a new forecaster, so it is not for "
                        "--load");
    if (o->selection.excess && (o->quantile_count || o->spectral > 0 || loss_kind(o->loss) != FGT_LOSS_MSE))
        return complain("--excess compares squared errors, so it is for --loss mse, without --spectral and "
                        "--quantiles");
    if (o->apart && (o->no_linear || o->quantile_count || options_counts(o)))
        return complain("--apart blends the layers with a linear map in closed form; --no-linear, "
                        "--quantiles and losses of counts have no such map");
    if (o->has_quantile && loss_kind(o->loss) != FGT_LOSS_QUANTILE)
        return complain("--quantile %g is for --loss quantile, not %s; did you mean --quantiles %g?",
                        o->quantile, losses[o->loss], o->quantile);
    if (o->load) return true;
    if (o->spectral > 0 && (o->quantile_count || !has_spectral(loss_kind(o->loss))))
        return complain("--spectral is for --loss mse, mae, smooth-l1 and huber");
    if (o->quantile_count && o->loss && loss_kind(o->loss) != FGT_LOSS_QUANTILE)
        return complain("--quantiles have a loss of their own, so --loss %s is not for them",
                        losses[o->loss]);
    if (o->quantile_count && o->has_quantile)
        return complain("--quantile is for one quantile, --quantiles are several");
    if (!o->non_negative && options_counts(o))
        return complain("--loss %s is for counts, so it needs --non-negative", losses[o->loss]);
    if (!check_space(o)) return false;
    if (o->hop_count && !blocks_check_option("hops", o->block, FGT_BLOCK_HAS_HOPS)) return false;
    if (o->heads && !blocks_check_option("heads", o->block, FGT_BLOCK_HAS_HEADS)) return false;
    if (o->ff && !blocks_check_option("ff", o->block, FGT_BLOCK_HAS_FF)) return false;
    if (o->act && !(o->space && block_has(o->space_block, FGT_BLOCK_HAS_ACT)) &&
        !blocks_check_option("act", o->block, FGT_BLOCK_HAS_ACT))
        return false;
    if (!diagonal_check(&o->diagonal, o->block)) return false;
    if (o->decoder && !blocks_check_option("decoder", o->block, FGT_BLOCK_HAS_DECODER)) return false;
    if (o->decoder && o->tokens != FGT_TOKENS_TIME)
        return complain("--decoder gives one row after another, so it needs --tokens time");
    if (o->decoder && o->quantile_count)
        return complain("--decoder gives one number for each row and series, so --quantiles is not for it");
    if (o->places && (o->tokens == FGT_TOKENS_VARIATE || !block_has(o->block, FGT_BLOCK_HAS_TOKENS)))
        return complain("--places is for tokens in order: --tokens patch or time");
    if (o->tokens == FGT_TOKENS_VARIATE && block_has(o->block, FGT_BLOCK_HAS_ORDER))
        return complain("--tokens variate: %s reads its tokens in order, and variates have none; use "
                        "patch or time",
                        block_names[o->block]);
    return true;
}
