/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts of many windows, of other horizons than the trained one, and from several threads at once; the
 * same bits in every way, and nothing allocated after the first. Meant to be run under ThreadSanitizer,
 * too. */
#include <pthread.h>

#include "roles.h"

enum { WINDOWS = 7, THREADS = 8 };

static const int64_t first[WINDOWS] = {900, L, 500, 501, 77, 850, 3 * L};
static fgt_table    *table;

/* Known columns and the calendar; no past columns. */
static fgt_forecaster *trained(fgt_forecaster_opts o)
{
    const char *const targets[]        = {"a", "b"};
    o.inputs.targets                   = targets;
    o.inputs.target_count              = 2;
    o.inputs.known                     = k_name;
    o.inputs.known_count               = 1;
    o.batch                            = 3;
    fgt_forecaster               *f    = make(table, o);
    const fgt_forecaster_fit_opts once = {.size = sizeof once, .training.epochs = 1};
    OK(fgt_forecaster_fit(f, table, &parts, &once, NULL));
    return f;
}

static fgt_forecaster_workspace *workspace_of(const fgt_forecaster *f, int64_t batch)
{
    const fgt_workspace_opts o = {.size = sizeof o, .batch = batch};
    fgt_forecaster_workspace *w;
    OK(fgt_forecaster_create_workspace(f, &o, &w));
    return w;
}

static void many_windows_are_each_of_them(void **state)
{
    (void)state;
    double          want[WINDOWS][H][2], got[WINDOWS][H][2];
    fgt_forecaster *f   = trained((fgt_forecaster_opts){.tokens.dim = 0});
    const fgt_view  out = *FGT_VIEW_OF(FGT_DTYPE_F64, got, WINDOWS, H, 2);
    for (int i = 0; i < WINDOWS; i++)
        OK(fgt_forecaster_predict_table(f, table, first[i], NULL, FGT_VIEW_OF(FGT_DTYPE_F64, want[i], H, 2)));
    OK(fgt_forecaster_workspace_predict_windows(fgt_forecaster_get_workspace(f), table, first, WINDOWS, NULL,
                                                &out));
    assert_memory_equal(want, got, sizeof want);
    fgt_forecaster_workspace *own = fgt_forecaster_get_workspace(f);
    fgt_forecaster_workspace_destroy(&own); /* it stays, because the forecaster only lends it */
    assert_null(own);
    memset(got, 0, sizeof got);
    OK(fgt_forecaster_workspace_predict_windows(fgt_forecaster_get_workspace(f), table, first, WINDOWS, NULL,
                                                &out));
    assert_null(fgt_forecaster_get_workspace(NULL));
    assert_memory_equal(want, got, sizeof want);
    for (int64_t batch = 0; batch <= WINDOWS + 1; batch++) {
        fgt_forecaster_workspace *w = workspace_of(f, batch);
        memset(got, 0, sizeof got);
        OK(fgt_forecaster_workspace_predict_windows(w, table, first, WINDOWS, NULL, &out));
        assert_memory_equal(want, got, sizeof want);
        fgt_forecaster_workspace_destroy(&w);
        assert_null(w);
    }
    fgt_forecaster_destroy(&f);
}

