/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects that the calls of the table work on, and how one of the calls is made. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fighter/experimental/corpus_file.h>
#include <fighter/experimental/graph_data.h>
#include <fighter/experimental/ntk.h>
#include <fighter/experimental/report.h>
#include <fighter/experimental/table_file.h>
#include <fighter/experimental/tracker.h>
#include <fighter/experimental/vit.h>

#include "../model_info.h"
#include "entries.h"

static struct {
    const char *what;
    int64_t     number;
} doing = {"opening", 0};

void entry_now(const char *what, int64_t number)
{
    doing.what   = what;
    doing.number = number;
}

_Noreturn void broken(const char *format, ...)
{
    va_list list;
    fprintf(stderr, "%s, %lld: ", doing.what, (long long)doing.number);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    exit(1);
}

void must(fgt_context *ctx, fgt_status s)
{
    if (s != FGT_OK) broken("%s: %s", fgt_status_get_name(s), fgt_context_get_error(ctx));
}

const char *in(world *w, const char *name)
{
    char *p = w->path[w->next_path++ % 8];
    snprintf(p, sizeof w->path[0], "%s/%s", w->dir, name);
    return p;
}

/* ---- digests ---- */

/* FNV-1a */
void see(world *w, const void *data, size_t size)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < size; i++) w->digest = (w->digest ^ p[i]) * UINT64_C(0x100000001b3);
}

void see_text(world *w, const char *text)
{
    if (!text) broken("a name is NULL");
    see(w, text, strlen(text) + 1);
}

void see_view(world *w, const fgt_view *v)
{
    static const size_t size[] = {4, 8, 4, 8};
    see(w, v->shape, (size_t)v->rank * sizeof v->shape[0]);
    if (v->data) see(w, v->data, (size_t)fgt_view_count(v) * size[v->dtype]);
}

/* ---- files ---- */

bytes read_whole(const char *path)
{
    bytes b = {NULL, 0};
    FILE *f = fopen(path, "rb");
    if (!f) return b;
    fseek(f, 0, SEEK_END);
    b.size = ftell(f);
    rewind(f);
    b.data = malloc((size_t)b.size + 1);
    if (!b.data || fread(b.data, 1, (size_t)b.size, f) != (size_t)b.size) broken("cannot read %s", path);
    b.data[b.size] = 0;
    fclose(f);
    return b;
}

/* A new file: some file systems write an old one to the disk before they empty it, which takes long. */
void write_whole(const char *path, const void *data, size_t size)
{
    unlink(path);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f)) broken("cannot write %s", path);
}

static const char old_file[] = "old";

bool is_old_file(bytes now)
{
    return now.size == sizeof old_file && !memcmp(now.data, old_file, sizeof old_file);
}

/* The checkpoint of a training has the seconds that it took, a double, and so a hash, 16 digits. */
bool is_new_file(const entry *e, bytes now, bytes whole)
{
    int64_t other = 0;
    if (now.size != whole.size) return false;
    for (int64_t i = 0; i < now.size; i++) other += now.data[i] != whole.data[i];
    return other <= (e->needs & TRAINS ? 8 + 16 : 0);
}

/* ---- samples ---- */

float sample_x[B * T * D], sample_y[B * T * OUT], sample_known[B * T * D];

const char *const sample_classes[TEXTS] = {"north", "south", "north", "south", "north", "south",
                                           "north", "south", "north", "south", "north", "south"};
const char *const sample_texts[TEXTS]   = {
    "ice and snow",    "sand and sun",  "snow on the ice", "the sun on sand", "ice bear", "desert fox",
    "Schnee und Eis",  "Sand und Sonne", "cold ice",       "hot sand",        "snow",     "sun"};

static fgt_status get(void *user, const int64_t *index, int64_t n, const fgt_view *x, const fgt_view *target)
{
    const int64_t in_each = fgt_view_count(x) / n, out_each = fgt_view_count(target) / n;
    (void)user;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < in_each; k++)
            ((float *)x->data)[i * in_each + k] = (float)sin((double)(index[i] * 7 + k));
        for (int64_t k = 0; k < out_each; k++)
            ((float *)target->data)[i * out_each + k] = (float)cos((double)(index[i] * 5 + k));
    }
    return FGT_OK;
}

