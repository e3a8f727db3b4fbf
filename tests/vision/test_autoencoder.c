/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include <fighter/experimental/vit.h>

#include "vision/autoencoder.h"

#include "../one_context.h"

#define H 8
#define W 6
#define C 2
#define P 12 /* patches of 2 x 2 */
#define PIXELS 8
#define SAMPLES 20

static const fgt_vit_opts vit = {.size = sizeof vit, .patch_height = 2, .dim = 16, .layers = 2, .heads = 2};

static fgt_masked_autoencoder *new_autoencoder(fgt_context *c, int32_t normalise)
{
    fgt_masked_autoencoder *a;
    OK(fgt_masked_autoencoder_create(c, &FGT_OPTS(fgt_masked_autoencoder_opts, .encoder = &vit, .height = H,
                                                  .width = W, .channels = C, .batch = 8, .seed = 3,
                                                  .normalise = normalise), &a));
    return a;
}

static float pixel(int64_t sample, int64_t i)
{
    return sinf(0.3f * (float)i + 1.7f * (float)sample);
}

/* Samples of which one may have a bad pixel; the first and the last epoch are noted. */
typedef struct images {
    int64_t bad, epoch, epochs;
} images;

static fgt_status get(void *user, const int64_t *index, int64_t n, const fgt_view *x, const fgt_view *target)
{
    const images *s = user;
    assert_null(target);
    for (int64_t b = 0; b < n; b++)
        for (int64_t i = 0; i < H * W * C; i++)
            ((float *)x->data)[b * H * W * C + i] = index[b] == s->bad ? NAN : pixel(index[b], i);
    return FGT_OK;
}

static void begin_epoch(void *user, int64_t epoch)
{
    images *s = user;
    assert_int_equal(epoch, s->epoch + 1);
    s->epoch = epoch;
}

static fgt_source source_of(images *s)
{
    return (fgt_source){
        .size = sizeof(fgt_source), .count = SAMPLES, .get = get, .user = s, .begin_epoch = begin_epoch};
}

static void fill_images(float *x, int64_t n)
{
    for (int64_t i = 0; i < n * H * W * C; i++) x[i] = pixel(i / (H * W * C), i % (H * W * C));
}

/* ---- what is hidden ---- */

static bool is_hidden(const float *masked, int64_t p)
{
    return isnan(masked[(p / 3 * 2 * W + p % 3 * 2) * C]);
}

static void a_quarter_of_the_patches_is_visible(void **state)
{
    (void)state;
    static float            x[SAMPLES][H * W * C], masked[SAMPLES][H * W * C], painted[SAMPLES][H * W * C];
    fgt_masked_autoencoder *a = new_autoencoder(ctx, 0);
    int64_t                 times[P] = {0};
    fill_images(x[0], SAMPLES);
    OK(fgt_masked_autoencoder_reconstruct(a, FGT_VIEW(x, SAMPLES, H, W, C), 1,
                                          FGT_VIEW(masked, SAMPLES, H, W, C),
                                          FGT_VIEW(painted, SAMPLES, H, W, C)));
    for (int s = 0; s < SAMPLES; s++) {
        int64_t visible = 0;
        for (int p = 0; p < P; p++) {
            const bool hidden = is_hidden(masked[s], p);
            visible += !hidden;
            times[p] += !hidden;
            for (int r = 0; r < 2; r++)
                for (int i = 0; i < 4; i++) {
                    const int64_t at = ((p / 3 * 2 + r) * W + p % 3 * 2) * C + i;
                    const float   was = x[s][at], m = masked[s][at], y = painted[s][at];
                    assert_true(hidden ? isnan(m) : m == was);
                    assert_true(hidden ? isfinite(y) && y != was : y == was);
                }
        }
        assert_int_equal(visible, P / 4);
    }
    for (int p = 0; p < P; p++) assert_in_range(times[p], 1, SAMPLES - 1);
    fgt_masked_autoencoder_destroy(&a);
}

static void masks_follow_from_seed_and_number(void **state)
{
    (void)state;
    static float            x[10][H][W][C], m[3][10][H][W][C];
    fgt_masked_autoencoder *a = new_autoencoder(ctx, 1);
    fill_images(x[0][0][0], 10);
    for (uint64_t k = 0; k < 3; k++)
        OK(fgt_masked_autoencoder_reconstruct(a, FGT_VIEW(x, 10, H, W, C), k / 2, FGT_VIEW(m[k], 10, H, W, C),
                                              NULL));
    assert_memory_equal(m[0], m[1], sizeof m[0]);
    assert_memory_not_equal(m[0], m[2], sizeof m[0]);
    fgt_masked_autoencoder_destroy(&a);
}

