/* SPDX-License-Identifier: BSD-3-Clause */
/* Adapters: results, arguments, refusals. tests/nn/test_gradient.c checks their gradients. */
#include <math.h>

#include <fighter/experimental/adapter.h>
#include <fighter/fighter.h>

#include "../directory.h"
#include "../model_info.h"
#include "file_data.h"
#include "one_context.h"

#define BATCH 3
#define TIME  5
#define D     16

/* A text model: ids, two encoder layers, a mean and a head. */
static fgt_model *text_model(uint64_t seed)
{
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = BATCH, .time = TIME, .seed = seed), &m));
    OK(fgt_model_add(
        m, fgt_named("embedding", fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = 40, .out = D)))));
    for (int i = 0; i < 2; i++)
        OK(fgt_model_add(m,
                         fgt_named(i ? "layers.1" : "layers.0",
                                   fgt_transformer(&FGT_OPTS(fgt_transformer_opts, .heads = 2, .ff = 24)))));
    OK(fgt_model_add(m, fgt_named("pool", fgt_pool(NULL))));
    OK(fgt_model_add(m, fgt_named("head", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 4)))));
    return m;
}

static int64_t  ids[BATCH * TIME];
static float    y[BATCH * 4], other[BATCH * 4];
static fgt_view x_view = {.data = ids, .shape = {BATCH, TIME}, .rank = 2, .dtype = FGT_DTYPE_I64};

static fgt_view view_of(float *data)
{
    return (fgt_view){.data = data, .shape = {BATCH, 4}, .rank = 2, .dtype = FGT_DTYPE_F32};
}

static void draw_ids(void)
{
    for (int i = 0; i < BATCH * TIME; i++) ids[i] = 1 + (i * 7) % 39;
}

static const float *predict(fgt_model *m, float *to)
{
    const fgt_view v = view_of(to);
    OK(fgt_predict(m, &x_view, &v));
    return to;
}

static void add(fgt_model *m, const char *name, const char *pattern, const char *whole, double dropout)
{
    OK(fgt_model_add_adapter(m, &FGT_OPTS(fgt_adapter_opts, .name = name, .pattern = pattern, .whole = whole,
                                               .rank = 2, .alpha = 6, .dropout = dropout, .seed = 5)));
}

/* Other values for all that is trained. */
static void disturb(fgt_model *m, int seed)
{
    fgt_view w;
    OK(fgt_model_get_weights(m, &w));
    float *copy = malloc((size_t)w.shape[0] * sizeof *copy);
    for (int64_t i = 0; i < w.shape[0]; i++)
        copy[i] = ((const float *)w.data)[i] + 0.1f * sinf((float)(i * (3 + seed)));
    w.data = copy;
    OK(fgt_model_set_weights(m, &w));
    free(copy);
}

static void train(fgt_model *m, fgt_optim *o, int steps)
{
    for (int s = 0; s < steps; s++) {
        const fgt_view v = view_of(y);
        OK(fgt_forward(m, &x_view, &v));
        for (int i = 0; i < BATCH * 4; i++) other[i] = y[i] - (float)(i % 3);
        const fgt_view dy = view_of(other);
        OK(fgt_backward(m, &dy, NULL));
        OK(fgt_step(o));
    }
}

static bool same(const float *a, const float *b)
{
    return !memcmp(a, b, sizeof y);
}

/* A new adapter changes nothing; merging one changes nothing either, and leaves none. */
static void test_merge(void **state)
{
    (void)state;
    draw_ids();
    fgt_model *m = text_model(1);
    predict(m, y);
    add(m, "a", "*", "head.", 0);
    OK(fgt_model_set_adapter(m, "a"));
    assert_true(same(predict(m, other), y));
    disturb(m, 0);
    assert_false(same(predict(m, other), y));
    memcpy(y, other, sizeof y);
    OK(fgt_model_merge_adapter(m, "a"));
    assert_int_equal(fgt_model_count_adapters(m), 0);
    assert_true(same(predict(m, other), y));
    REFUSED(fgt_model_set_adapter(m, "a"), FGT_E_NAME, "no adapter");
    fgt_model_destroy(&m);
}

/* Two adapters of one base: each gives what it gave, whatever happened to the other; without one the base
 * does. */
static void test_switch(void **state)
{
    (void)state;
    draw_ids();
    fgt_model     *m = text_model(2);
    float          base[BATCH * 4], first[BATCH * 4], second[BATCH * 4];
    const uint64_t hash = fgt_model_get_hash(m);
    predict(m, base);
    add(m, "a", "*.in_proj_weight", "head.", 0);
    add(m, "b", "layers.1.", NULL, 0);
    OK(fgt_model_set_adapter(m, "a"));
    disturb(m, 1);
    predict(m, first);
    OK(fgt_model_set_adapter(m, "b"));
    assert_true(same(predict(m, other), base));
    disturb(m, 2);
    predict(m, second);
    OK(fgt_model_set_adapter(m, "a"));
    assert_true(same(predict(m, other), first));
    OK(fgt_model_set_adapter(m, "b"));
    assert_true(same(predict(m, other), second));
    OK(fgt_model_set_adapter(m, NULL));
    assert_true(same(predict(m, other), base));
    assert_true(fgt_model_get_hash(m) == hash);
    OK(fgt_model_remove_adapter(m, "a"));
    OK(fgt_model_set_adapter(m, "b"));
    assert_true(same(predict(m, other), second));
    fgt_model_destroy(&m);
}

