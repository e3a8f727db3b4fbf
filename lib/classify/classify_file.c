/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "blocks/blocks.h"
#include <fighter/experimental/small.h>

#include "classify/classifier.h"
#include "classify/classifier_impl.h"
#include "classify/classify_create.h"
#include "core/config.h"
#include "model/access.h"
#include "model/files/file_input.h"
#include "model/files/file_output.h"
#include "model/files/safetensors.h"
#include "model/guard.h"
#include "model/stored/extra.h"
#include "model/stored/model_file.h"
#include "model/stored/model_load.h"
#include "text/corpus.h"
#include "text/vocab_file.h"

/* A classifier's file is a model's file (model/stored/model_file.c) with these metadata and tensors:
 *     classify.format      1: texts; 2: several members, which readers of format 1 do not know; 3: images; 4:
 *                          texts with several labels, one or more members
 *     classify.block       gru
 *     classify.classes     ["1","2"]
 *     classify.columns     ["label","title","text"]: names of the class column and of the text columns, if
 *                          the training file had names
 *     classify.vocab       min_count=2 ngrams=2 buckets=131072 symbols=1
 *     classify.words       tensor [bytes], U8: the words in the order of their ids, each with a NUL
 * A classifier of images has no vocabulary and no words. It has three other entries:
 *     classify.vit         patch_height=4 patch_width=4 dim=64 ...
 *     classify.mean        a number for each channel
 *     classify.deviation   a number for each channel
 * Several members have these tensors:
 *     classify.member.M    tensor [P]: the weights of member M = 1, 2, ... in the order of the model's
 *                          parameters; member 0 is the model */
#define FORMAT "1"
#define JOINED "2"
#define IMAGES "3"
#define LABELS "4"

/* ---- saving ---- */

#define MEMBER_NAME 40

static void name_member(int64_t member, char name[MEMBER_NAME])
{
    snprintf(name, MEMBER_NAME, "classify.member.%lld", (long long)member);
}

/* Makes the tensors that the file has besides the tensors of the model. Element m > 0 of the array holds the
 * weights of member m. Member 0 is the model itself, so element 0 is free: it holds the words of a classifier
 * of texts. A classifier of images does not write element 0. */
static fgt_status write_tensors(const fgt_classifier *c, fgti_st_tensor **tensor, char (**names)[MEMBER_NAME])
{
    FGTI_TRY(FGTI_NEW(c->ctx, c->members, "tensors of members", tensor));
    FGTI_TRY(FGTI_NEW(c->ctx, c->members, "names of members", names));
    fgti_st_tensor *t = *tensor;
    t[0]              = (fgti_st_tensor){.name = "classify.words", .dtype = FGTI_ST_U8, .rank = 1};
    if (c->vocab) t[0].data = fgti_vocab_bytes(c->vocab, &t[0].shape[0]);
    for (int64_t m = 1; m < c->members; m++) {
        name_member(m, (*names)[m]);
        t[m] = (fgti_st_tensor){.name  = (*names)[m],
                                .dtype = FGTI_ST_REAL,
                                .rank  = 1,
                                .shape = {fgti_model_slabs(c->member[m]).size},
                                .data  = fgti_model_slabs(c->member[m]).weights};
    }
    return FGT_OK;
}

/* "0.5 0.25" */
static fgt_status write_numbers(const double *v, int64_t n, fgti_text *text)
{
    char number[FGTI_NUMBER_TEXT_MAX];
    for (int64_t i = 0; i < n; i++) {
        if (i) FGTI_TRY(fgti_text_put(text, " "));
        FGTI_TRY(fgti_text_put(text, fgti_number_exact(v[i], number)));
    }
    return FGT_OK;
}

/* Values of the metadata, as text. */
typedef struct metadata {
    char     *classes, *columns;
    fgti_text opts;            /* of the vocabulary or the image encoder */
    fgti_text mean, deviation; /* of a classifier of images */
} metadata;