fgt_source sample_source(void)
{
    return (fgt_source){.size = sizeof(fgt_source), .count = SAMPLES, .get = get};
}

static void samples_init(void)
{
    for (int i = 0; i < B * T * D; i++) {
        sample_x[i]     = (float)sin(i);
        sample_known[i] = (float)cos(i);
    }
    for (int i = 0; i < B * T * OUT; i++) sample_y[i] = (float)cos(3 * i);
}

/* ---- the models ---- */

static const fgt_model_opts model_shape = {.size = sizeof model_shape, .batch = B, .time = T, .features = D,
                                           .seed = 5};

/* x -+- linear - transformer - gru -+- sum - linear, all but x with a known value beside it */
static void build_graph(world *w, fgt_model **m)
{
    const fgt_transformer_opts attention = {.size = sizeof attention, .heads = 2, .ff = 4};
    must(w->ctx, fgt_model_create(w->ctx, &model_shape, m));
    must(w->ctx, fgt_model_add(*m, fgt_named("wide", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 4)))));
    must(w->ctx, fgt_model_add(*m, fgt_named("attention", fgt_transformer(&attention))));
    must(w->ctx, fgt_model_add(*m, fgt_named("state", fgt_gru(&FGT_OPTS(fgt_gru_opts, .hidden = D)))));
    must(w->ctx, fgt_model_add(*m, fgt_named("known", fgt_value(NULL))));
    must(w->ctx,
         fgt_model_add_from(*m, fgt_named("both", fgt_sum(NULL)), (const char *[]){"state", "known"}, 2));
    must(w->ctx, fgt_model_add(*m, fgt_named("out", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = OUT)))));
}

static void build_chain(world *w, fgt_model **m)
{
    must(w->ctx, fgt_model_create(w->ctx, &model_shape, m));
    must(w->ctx, fgt_model_add(*m, fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .hops = 2))));
    must(w->ctx, fgt_model_add(*m, fgt_dropout(&FGT_OPTS(fgt_dropout_opts, .p = 0.25f))));
    must(w->ctx, fgt_model_add(*m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = OUT))));
}