/* Training changes the adapter and no weight of the base. */
static void test_training(void **state)
{
    (void)state;
    draw_ids();
    fgt_model     *m    = text_model(3);
    const uint64_t hash = fgt_model_get_hash(m);
    const int64_t  all  = model_info(m).parameters;
    add(m, "a", "*", NULL, 0);
    OK(fgt_model_set_adapter(m, "a"));
    const int64_t few = model_info(m).parameters;
    assert_true(few < all);
    fgt_optim    *o;
    const int64_t before = memory.bytes;
    OK(fgt_optim_create(m, &FGT_OPTS(fgt_optim_opts, .lr = 0.01), &o));
    /* moments, gradients, a list of the parameters: nothing is as long as the base */
    assert_true(memory.bytes - before < 3 * few * (int64_t)sizeof(float) + 2000);
    train(m, o, 1);
    const int64_t calls = memory.calls;
    train(m, o, 3);
    assert_int_equal(memory.calls, calls);
    fgt_optim_destroy(&o);
    OK(fgt_model_set_adapter(m, NULL));
    assert_true(fgt_model_get_hash(m) == hash);
    fgt_model_destroy(&m);
}

/* A predictor has the active adapter, with the bits of the model. */
static void test_predictor(void **state)
{
    (void)state;
    draw_ids();
    fgt_model     *m = text_model(4);
    fgt_predictor *p;
    fgt_workspace *ws;
    add(m, "a", "*", "head.", 0);
    OK(fgt_model_set_adapter(m, "a"));
    disturb(m, 3);
    predict(m, y);
    OK(fgt_predictor_create(m, NULL, &p));
    fgt_model_destroy(&m);
    OK(fgt_predictor_create_workspace(p, NULL, &ws));
    const fgt_view v = view_of(other);
    OK(fgt_workspace_predict(ws, &x_view, &v));
    assert_true(same(y, other));
    fgt_workspace_destroy(&ws);
    fgt_predictor_destroy(&p);
}

/* The base can be read and set by name; the pass after that has it. */
static void test_base(void **state)
{
    (void)state;
    draw_ids();
    fgt_model *m = text_model(5);
    float      bias[4], changed[4];
    fgt_view   v = {.data = bias, .shape = {4}, .rank = 1, .dtype = FGT_DTYPE_F32};
    add(m, "a", "head.weight", NULL, 0);
    OK(fgt_model_set_adapter(m, "a"));
    assert_int_equal(model_info(m).tensors, 2);
    assert_string_equal(parameter_name(m, 0), "head.lora_A.weight");
    assert_string_equal(parameter_name(m, 1), "head.lora_B.weight");
    OK(fgt_model_copy_parameter(m, "head.bias", &v));
    predict(m, y);
    for (int i = 0; i < 4; i++) changed[i] = bias[i] + 1;
    v.data = changed;
    OK(fgt_model_set_parameter(m, "head.bias", &v));
    predict(m, other);
    for (int i = 0; i < BATCH * 4; i++) assert_true(fabsf(other[i] - y[i] - 1) < 1e-5f);
    OK(fgt_forward(m, &x_view, FGT_VIEW(y, BATCH, 4)));
    REFUSED(fgt_model_copy_gradient(m, "head.bias", &v), FGT_E_NAME, "does not train it");
    fgt_model_destroy(&m);
}

/* Without a pattern, tables of embeddings are left out. */
static void test_tables(void **state)
{
    (void)state;
    fgt_model *m = text_model(12);
    add(m, "a", NULL, NULL, 0);
    OK(fgt_model_set_adapter(m, "a"));
    assert_string_equal(parameter_name(m, 0), "layers.0.self_attn.in_proj_weight.lora_A.weight");
    add(m, "b", "embedding.", NULL, 0.5);
    OK(fgt_model_set_adapter(m, "b"));
    assert_int_equal(model_info(m).tensors, 2);
    assert_string_equal(parameter_name(m, 0), "embedding.lora_embedding_A");
    assert_string_equal(parameter_name(m, 1), "embedding.lora_embedding_B");
    assert_int_equal(model_info(m).parameters, 2 * (40 + D));
    draw_ids();
    disturb(m, 6);
    predict(m, y);
    const fgt_view v = view_of(other);
    OK(fgt_forward(m, &x_view, &v));
    assert_true(same(y, other)); /* dropout leaves out no ids */
    add(m, "c", "", "head.", 0);
    OK(fgt_model_set_adapter(m, "c"));
    assert_int_equal(model_info(m).parameters, 4 * D + 4); /* the head alone */
    fgt_model_destroy(&m);
}