static fgt_status write_metadata(const fgt_classifier *c, metadata *d)
{
    FGTI_TRY(fgti_extra_write_names(c->ctx, &c->classes.texts, &d->classes));
    if (c->like && c->like->columns.count)
        FGTI_TRY(fgti_extra_write_names(c->ctx, &c->like->columns, &d->columns));
    if (c->vocab) return fgti_config_write(&d->opts, fgti_vocab_opts, &c->vocab->opts);
    FGTI_TRY(fgti_config_write(&d->opts, fgti_vit_opts, &c->vit));
    FGTI_TRY(write_numbers(c->mean, c->info.channels, &d->mean));
    return write_numbers(c->deviation, c->info.channels, &d->deviation);
}

static void metadata_done(fgt_context *ctx, metadata *d)
{
    fgti_free(ctx, d->classes);
    fgti_free(ctx, d->columns);
    fgti_text_done(&d->opts);
    fgti_text_done(&d->mean);
    fgti_text_done(&d->deviation);
}

/* small NULL: the whole file. */
static fgt_status write_model(const fgt_classifier *c, const metadata *d, const fgti_st_tensor *tensor,
                              const fgti_rows_cut *small, fgti_output *out)
{
    const bool         words  = c->vocab;
    const char        *format = !words ? IMAGES : c->labels ? LABELS : c->members > 1 ? JOINED : FORMAT;
    const fgti_st_pair pair[] = {{"classify.format", format},
                                 {"classify.block", fgt_block_get_name(c->info.block)},
                                 {"classify.classes", d->classes},
                                 {words ? "classify.vocab" : "classify.vit", d->opts.s ? d->opts.s : ""},
                                 {words ? "classify.columns" : "classify.mean",
                                  words ? d->columns : d->mean.s},
                                 {"classify.deviation", d->deviation.s}};
    const int64_t      pairs  = words ? 4 + !!d->columns : 6;
    const fgti_extra   extra  = {c->members - !words, pairs, tensor + !words, pair};
    return small ? fgti_model_save_small(c->member[0], out, &extra, *small)
                 : fgti_model_save_with(c->member[0], out, &extra);
}

/* An adapter is saved with the model of member 0; a file has no adapters of other members. */
static fgt_status check_adapters(const fgt_classifier *c)
{
    for (int64_t m = 0; c->members > 1 && m < c->members; m++)
        if (fgti_model_slabs(c->member[m]).serial)
            return fgti_fail(&c->ctx->error, FGT_E_STATE,
                             "save: an adapter of member %lld is active, and a file of several members has "
                             "no adapters; merge it, or make it inactive",
                             (long long)m);
    return FGT_OK;
}

static fgt_status classifier_save(const fgt_classifier *c, const fgti_rows_cut *small, fgti_output *out)
{
    metadata        d = {.opts = {.ctx = c->ctx}, .mean = {.ctx = c->ctx}, .deviation = {.ctx = c->ctx}};
    char          (*names)[MEMBER_NAME] = NULL;
    fgti_st_tensor *tensor = NULL;
    FGTI_TRY(check_adapters(c));
    fgt_status s = write_metadata(c, &d);
    if (s == FGT_OK) s = write_tensors(c, &tensor, &names);
    if (s == FGT_OK && small && small->count)
        tensor[0].shape[0] = c->vocab->words.texts.begin[small->first - FGTI_ID_WORDS];
    if (s == FGT_OK) s = write_model(c, &d, tensor, small, out);
    fgti_free(c->ctx, names);
    fgti_free(c->ctx, tensor);
    metadata_done(c->ctx, &d);
    return s;
}

fgt_status fgt_classifier_save(const fgt_classifier *classifier, const fgt_output *to)
{
    fgti_output out;
    if (!classifier) return FGT_E_ARG;
    FGTI_TRY(fgti_output_to(&classifier->ctx->error, to, &out));
    return classifier_save(classifier, NULL, &out);
}

static fgt_status check_small(const fgt_classifier *c, int64_t words)
{
    fgti_error *err = &c->ctx->error;
    if (words < 0)
        return fgti_fail(err, FGT_E_ARG, "save: words is out of range (got %lld, need 0 or more)",
                         (long long)words);
    if (!c->vocab || c->members > 1)
        return fgti_fail(err, FGT_E_UNSUPPORTED,
                         "save: small files are for classifiers of texts with one "
                         "member");
    if (!fgti_model_slabs(c->member[0]).serial) return FGT_OK;
    return fgti_fail(err, FGT_E_STATE, "save: an adapter is active; merge it before a small file is written");
}

