/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs from files: matrices, matrices with names, lists of edges, in the order of the host's names. */
#include "../model_info.h"
#include "small_files.h"

#include <stdarg.h>

#include <fighter/experimental/graph_data.h>
#include <fighter/graph.h>

#include "core/sparse.h"

_Static_assert(sizeof(fgt_graph_load_opts) == sizeof(size_t) + sizeof(void *) + 8 + 2 * 4, "no padding");

enum { N = 4, MOST = 40 };

static const char *const letters[N]     = {"a", "b", "c", "d"};
static const double      weights[N * N] = {
         0, 2, 0, 1, /**/ 0, 3, 0, 0, /**/ 0, 0, 0, 0, /**/ 0.5, 0.25, 0.25, 0,
};

static fgt_status load(const char *text, const char *const *names, int64_t count, fgt_graph **g)
{
    const fgt_graph_load_opts opts = {.size = sizeof opts, .names = names, .count = count};
    return fgt_graph_load(&context, put_text("g.csv", text), &opts, g);
}

static void expect_weights(const char *text, const char *const *names, int64_t count)
{
    double     got[N * N];
    fgt_graph *g;
    expect_ok(load(text, names, count, &g));
    expect_ok(fgt_graph_copy_weights(g, FGT_VIEW_OF(FGT_DTYPE_F64, got, N, N)));
    for (int i = 0; i < N * N; i++)
        if (got[i] != weights[i]) fail_msg("weight %d of %s: %g, not %g", i, text, got[i], weights[i]);
    fgt_graph_destroy(&g);
}

/* The call refuses the file with this sentence. */
static void expect_refused(const char *text, const char *const *names, int64_t count, fgt_status s,
                           const char *sentence)
{
    fgt_graph *g;
    expect_status(load(text, names, count, &g), s);
    expect_sentence(sentence);
    assert_null(g);
    assert_int_equal(hook.live, 0);
}

static void test_plain(void **state)
{
    (void)state;
    char       text[2000] = "";
    fgt_graph *g;
    expect_weights("0,2,0,1\n0,3,0,0\n0,0,0,0\n0.5,0.25,0.25,0\n", NULL, 0);
    expect_weights("\n0;2;0;1\n0;3;0;0\n0;0;0;0\n0.5;0.25;0.25;0\n\n", letters, 4);
    expect_weights("0,2,0,1\r\n0,3,0,0\r\n0,0,0,0\r\n0.5,0.25,0.25,0", NULL, 4);
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 20; j++) strcat(text, j < 19 ? (i == j ? "1," : "0,") : "0\n");
    expect_ok(fgt_graph_load(&context, put_text("g.csv", text), NULL, &g));
    assert_null(g->dense);
    assert_int_equal(graph_nodes(g), 20);
    assert_int_equal(graph_edges(g), 19);
    fgt_graph_destroy(&g);
    expect_ok(fgt_graph_load(&context, put_text("g.csv", "1\n"), NULL, &g));
    assert_non_null(g->dense);
    fgt_graph_destroy(&g);
}

static void test_named(void **state)
{
    (void)state;
    static const char *const numbers[N] = {"773869", "0", "717446", "1"};
    expect_weights("a,b,c,d\n0,2,0,1\n0,3,0,0\n0,0,0,0\n0.5,0.25,0.25,0\n", letters, 4);
    expect_weights("d,c,b,a\n0,.25,.25,.5\n0,0,0,0\n0,0,3,0\n1,0,2,0\n", letters, 4);
    expect_weights(",d,c,b,a\nb,0,0,3,0\nd,0,.25,.25,.5\na,1,0,2,0\nc,0,0,0,0\n", letters, 4);
    expect_weights("id,d,c,b,a\nb,0,0,3,0\nd,0,.25,.25,.5\na,1,0,2,0\nc,0,0,0,0\n", letters, 4);
    expect_weights("1,717446,0,773869\n0,.25,.25,.5\n0,0,0,0\n0,0,3,0\n1,0,2,0\n", numbers, 4);
    expect_weights("\"1\",\"717446\",\"0\",\"773869\"\n0,.25,.25,.5\n0,0,0,0\n0,0,3,0\n1,0,2,0\n", numbers,
                   4);
    expect_weights(",1,717446,0,773869\n0,0,0,3,0\n1,0,.25,.25,.5\n773869,1,0,2,0\n717446,0,0,0,0\n", numbers,
                   4);
    expect_weights("id,1,717446,0,773869\n0,0,0,3,0\n1,0,.25,.25,.5\n773869,1,0,2,0\n717446,0,0,0,0\n",
                   numbers, 4);
}