/* Dropout acts in training passes alone. */
static void test_dropout(void **state)
{
    (void)state;
    draw_ids();
    fgt_model *m = text_model(6);
    add(m, "a", "layers.", NULL, 0.5);
    OK(fgt_model_set_adapter(m, "a"));
    disturb(m, 4);
    predict(m, y);
    const fgt_view v = view_of(other);
    float          first[BATCH * 4];
    OK(fgt_forward(m, &x_view, &v));
    assert_false(same(y, other));
    memcpy(first, other, sizeof first);
    OK(fgt_forward(m, &x_view, &v));
    assert_false(same(first, other)); /* another draw */
    assert_true(same(predict(m, other), y));
    fgt_model_destroy(&m);
}

static void test_refused(void **state)
{
    (void)state;
    draw_ids();
    fgt_model       *m = text_model(7), *empty;
    fgt_optim       *o;
    fgt_adapter_info info = {.size = sizeof info};
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 1, .features = 2), &empty));
#define ADD(m, ...) fgt_model_add_adapter(m, &FGT_OPTS(fgt_adapter_opts, __VA_ARGS__))
    REFUSED(ADD(empty, .name = "a"), FGT_E_STATE, "no layers");
    REFUSED(ADD(m, .rank = 3), FGT_E_ARG, "name is not given");
    REFUSED(ADD(m, .name = "a", .rank = -1), FGT_E_ARG, "rank");
    REFUSED(ADD(m, .name = "a", .dropout = 1), FGT_E_ARG, "dropout");
    REFUSED(ADD(m, .name = "a", .pattern = "layers.,nothing"), FGT_E_NAME, "nothing");
    REFUSED(ADD(m, .name = "a", .pattern = "head.bias"), FGT_E_NAME, "no matrix that can be adapted");
    REFUSED(ADD(m, .name = "a", .whole = "embedding."), FGT_E_UNSUPPORTED, "table of ids");
    REFUSED(ADD(m, .name = "a", .pattern = ""), FGT_E_NAME, "select no parameter");
    assert_int_equal(fgt_model_count_adapters(m), 0);
    OK(ADD(m, .name = "a"));
    REFUSED(ADD(m, .name = "a"), FGT_E_NAME, "taken");
    REFUSED(fgt_model_get_adapter(m, 1, &info), FGT_E_ARG, "adapter is out of range (got 1, need below 1)");
    REFUSED(fgt_model_get_adapter(m, -1, &info), FGT_E_ARG, "adapter is out of range (got -1");
    REFUSED(fgt_model_get_adapter(m, 0, NULL), FGT_E_ARG, "info is NULL");
    REFUSED(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 2))), FGT_E_STATE, "");
    OK(fgt_optim_create(m, NULL, &o));
    OK(fgt_model_set_adapter(m, "a"));
    REFUSED(fgt_step(o), FGT_E_STATE, "an adapter is active");
    fgt_optim_destroy(&o);
    OK(fgt_optim_create(m, NULL, &o));
    const fgt_view v = view_of(y);
    OK(fgt_forward(m, &x_view, &v));
    OK(fgt_model_set_adapter(m, NULL));
    REFUSED(fgt_backward(m, &v, NULL), FGT_E_STATE, "");
    REFUSED(fgt_step(o), FGT_E_STATE, "not active");
    fgt_optim_destroy(&o);
    fgt_model_destroy(&empty);
    fgt_model_destroy(&m);
}

/* The map at the end of a minimal S4 block is a convolution of length 1; a class token is no map. */
static void test_maps(void **state)
{
    (void)state;
    fgt_model       *m;
    fgt_adapter_info info = {.size = sizeof info};
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = BATCH, .time = TIME, .features = D), &m));
    OK(fgt_model_add(m, fgt_named("token", (fgt_layer){.type = "class_token"})));
    OK(fgt_model_add(m, fgt_named("s4", fgt_s4(&FGT_OPTS(fgt_s4_opts, .block = FGT_S4_BLOCK_MINIMAL)))));
    add(m, "a", NULL, NULL, 0);
    OK(fgt_model_get_adapter(m, 0, &info));
    assert_int_equal(info.maps, 1);
    assert_int_equal(info.parameters, 2 * (D + 2 * D));
    REFUSED(ADD(m, .name = "b", .pattern = "token."), FGT_E_NAME, "no matrix that can be adapted");
    add(m, "b", "s4.", "token.", 0);
    OK(fgt_model_get_adapter(m, 1, &info));
    assert_int_equal(info.parameters, 2 * (D + 2 * D) + D);
    fgt_model_destroy(&m);
}

/* A model file has each name once, so no parameter of an adapter is called like one of the base, or like
 * another of its own. */
