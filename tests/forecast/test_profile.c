/* SPDX-License-Identifier: BSD-3-Clause */
/* The profile: tokens are told the course that the linear effect of what is known gives their series. It says
 * what a window does not show, has right gradients, and is in the file. */
enum { N = 1200 };
#include "../model_info.h"
#include "hourly.h"

#include "forecast/build/closed_form.h"
#include "forecast/forecaster.h"
#include "forecast/rows/frame.h"

enum { L = 6, H = 3, TEST = 1000 };

static const fgt_split parts = {0, 800, 800, TEST, TEST, N};

static const int32_t kinds[] = {FGT_TOKENS_PATCH, FGT_TOKENS_VARIATE};
enum { KINDS = sizeof kinds / sizeof *kinds };

static double draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 40) / (1 << 24) - 0.5;
}

/* The course of a day, the other way round in the second series, and a rest that keeps its sign in one half
 * of the day and changes it every hour in the other half. */
static int fill(void **state)
{
    uint64_t seed    = 5;
    double   rest[C] = {0};
    for (int r = 0; r < N; r++) {
        const double day = sin(6.2831853 * r / 24);
        for (int c = 0; c < C; c++) {
            const double course = c ? -day : day;
            rest[c]             = (course > 0 ? 0.95 : -0.95) * rest[c] + 0.3 * draw(&seed);
            series[r][c]        = 5 * c + course + rest[c];
        }
    }
    return set_up(state);
}

static fgt_forecaster_opts opts_of(int32_t tokens)
{
    return (fgt_forecaster_opts){.size            = sizeof(fgt_forecaster_opts),
                                 .input_len       = L,
                                 .pred_len        = H,
                                 .tokens.dim      = 8,
                                 .tokens.patch    = 3,
                                 .seed            = 3,
                                 .block.dropout   = -1,
                                 .block.kind      = FGT_BLOCK_TRANSFORMER,
                                 .tokens.kind     = tokens,
                                 .inputs.calendar = FGT_CALENDAR_DAY};
}

static fgt_forecaster *create(const fgt_forecaster_opts *o, const fgt_table *t)
{
    fgt_forecaster *f;
    OK(fgt_forecaster_create(ctx, t, &parts, o, &f));
    return f;
}

static bool has_profile(const fgt_forecaster_opts *o, const fgt_table *t)
{
    fgt_forecaster *f = create(o, t);
    fgt_view        v = {0};
    const bool      has = parameter_shape(fgt_forecaster_get_model(f), "profile_embed.weight", &v) == FGT_OK;
    if (has) assert_true(v.rank == 2 && v.shape[0] == 8 && v.shape[1] == L + H);
    fgt_forecaster_destroy(&f);
    return has;
}

static void it_is_there_where_something_is_known(void **state)
{
    (void)state;
    fgt_table *t = table_of();
    for (int k = 0; k < KINDS; k++) {
        fgt_forecaster_opts o = opts_of(kinds[k]);
        assert_true(has_profile(&o, t));
        o.tokens.no_profile = 1;
        assert_false(has_profile(&o, t));
        o           = opts_of(kinds[k]);
        o.output.no_linear = 1;
        assert_false(has_profile(&o, t));
        o          = opts_of(kinds[k]);
        o.inputs.calendar = FGT_CALENDAR_NONE;
        assert_false(has_profile(&o, t));
    }
    const fgt_forecaster_opts o = opts_of(FGT_TOKENS_TIME);
    assert_false(has_profile(&o, t));
    fgt_table_destroy(&t);
}

/* One window before `row`, as the model is given it. */
static void set_values(fgt_forecaster *f, const fgti_frame *frame, int64_t row)
{
    const int64_t k = fgti_forecaster_known(&f->info);
    OK(fgt_workspace_set_value(fgt_model_get_workspace(f->model), FGTI_KNOWN_BEFORE,
                               FGT_VIEW(frame->known + (row - L) * k, 1, L, k), NULL));
    OK(fgt_workspace_set_value(fgt_model_get_workspace(f->model), FGTI_KNOWN,
                               FGT_VIEW(frame->known + row * k, 1, H, k), NULL));
}

/* Numbers that the tokens get, beside the effect that test_closed_form.c compares with forecasts. */
static void tokens_are_told_the_course(void **state)
{
    (void)state;
    fgt_table *t = table_of();
    for (int k = 0; k < KINDS; k++) {
        const int64_t             row = 900;
        const fgt_forecaster_opts o   = opts_of(kinds[k]);
        fgt_forecaster           *f   = create(&o, t);
        fgti_closed_form          c;
        fgti_frame                frame;
        float                     y[H][C];
        fgt_view                  v = {0};
        OK(fgti_closed_form_fit(f, t, &parts, parts.train_end, &c));
        OK(fgti_frame_init(f, t, &frame));
        set_values(f, &frame, row);
        OK(fgt_predict(f->model, FGT_VIEW(frame.series + (row - L) * C, 1, L, C), FGT_VIEW(y, 1, H, C)));
        OK(fgt_workspace_get_value(fgt_model_get_workspace(f->model), "profile", &v));
        assert_int_equal(fgt_view_count(&v), C * (L + H));
        const fgti_real *told  = v.data;
        const int64_t    known = fgti_forecaster_known(&f->info);
        for (int i = 0; i < C; i++)
            for (int r = 0; r < L + H; r++) {
                double want = c.level[i];
                for (int64_t j = 0; j < known; j++)
                    want += c.effect[i * known + j] * (double)frame.known[(row - L + r) * known + j];
                assert_true(fabs((double)told[i * (L + H) + r] - want) < 1e-5);
            }
        fgti_frame_done(f, &frame);
        fgti_closed_form_done(ctx, &c);
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&t);
}

