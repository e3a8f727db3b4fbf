/* SPDX-License-Identifier: BSD-3-Clause */
/* Which entries of a matrix are edges, and the files that have them. */
#include <math.h>

#include <fighter/analysis.h>

#include "../directory.h"
#include "../one_context.h"

enum { N = 3 };

static const double a[N * N] = {0.5, 0.3, 0.2, 0, 0.9, 0.1, 0.3, 0.3, 0.4};

/* "from>to weight" of each edge. */
static void check_edges(const fgt_edge_rule *rule, int64_t k, const char *want)
{
    fgt_edge edge[N * N];
    int64_t  count, all;
    char     got[200] = "", *end = got;
    OK(fgt_edges_select(ctx, FGT_VIEW_OF(FGT_DTYPE_F64, a, N, N), rule, edge, k, &count));
    for (int64_t i = 0; i < count; i++)
        end += sprintf(end, "%d>%d %.1f ", (int)edge[i].from, (int)edge[i].to, edge[i].weight);
    assert_string_equal(got, want);
    OK(fgt_edges_select(ctx, FGT_VIEW_OF(FGT_DTYPE_F64, a, N, N), rule, NULL, 0, &all));
    assert_int_equal(count, all < k ? all : k);
}

static void test_select(void **state)
{
    (void)state;
    check_edges(NULL, 9, "1>1 0.9 0>0 0.5 2>2 0.4 1>0 0.3 0>2 0.3 1>2 0.3 2>0 0.2 2>1 0.1 ");
    check_edges(NULL, 2, "1>1 0.9 0>0 0.5 ");
    check_edges(&FGT_OPTS(fgt_edge_rule, .per_node = 1), 9, "1>1 0.9 0>0 0.5 2>2 0.4 ");
    check_edges(&FGT_OPTS(fgt_edge_rule, .per_node = 1, .no_diagonal = 1), 9, "1>0 0.3 0>2 0.3 2>1 0.1 ");
    check_edges(&FGT_OPTS(fgt_edge_rule, .threshold = 0.3, .no_diagonal = 1), 9, "1>0 0.3 0>2 0.3 1>2 0.3 ");
    check_edges(&FGT_OPTS(fgt_edge_rule, .threshold = 2), 9, "");
    check_edges(&FGT_OPTS(fgt_edge_rule, .per_node = INT32_MAX), 1, "1>1 0.9 ");
}

static void test_select_refused(void **state)
{
    (void)state;
    fgt_edge   edge[2];
    int64_t    count = 7;
    fgt_status s;
    float      bad[4] = {1, NAN};
#define BAD(view, rule, k, e, n, status, words) \
    REFUSED(fgt_edges_select(ctx, view, rule, e, k, n), status, words)
    const fgt_view *v = FGT_VIEW_OF(FGT_DTYPE_F64, a, N, N);
    BAD(NULL, NULL, 2, edge, &count, FGT_E_ARG, "NULL");
    BAD(v, NULL, 2, edge, NULL, FGT_E_ARG, "NULL");
    BAD(v, NULL, 2, NULL, &count, FGT_E_ARG, "edges: edge_count is out of range (got 2, need 0");
    BAD(v, NULL, 0, edge, &count, FGT_E_ARG, "edges: edge_count is out of range (got 0, need at least 1");
    BAD(v, &FGT_OPTS(fgt_edge_rule, .per_node = -1), 2, edge, &count, FGT_E_ARG, "per_node");
    BAD(v, &FGT_OPTS(fgt_edge_rule, .threshold = (double)NAN), 2, edge, &count, FGT_E_ARG, "threshold");
    BAD(FGT_VIEW_OF(FGT_DTYPE_F64, a, 1, N, N), NULL, 2, edge, &count, FGT_E_SHAPE, "3 axes");
    BAD(FGT_VIEW(bad, 2, 2), NULL, 2, edge, &count, FGT_E_NONFINITE, "a[0,1]");
    SWEEP(&memory, s, 1, fgt_edges_select(ctx, v, &FGT_OPTS(fgt_edge_rule, .per_node = 1), edge, 2, &count))
    NOTHING_LEAKS;
    assert_int_equal(count, 2);
}

/* ---- files ---- */

