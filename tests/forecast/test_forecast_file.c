/* SPDX-License-Identifier: BSD-3-Clause */
#include <fighter/experimental/evaluate.h>

#include "../model_info.h"
#include "small_series.h"

#define MOST (1 << 20)

static unsigned char bytes[MOST];

/* Into `bytes`, with room left for more. */
static size_t read_file(const char *path)
{
    const test_block b = test_read(path);
    assert_in_range(b.size, 0, MOST - 1);
    memcpy(bytes, b.data, (size_t)b.size);
    free(b.data);
    return (size_t)b.size;
}

static void predict(fgt_forecaster *f, double out[8][COLUMNS])
{
    OK(fgt_forecaster_workspace_predict_rows(
        fgt_forecaster_get_workspace(f),
        &FGT_OPTS(fgt_forecast_rows, .rows = FGT_VIEW_OF(FGT_DTYPE_F64, values, ROWS, COLUMNS)),
        FGT_VIEW_OF(FGT_DTYPE_F64, out, 8, COLUMNS)));
}

/* Same bits from the same raw rows, for every recipe. */
static void saved_and_loaded_predicts_the_same(void **state)
{
    (void)state;
    fgt_table *table = new_table();
    for (int32_t block = 0; fgt_block_get_name(block); block++)
        for (int32_t tokens = 0; tokens < FGTI_TOKENS_COUNT; tokens++) {
            if (!takes(block, tokens)) continue;
            double              before[8][COLUMNS], after[8][COLUMNS];
            fgt_forecaster_info a = {.size = sizeof a}, b = {.size = sizeof b};
            fgt_forecaster     *g, *f = new_forecaster((fgt_forecaster_opts){.block.kind   = block,
                                                                             .tokens.kind  = tokens,
                                                                             .tokens.revin = tokens != 1},
                                                       table);
            OK(fgt_forecaster_fit(f, table, &split, &FGT_OPTS(fgt_forecaster_fit_opts, .training.epochs = 1),
                                  NULL));
            predict(f, before);
            OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("m.safetensors"))));
            OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("m.safetensors")), NULL, &g));
            predict(g, after);
            assert_memory_equal(before, after, sizeof before);
            OK(fgt_forecaster_get_info(f, &a));
            OK(fgt_forecaster_get_info(g, &b));
            assert_memory_equal(&a, &b, sizeof a);
            for (int c = 0; c < COLUMNS; c++)
                assert_string_equal(fgt_forecaster_get_name(f, c), fgt_forecaster_get_name(g, c));
            assert_true(fgt_model_get_hash(fgt_forecaster_get_model(f)) ==
                        fgt_model_get_hash(fgt_forecaster_get_model(g)));
            fgt_forecaster_destroy(&g);
            fgt_forecaster_destroy(&f);
        }
    fgt_table_destroy(&table);
}

static void loaded_trains_on(void **state)
{
    (void)state;
    fgt_table      *table = new_table();
    fgt_forecaster *g, *f = new_forecaster((fgt_forecaster_opts){.tokens.revin = 1, .batch = 20}, table);
    fgt_metric      m = {0};
    OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("m.safetensors"))));
    OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("m.safetensors")), NULL, &g));
    OK(fgt_forecaster_fit(g, table, &split,
                          &FGT_OPTS(fgt_forecaster_fit_opts, .training = {.epochs = 1, .batch = 20}), NULL));
    OK(fgt_forecaster_evaluate(g, table, split.test_begin, split.test_end, &m));
    assert_true(m.count == 33 * 8 * COLUMNS);
    fgt_forecaster_destroy(&g);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

static void refuse(const char *name, fgt_status status, const char *words)
{
    fgt_forecaster *f = (fgt_forecaster *)bytes; /* anything */
    REFUSED(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory(name)), NULL, &f), status, words);
    assert_null(f);
    assert_non_null(strstr(fgt_context_get_error(ctx), name)); /* the file is named */
}

static void other_files_are_refused(void **state)
{
    (void)state;
    fgt_model *model;
    refuse("absent.safetensors", FGT_E_IO, "absent.safetensors");
    memcpy(bytes, "date,a,b\n", 9);
    test_write(in_directory("table.csv"), bytes, 9);
    refuse("table.csv", FGT_E_FORMAT, "table.csv");
    test_write(in_directory("empty"), bytes, 0);
    refuse("empty", FGT_E_FORMAT, "empty");
    OK(model_of_layer(ctx, &FGT_OPTS(fgt_model_opts, .features = 2),
                      fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 3)), &model));
    OK(fgt_model_save(model, FGT_TO_FILE(in_directory("model.safetensors"))));
    refuse("model.safetensors", FGT_E_FORMAT, "not a forecaster");
    fgt_model_destroy(&model);
}

