/* SPDX-License-Identifier: BSD-3-Clause */
/* fgti_spmm() against the plain double loop, in every width that a block can leave. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "core/rng.h"
#include "core/sparse.h"

#define NODES 23
#define WIDTH 67
#define LD    71
#define GUARD 1e30f

static fgt_context context = {.allocator = {sizeof(fgt_allocator), NULL, fgti_libc_alloc, fgti_libc_release}};

/* Small whole numbers, so that sums are exact and must agree bit by bit. */
static int draw(uint64_t i)
{
    return (int)fgti_rng_below((fgti_rng){3, 3}, i, 17) - 8;
}

/* About a fifth of the edges; node 5 has none. */
static fgt_graph *make_graph(double dense[NODES][NODES])
{
    fgt_graph *g;
    int64_t    edges = 0;
    for (int i = 0; i < NODES; i++) {
        for (int j = 0; j < NODES; j++) {
            const uint64_t at = (uint64_t)(i * NODES + j);
            dense[i][j]       = i != 5 && fgti_rng_below((fgti_rng){1, 1}, at, 5) == 0 ? draw(at) : 0;
            edges += dense[i][j] != 0;
        }
    }
    assert_int_equal(fgti_graph_create(&context, NODES, false, edges, &g), FGT_OK);
    for (int i = 0, e = 0; i < NODES; i++) {
        for (int j = NODES - 1; j >= 0; j--) { /* finish() sorts */
            if (dense[i][j] == 0) continue;
            g->rows.indices[e]  = j;
            g->rows.values[e++] = (fgti_real)dense[i][j];
        }
        g->rows.indptr[i + 1] = e;
    }
    fgti_graph_finish(g);
    return g;
}

static double product(double a[NODES][NODES], bool transposed, int i, int c, fgti_real x[NODES][LD])
{
    double sum = 0;
    for (int j = 0; j < NODES; j++) sum += (transposed ? a[j][i] : a[i][j]) * (double)x[j][c];
    return sum;
}

static void test_products(void **state)
{
    (void)state;
    double     a[NODES][NODES];
    fgti_real  x[NODES][LD], y[NODES][LD];
    fgt_graph *g = make_graph(a);
    for (int i = 0; i < NODES; i++)
        for (int c = 0; c < LD; c++) x[i][c] = (fgti_real)draw((uint64_t)(1000 + i * LD + c));
    for (int width = 0; width <= WIDTH; width++) {
        for (int what = 0; what < 4; what++) {
            const bool      transposed = what & 1, add = what & 2;
            const fgti_csr *csr = transposed ? &g->transposed : &g->rows;
            for (int i = 0; i < NODES; i++)
                for (int c = 0; c < LD; c++) y[i][c] = c < width ? (fgti_real)(i + c) : GUARD;
            fgti_spmm(csr, 0, 9, width, &x[0][0], LD, add, &y[0][0], LD);
            fgti_spmm(csr, 9, NODES, width, &x[0][0], LD, add, &y[0][0], LD);
            for (int i = 0; i < NODES; i++)
                for (int c = 0; c < LD; c++)
                    assert_true(y[i][c] ==
                                (c < width ? product(a, transposed, i, c, x) + add * (i + c) : GUARD));
        }
    }
    fgti_graph_destroy(&g);
}

/* Split by rows or columns: the same bits, with numbers that do round. */
static void test_split(void **state)
{
    (void)state;
    double     a[NODES][NODES];
    fgti_real  x[NODES][LD], whole[NODES][LD] = {{0}}, parts[NODES][LD] = {{0}};
    fgt_graph *g = make_graph(a);
    for (int i = 0; i < NODES; i++)
        for (int c = 0; c < LD; c++)
            x[i][c] = (fgti_real)fgti_rng_normal((fgti_rng){2, 2}, (uint64_t)(i * LD + c));
    fgti_spmm(&g->rows, 0, NODES, LD, &x[0][0], LD, false, &whole[0][0], LD);
    for (int64_t c = 0; c < LD; c += 13) {
        const int64_t n = c + 13 < LD ? 13 : LD - c;
        for (int64_t i = 0; i < NODES; i += 4)
            fgti_spmm(&g->rows, i, i + 4 < NODES ? i + 4 : NODES, n, &x[0][c], LD, false, &parts[0][c], LD);
    }
    assert_memory_equal(whole, parts, sizeof whole);
    fgti_graph_destroy(&g);
}

/* A path of nodes that are numbered by chance, and nodes without edges: the path is in order. */
static void test_order(void **state)
{
    (void)state;
    enum { PATH = 1000, ALL = PATH + 3 };
    int32_t    node[ALL], position[ALL];
    fgt_graph *g;
    for (int32_t i = 0; i < ALL; i++) node[i] = i;
    for (int i = ALL - 1; i > 0; i--) {
        const uint64_t j = fgti_rng_below((fgti_rng){5, 5}, (uint64_t)i, (uint64_t)i + 1);
        const int32_t  n = node[i];
        node[i]         = node[j];
        node[j]         = n;
    }
    for (int i = 0; i < ALL; i++) position[node[i]] = i;
    assert_int_equal(fgti_graph_create(&context, ALL, false, PATH - 1, &g), FGT_OK);
    for (int64_t i = 0, e = 0; i < ALL; i++) {
        if (position[i] < PATH - 1) g->rows.indices[e++] = node[position[i] + 1];
        g->rows.indptr[i + 1] = e;
    }
    fgti_graph_finish(g);
    for (int i = 0; i < ALL; i++) position[g->order[i]] = i;
    for (int i = 0; i < PATH - 1; i++)
        assert_int_equal(abs(position[node[i]] - position[node[i + 1]]), 1);
    bool seen[ALL] = {false};
    for (int i = 0; i < ALL; i++) seen[g->order[i]] = true;
    for (int i = 0; i < ALL; i++) assert_true(seen[i]);
    fgti_graph_destroy(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products), cmocka_unit_test(test_split),
                                       cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
