/* SPDX-License-Identifier: BSD-3-Clause */
/* The limits that headers and SECURITY.md state: what is at the limit works, what is beyond is refused. */
#include <fighter/fighter.h>
#include <fighter/tasks.h>

#include "../directory.h"
#include "../model_info.h"
#include "../one_context.h"
#include "model/files/safetensors.h"
#include "model/files/safetensors_read.h"

#define NEW(type, ...) fgt_##type(&FGT_OPTS(fgt_##type##_opts, __VA_ARGS__))

static int open_all(void **state)
{
    return make_directory(state) || test_open(state);
}

static int close_all(void **state)
{
    return test_close(state) || remove_directory(state);
}

/* ---- layers ---- */

static fgt_model *new_model(void)
{
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 1, .time = 2, .features = 2), &m));
    return m;
}

static void test_options(void **state)
{
    (void)state;
    const struct {
        fgt_layer   most, more;
        const char *words;
    } cases[] = {
        {NEW(fighter, .hops = 64), NEW(fighter, .hops = 65), "hops is out of range (got 65"},
        {NEW(rnn, .hidden = 2, .layers = 64), NEW(rnn, .hidden = 2, .layers = 65),
         "layers is out of range (got 65"},
        {NEW(gru, .hidden = 2, .layers = 64), NEW(gru, .hidden = 2, .layers = 65),
         "layers is out of range (got 65"},
        {NEW(lstm, .hidden = 2, .layers = 64), NEW(lstm, .hidden = 2, .layers = 65),
         "layers is out of range (got 65"},
        {NEW(s4, .state = 4096, .kind = FGT_S4_DIAGONAL), NEW(s4, .state = 4098),
         "state is out of range (got 4098"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fgt_model *m = new_model();
        OK(fgt_model_add(m, cases[i].most));
        REFUSED(fgt_model_add(m, cases[i].more), FGT_E_ARG, cases[i].words);
        fgt_model_destroy(&m);
    }
}

static void test_names(void **state)
{
    (void)state;
    char       name[98];
    fgt_model *m = new_model();
    memset(name, 'n', sizeof name - 1);
    name[97] = 0;
    REFUSED(fgt_model_add(m, fgt_named(name, fgt_layer_norm(NULL))), FGT_E_NAME, "97 bytes is too long");
    name[96] = 0;
    OK(fgt_model_add(m, fgt_named(name, fgt_layer_norm(NULL))));
    OK(fgt_model_save(m, FGT_TO_FILE(in_directory("names"))));
    fgt_model_destroy(&m);
    OK(fgt_model_load(ctx, FGT_FROM_FILE(in_directory("names")), NULL, &m));
    fgt_model_destroy(&m);
}

static void test_inputs(void **state)
{
    (void)state;
    static const char *const names[17] = {"", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", ""};
    fgt_model               *m         = new_model();
    fgt_view                 out;
    REFUSED(fgt_model_add_from(m, fgt_concat(NULL), names, 17), FGT_E_ARG, "at most 16");
    OK(fgt_model_add_from(m, fgt_concat(NULL), names, 16));
    out = model_info(m).output;
    assert_int_equal(out.shape[2], 16 * 2);
    fgt_model_destroy(&m);
}

/* ---- data ---- */

static void test_header(void **state)
{
    (void)state;
    const size_t   prefix = 8;
    const uint64_t most   = FGTI_ST_HEADER_MAX;
    char          *file   = malloc(prefix + (size_t)most);
    fgti_st       *st;
    assert_non_null(file);
    for (size_t i = 0; i < prefix; i++) file[i] = (char)(most >> 8 * i);
    memset(file + prefix, ' ', (size_t)most);
    memcpy(file + prefix, "{}", 2);
    OK(fgti_st_open_memory(ctx, "most", file, prefix + (size_t)most, &st));
    fgti_st_close(ctx, &st);
    for (size_t i = 0; i < prefix; i++) file[i] = (char)((most + 1) >> 8 * i);
    REFUSED(fgti_st_open_memory(ctx, "more", file, prefix + (size_t)most, &st), FGT_E_FORMAT,
            "100000000 are allowed");
    free(file);
}

/* A table with many columns takes time that grows with their number alone. */
static void test_columns(void **state)
{
    (void)state;
    enum { COLUMNS = 100000 };
    const char *path = in_directory("wide.csv");
    FILE       *f    = fopen(path, "w");
    fgt_table  *table;
    assert_non_null(f);
    for (int i = 0; i < COLUMNS; i++) fprintf(f, i ? ",c%d" : "c%d", i);
    for (int row = 0; row < 2; row++)
        for (int i = 0; i < COLUMNS; i++) fprintf(f, i ? ",%d" : "\n%d", i % 7);
    assert_int_equal(fclose(f), 0);
    OK(fgt_table_load(ctx, path, NULL, &table));
    assert_int_equal(fgt_table_count_columns(table), COLUMNS);
    assert_string_equal(fgt_table_get_name(table, FGT_TABLE_NAME_COLUMN, COLUMNS - 1), "c99999");
    fgt_table_destroy(&table);
}

static void test_classes(void **state)
{
    (void)state;
    const fgt_corpus_opts o    = {.size = sizeof o, .class_kind = FGT_CLASS_KIND_NUMBER};
    const char *const     most = "2147483646,a\n0,b\n", *const more = "2147483647,a\n0,b\n";
    fgt_corpus           *c;
    test_write(in_directory("t"), most, strlen(most));
    OK(fgt_corpus_load(ctx, in_directory("t"), &o, &c));
    assert_string_equal(fgt_corpus_get_class_name(c, 1), "2147483646");
    fgt_corpus_destroy(&c);
    test_write(in_directory("t"), more, strlen(more));
    REFUSED(fgt_corpus_load(ctx, in_directory("t"), &o, &c), FGT_E_DATA, "class \"2147483647\"");
}

static void test_nodes(void **state)
{
    (void)state;
    static int64_t none[1];
    fgt_graph     *g;
    const fgt_view rows = *FGT_VIEW_OF(FGT_DTYPE_I64, none, (INT64_C(1) << 31) + 1); /* never read that far */
    REFUSED(fgt_graph_create_csr(ctx, &rows, FGT_VIEW_OF(FGT_DTYPE_I64, none, 1), NULL, &g), FGT_E_SIZE,
            "nodes");
}

/* ---- selection ---- */

static void test_samples(void **state)
{
    (void)state;
    fgt_attent_opts o = {.size = sizeof o, .samples = (INT64_C(1) << 32) + 1, .epochs = 1};
    fgt_attent     *a;
    REFUSED(fgt_attent_create(ctx, &o, &a), FGT_E_ARG, "samples");
    o.samples--;
    memory.countdown = 1; /* the limit is allowed, if there is the memory */
    REFUSED(fgt_attent_create(ctx, &o, &a), FGT_E_NOMEM, "memory");
    memory.countdown = 0;
}

/* ---- threads ---- */

static void run_all(void *user, int32_t workers, void (*task)(void *, int32_t), void *arg)
{
    (void)user;
    for (int32_t i = 0; i < workers; i++) task(arg, i);
}

static void test_threads(void **state)
{
    (void)state;
    const fgt_executor e = {.size = sizeof e, .run = run_all};
    fgt_context_opts   o = {.size = sizeof o, .threads = 1025, .executor = &e};
    fgt_context       *c;
    assert_int_equal(fgt_context_create(&o, &c), FGT_E_ARG);
    assert_null(c);
    o.threads = 1024;
    assert_int_equal(fgt_context_create(&o, &c), FGT_OK);
    fgt_context_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options), cmocka_unit_test(test_names),   cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_header),  cmocka_unit_test(test_columns), cmocka_unit_test(test_classes),
        cmocka_unit_test(test_nodes),   cmocka_unit_test(test_samples), cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
