/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "program.h"
#include "selection.h"

/* Words of options. Each array is indexed by enumerators of the library. In attents the word "none" comes
 * first, so that the fgt_attent_strategy s has index 1 + s. */
static const char *const attents[] = {
    "none",
    [1 + FGT_ATTENT_STRATEGY_SOFT]         = "soft",
    [1 + FGT_ATTENT_STRATEGY_HARD]         = "hard",
    [1 + FGT_ATTENT_STRATEGY_RANDOM]       = "random",
    [1 + FGT_ATTENT_STRATEGY_CLASS_WEIGHT] = "class-weight",
    [1 + FGT_ATTENT_STRATEGY_FIXED_WEIGHT] = "fixed-weight",
    [1 + FGT_ATTENT_STRATEGY_GRADNORM]     = "gradnorm",
    [1 + FGT_ATTENT_STRATEGY_INFOBATCH]    = "infobatch",
    NULL,
};
static const char *const ratios[] = {
    [FGT_ATTENT_RATIO_INCREMENTAL] = "incremental", [FGT_ATTENT_RATIO_COSINE] = "cosine",
    [FGT_ATTENT_RATIO_FIXED] = "fixed",             [FGT_ATTENT_RATIO_SIMPLE] = "simple",
    NULL,
};
static const char *const intervals[] = {
    [FGT_ATTENT_INTERVAL_INCREMENTAL] = "incremental", [FGT_ATTENT_INTERVAL_FIXED] = "fixed",
    [FGT_ATTENT_INTERVAL_CYCLES] = "cycles",           NULL,
};
static const char *const scores[] = {
    [FGT_ATTENT_SCORES_PASS] = "pass", [FGT_ATTENT_SCORES_TRAINING] = "training", NULL,
};
static const char *const weights[] = {
    [FGT_ATTENT_WEIGHTS_SOFTMAX] = "softmax", [FGT_ATTENT_WEIGHTS_PROPORTIONAL] = "proportional",
    [FGT_ATTENT_WEIGHTS_SIGMOID] = "sigmoid", NULL,
};
enum { TRAINING, PRETRAINING, BOTH };
enum { CYCLES = 10 }; /* the library's default */
static const char *const phases[] = {
    [TRAINING] = "training", [PRETRAINING] = "pretraining", [BOTH] = "both", NULL,
};

bool selection_read_own(int kind, const char *text, void *base)
{
    selection  *s = base;
    const char *p = text;
    (void)kind; /* the group has only one option of kind OWN or above */
    for (s->weights = 0; s->weights < MAX_GROUPS;) {
        char        *end;
        const double w = strtod(p, &end);
        if (end == p || *p == ' ' || (*end && *end != ',') || !(w > 0 && isfinite(w)))
            return complain("--group-weights takes numbers above 0, a group one, as in 1,2,2, not \"%s\"",
                            text);
        s->weight[s->weights++] = w;
        if (!*end) return true;
        p = end + 1;
    }
    return complain("--group-weights takes at most %d numbers", MAX_GROUPS);
}

#define AT(field) offsetof(selection, field)

const opt selection_options[SELECTION_OPTIONS] = {
    {"attent", WORD, AT(attent), 0, 0, 0, attents, "HOW",
     "samples of an epoch: none (default: all), soft, hard, random,\n"
     "class-weight, fixed-weight, gradnorm or infobatch"},
    {"attent-in", WORD, AT(where), 0, 0, 0, phases, "WHERE",
     "training (default), pretraining (of --pretrain-masked) or both"},
    {"ratio", WORD, AT(ratio), 0, 0, 0, ratios, "HOW",
     "how many: incremental (default), cosine, fixed or simple"},
    {"share", REAL, AT(share), 0, 1e-6, 1, NULL, "F",
     "of fixed and, after the first epoch, simple; default: 0.7"},
    {"share-start", REAL, AT(share_start), 0, 1e-6, 1, NULL, "F",
     "of incremental and cosine in the first epoch; default: 0.2"},
    {"share-end", REAL, AT(share_end), 0, 1e-6, 1, NULL, "F", "the same in the last one; default: 0.8"},
    {"interval", WORD, AT(interval), 0, 0, 0, intervals, "HOW",
     "how long they stay: incremental (default: 1, 2, 3 epochs and so\n"
     "on), fixed, or cycles, the schedule of the authors of AtteNT: an\n"
     "epoch of all samples; then --cycles parts, each of an interval\n"
     "and, to its end, epochs of all samples"},
    {"cycles", COUNT, AT(cycles), 0, 1, 1000000, NULL, "N", "parts of --interval cycles; default: 10"},
    {"interval-epochs", COUNT, AT(interval_epochs), 0, 1, 1e9, NULL, "N",
     "of the first interval; default: 1, of cycles 5"},
    {"interval-end", COUNT, AT(interval_end), 0, 1, 1e9, NULL, "N",
     "epochs of the last interval of cycles; default: 10"},
    {"redraw", FLAG, AT(redraw), 0, 0, 0, NULL, NULL, "new samples in each epoch of an interval"},
    {"rescore", FLAG, AT(rescore), 0, 0, 0, NULL, NULL,
     "with --redraw: by new scores; --attent soft of the authors has both"},
    {"excess", FLAG, AT(excess), 0, 0, 0, NULL, NULL,
     "by losses less the loss that a simple rule has: of forecasts the\n"
     "linear map in closed form, of classes their shares"},
    {"scores", WORD, AT(scores), 0, 0, 0, scores, "FROM",
     "pass (default: a forward pass over all) or training (from\nthe training passes, at no extra cost)"},
    {"temperature", REAL, AT(temperature), 0, 1e-6, 1e6, NULL, "F",
     "soft: the higher, the less the losses matter; default: 1"},
    {"soft-weights", WORD, AT(soft_weights), 0, 0, 0, weights, "HOW",
     "soft: chances in proportion to powers of e of the losses (softmax,\n"
     "default), to the losses (proportional) or to their sigmoids (sigmoid)"},
    {"by-group", FLAG, AT(by_group), 0, 0, 0, NULL, NULL,
     "gradnorm: by the mean norms of groups: the classes or, of forecasts,\n"
     "the series that varies most in a window"},
    {"group-weights", OWN, 0, 0, 0, 0, NULL, "W,W,...",
     "fixed-weight: chances of a sample of each group: of the classes or,\n"
     "of forecasts, of calm, medium and lively windows"},
};

