/* SPDX-License-Identifier: BSD-3-Clause */
/* The tokens that a saved model reads, as a graph for other programs to draw:
 *     model_graph MODEL DATA OUT [EDGES]
 *     dot -Tsvg OUT.dot -o graph.svg
 * MODEL is a file of `fighter-forecast --save`, with tokens that are time steps or series, or of
 * `fighter-classify --save`. DATA is a file of the same kind as its training data; its last window or first
 * text is predicted. Writes the EDGES (default: 2) strongest edges of each token to OUT.csv, OUT.dot and
 * OUT.graphml: edges of A, as the mean over the heads of the first layer that attends. Nodes have the names
 * of series, dates or words.
 *     cc 17_model_graph.c $(pkg-config --cflags --libs fighter-tasks) */
#include <fighter/experimental/evaluate.h>
#include <fighter/experimental/exact.h>
#include <fighter/fighter.h>
#include <fighter/tasks.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fgt_context *ctx;

static void check(fgt_status status)
{
    if (status == FGT_OK) return;
    fprintf(stderr, "model_graph: %s: %s\n", fgt_status_get_name(status), fgt_context_get_error(ctx));
    exit(1);
}

static void *need(int64_t count, size_t size)
{
    void *memory = calloc(count > 0 ? (size_t)count : 1, size);
    if (memory) return memory;
    fprintf(stderr, "model_graph: no memory\n");
    exit(1);
}

/* The tokens of a pass; in its matrices they come first, and for a text padding follows. */
typedef struct tokens {
    int64_t      count;
    const char **name; /* [count], NULL if a token has no name */
} tokens;

/* ---- the pass ---- */

static tokens forecast(fgt_forecaster *f, const fgt_table *table)
{
    fgt_forecaster_info info = {.size = sizeof info};
    check(fgt_forecaster_get_info(f, &info));
    check(fgt_forecaster_set_exact(f, 1)); /* A is read after the pass */
    if (info.tokens == FGT_TOKENS_PATCH) {
        fprintf(stderr, "model_graph: tokens are patches; train with --tokens time or variate\n");
        exit(1);
    }
    const bool    time = info.tokens == FGT_TOKENS_TIME;
    const int64_t row  = fgt_forecaster_find_row(f, table);
    tokens        t    = {.count = time ? info.input_len : info.columns + info.past};
    double       *y    = need(info.pred_len * info.columns, sizeof *y);
    check(fgt_forecaster_predict_table(f, table, row, NULL,
                                       FGT_VIEW_OF(FGT_DTYPE_F64, y, info.pred_len, info.columns)));
    free(y);
    t.name = need(t.count, sizeof *t.name);
    for (int64_t i = 0; i < t.count; i++)
        t.name[i] = time ? fgt_table_get_name(table, FGT_TABLE_NAME_ROW, row - t.count + i)
                         : fgt_forecaster_get_name(f, i);
    return t;
}

static tokens classify(fgt_classifier *c, const fgt_corpus *corpus)
{
    fgt_classifier_info info = {.size = sizeof info};
    const fgt_vocab    *v    = fgt_classifier_get_vocab(c);
    const char         *text = fgt_corpus_get_text(corpus, 0);
    check(fgt_classifier_get_info(c, &info));
    check(fgt_classifier_set_exact(c, 1)); /* A is read after the pass */
    int64_t *id      = need(info.tokens, sizeof *id);
    int32_t *padding = need(info.tokens, sizeof *padding);
    float   *p       = need(info.classes, sizeof *p);
    tokens   t       = {.name = need(info.tokens, sizeof *t.name)};
    check(fgt_vocab_encode(v, &text, 1, FGT_VIEW_OF(FGT_DTYPE_I64, id, 1, info.tokens),
                           FGT_VIEW_OF(FGT_DTYPE_I32, padding, 1, info.tokens), NULL));
    check(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = &text, .text_count = 1),
                                 FGT_VIEW(p, 1, info.classes), NULL));
    while (t.count < info.tokens && !padding[t.count]) {
        t.name[t.count] = fgt_vocab_get_word(v, id[t.count]);
        t.count++;
    }
    free(id);
    free(padding);
    free(p);
    return t;
}

