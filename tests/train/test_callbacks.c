/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that functions of the host may make while training, or a layer of the host, calls them. */
#include "small_models.h"

#include <fighter/experimental/adapter.h>
#include <fighter/experimental/collective.h>
#include <fighter/experimental/layer.h>

enum { COUNT = 24, IN = 3, TIME = 2 };

typedef struct scene {
    fgt_model *m;
    fgt_optim *other;
    bool       meddle;
    int64_t    calls;
} scene;

/* Calls that train are refused; the others change nothing of the run. */
static void meddle(scene *s)
{
    float    x[2 * IN] = {1, 2, 3, 4, 5, 6}, y[2];
    fgt_view w         = {0};
    s->calls++;
    if (!s->meddle) return;
    REFUSED(fgt_forward(s->m, FGT_VIEW(x, 2, IN), FGT_VIEW(y, 2, 1)), FGT_E_STATE,
            "fgt_forward: called by a function that the training of this model calls");
    REFUSED(fgt_backward(s->m, FGT_VIEW(y, 2, 1), NULL), FGT_E_STATE, "fgt_backward: ");
    REFUSED(fgt_step(s->other), FGT_E_STATE, "fgt_step: ");
    REFUSED(fgt_model_fit(s->m, NULL, NULL), FGT_E_STATE, "fgt_model_fit: ");
    REFUSED(fgt_checkpoint_load(&FGT_OPTS(fgt_checkpoint, .optim = s->other), "/no/file"), FGT_E_STATE,
            "fgt_checkpoint_load: ");
    REFUSED(fgt_model_set_adapter(s->m, NULL), FGT_E_STATE,
            "fgt_model_set_adapter: called by a function that the training");
    OK(fgt_predict(s->m, FGT_VIEW(x, 2, IN), FGT_VIEW(y, 2, 1)));
    OK(fgt_model_get_weights(s->m, &w));
}

static void begin_epoch(void *user, int64_t epoch)
{
    (void)epoch;
    meddle(user);
}

static fgt_status write_log(void *user, const char *text, size_t size)
{
    (void)text, (void)size;
    meddle(user);
    return FGT_OK;
}

static int progress(void *user, const fgt_progress *p)
{
    (void)p;
    meddle(user);
    return 0;
}

static fgt_status get(void *user, const int64_t *index, int64_t n, const fgt_view *x, const fgt_view *target)
{
    meddle(user);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < IN; k++) ((float *)x->data)[i * IN + k] = noise(1, index[i] * IN + k);
        ((float *)target->data)[i] = noise(2, index[i]);
    }
    return FGT_OK;
}

static uint64_t train(bool meddles)
{
    scene            s      = {.meddle = meddles};
    fgt_attent      *selector;
    const fgt_source source = {
        .size = sizeof source, .count = COUNT, .get = get, .user = &s, .begin_epoch = begin_epoch};
    s.m                     = new_linear(ctx, 8, 1, IN, 1);
    OK(fgt_optim_create(s.m, NULL, &s.other));
    OK(fgt_attent_create(
        ctx, &FGT_OPTS(fgt_attent_opts, .samples = COUNT, .epochs = 3, .log = write_log, .log_user = &s),
        &selector));
    OK(fgt_model_fit(
        s.m,
        &FGT_OPTS(fgt_fit_opts, .train = &source, .validation = &source,
                  .training = {.epochs = 3, .progress = progress, .user = &s, .selector = selector}),
        NULL));
    assert_true(s.calls > 9);
    float y[2], x[2 * IN] = {0};
    OK(fgt_forward(s.m, FGT_VIEW(x, 2, IN), FGT_VIEW(y, 2, 1))); /* afterwards all is as usual */
    OK(fgt_backward(s.m, FGT_VIEW(y, 2, 1), NULL));
    const uint64_t hash = fgt_model_get_hash(s.m);
    fgt_attent_destroy(&selector);
    fgt_optim_destroy(&s.other);
    fgt_model_destroy(&s.m);
    return hash;
}

static void test_training(void **state)
{
    (void)state;
    assert_true(train(false) == train(true));
}

static fgt_status exchange(void *user, const fgt_exchange *e, void **request)
{
    (void)e, (void)request;
    meddle(user);
    return FGT_E_IO;
}

static fgt_status finish(void *user, void *request, int32_t wait, int32_t *done)
{
    (void)user, (void)request, (void)wait, (void)done;
    return FGT_E_IO;
}

/* The first thing that ranks do is to find out whether all are there. */
static void test_collective(void **state)
{
    (void)state;
    scene                s    = {.meddle = true};
    const fgt_collective with = {
        .size = sizeof with, .ranks = 2, .user = &s, .exchange = exchange, .finish = finish};
    const fgt_source source = {.size = sizeof source, .count = COUNT, .get = get, .user = &s};
    s.m                     = new_linear(ctx, 8, 1, IN, 1);
    OK(fgt_optim_create(s.m, NULL, &s.other));
    REFUSED(fgt_model_fit(s.m, &FGT_OPTS(fgt_fit_opts, .train = &source, .training.collective = &with), NULL),
            FGT_E_IO, "rank 0: the exchange");
    assert_int_equal(s.calls, 1);
    fgt_optim_destroy(&s.other);
    fgt_model_destroy(&s.m);
}

