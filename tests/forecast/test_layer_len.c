/* SPDX-License-Identifier: BSD-3-Clause */
/* Layers that read only the last rows of the window, beside a linear map that reads all of it. */
enum { N = 600 };
#include "../model_info.h"
#include "hourly.h"

#include <fighter/blocks.h>
#include <fighter/experimental/defaults.h>

enum { L = 20, RECENT = 6, H = 3 };

static const fgt_split parts = {0, 400, 400, 500, 500, N};

static int fill(void **state)
{
    fill_rhythms(0);
    return set_up(state);
}

static fgt_forecaster_opts opts_of(int32_t tokens)
{
    return (fgt_forecaster_opts){.size             = sizeof(fgt_forecaster_opts),
                                 .input_len        = L,
                                 .pred_len         = H,
                                 .tokens.layer_len = RECENT,
                                 .tokens.dim       = 8,
                                 .tokens.patch     = 3,
                                 .block.dropout    = -1,
                                 .tokens.kind      = tokens,
                                 .inputs.calendar  = FGT_CALENDAR_NONE};
}

/* Outputs of the layers and of the linear map for a window, after an epoch of training. */
static void parts_of(fgt_forecaster *f, float x[1][L][C], float layers[H * C], float map[H * C])
{
    static const char *const name[] = {"to_time", "skip_time"};
    float                   *to[]   = {layers, map};
    float                    y[1][H][C];
    fgt_model               *m = fgt_forecaster_get_model(f);
    OK(fgt_predict(m, FGT_VIEW(x, 1, L, C), FGT_VIEW(y, 1, H, C)));
    for (int k = 0; k < 2; k++) {
        fgt_view v = {0};
        OK(fgt_workspace_get_value(fgt_model_get_workspace(m), name[k], &v));
        assert_int_equal(fgt_view_count(&v), H * C);
        for (int i = 0; i < H * C; i++) to[k][i] = (float)((float *)v.data)[i];
    }
}

/* The validation rows may have chosen none of what the layers add. */
static void set_head(fgt_model *m)
{
    static float weight[1000];
    fgt_view     head = {0};
    OK(parameter_shape(m, "head.weight", &head));
    assert_true(fgt_view_count(&head) <= 1000);
    for (int i = 0; i < 1000; i++) weight[i] = (float)(i % 5) / 4;
    head.data  = weight;
    head.dtype = FGT_DTYPE_F32;
    OK(fgt_model_set_parameter(m, "head.weight", &head));
}

static void check_reach(const fgt_forecaster_opts *o, const fgt_table *t)
{
    const fgt_forecaster_fit_opts fit = {.size = sizeof fit, .training.epochs = 1};
    float                         x[1][L][C], layers[3][H * C], map[3][H * C];
    fgt_forecaster               *f;
    OK(fgt_forecaster_create(ctx, t, &parts, o, &f));
    OK(fgt_forecaster_fit(f, t, &parts, &fit, NULL));
    set_head(fgt_forecaster_get_model(f));
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < L * C; i++) x[0][i / C][i % C] = (float)sin(0.9 * i);
        if (k == 1) x[0][L - RECENT - 1][0] += 1;
        if (k == 2) x[0][L - RECENT][0] += 1;
        parts_of(f, x, layers[k], map[k]);
    }
    assert_memory_equal(layers[0], layers[1], sizeof layers[0]);
    assert_memory_not_equal(layers[0], layers[2], sizeof layers[0]);
    assert_memory_not_equal(map[0], map[1], sizeof map[0]);
    fgt_forecaster_destroy(&f);
}

static void layers_read_the_last_rows(void **state)
{
    (void)state;
    fgt_table *t = table_of();
    for (int32_t tokens = 0; tokens < 3; tokens++) {
        fgt_forecaster_opts o = opts_of(tokens);
        check_reach(&o, t);
        o.tokens.revin = 1;
        check_reach(&o, t);
    }
    fgt_table_destroy(&t);
}

