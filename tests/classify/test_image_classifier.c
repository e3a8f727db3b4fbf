/* SPDX-License-Identifier: BSD-3-Clause */
/* Classifiers of images: training, files, encoders that are taken over, wrong calls, failing allocations. */
#include <math.h>
#include <unistd.h>

#include <fighter/classify.h>
#include <fighter/experimental/adapter.h>
#include <fighter/experimental/ensemble.h>
#include <fighter/experimental/pretrain.h>
#include <fighter/experimental/vit.h>

#include "../one_context.h"
#include "classify/classifier_impl.h"
#include "classify/classify_feed.h"

enum { COUNT = 48, SIDE = 8 };

static fgt_images *images;
static char        path[64];

/* Bars: upright in class 5, lying in class 7, at different places; [COUNT,SIDE,SIDE,channels]. */
static fgt_images *bars(int64_t channels)
{
    const int64_t size = SIDE * SIDE * channels;
    float        *x    = calloc((size_t)(COUNT * size), sizeof *x);
    int64_t       label[COUNT];
    fgt_images   *m;
    for (int r = 0; r < COUNT; r++) {
        const int at = 1 + r / 2 % 6;
        label[r]     = r % 2 ? 7 : 5;
        for (int i = 0; i < SIDE; i++) {
            float *p = x + r * size + (r % 2 ? at * SIDE + i : i * SIDE + at) * channels;
            for (int64_t c = 0; c < channels; c++) p[c] = (float)(150 + r + 20 * c);
        }
    }
    OK(fgt_images_create(ctx, FGT_VIEW(x, COUNT, SIDE, SIDE, channels),
                         FGT_VIEW_OF(FGT_DTYPE_I64, label, COUNT), NULL, &m));
    free(x);
    return m;
}

static int set_up(void **state)
{
    (void)state;
    test_open_threads(2);
    snprintf(path, sizeof path, "/tmp/fgt_image_classifier_%ld.safetensors", (long)getpid());
    images = bars(1);
    return 0;
}

static int tear_down(void **state)
{
    remove(path);
    fgt_images_destroy(&images);
    return test_close(state);
}

static const fgt_vit_opts small = {.size = sizeof small, .patch_height = 4, .dim = 8, .layers = 1, .ff = 8};

static fgt_classifier *new_one(uint64_t seed)
{
    fgt_classifier                 *c;
    const fgt_classifier_opts       o = {
              .size = sizeof o, .vit = &small, .batch = 16, .seed = seed, .block.dropout = -1};
    OK(fgt_classifier_create(ctx, FGT_IMAGES(images), &o, &c));
    return c;
}

static fgt_classifier_fit_opts fit_opts(int64_t epochs)
{
    return (fgt_classifier_fit_opts){.size     = sizeof(fgt_classifier_fit_opts),
                                     .training = {.epochs = epochs, .lr = 0.01}};
}

static uint64_t hash_of(fgt_classifier *c)
{
    return fgt_model_get_hash(fgt_classifier_get_model(c));
}

static void probabilities(fgt_classifier *c, float p[COUNT * 2])
{
    int64_t index[COUNT];
    float   x[COUNT * SIDE * SIDE];
    for (int i = 0; i < COUNT; i++) index[i] = i;
    OK(fgt_images_copy_pixels(images, index, COUNT, FGT_VIEW(x, COUNT, SIDE, SIDE, 1)));
    OK(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .pixels = FGT_VIEW(x, COUNT, SIDE, SIDE, 1)),
                              FGT_VIEW(p, COUNT, 2), NULL));
}