static void test_names(void **state)
{
    (void)state;
    static const char *const second[] = {"m.lora_A", "m.modules_to_save"};
    for (int i = 0; i < 2; i++) {
        fgt_model      *m;
        const fgt_layer map = fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = D));
        OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .features = D), &m));
        OK(fgt_model_add(m, fgt_named("m", map)));
        OK(fgt_model_add(m, fgt_named(second[i], map)));
        REFUSED(ADD(m, .name = "a", .pattern = i ? "" : "m.weight", .whole = i ? "m.weight" : NULL),
                FGT_E_NAME, i ? "\"m.modules_to_save.weight\" is taken" : "\"m.lora_A.weight\" is taken");
        assert_int_equal(fgt_model_count_adapters(m), 0);
        OK(ADD(m, .name = "a", .pattern = i ? "m.modules_to_save." : "m.lora_A."));
        OK(fgt_model_set_adapter(m, "a"));
        OK(fgt_model_save(m, FGT_TO_FILE("adapter_model")));
        fgt_model_destroy(&m);
    }
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .features = D), &m));
    OK(fgt_model_add(m, fgt_named("x", fgt_attention(NULL))));
    OK(fgt_model_add(m, fgt_named("x.in_proj_weight", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = D)))));
    REFUSED(ADD(m, .name = "a"), FGT_E_NAME, "\"x.in_proj_weight.lora_A.weight\" is taken");
    fgt_model_destroy(&m);
}

/* A, which a layer with one hop computes when it is asked, is that of the weights as they are. */
static void test_adjacency(void **state)
{
    (void)state;
    static float x[BATCH * TIME * D], to[BATCH * TIME * D];
    for (int i = 0; i < BATCH * TIME * D; i++) x[i] = sinf((float)i);
    for (int drops = 0; drops < 2; drops++) {
        fgt_model *m;
        fgt_view   a;
        OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = BATCH, .time = TIME, .features = D), &m));
        OK(fgt_model_add(m, fgt_named("f", fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .hops = 1)))));
        add(m, "a", NULL, NULL, drops ? 0.5 : 0);
        OK(fgt_model_set_adapter(m, "a"));
        OK(fgt_predict(m, FGT_VIEW(x, BATCH, TIME, D), FGT_VIEW(to, BATCH, TIME, D)));
        OK(fgt_model_get_adjacency(m, "f", &a));
        const size_t bytes  = (size_t)fgt_view_count(&a) * sizeof(float);
        float       *before = malloc(bytes), *now = malloc(bytes);
        memcpy(before, a.data, bytes);
        disturb(m, 8);
        OK(fgt_model_get_adjacency(m, "f", &a));
        memcpy(now, a.data, bytes);
        assert_memory_not_equal(before, now, bytes);
        OK(fgt_predict(m, FGT_VIEW(x, BATCH, TIME, D), FGT_VIEW(to, BATCH, TIME, D)));
        OK(fgt_model_get_adjacency(m, "f", &a));
        assert_memory_equal(a.data, now, bytes);
        free(before);
        free(now);
        fgt_model_destroy(&m);
    }
}

/* The same bits for any number of threads. */
static void test_threads(void **state)
{
    (void)state;
    float one[BATCH * 4];
    draw_ids();
    for (int32_t threads = 1; threads <= 3; threads += 2) {
        test_open_threads(threads);
        fgt_model *m = text_model(8);
        fgt_optim *o;
        add(m, "a", "*", "head.", 0.2);
        OK(fgt_model_set_adapter(m, "a"));
        OK(fgt_optim_create(m, &FGT_OPTS(fgt_optim_opts, .lr = 0.01), &o));
        train(m, o, 3);
        predict(m, threads == 1 ? one : other);
        fgt_optim_destroy(&o);
        fgt_model_destroy(&m);
        assert_int_equal(test_close(NULL), 0);
    }
    assert_true(same(one, other));
}

/* ---- files ---- */

#define FOLDER "adapter_files"

/* Written and read back, an adapter gives the same bits, and the file has nothing of the base. */
static void test_folder(void **state)
{
    (void)state;
    draw_ids();
    fgt_model       *m    = text_model(10);
    fgt_adapter_info info = {.size = sizeof info};
    add(m, "a", "embedding.,layers.,head.weight", "head.bias", 0);
    OK(fgt_model_set_adapter(m, "a"));
    disturb(m, 5);
    predict(m, y);
    OK(fgt_model_save_adapter(m, "a", FOLDER));
    OK(fgt_model_load_adapter(m, "b", FOLDER));
    OK(fgt_model_set_adapter(m, "b"));
    assert_true(same(predict(m, other), y));
    OK(fgt_model_get_adapter(m, 1, &info));
    assert_string_equal(info.name, "b");
    assert_int_equal(info.rank, 2);
    assert_true(info.alpha == 6 && info.active);
    const test_block b = test_read(FOLDER "/adapter_model.safetensors");
    assert_true(b.size < info.parameters * (int64_t)sizeof(float) + 3000);
    free(b.data);
    REFUSED(fgt_model_load_adapter(m, "b", FOLDER), FGT_E_NAME, "taken");
    REFUSED(fgt_model_load_adapter(m, "c", "nowhere"), FGT_E_IO, "nowhere");
    REFUSED(fgt_model_save_adapter(m, "c", FOLDER), FGT_E_NAME, "no adapter");
    fgt_model_destroy(&m);
}

