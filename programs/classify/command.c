/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of the program, and its help. */
#include <string.h>

#include "options.h"

#include "../common/adapter.h"
#include "../common/blocks.h"
#include "../common/checkpoint.h"
#include "../common/cluster.h"
#include "../common/library.h"
#include "../common/option.h"
#include "../common/output.h"
#include "../common/program.h"
#include "../common/selection.h"

/* Help texts with names of blocks, which are written when the program starts. */
static char model_help[BLOCK_HELP], ngrams_help[BLOCK_HELP];

#define AT(field) offsetof(options, field)

/* Words of options. Each array is indexed by an enumeration of the library: fgt_corpus_form,
 * fgt_corpus_header, fgt_class_kind. */
static const char *const formats[] = {"auto", "lines", "csv", NULL};
static const char *const headers[] = {"auto", "yes", "no", NULL};
static const char *const kinds[]   = {"auto", "number", "name", NULL};

enum { DATA = OWN_LIST };

static const opt text_options[] = {
    {"train", TEXT, AT(train), 0, 0, 0, NULL, "FILE",
     "texts with their classes: CSV or TSV, or lines of \"__label__x text\";\nmay be gzip-compressed; or a "
     "corpus file of --convert"},
    {"test", TEXT, AT(test), 0, 0, 0, NULL, "FILE", "texts to test the model on, in the same format"},
    {"text", TEXT, AT(text), 0, 0, 0, NULL, "A,B",
     "columns of the text, joined in this order, by their names or by\ntheir numbers from 0; default: all "
     "but the class and numbers of rows such as id"},
    {"label", TEXT, AT(label), 0, 0, 0, NULL, "A",
     "column of the class, by its name or number; default: one with a\nusual name such as label or class, "
     "otherwise the first, or the last\nif only the last has numbers. With --load both are by default the\n"
     "columns that the model was trained on, if the file names its columns"},
    {"label-kind", WORD, AT(label_kind), 0, 0, 0, kinds, "WHAT",
     "what a class is: a whole number, so that 01 is 1; a name; or auto\n"
     "(default): a number if all are, as 1 is and 01 is not"},
    {"header", WORD, AT(header), 0, 0, 0, headers, "WHAT",
     "yes: the first line names the columns; no; auto (default): yes\nif it has names that were asked for, "
     "usual names, or a text\nwhere the next line has the number of a class"},
    {"delimiter", WORD, AT(delimiter), 0, 0, 0, program_delimiters, "WHAT",
     "comma, semicolon, tab, bar or auto (default): the one that cuts\nall lines into as many cells"},
    {"no-quotes", FLAG, AT(no_quotes), 0, 0, 0, NULL, NULL,
     "quotes in cells are characters as others; by default so are those\n"
     "between tabs, unless all of them enclose cells"},
    {"skip", COUNT, AT(skip), 0, 0, BIG, NULL, "N",
     "lines at the beginning of a file that are left out, such as a title"},
    {"comment", TEXT, AT(comment), 0, 0, 0, NULL, "TEXT",
     "lines that begin with it are left out, such as \"#\""},
    {"format", WORD, AT(format), 0, 0, 0, formats, "WHAT",
     "lines of \"__label__x text\", csv, or auto (default)"},
    {"data", DATA, 0, 0, 0, 0, NULL, "FILE",
     "texts for --convert, with their classes, or for --predict-all;\nmay be given several times"},
    {"convert", TEXT, AT(convert), 0, 0, 0, NULL, "FILE.fgc",
     "write the texts of --data as a corpus file, which may be larger\nthan the memory, and do nothing else"},
    {"resident", COUNT, AT(resident), 0, 1, 1e12, NULL, "MIB",
     "how much of a corpus file is in memory; default: 128"},
};

static bool read_own(int kind, const char *text, void *base)
{
    options *o = base;
    (void)kind; /* the group has only one option of kind OWN or above */
    if (!*text) return complain("--data is empty");
    if (o->file_count == MAX_FILES) return complain("--data takes at most %d files", MAX_FILES);
    o->files[o->file_count++] = text;
    return true;
}