static fgt_forecaster *saved(fgt_table *table, const char *name)
{
    fgt_forecaster *f = new_forecaster((fgt_forecaster_opts){.tokens.revin = 1}, table);
    OK(fgt_forecaster_save(f, FGT_TO_FILE(in_directory(name))));
    return f;
}

static void every_cut_is_refused(void **state)
{
    (void)state;
    fgt_table      *table = new_table();
    fgt_forecaster *f     = saved(table, "m.safetensors"), *g;
    const size_t    n     = read_file(in_directory("m.safetensors"));
    for (size_t cut = 0; cut < n; cut += cut < 4096 ? 61 : 997) {
        test_write(in_directory("cut"), bytes, cut);
        REFUSED(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("cut")), NULL, &g), FGT_E_FORMAT, "");
        assert_null(g);
    }
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

/* Replaces the first `from` in the saved file by `to`, of the same length. */
static void edit(size_t n, const char *from, const char *to)
{
    const size_t size = strlen(from);
    assert_int_equal(strlen(to), size);
    for (size_t i = 0; i + size <= n; i++)
        if (!memcmp(bytes + i, from, size)) {
            memcpy(bytes + i, to, size);
            test_write(in_directory("edited"), bytes, n);
            memcpy(bytes + i, from, size);
            return;
        }
    fail_msg("no %s in the file", from);
}

static void wrong_contents_are_refused(void **state)
{
    (void)state;
    fgt_table      *table = new_table();
    fgt_forecaster *f     = saved(table, "m.safetensors");
    const size_t    n     = read_file(in_directory("m.safetensors"));
    static const struct {
        const char *from, *to;
        fgt_status  status;
        const char *words;
    } cases[] = {
        {"\"forecast.format\":\"1\"", "\"forecast.format\":\"2\"", FGT_E_VERSION, "format 2"},
        {"\"forecast.format\"", "\"forecast.formal\"", FGT_E_FORMAT, "not a forecaster"},
        {"\"forecast.block\"", "\"forecast.clock\"", FGT_E_FORMAT, "forecast.block"},
        {"\"fighter\"", "\"fightre\"", FGT_E_VERSION, "fightre"},
        {"\"forecast.windows\"", "\"forecast.widows_\"", FGT_E_FORMAT, "forecast.windows"},
        {"input_len=24", "input_len=25", FGT_E_FORMAT, "25 rows"},
        {"input_len=24", "input_len=-4", FGT_E_FORMAT, "input_len"},
        {"input_len=24", "input_len=0.", FGT_E_FORMAT, "input_len"},
        {"input_len=24", "inpud_len=24", FGT_E_VERSION, "inpud_len"},
        {"pred_len=8", "pred_len=9", FGT_E_FORMAT, "9 rows"},
        {"[\\\"load\\\",", "[\\\"load\\\"]", FGT_E_FORMAT, "columns"},
        {"\"forecast.mean\"", "\"forecast.meat\"", FGT_E_FORMAT, "forecast.mean"},
    };
    test_forget_hash((char *)bytes, n);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        edit(n, cases[i].from, cases[i].to);
        refuse("edited", cases[i].status, cases[i].words);
    }
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

