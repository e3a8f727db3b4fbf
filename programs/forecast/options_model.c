/* SPDX-License-Identifier: BSD-3-Clause */
/* Options about the model and its training. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "options_model.h"

#include "../common/blocks.h"
#include "../common/program.h"

const char *tokens_name(int64_t t)
{
    return library_word(fgt_forecaster_get_option, "tokens", t);
}

const char *loss_name(int64_t kind)
{
    return library_word(fgt_forecaster_get_fit_option, "loss", kind);
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

/* Help texts that contain names of blocks. */
static char model_help[BLOCK_HELP], tokens_help[BLOCK_HELP], hops_help[BLOCK_HELP], space_help[BLOCK_HELP];

/* Options that are not numbers, or not of the library's structs. */
static const opt own[] = {
    {"hops", HOPS, 0, 0, 0, 0, NULL, "K|K,K,...", hops_help},
    {"graph", TEXT, AT(graph), 0, 0, 0, NULL, "FILE|learn",
     "between the series: CSV file of a square matrix, with the names of\n"
     "the series in its first line or without, or a list of edges\n"
     "(from,to,weight); or learned in training, only by gcn. fighter,\n"
     "transformer and attention attend along its edges, whatever their\n"
     "weights, also negative ones: as --model of --tokens variate, or as\n"
     "--space-model. --model gcn without --space: between the tokens;\n"
     "default: correlations of variates, a chain of other tokens"},
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
    {"quantiles", QUANTILES, 0, 0, 0, 0, NULL, "0.1,0.5,0.9",
     "train an output for each of them; --predict writes them as columns\n"
     "-q-0.1, --intervals reckons from them, and the forecast is the one\n"
     "nearest to 0.5"},
    {"allow-negative", FLAG, AT(negative), 0, 0, 0, NULL, NULL,
     "without it, all forecasts of counts, whole numbers from 0 on, are\n"
     "at least 0, and errors are measured with these forecasts"},
};

#define OWN_ROWS (sizeof own / sizeof *own)

/* Writes the help texts that contain names of blocks. */
static void write_help(opt *rows, size_t count)
{
    blocks_help_model(model_help);
    const size_t n = strlen(model_help);
    snprintf(model_help + n, sizeof model_help - n,
             "; linear: ridge regression in closed form, without steps of training");
    library_row(rows, count, "model")->help = model_help;
    blocks_help_list(tokens_help, library_find(fgt_forecaster_get_option, "tokens")->help,
                     FGT_BLOCK_TRAIT_ORDER);
    library_row(rows, count, "tokens")->help = tokens_help;
    blocks_help_list(space_help, library_find(fgt_forecaster_get_option, "space-model")->help,
                     FGT_BLOCK_TRAIT_AXIS);
    library_row(rows, count, "space-model")->help = space_help;
    blocks_help_option(hops_help, FGT_BLOCK_TRAIT_HOPS, "hops of every layer, or of each one; default: 3");
}

opt_group options_model(void)
{
    static opt    rows[2 * LIBRARY_MOST + OWN_ROWS];
    static size_t count;
    if (!count) {
        blocks_init();
        count = library_add(fgt_forecaster_get_option, AT(model), AT(given_model), rows, count);
        memcpy(rows + count, own, sizeof own);
        count += OWN_ROWS;
        count = library_add(fgt_forecaster_get_fit_option, AT(fit), AT(given_fit), rows, count);
        write_help(rows, count);
    }
    return (opt_group){rows, count, 0, read_own, "Model and training", "model"};
}

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
    if (o->pretrain && o->model.block.kind == FGT_BLOCK_MLP)
        return complain("--pretrain-masked: with --model mlp no patch sees the others, from which it could "
                        "be made out");
    return !o->pretrain ||
           (o->model.tokens.kind == FGT_TOKENS_PATCH &&
            block_has(o->model.block.kind, FGT_BLOCK_TRAIT_TOKENS)) ||
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
    return block_has(o->model.block.kind, FGT_BLOCK_TRAIT_LEARNED) ||
           (block_has(o->model.block.kind, FGT_BLOCK_TRAIT_GRAPH) &&
            o->model.tokens.kind == FGT_TOKENS_VARIATE && !o->model.space.learned &&
            !command_line_has("space-model"));
}