static void test_list(void **state)
{
    (void)state;
    static const char *const numbers[N] = {"3", "2", "1", "0"};
    expect_weights("from,to,cost\na,b,2\na,d,1\nb,b,3\nd,a,.5\nd,b,.25\nd,c,.25\n", letters, 4);
    expect_weights("Weight;Target;Source\n2;b;a\n1;d;a\n3;b;b\n.25;c;d\n.25;b;d\n.5;a;d\n0;a;c\n", letters,
                   4);
    expect_weights("src\tdst\tdistance\n3\t2\t2\n3\t0\t1\n2\t2\t3\n0\t3\t.5\n0\t2\t.25\n0\t1\t.25\n", numbers,
                   4);
    /* numbers that no name is */
    expect_weights("from,to,weight\n0,1,2\n0,3,1\n1,1,3\n3,0,.5\n3,1,.25\n3,2,.25\n", letters, 4);
    expect_weights("from,to,weight\n0,1,2\n0,3,1\n1,1,3\n3,0,.5\n3,1,.25\n3,2,.25\n", NULL, 4);
    float      got[3][3];
    fgt_graph *g;
    expect_ok(load("from,to\n2,0\n0,1\n", NULL, 3, &g)); /* weights are 1 */
    expect_ok(fgt_graph_copy_weights(g, FGT_VIEW(got, 3, 3)));
    assert_memory_equal(got, ((float[3][3]){{0, 1, 0}, {0, 0, 0}, {1, 0, 0}}), sizeof got);
    fgt_graph_destroy(&g);
}

static void test_subset(void **state)
{
    (void)state;
    static const char *const  names[] = {"b", "d"};
    static const char *const  text[]  = {"x,a,b,c,d\na,0,-9,0,1\nb,0,3,0,0\nc,0,0,0,0\nd,.5,.25,.25,0\n",
                                         "from,to,weight\na,b,-9\na,d,1\nb,b,3\nd,a,.5\nd,b,.25\nd,c,.25\n"};
    const fgt_graph_load_opts opts    = {
           .size = sizeof opts, .names = names, .count = 2, .no_negative = 1, .subset = 1};
    for (size_t i = 0; i < COUNT(text); i++) {
        float      got[4];
        fgt_graph *g;
        expect_ok(fgt_graph_load(&context, put_text("g.csv", text[i]), &opts, &g));
        expect_ok(fgt_graph_copy_weights(g, FGT_VIEW(got, 2, 2)));
        assert_memory_equal(got, ((float[]){3, 0, .25f, 0}), sizeof got);
        fgt_graph_destroy(&g);
        expect_refused(text[i], names, 2, FGT_E_NAME, "\"a\" is not among the 2 names of nodes");
    }
}

/* ---- one graph in all forms ---- */

static uint64_t seed;

static int draw(int below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)below);
}

static void shuffle(int n, int *order)
{
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        const int j = draw(i + 1), x = order[i];
        order[i] = order[j];
        order[j] = x;
    }
}

typedef struct made {
    int         n;
    float       w[MOST * MOST];
    char        name[MOST][16];
    const char *names[MOST];
} made;

static void make(made *m, int n, int edges, bool numbers)
{
    *m = (made){.n = n};
    for (int e = 0; e < edges; e++) m->w[draw(n * n)] = (float)(1 + draw(999)) / 16;
    m->w[1] = 1; /* some edge leads from a node to another one */
    for (int i = 0; i < n; i++) {
        snprintf(m->name[i], sizeof m->name[i], numbers ? "%d" : "node %d", 7 * i * i + 3);
        m->names[i] = m->name[i];
    }
}

static char *add(char *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text += vsprintf(text, format, args);
    va_end(args);
    return text;
}

