/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptions of a model, of one that was loaded too. */
#include <math.h>

#include <fighter/experimental/convert.h>
#include <fighter/experimental/layer.h>
#include <fighter/fighter.h>

#include "../model_info.h"
#include "../one_context.h"

enum { B = 3, T = 6, D = 4 };

/* known -> map; x -> fighter -> sum of both -> shared map */
static fgt_model *make(void)
{
    const fgt_model_opts   o       = {.size = sizeof o, .batch = B, .time = T, .features = D};
    const fgt_fighter_opts fighter = {.size = sizeof fighter, .heads = 2, .hops = 3};
    fgt_model             *m;
    OK(fgt_model_create(ctx, &o, &m));
    OK(fgt_model_add(m, fgt_named("known", fgt_value(NULL))));
    const fgt_value_opts mask = {.size = sizeof mask, .kind = FGT_VALUE_KEY_PADDING};
    OK(fgt_model_add(m, fgt_named("mask", fgt_value(&mask))));
    OK(fgt_model_add_from(m, fgt_named("map", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = D))),
                          (const char *[]){"known"}, 1));
    OK(fgt_model_add_from(m, fgt_fighter(&fighter), (const char *[]){"", "mask"}, 2));
    OK(fgt_model_add_from(m, fgt_named("join", fgt_sum(NULL)), (const char *[]){"3", "map"}, 2));
    OK(fgt_model_add(m, fgt_named("again", fgt_shared("map"))));
    return m;
}

static fgt_layer_info layer(const fgt_model *m, int64_t i)
{
    fgt_layer_info info = {.size = sizeof info};
    OK(fgt_model_get_layer(m, i, &info));
    return info;
}

static void check_layers(const fgt_model *m)
{
    fgt_view shape;
    shape = model_info(m).input;
    assert_true(shape.rank == 3 && shape.shape[0] == B && shape.shape[1] == T && shape.shape[2] == D);
    assert_int_equal(model_info(m).layers, 6);
    assert_string_equal(layer(m, 0).type, "value");
    assert_int_equal(layer(m, 0).input_count, 0);
    assert_int_equal(layer(m, 2).parameters, D * D + D);
    assert_true(layer(m, 2).flops == 2.0 * B * T * D * D);
    assert_string_equal(layer(m, 3).route, "short");
    assert_int_equal(layer(m, 3).input_count, 2);
    assert_true(layer(m, 3).cache_bytes > 0);
    assert_string_equal(layer(m, 3).inputs[0], "");
    assert_string_equal(layer(m, 3).inputs[1], "mask");
    assert_string_equal(layer(m, 4).inputs[1], "map");
    assert_string_equal(layer(m, 5).shares, "map");
    assert_int_equal(layer(m, 5).parameters, 0);
    shape = layer(m, 5).output;
    assert_true(shape.rank == 3 && shape.shape[0] == B && shape.shape[1] == T && shape.shape[2] == D);
}

static void test_layers(void **state)
{
    (void)state;
    fgt_model     *m = make(), *loaded;
    int64_t        bytes;
    char           file[20000];
    fgt_layer_info info = {.size = sizeof info};
    check_layers(m);
    OK(fgt_model_save(m, FGT_TO_MEMORY(file, sizeof file, &bytes)));
    OK(fgt_model_load(ctx, FGT_FROM_MEMORY(file, bytes), NULL, &loaded));
    check_layers(loaded);
    assert_int_equal(fgt_model_get_layer(m, 6, &info), FGT_E_ARG);
    assert_non_null(strstr(fgt_context_get_error(ctx), "layer is out of range (got 6, need 0 .. 5)"));
    assert_int_equal(fgt_model_get_layer(m, -1, &info), FGT_E_ARG);
    assert_int_equal(fgt_model_get_layer(m, 0, NULL), FGT_E_ARG);
    assert_int_equal(model_info(NULL).layers, 0);
    fgt_model_destroy(&loaded);
    fgt_model_destroy(&m);
}