fgt_status fgt_classifier_save_small(const fgt_classifier *classifier, int64_t words, const fgt_output *to)
{
    fgti_output out;
    if (!classifier) return FGT_E_ARG;
    FGTI_TRY(check_small(classifier, words));
    FGTI_TRY(fgti_output_to(&classifier->ctx->error, to, &out));
    const int64_t all = fgti_vocab_words(classifier->vocab), kept = words && words < all ? words : all;
    fgti_rows_cut rows = {FGTI_ID_WORDS + kept, all - kept};
    return classifier_save(classifier, &rows, &out);
}

/* ---- loading ---- */

/* A class's number is its index in the list. */
static fgt_status classifier_add_classes(fgt_classifier *c, const fgti_strings *names)
{
    for (int64_t number; c->info.classes < names->count; c->info.classes++) {
        FGTI_TRY(fgti_words_add(c->ctx, &c->classes, fgti_strings_get(names, c->info.classes),
                                fgti_strings_size(names, c->info.classes), &number));
        if (number != c->info.classes) break;
    }
    if (c->info.classes == names->count && names->count > 1) return FGT_OK;
    return fgti_fail(&c->ctx->error, FGT_E_FORMAT,
                     "\"classify.classes\" is not a list of two or more different names");
}

static fgt_status classifier_read_classes(fgt_classifier *c, const char *text)
{
    fgti_strings names = {0};
    fgt_status   s     = fgti_extra_read_names(c->ctx, "classify.classes", text, &names);
    if (s == FGT_OK) s = classifier_add_classes(c, &names);
    fgti_strings_done(c->ctx, &names);
    return s;
}

/* Files of earlier versions have no columns. */
static fgt_status read_like(fgt_classifier *c, const fgti_st *st)
{
    const char  *text    = fgti_st_meta(st, "classify.columns");
    fgti_strings columns = {0};
    fgt_status   s       = FGT_OK;
    if (text) s = fgti_extra_read_names(c->ctx, "classify.columns", text, &columns);
    if (s == FGT_OK && columns.count == 1)
        s = fgti_fail(&c->ctx->error, FGT_E_FORMAT, "\"classify.columns\" has no column of texts");
    if (s == FGT_OK) s = fgti_corpus_of(c->ctx, &c->classes.texts, &columns, &c->like);
    fgti_strings_done(c->ctx, &columns);
    return s;
}

static fgt_status read_vocab(fgt_classifier *c, const fgti_st *st, const char *text)
{
    /* files of earlier versions do not have `symbols`; this was its value */
    fgt_vocab_opts o = {.size = sizeof o, .symbols = FGT_VOCAB_SYMBOLS_SPACES};
    FGTI_TRY(fgti_config_read(&c->ctx->error, fgti_vocab_opts, text, &o));
    return fgti_vocab_read(c->ctx, st, "classify.words", &o, &c->vocab);
}

/* Reads n numbers. False: the text has anything else. */
static bool classifier_read_numbers(const char *text, int64_t n, double *v)
{
    for (int64_t i = 0; i < n; i++) {
        while (i && *text == ' ') text++;
        if (!fgti_number_read(&text, &v[i]) || !isfinite(v[i])) return false;
    }
    return !*text;
}

static fgt_status read_pixels(fgt_classifier *c, const fgti_st *st)
{
    fgti_error *err = &c->ctx->error;
    const char *vit = fgti_st_meta(st, "classify.vit");
    if (!vit) return fgti_fail(err, FGT_E_FORMAT, "\"classify.vit\" is missing");
    c->vit = (fgt_vit_opts){.size = sizeof c->vit, .prefix = FGTI_CLASSIFY_ENCODER};
    return fgti_config_read(err, fgti_vit_opts, vit, &c->vit);
}