/* ---- training ---- */

static double train(fgt_masked_autoencoder *a, int64_t epochs, fgt_attent *selector)
{
    images               s      = {.bad = -1};
    const fgt_source     source = source_of(&s);
    const fgt_source     check  = {.size = sizeof check, .count = 5, .get = get, .user = &s};
    const fgt_optim_opts optim  = {.size = sizeof optim, .lr = 0.005};
    fgt_fit_report       r      = {.size = sizeof r};
    OK(fgt_masked_autoencoder_fit(a,
                                  &FGT_OPTS(fgt_fit_opts, .train = &source, .validation = &check,
                                            .training = {.epochs = epochs, .patience = -1}, .optim = &optim,
                                            .training.selector = selector),
                                  &r));
    assert_int_equal(s.epoch, epochs);
    return r.best_loss;
}

static void hidden_patches_are_learned(void **state)
{
    (void)state;
    for (int32_t normalise = 0; normalise < 2; normalise++) {
        fgt_masked_autoencoder *a = new_autoencoder(ctx, normalise), *b = new_autoencoder(ctx, normalise);
        const double            before = train(a, 1, NULL), after = train(b, 800, NULL);
        if (!(after < 0.1 * before)) fail_msg("the loss was %g and is %g", before, after);
        fgt_masked_autoencoder_destroy(&a);
        fgt_masked_autoencoder_destroy(&b);
    }
}

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        fgt_context *c;
        OK(fgt_context_create(&FGT_OPTS(fgt_context_opts, .threads = k ? 3 : 1), &c));
        fgt_masked_autoencoder *a = new_autoencoder(c, 1);
        train(a, 3, NULL);
        hash[k] = fgt_model_get_hash(fgt_masked_autoencoder_get_model(a));
        fgt_masked_autoencoder_destroy(&a);
        fgt_context_destroy(&c);
    }
    assert_true(hash[0] == hash[1]);
}

/* The loss of an image with the patches that are hidden in an epoch. */
static double loss_of(fgt_masked_autoencoder *a, int64_t sample, int64_t epoch)
{
    fgt_model *m = fgt_masked_autoencoder_get_model(a);
    float      x[H * W * C], y[P][PIXELS];
    int64_t    ids[P];
    double     sum = 0;
    for (int64_t i = 0; i < H * W * C; i++) x[i] = pixel(sample, i);
    fgti_masking_draw(a, 3, epoch, sample);
    fgti_masking_list(a, ids);
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), FGTI_KEPT,
                               FGT_VIEW_OF(FGT_DTYPE_I64, ids, 1, a->kept), NULL));
    OK(fgt_predict(m, FGT_VIEW(x, 1, H, W, C), FGT_VIEW(y, 1, P, PIXELS)));
    for (int64_t p = 0; p < P; p++)
        for (int64_t i = 0; !a->seen[p] && i < PIXELS; i++) {
            const int64_t at = fgti_patch_origin(a, p) + i / (2 * C) * W * C + i % (2 * C);
            const double  e  = (double)y[p][i] - (double)x[at];
            sum += e * e;
        }
    return sum / (double)((P - a->kept) * PIXELS);
}

static int keep_subset(void *user, const fgt_progress *p)
{
    fgt_attent_subset *subset = ((void **)user)[1];
    if (p->epoch_done) OK(fgt_attent_get_subset(((void **)user)[0], subset));
    return 0;
}