/* Numbers with more digits than people write come back, leading zeros or not. */
static void test_numbers(void **state)
{
    static const double numbers[][2] = {
        {0.05f, 1.0 / 12}, {0.1f, 1.0 / 3}, {0.001f, 0.0123456789012345}, {1e-5f, 1e9 / 7}, {0.5, 0.1 + 0.2},
    };
    (void)state;
    fgt_adapter_info info = {.size = sizeof info};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        fgt_model *m = text_model(15);
        OK(fgt_model_add_adapter(m, &FGT_OPTS(fgt_adapter_opts, .name = "a", .pattern = "head.weight",
                                                   .rank = 2, .dropout = numbers[i][0],
                                                   .alpha = numbers[i][1])));
        OK(fgt_model_save_adapter(m, "a", FOLDER));
        OK(fgt_model_load_adapter(m, "b", FOLDER));
        OK(fgt_model_get_adapter(m, 1, &info));
        assert_true(info.dropout == numbers[i][0]);
        assert_true(fabs(info.alpha / numbers[i][1] - 1) < 3e-16);
        fgt_model_destroy(&m);
    }
}

/* Whatever byte of the tensors is wrong, or of the numbers in the description. */
static void test_damaged_folder(void **state)
{
    (void)state;
    fgt_model *m = text_model(11);
    add(m, "a", "head.weight", NULL, 0);
    OK(fgt_model_save_adapter(m, "a", FOLDER));
    const test_block tensors = test_read(FOLDER "/adapter_model.safetensors");
    const test_block config  = test_read(FOLDER "/adapter_config.json");
    const char      *name    = strstr(tensors.data + 8, "fighter.hash");
    const char      *alpha   = strstr(config.data, "lora_alpha");
    for (int64_t i = 0; i < tensors.size; i++) {
        if (tensors.data + i >= name && tensors.data + i < name + strlen("fighter.hash")) continue;
        tensors.data[i] ^= 2;
        test_write(FOLDER "/adapter_model.safetensors", tensors.data, (size_t)tensors.size);
        tensors.data[i] ^= 2;
        assert_int_not_equal(fgt_model_load_adapter(m, "b", FOLDER), FGT_OK);
    }
    test_write(FOLDER "/adapter_model.safetensors", tensors.data, (size_t)tensors.size);
    config.data[alpha - config.data + (int64_t)strcspn(alpha, "0123456789")] ^= 1;
    test_write(FOLDER "/adapter_config.json", config.data, (size_t)config.size);
    REFUSED(fgt_model_load_adapter(m, "b", FOLDER), FGT_E_FORMAT, "differ from the options saved with");
    free(tensors.data);
    free(config.data);
    fgt_model_destroy(&m);
}

