/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../common/command_line.h"
#include "../common/output.h"
#include "language.h"

/* Words of options. Each array is indexed by enumerators of the library. In attents the word "none" comes
 * first, so that the fgt_attent_strategy s has index 1 + s. */
static const char *const attents[]   = {"none", [1 + FGT_ATTENT_STRATEGY_SOFT] = "soft",
                                        [1 + FGT_ATTENT_STRATEGY_HARD]   = "hard",
                                        [1 + FGT_ATTENT_STRATEGY_RANDOM] = "random", NULL};
static const char *const ratios[]  = {[FGT_ATTENT_RATIO_INCREMENTAL] = "incremental",
                                      [FGT_ATTENT_RATIO_COSINE]      = "cosine",
                                      [FGT_ATTENT_RATIO_FIXED]       = "fixed",
                                      [FGT_ATTENT_RATIO_SIMPLE]      = "simple",
                                      NULL};
static const char *const intervals[] = {[FGT_ATTENT_INTERVAL_INCREMENTAL] = "incremental",
                                        [FGT_ATTENT_INTERVAL_FIXED]       = "fixed",
                                        [FGT_ATTENT_INTERVAL_CYCLES]      = "cycles",
                                        NULL};
static const char *const scores[]    = {
       [FGT_ATTENT_SCORES_PASS] = "pass", [FGT_ATTENT_SCORES_TRAINING] = "training", NULL};

#define AT(field) offsetof(options, field)

static const opt general[] = {
    {"data", TEXT, AT(data), 0, 0, 0, NULL, "FILE", "the text to learn"},
    {"init", TEXT, AT(init), 0, 0, 0, NULL, "MODEL", "a file of --save, in place of a text"},
    {"save", TEXT, AT(save), 0, 0, 0, NULL, "FILE",
     "where the trained model is written; an adapter is written to a folder"},
    {"time", COUNT, AT(time), 0, 2, 1e5, NULL, "N",
     "tokens that a model sees; default: 128, with --init as many as in its file"},
    {"batch", COUNT, AT(batch), 0, 1, 1e5, NULL, "N", "pieces of the text, or pairs, in a step; default: 16"},
    {"lr", REAL, AT(lr), 0, 0, 10, NULL, "F", "learning rate; default: 0.003"},
    {"seed", COUNT, AT(seed), 0, 0, 1e9, NULL, "N", "of all random numbers; default: 1"},
    {"threads", COUNT, AT(threads), 0, 1, 1024, NULL, "N", "default: 1"},
    {"help", FLAG, AT(help), 0, 0, 0, NULL, NULL, "this text"},
};

static const opt new_models[] = {
    {"model", WORD, AT(model), 0, 0, 0, model_words, "NAME",
     "all (default: one after the other), fighter, transformer, lstm or s4"},
    {"words", FLAG, AT(words), 0, 0, 0, NULL, NULL, "tokens are words and signs, not bytes"},
    {"vocab", COUNT, AT(vocab), 0, 2, 1e6, NULL, "N",
     "with --words: words with a number of their own, at most; default: 5000"},
    {"after", TEXT, AT(after), 0, 0, 0, NULL, "TOKEN",
     "only tokens after this one count, up to the end of the line"},
    {"steps", COUNT, AT(steps), 0, 0, 1e9, NULL, "N", "default: 1000"},
    {"width", COUNT, AT(width), 0, 1, 1e5, NULL, "N", "features of a token; default: 64"},
    {"layers", COUNT, AT(layers), 0, 1, 100, NULL, "N",
     "encoder or LSTM layers; Fighter and S4 have twice as many; default: 2"},
    {"heads", COUNT, AT(heads), 0, 1, 1000, NULL, "N", "of Fighter and Transformer; default: 4"},
    {"hops", COUNT, AT(hops), 0, 1, 64, NULL, "N", "of Fighter; default: 3"},
    {"dropout", REAL, AT(dropout), 0, 0, 0.99, NULL, "F", "default: 0"},
};

