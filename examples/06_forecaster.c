/* SPDX-License-Identifier: BSD-3-Clause */
/* A whole forecaster, as a host would use it. The program writes four months of a power plant's hourly
 * load to a CSV file, with a temperature that is known in advance, and a file of the next day's temperatures.
 * It loads the table, trains, measures the forecast on rows that it was not trained on, saves the forecaster,
 * loads it again, and forecasts the next day with intervals.
 *     cc 06_forecaster.c $(pkg-config --cflags --libs fighter-tasks) -lm */
#include <fighter/experimental/evaluate.h>
#include <fighter/fighter.h>
#include <fighter/tasks.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { HOURS = 24, ROWS = 120 * HOURS, SHOWN = 6 };

static fgt_context *ctx;

static void check(fgt_status status)
{
    if (status == FGT_OK) return;
    fprintf(stderr, "forecaster: %s: %s\n", fgt_status_get_name(status), fgt_context_get_error(ctx));
    exit(1);
}

/* ---- data: a file of the past, and a file of what is known of the next day ---- */

static double temperature(int row)
{
    return 12 + 9 * sin(6.2832 * row / (365. * HOURS)) + 5 * sin(6.2832 * (row - 9) / HOURS);
}

/* More in the day, less on the weekend, and more the further the temperature is from 16 degrees. */
static double load(int row)
{
    const int    day    = row / HOURS % 7;
    const double course = 40 + 12 * sin(6.2832 * (row - 7) / HOURS) - (day > 4 ? 8 : 0);
    return course + fabs(temperature(row) - 16) + 2. * rand() / RAND_MAX;
}

static void write_rows(const char *path, int begin, int end, int with_load)
{
    static const int days[] = {31, 28, 31, 30, 31, 30};
    FILE            *f      = fopen(path, "w");
    if (!f) exit(1);
    fprintf(f, with_load ? "time,temperature,load\n" : "time,temperature\n");
    for (int row = begin; row < end; row++) {
        int day = row / HOURS, month = 0;
        for (; day >= days[month]; month++) day -= days[month];
        fprintf(f, "2025-%02d-%02d %02d:00,%.2f", month + 1, day + 1, row % HOURS, temperature(row));
        if (with_load && row % 97)
            fprintf(f, ",%.2f", load(row));
        else if (with_load)
            fprintf(f, ","); /* missing values are allowed */
        fprintf(f, "\n");
    }
    if (fclose(f)) exit(1);
}

/* ---- training ---- */

static fgt_table *read_table(const char *path)
{
    fgt_table *table;
    check(fgt_table_load(ctx, path, &FGT_OPTS(fgt_csv_opts, .missing = FGT_TABLE_MISSING_MASK), &table));
    return table;
}

/* Trains on the first 70 % of the rows, stops by the next 10 %, and prints errors on the last 20 %. */
static fgt_forecaster *train(const fgt_table *table)
{
    static const char *const targets[] = {"load"}, *const known[] = {"temperature"};
    const fgt_forecaster_opts opts = {
        .size       = sizeof opts,
        .input_len  = 7 * HOURS,
        .pred_len   = HOURS,
        .seed       = 1,
        .inputs     = {.targets = targets, .target_count = 1, .known = known, .known_count = 1},
        .block.kind = FGT_BLOCK_FIGHTER};
    fgt_fit_report   report = {.size = sizeof report};
    fgt_metric       own = {0}, naive = {0};
    const int64_t    rows = fgt_table_count_rows(table);
    fgt_split        split;
    fgt_forecaster  *f;
    fgt_calibration *errors;
    check(fgt_split_compute(ctx, rows, NULL, &split));
    check(fgt_forecaster_create(ctx, table, &split, &opts, &f));
    check(fgt_forecaster_fit(f, table, &split, &FGT_OPTS(fgt_forecaster_fit_opts, .training.epochs = 2),
                             &report));
    check(fgt_forecaster_evaluate(f, table, split.test_begin, split.test_end, &own));
    check(fgt_forecaster_evaluate_naive(f, table, split.test_begin, split.test_end, 7 * HOURS, &naive));
    printf("mean absolute error, in standard deviations: %.3f; of the value a week before: %.3f\n",
           fgt_metric_get(&own, FGT_METRIC_MAE), fgt_metric_get(&naive, FGT_METRIC_MAE));
    if (fgt_metric_get(&own, FGT_METRIC_MAE) > fgt_metric_get(&naive, FGT_METRIC_MAE)) exit(1);
    check(fgt_calibration_create(f, table, -1, &errors)); /* recent errors, for intervals */
    check(fgt_forecaster_set_calibration(f, errors));
    fgt_calibration_destroy(&errors);
    return f;
}

/* ---- forecasting, in another run of the program ---- */

static void forecast(const char *model, const fgt_table *table, const fgt_table *future)
{
    double          mean[HOURS], low[HOURS], high[HOURS];
    fgt_forecaster *f;
    check(fgt_forecaster_load(ctx, FGT_FROM_FILE(model), NULL, &f));
    const fgt_calibration *errors = fgt_forecaster_get_calibration(f);
    const fgt_view        *m      = FGT_VIEW_OF(FGT_DTYPE_F64, mean, HOURS, 1);
    check(fgt_forecaster_predict_table(f, table, -1, future, m));
    check(fgt_calibration_compute_quantile(errors, m, .1, FGT_VIEW_OF(FGT_DTYPE_F64, low, HOURS, 1)));
    check(fgt_calibration_compute_quantile(errors, m, .9, FGT_VIEW_OF(FGT_DTYPE_F64, high, HOURS, 1)));
    printf("the next day, with intervals of 80 %%\n");
    for (int h = 0; h < HOURS; h += HOURS / SHOWN)
        printf("  %02d:00  %5.1f  (%.1f to %.1f)\n", h, mean[h], low[h], high[h]);
    fgt_forecaster_destroy(&f);
}

int main(void)
{
    write_rows("load.csv", 0, ROWS, 1);
    write_rows("temperature.csv", ROWS, ROWS + HOURS, 0);
    check(fgt_context_create(NULL, &ctx));
    fgt_table *table = read_table("load.csv"), *future = read_table("temperature.csv");

    fgt_forecaster *f = train(table);
    check(fgt_forecaster_save(f, FGT_TO_FILE("load.safetensors")));
    fgt_forecaster_destroy(&f);

    forecast("load.safetensors", table, future);
    fgt_table_destroy(&future);
    fgt_table_destroy(&table);
    fgt_context_destroy(&ctx);
    return 0;
}