static const fgt_edge    edges[] = {{1, 0, 0.5}, {1, 1, 0.25}, {2, 0, 1.0 / 1024}};
static const char *const names[] = {"load, \"main\"", "a<b> & c\\d'", "caf\xc3\xa9\n\xff\x01\xef\xbf\xbf",
                                    NULL};

static fgt_edge_list list_of(const char *const *which)
{
    return (fgt_edge_list){sizeof(fgt_edge_list), edges, 3, which, 4, which ? "two\thops" : NULL};
}

static fgt_status append(void *user, const void *data, int64_t bytes)
{
    char *text = user;
    assert_true(strlen(text) + (size_t)bytes < 2000);
    strncat(text, data, (size_t)bytes);
    return FGT_OK;
}

static void check_text(const char *const *which, int32_t format, const char *want)
{
    char                got[2000] = "";
    const fgt_edge_list l         = list_of(which);
    const fgt_writer    w         = {.size = sizeof w, .write = append, .user = got};
    OK(fgt_edges_save(ctx, &l, format, &FGT_OPTS(fgt_output, .writer = &w)));
    assert_string_equal(got, want);
}

#define FFFD "\xef\xbf\xbd"

/* Graphviz reads each width, whatever the weights are. */
static void test_far_weights(void **state)
{
    (void)state;
    const double weights[] = {1e306, 1.7e308, -1.7e308, 5e-324, 1e-300};
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        fgt_edge            e    = {0, 1, weights[i]};
        const fgt_edge_list l    = {.size = sizeof l, .edges = &e, .edge_count = 1, .node_count = 2};
        const char         *path = in_directory("far.dot");
        OK(fgt_edges_save(ctx, &l, FGT_EDGES_FORMAT_DOT, FGT_TO_FILE(path)));
        const test_block b = test_read(path);
        assert_non_null(strstr(b.data, "n0 -> n1 [penwidth=4, tooltip="));
        free(b.data);
    }
}

static void test_forms(void **state)
{
    (void)state;
    check_text(names, FGT_EDGES_FORMAT_CSV,
               "Source,Target,Weight,SourceName,TargetName\n"
               "1,0,0.5,\"a<b> & c\\d'\",\"load, \"\"main\"\"\"\n"
               "1,1,0.25,\"a<b> & c\\d'\",\"a<b> & c\\d'\"\n"
               "2,0,0.0009765625,\"caf\xc3\xa9 " FFFD FFFD FFFD "\",\"load, \"\"main\"\"\"\n");
    check_text(names, FGT_EDGES_FORMAT_DOT,
               "digraph attention {\n  charset=\"UTF-8\";\n  label=\"two hops\";\n"
               "  n0 [label=\"load, \\\"main\\\"\"];\n  n1 [label=\"a<b> &amp; c\\\\d'\"];\n"
               "  n2 [label=\"caf\xc3\xa9 " FFFD FFFD FFFD "\"];\n  n3 [label=\"3\"];\n"
               "  n1 -> n0 [penwidth=4, tooltip=\"0.5\"];\n  n1 -> n1 [penwidth=2, tooltip=\"0.25\"];\n"
               "  n2 -> n0 [penwidth=0.1, tooltip=\"0.0009765625\"];\n}\n");
    check_text(NULL, FGT_EDGES_FORMAT_GRAPHML,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
               "  <key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n"
               "  <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n"
               "  <graph id=\"attention\" edgedefault=\"directed\">\n"
               "    <node id=\"n0\"><data key=\"label\">0</data></node>\n"
               "    <node id=\"n1\"><data key=\"label\">1</data></node>\n"
               "    <node id=\"n2\"><data key=\"label\">2</data></node>\n"
               "    <node id=\"n3\"><data key=\"label\">3</data></node>\n"
               "    <edge source=\"n1\" target=\"n0\"><data key=\"weight\">0.5</data></edge>\n"
               "    <edge source=\"n1\" target=\"n1\"><data key=\"weight\">0.25</data></edge>\n"
               "    <edge source=\"n2\" target=\"n0\"><data key=\"weight\">0.0009765625</data></edge>\n"
               "  </graph>\n</graphml>\n");
}