static void test_learns(void **state)
{
    (void)state;
    fgt_classifier         *c = new_one(1), *again;
    fgt_classifier_fit_opts o = fit_opts(30);
    fgt_classifier_info     info = {.size = sizeof info};
    fgt_metric              metric = {0};
    int64_t                 confusion[4] = {0};
    float                   p[COUNT * 2], q[COUNT * 2];
    OK(fgt_classifier_fit(c, FGT_IMAGES(images), FGT_IMAGES(images), &o, NULL));
    OK(fgt_classifier_evaluate(c, FGT_IMAGES(images), &metric, FGT_VIEW_OF(FGT_DTYPE_I64, confusion, 2, 2)));
    assert_true(fgt_metric_get(&metric, FGT_METRIC_ACCURACY) > 0.9);
    assert_int_equal(confusion[0] + confusion[1] + confusion[2] + confusion[3], COUNT);
    probabilities(c, p);
    for (int i = 0; i < COUNT; i++) assert_true(fabsf(p[2 * i] + p[2 * i + 1] - 1) < 1e-5f);
    OK(fgt_classifier_save(c, FGT_TO_FILE(path)));
    OK(fgt_classifier_load(ctx, FGT_FROM_FILE(path), NULL, &again));
    probabilities(again, q);
    assert_memory_equal(p, q, sizeof p);
    OK(fgt_classifier_get_info(again, &info));
    assert_int_equal(info.height, SIDE);
    assert_int_equal(info.channels, 1);
    assert_int_equal(info.tokens, 0);
    assert_int_equal(info.block, FGT_BLOCK_TRANSFORMER);
    assert_string_equal(fgt_classifier_get_class_name(again, 1), "7");
    assert_null(fgt_classifier_get_vocab(again));
    fgt_classifier_workspace *ws;
    float                   x[SIDE * SIDE];
    OK(fgt_classifier_create_workspace(again, NULL, &ws));
    OK(fgt_images_copy_pixels(images, (const int64_t[]){3}, 1, FGT_VIEW(x, 1, SIDE, SIDE, 1)));
    OK(fgt_classifier_workspace_predict(
        ws, &FGT_OPTS(fgt_classifier_rows, .pixels = FGT_VIEW(x, 1, SIDE, SIDE, 1)), FGT_VIEW(q, 1, 2),
        NULL));
    assert_memory_equal(p + 6, q, 2 * sizeof *q);
    fgt_classifier_workspace_destroy(&ws);
    OK(fgt_classifier_take_members(c, &again));
    probabilities(c, q); /* the mean of two that are the same */
    for (int i = 0; i < 2 * COUNT; i++) assert_true(fabsf(p[i] - q[i]) < 1e-6f);
    OK(fgt_classifier_save(c, FGT_TO_FILE(path)));
    OK(fgt_classifier_load(ctx, FGT_FROM_FILE(path), NULL, &again));
    assert_non_null(fgt_classifier_get_member(again, 1));
    fgt_classifier_destroy(&again);
    fgt_classifier_destroy(&c);
}

/* Shifts and flips follow from seed, epoch and image alone. */
static void test_repeats(void **state)
{
    (void)state;
    fgt_classifier         *c = new_one(1), *d = new_one(1);
    fgt_classifier_fit_opts o = fit_opts(3);
    o.shift                   = 2;
    o.flip                    = 1;
    o.training.seed           = 9;
    OK(fgt_classifier_fit(c, FGT_IMAGES(images), NULL, &o, NULL));
    OK(fgt_classifier_fit(d, FGT_IMAGES(images), NULL, &o, NULL));
    assert_true(hash_of(c) == hash_of(d));
    fgt_classifier_destroy(&d);
    d       = new_one(1);
    o.shift = -1;
    o.flip  = 0;
    OK(fgt_classifier_fit(d, FGT_IMAGES(images), NULL, &o, NULL));
    assert_true(hash_of(c) != hash_of(d));
    fgt_classifier_destroy(&d);
    fgt_classifier_destroy(&c);
}