/* The mask, the profile and the effect of the calendar are cut in the same way; all of it is in the file. */
static void so_does_what_stands_beside_them(void **state)
{
    (void)state;
    const fgt_forecaster_fit_opts fit = {.size = sizeof fit, .training.epochs = 1};
    fgt_table                    *t   = table_of();
    for (int32_t tokens = 0; tokens < 3; tokens++) {
        fgt_forecaster_opts o = opts_of(tokens);
        fgt_forecaster     *f, *loaded;
        fgt_view            v    = {0};
        const char         *path = in_directory("layer_len");
        o.inputs.mask            = 1;
        o.inputs.calendar        = FGT_CALENDAR_DAY;
        OK(fgt_forecaster_create(ctx, t, &parts, &o, &f));
        OK(fgt_forecaster_fit(f, t, &parts, &fit, NULL));
        fgt_model *m = fgt_forecaster_get_model(f);
        if (tokens != FGT_TOKENS_TIME) {
            OK(parameter_shape(m, "profile_embed.weight", &v));
            assert_int_equal(v.shape[v.rank - 1], RECENT + H);
        }
        OK(fgt_forecaster_save(f, FGT_TO_FILE(path)));
        OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(path), NULL, &loaded));
        assert_true(fgt_model_get_hash(fgt_forecaster_get_model(loaded)) == fgt_model_get_hash(m));
        fgt_forecaster_destroy(&loaded);
        fgt_forecaster_destroy(&f);
    }
    fgt_table_destroy(&t);
}

static int64_t rows_of(fgt_forecaster_opts o)
{
    fgt_forecaster_opts full = {.size = sizeof full};
    o.size                   = sizeof o;
    OK(fgt_forecaster_opts_init(ctx, NULL, &o, &full));
    return full.tokens.layer_len;
}

static void it_follows_from_the_window(void **state)
{
    (void)state;
    assert_int_equal(rows_of((fgt_forecaster_opts){.input_len = 720}), 336);
    assert_int_equal(rows_of((fgt_forecaster_opts){.input_len = 100}), 100);
    assert_int_equal(rows_of((fgt_forecaster_opts){.input_len = 720, .tokens.layer_len = 500}), 500);
    assert_int_equal(rows_of((fgt_forecaster_opts){.input_len = 720, .output.no_linear = 1}), 720);
    assert_int_equal(rows_of((fgt_forecaster_opts){.input_len = 720, .output.non_negative = 1}), 336);
}

static void rows_that_nothing_reads_are_refused(void **state)
{
    (void)state;
    fgt_forecaster_opts full = {.size = sizeof full};
    fgt_forecaster_opts o    = {.size = sizeof o, .input_len = 24, .tokens.layer_len = 25};
    REFUSED(fgt_forecaster_opts_init(ctx, NULL, &o, &full), FGT_E_ARG, "got 25, need at most 24");
    o.tokens.layer_len = 12;
    o.output.no_linear = 1;
    REFUSED(fgt_forecaster_opts_init(ctx, NULL, &o, &full), FGT_E_ARG, "linear part (got 12, need 0 or 24)");
    o.tokens.layer_len = -1;
    REFUSED(fgt_forecaster_opts_init(ctx, NULL, &o, &full), FGT_E_ARG, "layer_len");
}

/* A table without a window that is whole has no map: the layers read all rows. */
static void without_a_map_they_read_all(void **state)
{
    (void)state;
    static double gaps[N][C];
    for (int r = 0; r < N; r++)
        for (int c = 0; c < C; c++) gaps[r][c] = r < parts.train_end - 5 ? NAN : series[r][c];
    static const char *const names[] = {"a", "b"};
    fgt_table               *t;
    fgt_forecaster          *f;
    fgt_view                 v = {0};
    OK(fgt_table_create(ctx, names, FGT_VIEW_OF(FGT_DTYPE_F64, gaps, N, C), &t));
    const fgt_forecaster_opts o = opts_of(FGT_TOKENS_VARIATE);
    OK(fgt_forecaster_create(ctx, t, &parts, &o, &f));
    fgt_forecaster_info i = {.size = sizeof i};
    OK(fgt_forecaster_get_info(f, &i));
    assert_false(i.linear);
    OK(parameter_shape(fgt_forecaster_get_model(f), "embed.weight", &v));
    assert_int_equal(v.shape[v.rank - 1], L);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_read_the_last_rows),   cmocka_unit_test(so_does_what_stands_beside_them),
        cmocka_unit_test(it_follows_from_the_window),  cmocka_unit_test(rows_that_nothing_reads_are_refused),
        cmocka_unit_test(without_a_map_they_read_all),
    };
    return cmocka_run_group_tests(tests, fill, tear_down);
}