/* Windows of raw rows, all of them in one view. */
static void many_raw_windows(void **state)
{
    (void)state;
    double          want[WINDOWS][H][2], got[WINDOWS][H][2], raw[WINDOWS][L + 1][2];
    double          known[WINDOWS][L + 1 + H][1];
    int64_t         last[WINDOWS];
    fgt_forecaster *f   = trained((fgt_forecaster_opts){.tokens.dim = 0});
    fgt_view        out = *FGT_VIEW_OF(FGT_DTYPE_F64, got, WINDOWS, H, 2);
    for (int i = 0; i < WINDOWS; i++) {
        const int64_t row = first[i] + 1;
        OK(fgt_forecaster_predict_table(f, table, row, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, want[i], H, 2)));
        for (int r = 0; r < L + 1; r++) memcpy(raw[i][r], rows[row - L - 1 + r], sizeof raw[i][r]);
        for (int r = 0; r < L + 1 + H; r++) known[i][r][0] = rows[row - L - 1 + r][2];
        last[i] = times[row - 1];
    }
    const fgt_forecast_rows in = {.size  = sizeof in,
                                  .rows  = FGT_VIEW_OF(FGT_DTYPE_F64, raw, WINDOWS, L + 1, 2),
                                  .known = FGT_VIEW_OF(FGT_DTYPE_F64, known, WINDOWS, L + 1 + H, 1),
                                  .time  = last};
    OK(fgt_forecaster_workspace_predict_rows(fgt_forecaster_get_workspace(f), &in, &out));
    assert_memory_equal(want, got, sizeof want);
    fgt_forecaster_workspace *w = workspace_of(f, 0);
    memset(got, 0, sizeof got);
    OK(fgt_forecaster_workspace_predict_rows(w, &in, &out));
    assert_memory_equal(want, got, sizeof want);
    memset(got, 0, sizeof got);
    raw[4][9][1] = 1e30; /* the other windows are not written, either */
    assert_int_equal(fgt_forecaster_workspace_predict_rows(w, &in, &out), FGT_E_DATA);
    assert_non_null(strstr(fgt_forecaster_workspace_get_error(w), "row 9, column \"b\": "));
    for (int i = 0; i < WINDOWS; i++) assert_true(got[i][0][0] == 0);
    last[2] = INT64_MAX;
    assert_int_equal(fgt_forecaster_workspace_predict_rows(w, &in, &out), FGT_E_ARG);
    assert_non_null(strstr(fgt_forecaster_workspace_get_error(w), "window 2"));
    out.shape[0]--;
    assert_int_equal(fgt_forecaster_workspace_predict_rows(w, &in, &out), FGT_E_SHAPE);
    fgt_forecaster_workspace_destroy(&w);
    fgt_forecaster_destroy(&f);
}

/* A shorter forecast is the start of the model's. A longer one is what a host would get that puts each
 * forecast behind the rows: for 2 H + 3 rows from forecasts of H rows at 0, H and H + 3. */
static void other_horizons(void **state)
{
    (void)state;
    enum { LONG = 2 * H + 3, ROW = 700 };
    static const int64_t at[] = {0, H, H + 3};
    double               want[LONG][2], got[LONG][2], one[H][2], kept[N][WIDE];
    fgt_forecaster      *f = trained((fgt_forecaster_opts){.tokens.dim = 0});
    OK(fgt_forecaster_predict_table(f, table, ROW, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, want, H, 2)));
    OK(fgt_forecaster_predict_table(f, table, ROW, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, got, 3, 2)));
    assert_memory_equal(want, got, 3 * sizeof *want);
    memcpy(kept, rows, sizeof kept);
    for (int k = 0, done = 0; k < 3; k++) {
        fgt_table *t = whole();
        OK(fgt_forecaster_predict_table(f, t, ROW + at[k], NULL, FGT_VIEW_OF(FGT_DTYPE_F64, one, H, 2)));
        for (; done < at[k] + H; done++) {
            memcpy(want[done], one[done - at[k]], sizeof *want);
            memcpy(rows[ROW + done], want[done], sizeof *want);
        }
        fgt_table_destroy(&t);
    }
    memcpy(rows, kept, sizeof kept);
    OK(fgt_forecaster_predict_table(f, table, ROW, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, got, LONG, 2)));
    for (int r = 0; r < LONG; r++)
        for (int c = 0; c < 2; c++)
            if (!(fabs(got[r][c] - want[r][c]) < 1e-4)) fail_msg("%d %d: %g %g", r, c, got[r][c], want[r][c]);
    assert_memory_equal(want, got, H * sizeof *want);
    /* known columns are asked for up to the last row, and no further */
    REFUSED(
        fgt_forecaster_predict_table(f, table, N - LONG + 1, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, got, LONG, 2)),
        FGT_E_DATA,
        "column \"k\"; the forecast takes 19 rows from 2016-08-11 06:00:00 on, and the rows here are ");
    OK(fgt_forecaster_predict_table(f, table, N - LONG, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, got, LONG, 2)));
    REFUSED(fgt_forecaster_predict_table(f, table, ROW, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, got, 0, 2)),
            FGT_E_SHAPE, "forecast");
    fgt_forecaster_destroy(&f);
    f = make_full(table);
    REFUSED(fgt_forecaster_predict_table(f, table, ROW, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, got, H + 1, 2)),
            FGT_E_UNSUPPORTED, "the 1 past columns have no values");
    fgt_forecaster_destroy(&f);
}