/* The scores of an epoch are losses with the masks of that epoch. */
static void selection_sees_the_loss_of_hidden_patches(void **state)
{
    (void)state;
    fgt_masked_autoencoder *a = new_autoencoder(ctx, 0);
    fgt_attent_subset       subset = {.size = sizeof subset};
    fgt_attent             *selector;
    images                  s      = {.bad = -1};
    const fgt_source        source = source_of(&s);
    const fgt_attent_opts   one     = {.size           = sizeof one,
                                       .samples        = SAMPLES,
                                       .count          = 1,
                                       .epochs         = 1,
                                       .strategy       = FGT_ATTENT_STRATEGY_HARD,
                                       .ratio_schedule = FGT_ATTENT_RATIO_FIXED};
    int64_t                 hardest = 0;
    double                  loss[SAMPLES], other = 0;
    for (int64_t i = 0; i < SAMPLES; i++) {
        loss[i] = loss_of(a, i, 1);
        other += fabs(loss[i] - loss_of(a, i, 2));
        if (loss[i] > loss[hardest]) hardest = i;
    }
    assert_true(other > 0.01);
    OK(fgt_attent_create(ctx, &one, &selector));
    OK(fgt_masked_autoencoder_fit(a,
                                  &FGT_OPTS(fgt_fit_opts, .train = &source,
                                            .training = {.epochs   = 1,
                                                         .patience = -1,
                                                         .selector = selector,
                                                         .progress = keep_subset,
                                                         .user     = (void *[]){selector, &subset}}),
                                  NULL));
    assert_int_equal(subset.count, 1);
    assert_float_equal(subset.score, loss[hardest], 1e-5);
    fgt_attent_destroy(&selector);
    fgt_masked_autoencoder_destroy(&a);
}

static void selectors_choose_images(void **state)
{
    (void)state;
    for (int32_t k = FGT_ATTENT_STRATEGY_SOFT; k <= FGT_ATTENT_STRATEGY_INFOBATCH; k++) {
        const bool groups = k == FGT_ATTENT_STRATEGY_CLASS_WEIGHT || k == FGT_ATTENT_STRATEGY_FIXED_WEIGHT;
        int64_t         group[SAMPLES];
        const double    weight[]  = {1, 2};
        const fgt_view *view      = FGT_VIEW_OF(FGT_DTYPE_I64, group, SAMPLES);
        fgt_attent_opts o         = {.size     = sizeof o,
                                     .samples  = SAMPLES,
                                     .epochs   = 6,
                                     .strategy = k,
                                     .scores   = k == FGT_ATTENT_STRATEGY_INFOBATCH};
        fgt_attent     *selector;
        for (int64_t i = 0; i < SAMPLES; i++) group[i] = i % 2;
        if (groups) o.groups = view;
        if (groups) o.group_count = 2;
        if (k == FGT_ATTENT_STRATEGY_FIXED_WEIGHT) o.group_weight = weight;
        OK(fgt_attent_create(ctx, &o, &selector));
        fgt_masked_autoencoder *a = new_autoencoder(ctx, 0);
        assert_true(isfinite(train(a, 6, selector)));
        fgt_masked_autoencoder_destroy(&a);
        fgt_attent_destroy(&selector);
    }
}

static void the_encoder_moves_to_a_classifier(void **state)
{
    (void)state;
    fgt_masked_autoencoder *a = new_autoencoder(ctx, 0);
    fgt_model              *m, *from = fgt_masked_autoencoder_get_model(a);
    const fgt_model_opts    o = {.size = sizeof o, .batch = 2, .nodes = H, .time = W, .features = C};
    float                   x[16][16], y[16][16];
    fgt_view                v = *FGT_VIEW(x, 16, 16), u = *FGT_VIEW(y, 16, 16);
    train(a, 1, NULL);
    OK(fgt_model_create(ctx, &o, &m));
    OK(fgt_vit_add(m, &vit));
    OK(fgt_model_add(m, fgt_named("head", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 3)))));
    OK(fgt_model_copy_parameters(m, from, "encoder."));
    OK(fgt_model_copy_parameter(m, "encoder.layers.1.self_attn.out_proj.weight", &v));
    OK(fgt_model_copy_parameter(from, "encoder.layers.1.self_attn.out_proj.weight", &u));
    assert_memory_equal(x, y, sizeof x);
    const uint64_t hash = fgt_model_get_hash(m);
    REFUSED(fgt_model_copy_parameters(m, from, "*"), FGT_E_NAME, "no parameter \"decoder.embedding.weight\"");
    REFUSED(fgt_model_copy_parameters(m, from, "coder."), FGT_E_NAME, "no parameter matches \"coder.\"");
    REFUSED(fgt_model_copy_parameters(m, NULL, "*"), FGT_E_ARG, "NULL");
    assert_true(fgt_model_get_hash(m) == hash);
    OK(fgt_model_set_frozen(m, "encoder.", 1));
    fgt_model_destroy(&m);
    OK(fgt_model_create(ctx, &o, &m));
    OK(fgt_vit_add(m, &FGT_OPTS(fgt_vit_opts, .patch_height = 2, .dim = 12, .heads = 2)));
    REFUSED(fgt_model_copy_parameters(m, from, "encoder."), FGT_E_SHAPE,
            "\"encoder.embedding.weight\" has the wrong shape (got [16,8], need [12,8])");
    fgt_model_destroy(&m);
    fgt_masked_autoencoder_destroy(&a);
}

