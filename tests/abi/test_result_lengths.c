/* SPDX-License-Identifier: BSD-3-Clause */
/* Every struct that the library fills for its caller, asked for in all lengths: by a program that was
 * compiled against an older header (a shorter struct) or a newer one (a longer struct). */
#include <stdalign.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <fighter/experimental/layer.h>
#include <fighter/experimental/ntk.h>
#include <fighter/experimental/search.h>
#include <fighter/experimental/sensitivity.h>
#include <fighter/experimental/tracker.h>
#include <fighter/fighter.h>
#include <fighter/tasks.h>

enum { ROWS = 60, TIME = 4, LIMIT = 4096 };

/* One object of each kind that reports something. */
typedef struct world {
    fgt_context    *ctx;
    fgt_model      *model;
    fgt_ntk        *ntk;
    fgt_model      *attending;
    fgt_tracker    *tracker; /* of it, with a record */
    fgt_attent     *attent;
    fgt_forecaster *forecaster;
    fgt_table      *table;
    fgt_corpus     *corpus;
    fgt_classifier *classifier; /* NULL in a build without texts */
} world;

/* ---- the calls ---- */

static fgt_status build_info(world *w, void *out)
{
    return fgt_context_get_info(w->ctx, out);
}

static fgt_status get_samples(void *user, const int64_t *index, int64_t n, const fgt_view *x,
                              const fgt_view *target)
{
    (void)user;
    for (int64_t i = 0; i < n * TIME; i++)
        ((float *)x->data)[i] = ((float *)target->data)[i] = (float)(index[i / TIME] % 5);
    return FGT_OK;
}

static fgt_status layer_info(world *w, void *out)
{
    return fgt_model_get_layer(w->model, 0, out);
}

static fgt_status fit_report(world *w, void *out)
{
    const fgt_source   train = {.size = sizeof train, .count = 4, .get = get_samples};
    const fgt_fit_opts opts  = {.size = sizeof opts, .train = &train, .training.epochs = 1};
    return fgt_model_fit(w->model, &opts, out);
}

static fgt_status path_bounds(world *w, void *out)
{
    static const float       one[1] = {1};
    const fgt_view           v      = *FGT_VIEW(one, 1, 1);
    const fgt_attention_head head   = {
        .size = sizeof head, .x = &v, .a = &v, .wq = &v, .wk = &v, .wv = &v};
    return fgt_attention_path_compute_bounds(w->ctx, &head, FGT_SENSITIVITY_NORM_FROBENIUS, out);
}

static fgt_status tracker_row(world *w, void *out)
{
    return fgt_tracker_get_row(w->tracker, 0, out);
}

static fgt_status ntk_report(world *w, void *out)
{
    return fgt_ntk_compute(w->ntk, out);
}

static fgt_status ntk_bound(world *w, void *out)
{
    return fgt_ntk_get_bound(w->ntk, 1, out);
}

static fgt_status gradient_report(world *w, void *out)
{
    static const float x[2 * TIME] = {1, 2, 3, 4, 5, 6, 7, 8};
    return fgt_model_check_gradient(w->model, FGT_VIEW(x, 2, TIME, 1), NULL, out);
}

static fgt_status model_info(world *w, void *out)
{
    return fgt_model_get_info(w->model, out);
}

static fgt_status parameter_info(world *w, void *out)
{
    return fgt_model_get_parameter_info(w->model, NULL, 0, out);
}

static fgt_status attent_step(world *w, void *out)
{
    return fgt_attent_begin_epoch(w->attent, out);
}

static fgt_status attent_get(world *w, void *out)
{
    return fgt_attent_get_subset(w->attent, out);
}

static fgt_status forecaster_info(world *w, void *out)
{
    return fgt_forecaster_get_info(w->forecaster, out);
}

static fgt_status search_report(world *w, void *out)
{
    const fgt_forecaster_opts base = {.size = sizeof base, .input_len = TIME, .pred_len = 1};
    const fgt_search_opts     opts = {.size = sizeof opts, .forecaster = &base, .seconds = -1};
    const fgt_split           split = {0, ROWS / 2, ROWS / 2, ROWS, 0, 0};
    fgt_forecaster           *found = NULL;
    const fgt_status          s     = fgt_forecaster_search(w->ctx, w->table, &split, &opts, &found, out);
    fgt_forecaster_destroy(&found);
    return s;
}

static fgt_status classifier_info(world *w, void *out)
{
    return fgt_classifier_get_info(w->classifier, out);
}

static fgt_status vocab_info(world *w, void *out)
{
    return fgt_vocab_get_info(fgt_classifier_get_vocab(w->classifier), out);
}

