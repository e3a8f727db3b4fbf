/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures of the attention of a saved model, in numbers:
 *     measures MODEL DATA [POWERS]
 * MODEL is a file of `fighter-forecast --save` or `fighter-classify --save`, DATA a file of the same kind
 * as its training data. The program predicts 32 windows or texts at equal distances together. It prints the
 * means over them, and over the heads of each layer, as CSV: layer,power,statistic,value. Power 0 is the
 * layer's output, other powers are powers of A; for hop_norm and hop_share `power` is the hop.
 *     cc 18_measures.c $(pkg-config --cflags --libs fighter-tasks) */
#include <fighter/experimental/evaluate.h>
#include <fighter/experimental/exact.h>
#include <fighter/experimental/tracker.h>
#include <fighter/fighter.h>
#include <fighter/tasks.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 32 };

static fgt_context *ctx;

static void check(fgt_status status)
{
    if (status == FGT_OK) return;
    fprintf(stderr, "measures: %s: %s\n", fgt_status_get_name(status), fgt_context_get_error(ctx));
    exit(1);
}

static void *need(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (memory) return memory;
    fprintf(stderr, "measures: no memory\n");
    exit(1);
}

/* ---- predictions ---- */

typedef struct windows {
    fgt_forecaster *forecaster;
    fgt_table      *table;
    int64_t         row[SAMPLES];
    fgt_view        forecast;
} windows;

static void open_windows(windows *w, const char *data)
{
    fgt_forecaster_info info = {.size = sizeof info};
    check(fgt_table_load(ctx, data, NULL, &w->table));
    check(fgt_forecaster_get_info(w->forecaster, &info));
    check(fgt_forecaster_set_exact(w->forecaster, 1)); /* the tracker reads A after the pass */
    const int64_t room = fgt_table_count_rows(w->table) - info.pred_len - info.input_len;
    for (int64_t i = 0; i < SAMPLES; i++) w->row[i] = info.input_len + (room > 0 ? room * i / SAMPLES : 0);
    const size_t values = (size_t)(SAMPLES * info.pred_len * info.columns);
    w->forecast         = *FGT_VIEW(need(values, sizeof(float)), SAMPLES, info.pred_len, info.columns);
}

static fgt_status forecast(void *user)
{
    const windows *w = user;
    return fgt_forecaster_workspace_predict_windows(fgt_forecaster_get_workspace(w->forecaster), w->table,
                                                    w->row, SAMPLES, NULL, &w->forecast);
}

typedef struct texts {
    fgt_classifier *classifier;
    const char     *text[SAMPLES];
    fgt_corpus     *corpus;
    fgt_view        probability;
} texts;

static void open_texts(texts *t, const char *data)
{
    fgt_classifier_info info = {.size = sizeof info};
    fgt_corpus_info     rows = {.size = sizeof rows};
    check(fgt_corpus_load(ctx, data, NULL, &t->corpus));
    check(fgt_corpus_get_info(t->corpus, &rows));
    check(fgt_classifier_get_info(t->classifier, &info));
    check(fgt_classifier_set_exact(t->classifier, 1)); /* the tracker reads A after the pass */
    for (int64_t i = 0; i < SAMPLES; i++)
        t->text[i] = fgt_corpus_get_text(t->corpus, rows.rows * i / SAMPLES);
    t->probability = *FGT_VIEW(need((size_t)(SAMPLES * info.classes), sizeof(float)), SAMPLES, info.classes);
}

static fgt_status classify(void *user)
{
    const texts *t = user;
    return fgt_classifier_predict(t->classifier,
                                  &FGT_OPTS(fgt_classifier_rows, .texts = t->text, .text_count = SAMPLES),
                                  &t->probability, NULL);
}

/* ---- output ---- */

/* Collects the numbers of all heads of a layer, power and statistic at the first of them. */
static void print_rows(const fgt_tracker *tracker)
{
    printf("layer,power,statistic,value\n");
    for (int64_t i = 0; i < fgt_tracker_count_rows(tracker); i++) {
        fgt_tracker_row first = {.size = sizeof first}, row = first;
        double          sum   = 0;
        int64_t         heads = 0;
        check(fgt_tracker_get_row(tracker, i, &first));
        if (first.head > 0) continue;
        for (int64_t k = i; k < fgt_tracker_count_rows(tracker); k++) {
            check(fgt_tracker_get_row(tracker, k, &row));
            if (strcmp(row.layer, first.layer) || row.power != first.power ||
                row.statistic != first.statistic)
                continue;
            sum += row.value;
            heads++;
        }
        printf("%s,%d,%s,%.4g\n", first.layer, (int)first.power,
               fgt_statistic_get_name((int32_t)first.statistic), sum / (double)heads);
    }
}

int main(int argc, char **argv)
{
    windows             w = {0};
    texts               t = {0};
    fgt_tracker        *tracker;
    fgt_tracker_opts    o     = {.size = sizeof o, .powers = argc > 3 ? atoi(argv[3]) : 1, .hops = 1};
    const fgt_load_opts batch = {.size = sizeof batch, .batch = SAMPLES};
    if (argc < 3) {
        printf("usage: measures MODEL DATA [POWERS]\n");
        return 0;
    }
    check(fgt_context_create(NULL, &ctx));
    if (fgt_forecaster_load(ctx, FGT_FROM_FILE(argv[1]), &batch, &w.forecaster) == FGT_OK) {
        open_windows(&w, argv[2]);
        o.pass = forecast;
        o.user = &w;
    } else {
        check(fgt_classifier_load(ctx, FGT_FROM_FILE(argv[1]), &batch, &t.classifier));
        open_texts(&t, argv[2]);
        o.pass = classify;
        o.user = &t;
    }
    fgt_model *model =
        w.forecaster ? fgt_forecaster_get_model(w.forecaster) : fgt_classifier_get_model(t.classifier);
    check(fgt_tracker_create(model, &o, NULL, &tracker));
    check(fgt_tracker_record(tracker, NULL));
    print_rows(tracker);
    fgt_tracker_destroy(&tracker);
    free(w.forecast.data);
    free(t.probability.data);
    fgt_table_destroy(&w.table);
    fgt_forecaster_destroy(&w.forecaster);
    fgt_corpus_destroy(&t.corpus);
    fgt_classifier_destroy(&t.classifier);
    fgt_context_destroy(&ctx);
    return 0;
}