/* The average of the weights is kept instead of the last ones. */
static void test_average(void **state)
{
    (void)state;
    const double average[] = {0, -1, 0.9};
    uint64_t     hash[3];
    for (int i = 0; i < 3; i++) {
        fgt_classifier         *c = new_one(1);
        fgt_classifier_fit_opts o = fit_opts(2);
        o.training.average        = average[i];
        OK(fgt_classifier_fit(c, FGT_IMAGES(images), NULL, &o, NULL));
        hash[i] = hash_of(c);
        fgt_classifier_destroy(&c);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(hash[0] != hash[2]);
}

static int stop_after_two(void *user, const fgt_progress *p)
{
    (void)user;
    return p->epoch == 2 && p->epoch_done;
}

/* A run that goes on with its third epoch moves images as the whole run does in that epoch. */
static void test_resumes(void **state)
{
    (void)state;
    fgt_classifier         *c = new_one(1), *d = new_one(1);
    fgt_classifier_fit_opts o = fit_opts(4);
    o.shift                   = 1;
    OK(fgt_classifier_fit(c, FGT_IMAGES(images), NULL, &o, NULL));
    o.training.checkpoint = path;
    o.training.progress   = stop_after_two;
    OK(fgt_classifier_fit(d, FGT_IMAGES(images), NULL, &o, NULL));
    assert_true(hash_of(c) != hash_of(d));
    fgt_classifier_destroy(&d);
    d          = new_one(1);
    o.training.resume   = path;
    o.training.progress = NULL;
    OK(fgt_classifier_fit(d, FGT_IMAGES(images), NULL, &o, NULL));
    assert_true(hash_of(c) == hash_of(d));
    fgt_classifier_destroy(&d);
    fgt_classifier_destroy(&c);
}

static fgt_status fit(fgt_classifier *c, bool masked, const fgt_classifier_fit_opts *o)
{
    return masked ? fgt_classifier_fit_masked(c, FGT_IMAGES(images), NULL,
                                              &FGT_OPTS(fgt_classifier_masked_opts, .fit = o), NULL)
                  : fgt_classifier_fit(c, FGT_IMAGES(images), NULL, o, NULL);
}

/* A finished run is extended, though the warm-up is a share of its steps, but not with other changes of the
 * images. */
static void test_extended(void **state)
{
    (void)state;
    for (int masked = 0; masked < 2; masked++) {
        fgt_classifier         *c = new_one(1);
        fgt_classifier_fit_opts o = fit_opts(4);
        o.shift                   = 1;
        o.training.checkpoint     = path;
        OK(fit(c, masked, &o));
        fgt_classifier_destroy(&c);
        c            = new_one(1);
        o.training.checkpoint = NULL;
        o.training.resume     = path;
        o.training.epochs     = 7;
        OK(fit(c, masked, &o));
        o.flip = 1;
        REFUSED(fit(c, masked, &o), FGT_E_FORMAT, "with data that was augmented differently");
        o.flip  = 0;
        o.shift = 2;
        REFUSED(fit(c, masked, &o), FGT_E_FORMAT, "with data that was augmented differently");
        fgt_classifier_destroy(&c);
    }
}

/* A source of one image that is moved: each pixel is one of the image, or black. */
static void test_shift(void **state)
{
    (void)state;
    fgt_classifier    *c = new_one(1);
    fgti_classify_feed d = {0};
    fgt_source         source;
    float              x[SIDE * SIDE], y[SIDE * SIDE];
    int64_t            target, zero = 0, moved = 0;
    OK(fgti_classify_feed_init(c, FGT_IMAGES(images), 0, &d, &source));
    d.shift = 1;
    const fgt_view a = {x, {1, SIDE, SIDE, 1}, 4, FGT_DTYPE_F32},
                   b = {y, {1, SIDE, SIDE, 1}, 4, FGT_DTYPE_F32};
    const fgt_view t = {&target, {1}, 1, FGT_DTYPE_I64};
    OK(source.get(source.user, &zero, 1, &a, &t)); /* before an epoch: as it is */
    assert_int_equal(target, 0);
    for (int64_t e = 1; e <= 40; e++) {
        source.begin_epoch(source.user, e);
        OK(source.get(source.user, &zero, 1, &b, &t));
        int matches = 0;
        for (int down = -1; down <= 1; down++)
            for (int right = -1; right <= 1; right++) {
                bool same = true;
                for (int i = 0; i < SIDE; i++)
                    for (int j = 0; j < SIDE; j++) {
                        const int  r = i - down, k = j - right;
                        const bool in = r >= 0 && r < SIDE && k >= 0 && k < SIDE;
                        const float black = x[SIDE - 1]; /* the bar is elsewhere */
                        same = same && y[i * SIDE + j] == (in ? x[r * SIDE + k] : black);
                    }
                matches += same;
            }
        assert_int_equal(matches, 1); /* a bar that is cut off at an end shows how it was moved */
        moved += memcmp(x, y, sizeof x) != 0;
    }
    assert_in_range(moved, 25, 40); /* 8 of 9 */
    fgti_classify_feed_done(&d);
    fgt_classifier_destroy(&c);
}

static void test_encoder(void **state)
{
    (void)state;
    fgt_classifier         *c = new_one(1), *d;
    fgt_classifier_fit_opts o = fit_opts(1);
    fgt_images             *colours = bars(3);
    OK(fgt_classifier_fit(c, FGT_IMAGES(images), NULL, &o, NULL));
    const fgt_classifier_opts with = {.size = sizeof with, .encoder = c, .seed = 77};
    OK(fgt_classifier_create(ctx, FGT_IMAGES(images), &with, &d));
    float a[8], b[8];
    fgt_model *from = fgt_classifier_get_model(c), *to = fgt_classifier_get_model(d);
    OK(fgt_model_copy_parameter(from, "encoder.norm.weight", FGT_VIEW(a, 8)));
    OK(fgt_model_copy_parameter(to, "encoder.norm.weight", FGT_VIEW(b, 8)));
    assert_memory_equal(a, b, sizeof a);
    OK(fgt_model_set_frozen(to, "encoder.", 1)); /* a linear probe */
    OK(fgt_classifier_fit(d, FGT_IMAGES(images), NULL, &o, NULL));
    OK(fgt_model_copy_parameter(to, "encoder.norm.weight", FGT_VIEW(b, 8)));
    assert_memory_equal(a, b, sizeof a);
    fgt_classifier_destroy(&d);
    REFUSED(fgt_classifier_create(ctx, FGT_IMAGES(colours), &with, &d), FGT_E_SHAPE,
            "need [8,8,1] of the encoder");
    REFUSED(fgt_classifier_fit(c, FGT_IMAGES(colours), NULL, &o, NULL), FGT_E_SHAPE,
            "the images have the wrong size (got [8,8,3], need [8,8,1] of the classifier)");
    fgt_images_destroy(&colours);
    fgt_classifier_destroy(&c);
}

/* Hidden patches train the encoder and nothing else, and need no classes. */
static void test_masked(void **state)
{
    (void)state;
    fgt_classifier         *c = new_one(1), *d = new_one(1);
    fgt_classifier_fit_opts o = fit_opts(2);
    fgt_images             *bare;
    float                   x[2 * SIDE * SIDE], a[16], b[16];
    fgt_fit_report          report = {.size = sizeof report};
    OK(fgt_images_copy_pixels(images, (const int64_t[]){0, 1}, 2, FGT_VIEW(x, 2, SIDE, SIDE, 1)));
    OK(fgt_images_create(ctx, FGT_VIEW(x, 2, SIDE, SIDE, 1), NULL,
                         &FGT_OPTS(fgt_images_opts, .no_classes = 1), &bare));
    fgt_model *before = fgt_classifier_get_model(d), *after = fgt_classifier_get_model(c);
    OK(fgt_classifier_fit_masked(c, FGT_IMAGES(bare), FGT_IMAGES(images),
                                 &FGT_OPTS(fgt_classifier_masked_opts, .fit = &o), &report));
    assert_int_equal(report.epochs, 2);
    OK(fgt_model_copy_parameter(before, "head.weight", FGT_VIEW(a, 2, 8)));
    OK(fgt_model_copy_parameter(after, "head.weight", FGT_VIEW(b, 2, 8)));
    assert_memory_equal(a, b, sizeof a);
    assert_true(hash_of(c) != hash_of(d));
    OK(fgt_classifier_fit_masked(d, FGT_IMAGES(bare), FGT_IMAGES(images),
                                 &FGT_OPTS(fgt_classifier_masked_opts, .fit = &o), NULL));
    assert_true(hash_of(c) == hash_of(d));
    REFUSED(fgt_classifier_fit(c, FGT_IMAGES(bare), NULL, &o, NULL), FGT_E_DATA,
            "the images have no classes");
    REFUSED(fgt_classifier_fit_masked(c, NULL, NULL, &FGT_OPTS(fgt_classifier_masked_opts, .fit = &o), NULL),
            FGT_E_ARG, "samples is NULL");
    REFUSED(fgt_classifier_fit_masked(c, FGT_IMAGES(bare), NULL,
                                      &FGT_OPTS(fgt_classifier_masked_opts, .words = 3), NULL),
            FGT_E_ARG, "words and dropout are for texts");
    OK(fgt_model_add_adapter(fgt_classifier_get_model(c), &FGT_OPTS(fgt_adapter_opts, .name = "a")));
    OK(fgt_model_set_adapter(fgt_classifier_get_model(c), "a"));
    REFUSED(fgt_classifier_fit_masked(c, FGT_IMAGES(bare), NULL,
                                      &FGT_OPTS(fgt_classifier_masked_opts, .fit = &o), NULL),
            FGT_E_STATE, "adapter");
    fgt_images_destroy(&bare);
    fgt_classifier_destroy(&d);
    fgt_classifier_destroy(&c);
}

/* The default: the least side from 4 on, which may be that of the image, if there are several patches. */
static void test_patches(void **state)
{
    (void)state;
    static const struct {
        int64_t height, width, patch;
    } cases[] = {{4, 8, 4}, {8, 8, 4}, {7, 14, 7}, {28, 7, 7}, {10, 15, 5}, {128, 128, 8}};
    static float x[2 * 128 * 128];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fgt_images     *two;
        fgt_classifier *c;
        OK(fgt_images_create(ctx, FGT_VIEW(x, 2, cases[i].height, cases[i].width, 1),
                             FGT_VIEW_OF(FGT_DTYPE_I64, ((int64_t[]){1, 2}), 2), NULL, &two));
        OK(fgt_classifier_create(ctx, FGT_IMAGES(two), NULL, &c));
        assert_int_equal(c->vit.patch_height, cases[i].patch);
        fgt_classifier_destroy(&c);
        fgt_images_destroy(&two);
    }
}