static fgt_status corpus_info(world *w, void *out)
{
    return fgt_corpus_get_info(fgt_classifier_get_corpus(w->classifier), out);
}

static fgt_status table_info(world *w, void *out)
{
    return fgt_table_get_info(w->table, out);
}

static fgt_status row_info(world *w, void *out)
{
    return fgt_table_get_row_info(w->table, 1, out);
}

static fgt_status column_info(world *w, void *out)
{
    return fgt_table_get_column_info(w->table, 0, out);
}

static const struct result {
    const char *name;
    size_t      size;
    int         same; /* the call gives the same values every time */
    int         texts;
    fgt_status (*call)(world *w, void *out);
} results[] = {
    {"fgt_build_info", sizeof(fgt_build_info), 1, 0, build_info},
    {"fgt_model_info", sizeof(fgt_model_info), 1, 0, model_info},
    {"fgt_layer_info", sizeof(fgt_layer_info), 1, 0, layer_info},
    {"fgt_parameter_info", sizeof(fgt_parameter_info), 1, 0, parameter_info},
    {"fgt_fit_report", sizeof(fgt_fit_report), 0, 0, fit_report},
    {"fgt_ntk_report", sizeof(fgt_ntk_report), 0, 0, ntk_report},
    {"fgt_ntk_bound", sizeof(fgt_ntk_bound), 1, 0, ntk_bound},
    {"fgt_attention_path_bounds", sizeof(fgt_attention_path_bounds), 1, 0, path_bounds},
    {"fgt_tracker_row", sizeof(fgt_tracker_row), 1, 0, tracker_row},
    {"fgt_gradient_report", sizeof(fgt_gradient_report), 0, 0, gradient_report},
    {"fgt_attent_subset of a step", sizeof(fgt_attent_subset), 0, 0, attent_step},
    {"fgt_attent_subset", sizeof(fgt_attent_subset), 1, 0, attent_get},
    {"fgt_forecaster_info", sizeof(fgt_forecaster_info), 1, 0, forecaster_info},
    {"fgt_search_report", sizeof(fgt_search_report), 0, 0, search_report},
    {"fgt_classifier_info", sizeof(fgt_classifier_info), 1, 1, classifier_info},
    {"fgt_table_info", sizeof(fgt_table_info), 1, 0, table_info},
    {"fgt_table_row_info", sizeof(fgt_table_row_info), 1, 0, row_info},
    {"fgt_table_column_info", sizeof(fgt_table_column_info), 1, 0, column_info},
    {"fgt_vocab_info", sizeof(fgt_vocab_info), 1, 1, vocab_info},
    {"fgt_corpus_info", sizeof(fgt_corpus_info), 1, 1, corpus_info},
};

/* ---- the check ---- */

#define CANARY 0xA5

static int complain(const struct result *r, size_t size, const char *what)
{
    printf("%s of %zu bytes (the library has %zu): %s\n", r->name, size, r->size, what);
    return 1;
}

static int all_are(const unsigned char *p, size_t n, unsigned char value)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != value) return 0;
    return 1;
}

/* full: what the call gives to a struct of our size. */
static int check(world *w, const struct result *r, size_t size, const unsigned char *full)
{
    static alignas(max_align_t) unsigned char out[2 * LIMIT];

    const int            good   = size >= sizeof(size_t) && size <= LIMIT;
    const size_t         shared = size < r->size ? size : r->size;
    size_t               kept;
    int                  bad = 0;
    memset(out, CANARY, sizeof out);
    memcpy(out, &size, sizeof size);
    const fgt_status s = r->call(w, out);
    memcpy(&kept, out, sizeof kept);
    if (s != (good ? FGT_OK : FGT_E_VERSION)) bad += complain(r, size, fgt_status_get_name(s));
    if (kept != size) bad += complain(r, size, "the caller's size has changed");
    if (!good && !all_are(out + sizeof size, LIMIT, CANARY)) bad += complain(r, size, "was written");
    if (!good) return bad;
    if (!all_are(out + size, LIMIT, CANARY)) bad += complain(r, size, "more was written than there is");
    if (size > r->size && !all_are(out + r->size, size - r->size, 0))
        bad += complain(r, size, "a field that only the caller knows is not zero");
    if (r->same && memcmp(out + sizeof size, full + sizeof size, shared - sizeof size) != 0)
        bad += complain(r, size, "not the values of the whole struct");
    return bad;
}