/* ---- the graph ---- */

static const char *find_layer(const fgt_model *model)
{
    fgt_model_info all  = {.size = sizeof all};
    fgt_layer_info info = {.size = sizeof info};
    check(fgt_model_get_info(model, &all));
    for (int64_t i = 0; i < all.layers; i++) {
        check(fgt_model_get_layer(model, i, &info));
        if (info.adjacency == FGT_ADJACENCY_ATTENTION) return info.name;
    }
    fprintf(stderr, "model_graph: no layer attends\n");
    exit(1);
}

/* Reads A [count,count] of the first sample of the last pass. */
static double *read_matrix(fgt_model *model, const char *layer, int64_t count)
{
    fgt_adjacency *mean;
    fgt_view       all = {0};
    double        *a   = need(count * count, sizeof *a);
    check(fgt_adjacency_create(model, layer, 1, &mean));
    check(fgt_adjacency_add(mean, 0, 1));
    check(fgt_adjacency_get_mean(mean, -1, 1, &all));
    const int64_t t = all.shape[0];
    if (t < count) {
        fprintf(stderr, "model_graph: layer \"%s\" has other tokens than the input\n", layer);
        exit(1);
    }
    const double *value = all.data;
    for (int64_t i = 0; i < count; i++) memcpy(a + i * count, value + i * t, (size_t)count * sizeof *a);
    fgt_adjacency_destroy(&mean);
    return a;
}

static void write_graph(const tokens *t, const char *layer, const double *a, int64_t each, const char *out)
{
    static const char *const form[] = {"csv", "dot", "graphml"};
    const fgt_edge_rule      rule   = {.size = sizeof rule, .per_node = each, .no_diagonal = 1};
    const int64_t            most   = t->count * t->count;
    fgt_edge                *edge   = need(most, sizeof *edge);
    fgt_edge_list            list   = {.size       = sizeof list,
                                       .edges      = edge,
                                       .names      = t->name,
                                       .node_count = t->count,
                                       .title      = layer};
    check(fgt_edges_select(ctx, FGT_VIEW_OF(FGT_DTYPE_F64, (double *)a, t->count, t->count), &rule, edge,
                           most, &list.edge_count));
    for (int f = 0; f < 3; f++) {
        char path[1024];
        snprintf(path, sizeof path, "%s.%s", out, form[f]);
        check(fgt_edges_save(ctx, &list, f, FGT_TO_FILE(path)));
    }
    printf("layer %s: %lld tokens, %lld edges\n", layer, (long long)t->count, (long long)list.edge_count);
    free(edge);
}

int main(int argc, char **argv)
{
    fgt_forecaster *f      = NULL;
    fgt_classifier *c      = NULL;
    fgt_table      *table  = NULL;
    fgt_corpus     *corpus = NULL;
    tokens          t;
    if (argc < 4) {
        printf("usage: model_graph MODEL DATA OUT [EDGES]\n");
        return 0;
    }
    check(fgt_context_create(NULL, &ctx));
    if (fgt_forecaster_load(ctx, FGT_FROM_FILE(argv[1]), NULL, &f) == FGT_OK) {
        check(fgt_table_load(ctx, argv[2], NULL, &table));
        t = forecast(f, table);
    } else {
        check(fgt_classifier_load(ctx, FGT_FROM_FILE(argv[1]), NULL, &c));
        check(fgt_corpus_load(ctx, argv[2], NULL, &corpus));
        t = classify(c, corpus);
    }
    fgt_model  *model = f ? fgt_forecaster_get_model(f) : fgt_classifier_get_model(c);
    const char *layer = find_layer(model);
    double     *a     = read_matrix(model, layer, t.count);
    write_graph(&t, layer, a, argc > 4 ? atoi(argv[4]) : 2, argv[3]);
    free(a);
    free(t.name);
    fgt_table_destroy(&table);
    fgt_corpus_destroy(&corpus);
    fgt_forecaster_destroy(&f);
    fgt_classifier_destroy(&c);
    fgt_context_destroy(&ctx);
    return 0;
}
