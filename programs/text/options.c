/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "options.h"

#include "../common/command_line.h"
#include "../common/output.h"
#include "../common/program.h"

#define AT(field) offsetof(options, field)

/* Indexed by LOSS_... */
static const char *const losses[] = {"softmax", "one-vs-all", "ova", NULL};

static const opt training_options[] = {
    {"input", TEXT, AT(input), 0, 0, 0, NULL, "FILE",
     "training texts, a line each: \"__label__x text\"; may be gzip-compressed"},
    {"output", TEXT, AT(output), 0, 0, 0, NULL, "NAME",
     "write the model to the file NAME.bin; quantize reads this file and\n"
     "writes NAME.ftz"},
    {"lr", REAL, AT(lr), 0, 1e-6, 10, NULL, "RATE",
     "learning rate of AdamW, 0.1 at most; default: 0.002, with -loss ova\n0.01"},
    {"epoch", COUNT, AT(epoch), 0, 1, BIG, NULL, "N",
     "passes over the texts; default: as many as make 750 steps, from\n"
     "2 to 20; -loss ova: 2500 steps, from 5 to 20"},
    {"dim", COUNT, AT(dim), 0, 1, 1e6, NULL, "N",
     "width of a word's vector; default: 32 for up to 4 labels, else 64"},
    {"wordNgrams", COUNT, AT(word_ngrams), 0, 1, 8, NULL, "N",
     "runs of up to N words have vectors of their own; default: 2"},
    {"minCount", COUNT, AT(min_count), 0, 1, BIG, NULL, "N",
     "words and runs that occur less often have no vector; default: 2"},
    {"minn", COUNT, AT(minn), 0, 0, 8, NULL, "N",
     "letters of the shortest runs; default: 1. The blank at each end of\na word is a letter"},
    {"maxn", COUNT, AT(maxn), AT(has_maxn), 0, 8, NULL, "N",
     "a word is also the sum of its runs of -minn to N letters, which helps\n"
     "with misspelt words and words that training has not seen; 0: none;\n"
     "default: 3 if more than 4 % of the words occur once, else 0"},
    {"bucket", COUNT, AT(bucket), AT(has_bucket), 0, 1e9, NULL, "N",
     "vectors that all runs of words share by their hash, and as many for\n"
     "all runs of letters; 0: runs that occur often enough have vectors of\n"
     "their own, the others none; default: 0, but 131072 for runs of words\n"
     "if there are 2097152 words or more"},
    {"loss", WORD, AT(loss), 0, 0, 0, losses, "NAME",
     "softmax (default): a text has one label; one-vs-all or ova: it may\n"
     "have several labels, or none, each with a probability of its own"},
    {"tokens", COUNT, AT(tokens), 0, 1, 1e6, NULL, "N",
     "words and runs of a text that the model reads; default: chosen by\n"
     "the lengths of the texts, from 16 to 1024"},
    {"validation", REAL, AT(validation), AT(has_validation), 0, 0.5, NULL, "SHARE",
     "of the texts, used to stop early; default: 0.05, but 0 of fewer than\n10000 texts, and with -loss ova"},
    {"cutoff", COUNT, AT(cutoff), 0, 1, BIG, NULL, "N",
     "quantize: keep the N most frequent words and runs; default: all"},
    {"retrain", FLAG, AT(retrain), 0, 0, 0, NULL, NULL,
     "quantize: train the words that are kept once more, on -input"},
    {"thread", COUNT, AT(threads), 0, 1, 1024, NULL, "N",
     "results do not depend on it; default: one for each processor that it may use"},
    {"seed", COUNT, AT(seed), AT(has_seed), 0, BIG, NULL, "N",
     "of first vectors, dropout and order; default: 1"},
    {"verbose", COUNT, AT(verbose), AT(has_verbose), 0, 2, NULL, "N", "0: no progress is shown; default: 2"},
    {"help", MAYBE, AT(topic), AT(help), 0, 0, NULL, "TOPIC",
     "print how to begin; an option; or, with all, everything"},
    {"version", FLAG, AT(version), 0, 0, 0, NULL, NULL, "print the version, and which kernels run"},
};

static const char *const first[] = {"input", "output", "epoch", "dim", "wordNgrams", "maxn", NULL};

