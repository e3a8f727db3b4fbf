/* SPDX-License-Identifier: BSD-3-Clause */
/* Attention that keeps its matrices and attention that streams them agree, with any products: in every case
 * of the classes that attend, and in longer ones that take several blocks of keys and of queries. */
#include "driver.h"

#define FORWARD  1e-5
#define BACKWARD 1e-4

/* The options of a layer with another mode; storage is the caller's. */
typedef union mode_opts {
    fgt_attention_opts   attention;
    fgt_fighter_opts     fighter;
    fgt_transformer_opts transformer;
} mode_opts;

static void set_mode(fgt_layer *l, mode_opts *o, int32_t mode)
{
    if (!l->type) return;
    if (!strcmp(l->type, "attention")) {
        o->attention      = l->opts ? *(const fgt_attention_opts *)l->opts : FGT_OPTS(fgt_attention_opts, 0);
        o->attention.attention.mode = mode;
    } else if (!strcmp(l->type, "fighter")) {
        o->fighter      = l->opts ? *(const fgt_fighter_opts *)l->opts : FGT_OPTS(fgt_fighter_opts, 0);
        o->fighter.attention.mode = mode;
    } else if (!strcmp(l->type, "transformer")) {
        o->transformer = l->opts ? *(const fgt_transformer_opts *)l->opts : FGT_OPTS(fgt_transformer_opts, 0);
        o->transformer.attention.mode = mode;
    } else {
        return;
    }
    l->opts = o;
}

/* Runs a case in that mode, planned for `more` tokens beyond. w->d: drawn here, or borrowed from another
 * world. opts: storage that lives as long as w. */
static void run(nn_world *w, const char *cls, const nn_case *c, int32_t mode, const nn_world *from,
                int64_t more, mode_opts opts[NN_LAYERS])
{
    nn_case other = *c;
    for (int i = 0; i < NN_LAYERS; i++) set_mode(&other.layer[i], &opts[i], mode);
    *w = (nn_world){.threads = from ? 2 : 1, .more_time = more};
    if (from) {
        nn_borrow(w, from, &other, &from->d);
        nn_build(w);
    } else {
        nn_open(w, cls, &other);
    }
    nn_ok(w, nn_forward(w));
}

/* The attention matrices of the first layer; NULL: it has none. */
static fgti_real *matrices(nn_world *w, int64_t *n)
{
    fgt_view a;
    if (fgt_model_get_adjacency(w->model, "0", &a) != FGT_OK) return NULL;
    *n           = fgt_view_count(&a);
    fgti_real *m = nn_memory(*n, sizeof *m);
    memcpy(m, a.data, (size_t)*n * sizeof *m);
    return m;
}

static void compare_products(const char *cls, const nn_case *c, int64_t more, int32_t products)
{
    nn_world  keep, stream;
    nn_case   other = *c;
    mode_opts opts[2][NN_LAYERS];
    int64_t   n = 0, m = 0;
    other.products = products;
    run(&keep, cls, &other, FGT_ATTN_MODE_KEEP, NULL, 0, opts[0]);
    run(&stream, cls, &other, FGT_ATTN_MODE_STREAM, &keep, more, opts[1]);
    nn_close_to(&stream, "y", keep.y_count, stream.y, keep.y, FORWARD);
    fgti_real *a = matrices(&keep, &n), *b = matrices(&stream, &m);
    assert_int_equal(n, m);
    if (a) nn_close_to(&stream, "A", n, b, a, FORWARD);
    nn_ok(&keep, nn_backward(&keep));
    nn_ok(&stream, nn_backward(&stream));
    nn_close_to(&stream, "dx", keep.x_count, stream.dx, keep.dx, BACKWARD);
    nn_close_to(&stream, "dmemory", keep.memory_count, stream.dmemory, keep.dmemory, BACKWARD);
    nn_close_to(&stream, "gradients", keep.model->size, stream.model->gradients, keep.model->gradients,
                BACKWARD);
    free(a);
    free(b);
    nn_close(&stream);
    nn_close(&keep);
}

static void compare(const char *cls, const nn_case *c, int64_t more)
{
    compare_products(cls, c, more, FGT_PRODUCTS_AUTO);
    compare_products(cls, c, more, FGT_PRODUCTS_BLIS);
}

/* All attenders but the full one keep what they compute, and refuse to stream. */
static bool has_one_mode(const nn_case *c)
{
    for (int i = 0; i < NN_LAYERS && c->layer[i].type; i++) {
        const fgt_attention_opts *o = c->layer[i].opts;
        const fgt_fighter_opts   *f = c->layer[i].opts;
        if (!strcmp(c->layer[i].type, "attention") && o && o->attention.attender != FGT_ATTENDER_FULL)
            return true;
        if (!strcmp(c->layer[i].type, "fighter") && f && f->attention.attender != FGT_ATTENDER_FULL)
            return true;
    }
    return false;
}

static void compare_attending(const char *cls, const nn_case *c)
{
    if (has_one_mode(c)) return;
    if (!strcmp(cls, "attention") || !strcmp(cls, "fighter") || !strcmp(cls, "transformer"))
        compare(cls, c, 0);
}

static void test_cases(void **state)
{
    (void)state;
    nn_each(compare_attending);
}

static void test_long(void **state)
{
    (void)state;
    const nn_case long_cases[] = {
        {"three blocks of queries", 1, 0, 300, 6, .layer = {NN(fighter, .heads = 2, .act = FGT_ACT_TANH)}},
        {"three blocks of keys", 1, 0, 1100, 4,
         .layer = {NN(fighter, .heads = 1, .hops = 4, .act = FGT_ACT_TANH, .attention.causal = 1)}},
        {"heads of whole registers", 1, 0, 1100, 16, .layer = {NN(fighter, .hops = 5, .act = FGT_ACT_TANH)}},
        {"propagate, dropout", 1, 0, 700, 2,
         .layer = {NN(fighter, .out = 6, .act = FGT_ACT_TANH, .attention.attn_dropout = 0.2f,
                      .attention.diag_dropout = 0.2f, .attention.diag_when = FGT_DIAG_WHEN_AFTER)}},
        {"more weights than a short series has", 2, 0, 20, 384,
         .layer = {NN(fighter, .heads = 8, .act = FGT_ACT_TANH)}},
    };
    const nn_case padded = {"padding, whole blocks of keys",     2, 0, 600, 4, .inputs = NN_PADDING,
                            .layer = {NN(attention, .heads = 2)}};
    for (size_t i = 0; i < sizeof long_cases / sizeof *long_cases; i++) compare("fighter", &long_cases[i], 0);
    compare("attention", &padded, 0);
}

/* Few tokens in a model that is planned for more: the route follows from the planned sizes. */
static void test_fewer(void **state)
{
    (void)state;
    const nn_case few = {
        "fewer than planned",
        2,
        0,
        70,
        4,
        .layer = {NN(fighter, .heads = 2, .hops = 4, .act = FGT_ACT_TANH, .attention.causal = 1)}};
    compare("fighter", &few, 0);
    compare("fighter", &few, 700);
    compare("fighter", &few, 1100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_fewer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