bool selection_trains(const selection *s)
{
    return s->attent && s->where != PRETRAINING;
}

bool selection_pretrains(const selection *s)
{
    return s->attent && s->where != TRAINING;
}

static bool is(const selection *s, int32_t strategy)
{
    return s->attent == 1 + strategy;
}

static bool check_excess(const selection *s)
{
    if (!s->excess) return true;
    if (!is(s, FGT_ATTENT_STRATEGY_SOFT) && !is(s, FGT_ATTENT_STRATEGY_HARD) &&
        !is(s, FGT_ATTENT_STRATEGY_INFOBATCH))
        return complain("--excess is for --attent soft, hard and infobatch, which go by losses");
    if (s->soft_weights == FGT_ATTENT_WEIGHTS_PROPORTIONAL)
        return complain("--excess has losses below 0, to which no chances are in proportion; give another "
                        "--soft-weights");
    return s->where == TRAINING ||
           complain("--excess is for the training itself, not for --attent-in %s", phases[s->where]);
}

bool selection_check(const selection *s, bool pretrains)
{
    if (s->where && !s->attent) return complain("--attent-in %s needs --attent", phases[s->where]);
    if (s->where && !pretrains) return complain("--attent-in %s needs --pretrain-masked", phases[s->where]);
    if (s->rescore && !s->redraw) return complain("--rescore needs --redraw");
    if (!check_excess(s)) return false;
    if (s->by_group && !is(s, FGT_ATTENT_STRATEGY_GRADNORM))
        return complain("--by-group is for --attent gradnorm; class-weight and fixed-weight go by groups "
                        "anyway");
    const bool fixed = is(s, FGT_ATTENT_STRATEGY_FIXED_WEIGHT);
    if (fixed && !s->weights) return complain("--attent fixed-weight needs --group-weights");
    return fixed || !s->weights || complain("--group-weights is only for --attent fixed-weight");
}

bool selection_needs_groups(const selection *s)
{
    return s->by_group || is(s, FGT_ATTENT_STRATEGY_CLASS_WEIGHT) || is(s, FGT_ATTENT_STRATEGY_FIXED_WEIGHT);
}

/* Checks the number of cycles. The first epoch is not part of a cycle. */
static bool check_cycles(const selection *s, int64_t epochs)
{
    const int64_t cycles = s->cycles ? s->cycles : CYCLES;
    if (s->interval != FGT_ATTENT_INTERVAL_CYCLES || epochs > cycles) return true;
    return complain("--interval cycles: %lld epochs are too few for %lld cycles; --epochs %lld is enough, or "
                    "a smaller --cycles",
                    (long long)epochs, (long long)cycles, (long long)cycles + 1);
}

bool selection_create(const selection *s, fgt_context *ctx, const selection_data *data, fgt_attent **out)
{
    *out = NULL;
    if (!s->attent) return true;
    if (!check_cycles(s, data->epochs)) return false;
    const int64_t   n = data->count, groups = data->groups;
    const fgt_view  view = {.data = (void *)data->group, .rank = 1, .shape = {n}, .dtype = FGT_DTYPE_I64};
    fgt_attent_opts opts = {.size = sizeof opts, .samples = n, .epochs = data->epochs, .seed = data->seed,
                            .strategy = (int32_t)s->attent - 1, .ratio_schedule = (int32_t)s->ratio,
                            .interval_schedule = (int32_t)s->interval, .scores = (int32_t)s->scores,
                            .ratio = s->share, .ratio_start = s->share_start, .ratio_end = s->share_end,
                            .temperature = s->temperature, .weights = (int32_t)s->soft_weights,
                            .interval = s->interval_epochs, .interval_end = s->interval_end,
                            .cycles = s->cycles, .redraw = s->redraw, .rescore = s->rescore,
                            .reference = data->reference};
    if (selection_needs_groups(s)) {
        opts.groups      = &view;
        opts.group_count = groups;
        if (s->weights && s->weights != groups)
            return complain("--group-weights has %lld numbers, there are %lld groups", (long long)s->weights,
                            (long long)groups);
        if (s->weights) opts.group_weight = s->weight;
    }
    return fgt_attent_create(ctx, &opts, out) == FGT_OK ||
           complain("--attent: %s", fgt_context_get_error(ctx));
}

double selection_mean(const float *reference, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (double)reference[i];
    return sum / (double)n;
}

void selection_report(const selection *s, double reference_loss, json_t *object)
{
    const bool scheduled = s->attent && !is(s, FGT_ATTENT_STRATEGY_INFOBATCH);
    json_object_set_new(object, "attent", json_string(attents[s->attent]));
    json_object_set_new(object, "attent_in", s->attent ? json_string(phases[s->where]) : json_null());
    json_object_set_new(object, "ratio", scheduled ? json_string(ratios[s->ratio]) : json_null());
    json_object_set_new(object, "interval", scheduled ? json_string(intervals[s->interval]) : json_null());
    json_object_set_new(object, "by_group", json_boolean(s->by_group));
    json_object_set_new(object, "reference_loss", s->excess ? json_real(reference_loss) : json_null());
}