static const char by_data[] = "one label a text\tsupervised -input FILE -output NAME\n"
                              "lines \"__label__x __label__y text\"\t-loss ova\n"
                              "misspelt words, few or short texts\t-maxn 3\n";

const command *options_command(void)
{
    static const opt_group groups[] = {
        {training_options, sizeof training_options / sizeof *training_options, 0, NULL,
         "Options of supervised and quantize, with one dash or two", "training"},
    };
    static const command c = {
        "fighter-text",
        "classify texts with the commands of fastText",
        "supervised -input FILE -output NAME [options]\n"
        "quantize -output NAME [-cutoff N] [-input FILE -retrain] [options]\n"
        "test MODEL FILE [K] [THRESHOLD]\n"
        "test-label MODEL FILE [K] [THRESHOLD]\n"
        "predict MODEL FILE|- [K] [THRESHOLD]\n"
        "predict-prob MODEL FILE|- [K] [THRESHOLD]",
        "Trains a classifier on lines \"__label__x text\", measures it, and labels texts. K is the number\n"
        "of labels that a text gets, 1 by default, -1 for all; THRESHOLD is the least probability of a\n"
        "label, 0 by default. FILE - is the standard input.",
        "The model is a file of fighter-classify, too, which has more options and kinds of models.",
        "fighter-text supervised -input train.txt -output news\n"
        "fighter-text quantize -output news -cutoff 10000 -input train.txt -retrain\n"
        "fighter-text test news.bin test.txt\n"
        "echo \"Oil prices fell on Monday\" | fighter-text predict-prob news.bin - 3",
        by_data,
        first,
        groups,
        sizeof groups / sizeof *groups,
        true,
    };
    return &c;
}

/* Options and commands of fastText that this program lacks, and why. */
typedef struct lacking {
    const char *name, *why;
} lacking;

static const char of_vectors[] = "word vectors of texts without labels are not made here";
static const char of_tuning[] =
    "the options are not searched for; their defaults are chosen by the texts, so leave it out";

static const lacking options_lacking[] = {
    {"lrUpdateRate", "the rate falls after each step; leave it out"},
    {"ws", of_vectors},
    {"neg", of_vectors},
    {"t", of_vectors},
    {"label", "labels begin with __label__"},
    {"minCountLabel", "all labels of the texts are learned; leave it out"},
    {"pretrainedVectors", "first vectors cannot be read from a file; leave it out"},
    {"qnorm", "weights are rounded to 16 bits; leave it out"},
    {"qout", "weights are rounded to 16 bits; leave it out"},
    {"dsub", "weights are rounded to 16 bits; leave it out"},
    {"saveOutput", "vectors are in the model's file only; leave it out"},
    {"autotune-validation", of_tuning},
    {"autotune-metric", of_tuning},
    {"autotune-predictions", of_tuning},
    {"autotune-duration", of_tuning},
    {"autotune-modelsize", of_tuning},
};

static const lacking commands_lacking[] = {
    {"skipgram", of_vectors},
    {"cbow", of_vectors},
    {"nn", of_vectors},
    {"analogies", of_vectors},
    {"print-word-vectors", of_vectors},
    {"print-sentence-vectors", of_vectors},
    {"print-ngrams", of_vectors},
    {"dump", "the model is a safetensors file, which other tools read"},
};

static bool refuse_lacking(const lacking *list, size_t count, const char *dash, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(list[i].name, name)) return complain("%s%s: %s", dash, name, list[i].why);
    return true;
}

/* ---- arguments ---- */

static bool read_k(const char *text, int64_t *k)
{
    char           *end;
    const long long n = strtoll(text, &end, 10);
    if (!*text || *end || n < -1 || !n || n > INT32_MAX)
        return complain("K is a number of labels, 1 or more, or -1 for all, not \"%s\"", text);
    *k = n;
    return true;
}

static bool read_threshold(const char *text, double *threshold)
{
    char *end;
    *threshold = strtod(text, &end);
    return (*text && !*end && *threshold >= 0 && *threshold <= 1) ||
           complain("THRESHOLD is a probability from 0 to 1, not \"%s\"", text);
}