static const opt tuning[] = {
    {"pairs", TEXT, AT(pairs), 0, 0, 0, NULL, "FILE", "lines of a prompt, a tab and a response"},
    {"epochs", COUNT, AT(epochs), 0, 0, 1e6, NULL, "N", "0: the pairs are only measured; default: 5"},
    {"lora", COUNT, AT(lora), 0, 0, 1e5, NULL, "N",
     "rank of a new adapter, which is trained; default: 0, all weights are trained"},
    {"adapter", TEXT, AT(adapter), 0, 0, 0, NULL, "FOLDER",
     "an adapter of the model; --pairs trains it further"},
    {"attent", WORD, AT(attent), 0, 0, 0, attents, "HOW",
     "pairs of an epoch: none (default: all), soft, hard or random"},
};

static const opt selecting[] = {
    {"ratio", WORD, AT(ratio), 0, 0, 0, ratios, "HOW",
     "how many: incremental (default), cosine, fixed or simple"},
    {"share", REAL, AT(share), 0, 1e-6, 1, NULL, "F",
     "of fixed and, after the first epoch, simple; default: 0.7"},
    {"interval", WORD, AT(interval), 0, 0, 0, intervals, "HOW",
     "how long they stay: incremental (default), fixed or cycles"},
    {"interval-epochs", COUNT, AT(interval_epochs), 0, 1, 1e9, NULL, "N",
     "of the first interval; default: 1, of cycles 5"},
    {"interval-end", COUNT, AT(interval_end), 0, 1, 1e9, NULL, "N",
     "epochs of the last interval of cycles; default: 10"},
    {"cycles", COUNT, AT(cycles), 0, 1, 1e6, NULL, "N", "parts of --interval cycles; default: 10"},
    {"scores", WORD, AT(scores), 0, 0, 0, scores, "FROM",
     "pass (default: a forward pass over all pairs) or training (their last losses)"},
    {"redraw", FLAG, AT(redraw), 0, 0, 0, NULL, NULL, "new pairs in each epoch of an interval"},
    {"rescore", FLAG, AT(rescore), 0, 0, 0, NULL, NULL, "with --redraw: by new scores"},
};

static const opt writing[] = {
    {"prompt", TEXT, AT(prompt), 0, 0, 0, NULL, "TEXT", "the models go on from this text"},
    {"ask", TEXT, AT(ask), 0, 0, 0, NULL, "PROMPT",
     "with --init: the model writes a response to this prompt, as to one of the pairs"},
    {"length", COUNT, AT(length), 0, 0, 1e9, NULL, "N", "tokens that each model writes; default: 200"},
    {"temperature", REAL, AT(temperature), 0, 0, 100, NULL, "F",
     "of the draws; 0: always the likeliest token; default: 0.8"},
    {"top-k", COUNT, AT(top_k), 0, 0, 1e6, NULL, "N",
     "each token is drawn among the N likeliest; 0: among all; default: 20"},
};

#define GROUP(rows, title, topic)                               \
    {                                                           \
        rows, sizeof rows / sizeof *rows, 0, NULL, title, topic \
    }
static const opt_group all_groups[] = {
    GROUP(general, "Files and training", "general"),
    GROUP(new_models, "With --data: new models", "models"),
    GROUP(tuning, "With --init: prompts and responses", "tuning"),
    GROUP(selecting, "With --attent: which pairs an epoch has", "selection"),
    GROUP(writing, "Text that is written", "text"),
};

const command *options_command(void)
{
    static const char *const first[] = {"data", "init", NULL};
    static const command     c       = {.name     = "language",
                                        .purpose  = "small language models",
                                        .usage    = "--data FILE [OPTION ...]\n--init MODEL [OPTION ...]",
                                        .about    = "Trains language models, or tunes one on pairs.",
                                        .more     = "",
                                        .examples = "",
                                        .by_data  = "",
                                        .first    = first,
                                        .groups   = all_groups,
                                        .count    = sizeof all_groups / sizeof *all_groups};
    return &c;
}

void print_help(void)
{
    command_line_help(options_command(), "all", stdout);
}

/* ---- options that depend on each other ---- */

/* Unless has_effect is true, refuses the first of these options that was given, because it would have no
 * effect. NULL ends the list of names. */
static bool allow(bool has_effect, const char *const *names, const char *why)
{
    const char *given = has_effect ? NULL : command_line_given(names);
    return !given || complain("--%s: %s", given, why);
}
#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

static bool check_source(const options *o)
{
    if (!o->data && !o->init) return complain("--data: is needed: a text file; or --init");
    if (o->data && o->init) return complain("--init: has learned a text; leave out --data");
    return allow(o->data,
                 NAMES("model", "words", "vocab", "after", "steps", "width", "layers", "heads", "hops",
                       "dropout"),
                 "is for new models (got --init, need --data)") &&
           allow(o->init, NAMES("pairs", "adapter", "ask"), "needs --init");
}

