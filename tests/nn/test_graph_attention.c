/* SPDX-License-Identifier: BSD-3-Clause */
/* Attention along the edges of a graph is full attention with a mask where there is no edge, dropout and
 * other masks included: all cases of the layers that take a graph. And its memory grows with the edges. */
#include "driver.h"

#define FORWARD  2e-5
#define BACKWARD 5e-5

enum { MASKED = NN_BLOCKED | NN_ADDITIVE };

/* The same layers without the graph, and the mask in its place. */
static void compare(const char *cls, const nn_case *c)
{
    nn_world a = {.threads = 1}, b = {.threads = 2};
    nn_case  other = *c;
    if (!strcmp(cls, "gcn") || !c->graph || c->inputs & MASKED || c->layer[0].axis) return;
    other.graph = NN_GRAPH_NONE;
    other.inputs |= NN_BLOCKED;
    nn_open(&a, cls, c);
    nn_data d = a.d;
    d.blocked = nn_memory(c->time * c->time, sizeof *d.blocked);
    for (int64_t i = 0; i < c->time * c->time; i++)
        d.blocked[i] = a.d.edges[i] == 0 && i / c->time != i % c->time;
    nn_borrow(&b, &a, &other, &d);
    nn_build(&b);
    nn_ok(&a, nn_forward(&a));
    nn_ok(&b, nn_forward(&b));
    nn_close_to(&a, "y", a.y_count, a.y, b.y, FORWARD);
    nn_ok(&a, nn_backward(&a));
    nn_ok(&b, nn_backward(&b));
    nn_close_to(&a, "dx", a.x_count, a.dx, b.dx, BACKWARD);
    nn_close_to(&a, "gradients", a.model->size, a.model->gradients, b.model->gradients, BACKWARD);
    nn_close(&b);
    nn_close(&a);
    free(d.blocked);
}

static void test_masked(void **state)
{
    (void)state;
    nn_each(compare);
}

/* Memory after a pass and its gradients, on a ring of n tokens. The shared scratch of the threads does not
 * count: a context has it once its workspaces take 1 MiB. */
static int64_t bytes_of(const char *cls, fgt_layer layer, int64_t n)
{
    nn_world      w = {.threads = 1};
    const nn_case c = {"ring", 1, 0, n, 8, .graph = NN_GRAPH_CSR, .layer = {layer}};
    nn_prepare(&w, cls, &c);
    for (int64_t i = 0; i < n * n; i++) w.d.edges[i] = i % n == (i / n + 1) % n;
    nn_build(&w);
    nn_ok(&w, nn_forward(&w));
    nn_ok(&w, nn_backward(&w));
    const int64_t bytes = w.hook.bytes - (int64_t)w.ctx->exec.shared_bytes;
    nn_close(&w);
    return bytes;
}

/* Four times the tokens and edges take about four times the memory. */
static void test_linear(void **state)
{
    const fgt_layer layers[] = {NN(attention, .heads = 2), NN(fighter, .heads = 2, .hops = 3),
                                NN(transformer, .heads = 2, .ff = 8)};
    (void)state;
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        const int64_t few = bytes_of(layers[i].type, layers[i], 300);
        const int64_t many = bytes_of(layers[i].type, layers[i], 1200);
        if (many > 5 * few)
            fail_msg("%s: %lld bytes with 300 tokens, %lld with 1200", layers[i].type, (long long)few,
                     (long long)many);
    }
}

/* Each further hop of a Fighter layer takes P_i and its gradient, R H each, and no memory for A P_{i+1}. The
 * columns of all are whole registers here. */
static void test_hops(void **state)
{
    const fgt_layer two = NN(fighter, .hops = 2), six = NN(fighter, .hops = 6);
    const int64_t   n = 300, each = n * 8 * (int64_t)sizeof(fgti_real);
    (void)state;
    const int64_t more = bytes_of("fighter", six, n) - bytes_of("fighter", two, n);
    if (more < 8 * each || more > 9 * each)
        fail_msg("four hops take %lld bytes more, R H are %lld", (long long)more, (long long)each);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_masked), cmocka_unit_test(test_linear),
                                       cmocka_unit_test(test_hops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