/* Reads MODEL FILE [K] [THRESHOLD]. */
static bool read_places(int count, char **words, options *o)
{
    if (count < 2 || count > 4)
        return complain("the command takes MODEL FILE [K] [THRESHOLD] (got %d argument%s, need 2 to 4)",
                        count, plural(count));
    o->model = words[0];
    o->texts = words[1];
    return (count < 3 || read_k(words[2], &o->k)) && (count < 4 || read_threshold(words[3], &o->threshold));
}

/* Refuses options that only fastText has. */
static bool check_lacking(int count, char **words)
{
    for (int i = 0; i < count; i++)
        if (words[i][0] == '-' &&
            !refuse_lacking(options_lacking, sizeof options_lacking / sizeof *options_lacking, "-",
                            words[i] + 1 + (words[i][1] == '-')))
            return false;
    return true;
}

/* Sets the file that is written. */
static bool name_model(const char *ending, options *o)
{
    static char model[4096];
    if (!o->output) return complain("-output NAME is missing");
    if (!o->has_seed) o->seed = 1;
    if (snprintf(model, sizeof model, "%s%s", o->output, ending) >= (int)sizeof model)
        return complain("-output: the name is too long");
    o->model = model;
    return outputs_check(&o->model, 1, &o->input, 1);
}

static bool check_quantize(options *o)
{
    static const char *const known[] = {"input", "output", "cutoff", "retrain", "epoch",
                                        "lr",    "thread", "seed",   "verbose", NULL};
    const char              *other   = command_line_given_other(known, NULL);
    if (other) return complain("-%s: the model says it, so it is not for quantize", other);
    if (o->retrain && !o->input) return complain("-retrain needs -input FILE");
    return name_model(".ftz", o);
}

static bool check_supervised(options *o)
{
    if (!o->input) return complain("-input FILE is missing");
    if (o->cutoff || o->retrain) return complain("-cutoff and -retrain are for quantize");
    if (o->lr > 0.1)
        return complain("-lr %g: fastText's rates are for another method, and too large for AdamW (need 0.1 "
                        "or less; 0.002 is the default)",
                        o->lr);
    if (o->minn && o->has_maxn && o->minn > o->maxn)
        return complain("-minn %lld is more than -maxn %lld", (long long)o->minn, (long long)o->maxn);
    if (o->bucket && o->word_ngrams == 1 && !o->maxn && !o->minn)
        return complain("-bucket is for -wordNgrams 2 or more, or -maxn 1 or more");
    return name_model(".bin", o);
}

static const struct {
    const char *name;
    task        task;
    bool        by_label, probabilities;
} commands[] = {
    {"supervised", TASK_SUPERVISED, false, false},
    {"quantize", TASK_QUANTIZE, false, false},
    {"test", TASK_TEST, false, false},
    {"test-label", TASK_TEST, true, false},
    {"predict", TASK_PREDICT, false, false},
    {"predict-prob", TASK_PREDICT, false, true},
};

static bool need_command(void)
{
    return complain("a command is missing: supervised, test, predict ...; see --help");
}

/* Finds the command. Options such as --help may stand in its place. */
static bool read_command(const char *name, options *o)
{
    if (!name) return need_command();
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(commands[i].name, name) != 0) continue;
        o->task          = commands[i].task;
        o->by_label      = commands[i].by_label;
        o->probabilities = commands[i].probabilities;
        return true;
    }
    return *name == '-' ||
           (refuse_lacking(commands_lacking, sizeof commands_lacking / sizeof *commands_lacking, "", name) &&
            complain("\"%s\" is not a command; see --help", name));
}

bool options_read(int argc, char **argv, options *o)
{
    *o = (options){.k = 1, .verbose = 2};
    if (!read_command(argv[1], o)) return false;
    const int skipped = o->task != TASK_NONE; /* the command is in the place of the program's name */
    if (o->task >= TASK_TEST) return read_places(argc - 2, argv + 2, o);
    if (!check_lacking(argc - 1, argv + 1)) return false;
    if (!command_line_read(options_command(), argc - skipped, argv + skipped, o)) return false;
    if (o->help || o->version) return true;
    if (o->task == TASK_NONE) return need_command();
    return o->task == TASK_SUPERVISED ? check_supervised(o) : check_quantize(o);
}