/* Files that mean something else than we compute are refused, and so are files that do not fit. */
static void test_foreign(void **state)
{
    static const struct {
        const char *config, *words;
        fgt_status  status;
    } bad[] = {
        {"{\"peft_type\": \"LORA\", \"r\": 2, \"lora_alpha\": 6, \"use_dora\": true}", "use_dora",
         FGT_E_UNSUPPORTED},
        {"{\"peft_type\": \"LORA\", \"r\": 2, \"lora_alpha\": 6, \"rank_pattern\": {\"a\": 3}}",
         "rank_pattern", FGT_E_UNSUPPORTED},
        {"{\"peft_type\": \"IA3\"}", "peft_type", FGT_E_UNSUPPORTED},
        {"{\"peft_type\": \"LORA\", \"r\": 2, \"lora_alpha\": 6, \"init_lora_weights\": \"pissa_niter_4\"}",
         "init_lora_weights", FGT_E_UNSUPPORTED},
        {"{\"r\": 2, \"lora_alpha\": 6}", "peft_type", FGT_E_FORMAT},
        {"{\"peft_type\": \"LORA\", \"r\": 2.5, \"lora_alpha\": 6}", "\"r\"", FGT_E_FORMAT},
        {"{\"peft_type\": \"LORA\", \"r\": 3, \"lora_alpha\": 6}",
         "rank 3, alpha 6 and dropout 0 differ from the options saved with the tensors", FGT_E_FORMAT},
        {"{\"peft_type\": \"LORA\", \"r\": 2, \"lora_alpha\": {}}", "lora_alpha", FGT_E_FORMAT},
        {"{\"peft_type\": \"LORA\", \"r\": 2, ", "string", FGT_E_FORMAT},
        {"[", "'{'", FGT_E_FORMAT},
        {"", "'{'", FGT_E_FORMAT},
    };
    (void)state;
    fgt_model *m = text_model(11);
    add(m, "a", "head.weight", NULL, 0);
    OK(fgt_model_save_adapter(m, "a", FOLDER));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        test_write(FOLDER "/adapter_config.json", bad[i].config, strlen(bad[i].config));
        REFUSED(fgt_model_load_adapter(m, "b", FOLDER), bad[i].status, bad[i].words);
    }
    /* as peft writes it: s = alpha / sqrt(r), and values of all kinds that nobody reads */
    const char good[] =
        "{\"peft_type\": \"LORA\", \"r\": 2, \"lora_alpha\": 6.0, \"use_rslora\": true, \"x\": [1, {\"y\": "
        "[null, \"}\"]}, -1e-3], \"init_lora_weights\": \"gaussian\", \"bias\": "
        "\"none\", \"use_dora\": false, \"rank_pattern\": {}}\n";
    const test_block tensors = test_read(FOLDER "/adapter_model.safetensors");
    memcpy(strstr(tensors.data + 8, "fighter.adapter"), "another.adapter", 15); /* peft's say nothing of it */
    test_forget_hash(tensors.data, (size_t)tensors.size);
    test_write(FOLDER "/adapter_model.safetensors", tensors.data, (size_t)tensors.size);
    free(tensors.data);
    test_write(FOLDER "/adapter_config.json", good, sizeof good - 1);
    OK(fgt_model_load_adapter(m, "b", FOLDER));
    fgt_adapter_info info = {.size = sizeof info};
    OK(fgt_model_get_adapter(m, 1, &info));
    assert_true(fabs(info.alpha - 6 * sqrt(2)) < 1e-12);
    /* what can be added can also be read */
    OK(fgt_model_add_adapter(m, &FGT_OPTS(fgt_adapter_opts, .name = "large", .alpha = 1e9)));
    OK(fgt_model_save_adapter(m, "large", FOLDER));
    OK(fgt_model_load_adapter(m, "again", FOLDER));
    OK(fgt_model_save_adapter(m, "a", FOLDER));
    fgt_model_destroy(&m);
    fgt_model *small;
    OK(model_of_layer(ctx, &FGT_OPTS(fgt_model_opts, .features = 3),
                      fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 4)), &small));
    REFUSED(fgt_model_load_adapter(small, "b", FOLDER), FGT_E_NAME, "belongs to no parameter");
    fgt_model_destroy(&small);
}

/* A model file holds the active adapter; the others are left out. */
static void test_model_file(void **state)
{
    (void)state;
    draw_ids();
    fgt_model       *m = text_model(12), *read;
    fgt_adapter_info info = {.size = sizeof info};
    add(m, "left out", NULL, NULL, 0);
    add(m, "a", "layers.", "head.", 0.25);
    OK(fgt_model_set_adapter(m, "a"));
    disturb(m, 6);
    predict(m, y);
    OK(fgt_model_save(m, FGT_TO_FILE("adapter_model")));
    OK(fgt_model_load(ctx, FGT_FROM_FILE("adapter_model"), NULL, &read));
    assert_int_equal(fgt_model_count_adapters(read), 1);
    OK(fgt_model_get_adapter(read, 0, &info));
    assert_true(info.active && info.dropout == 0.25);
    assert_true(same(predict(read, other), y));
    fgt_model_destroy(&read);
    OK(fgt_model_set_adapter(m, NULL));
    predict(m, y);
    OK(fgt_model_save(m, FGT_TO_FILE("adapter_model")));
    OK(fgt_model_load(ctx, FGT_FROM_FILE("adapter_model"), NULL, &read));
    assert_int_equal(fgt_model_count_adapters(read), 0);
    assert_true(same(predict(read, other), y));
    fgt_model_destroy(&read);
    fgt_model_destroy(&m);
}

/* One map of the name, with an adapter "a" that is active. */
static fgt_model *one_map(const char *name, double dropout)
{
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = BATCH, .features = D, .seed = 14), &m));
    OK(fgt_model_add(m, fgt_named(name, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 4)))));
    add(m, "a", NULL, NULL, dropout);
    OK(fgt_model_set_adapter(m, "a"));
    return m;
}

/* Names of layers are no patterns: each has the adapter of its own parameters. */
static void test_odd_names(void **state)
{
    (void)state;
    static const char *const names[] = {"a,b", "a*", "[\"a"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        fgt_model *m, *read;
        OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .features = 2), &m));
        OK(fgt_model_add(m, fgt_named(names[i], fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 2)))));
        OK(fgt_model_add(m, fgt_named("a1", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 2)))));
        add(m, "a", NULL, "a1.", 0);
        OK(fgt_model_set_adapter(m, "a"));
        OK(fgt_model_save(m, FGT_TO_FILE("adapter_model")));
        OK(fgt_model_load(ctx, FGT_FROM_FILE("adapter_model"), NULL, &read));
        assert_int_equal(model_info(read).tensors, 4); /* A and B of the first, all of the second */
        assert_true(fgt_model_get_hash(m) == fgt_model_get_hash(read));
        fgt_model_destroy(&read);
        fgt_model_destroy(&m);
    }
}