static void a_horizon_beyond_the_input(void **state)
{
    (void)state;
    double                    got[150][1];
    const char *const         a[] = {"a"};
    const fgt_forecaster_opts o   = {.size                = sizeof o,
                                     .inputs.targets      = a,
                                     .inputs.target_count = 1,
                                     .input_len           = 8,
                                     .pred_len            = 30,
                                     .tokens.patch        = 8};
    fgt_forecaster *f;
    OK(fgt_forecaster_create(ctx, table, &parts, &o, &f));
    OK(fgt_forecaster_predict_table(f, table, 100, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, got, 150, 1)));
    for (int r = 0; r < 150; r++) assert_true(isfinite(got[r][0]));
    fgt_forecaster_destroy(&f);
}

/* ---- threads ---- */

typedef struct job {
    const fgt_forecaster   *f;
    fgt_forecaster_workspace *w;
    double                  out[WINDOWS][H + 5][2];
    int                     again;
    fgt_status              wrong, status; /* of a call that must fail, and of all others */
    char                    words[200];
} job;

static void *work(void *user)
{
    job           *j   = user;
    const fgt_view every = *FGT_VIEW_OF(FGT_DTYPE_F64, j->out, WINDOWS, H + 5, 2);
    for (int i = 0; i < j->again && j->status == FGT_OK; i++) {
        j->wrong = fgt_forecaster_workspace_predict_windows(j->w, table, (int64_t[]){N + 1 + i}, 1, NULL,
                                                            FGT_VIEW_OF(FGT_DTYPE_F64, j->out, 1, H, 2));
        snprintf(j->words, sizeof j->words, "%s", fgt_forecaster_workspace_get_error(j->w));
        j->status = fgt_forecaster_workspace_predict_windows(j->w, table, first, WINDOWS, NULL, &every);
    }
    return NULL;
}

static void threads_share_a_forecaster(void **state)
{
    (void)state;
    static job jobs[THREADS];
    pthread_t  thread[THREADS];
    double     want[WINDOWS][H + 5][2];
    for (int32_t revin = 0; revin < 2; revin++) {
        fgt_forecaster *f = trained((fgt_forecaster_opts){.tokens.revin = revin});
        OK(fgt_forecaster_workspace_predict_windows(fgt_forecaster_get_workspace(f), table, first, WINDOWS,
                                                    NULL,
                                                    FGT_VIEW_OF(FGT_DTYPE_F64, want, WINDOWS, H + 5, 2)));
        for (int i = 0; i < THREADS; i++)
            jobs[i] = (job){.f = f, .w = workspace_of(f, i % 3), .again = 1 + i};
        const int64_t calls = memory.calls;
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, work, &jobs[i]), 0);
        for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(memory.calls, calls);
        for (int i = 0; i < THREADS; i++) {
            char words[40];
            snprintf(words, sizeof words, "row is out of range (got %d,",
                     N + 1 + i); /* of its own last call */
            assert_int_equal(jobs[i].status, FGT_OK);
            assert_int_equal(jobs[i].wrong, FGT_E_ARG);
            assert_non_null(strstr(jobs[i].words, words));
            assert_memory_equal(jobs[i].out, want, sizeof want);
            fgt_forecaster_workspace_destroy(&jobs[i].w);
        }
        fgt_forecaster_destroy(&f);
    }
}

/* ---- memory ---- */

static void only_the_first_forecast_allocates(void **state)
{
    (void)state;
    static const int32_t blocks[] = {FGT_BLOCK_FIGHTER, FGT_BLOCK_LINEAR};
    double               out[WINDOWS][H + 5][2];
    const fgt_view       one   = *FGT_VIEW_OF(FGT_DTYPE_F64, out, H, 2);
    const fgt_view       every = *FGT_VIEW_OF(FGT_DTYPE_F64, out, WINDOWS, H + 5, 2);
    for (int i = 0; i < 2; i++) {
        fgt_forecaster *f = trained((fgt_forecaster_opts){.block.kind = blocks[i]});
        OK(fgt_forecaster_predict_table(f, table, 700, NULL, &one));
        const int64_t calls = memory.calls;
        OK(fgt_forecaster_predict_table(f, table, 800, table, &one));
        OK(fgt_forecaster_workspace_predict_windows(fgt_forecaster_get_workspace(f), table, first, WINDOWS,
                                                    NULL, &every));
        assert_int_equal(memory.calls, calls);
        fgt_forecaster_destroy(&f);
    }
}