/* Whatever byte is wrong, the file is refused, or it only has no hash any more; the host may look away. */
static void every_wrong_byte_is_seen(void **state)
{
    (void)state;
    fgt_table      *table = new_table();
    fgt_forecaster *f     = saved(table, "m.safetensors"), *g;
    const size_t    n     = read_file(in_directory("m.safetensors"));
    size_t          name  = 0, loaded = 0;
    while (memcmp(bytes + name, "fighter.hash", 12) != 0) name++;
    for (size_t i = 0; i < n; i += i < 6000 ? 11 : 997) {
        if (i >= name && i < name + 12) continue;
        bytes[i] ^= 1;
        assert_int_not_equal(fgt_forecaster_load(ctx, FGT_FROM_MEMORY(bytes, (int64_t)n), NULL, &g), FGT_OK);
        assert_null(g);
        loaded += fgt_forecaster_load(ctx, FGT_FROM_MEMORY(bytes, (int64_t)n),
                                      &FGT_OPTS(fgt_load_opts, .no_verify = 1), &g) == FGT_OK;
        fgt_forecaster_destroy(&g);
        bytes[i] ^= 1;
    }
    assert_true(loaded > 20);
    REFUSED(fgt_forecaster_load(ctx, FGT_FROM_MEMORY(bytes, (int64_t)n),
                                &FGT_OPTS(fgt_load_opts, .no_verify = 2), &g),
            FGT_E_ARG, "no_verify");
    bytes[n - 2] ^= 1;
    REFUSED(fgt_forecaster_load(ctx, FGT_FROM_MEMORY(bytes, (int64_t)n), NULL, &g), FGT_E_FORMAT,
            "memory: the file is damaged, or another program changed it");
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

/* Weights that are finite, but so large that what follows from them is not. */
static void a_forecast_is_finite(void **state)
{
    (void)state;
    fgt_table      *table = new_table();
    fgt_forecaster *f     = saved(table, "m.safetensors");
    fgt_model      *m     = fgt_forecaster_get_model(f);
    double          out[8 * COLUMNS];
    const fgt_view  next = *FGT_VIEW_OF(FGT_DTYPE_F64, out, 8, COLUMNS);
    OK(fgt_forecaster_predict_table(f, table, -1, NULL, &next));
    const int64_t count = model_info(m).parameters;
    float        *large = malloc((size_t)count * sizeof *large);
    assert_non_null(large);
    for (int64_t i = 0; i < count; i++) large[i] = i % 2 ? 3e38F : -3e38F;
    OK(fgt_model_set_weights(m, FGT_VIEW(large, count)));
    free(large);
    REFUSED(fgt_forecaster_predict_table(f, table, -1, NULL, &next), FGT_E_DATA,
            "\"load\": the forecast of row 1 after the last one is ");
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

/* Whatever single byte of a header without a hash is wrong: a status, no crash, no leak. */
static void every_wrong_byte_is_survived(void **state)
{
    (void)state;
    fgt_table      *table = new_table();
    fgt_forecaster *f     = saved(table, "m.safetensors"), *g;
    const size_t    n     = read_file(in_directory("m.safetensors"));
    test_forget_hash((char *)bytes, n);
    for (size_t i = 0; i < n && i < 6000; i += 7) {
        bytes[i] ^= 1;
        test_write(in_directory("wrong"), bytes, n);
        bytes[i] ^= 1;
        const fgt_status s = fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("wrong")), NULL, &g);
        assert_true((s == FGT_OK) == (g != NULL));
        fgt_forecaster_destroy(&g);
    }
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

static void what_cannot_be_saved_leaves_the_old_file(void **state)
{
    (void)state;
    fgt_table      *table = new_table();
    fgt_forecaster *f     = saved(table, "m.safetensors"), *g;
    REFUSED(fgt_forecaster_save(f, FGT_TO_FILE(in_directory("no/m.safetensors"))), FGT_E_IO,
            "no/m.safetensors");
    REFUSED(fgt_forecaster_save(f, FGT_TO_FILE(directory)), FGT_E_IO, directory);
    REFUSED(fgt_forecaster_save(f, FGT_TO_FILE(NULL)), FGT_E_ARG, "path");
    const size_t n = read_file(in_directory("m.safetensors"));
    fgt_status s;
    SWEEP(&memory, s, 3, fgt_forecaster_save(f, FGT_TO_FILE(in_directory("m.safetensors"))))
    {
        assert_int_equal(read_file(in_directory("m.safetensors")), n);
    }
    OK(fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("m.safetensors")), NULL, &g));
    fgt_forecaster_destroy(&g);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

/* A forecaster of the default size and seven series, loaded for one window at a time, takes less than 1 MB
 * with the memory of its passes and a context of its own. It gives the same bits as with the file's
 * batch. */
