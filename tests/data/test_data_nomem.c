/* SPDX-License-Identifier: BSD-3-Clause */
/* Each allocation fails once: FGT_E_NOMEM, nothing leaks, and what was there before still works. */
#include "../scaler_info.h"
#include "small_files.h"

#ifdef FGTI_HAVE_ZLIB
#include <zlib.h>
#endif

#include <fighter/experimental/graph_data.h>
#include <fighter/graph.h>
#include <fighter/scaler.h>
#include <fighter/windows.h>

static const char *table_path;
static float       series[50 * 3];

static fgt_status load_table(void)
{
    fgt_table       *t, *u;
    const fgt_status s = fgt_table_load(&context, table_path, NULL, &t);
    if (s != FGT_OK) {
        assert_null(t);
        return s;
    }
    const fgt_status after = fgt_table_create_subset(t, (const int64_t[]){2, 1}, 2, &u);
    assert_int_equal(fgt_table_count_rows(t), 3000);
    assert_true(!u == (after != FGT_OK));
    fgt_table_destroy(&u);
    fgt_table_destroy(&t);
    return after;
}

static fgt_status create_table(void)
{
    fgt_table       *t;
    const fgt_status s = fgt_table_create(&context, NULL, FGT_VIEW(series, 50, 3), &t);
    fgt_table_destroy(&t);
    return s;
}

static fgt_status leave_out(void)
{
    fgt_table *t;
    int64_t    count;
    fgt_status s = fgt_table_create(&context, NULL, FGT_VIEW(series, 50, 3), &t);
    if (s == FGT_OK) s = fgt_table_leave_out(t, 1, 0, 0, NULL, NULL, &count);
    fgt_table_destroy(&t);
    return s;
}

static fgt_status use_scaler(void)
{
    fgt_scaler *s;
    fgt_status  status = fgt_scaler_create(&context, 3, &s);
    if (status != FGT_OK) return status;
    status = fgt_scaler_fit(s, FGT_VIEW(series, 50, 3), 0, 50);
    if (status != FGT_OK) assert_true(((const double *)scaler_scale(s).data)[2] == 1); /* as before */
    fgt_scaler_destroy(&s);
    return status;
}

static fgt_status create_windows(void)
{
    static const int64_t   targets[] = {1};
    static const double    d[50 * 3];
    const fgt_windows_opts opts =
        FGT_OPTS(fgt_windows_opts, .input_len = 4, .pred_len = 2, .targets = targets, .target_count = 1);
    fgt_windows     *w;
    const fgt_status s = fgt_windows_create(&context, FGT_VIEW_OF(FGT_DTYPE_F64, d, 50, 3), &opts, &w);
    assert_true(!w == (s != FGT_OK));
    fgt_windows_destroy(&w);
    return s;
}

static fgt_status normalise(fgt_graph *g, fgt_status s)
{
    fgt_graph *n = NULL;
    if (s != FGT_OK) {
        assert_null(g);
        return s;
    }
    s = fgt_graph_create_normalised(g, FGT_GRAPH_NORM_SYMMETRIC, 1, &n);
    assert_true(!n == (s != FGT_OK));
    fgt_graph_destroy(&n);
    fgt_graph_destroy(&g);
    return s;
}

static fgt_status create_dense(void)
{
    fgt_graph       *g;
    const fgt_status s = fgt_graph_create_dense(&context, FGT_VIEW(series, 3, 3), &g);
    return normalise(g, s);
}

static fgt_status create_csr(void)
{
    static const int64_t indptr[]  = {0, 1, 2};
    static const int32_t indices[] = {1, 0};
    fgt_graph           *g;
    const fgt_status     s = fgt_graph_create_csr(&context, FGT_VIEW_OF(FGT_DTYPE_I64, indptr, 3),
                                                  FGT_VIEW_OF(FGT_DTYPE_I32, indices, 2), NULL, &g);
    return normalise(g, s);
}