/* The file says what its adapter is, so what does not fit the model is malformed. */
static void test_damaged_model_file(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value, *words;
    } bad[] = {
        {"fighter.adapter", "rank=70000", "rank"},
        {"fighter.adapter.name", "", "name is not given"},
        {"fighter.adapter.adapted", "[]", "not a list of parameters"},
        {"fighter.adapter.adapted", "head.weight", "not a list of parameters"},
        {"fighter.adapter.adapted", "[\"head.bias\"]", "not a list of parameters"},
        {"fighter.adapter.adapted", "[\"head.weight\",\"head.weight\"]", "not a list of parameters"},
        {"fighter.frozen", "[\"head.lora_C.weight\"]", "fighter.frozen"},
        {"fighter.seed", "", "fighter.seed"},
        {"fighter.seed", "18446744073709551616", "fighter.seed"},
        {"fighter.adapter.seed", "184467440737095516150", "name or seed"},
    };
    fgt_model *m = one_map("head", 0), *read;
    OK(fgt_model_set_frozen(m, "*lora_A*", 1));
    OK(fgt_model_save(m, FGT_TO_FILE("adapter_model")));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        static file_copy copy;
        copy_open(ctx, "adapter_model", &copy);
        copy_set(&copy, bad[i].key, bad[i].value);
        copy_save(ctx, &copy, "adapter_bad");
        REFUSED(fgt_model_load(ctx, FGT_FROM_FILE("adapter_bad"), NULL, &read), FGT_E_FORMAT, bad[i].words);
        assert_null(read);
    }
    fgt_model_destroy(&m);
}

/* Which parameters of an adapter are frozen stands in models and checkpoints. */
static void test_frozen(void **state)
{
    (void)state;
    fgt_model *m = one_map("head", 0), *read;
    fgt_optim *o;
    OK(fgt_model_set_frozen(m, "*lora_B*", 1));
    OK(fgt_optim_create(m, NULL, &o));
    const fgt_checkpoint c = {.size = sizeof c, .optim = o};
    OK(fgt_checkpoint_save(&c, "adapter_checkpoint"));
    OK(fgt_model_load(ctx, FGT_FROM_FILE("adapter_checkpoint"), NULL, &read));
    assert_int_equal(parameter_frozen(read, parameter_name(read, 0)), 0);
    assert_int_equal(parameter_frozen(read, parameter_name(read, 1)), 1);
    OK(fgt_checkpoint_load(&c, "adapter_checkpoint"));
    OK(fgt_model_set_frozen(m, "*lora_B*", 0));
    REFUSED(fgt_checkpoint_load(&c, "adapter_checkpoint"), FGT_E_FORMAT, "frozen parameters");
    fgt_optim_destroy(&o);
    fgt_model_destroy(&read);
    fgt_model_destroy(&m);
}

/* A prediction between the passes makes the weights without dropout, of which no gradient is wanted. */
static void test_between_passes(void **state)
{
    (void)state;
    static float   x[BATCH * D];
    const fgt_view in = {.data = x, .shape = {BATCH, D}, .rank = 2, .dtype = FGT_DTYPE_F32}, out = view_of(y),
                   more = view_of(other);
    for (int i = 0; i < BATCH * D; i++) x[i] = sinf((float)i);
    for (int drops = 0; drops < 2; drops++) {
        fgt_model     *m = one_map("head", drops ? 0.5 : 0);
        fgt_workspace *ws;
        disturb(m, 7);
        OK(fgt_model_create_workspace(m, NULL, &ws));
        OK(fgt_forward(m, &in, &out));
        OK(fgt_workspace_predict(ws, &in, &more));
        assert_int_equal(same(y, other), !drops);
        if (drops)
            REFUSED(fgt_backward(m, &out, NULL), FGT_E_STATE, "a prediction after fgt_forward()");
        else
            OK(fgt_backward(m, &out, NULL));
        OK(fgt_forward(m, &in, &out));
        OK(fgt_backward(m, &out, NULL));
        fgt_workspace_destroy(&ws);
        fgt_model_destroy(&m);
    }
}

