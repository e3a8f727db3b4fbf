/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of models with branches that are made to cost memory or time: widths that overflow, layers that share
 * much, long lists of frozen parameters. */
#include <time.h>

#include "../model_info.h"
#include "file_kinds.h"

/* A file under construction: the header's text, then the data of its tensors. */
typedef struct draft {
    char   *bytes;
    size_t  room;
    int64_t n, layers;
} draft;

static void put(draft *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(d->bytes + 8 + d->n, d->room - 8 - (size_t)d->n, format, args);
    va_end(args);
    assert_true(n >= 0 && (size_t)(d->n + n) < d->room - 8);
    d->n += n;
}

static draft begin(const char *model)
{
    draft d = {.room = 16 << 20};
    d.bytes = malloc(d.room);
    assert_non_null(d.bytes);
    put(&d, "{\"__metadata__\":{\"fighter.format\":\"2\",\"fighter.seed\":\"1\"");
    put(&d, ",\"fighter.model\":\"%s\"", model);
    return d;
}

static void layer(draft *d, const char *type, const char *opts, const char *from)
{
    const long long i = d->layers++;
    put(d, ",\"fighter.layer.%lld.type\":\"%s\",\"fighter.layer.%lld.name\":\"%lld\"", i, type, i, i);
    put(d, ",\"fighter.layer.%lld.opts\":\"%s\"", i, opts);
    if (from) put(d, ",\"fighter.layer.%lld.from\":\"%s\"", i, from);
}

/* A layer that shares the parameters of layer 0. */
static void sharer(draft *d, const char *type)
{
    const long long i = d->layers;
    layer(d, type, "", NULL);
    put(d, ",\"fighter.layer.%lld.shares\":\"0\"", i);
}

/* Ends the metadata. */
static void close_layers(draft *d)
{
    put(d, ",\"fighter.layers\":\"%lld\"}", (long long)d->layers);
}

/* The header's length, and `data` zeros behind it; returns the size of the file. */
static int64_t finish(draft *d, int64_t data)
{
    put(d, "}");
    for (int i = 0; i < 8; i++) d->bytes[i] = (char)((uint64_t)d->n >> 8 * i);
    assert_true((size_t)(8 + d->n + data) <= d->room);
    memset(d->bytes + 8 + d->n, 0, (size_t)data);
    return 8 + d->n + data;
}

/* The bound that the header of model.h promises. */
static fgt_status load_bounded(const draft *d, int64_t size, void **p)
{
    const int64_t before = memory.bytes;
    memory.peak          = before;
    const fgt_status s   = kinds[0].load_memory(d->bytes, size, p);
    if (memory.peak - before > 32 * size + (1 << 20))
        fail_msg("%lld bytes of file took %lld of memory", (long long)size,
                 (long long)(memory.peak - before));
    return s;
}

/* ---- widths ---- */

/* Each concat is 16 times as wide as the one before; the sum of two of them passes 2^63. */
static void widths_do_not_overflow(void **state)
{
    (void)state;
    char  from[256];
    void *p = NULL;
    draft d = begin("batch=1 time=1 features=1");
    for (int i = -1; i < 14; i++) {
        int n = 0;
        for (int k = 0; k < 16; k++) n += snprintf(from + n, sizeof from - (size_t)n, k ? " %d" : "%d", i);
        layer(&d, "concat", "", from);
    }
    layer(&d, "concat", "", "13 13 13 13 13 13 13 13 13 13 13 13 13 13");
    layer(&d, "concat", "", "14 14 14 14 14 14 14 14 14 14 14 14 14 14 14 15");
    layer(&d, "activation", "", "-1");
    close_layers(&d);
    const fgt_status s = load_bounded(&d, finish(&d, 0), &p);
    REFUSED(s, FGT_E_SIZE, "is too large");
    assert_null(p);
    free(d.bytes);
}

/* ---- shared layers ---- */

/* The tensors of layer 0, a gcn with hops=1 and a graph without edges; returns their bytes. */
static int64_t put_graph(draft *d, int nodes, const char *type, int size, bool diffusion)
{
    const int end = size * (nodes + 1);
    put(d, ",\"0.graph.indptr\":{\"dtype\":\"%s\",\"shape\":[%d],\"data_offsets\":[0,%d]}", type, nodes + 1,
        end);
    put(d, ",\"0.graph.indices\":{\"dtype\":\"I32\",\"shape\":[0],\"data_offsets\":[%d,%d]}", end, end);
    put(d, ",\"0.graph.values\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[%d,%d]}", end, end);
    put(d, ",\"0.hop_weight\":{\"dtype\":\"F32\",\"shape\":[1,1,1],\"data_offsets\":[%d,%d]}", end, end + 4);
    put(d, ",\"0.bias\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[%d,%d]}", end + 4, end + 8);
    if (diffusion)
        put(d, ",\"0.back_weight\":{\"dtype\":\"F32\",\"shape\":[1,1,1],\"data_offsets\":[%d,%d]}", end + 8,
            end + 12);
    return end + (diffusion ? 12 : 8);
}