static fgt_status create_correlation(void)
{
    fgt_graph       *g;
    const fgt_status s = fgt_graph_create_correlation(&context, FGT_VIEW(series, 50, 3), 0, 50, 0.5, &g);
    return normalise(g, s);
}

static fgt_status load_graph(const char *file, int64_t count)
{
    static const char *const  names[] = {"a", "b", "c"};
    const fgt_graph_load_opts opts    = {.size = sizeof opts, .names = count ? names : NULL, .count = count};
    fgt_graph                *g;
    const fgt_status          s = fgt_graph_load(&context, in_directory(file), &opts, &g);
    return normalise(g, s);
}

static fgt_status load_plain_graph(void)
{
    return load_graph("graph.csv", 0);
}

static fgt_status load_named_graph(void)
{
    return load_graph("named.csv", 3);
}

static fgt_status load_list_of_edges(void)
{
    return load_graph("edges.csv", 3);
}

/* Fails the k-th allocation until there are fewer than k. */
static void sweep(fgt_status (*use)(void), int64_t least)
{
    fgt_context *const ctx = &context;
    fgt_status         s;
    SWEEP(&hook, s, least, (context.error.text[0] = 0, use()))
    {
        expect_sentence("no memory for");
        assert_int_equal(hook.live, 0);
    }
    assert_int_equal(hook.live, 0);
}

static void make_text(char *text, size_t capacity)
{
    size_t n = (size_t)snprintf(text, capacity, "date,a,b,c\n");
    for (int i = 0; i < 3000; i++)
        n += (size_t)snprintf(text + n, capacity - n, "day %d,%d,\"%d\",0.5\n", i, i, 7 - i);
}

static void test_nomem(void **state)
{
    (void)state;
    static char text[200000];
    make_text(text, sizeof text);
    for (int i = 0; i < 150; i++) series[i] = (float)(i * i % 17);
    put_text("graph.csv", "0,1,0\n1,0,0.5\n0,0,0\n");
    put_text("named.csv", "773869,b,a,c\nc,0,0,0\na,1,0,0\nb,0,1,0.5\n");
    put_text("edges.csv", "from,to\nc,a\na,b\nb,c\n");
    table_path = put_text("table.csv", text);
    sweep(load_table, 20);
#ifdef FGTI_HAVE_ZLIB
    table_path = in_directory("table.csv.gz");
    gzFile f   = gzopen(table_path, "wb");
    assert_int_equal(gzwrite(f, text, (unsigned)strlen(text)), strlen(text));
    assert_int_equal(gzclose(f), Z_OK);
    sweep(load_table, 22); /* zlib's own two as well */
#endif
    sweep(create_table, 3);
    sweep(leave_out, 7);
    sweep(use_scaler, 3);
    sweep(create_windows, 2);
    sweep(create_dense, 4);
    sweep(create_csr, 14);
    sweep(create_correlation, 4);
    sweep(load_plain_graph, 10);
    sweep(load_named_graph, 15);
    sweep(load_list_of_edges, 15);
}

/* A batch allocates nothing. */
static void test_batch(void **state)
{
    (void)state;
    fgt_windows  *w;
    float         x[2 * 4 * 3], y[2 * 2 * 3];
    const int64_t index[] = {3, 1};
    expect_ok(fgt_windows_create(&context, FGT_VIEW(series, 50, 3),
                                 &FGT_OPTS(fgt_windows_opts, .input_len = 4, .pred_len = 2), &w));
    hook.countdown = 1;
    expect_ok(fgt_windows_copy_samples(w, index, 2, FGT_VIEW(x, 2, 4, 3), FGT_VIEW(y, 2, 2, 3)));
    assert_int_equal(hook.countdown, 1);
    fgt_windows_destroy(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_nomem, expect_no_leak),
        cmocka_unit_test_teardown(test_batch, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