/* A checkpoint of an adapter goes on where it was, with the same bits. */
static void test_checkpoint(void **state)
{
    (void)state;
    float end[BATCH * 4];
    draw_ids();
    for (int again = 0; again < 2; again++) {
        fgt_model *m = text_model(13);
        fgt_optim *o;
        add(m, "a", NULL, "head.", 0.25);
        OK(fgt_model_set_adapter(m, "a"));
        OK(fgt_optim_create(m, &FGT_OPTS(fgt_optim_opts, .lr = 0.01), &o));
        const fgt_checkpoint c = {.size = sizeof c, .optim = o};
        if (again) OK(fgt_checkpoint_load(&c, "adapter_checkpoint"));
        if (!again) train(m, o, 3);
        if (!again) OK(fgt_checkpoint_save(&c, "adapter_checkpoint"));
        train(m, o, 2);
        predict(m, again ? other : end);
        fgt_optim_destroy(&o);
        fgt_model_destroy(&m);
    }
    assert_true(same(other, end));
    fgt_model *m = text_model(13);
    fgt_optim *o;
    OK(fgt_optim_create(m, &FGT_OPTS(fgt_optim_opts, .lr = 0.01), &o));
    REFUSED(fgt_checkpoint_load(&FGT_OPTS(fgt_checkpoint, .optim = o), "adapter_checkpoint"), FGT_E_FORMAT,
            "adapter");
    fgt_optim_destroy(&o);
    fgt_model_destroy(&m);
}

/* The base is restored, too, whatever its layers are called, so damage to it shows. */
static void test_checkpoint_of_base(void **state)
{
    (void)state;
    static const char *const names[] = {"head", "train", "fit"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char       weight[32];
        fgti_st   *st;
        fgt_model *m = one_map(names[i], 0);
        fgt_optim *o;
        OK(fgt_optim_create(m, NULL, &o));
        const fgt_checkpoint c    = {.size = sizeof c, .optim = o};
        const uint64_t       hash = fgt_model_get_hash(m);
        OK(fgt_checkpoint_save(&c, "adapter_checkpoint"));
        OK(fgt_checkpoint_load(&c, "adapter_checkpoint"));
        snprintf(weight, sizeof weight, "%s.weight", names[i]);
        OK(fgti_st_open(ctx, "adapter_checkpoint", &st));
        const test_block file = test_read("adapter_checkpoint");
        file.data[fgti_st_find(st, weight)->offset] ^= 64;
        fgti_st_close(ctx, &st);
        test_write("adapter_bad", file.data, (size_t)file.size);
        free(file.data);
        REFUSED(fgt_checkpoint_load(&c, "adapter_bad"), FGT_E_FORMAT, "the file is damaged");
        assert_true(fgt_model_get_hash(m) == hash);
        fgt_optim_destroy(&o);
        fgt_model_destroy(&m);
    }
}

static void test_sweeps(void **state)
{
    (void)state;
    draw_ids();
    fgt_model *m = text_model(9);
    predict(m, y);
    fgt_status s;
    SWEEP(
        &memory, s, 5,
        fgt_model_add_adapter(m, &FGT_OPTS(fgt_adapter_opts, .name = "a", .whole = "head.", .dropout = 0.1)))
    {
        assert_int_equal(fgt_model_count_adapters(m), 0);
        NOTHING_LEAKS;
    }
    SWEEP(&memory, s, 3, fgt_model_set_adapter(m, "a"))
    {
        assert_true(same(predict(m, other), y));
        NOTHING_LEAKS;
    }
    SWEEP(&memory, s, 5, fgt_model_save_adapter(m, "a", FOLDER)) NOTHING_LEAKS;
    SWEEP(&memory, s, 5, fgt_model_load_adapter(m, "b", FOLDER))
    {
        assert_int_equal(fgt_model_count_adapters(m), 1);
        NOTHING_LEAKS;
    }
    OK(fgt_model_save(m, FGT_TO_FILE("adapter_model")));
    fgt_model *read;
    SWEEP(&memory, s, 5, fgt_model_load(ctx, FGT_FROM_FILE("adapter_model"), NULL, &read))
    {
        assert_null(read);
        NOTHING_LEAKS;
    }
    fgt_model_destroy(&read);
    fgt_model_destroy(&m);
}

/* Files are written where they leave nothing behind. */
static int enter_directory(void **state)
{
    return make_directory(state) || chdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_merge),   WITH_CONTEXT(test_switch),  WITH_CONTEXT(test_training),
        WITH_CONTEXT(test_predictor), WITH_CONTEXT(test_base),  WITH_CONTEXT(test_dropout),
        WITH_CONTEXT(test_refused), WITH_CONTEXT(test_tables), WITH_CONTEXT(test_names),
        WITH_CONTEXT(test_adjacency), cmocka_unit_test(test_threads), WITH_CONTEXT(test_maps),
        WITH_CONTEXT(test_folder), WITH_CONTEXT(test_numbers),
        WITH_CONTEXT(test_foreign), WITH_CONTEXT(test_damaged_folder), WITH_CONTEXT(test_model_file),
        WITH_CONTEXT(test_checkpoint),
        WITH_CONTEXT(test_odd_names), WITH_CONTEXT(test_damaged_model_file), WITH_CONTEXT(test_frozen),
        WITH_CONTEXT(test_between_passes), WITH_CONTEXT(test_checkpoint_of_base), WITH_CONTEXT(test_sweeps),
    };
    return cmocka_run_group_tests(tests, enter_directory, remove_directory);
}