static const opt image_options[] = {
    {"images", TEXT, AT(images), 0, 0, 0, NULL, "PATH",
     "images to train on, in place of --train: an IDX file with\n"
     "--labels; a folder with a subfolder of PNG and JPEG files for each\n"
     "class; or a list of them, CSV: file, class"},
    {"labels", TEXT, AT(labels), 0, 0, 0, NULL, "FILE", "IDX file with the labels of --images"},
    {"test-images", TEXT, AT(test_images), 0, 0, 0, NULL, "PATH", "images to test the model on, likewise"},
    {"test-labels", TEXT, AT(test_labels), 0, 0, 0, NULL, "FILE",
     "IDX file with the labels of --test-images"},
    {"split", REAL, AT(split), 0, 1e-9, 0.9, NULL, "SHARE",
     "of the images, drawn by the seed, that the model is tested on and\nnot trained on"},
    {"resize", TEXT, AT(resize), 0, 0, 0, NULL, "HxW",
     "bring all images to so many rows and columns; without it one of\n"
     "another size than the first is refused"},
    {"channels", COUNT, AT(channels), 0, 1, 3, NULL, "N",
     "1: make all images gray; 3: make all colours; default: as the first"},
    {"background", TEXT, AT(background), 0, 0, 0, NULL, "COLOUR",
     "what is seen through pixels that are not opaque: white (default),\n"
     "black, gray, or red, green and blue such as #4080ff"},
    {"patch", COUNT, AT(patch), 0, 1, 1e4, NULL, "N",
     "rows and columns of a patch, which is a token; default: the least\nfrom 4 on that divides the images"},
    {"whole", FLAG, AT(whole), 0, 0, 0, NULL, NULL,
     "--model fighter: only Fighter layers, without feed-forward parts"},
    {"pretrained", TEXT, AT(pretrained), 0, 0, 0, NULL, "FILE",
     "begin with the encoder of such a classifier, whatever its classes"},
    {"probe", FLAG, AT(probe), 0, 0, 0, NULL, NULL,
     "train only the last layer: a linear probe of the encoder"},
    {"labelled", COUNT, AT(labelled), 0, 2, BIG, NULL, "N",
     "use the classes of only so many training images"},
};

/* Options that do not set a field of a struct of the library. */
static const opt own_options[] = {
    {"ngrams", COUNT, AT(ngrams), 0, 1, 8, NULL, "N", ngrams_help},
    {"buckets", COUNT, AT(buckets), AT(has_buckets), 0, 1e9, NULL, "N",
     "ids that all such runs share; 0: runs that occur twice get ids\n"
     "of their own, the others none; default: 131072 if there are 2097152\nwords or more, else 0"},
    {"prefix", COUNT, AT(prefix), 0, 0, 32, NULL, "N",
     "longer words get a further id for their first N characters; default:\n0, none"},
    {"letters", COUNT, AT(letters), AT(has_letters), 0, 8, NULL, "N",
     "a word is also the sum of its runs of up to N letters, which helps\n"
     "with short texts and words that training has not seen; 0: none;\n"
     "default: 3 if more than 4 % of the words occur once, else 0"},
    {"punctuation", FLAG, AT(punctuation), 0, 0, 0, NULL, NULL,
     "punctuation marks are words, too, as symbols and emoji always are"},
    {"pretrain-masked", COUNT, AT(masked), 0, 1, BIG, NULL, "EPOCHS",
     "before training let the layers learn which words are hidden in the\n"
     "texts, with --ngrams 1, which is then the default; or paint hidden\n"
     "patches of all training images"},
    {"pretrain-texts", TEXT, AT(more_texts), 0, 0, 0, NULL, "FILE",
     "texts for --pretrain and --pretrain-masked, which need no classes;\n"
     "the vocabulary has their words. They should include the texts of\n"
     "--train. Default: the texts of --train"},
    {"mask-share", REAL, AT(mask_share), 0, 0.01, 0.99, NULL, "SHARE",
     "of the words of a text that are hidden then; default: 0.15"},
    {"members", COUNT, AT(members), 0, 1, 1000, NULL, "N",
     "models with different seeds whose logits are averaged; default: 1"},
    {"validation", REAL, AT(validation), AT(has_validation), 0, 0.9, NULL, "SHARE",
     "of the training texts, used to stop early; default: 0.05, but 0 of\n"
     "fewer than 10000 texts, and of images"},
};