/* Called after the model has been read, because the patches must divide its images. */
static fgt_status check_vit(fgt_classifier *c)
{
    fgti_error        *err   = &c->ctx->error;
    const fgti_shape   image = {c->info.height, c->info.width, c->info.channels};
    const fgt_vit_opts given = c->vit;
    int64_t            grid[2];
    fgt_status         s = fgti_vit_read(err, &given, &c->vit);
    if (s == FGT_OK) s = fgti_vit_patches(err, &c->vit, image, grid);
    if (s == FGT_OK && c->vit.pool == FGT_VIT_POOL_TOKENS)
        s = fgti_fail(err, FGT_E_FORMAT, "pool is FGT_VIT_POOL_TOKENS, which gives no classes");
    if (s != FGT_OK) fgti_error_prefix(err, "\"classify.vit\"");
    return s;
}

/* Called after the model has been read. */
static fgt_status read_scale(fgt_classifier *c, const fgti_st *st)
{
    const fgt_model_opts *o    = fgti_model_options(c->member[0]);
    const char           *mean = fgti_st_meta(st, "classify.mean");
    const char           *deviation = fgti_st_meta(st, "classify.deviation");
    fgti_error           *err       = &c->ctx->error;
    c->info.height   = o->nodes;
    c->info.width    = o->time;
    c->info.channels = o->features;
    if (o->features != 1 && o->features != FGTI_CHANNELS)
        return fgti_fail(err, FGT_E_FORMAT, "the model is for images of %lld channels",
                         (long long)o->features);
    if (!mean || !classifier_read_numbers(mean, o->features, c->mean))
        return fgti_fail(err, FGT_E_FORMAT, "\"classify.mean\" is not a number for each channel");
    bool good = deviation && classifier_read_numbers(deviation, o->features, c->deviation);
    for (int64_t k = 0; good && k < o->features; k++) good = c->deviation[k] > 0;
    return good ? check_vit(c)
                : fgti_fail(err, FGT_E_FORMAT,
                            "\"classify.deviation\" is not a positive number for each channel");
}

static fgt_status classifier_read_meta(fgt_classifier *c, const fgti_st *st)
{
    const char *format = fgti_st_meta(st, "classify.format");
    const char *classes = fgti_st_meta(st, "classify.classes"), *vocab = fgti_st_meta(st, "classify.vocab");
    fgti_error *err = &c->ctx->error;
    if (!format)
        return fgti_fail(err, FGT_E_FORMAT, "the file is %s, not a classifier", fgti_extra_kind(st));
    const bool images = !strcmp(format, IMAGES);
    c->labels         = !strcmp(format, LABELS);
    if (strcmp(format, FORMAT) && strcmp(format, JOINED) && !images && !c->labels)
        return fgti_fail(err, FGT_E_VERSION,
                         "classifier format %.20s is unknown; this library reads " FORMAT ", " JOINED
                         ", " IMAGES " and " LABELS,
                         format);
    if (!classes || (!images && !vocab))
        return fgti_fail(err, FGT_E_FORMAT, "\"classify.classes\" or \"classify.vocab\" is missing");
    FGTI_TRY(fgti_block_read(err, "classify.block", fgti_st_meta(st, "classify.block"), &c->info.block));
    FGTI_TRY(classifier_read_classes(c, classes));
    if (images) return read_pixels(c, st);
    FGTI_TRY(read_like(c, st));
    return read_vocab(c, st, vocab);
}

/* Finds the number of members from the tensors of the file. */
static int64_t count_members(const fgti_st *st)
{
    char    name[MEMBER_NAME];
    int64_t m = 0;
    do name_member(++m, name);
    while (fgti_st_find(st, name));
    return m;
}

/* Limits the number of members by the length of the file, so that a damaged file cannot ask for much memory.
 * Each member is a whole model, which takes about 1 KiB of memory for each layer. A file of
 * fgt_classifier_create() has far more than 64 bytes for each layer. */
static fgt_status classifier_check_members(const fgt_classifier *c, const fgti_st *st)
{
    const int64_t         layers = fgti_model_layers(c->member[0]);
    const int64_t         size   = fgti_model_slabs(c->member[0]).size;
    const fgti_st_tensor *t;
    char                  name[MEMBER_NAME];
    if (layers > 0 && c->members - 1 > (512 + st->size / 64) / layers)
        return fgti_fail(&c->ctx->error, FGT_E_FORMAT,
                         "%lld members of %lld layers are more than a file of %lld bytes can hold",
                         (long long)c->members, (long long)layers, (long long)st->size);
    for (int64_t m = 1; m < c->members; m++) {
        name_member(m, name);
        FGTI_TRY(fgti_st_expect(c->ctx, st, name, 1, &size, &t));
    }
    return FGT_OK;
}