/* A matrix; columns in any order if named, and lines as well if they are named too. */
static void write_matrix(const made *m, char *text, bool named, bool lines)
{
    int column[MOST] = {0}, row[MOST];
    shuffle(m->n, column);
    for (int i = 0; i < m->n && !named; i++) column[i] = i;
    memcpy(row, column, sizeof row);
    if (lines) shuffle(m->n, row);
    if (lines) text = add(text, "x,");
    for (int i = 0; i < m->n && named; i++) text = add(text, i ? ",%s" : "%s", m->names[column[i]]);
    if (named) text = add(text, "\n");
    for (int i = 0; i < m->n; i++) {
        if (lines) text = add(text, "%s,", m->names[row[i]]);
        for (int j = 0; j < m->n; j++)
            text = add(text, j ? ",%g" : "%g", (double)m->w[row[i] * m->n + column[j]]);
        text = add(text, "\n");
    }
}

/* All edges, and a loop of weight 0 for every node that has none. */
static void write_list(const made *m, char *text, bool numbered)
{
    int edge[MOST * MOST];
    shuffle(m->n * m->n, edge);
    text = add(text, "from,to,weight\n");
    for (int k = 0; k < m->n * m->n; k++) {
        const int i = edge[k] / m->n, j = edge[k] % m->n;
        if (m->w[edge[k]] == 0 && i != j) continue;
        text = numbered ? add(text, "%d,%d,%g\n", i, j, (double)m->w[edge[k]])
                        : add(text, "%s,%s,%g\n", m->names[i], m->names[j], (double)m->w[edge[k]]);
    }
}

static void test_forms(void **state)
{
    (void)state;
    static made  m;
    static char  text[MOST * MOST * 24];
    static float got[MOST * MOST];
    seed = 7;
    for (int k = 0; k < 60; k++) {
        int64_t stored = -1;
        make(&m, 2 + draw(MOST - 2), draw(MOST * 4), k % 2);
        for (int form = 0; form < 5; form++) {
            fgt_graph *g;
            if (form < 3) write_matrix(&m, text, form >= 1, form == 2);
            if (form >= 3) write_list(&m, text, form == 4);
            /* 3 is a name and a place, so numbers are places only where there are no names */
            expect_ok(load(text, form == 4 ? NULL : m.names, m.n, &g));
            expect_ok(fgt_graph_copy_weights(g, FGT_VIEW(got, m.n, m.n)));
            assert_memory_equal(got, m.w, (size_t)(m.n * m.n) * sizeof *got);
            if (stored < 0) stored = graph_edges(g);
            assert_int_equal(graph_edges(g), stored);
            fgt_graph_destroy(&g);
        }
    }
}

/* ---- what is refused ---- */