/* A head, a line for each layer, which begins with its name, and the totals. */
static void check_lines(const fgt_model *m, const char *text)
{
    const int64_t layers = model_info(m).layers;
    char          totals[80];
    const char   *line = text;
    for (int64_t i = -1; i < layers; i++) {
        const char *name = i < 0 ? "layer" : layer(m, i).name, *end = strchr(line, '\n');
        assert_non_null(end);
        if (strncmp(line, name, strlen(name)) || line[strlen(name)] != ' ')
            fail_msg("no line of %s in\n%s", name, text);
        line = end + 1;
    }
    snprintf(totals, sizeof totals,
             "%lld parameters; a forward pass of %d samples: ", (long long)model_info(m).parameters, B);
    if (strncmp(line, totals, strlen(totals))) fail_msg("no \"%s\" in\n%s", totals, text);
    assert_non_null(strstr(line, "; memory to train "));
    assert_non_null(strstr(line, ", to predict "));
    line = strchr(line, '\n');
    assert_true(line && !line[1]);
}

static void test_table(void **state)
{
    (void)state;
    fgt_model *m = make();
    int64_t    bytes, again;
    OK(fgt_model_describe(m, NULL, 0, &bytes));
    char *text = malloc((size_t)bytes);
    assert_non_null(text);
    memset(text, '#', (size_t)bytes);
    again = -3;
    for (int64_t room = 0; room < bytes; room++) {
        assert_int_equal(fgt_model_describe(m, text, room, &again), FGT_E_SIZE);
        assert_int_equal(again, -3);
    }
    for (int64_t i = 0; i < bytes; i++) assert_int_equal(text[i], '#');
    OK(fgt_model_describe(m, text, bytes, &again));
    assert_true(again == bytes && (int64_t)strlen(text) + 1 == bytes);
    static const char *const words[] = {"layer ", "(input), mask", "3, map", "of map",
                                        "short",  "[3,6,4]",       " flop;"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strstr(text, words[i])) fail_msg("no \"%s\" in\n%s", words[i], text);
    check_lines(m, text);
    assert_int_equal(fgt_model_describe(m, NULL, 0, NULL), FGT_E_ARG);
    free(text);
    fgt_model_destroy(&m);
}

/* ---- what nobody knows ---- */

static fgt_status plan(void *user, fgt_layer_plan *p, const void *opts)
{
    (void)p, (void)opts, (void)user;
    return FGT_OK;
}

static fgt_status run(void *user, fgt_layer_pass *p, const void *opts)
{
    (void)p, (void)opts, (void)user;
    return FGT_OK;
}

/* The library cannot count the products of a host's layer, so the sum is not known either. */
/* A model that no pass can be made of is described all the same, and no error is left behind. */
static void test_huge(void **state)
{
    (void)state;
    fgt_model           *m;
    const fgt_model_opts o = {.size = sizeof o, .batch = INT32_MAX, .time = INT32_MAX, .features = 64};
    char                 text[2048];
    int64_t              bytes;
    OK(fgt_model_create(ctx, &o, &m));
    OK(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 64))));
    assert_string_equal(fgt_context_get_error(ctx), "");
    OK(fgt_model_describe(m, text, sizeof text, &bytes));
    assert_string_equal(fgt_context_get_error(ctx), "");
    fgt_model_destroy(&m);
}

static void test_host_layer(void **state)
{
    (void)state;
    const fgt_layer_class cls = {.size = sizeof cls, .type = "test.own", .plan = plan, .forward = run,
                                 .backward = run};
    fgt_model *m = make();
    char       text[4000];
    int64_t    bytes;
    OK(fgt_context_add_layer(ctx, &cls));
    OK(fgt_model_describe(m, text, sizeof text, &bytes));
    assert_null(strchr(text, '?'));
    OK(fgt_model_add(m, (fgt_layer){.type = "test.own", .name = "mine"}));
    assert_true(layer(m, 6).flops == -1);
    assert_string_equal(layer(m, 6).type, "test.own");
    OK(fgt_model_describe(m, text, sizeof text, &bytes));
    const char *line = strstr(text, "\nmine "), *mark = line ? strchr(line + 1, '?') : NULL;
    if (!mark || mark > strchr(line + 1, '\n')) fail_msg("no \"?\" for the host's layer in\n%s", text);
    assert_non_null(strstr(text, " samples: ? flop;"));
    check_lines(m, text);
    fgt_model_destroy(&m);
}