#define OWN_OPTIONS (sizeof own_options / sizeof *own_options)

static opt_group model_options(void)
{
    static opt    rows[2 * LIBRARY_MOST + OWN_OPTIONS];
    static size_t count;
    if (!count) {
        blocks_init();
        blocks_help_model(model_help);
        blocks_help_list(ngrams_help, "runs of up to N words have ids of their own; default: 2, but 1 for",
                         FGT_BLOCK_TRAIT_ORDER);
        count = library_add(fgt_classifier_get_option, AT(model), AT(given_model), rows, count);
        memcpy(rows + count, own_options, sizeof own_options);
        count += OWN_OPTIONS;
        count = library_add(fgt_classifier_get_fit_option, AT(fit), AT(given_fit), rows, count);
        library_row(rows, count, "model")->help = model_help;
    }
    return (opt_group){rows, count, 0, NULL, "Model and training", "model"};
}

static const opt run_options[] = {
    {"seed", COUNT, AT(seed), AT(has_seed), 0, BIG, NULL, "N",
     "of first weights, dropout, order and validation texts; default: 1"},
    {"threads", COUNT, AT(threads), 0, 1, 1024, NULL, "N",
     "results do not depend on it; default: one for each processor that it may use"},
    {"products", WORD, AT(products), 0, 0, 0, program_products, "WHAT",
     "auto (default) or blis: which loops may multiply matrices"},
    {"exact", FLAG, AT(exact), 0, 0, 0, NULL, NULL,
     "predict with the bits of the model's own passes, which is slower;\n"
     "by default products of weights are computed once for all"},
    {"precision", WORD, AT(precision), 0, 0, 0, program_precisions, "WHAT",
     "f32 (default) or bf16: in large products training multiplies\n"
     "numbers that are rounded to 16 bits; sums keep 32 bits, and results\n"
     "differ"},
    {"describe", FLAG, AT(describe), 0, 0, 0, NULL, NULL, "print a table of the model's layers"},
    {"save", TEXT, AT(save), 0, 0, 0, NULL, "FILE", "write the model, with vocabulary and classes"},
    {"load", TEXT, AT(load), 0, 0, 0, NULL, "FILE",
     "read such a model instead of training one; options that say what a\n"
     "model is, such as --dim, are then refused"},
    {"ntk-plot", TEXT, AT(ntk_plot), 0, 0, 0, NULL, "FILE",
     "follow the tangent kernel on ten training samples and draw it, as\n"
     ".svg or .png; takes 40 bytes a parameter"},
    {"report", TEXT, AT(report), 0, 0, 0, NULL, "FILE.html",
     "write a page that shows what the model sees: some texts of --test,\n"
     "or of those for validation, their words coloured by attention, the\n"
     "matrices by epoch, the losses, and which hops and tokens count in\n"
     "Fighter layers"},
    {"predict", MAYBE, AT(predict_file), AT(predict), 0, 0, NULL, "[FILE]",
     "print class and probability of each text of a file, which needs no classes, or of each line of the "
     "standard input. If a file without a header has classes, name their column by --label, or the "
     "columns of the texts by --text"},
    {"predict-all", TEXT, AT(predict_all), 0, 0, 0, NULL, "FILE.csv",
     "write class and probability of each text of all files of --data,\nwhich need no classes. An "
     "interrupted run goes on when the same\ncommand is given again"},
    {"escape-formulas", FLAG, AT(escape_formulas), 0, 0, 0, NULL, NULL, ESCAPE_FORMULAS_HELP},
    {"json", FLAG, AT(json), 0, 0, 0, NULL, NULL,
     "print one JSON object; all other output goes to standard error"},
    {"help", MAYBE, AT(topic), AT(help), 0, 0, NULL, "TOPIC",
     "print how to begin and the topics; the options of a topic; what\n"
     "an option does; or, with all, everything"},
    {"version", FLAG, AT(version), 0, 0, 0, NULL, NULL, "print the version, and which kernels run"},
};