static void test_refused_files(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        fgt_status  s;
        const char *sentence;
    } bad[] = {
        {"", FGT_E_FORMAT, "g.csv: the file is empty"},
        {"0,1\n1,0\n", FGT_E_SHAPE, "g.csv: wrong number of nodes (got 2, need 4)"},
        {"0,1\n1,0\n1,1\n", FGT_E_FORMAT,
         "g.csv: wrong number of lines (got 3, need 2, the weights of a line)"},
        {"0,1\n1,0,1\n", FGT_E_FORMAT, "g.csv: line 2: wrong number of cells (got 3, need 2)"},
        {"a,b,c,d\n", FGT_E_FORMAT, "g.csv: wrong number of lines (got 0, need 4, "},
        {"0,1\n1,\n", FGT_E_DATA, "g.csv: line 2: column 2: no weight"},
        {"0,1\n1,x\n", FGT_E_DATA, "g.csv: line 2: column 2: \"x\" is no weight"},
        {"0,1\n1,inf\n", FGT_E_DATA, "g.csv: line 2: column 2: the weight inf is not finite"},
        {"0,1e300\n1,0\n", FGT_E_DATA, "g.csv: line 1: column 2: the weight 1e300 is not finite"},
        {"a,b,c,e\n0,1,0,0\n0,0,0,0\n0,0,0,0\n0,0,0,0\n", FGT_E_NAME,
         "g.csv: line 1: column 4: \"e\" is not among the 4 names of nodes"},
        {"a,b,d\n0,1,0\n0,0,0\n0,0,0\n", FGT_E_NAME, "g.csv: no node is called \"c\""},
        {"a,b,a,d\n0,1,0,0\n", FGT_E_DATA, "g.csv: line 1: columns 1 and 3 both have the name \"a\""},
        {"a,,c,d\n0,1,0,0\n", FGT_E_DATA, "g.csv: line 1: column 2: a node without a name"},
        {"x,a,b\na,0,1\ny,0,0\n", FGT_E_NAME, "g.csv: line 3: column 1: \"y\" is no name of the first line"},
        {"x,a,b\na,0,1\na,0,0\n", FGT_E_DATA, "g.csv: line 3: column 1: \"a\" has a line already"},
        {"0,0,0,0\n0,1,0,0\n0,0,0,0\n0,0,0,0\n", FGT_E_DATA,
         "g.csv: no edge leads from a node to another one"},
        {"from,to\n", FGT_E_DATA, "g.csv: no edge leads from a node to another one"},
        {"from,to\na,a\nb,b\nc,c\nd,d\n", FGT_E_DATA, "g.csv: no edge leads from a node to another one"},
        {"from,to\na,b\nb,e\nc,d\n", FGT_E_NAME,
         "g.csv: line 3: column 2: \"e\" is not among the 4 names of nodes"},
        {"from,to\na,b\n3,c\nc,d\n", FGT_E_NAME, "line 3: column 1: \"3\" is not among the 4 names of nodes"},
        {"from,to\n0,3\n3,4\n", FGT_E_NAME,
         "line 3: column 2: \"4\" is not among the names, nor of the numbers of nodes, 0..3"},
        {"from,to\n0,1\n-1,1\n", FGT_E_NAME, "line 3: column 1: \"-1\" is not among"},
        {"from,to\na,b\nb,d\n", FGT_E_NAME, "g.csv: no node is called \"c\""},
        {"from,to\na,b\n\nb,c\nc,d\na,b\n", FGT_E_DATA,
         "g.csv: line 6: the edge from \"a\" to \"b\" is given twice, first in line 2"},
        {"from,to,weight\n0,1,0\n0,1,2\n", FGT_E_DATA, "line 3: the edge from \"a\" to \"b\" is given twice"},
        {"from,to\na,b\n,c\n", FGT_E_DATA, "g.csv: line 3: column 1: a node without a name"},
        {"from,to\na,b\nc\n", FGT_E_FORMAT, "g.csv: line 3: wrong number of cells (got 1, need 2)"},
        {"from,to,weight\na,b,nan\n", FGT_E_DATA, "g.csv: line 2: column 3: no weight"},
        {"from,to,kind\na,b,1\n", FGT_E_FORMAT, "none that is called \"kind\" besides"},
        {"from,to,weight,cost\na,b,1,2\n", FGT_E_FORMAT, "g.csv: line 1: column 4: a list of edges has one"},
        {"from,to\na,\"b\n", FGT_E_FORMAT, "a quote is not closed"},
    };
    for (size_t i = 0; i < COUNT(bad); i++)
        expect_refused(bad[i].text, letters, 4, bad[i].s, bad[i].sentence);
    expect_refused("a,b\n0,1\n1,0\n", NULL, 0, FGT_E_DATA, "g.csv: line 1: not all of it are numbers");
    expect_refused("1,a\n3,b\n", NULL, 2, FGT_E_DATA, "g.csv: line 1: not all of it are numbers");
    expect_refused("1,2\n3,4\n5,6\n", NULL, 0, FGT_E_FORMAT, "g.csv: wrong number of lines (got 3, need 2");
    expect_refused("from,to\n0,1\n", NULL, 0, FGT_E_DATA, "does not tell how many nodes there are");
    expect_refused("from,to\n0,a\n", NULL, 2, FGT_E_NAME, "\"a\" is not among the numbers of nodes, 0..1");
    expect_refused("from,to\n0,99999999999999999999999\n", NULL, 2, FGT_E_NAME, "is not among the numbers");
}