static int check_all(world *w, const struct result *r)
{
    static alignas(max_align_t) unsigned char full[LIMIT];

    const size_t         longer[] = {r->size + 8, r->size + 64, LIMIT};
    const size_t         wrong[] = {0, 1, sizeof(size_t) - 1, LIMIT + 1};
    int                  bad      = 0;
    memcpy(full, &r->size, sizeof r->size);
    if (r->call(w, full) != FGT_OK) return complain(r, r->size, fgt_context_get_error(w->ctx));
    for (size_t size = sizeof(size_t); size <= r->size; size += 8) bad += check(w, r, size, full);
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) bad += check(w, r, longer[i], full);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) bad += check(w, r, wrong[i], full);
    return bad;
}

/* ---- the objects ---- */

static fgt_status make_forecaster(world *w)
{
    static float              values[ROWS];
    const char *const         name = "load";
    const fgt_forecaster_opts opts = {
        .size = sizeof opts, .input_len = 8, .pred_len = 2, .tokens.dim = 4, .block.kind = FGT_BLOCK_LINEAR};
    fgt_split                 split = {0};
    for (int i = 0; i < ROWS; i++) values[i] = (float)(i % 7);
    fgt_status s = fgt_table_create(w->ctx, &name, FGT_VIEW(values, ROWS, 1), &w->table);
    if (s == FGT_OK) s = fgt_split_compute(w->ctx, ROWS, NULL, &split);
    if (s == FGT_OK) s = fgt_forecaster_create(w->ctx, w->table, &split, &opts, &w->forecaster);
    return s;
}

static fgt_status make_classifier(world *w)
{
    static const char *const text[] = {"the cat", "the sun", "a cat", "a sun"};
    static const char *const name[] = {"animal", "star", "animal", "star"};
    fgt_status               s      = fgt_corpus_create(w->ctx, text, name, 4, NULL, &w->corpus);
    if (s == FGT_OK) s = fgt_classifier_create(w->ctx, FGT_TEXTS(w->corpus), NULL, &w->classifier);
    return s == FGT_E_UNSUPPORTED ? FGT_OK : s;
}

static fgt_status make(world *w)
{
    static const float    x[2 * TIME] = {1, 2, 3, 4, 5, 6, 7, 8};
    const fgt_model_opts  opts        = {.size = sizeof opts, .batch = 2, .time = TIME, .features = 1};
    const fgt_attent_opts attent      = {
             .size = sizeof attent, .samples = 9, .epochs = 1000, .strategy = FGT_ATTENT_STRATEGY_RANDOM};
    fgt_status            s           = fgt_context_create(NULL, &w->ctx);
    if (s == FGT_OK) s = fgt_model_create(w->ctx, &opts, &w->model);
    if (s == FGT_OK) s = fgt_model_add(w->model, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 1)));
    if (s == FGT_OK) s = fgt_ntk_create(w->model, NULL, FGT_VIEW(x, 2, TIME, 1), &w->ntk);
    if (s == FGT_OK) s = fgt_attent_create(w->ctx, &attent, &w->attent);
    if (s == FGT_OK) s = fgt_model_create(w->ctx, &opts, &w->attending);
    if (s == FGT_OK) s = fgt_model_add(w->attending, fgt_fighter(NULL));
    if (s == FGT_OK) s = fgt_tracker_create(w->attending, NULL, FGT_VIEW(x, 2, TIME, 1), &w->tracker);
    if (s == FGT_OK) s = fgt_tracker_record(w->tracker, NULL);
    if (s == FGT_OK) s = make_forecaster(w);
    return s == FGT_OK ? make_classifier(w) : s;
}

static void destroy(world *w)
{
    fgt_classifier_destroy(&w->classifier);
    fgt_corpus_destroy(&w->corpus);
    fgt_forecaster_destroy(&w->forecaster);
    fgt_table_destroy(&w->table);
    fgt_attent_destroy(&w->attent);
    fgt_ntk_destroy(&w->ntk);
    fgt_tracker_destroy(&w->tracker);
    fgt_model_destroy(&w->attending);
    fgt_model_destroy(&w->model);
    fgt_context_destroy(&w->ctx);
}

int main(void)
{
    world w   = {0};
    int   bad = 0;
    if (make(&w) != FGT_OK) bad = printf("set-up: %s\n", fgt_context_get_error(w.ctx));
    for (size_t i = 0; !bad && i < sizeof results / sizeof *results; i++) {
        if (results[i].texts && !w.classifier)
            printf("%s: skipped, this build has no texts\n", results[i].name);
        else
            bad += check_all(&w, &results[i]);
    }
    destroy(&w);
    return bad != 0;
}