/* A graph that the block does not read is for layers between the series. */
void options_set_space(options *o)
{
    if (options_learn_graph(o) && !o->model.space.learned) {
        o->model.space.learned = 10;
        library_mark(fgt_forecaster_get_option, "learned", o->given_model);
    }
    if (!command_line_has("space") && o->graph && block_has(o->model.block.kind, FGT_BLOCK_TRAIT_TOKENS) &&
        !reads_graph(o))
        o->model.space.kind = FGT_FORECAST_SPACE_AND;
    if (!command_line_has("space-model"))
        o->model.space.block = o->graph || o->model.space.learned ? FGT_BLOCK_GCN : FGT_BLOCK_FIGHTER;
}

static bool has_post_norm(int64_t block)
{
    return block == FGT_BLOCK_ATTENTION || block == FGT_BLOCK_GCN;
}

static bool check_space(const options *o)
{
    const int64_t reads = o->model.space.kind ? o->model.space.block : o->model.block.kind;
    const bool    series =
        o->model.tokens.kind != FGT_TOKENS_TIME && block_has(o->model.block.kind, FGT_BLOCK_TRAIT_TOKENS);
    if (o->graph && o->model.tokens.kind == FGT_TOKENS_TIME &&
        block_has(o->model.block.kind, FGT_BLOCK_TRAIT_TOKENS) &&
        !block_has(o->model.block.kind, FGT_BLOCK_TRAIT_LEARNED))
        return complain("--graph: its nodes are series, so a token must be of one series (got --tokens time, "
                        "need --tokens patch or variate)");
    if ((o->model.space.kind || o->model.tokens.identity) && !series)
        return complain("--space and --identity are for tokens of single series: --tokens patch or variate");
    if (o->model.tokens.known_channel &&
        (o->model.tokens.kind != FGT_TOKENS_PATCH || !block_has(o->model.block.kind, FGT_BLOCK_TRAIT_TOKENS)))
        return complain("--known-channel is for --tokens patch, and a model that has them");
    if (o->model.space.kind && !block_has(o->model.space.block, FGT_BLOCK_TRAIT_AXIS))
        return complain("--space-model %s: it cannot work between series", block_names[o->model.space.block]);
    if (o->model.space.learned && !o->graph && !block_has(reads, FGT_BLOCK_TRAIT_LEARNED))
        return complain("--learned needs --graph FILE or learn, or --model gcn");
    if (o->model.space.learned && !block_has(reads, FGT_BLOCK_TRAIT_LEARNED))
        return complain("--graph learn and --learned are for --space-model gcn, or --model gcn; %s reads no "
                        "graph that is learned",
                        block_names[reads]);
    if (o->graph && !blocks_check_option("graph", reads, FGT_BLOCK_TRAIT_GRAPH)) return false;
    if (o->model.space.kind && block_has(o->model.space.block, FGT_BLOCK_TRAIT_LEARNED) && !o->graph &&
        !o->model.space.learned)
        return complain("--space-model %s needs --graph FILE or learn", block_names[o->model.space.block]);
    if (!o->model.space.kind && (command_line_has("space-model") || o->model.space.hops))
        return complain("--space-model and --space-hops need --space");
    if (o->model.block.no_residual && o->model.block.kind != FGT_BLOCK_ATTENTION)
        return complain("--no-residual is for --model attention");
    return !o->model.block.post_norm || has_post_norm(o->model.block.kind) ||
           (o->model.space.kind && has_post_norm(o->model.space.block)) ||
           complain("--post-norm is for --model or --space-model attention and gcn");
}

static bool has_spectral(int32_t kind)
{
    return kind == FGT_LOSS_MSE || kind == FGT_LOSS_L1 || kind == FGT_LOSS_SMOOTH_L1 ||
           kind == FGT_LOSS_HUBER;
}