/* Creates a member like the file's model and reads its weights. The error text contains the path
 * already. */
static fgt_status read_member(fgt_classifier *c, const fgti_st *st, const fgt_model_opts *opts, int64_t m)
{
    char name[MEMBER_NAME];
    FGTI_TRY(fgti_model_load_from(c->ctx, st, opts, &c->member[m]));
    if (!m) return FGT_OK;
    fgt_model *model = c->member[m];
    name_member(m, name);
    const fgti_slabs slabs = fgti_model_slabs(model);
    fgti_model_changed(model);
    return fgti_st_load_real(c->ctx, st, name, 1, &slabs.size, slabs.weights);
}

/* Checks that the model takes ids of the vocabulary, or images, and returns a logit for each class. */
static fgt_status classifier_check_model(const fgt_classifier *c)
{
    fgt_model         *m    = c->member[0];
    fgt_parameter_info row  = {.size = sizeof row};
    const fgt_view     out  = fgti_model_output_shape(m);
    bool               good = true;
    const int64_t features = fgti_model_options(m)->features, ids = c->vocab ? fgti_vocab_ids(c->vocab) : 0;
    if (c->vocab && features == 0) FGTI_TRY(fgt_model_get_parameter_info(m, "embedding.weight", 0, &row));
    if (c->vocab)
        good = row.shape.rank == 2 && row.shape.shape[0] == ids &&
               fgti_model_options(m)->time % fgti_vocab_bag(c->vocab) == 0;
    if (good && out.rank == 2 && out.shape[1] == c->info.classes) return FGT_OK;
    if (c->vocab)
        return fgti_fail(&c->ctx->error, FGT_E_FORMAT, "the model does not map %lld ids to %lld classes",
                         (long long)ids, (long long)c->info.classes);
    return fgti_fail(&c->ctx->error, FGT_E_FORMAT, "the model does not map images to %lld classes",
                     (long long)c->info.classes);
}

static fgt_status classifier_read_all(fgt_classifier *c, const fgti_st *st, const fgt_model_opts *opts)
{
    FGTI_TRY(classifier_read_meta(c, st));
    FGTI_TRY(read_member(c, st, opts, 0));
    if (!c->vocab) FGTI_TRY(read_scale(c, st));
    FGTI_TRY(classifier_check_model(c));
    FGTI_TRY(classifier_check_members(c, st));
    for (int64_t m = 1; m < c->members; m++) FGTI_TRY(read_member(c, st, opts, m));
    c->batch     = fgti_model_options(c->member[0])->batch;
    c->info.seed = fgti_model_options(c->member[0])->seed;
    if (c->vocab) c->info.tokens = fgti_model_options(c->member[0])->time / fgti_vocab_bag(c->vocab);
    return fgti_classifier_finish(c);
}

static fgt_status classifier_load(fgt_context *ctx, const fgti_input *in, const fgt_load_opts *opts,
                                  fgt_classifier **out)
{
    fgt_model_opts model;
    fgti_st *st;
    FGTI_TRY(fgti_extra_open(ctx, in, opts, &model, &st));
    fgt_status s = fgti_classifier_new(ctx, count_members(st), out);
    if (s == FGT_OK) s = classifier_read_all(*out, st, &model);
    if (s != FGT_OK) fgt_classifier_destroy(out);
    return fgti_extra_loaded(ctx, &st, s);
}

fgt_status fgt_classifier_load(fgt_context *ctx, const fgt_input *from, const fgt_load_opts *opts,
                               fgt_classifier **classifier)
{
    fgti_input in;
    if (classifier) *classifier = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!classifier) return fgti_fail(&ctx->error, FGT_E_ARG, "classifier: result pointer is NULL");
    FGTI_TRY(fgti_input_from(&ctx->error, from, &in));
    return classifier_load(ctx, &in, opts, classifier);
}
