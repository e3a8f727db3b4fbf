/* SPDX-License-Identifier: BSD-3-Clause */
/* A forecaster from a table in memory: splits, progress, reports, metrics, info, a selector; saved to memory
 * and loaded again. */
#include "program.h"

enum { ROWS = 120, C = 3, L = 12, H = 4 };

static int on_progress(void *user, const fgt_progress *p)
{
    int *calls = user;
    ++*calls;
    if (p->epoch_done)
        printf("epoch %d of %d, step %d: %a %a\n", (int)p->epoch, (int)p->epochs, (int)p->step, p->loss,
               p->validation);
    return 0;
}

static fgt_table *make_table(void)
{
    static const char *const names[] = {"wind", "sun", "load"};
    static float             values[ROWS * C];
    fgt_table               *table;
    int64_t                  column;
    fill(values, ROWS * C, 7);
    for (int i = C; i < ROWS * C; i++) values[i] = 0.75f * values[i - C] + 0.25f * values[i];
    check(fgt_table_create(ctx, names, FGT_VIEW(values, ROWS, C), &table));
    check(fgt_table_get_column(table, "load", &column));
    printf("%d rows, %d columns, load is %d\n", (int)fgt_table_count_rows(table),
           (int)fgt_table_count_columns(table), (int)column);
    return table;
}

static void fit(fgt_forecaster *forecaster, const fgt_table *table, const fgt_split *split)
{
    fgt_fit_report report = {.size = sizeof report};
    fgt_attent    *selector;
    int            calls = 0;
    const int64_t  n     = split->train_end - split->train_begin - L - H + 1;
    check(fgt_attent_create(ctx,
                            &FGT_OPTS(fgt_attent_opts, .samples = n, .epochs = 3, .ratio = 0.5,
                                      .ratio_schedule = FGT_ATTENT_RATIO_FIXED,
                                      .strategy = FGT_ATTENT_STRATEGY_SOFT, .seed = 5),
                            &selector));
    check(fgt_forecaster_fit(forecaster, table, split,
                             &FGT_OPTS(fgt_forecaster_fit_opts, .training.progress = on_progress,
                                       .training.user = &calls, .training.epochs = 3, .training.batch = 8,
                                       .training.lr = 5e-3, .loss = FGT_LOSS_SMOOTH_L1,
                                       .training.selector = selector, .training.seed = 2),
                             &report));
    printf("%d windows, %d calls\n", (int)n, calls);
    print_report(&report);
    fgt_attent_destroy(&selector);
}

static void forecast(fgt_forecaster *forecaster, const fgt_table *table, const fgt_split *split)
{
    fgt_forecaster_info info   = {.size = sizeof info};
    fgt_metric          metric = {0};
    fgt_view            rows   = fgt_table_get_values(table);
    float               y[H * C];
    check(fgt_forecaster_get_info(forecaster, &info));
    printf("%d series, %d rows to %d, block %s, tokens %d, revin %d\n", (int)info.columns,
           (int)info.input_len, (int)info.pred_len, fgt_block_get_name(info.block), (int)info.tokens,
           (int)info.revin);
    check(fgt_forecaster_evaluate(forecaster, table, split->test_begin, split->test_end, &metric));
    printf("test %a, %a of %d\n", metric.square, metric.absolute, (int)metric.count);
    const fgt_forecast_rows from = {.size = sizeof from, .rows = &rows};
    check(fgt_forecaster_workspace_predict_rows(fgt_forecaster_get_workspace(forecaster), &from,
                                                FGT_VIEW(y, H, C)));
    print_numbers("forecast", y, H * C);
}

int main(void)
{
    fgt_split       split;
    fgt_forecaster *forecaster, *again;
    int64_t         bytes;
    void           *file;
    fgt_table      *table;

    check(fgt_context_create(NULL, &ctx));
    table = make_table();
    check(fgt_split_compute(ctx, ROWS, &FGT_OPTS(fgt_split_opts, .ratio = {0.5, 0.25, 0.25}), &split));
    check(fgt_forecaster_create(
        ctx, table, &split,
        &FGT_OPTS(
            fgt_forecaster_opts, .input_len = L, .pred_len = H, .seed = 4,
            .tokens = {.dim = 8, .patch = 4, .stride = 2, .revin = 1},
            .block  = {.kind = FGT_BLOCK_TRANSFORMER, .heads = 2, .ff = 16, .layers = 1, .dropout = 0.125f}),
        &forecaster));
    fit(forecaster, table, &split);
    forecast(forecaster, table, &split);

    check(fgt_forecaster_save(forecaster, FGT_TO_MEMORY(NULL, 0, &bytes)));
    if (!(file = malloc((size_t)bytes))) return 1;
    check(fgt_forecaster_save(forecaster, FGT_TO_MEMORY(file, bytes, &bytes)));
    check(fgt_forecaster_load(ctx, FGT_FROM_MEMORY(file, bytes), NULL, &again));
    forecast(again, table, &split);

    free(file);
    fgt_forecaster_destroy(&again);
    fgt_forecaster_destroy(&forecaster);
    fgt_table_destroy(&table);
    fgt_context_destroy(&ctx);
    return 0;
}