/* The head is 0 at first and would let no gradient through. */
static void draw_head(fgt_forecaster *f, uint64_t *seed)
{
    float    head[512];
    fgt_view v = {0};
    OK(parameter_shape(f->model, "head.weight", &v));
    assert_true(fgt_view_count(&v) <= 512);
    for (int i = 0; i < 512; i++) head[i] = (float)draw(seed);
    v.data  = head;
    v.dtype = FGT_DTYPE_F32;
    OK(fgt_model_set_parameter(f->model, "head.weight", &v));
}

enum { WIDTH = 8, WEIGHTS = WIDTH * (L + H) };
static const char *const embed = "profile_embed.weight";

/* sum y dy of the model with these weights in place of its own */
static double loss_of(fgt_forecaster *f, const fgt_view *x, const float *weight, const float dy[H * C])
{
    float  y[H * C];
    double sum = 0;
    OK(fgt_model_set_parameter(f->model, embed, FGT_VIEW((float *)weight, WIDTH, L + H)));
    OK(fgt_predict(f->model, x, FGT_VIEW(y, 1, H, C)));
    for (int i = 0; i < H * C; i++) sum += (double)dy[i] * (double)y[i];
    return sum;
}

/* Those of the weights that the profile goes through, beside differences. */
static void gradients_are_right(void **state)
{
    (void)state;
    fgt_table *t = table_of();
    for (int k = 0; k < KINDS; k++) {
        const fgt_forecaster_opts o = opts_of(kinds[k]);
        fgt_forecaster           *f = create(&o, t);
        fgti_frame                frame;
        float                     y[H * C], dy[H * C], weight[WEIGHTS], gradient[WEIGHTS];
        const float               step = 0.01f;
        uint64_t                  seed = 9;
        OK(fgti_frame_init(f, t, &frame));
        set_values(f, &frame, 900);
        draw_head(f, &seed);
        const fgt_view *x = FGT_VIEW(frame.series + (900 - L) * C, 1, L, C);
        for (int i = 0; i < H * C; i++) dy[i] = (float)draw(&seed);
        OK(fgt_forward(f->model, x, FGT_VIEW(y, 1, H, C)));
        OK(fgt_backward(f->model, FGT_VIEW(dy, 1, H, C), NULL));
        OK(fgt_model_copy_parameter(f->model, embed, FGT_VIEW(weight, WIDTH, L + H)));
        OK(fgt_model_copy_gradient(f->model, embed, FGT_VIEW(gradient, WIDTH, L + H)));
        for (int i = 0; i < WEIGHTS; i++) {
            const float at = weight[i];
            weight[i]      = at + step;
            double slope   = loss_of(f, x, weight, dy);
            weight[i]      = at - step;
            slope          = (slope - loss_of(f, x, weight, dy)) / (2 * (double)step);
            weight[i]      = at;
            assert_true(fabs((double)gradient[i] - slope) < 1e-3 + 0.02 * fabs(slope));
        }
        fgti_frame_done(f, &frame);
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&t);
}

static double error_of(const fgt_forecaster_opts *o, const fgt_table *t)
{
    fgt_forecaster *f = create(o, t);
    fgt_metric      m = {0};
    OK(fgt_forecaster_fit(f, t, &parts,
                          &FGT_OPTS(fgt_forecaster_fit_opts, .training = {.epochs = 40, .lr = 5e-3}), NULL));
    OK(fgt_forecaster_evaluate(f, t, TEST, N, &m));
    fgt_forecaster_destroy(&f);
    return fgt_metric_get(&m, FGT_METRIC_MSE);
}

static void it_says_what_a_window_does_not(void **state)
{
    (void)state;
    fgt_table *t = table_of();
    for (int k = 0; k < KINDS; k++) {
        fgt_forecaster_opts o    = opts_of(kinds[k]);
        const double        with = error_of(&o, t);
        o.tokens.no_profile      = 1;
        const double without     = error_of(&o, t);
        print_message("tokens %d: error %.4f with the profile, %.4f without\n", (int)kinds[k], with, without);
        assert_true(with < 0.9 * without);
    }
    fgt_table_destroy(&t);
}

static void files_hold_it(void **state)
{
    (void)state;
    fgt_table *t = table_of();
    for (int k = 0; k < KINDS; k++) {
        const fgt_forecaster_opts o = opts_of(kinds[k]);
        fgt_forecaster           *f = create(&o, t), *g;
        double                    y[2][H][C];
        OK(fgt_forecaster_fit(f, t, &parts, &FGT_OPTS(fgt_forecaster_fit_opts, .training.epochs = 1), NULL));
        OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("profile"))));
        OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("profile")), NULL, &g));
        OK(fgt_forecaster_update(f, t, TEST, NULL, NULL));
        OK(fgt_forecaster_update(g, t, TEST, NULL, NULL));
        OK(fgt_forecaster_predict_table(f, t, N, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, y[0], H, C)));
        OK(fgt_forecaster_predict_table(g, t, N, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, y[1], H, C)));
        assert_memory_equal(y[0], y[1], sizeof y[0]);
        fgt_forecaster_destroy(&f);
        fgt_forecaster_destroy(&g);
    }
    fgt_table_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_there_where_something_is_known),
        cmocka_unit_test(tokens_are_told_the_course),
        cmocka_unit_test(gradients_are_right),
        cmocka_unit_test(it_says_what_a_window_does_not),
        cmocka_unit_test(files_hold_it),
    };
    return cmocka_run_group_tests(tests, fill, tear_down);
}