static const char *const first[] = {"train", "test",    "text", "label", "images",
                                    "save",  "predict", "load", NULL};

static const char by_data[] =
    "a file with a class and a text in each row\t--train FILE --test FILE\n"
    "other columns, too\t--label COLUMN --text COLUMN\n"
    "lines of \"__label__x text\"\t--train FILE; they are recognised\n"
    "classes such as 01 and 1\t--label-kind name\n"
    "few labelled texts, many without labels\t--pretrain-masked N --pretrain-texts FILE\n"
    "a folder of pictures for each class\t--images FOLDER --split 0.2\n"
    "pictures of different sizes\t--resize 32x32\n"
    "more texts than the memory holds\t--data FILE --convert FILE.fgc, then --train\n"
    "new texts, a line each\t--load FILE --predict NEW.txt\n";

const command *options_command(void)
{
    static opt_group groups[8];
    static command   c = {
          "fighter-classify",
          "classify texts and images",
          "--train FILE --test FILE [options]\n"
            "--images PATH [--labels FILE] --split SHARE [options]\n"
            "--load FILE [--adapter FOLDER] [--test FILE] [--test-images PATH] [--predict [FILE]]\n"
            "--load FILE --train FILE --adapt FOLDER [--test FILE] [options]\n"
            "--load FILE --images PATH [--labels FILE] --adapt FOLDER [--split SHARE] [options]\n"
            "--data FILE --convert FILE.fgc [options]\n"
            "--load FILE --data FILE --predict-all FILE.csv",
          "Trains a classifier on labelled texts or images, measures it on others, and keeps or uses\n"
            "it. Models of images are a transformer (default) or a fighter.",
          "The groups of --group-weights are the classes, by their numbers or names.",
          "fighter-classify --train ag_news_train.csv --test ag_news_test.csv --save news.safetensors\n"
            "echo \"Oil prices fell on Monday\" | fighter-classify --load news.safetensors --predict\n"
            "fighter-classify --images pictures --resize 32x32 --split 0.2 --save pictures.safetensors\n"
            "fighter-classify --load pictures.safetensors --predict new_pictures --resize 32x32",
          by_data,
          first,
          groups,
          sizeof groups / sizeof *groups,
          false,
    };
    const opt_group all[] = {
        {text_options, sizeof text_options / sizeof *text_options, 0, read_own, "Files of texts", "texts"},
        {image_options, sizeof image_options / sizeof *image_options, 0, NULL, "Files of images", "images"},
        model_options(),
        {selection_options, SELECTION_OPTIONS, AT(selection), selection_read_own, "Choosing samples",
         "samples"},
        {adapter_options, ADAPTER_OPTIONS, AT(adapter), NULL, "Adapters (LoRA)", "adapters"},
        {checkpoint_options, CHECKPOINT_OPTIONS, AT(checkpoint), NULL, "Interrupting and resuming",
         "resuming"},
        {cluster_options, CLUSTER_OPTIONS, AT(cluster), NULL, "Several processes", "processes"},
        {run_options, sizeof run_options / sizeof *run_options, 0, NULL,
         "Running, files of models and predictions", "output"},
    };
    _Static_assert(sizeof all == sizeof groups, "a place for each group");
    memcpy(groups, all, sizeof all);
    return &c;
}