/* The shape of padding is known, that of another mask depends on its reader. */
static void test_masks(void **state)
{
    (void)state;
    fgt_model *m;
    char       text[4000];
    int64_t    bytes;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D), &m));
    for (int32_t kind = FGT_VALUE_IDS; kind <= FGT_VALUE_ROTATIONS; kind++) {
        const fgt_value_opts o = {.size = sizeof o, .kind = kind};
        OK(fgt_model_add(m, fgt_value(&o)));
        const fgt_view v = layer(m, kind - 1).output;
        assert_int_equal(v.rank, kind <= FGT_VALUE_KEY_PADDING ? 2 : 0);
        if (v.rank) assert_true(v.shape[0] == B && v.shape[1] == T);
    }
    OK(fgt_model_describe(m, text, sizeof text, &bytes));
    fgt_model_destroy(&m);
}

/* A place that is missing for the result leaves a sentence, too. */
static void test_no_place(void **state)
{
    (void)state;
    fgt_model           *m = make();
    const fgt_model_opts o = {.size = sizeof o, .features = D};
    const fgt_reader     r = {.size = sizeof r};
    fgt_predictor       *p;
    const float          w[D * D] = {0};
    const fgt_view      *v = FGT_VIEW(w, D, D);
    const char          *words = "result pointer is NULL";
    REFUSED(fgt_model_create(ctx, &o, NULL), FGT_E_ARG, words);
    OK(fgt_predictor_create(m, NULL, &p)); /* forgets nothing, but the sentences that follow are new */
    REFUSED(fgt_model_get_info(m, NULL), FGT_E_ARG, "fgt_model_get_info: info is NULL");
    REFUSED(model_of_layer(ctx, &o, fgt_dropout(NULL), NULL), FGT_E_ARG, words);
    REFUSED(fgt_model_get_info(m, NULL), FGT_E_ARG, "fgt_model_get_info: info is NULL");
    REFUSED(fgt_fighter_create_folded(ctx, &o, v, v, v, v, FGT_ACT_NONE, NULL), FGT_E_ARG, words);
    REFUSED(fgt_model_get_layer(m, 0, NULL), FGT_E_ARG, "info is NULL");
    REFUSED(fgt_model_load(ctx, FGT_FROM_FILE("nowhere"), NULL, NULL), FGT_E_ARG, words);
    REFUSED(fgt_model_get_layer(m, 0, NULL), FGT_E_ARG, "info is NULL");
    REFUSED(fgt_model_load(ctx, &FGT_OPTS(fgt_input, .reader = &r), NULL, NULL), FGT_E_ARG, words);
    REFUSED(fgt_model_get_layer(m, 0, NULL), FGT_E_ARG, "info is NULL");
    REFUSED(fgt_model_load(ctx, FGT_FROM_MEMORY(w, sizeof w), NULL, NULL), FGT_E_ARG, words);
    REFUSED(fgt_predictor_create(m, NULL, NULL), FGT_E_ARG, "predictor: result pointer is NULL");
    REFUSED(fgt_model_create_workspace(m, NULL, NULL), FGT_E_ARG, "workspace: result pointer is NULL");
    REFUSED(fgt_model_get_layer(m, 0, NULL), FGT_E_ARG, "info is NULL");
    REFUSED(fgt_predictor_create_workspace(p, NULL, NULL), FGT_E_ARG, "workspace: result pointer is NULL");
    fgt_predictor_destroy(&p);
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_layers),
        WITH_CONTEXT(test_table),
        WITH_CONTEXT(test_huge),
        WITH_CONTEXT(test_host_layer),
        WITH_CONTEXT(test_masks),
        WITH_CONTEXT(test_no_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