static void test_wrong(void **state)
{
    (void)state;
    fgt_classifier *c = new_one(1), *none = c;
    const char     *text = "a";
    float           p[2], x[SIDE * SIDE] = {0};
    fgt_vit_opts    tokens = small;
    tokens.pool            = FGT_VIT_POOL_TOKENS;
    fgt_classifier_opts o  = {.size = sizeof o, .vit = &tokens};
    REFUSED(fgt_classifier_create(ctx, FGT_IMAGES(images), &o, &none), FGT_E_ARG, "FGT_VIT_POOL_TOKENS");
    assert_null(none);
    const fgt_block_layers of_texts[] = {{.ff = 4}, {.no_residual = 1}, {.post_norm = 1}, {.heads = 2}};
    for (int i = 0; i < 4; i++)
        REFUSED(fgt_classifier_create(ctx, FGT_IMAGES(images),
                                      &FGT_OPTS(fgt_classifier_opts, .block = of_texts[i]), &none),
                FGT_E_ARG, "is for texts");
    o.encoder = c;
    REFUSED(fgt_classifier_create(ctx, FGT_IMAGES(images), &o, &none), FGT_E_ARG,
            "vit cannot be combined with encoder");
    REFUSED(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = &text, .text_count = 1),
                                   FGT_VIEW(p, 1, 2), NULL),
            FGT_E_ARG, "is for images");
    REFUSED(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .pixels = FGT_VIEW(x, 1, SIDE, 4, 2)),
                                   FGT_VIEW(p, 1, 2), NULL),
            FGT_E_SHAPE, "pixels has the wrong shape");
    REFUSED(fgt_classifier_fit(c, NULL, NULL, NULL, NULL), FGT_E_ARG, "train is NULL");
    REFUSED(
        fgt_classifier_create(ctx, FGT_IMAGES(images), &FGT_OPTS(fgt_classifier_opts, .tokens = 4), &none),
        FGT_E_ARG, "tokens is for texts");
    REFUSED(fgt_classifier_predict(c, NULL, FGT_VIEW(p, 1, 2), NULL), FGT_E_ARG, "neither texts nor pixels");
    REFUSED(fgt_classifier_evaluate(c, FGT_IMAGES(images), NULL, NULL), FGT_E_ARG, "NULL");
    fgt_images *five;
    OK(fgt_images_create(ctx, FGT_VIEW(x, 2, 5, 5, 1), FGT_VIEW_OF(FGT_DTYPE_I64, ((int64_t[]){1, 2}), 2),
                         NULL, &five));
    REFUSED(fgt_classifier_create(ctx, FGT_IMAGES(five), NULL, &none), FGT_E_SHAPE,
            "images of 5 x 5 cannot be cut into 2 to 256 square patches");
    fgt_images_destroy(&five);
    fgt_classifier_destroy(&c);
}