/* Its file in memory and, as `name`, in the directory; to: the form of the path that the call takes. */
#define KEEP(w, kind, object, bytes, name)                                         \
    do {                                                                           \
        must((w)->ctx, fgt_##kind##_save((object), FGT_TO_FILE(in((w), (name))))); \
        (w)->bytes = read_whole(in((w), (name)));                                  \
    } while (0)

static void keep_models(world *w)
{
    fgt_model *m;
    build_graph(w, &m);
    KEEP(w, model, m, graph, "graph");
    fgt_model_destroy(&m);
    build_chain(w, &m);
    KEEP(w, model, m, chain, "chain");
    fgt_model_destroy(&m);
}

/* ---- data ---- */

/* Two images [2,2] and their labels. */
static void write_images(world *w)
{
    static const unsigned char images[] = {0, 0, 8, 3, 0,  0, 0, 2,  0,  0,  0,  2,
                                           0, 0, 0, 2, 10, 0, 0, 77, 20, 255, 9, 1};
    static const unsigned char labels[] = {0, 0, 8, 1, 0, 0, 0, 2, 1, 0};
    write_whole(in(w, "images.idx3"), images, sizeof images);
    write_whole(in(w, "labels.idx1"), labels, sizeof labels);
}

static void write_tables(world *w)
{
    FILE *f = fopen(in(w, "table.csv"), "w");
    if (!f) broken("cannot write %s", w->dir);
    fprintf(f, "date,a,b,c\n");
    for (int i = 0; i < ROWS; i++)
        fprintf(f, "2016-07-%02d %02d:00,%g,%g,%g\n", 1 + i / 24, i % 24, sin(i), cos(i * 0.7), i * 0.25);
    fclose(f);
    f = fopen(in(w, "texts.csv"), "w");
    if (!f) broken("cannot write %s", w->dir);
    for (int i = 0; i < TEXTS; i++) fprintf(f, "%d,\"%s\",more\n", 1 + i % 2, sample_texts[i]);
    fclose(f);
    f = fopen(in(w, "long.csv"), "w");
    if (!f) broken("cannot write %s", w->dir);
    fprintf(f, "unique_id,ds,y,price\n");
    for (int i = 0; i < ROWS; i++)
        fprintf(f, "%s,2016-07-%02d,%g,%d\n", i % 2 ? "a" : "b", 1 + i / 2, sin(i), i);
    fclose(f);
    write_whole(in(w, "beside.csv"), "date,x\n2016-07-03,1\n2016-07-04,2\n", 32);
    write_whole(in(w, "graph.csv"), "1,0.5,0\n0.5,1,2\n0,2,1\n", 22);
    write_whole(in(w, "named.csv"), "of,b,a,c\nb,1,0.5,2\nc,2,0,1\na,0.5,1,0\n", 37);
    write_images(w);
    write_whole(in(w, "edges.csv"), "from,to,cost\nb,c,2\na,b,0.5\nc,b,2\n", 33);
}

static void put_le(unsigned char *to, uint32_t value, int n)
{
    for (int i = 0; i < n; i++) to[i] = (unsigned char)(value >> 8 * i);
}

/* The same table as a gzip file of one block that is stored as it is (RFC 1951, 3.2.4; RFC 1952). */
static void write_gzip(world *w)
{
    static const unsigned char head[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1};
    unsigned char              file[4096];
    const bytes                b     = read_whole(in(w, "table.csv"));
    const size_t               n     = (size_t)b.size, block = sizeof head + 4;
    uint32_t                   check = ~UINT32_C(0);
    if (n + block + 8 > sizeof file) broken("the table is too long");
    for (size_t i = 0; i < n; i++) {
        check ^= (unsigned char)b.data[i];
        for (int bit = 0; bit < 8; bit++) check = check >> 1 ^ (check & 1 ? UINT32_C(0xedb88320) : 0);
    }
    memcpy(file, head, sizeof head);
    put_le(file + sizeof head, (uint32_t)n | ~(uint32_t)n << 16, 4);
    memcpy(file + block, b.data, n);
    put_le(file + block + n, ~check, 4);
    put_le(file + block + n + 4, (uint32_t)n, 4);
    write_whole(in(w, "table.gz"), file, block + n + 8);
    free(b.data);
}

static void make_data(world *w)
{
    const fgt_vocab_opts words = {.size = sizeof words, .min_count = 1};
    must(w->ctx, fgt_table_load(w->ctx, in(w, "table.csv"), NULL, &w->all.table));
    must(w->ctx, fgt_table_save(w->all.table, in(w, "table.fgt")));
    must(w->ctx, fgt_scaler_create(w->ctx, COLUMNS, &w->all.scaler));
    const fgt_view values = fgt_table_get_values(w->all.table);
    must(w->ctx, fgt_scaler_fit(w->all.scaler, &values, 0, ROWS));
    must(w->ctx, fgt_windows_create(w->ctx, &values,
                                    &FGT_OPTS(fgt_windows_opts, .input_len = T, .pred_len = 2),
                                    &w->all.windows));
    must(w->ctx, fgt_graph_load(w->ctx, in(w, "graph.csv"), NULL, &w->all.graph));
    must(w->ctx, fgt_images_load(w->ctx, in(w, "images.idx3"),
                                 &FGT_OPTS(fgt_images_opts, .labels = in(w, "labels.idx1")), &w->all.images));
    must(w->ctx, fgt_corpus_create(w->ctx, sample_texts, sample_classes, TEXTS, NULL, &w->all.corpus));
    must(w->ctx, fgt_corpus_save(w->all.corpus, in(w, "texts.fgc")));
    must(w->ctx, fgt_vocab_create(w->all.corpus, &words, &w->all.vocab));
    must(w->ctx, fgt_encoding_create(w->all.vocab, w->all.corpus, T, &w->all.encoding));
}

static void keep_applications(world *w)
{
    const fgt_vocab_opts words = {.size = sizeof words, .min_count = 1};
    fgt_split            split;
    fgt_forecaster      *f;
    fgt_classifier      *c;
    must(w->ctx, fgt_split_compute(w->ctx, ROWS, NULL, &split));
    must(w->ctx,
         fgt_forecaster_create(w->ctx, w->all.table, &split,
                               &FGT_OPTS(fgt_forecaster_opts, .input_len = 8, .pred_len = 2, .tokens.dim = 4,
                                         .tokens.patch = 4, .batch = 4, .tokens.revin = 1),
                               &f));
    KEEP(w, forecaster, f, forecaster, "forecaster");
    fgt_forecaster_destroy(&f);
    must(w->ctx, fgt_classifier_create(
                     w->ctx, FGT_TEXTS(w->all.corpus),
                     &FGT_OPTS(fgt_classifier_opts, .vocab = &words, .tokens = 6, .dim = 4, .batch = 4), &c));
    KEEP(w, classifier, c, classifier, "classifier");
    fgt_classifier_destroy(&c);
}

static void make_checkpoints(world *w)
{
    const fgt_source source = sample_source();
    fgt_model       *m;
    must(w->ctx, fgt_model_load(w->ctx, FGT_FROM_FILE(in(w, "chain")), NULL, &m));
    must(w->ctx, fgt_model_fit(
                     m,
                     &FGT_OPTS(fgt_fit_opts, .train = &source,
                               .training = {.epochs = 1, .patience = -1, .checkpoint = in(w, "checkpoint")}),
                     NULL));
    fgt_optim *adam;
    int64_t    place = 7;
    must(w->ctx, fgt_optim_create(m, &FGT_OPTS(fgt_optim_opts, .lr = 0), &adam));
    must(w->ctx, fgt_checkpoint_save(&FGT_OPTS(fgt_checkpoint, .optim = adam, .data = &place,
                                               .data_size = sizeof place),
                                     in(w, "loop")));
    fgt_optim_destroy(&adam);
    fgt_model_destroy(&m);
}

/* ---- open and closed ---- */

static void destroy(things *t)
{
    fgt_ntk_destroy(&t->ntk);
    fgt_adjacency_destroy(&t->adjacency);
    fgt_tracker_destroy(&t->tracker);
    fgt_optim_destroy(&t->optim);
    fgt_attent_destroy(&t->attent);
    fgt_arrays_destroy(&t->arrays);
    fgt_workspace_destroy(&t->workspace);
    fgt_predictor_destroy(&t->predictor);
    fgt_model_destroy(&t->model);
    fgt_forecaster_destroy(&t->forecaster);
    fgt_masked_autoencoder_destroy(&t->masked);
    fgt_report_destroy(&t->report);
    fgt_classifier_destroy(&t->classifier);
    fgt_encoding_destroy(&t->encoding);
    fgt_vocab_destroy(&t->vocab);
    fgt_images_destroy(&t->images);
    fgt_corpus_destroy(&t->corpus);
    fgt_windows_destroy(&t->windows);
    fgt_graph_destroy(&t->graph);
    fgt_scaler_destroy(&t->scaler);
    fgt_series_destroy(&t->series);
    fgt_table_destroy(&t->table);
    fgt_context_destroy(&t->context);
}

static const char *const file_names[FILES] = {"table.csv", "table.gz",   "texts.csv",  "graph.csv",
                                              "graph",     "chain",      "loop",       "checkpoint",
                                              "forecaster", "classifier", "long.csv",   "beside.csv",
                                              "named.csv", "edges.csv",  "table.fgt",  "texts.fgc",
                                              "images.idx3", "labels.idx1"};

void world_restore(world *w)
{
    for (int i = 0; i < FILES; i++)
        write_whole(in(w, file_names[i]), w->file[i].data, (size_t)w->file[i].size);
}

void world_open(world *w, const fgt_context_opts *opts)
{
    *w           = (world){.dir = "/tmp/fighter-campaign-XXXXXX"};
    w->opts      = *opts;
    w->opts.size = sizeof w->opts;
    if (!mkdtemp(w->dir)) broken("no directory");
    if (fgt_context_create(&w->opts, &w->ctx) != FGT_OK) broken("no context");
    samples_init();
    write_tables(w);
    write_gzip(w);
    make_data(w);
    keep_models(w);
    keep_applications(w);
    make_checkpoints(w);
    for (int i = 0; i < FILES; i++) w->file[i] = read_whole(in(w, file_names[i]));
}

void world_leave(world *w)
{
    destroy(&w->all);
    fgt_context_destroy(&w->ctx);
}

void world_close(world *w)
{
    world_leave(w);
    free(w->graph.data);
    free(w->chain.data);
    free(w->forecaster.data);
    free(w->classifier.data);
    for (int i = 0; i < FILES; i++) {
        free(w->file[i].data);
        unlink(in(w, file_names[i]));
    }
    unlink(in(w, "out"));
    if (rmdir(w->dir)) broken("something is left in %s", w->dir);
}

/* ---- one call ---- */

static const entry_table *const tables[] = {&data_entries, &text_entries, &image_entries, &model_entries,
                                            &train_entries, &analysis_entries, &report_entries,
                                            &files_entries, &adapter_entries};

const entry *entry_at(int64_t i)
{
    for (int64_t t = 0; t < LENGTH(tables); i -= tables[t++]->count)
        if (i < tables[t]->count) return &tables[t]->entry[i];
    return NULL;
}

void entry_before(world *w, const entry *e)
{
    fgt_split none;
    if (e->needs & (GRAPH | CHAIN)) {
        const bytes *b = e->needs & GRAPH ? &w->graph : &w->chain;
        must(w->ctx, fgt_model_load(w->ctx, FGT_FROM_MEMORY(b->data, b->size), NULL, &w->fresh.model));
    }
    if (e->needs & FORECASTER)
        must(w->ctx, fgt_forecaster_load(w->ctx, FGT_FROM_MEMORY(w->forecaster.data, w->forecaster.size),
                                         NULL, &w->fresh.forecaster));
    if (e->needs & CLASSIFIER)
        must(w->ctx, fgt_classifier_load(w->ctx, FGT_FROM_MEMORY(w->classifier.data, w->classifier.size),
                                         NULL, &w->fresh.classifier));
    if (e->needs & WRITES) {
        write_whole(in(w, "out"), old_file, sizeof old_file);
        if (chmod(in(w, "out"), 0600)) broken("no permission to take permissions");
    }
    /* a sentence of an earlier call must not pass for one of this call */
    if (fgt_split_compute(w->ctx, -1, NULL, &none) == FGT_OK) broken("-1 rows were split");
    snprintf(w->old, sizeof w->old, "%s", fgt_context_get_error(w->ctx));
}

fgt_status entry_call(world *w, const entry *e)
{
    w->digest  = UINT64_C(0xcbf29ce484222325);
    w->said[0] = 0;
    return e->call(w);
}

const char *entry_error(const world *w)
{
    const fgt_context *ctx  = w->made.context ? w->made.context : w->ctx;
    const char        *text = fgt_context_get_error(ctx);
    if (w->said[0]) return w->said;
    return strcmp(text, w->old) ? text : "";
}

void entry_said(world *w, fgt_status s, const char *text)
{
    if (s != FGT_OK) snprintf(w->said, sizeof w->said, "%s", text);
}

void entry_undo(world *w)
{
    destroy(&w->made);
}

void entry_after(world *w)
{
    entry_undo(w);
    destroy(&w->fresh);
}

uint64_t entry_run(world *w, const entry *e)
{
    entry_before(w, e);
    const fgt_status s = entry_call(w, e);
    if (s != FGT_OK) broken("%s: %s: %s", e->names, fgt_status_get_name(s), entry_error(w));
    entry_after(w);
    return w->digest;
}

uint64_t entry_given(const world *w)
{
    const fgt_model *m = w->fresh.model;
    if (w->fresh.forecaster) m = fgt_forecaster_get_model(w->fresh.forecaster);
    if (w->fresh.classifier) m = fgt_classifier_get_model(w->fresh.classifier);
    return fgt_model_get_hash(m) + (uint64_t)model_info(m).layers;
}

void entry_repeat(world *w, const entry *e, uint64_t given, uint64_t digest)
{
    if (entry_given(w) != given && !(e->needs & MOVES)) broken("what was given has changed");
    entry_undo(w);
    const fgt_status s = entry_call(w, e);
    if (s != FGT_OK || w->digest != digest)
        broken("repeated: %s: %s", fgt_status_get_name(s), entry_error(w));
}