static void a_batch_of_one_takes_little(void **state)
{
    (void)state;
    enum { LONG = 300, WIDE = 7, LENGTH = 96 };
    static double          wide[LONG][WIDE], out[2][LENGTH][WIDE];
    static char            file[1 << 20];
    const fgt_split        parts = {0, LONG, LONG, LONG, LONG, LONG};
    const fgt_load_opts    one = {.size = sizeof one, .batch = 1}, wrong = {.size = sizeof one, .batch = -1};
    const fgt_view         rows = *FGT_VIEW_OF(FGT_DTYPE_F64, wide, LONG, WIDE);
    int64_t                size;
    fgt_table             *table;
    fgt_forecaster        *f;
    for (int i = 0; i < LONG * WIDE; i++) wide[i / WIDE][i % WIDE] = sin(i * 0.7) + i % 5;
    OK(fgt_table_create(ctx, NULL, &rows, &table));
    OK(fgt_forecaster_create(ctx, table, &parts, NULL, &f));
    OK(fgt_forecaster_save(f, FGT_TO_MEMORY(file, sizeof file, &size)));
    OK(fgt_forecaster_workspace_predict_rows(fgt_forecaster_get_workspace(f),
                                             &FGT_OPTS(fgt_forecast_rows, .rows = &rows),
                                             FGT_VIEW_OF(FGT_DTYPE_F64, out[0], LENGTH, WIDE)));
    fgt_forecaster_destroy(&f);
    test_memory  own;
    fgt_context *small = test_context(&own, 1);
    OK_OF(small, fgt_forecaster_load(small, FGT_FROM_MEMORY(file, size), &one, &f));
    OK_OF(small, fgt_forecaster_workspace_predict_rows(fgt_forecaster_get_workspace(f),
                                                       &FGT_OPTS(fgt_forecast_rows, .rows = &rows),
                                                       FGT_VIEW_OF(FGT_DTYPE_F64, out[1], LENGTH, WIDE)));
    if (own.bytes >= 1000000) fail_msg("%lld bytes", (long long)own.bytes);
    assert_memory_equal(out[0], out[1], sizeof out[0]);
    fgt_forecaster_destroy(&f);
    fgt_context_destroy(&small);
    REFUSED(fgt_forecaster_load(ctx, FGT_FROM_MEMORY(file, size), &wrong, &f), FGT_E_ARG,
            "batch is out of range (got -1");
    fgt_table_destroy(&table);
}

/* ---- each allocation fails once ---- */

static fgt_table *sweep_table;

static fgt_status create_all(void)
{
    static const char *const  two[] = {"load", "\xc3\xb6l"};
    fgt_forecaster           *f;
    const fgt_forecaster_opts o = {.size                = sizeof o,
                                   .inputs.targets      = two,
                                   .inputs.target_count = 2,
                                   .tokens.revin        = 1,
                                   .block.kind          = FGT_BLOCK_GCN,
                                   .input_len           = 24,
                                   .pred_len            = 8,
                                   .tokens.dim          = 8};
    const fgt_status          s = fgt_forecaster_create(ctx, sweep_table, &split, &o, &f);
    assert_true((s == FGT_OK) == (f != NULL));
    fgt_forecaster_destroy(&f);
    return s;
}

static fgt_status use_all(void)
{
    fgt_metric      m = {0};
    double          out[8][COLUMNS];
    fgt_forecaster *f = NULL;
    fgt_status      s = fgt_forecaster_load(ctx, FGT_FROM_FILE(in_directory("sweep.safetensors")), NULL, &f);
    if (s == FGT_OK)
        s = fgt_forecaster_fit(f, sweep_table, &split,
                               &FGT_OPTS(fgt_forecaster_fit_opts, .training.epochs = 1), NULL);
    if (s == FGT_OK) s = fgt_forecaster_evaluate(f, sweep_table, 160, 200, &m);
    if (s == FGT_OK) s = fgt_forecaster_evaluate_naive(f, sweep_table, 160, 200, 7, &m);
    if (s == FGT_OK)
        s = fgt_forecaster_workspace_predict_rows(
            fgt_forecaster_get_workspace(f),
            &FGT_OPTS(fgt_forecast_rows, .rows = FGT_VIEW_OF(FGT_DTYPE_F64, values, ROWS, COLUMNS)),
            FGT_VIEW_OF(FGT_DTYPE_F64, out, 8, COLUMNS));
    fgt_forecaster_destroy(&f);
    return s;
}

static void sweep(fgt_status (*act)(void))
{
    const int64_t live = memory.live;
    fgt_status    s;
    SWEEP(&memory, s, 5, act()) NOTHING_LEAKS;
    assert_int_equal(memory.live, live);
}

static void each_failed_allocation_is_reported(void **state)
{
    (void)state;
    sweep_table       = new_table();
    fgt_forecaster *f = saved(sweep_table, "sweep.safetensors");
    fgt_forecaster_destroy(&f);
    sweep(create_all);
    sweep(use_all);
    fgt_table_destroy(&sweep_table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saved_and_loaded_predicts_the_same),
        cmocka_unit_test(loaded_trains_on),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(wrong_contents_are_refused),
        cmocka_unit_test(every_wrong_byte_is_seen),
        cmocka_unit_test(a_forecast_is_finite),
        cmocka_unit_test(every_wrong_byte_is_survived),
        cmocka_unit_test(what_cannot_be_saved_leaves_the_old_file),
        cmocka_unit_test(a_batch_of_one_takes_little),
        cmocka_unit_test(each_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