/* Keys of the metadata whose values are checked. */
static void test_bad_files(void **state)
{
    (void)state;
    static const char *const wrong[][3] = {
        {"classify.mean", "classify.mea_", "\"classify.mean\" is not a number"},
        {"classify.vit", "classify.vi_", "\"classify.vit\" is missing"},
        {"classify.deviation", "classify.deviatio_", "\"classify.deviation\" is not a positive"},
    };
    fgt_classifier *c = new_one(1), *none;
    OK(fgt_classifier_save(c, FGT_TO_FILE(path)));
    for (int i = 0; i < 3; i++) {
        test_block b  = test_read(path);
        char      *at = NULL;
        test_forget_hash(b.data, (size_t)b.size);
        for (int64_t k = 0; !at && k < b.size; k++)
            if (!strncmp(b.data + k, wrong[i][0], strlen(wrong[i][0]))) at = b.data + k;
        assert_non_null(at);
        memcpy(at, wrong[i][1], strlen(wrong[i][1]));
        REFUSED(fgt_classifier_load(ctx, FGT_FROM_MEMORY(b.data, b.size), NULL, &none), FGT_E_FORMAT,
                wrong[i][2]);
        assert_null(none);
        free(b.data);
    }
    fgt_classifier_destroy(&c);
}

static void test_no_memory(void **state)
{
    (void)state;
    fgt_classifier                 *c = new_one(1), *made;
    fgt_status                      s;
    const fgt_classifier_opts       o = {.size = sizeof o, .encoder = c, .batch = 4};
    SWEEP(&memory, s, 20, fgt_classifier_create(ctx, FGT_IMAGES(images), &o, &made))
    {
        assert_null(made);
        NOTHING_LEAKS;
    }
    fgt_classifier_destroy(&made);
    OK(fgt_classifier_save(c, FGT_TO_FILE(path)));
    SWEEP(&memory, s, 20, fgt_classifier_load(ctx, FGT_FROM_FILE(path), NULL, &made))
    {
        assert_null(made);
        NOTHING_LEAKS;
    }
    const fgt_classifier_fit_opts f = fit_opts(1);
    SWEEP(&memory, s, 10, fgt_classifier_fit(made, FGT_IMAGES(images), FGT_IMAGES(images), &f, NULL))
    {
        fgt_classifier_destroy(&made);
        made = new_one(3);
    }
    fgt_classifier_destroy(&made);
    fgt_classifier_destroy(&c);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_learns),   TEST(test_repeats), TEST(test_average),   TEST(test_resumes),
        TEST(test_extended), TEST(test_shift),   TEST(test_encoder),   TEST(test_masked),
        TEST(test_patches),  TEST(test_wrong),   TEST(test_bad_files), TEST(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