static void test_negative(void **state)
{
    (void)state;
    static const char *const text[] = {"b,a\n1,0\n-2,0\n", "from,to,weight\nb,b,1\na,b,-2\n"};
    fgt_graph_load_opts      opts   = {.size = sizeof opts, .names = letters, .count = 2, .no_negative = 1};
    fgt_graph               *g;
    for (size_t i = 0; i < COUNT(text); i++) {
        expect_status(fgt_graph_load(&context, put_text("g.csv", text[i]), &opts, &g), FGT_E_DATA);
        expect_sentence(
            "g.csv: line 3: the weight from \"a\" to \"b\" is out of range (got -2, need 0 or more)");
        assert_null(g);
        expect_ok(load(text[i], letters, 2, &g));
        fgt_graph_destroy(&g);
    }
    opts = (fgt_graph_load_opts){.size = sizeof opts, .no_negative = 1};
    expect_status(fgt_graph_load(&context, put_text("g.csv", "1,0\n-2,1\n"), &opts, &g), FGT_E_DATA);
    expect_sentence("g.csv: line 2: the weight from \"1\" to \"0\" is out of range (got -2");
}

static void test_refused_calls(void **state)
{
    (void)state;
    static const char *const twice[] = {"a", "b", "a"}, *const null[] = {"a", NULL};
    const char *path = put_text("g.csv", "0,1\n1,0\n");
    fgt_graph  *g;
    expect_refused("0,1\n1,0\n", twice, 3, FGT_E_ARG, "nodes 0 and 2 both have the name \"a\"");
    expect_refused("0,1\n1,0\n", null, 2, FGT_E_ARG, "name 1 is NULL");
    expect_refused("0,1\n1,0\n", letters, 0, FGT_E_ARG, "there are names, but count is 0");
    expect_refused("0,1\n1,0\n", NULL, -1, FGT_E_ARG, "count is out of range (got -1");
    fgt_graph_load_opts opts = {.size = sizeof opts, .subset = 2};
    expect_status(fgt_graph_load(&context, path, &opts, &g), FGT_E_ARG);
    expect_sentence("subset is out of range (got 2");
    opts = (fgt_graph_load_opts){.size = 1};
    expect_status(fgt_graph_load(&context, path, &opts, &g), FGT_E_VERSION);
    expect_status(fgt_graph_load(&context, in_directory("none"), NULL, &g), FGT_E_IO);
    expect_status(fgt_graph_load(&context, NULL, NULL, &g), FGT_E_ARG);
    expect_status(fgt_graph_load(&context, path, NULL, NULL), FGT_E_ARG);
    expect_status(fgt_graph_load(NULL, path, NULL, &g), FGT_E_ARG);
    assert_null(g);
}

/* A list of many edges: memory is linear in them. A matrix would have 1.6 GB. */
static void test_large(void **state)
{
    (void)state;
    enum { NODES = 20000, EDGES = 10 };
    const char *path = in_directory("g.csv");
    FILE       *f    = fopen(path, "w");
    fgt_graph  *g;
    assert_non_null(f);
    fprintf(f, "from,to,weight\n");
    for (int e = 0; e < EDGES; e++)
        for (int i = 0; i < NODES; i++) fprintf(f, "%d,%d,0.5\n", i, (i * 7 + e * 1237 + 1) % NODES);
    fclose(f);
    hook.peak = 0;
    expect_ok(fgt_graph_load(&context, path, &FGT_OPTS(fgt_graph_load_opts, .count = NODES), &g));
    assert_int_equal(graph_edges(g), NODES * EDGES);
    assert_true(hook.peak < 200 * NODES * EDGES);
    fgt_graph_destroy(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_plain, expect_no_leak),
        cmocka_unit_test_teardown(test_named, expect_no_leak),
        cmocka_unit_test_teardown(test_list, expect_no_leak),
        cmocka_unit_test_teardown(test_subset, expect_no_leak),
        cmocka_unit_test_teardown(test_forms, expect_no_leak),
        cmocka_unit_test_teardown(test_refused_files, expect_no_leak),
        cmocka_unit_test_teardown(test_negative, expect_no_leak),
        cmocka_unit_test_teardown(test_refused_calls, expect_no_leak),
        cmocka_unit_test_teardown(test_large, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