/* ---- refusals ---- */

static void bad_options_are_refused(void **state)
{
    (void)state;
    static const fgt_vit_opts named = {.size = sizeof named, .prefix = "e."};
    static const struct {
        fgt_masked_autoencoder_opts opts;
        fgt_status                  status;
        const char                 *words;
    } cases[] = {
        {{.encoder = &vit}, FGT_E_ARG, "height"},
        {{.height = 6}, FGT_E_SHAPE, "patches of 4 x 4 do not divide an image of 6 x 6"},
        {{.height = 4}, FGT_E_ARG, "an image has 1 patches"},
        {{.height = 8, .mask_ratio = 1}, FGT_E_ARG, "mask_ratio"},
        {{.height = 8, .encoder = &named}, FGT_E_ARG, "prefix"},
        {{.height = 8, .dim = 6}, FGT_E_SHAPE, "multiple of 4"},
        {{.height = 8, .heads = 5}, FGT_E_ARG, "heads is wrong (got 5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fgt_masked_autoencoder_opts o = cases[i].opts;
        fgt_masked_autoencoder     *a = (void *)&o;
        o.size                        = sizeof o;
        REFUSED(fgt_masked_autoencoder_create(ctx, &o, &a), cases[i].status, cases[i].words);
        assert_null(a);
    }
    fgt_masked_autoencoder *none = (void *)ctx;
    assert_int_equal(fgt_masked_autoencoder_create(NULL, NULL, &none), FGT_E_ARG);
    assert_null(none);
}

static void bad_images_are_named(void **state)
{
    (void)state;
    float                   x[2][H][W][C];
    images                  s      = {.bad = 13};
    const fgt_source        source = source_of(&s);
    fgt_masked_autoencoder *a      = new_autoencoder(ctx, 0);
    REFUSED(fgt_masked_autoencoder_fit(a, &FGT_OPTS(fgt_fit_opts, .train = &source), NULL), FGT_E_DATA,
            "image 13 has a pixel that is NaN");
    REFUSED(fgt_masked_autoencoder_fit(a, NULL, NULL), FGT_E_ARG, "train");
    REFUSED(fgt_masked_autoencoder_fit(
                a, &FGT_OPTS(fgt_fit_opts, .train = &source, .target_dtype = FGT_DTYPE_I64), NULL),
            FGT_E_ARG, "not classes");
    fill_images(x[0][0][0], 2);
    x[1][0][0][0] = INFINITY;
    REFUSED(fgt_masked_autoencoder_reconstruct(a, FGT_VIEW(x, 2, H, W, C), 0, NULL, NULL), FGT_E_DATA,
            "image 1 has a pixel");
    REFUSED(fgt_masked_autoencoder_reconstruct(a, FGT_VIEW(x, 2, W, H, C), 0, NULL, NULL), FGT_E_SHAPE,
            "images has the wrong shape (got [2,6,8,2]");
    fgt_masked_autoencoder_destroy(&a);
}

static fgt_status make(void)
{
    fgt_masked_autoencoder *a;
    const fgt_status        s = fgt_masked_autoencoder_create(
        ctx, &FGT_OPTS(fgt_masked_autoencoder_opts, .encoder = &vit, .height = 4), &a);
    fgt_masked_autoencoder_destroy(&a);
    return s;
}

static void each_failed_allocation_is_reported(void **state)
{
    (void)state;
    fgt_status s;
    SWEEP(&memory, s, 40, make()) NOTHING_LEAKS;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quarter_of_the_patches_is_visible),
        cmocka_unit_test(masks_follow_from_seed_and_number),
        cmocka_unit_test(hidden_patches_are_learned),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(selection_sees_the_loss_of_hidden_patches),
        cmocka_unit_test(selectors_choose_images),
        cmocka_unit_test(the_encoder_moves_to_a_classifier),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(bad_images_are_named),
        cmocka_unit_test(each_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, test_open, test_close);
}
