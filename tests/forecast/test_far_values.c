/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that a double holds and a float does not: named by row and column, never infinite in silence. */
#include "small_series.h"

enum { L = 24, H = 8 }; /* of new_forecaster() */

static void too_far(void **state)
{
    (void)state;
    static const double bad[] = {1e39, -1e300, 1e300, INFINITY};
    fgt_table          *table = new_table();
    fgt_forecaster     *f     = new_forecaster((fgt_forecaster_opts){0}, table);
    double              in[L][COLUMNS], out[H][COLUMNS];
    const fgt_view      rows  = *FGT_VIEW_OF(FGT_DTYPE_F64, in, L, COLUMNS);
    const fgt_view      place = *FGT_VIEW_OF(FGT_DTYPE_F64, out, H, COLUMNS);
    OK(fgt_forecaster_fit(f, table, &split, &FGT_OPTS(fgt_forecaster_fit_opts, .training.epochs = 1), NULL));
    memcpy(in, values, sizeof in);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        in[1][1] = bad[k];
        REFUSED(fgt_forecaster_workspace_predict_rows(fgt_forecaster_get_workspace(f),
                                                      &FGT_OPTS(fgt_forecast_rows, .rows = &rows), &place),
                FGT_E_DATA, "row 1, column");
    }
    in[1][1] = values[1][1];
    OK(fgt_forecaster_workspace_predict_rows(fgt_forecaster_get_workspace(f),
                                             &FGT_OPTS(fgt_forecast_rows, .rows = &rows), &place));
    for (int64_t i = 0; i < H * COLUMNS; i++) assert_true(isfinite(out[i / COLUMNS][i % COLUMNS]));
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&table);
}

/* In the test rows, too, where the scaler has not seen it. */
static void in_a_table(void **state)
{
    (void)state;
    fgt_metric      metric = {0};
    fgt_table      *clean  = new_table();
    fgt_forecaster *f      = new_forecaster((fgt_forecaster_opts){0}, clean);
    OK(fgt_forecaster_fit(f, clean, &split, &FGT_OPTS(fgt_forecaster_fit_opts, .training.epochs = 1), NULL));
    values[ROWS - 1][0] = 1e300;
    fgt_table *table    = new_table();
    fill_values();
    REFUSED(fgt_forecaster_evaluate(f, table, 0, ROWS, &metric), FGT_E_DATA, "too far from");
    fgt_table_destroy(&table);
    fgt_forecaster_destroy(&f);
    fgt_table_destroy(&clean);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(too_far), cmocka_unit_test(in_a_table)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