static fgt_forecaster *shared;

static fgt_status create_and_use(void)
{
    const fgt_workspace_opts o = {.size = sizeof o, .batch = 2};
    fgt_forecaster_workspace *w;
    double                   out[H][2];
    fgt_status                s = fgt_forecaster_create_workspace(shared, &o, &w);
    assert_true((s == FGT_OK) == (w != NULL));
    if (s == FGT_OK)
        s = fgt_forecaster_workspace_predict_windows(w, table, (int64_t[]){700}, 1, NULL,
                                                     FGT_VIEW_OF(FGT_DTYPE_F64, out, 1, H, 2));
    fgt_forecaster_workspace_destroy(&w);
    return s;
}

static void each_failed_allocation_is_reported(void **state)
{
    (void)state;
    fgt_status s;
    shared = trained((fgt_forecaster_opts){.tokens.dim = 0});
    SWEEP(&memory, s, 6, create_and_use()) NOTHING_LEAKS;
    fgt_forecaster_destroy(&shared);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    double                   out[2][H][2];
    fgt_forecaster           *f       = trained((fgt_forecaster_opts){.tokens.dim = 0});
    fgt_forecaster_workspace *w       = NULL;
    const fgt_workspace_opts less    = {.size = sizeof less, .batch = -1};
    const fgt_view            two     = *FGT_VIEW_OF(FGT_DTYPE_F64, out, 2, H, 2);
    const int64_t            early[] = {900, L - 1}, last[] = {900, -1};
    REFUSED(fgt_forecaster_create_workspace(f, &less, &w), FGT_E_ARG, "batch is out of range (got -1");
    REFUSED(fgt_forecaster_create_workspace(f, &FGT_OPTS(fgt_workspace_opts, .tokens = 2), &w), FGT_E_ARG,
            "tokens is wrong (got 2, need 0 for a forecaster)");
    REFUSED(fgt_forecaster_create_workspace(f, NULL, NULL), FGT_E_ARG, "NULL");
    assert_int_equal(fgt_forecaster_create_workspace(NULL, NULL, &w), FGT_E_ARG);
    assert_null(w);
    assert_string_equal(fgt_forecaster_workspace_get_error(NULL), "");
    assert_int_equal(fgt_forecaster_workspace_predict_rows(NULL, NULL, &two), FGT_E_ARG);
    REFUSED(fgt_forecaster_workspace_predict_windows(fgt_forecaster_get_workspace(f), table, early, 2, NULL,
                                                     &two),
            FGT_E_DATA, "too few rows before the forecast (got 47");
    REFUSED(
        fgt_forecaster_workspace_predict_windows(fgt_forecaster_get_workspace(f), table, last, 2, NULL, &two),
        FGT_E_ARG, "row is out of range (got -1");
    REFUSED(fgt_forecaster_workspace_predict_windows(fgt_forecaster_get_workspace(f), table, first, 3, NULL,
                                                     &two),
            FGT_E_SHAPE, "[2,8,2]");
    REFUSED(
        fgt_forecaster_workspace_predict_windows(fgt_forecaster_get_workspace(f), table, NULL, 2, NULL, &two),
        FGT_E_ARG, "NULL");
    REFUSED(fgt_forecaster_workspace_predict_windows(fgt_forecaster_get_workspace(f), table, first, 0, NULL,
                                                     &two),
            FGT_E_ARG, "count is out of range (got 0");
    REFUSED(
        fgt_forecaster_workspace_predict_windows(fgt_forecaster_get_workspace(f), NULL, first, 2, NULL, &two),
        FGT_E_ARG, "NULL");
    fgt_forecaster_destroy(&f);
}

static int begin(void **state)
{
    const int failed = fill(state);
    if (!failed) table = whole();
    return failed;
}

static int end(void **state)
{
    fgt_table_destroy(&table);
    return tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_windows_are_each_of_them),
        cmocka_unit_test(many_raw_windows),
        cmocka_unit_test(other_horizons),
        cmocka_unit_test(a_horizon_beyond_the_input),
        cmocka_unit_test(threads_share_a_forecaster),
        cmocka_unit_test(only_the_first_forecast_allocates),
        cmocka_unit_test(each_failed_allocation_is_reported),
        cmocka_unit_test(wrong_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