/* ---- a layer that uses the model it is part of ---- */

static fgt_model *own;

static fgt_status plan(void *user, fgt_layer_plan *p, const void *opts)
{
    (void)p, (void)opts, (void)user;
    return FGT_OK;
}

static fgt_status recurse(void *user, fgt_layer_pass *p, const void *opts)
{
    float x[IN] = {0};
    (void)p, (void)opts, (void)user;
    return fgt_predict(own, FGT_VIEW(x, 1, IN), FGT_VIEW(x, 1, IN));
}

/* Calls that would free or change the objects of the pass are refused, and the pass goes on as if nothing
 * had been called. */
static fgt_status interfere(void *user, fgt_layer_pass *p, const void *opts)
{
    float               x[IN] = {0}, y[IN];
    fgt_gradient_report r     = {.size = sizeof r};
    (void)opts, (void)user;
    REFUSED(fgt_forward(own, FGT_VIEW(x, 1, IN), FGT_VIEW(y, 1, IN)), FGT_E_STATE,
            "fgt_forward: called by a layer during a pass of its own model");
    REFUSED(fgt_backward(own, FGT_VIEW(y, 1, IN), NULL), FGT_E_STATE, "fgt_backward: called by a layer");
    REFUSED(fgt_model_check_gradient(own, FGT_VIEW(x, 1, 1, IN), NULL, &r), FGT_E_STATE,
            "a layer has called");
    REFUSED(fgt_model_set_adapter(own, NULL), FGT_E_STATE, "fgt_model_set_adapter: called by a layer");
    REFUSED(fgt_model_remove_adapter(own, "a"), FGT_E_STATE, "fgt_model_remove_adapter: called by a layer");
    REFUSED(fgt_model_merge_adapter(own, "a"), FGT_E_STATE, "fgt_model_merge_adapter: called by a layer");
    memcpy(fgt_layer_pass_get_output(p), fgt_layer_pass_get_input(p, 0), TIME * sizeof x);
    return FGT_OK;
}

static void test_layer(void **state)
{
    (void)state;
    const fgt_layer_class c = {
        .size = sizeof c, .type = "t.recursive", .plan = plan, .forward = recurse, .backward = recurse};
    float x[IN] = {1, 2, 3};
    OK(fgt_context_add_layer(ctx, &c));
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 1, .time = 1, .features = IN), &own));
    OK(fgt_model_add(own, (fgt_layer){.type = "t.recursive"}));
    for (int i = 0; i < 2; i++)
        REFUSED(fgt_predict(own, FGT_VIEW(x, 1, IN), FGT_VIEW(x, 1, IN)), FGT_E_STATE,
                "a layer has called a pass of its own model");
    fgt_model_destroy(&own);
}

static void test_interfering(void **state)
{
    (void)state;
    const fgt_layer_class c = {
        .size = sizeof c, .type = "t.interfering", .plan = plan, .forward = interfere, .backward = interfere};
    float x[2][TIME * IN] = {{1, 2, 3, 4, 5, 6}, {7, 6, 5, 4, 3, 2}}, y[2][TIME * IN], z[TIME * IN];
    OK(fgt_context_add_layer(ctx, &c));
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 1, .time = TIME, .features = IN), &own));
    OK(fgt_model_add(own, fgt_named("map", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = IN)))));
    OK(fgt_model_add(own, (fgt_layer){.type = "t.interfering"}));
    OK(fgt_model_add(own, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = IN))));
    OK(fgt_model_add_adapter(own, &FGT_OPTS(fgt_adapter_opts, .name = "a", .pattern = "map.*", .rank = 1)));
    OK(fgt_model_set_adapter(own, "a"));
    for (int k = 0; k < 2; k++)
        OK(fgt_predict(own, FGT_VIEW(x[k], 1, TIME, IN), FGT_VIEW(y[k], 1, TIME, IN)));
    for (int k = 0; k < 4; k++) { /* now the workspace serves the check within, which has fewer tokens */
        OK(fgt_forward(own, FGT_VIEW(x[k % 2], 1, TIME, IN), FGT_VIEW(z, 1, TIME, IN)));
        assert_memory_equal(y[k % 2], z, sizeof z);
    }
    OK(fgt_predict(own, FGT_VIEW(x[0], 1, TIME, IN), FGT_VIEW(z, 1, TIME, IN)));
    assert_memory_equal(y[0], z, sizeof z);
    fgt_model_destroy(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_training), cmocka_unit_test(test_collective),
                                       cmocka_unit_test(test_layer), cmocka_unit_test(test_interfering)};
    return cmocka_run_group_tests(tests, open_two, test_close);
}