static void test_graphml_names(void **state)
{
    (void)state;
    char                got[2000] = "";
    const fgt_edge_list l         = list_of(names);
    const fgt_writer    w         = {.size = sizeof w, .write = append, .user = got};
    OK(fgt_edges_save(ctx, &l, FGT_EDGES_FORMAT_GRAPHML, &FGT_OPTS(fgt_output, .writer = &w)));
    assert_non_null(strstr(got, "<desc>two hops</desc>"));
    assert_non_null(strstr(got, ">load, &quot;main&quot;</data>"));
    assert_non_null(strstr(got, ">a&lt;b&gt; &amp; c\\d&#39;</data>"));
    assert_non_null(strstr(got, ">caf\xc3\xa9 " FFFD FFFD FFFD "</data>"));
}

static fgt_status refuse(void *user, const void *data, int64_t bytes)
{
    (void)user;
    (void)data;
    (void)bytes;
    return (fgt_status)5;
}

static void test_save_refused(void **state)
{
    (void)state;
    fgt_edge         bad[1] = {{0, 4, 1}};
    fgt_edge_list    l      = list_of(names);
    const fgt_writer w      = {.size = sizeof w, .write = refuse};
    REFUSED(fgt_edges_save(ctx, &l, FGT_EDGES_FORMAT_CSV, &FGT_OPTS(fgt_output, .writer = &w)), FGT_E_IO,
            "failed with 5");
    REFUSED(fgt_edges_save(ctx, &l, FGT_EDGES_FORMAT_CSV, &FGT_OPTS(fgt_output, .writer = NULL)), FGT_E_ARG,
            "writer");
    REFUSED(fgt_edges_save(ctx, NULL, FGT_EDGES_FORMAT_CSV, &FGT_OPTS(fgt_output, .writer = &w)), FGT_E_ARG,
            "list is NULL");
    REFUSED(fgt_edges_save(ctx, &l, 3, &FGT_OPTS(fgt_output, .writer = &w)), FGT_E_ARG,
            "unknown format (got 3");
    REFUSED(fgt_edges_save(ctx, &l, FGT_EDGES_FORMAT_CSV, FGT_TO_FILE(NULL)), FGT_E_ARG,
            "path, memory and writer");
    REFUSED(fgt_edges_save(ctx, &l, FGT_EDGES_FORMAT_CSV, FGT_TO_FILE("/nowhere/at all")), FGT_E_IO,
            "/nowhere/at all");
    l.edges      = bad;
    l.edge_count = 1;
    REFUSED(fgt_edges_save(ctx, &l, FGT_EDGES_FORMAT_CSV, &FGT_OPTS(fgt_output, .writer = &w)), FGT_E_ARG,
            "edge 0 is out of range (got 0 to 4");
    bad[0] = (fgt_edge){0, 1, (double)INFINITY};
    REFUSED(fgt_edges_save(ctx, &l, FGT_EDGES_FORMAT_CSV, &FGT_OPTS(fgt_output, .writer = &w)),
            FGT_E_NONFINITE, "edge 0");
    l.edges = NULL;
    REFUSED(fgt_edges_save(ctx, &l, FGT_EDGES_FORMAT_CSV, &FGT_OPTS(fgt_output, .writer = &w)), FGT_E_ARG,
            "counts or edges are wrong");
}

/* A file is the old one or the new one, whatever fails. */
static void test_file(void **state)
{
    (void)state;
    fgt_status          s;
    const fgt_edge_list l    = list_of(names);
    const char         *path = in_directory("edges.csv");
    test_write(path, "old", 3);
    SWEEP(&memory, s, 3, fgt_edges_save(ctx, &l, FGT_EDGES_FORMAT_CSV, FGT_TO_FILE(path)))
    {
        test_block b = test_read(path);
        assert_string_equal(b.data, "old");
        free(b.data);
        NOTHING_LEAKS;
    }
    test_block b = test_read(path);
    assert_int_equal(strncmp(b.data, "Source,", 7), 0);
    free(b.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_select),        WITH_CONTEXT(test_select_refused), WITH_CONTEXT(test_forms),
        WITH_CONTEXT(test_far_weights),
        WITH_CONTEXT(test_graphml_names), WITH_CONTEXT(test_save_refused),   WITH_CONTEXT(test_file),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