/* Sharers borrow parameters and graphs. */
static void sharers_stay_cheap(void **state)
{
    enum { NODES = 20000, SHARERS = 5000 };
    (void)state;
    void *p = NULL;
    draft d = begin("batch=1 time=20000 features=1");
    layer(&d, "gcn", "hops=1", NULL);
    for (int i = 0; i < SHARERS; i++) sharer(&d, "gcn");
    close_layers(&d);
    const int64_t data = put_graph(&d, NODES, "I64", 8, false);
    OK(load_bounded(&d, finish(&d, data), &p));
    assert_int_equal(model_info(p).layers, SHARERS + 1);
    kinds[0].destroy(&p);
    free(d.bytes);
}

/* A node of one byte took 56 bytes. */
static void nodes_stay_cheap(void **state)
{
    enum { NODES = 1000000 };
    (void)state;
    for (int bytes = 1; bytes <= 8; bytes += 7) {
        void *p = NULL;
        draft d = begin("batch=1 time=1000000 features=1");
        layer(&d, "gcn", "hops=1 diffusion=1", NULL);
        close_layers(&d);
        const int64_t    data = put_graph(&d, NODES, bytes == 8 ? "I64" : "BOOL", bytes, true);
        const fgt_status s    = load_bounded(&d, finish(&d, data), &p);
        if (bytes == 8)
            OK(s);
        else
            REFUSED(s, FGT_E_FORMAT, "\"0.graph.indptr\" is not of type I64");
        kinds[0].destroy(&p);
        free(d.bytes);
    }
}

/* ---- frozen parameters ---- */

/* Names longer than 32 bytes, as the blocks of programs have them. */
static void long_names_stay_frozen(void **state)
{
    (void)state;
    static const char name[] = "an encoder whose name has many letters";
    fgt_model        *m, *again;
    int64_t           size;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 1, .time = 4, .features = 4), &m));
    OK(fgt_model_add_from(m, fgt_named(name, fgt_transformer(NULL)), (const char *[]){""}, 1));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 1))));
    OK(fgt_model_set_frozen(m, "an encoder*", 1));
    OK(fgt_model_save(m, FGT_TO_MEMORY(NULL, 0, &size)));
    char *file = malloc((size_t)size);
    assert_non_null(file);
    OK(fgt_model_save(m, FGT_TO_MEMORY(file, size, &size)));
    OK(fgt_model_load(ctx, FGT_FROM_MEMORY(file, size), NULL, &again));
    for (int64_t i = 0; i < model_info(m).tensors; i++)
        assert_int_equal(parameter_frozen(again, parameter_name(again, i)),
                         parameter_frozen(m, parameter_name(m, i)));
    assert_int_equal(parameter_frozen(again, parameter_name(again, 0)), 1);
    free(file);
    fgt_model_destroy(&again);
    fgt_model_destroy(&m);
}

/* ---- time ---- */

static double load_time(draft *d, int64_t data, fgt_status want)
{
    void         *p     = NULL;
    const int64_t size  = finish(d, data);
    const clock_t start = clock();
    assert_int_equal(load_bounded(d, size, &p), want);
    kinds[0].destroy(&p);
    free(d->bytes);
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* The last of many parameters, over and over: a list that is not in order is refused where it stops being. */
static void frozen_lists_are_read_once(void **state)
{
    enum { LAYERS = 3000, NAMES = 300000 };
    (void)state;
    draft d = begin("batch=1 time=1 features=1");
    for (int i = 0; i < LAYERS; i++) layer(&d, "linear", "out=1 no_bias=1", NULL);
    put(&d, ",\"fighter.frozen\":\"[");
    for (int i = 0; i < NAMES; i++) put(&d, "%s\\\"%d.weight\\\"", i ? "," : "", LAYERS - 1);
    put(&d, "]\"");
    close_layers(&d);
    for (int i = 0; i < LAYERS; i++)
        put(&d, ",\"%d.weight\":{\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[%d,%d]}", i, 4 * i,
            4 * i + 4);
    assert_true(load_time(&d, 4 * LAYERS, FGT_E_FORMAT) < 2); /* it takes 0.1 s */
}

/* Each revin_inverse undoes the one revin at the start. */
static void inverses_find_their_layer(void **state)
{
    (void)state;
    draft d = begin("batch=1 time=1 features=1");
    layer(&d, "revin", "no_affine=1", NULL);
    for (int i = 0; i < 100000; i++) layer(&d, "revin_inverse", "", NULL);
    close_layers(&d);
    assert_true(load_time(&d, 0, FGT_OK) < 8); /* it takes 1 s */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(widths_do_not_overflow),
        WITH_CONTEXT(sharers_stay_cheap),
        WITH_CONTEXT(nodes_stay_cheap),
        WITH_CONTEXT(long_names_stay_frozen),
        WITH_CONTEXT(frozen_lists_are_read_once),
        WITH_CONTEXT(inverses_find_their_layer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