static bool check_new_model(const options *o)
{
    const char *name = model_words[o->model];
    if (!o->data) return true;
    if (o->save && !o->model) return complain("--save: needs --model: one of the models (got all)");
    if (!o->words && command_line_given(NAMES("vocab"))) return complain("--vocab: needs --words");
    if ((!strcmp(name, "lstm") || !strcmp(name, "s4")) && command_line_given(NAMES("heads")))
        return complain("--heads: is for fighter and transformer (got --model %s)", name);
    return !o->model || !strcmp(name, "fighter") || !command_line_given(NAMES("hops")) ||
           complain("--hops: is for fighter (got --model %s)", name);
}

static bool check_selection(const options *o)
{
    const bool has_share  = o->ratio == FGT_ATTENT_RATIO_FIXED || o->ratio == FGT_ATTENT_RATIO_SIMPLE;
    const bool has_cycles = o->interval == FGT_ATTENT_INTERVAL_CYCLES;
    return allow(o->attent,
                 NAMES("ratio", "share", "interval", "interval-epochs", "interval-end", "cycles", "scores",
                       "redraw", "rescore"),
                 "needs --attent soft, hard or random") &&
           allow(has_share, NAMES("share"), "needs --ratio fixed or simple") &&
           allow(has_cycles, NAMES("cycles", "interval-end"), "needs --interval cycles") &&
           allow(o->redraw, NAMES("rescore"), "needs --redraw");
}

static bool check_tuning(const options *o)
{
    if (o->lora && o->adapter) return complain("--lora: is for a new adapter; leave out --adapter");
    if (o->save && o->init && !o->pairs) return complain("--save: needs something to train: --pairs");
    return allow(o->pairs, NAMES("epochs", "lora", "attent"), "needs --pairs") &&
           allow(o->epochs, NAMES("lora", "attent", "save"),
                 "needs something to train (got --epochs 0, need 1 or more)") &&
           allow(o->data || o->pairs, NAMES("batch", "lr"), "needs something to train: --pairs") &&
           check_selection(o);
}

static bool check_writing(const options *o)
{
    return allow(!o->ask, NAMES("prompt"),
                 "is another text to begin with than --ask; leave out one of them") &&
           allow(!o->pairs || o->ask, NAMES("prompt", "length", "temperature", "top-k"),
                 "with --pairs nothing is written but the response to --ask") &&
           allow(o->length, NAMES("prompt", "ask", "temperature", "top-k"),
                 "nothing is written (got --length 0, need 1 or more)") &&
           allow(o->temperature > 0, NAMES("top-k"),
                 "nothing is drawn (got --temperature 0, need more than 0)");
}

/* Checks, before the training, that the file of --save can be written and does not replace an input. */
static bool check_save(const options *o)
{
    char       *read = o->init ? vocabulary_name(o->init) : NULL, *written = NULL;
    const char *inputs[] = {o->data, o->pairs, o->init, read};
    const bool  adapter  = o->lora || o->adapter;
    bool        good     = !o->save || !adapter || output_check_folder(o->save);
    if (o->save && !adapter) written = vocabulary_name(o->save);
    if ((o->init && !read) || (o->save && !adapter && !written)) good = complain("no memory");
    if (good && o->save) good = output_spares(o->save, inputs, 4);
    if (good && written) good = outputs_check(NAMES(o->save, written), 2, inputs, 4);
    free(read);
    free(written);
    return good;
}

bool read_options(int argc, char **argv, options *o)
{
    *o = (options){.steps       = 1000,
                   .epochs      = 5,
                   .batch       = 16,
                   .width       = 64,
                   .layers      = 2,
                   .heads       = 4,
                   .hops        = 3,
                   .vocab       = 5000,
                   .length      = 200,
                   .top_k       = 20,
                   .seed        = 1,
                   .threads     = 1,
                   .lr          = 3e-3,
                   .temperature = 0.8};
    if (!command_line_read(options_command(), argc, argv, o)) return false;
    if (o->data && !o->time) o->time = 128;
    return o->help ||
           (check_source(o) && check_new_model(o) && check_tuning(o) && check_writing(o) && check_save(o));
}