bool options_counts(const options *o)
{
    const int32_t kind = o->fit.loss;
    return kind == FGT_LOSS_POISSON || kind == FGT_LOSS_NEGATIVE_BINOMIAL;
}

/* The forecast of a model with quantiles is the quantile that is nearest to 0.5. */
static void warn_of_no_median(const options *o)
{
    double nearest = o->quantile_count ? o->quantiles[0] : 0.5;
    for (int64_t q = 0; q < o->quantile_count; q++)
        if (fabs(o->quantiles[q] - 0.5) < fabs(nearest - 0.5)) nearest = o->quantiles[q];
    if (nearest != 0.5)
        warn("--quantiles has no 0.5, so the forecast is the quantile %g, and the errors are its errors; add "
             "0.5 to forecast the median",
             nearest);
}

bool options_check_model(const options *o)
{
    if (!o->fit.training.patience && command_line_has("patience"))
        return complain("--patience 0: give 1 or more epochs, or -1 to never stop early");
    if (!check_auto(o) || !check_members(o) || !check_masked(o)) return false;
    if (o->fit.thin > 1 && o->selection.attent)
        return complain("--thin draws the windows of an epoch at random, so --attent is not for it");
    if (o->selection.excess && o->load)
        return complain("--excess compares with a map that is made beside a new forecaster, so it is not for "
                        "--load");
    if (o->selection.excess && (o->quantile_count || o->fit.spectral > 0 || o->fit.loss != FGT_LOSS_MSE))
        return complain("--excess compares squared errors, so it is for --loss mse, without --spectral and "
                        "--quantiles");
    if (o->fit.apart && (o->model.output.no_linear || o->quantile_count || options_counts(o)))
        return complain("--apart blends the layers with a linear map in closed form; --no-linear, "
                        "--quantiles and losses of counts have no such map");
    if (command_line_has("quantile") && o->fit.loss != FGT_LOSS_QUANTILE)
        return complain("--quantile %g is for --loss quantile, not %s; did you mean --quantiles %g?",
                        o->fit.quantile, loss_name(o->fit.loss), o->fit.quantile);
    if (o->load) return true;
    if (o->fit.spectral > 0 && (o->quantile_count || !has_spectral(o->fit.loss)))
        return complain("--spectral is for --loss mse, mae, smooth-l1 and huber");
    if (o->quantile_count && o->fit.loss && o->fit.loss != FGT_LOSS_QUANTILE)
        return complain("--quantiles have a loss of their own, so --loss %s is not for them",
                        loss_name(o->fit.loss));
    if (o->quantile_count && command_line_has("quantile"))
        return complain("--quantile is for one quantile, --quantiles are several");
    warn_of_no_median(o);
    if (!o->model.output.non_negative && options_counts(o))
        return complain("--loss %s is for counts, so it needs --non-negative", loss_name(o->fit.loss));
    if (!check_space(o)) return false;
    if (o->hop_count && !blocks_check_option("hops", o->model.block.kind, FGT_BLOCK_TRAIT_HOPS)) return false;
    if (o->model.tokens.positions && (o->model.tokens.kind == FGT_TOKENS_VARIATE ||
                                      !block_has(o->model.block.kind, FGT_BLOCK_TRAIT_TOKENS)))
        return complain("--places is for tokens in order: --tokens patch or time");
    const int64_t blocks[] = {o->model.block.kind, o->model.space.kind ? o->model.space.block : -1, -1};
    if (!library_check(fgt_forecaster_get_option, &o->model, blocks)) return false;
    if (o->model.output.decoder && o->model.tokens.kind != FGT_TOKENS_TIME)
        return complain("--decoder gives one row after another, so it needs --tokens time");
    if (o->model.output.decoder && o->quantile_count)
        return complain("--decoder gives one number for each row and series, so --quantiles is not for it");
    if (o->model.tokens.kind == FGT_TOKENS_VARIATE && block_has(o->model.block.kind, FGT_BLOCK_TRAIT_ORDER))
        return complain("--tokens variate: %s reads its tokens in order, and variates have none; use "
                        "patch or time",
                        block_names[o->model.block.kind]);
    return true;
}
