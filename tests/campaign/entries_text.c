/* SPDX-License-Identifier: BSD-3-Clause */
/* The table's lines: corpora, vocabularies, encodings, classifiers, forecasters. */
#include <string.h>

#include <fighter/experimental/absent.h>
#include <fighter/experimental/corpus_file.h>
#include <fighter/experimental/defaults.h>
#include <fighter/experimental/ensemble.h>
#include <fighter/experimental/evaluate.h>
#include <fighter/experimental/exact.h>
#include <fighter/experimental/labels.h>
#include <fighter/experimental/local.h>
#include <fighter/experimental/options.h>
#include <fighter/experimental/pretrain.h>

#include "../samples_info.h"
#include "../scaler_info.h"
#include "entries.h"

/* ---- texts ---- */

static void see_corpus(world *w, const fgt_corpus *c)
{
    SEE(w, (int64_t){corpus_info(c).rows});
    SEE(w, (int64_t){corpus_info(c).classes});
    SEE(w, (int64_t){corpus_info(c).class_rows[0]});
    SEE(w, (int64_t){corpus_info(c).replaced});
    see_text(w, fgt_corpus_get_class_name(c, 0));
    SEE(w, (int64_t){corpus_class(c, 1)});
    see_text(w, fgt_corpus_get_text(c, 1));
}

static fgt_status corpus_load(world *w)
{
    MAKE(corpus, fgt_corpus_load(w->ctx, in(w, "texts.csv"), NULL, &w->made.corpus));
    see_corpus(w, w->made.corpus);
    return FGT_OK;
}

static fgt_status corpus_create(world *w)
{
    MAKE(corpus, fgt_corpus_create(w->ctx, sample_texts, sample_classes, TEXTS, NULL, &w->made.corpus));
    see_corpus(w, w->made.corpus);
    return FGT_OK;
}

static fgt_status corpus_subset(world *w)
{
    MAKE(corpus, fgt_corpus_create_subset(w->all.corpus, (const int64_t[]){3, 1}, 2, &w->made.corpus));
    see_corpus(w, w->made.corpus);
    return FGT_OK;
}

static fgt_status corpus_looks(world *w)
{
    see_corpus(w, w->all.corpus);
    return FGT_OK;
}

/* ---- texts on disk ---- */

static fgt_status corpus_open(world *w)
{
    fgt_corpus *stored;
    TRY(fgt_corpus_open(w->ctx, in(w, "texts.fgc"), NULL, &stored));
    SEE(w, (int32_t){corpus_info(stored).stored});
    const fgt_status s = fgt_corpus_create_subset(stored, (const int64_t[]){3, 1}, 2, &w->made.corpus);
    fgt_corpus_destroy(&stored);
    TRY(s);
    see_corpus(w, w->made.corpus);
    return FGT_OK;
}

static fgt_status file_kind(world *w)
{
    SEE(w, (int32_t){fgt_file_get_kind(in(w, "texts.csv"))});
    return FGT_OK;
}

static fgt_status corpus_save(world *w)
{
    return fgt_corpus_save(w->all.corpus, in(w, "out"));
}

static fgt_status corpus_convert(world *w)
{
    /* a file that another program has changed has other classes, which as numbers are refused */
    const fgt_corpus_opts         texts = {.size = sizeof texts, .class_kind = FGT_CLASS_KIND_NUMBER};
    const fgt_corpus_convert_opts o     = {.size = sizeof o, .corpus = &texts};
    const char                   *path  = in(w, "texts.csv");
    int64_t                       rows  = 0;
    TRY(fgt_corpus_convert(w->ctx, &path, 1, &o, in(w, "out"), &rows));
    SEE(w, rows);
    return FGT_OK;
}

static fgt_status see_rows(void *user, const fgt_corpus *texts, int64_t first)
{
    world *w = user;
    SEE(w, first);
    see_text(w, fgt_corpus_get_text(texts, 0));
    return FGT_OK;
}

static fgt_status corpus_visit(world *w)
{
    return fgt_corpus_visit(w->ctx, in(w, "texts.csv"),
                            &FGT_OPTS(fgt_corpus_opts, .classes = 9, .max_rows = 3), 2, see_rows, w);
}

/* A part of a file, its vocabulary and its samples. */
static fgt_status read_stored(world *w, const fgt_corpus *part)
{
    int64_t ids[T];
    MAKE(vocab, fgt_vocab_create(part, &FGT_OPTS(fgt_vocab_opts, .min_count = 1), &w->made.vocab));
    SEE(w, (int64_t){vocab_info(w->made.vocab).ids});
    fgt_encoding *e;
    TRY(fgt_encoding_create(w->made.vocab, part, T, &e));
    const fgt_status s =
        fgt_encoding_copy_samples(e, (const int64_t[]){1}, 1, FGT_VIEW_OF(FGT_DTYPE_I64, ids, 1, T), NULL);
    fgt_encoding_destroy(&e);
    if (s == FGT_OK) SEE(w, ids);
    return s;
}

static fgt_status corpus_split(world *w)
{
    fgt_corpus *stored, *train, *validation;
    TRY(fgt_corpus_open(w->ctx, in(w, "texts.fgc"), NULL, &stored));
    fgt_status s = fgt_corpus_create_split(stored, &FGT_OPTS(fgt_corpus_split_opts, .every = 2, .seed = 1),
                                           &train, &validation);
    if (s == FGT_OK) s = read_stored(w, train);
    fgt_corpus_destroy(&train);
    fgt_corpus_destroy(&validation);
    fgt_corpus_destroy(&stored);
    return s;
}

static fgt_status corpus_train(world *w)
{
    fgt_corpus *stored;
    TRY(fgt_corpus_open(w->ctx, in(w, "texts.fgc"), NULL, &stored));
    const fgt_status s = fgt_classifier_fit(w->fresh.classifier, FGT_TEXTS(stored), FGT_TEXTS(stored),
                                            &FGT_OPTS(fgt_classifier_fit_opts, .training.epochs = 1), NULL);
    fgt_corpus_destroy(&stored);
    return s;
}

static fgt_status vocab(world *w)
{
    const fgt_vocab_opts o = {.size = sizeof o, .min_count = 1, .ngrams = 2, .prefix = 3, .letters = 2};
    MAKE(vocab, fgt_vocab_create(w->all.corpus, &o, &w->made.vocab));
    SEE(w, (int64_t){vocab_info(w->made.vocab).ids});
    return FGT_OK;
}

static fgt_status choose_vocab(world *w)
{
    fgt_vocab_opts o = {.size = sizeof o};
    TRY(fgt_classifier_choose_vocab(w->all.corpus, FGT_BLOCK_FIGHTER, &o));
    SEE(w, o);
    return FGT_OK;
}

static fgt_status vocab_encode(world *w)
{
    int64_t ids[TEXTS * 6];
    TRY(fgt_vocab_encode(w->all.vocab, sample_texts, TEXTS, FGT_VIEW_OF(FGT_DTYPE_I64, ids, TEXTS, 6), NULL,
                         NULL));
    SEE(w, ids);
    return FGT_OK;
}

static fgt_status vocab_save(world *w)
{
    return fgt_vocab_save(w->all.vocab, FGT_TO_FILE(in(w, "out")));
}

static fgt_status vocab_load(world *w)
{
    char    file[4096];
    int64_t size = 0;
    TRY(fgt_vocab_save(w->all.vocab, FGT_TO_MEMORY(file, sizeof file, &size)));
    MAKE(vocab, fgt_vocab_load(w->ctx, FGT_FROM_MEMORY(file, size), &w->made.vocab));
    SEE(w, (int64_t){vocab_info(w->made.vocab).words});
    return FGT_OK;
}

static fgt_status vocab_looks(world *w)
{
    fgt_vocab_info info = {.size = sizeof info};
    TRY(fgt_vocab_get_info(w->all.vocab, &info));
    SEE(w, info.ids);
    SEE(w, info.words);
    SEE(w, *info.opts);
    see_text(w, fgt_vocab_get_word(w->all.vocab, 2));
    return FGT_OK;
}

static fgt_status encoding(world *w)
{
    MAKE(encoding, fgt_encoding_create(w->all.vocab, w->all.corpus, 6, &w->made.encoding));
    return FGT_OK;
}

static fgt_status encoding_looks(world *w)
{
    int64_t ids[2 * T], classes[2];
    TRY(fgt_encoding_copy_samples(w->all.encoding, (const int64_t[]){4, 1}, 2,
                                  FGT_VIEW_OF(FGT_DTYPE_I64, ids, 2, T),
                                  FGT_VIEW_OF(FGT_DTYPE_I64, classes, 2)));
    SEE(w, ids);
    SEE(w, classes);
    return FGT_OK;
}

/* ---- classifiers ---- */

static fgt_status classifier_predict_with(world *w, fgt_classifier *c)
{
    float p[TEXTS * 2];
    TRY(fgt_classifier_predict(c, &FGT_OPTS(fgt_classifier_rows, .texts = sample_texts, .text_count = TEXTS),
                               FGT_VIEW(p, TEXTS, 2), NULL));
    SEE(w, p);
    return FGT_OK;
}

static fgt_status classifier_create(world *w)
{
    const fgt_classifier_opts o = {.size       = sizeof o,
                                   .tokens     = 6,
                                   .dim        = 4,
                                   .batch      = 4,
                                   .pretrain   = 2,
                                   .block.kind = FGT_BLOCK_TRANSFORMER};
    MAKE(classifier, fgt_classifier_create(w->ctx, FGT_TEXTS(w->all.corpus), &o, &w->made.classifier));
    TRY(classifier_predict_with(w, w->made.classifier));
    TRY(fgt_classifier_set_exact(w->made.classifier, 1));
    return classifier_predict_with(w, w->made.classifier);
}

static fgt_status classifier_labels(world *w)
{
    const fgt_classifier_opts     o   = {.size = sizeof o, .tokens = 6, .dim = 4, .batch = 4};
    const fgt_classifier_fit_opts fit = {.size = sizeof fit, .training.epochs = 1};
    MAKE(classifier, fgt_classifier_create_labels(w->ctx, w->all.corpus, &o, &w->made.classifier));
    TRY(fgt_classifier_fit(w->made.classifier, FGT_TEXTS(w->all.corpus), NULL, &fit, NULL));
    SEE(w, (int32_t){fgt_classifier_has_labels(w->made.classifier)});
    return classifier_predict_with(w, w->made.classifier);
}

static fgt_status classifier_fit(world *w)
{
    const fgt_classifier_fit_opts o = {.size     = sizeof o,
                                       .training = {.epochs = 1, .checkpoint = in(w, "out")}};
    TRY(fgt_classifier_fit(w->fresh.classifier, FGT_TEXTS(w->all.corpus), FGT_TEXTS(w->all.corpus), &o,
                           NULL));
    SEE(w, (uint64_t){fgt_model_get_hash(fgt_classifier_get_model(w->fresh.classifier))});
    return FGT_OK;
}

/* Words alone, with texts without classes. */
static fgt_status classifier_masked(world *w)
{
    const fgt_vocab_opts          words = {.size = sizeof words, .ngrams = 1};
    const fgt_classifier_fit_opts fit   = {.size     = sizeof fit,
                                           .training = {.epochs = 1, .checkpoint = in(w, "out")}};
    const fgt_classifier_opts     o     = {.size = sizeof o, .tokens = 6, .dim = 4, .batch = 4,
                                           .vocab = &words, .texts = w->all.corpus};
    MAKE(classifier, fgt_classifier_create(w->ctx, FGT_TEXTS(w->all.corpus), &o, &w->made.classifier));
    TRY(fgt_classifier_fit_masked(w->made.classifier, FGT_TEXTS(w->all.corpus), FGT_TEXTS(w->all.corpus),
                                  &FGT_OPTS(fgt_classifier_masked_opts, .fit = &fit), NULL));
    SEE(w, (uint64_t){fgt_model_get_hash(fgt_classifier_get_model(w->made.classifier))});
    return FGT_OK;
}

static fgt_status classifier_add(world *w)
{
    MAKE(classifier, fgt_classifier_load(w->ctx, FGT_FROM_MEMORY(w->classifier.data, w->classifier.size),
                                         NULL, &w->made.classifier));
    TRY(fgt_classifier_take_members(w->fresh.classifier, &w->made.classifier));
    if (w->made.classifier) broken("the member still belongs to its maker");
    SEE(w, (uint64_t){fgt_model_get_hash(fgt_classifier_get_member(w->fresh.classifier, 1))});
    return FGT_OK;
}

static fgt_status classifier_evaluate(world *w)
{
    fgt_metric metric       = {0};
    int64_t    confusion[4] = {0};
    TRY(fgt_classifier_evaluate(w->fresh.classifier, FGT_TEXTS(w->all.corpus), &metric,
                                FGT_VIEW_OF(FGT_DTYPE_I64, confusion, 2, 2)));
    SEE(w, metric);
    SEE(w, confusion);
    return FGT_OK;
}

static fgt_status classifier_predict(world *w)
{
    return classifier_predict_with(w, w->fresh.classifier);
}

static fgt_status classifier_workspace(world *w)
{
    float                   p[TEXTS * 2];
    fgt_classifier_workspace *ws;
    TRY(fgt_classifier_create_workspace(w->fresh.classifier, NULL, &ws));
    const fgt_status s = fgt_classifier_workspace_predict(
        ws, &FGT_OPTS(fgt_classifier_rows, .texts = sample_texts, .text_count = TEXTS), FGT_VIEW(p, TEXTS, 2),
        NULL);
    see_text(w, fgt_classifier_workspace_get_error(ws));
    if (!s) SEE(w, p);
    entry_said(w, s, fgt_classifier_workspace_get_error(ws));
    fgt_classifier_workspace_destroy(&ws);
    return s;
}

static fgt_status classifier_looks(world *w)
{
    fgt_classifier_info info = {.size = sizeof info};
    TRY(fgt_classifier_get_info(w->fresh.classifier, &info));
    SEE(w, info);
    see_text(w, fgt_classifier_get_class_name(w->fresh.classifier, 1));
    SEE(w, (int64_t){vocab_info(fgt_classifier_get_vocab(w->fresh.classifier)).ids});
    SEE(w, (int64_t){corpus_info(fgt_classifier_get_corpus(w->fresh.classifier)).classes});
    SEE(w, (int64_t){fgt_classifier_count_epochs(w->fresh.classifier, TEXTS, 0)});
    SEE(w, (uint64_t){fgt_model_get_hash(fgt_classifier_get_model(w->fresh.classifier))});
    return FGT_OK;
}

/* ---- forecasters ---- */

static fgt_status forecast_with(world *w, fgt_forecaster *f)
{
    const fgt_view rows = fgt_table_get_values(w->all.table);
    double         y[2 * COLUMNS];
    TRY(fgt_forecaster_workspace_predict_rows(fgt_forecaster_get_workspace(f),
                                              &FGT_OPTS(fgt_forecast_rows, .rows = &rows),
                                              FGT_VIEW_OF(FGT_DTYPE_F64, y, 2, COLUMNS)));
    SEE(w, y);
    return FGT_OK;
}

static fgt_status forecaster_create(world *w)
{
    const fgt_forecaster_opts o = {.size        = sizeof o,
                                   .input_len   = 8,
                                   .pred_len    = 2,
                                   .tokens.dim  = 4,
                                   .batch       = 4,
                                   .block.kind  = FGT_BLOCK_GCN,
                                   .tokens.kind = FGT_TOKENS_VARIATE};
    fgt_split                 s;
    TRY(fgt_split_compute(w->ctx, ROWS, NULL, &s));
    MAKE(forecaster, fgt_forecaster_create(w->ctx, w->all.table, &s, &o, &w->made.forecaster));
    return forecast_with(w, w->made.forecaster);
}

static fgt_status forecaster_fit(world *w)
{
    const fgt_forecaster_fit_opts o = {.size     = sizeof o,
                                       .training = {.epochs = 1, .checkpoint = in(w, "out")}};
    fgt_split                     s;
    TRY(fgt_split_compute(w->ctx, ROWS, NULL, &s));
    TRY(fgt_forecaster_fit(w->fresh.forecaster, w->all.table, &s, &o, NULL));
    SEE(w, (uint64_t){fgt_model_get_hash(fgt_forecaster_get_model(w->fresh.forecaster))});
    return FGT_OK;
}

static fgt_status forecaster_evaluate(world *w)
{
    fgt_metric metric = {0};
    TRY(fgt_forecaster_evaluate(w->fresh.forecaster, w->all.table, 20, ROWS, &metric));
    SEE(w, metric);
    return FGT_OK;
}

static fgt_status forecaster_evaluate_naive(world *w)
{
    fgt_metric metric = {0};
    TRY(fgt_forecaster_evaluate_naive(w->fresh.forecaster, w->all.table, 20, ROWS, 4, &metric));
    SEE(w, metric);
    return FGT_OK;
}

/* Results of forecaster_measure() for the windows that it visits. */
typedef struct measured {
    fgt_context        *ctx;
    fgt_forecast_metric metric[2 * COLUMNS], naive[COLUMNS];
} measured;

static fgt_status take_window(void *user, const fgt_forecast_window *window)
{
    measured *m = user;
    return fgt_forecast_metric_add(m->ctx, &window->forecast, &window->truth, m->metric);
}

static fgt_status forecaster_measure(world *w)
{
    fgt_forecaster      *f = w->fresh.forecaster;
    measured             m = {.ctx = w->ctx};
    const fgt_forecast_visit_opts o = {.size = sizeof o, .begin = 20, .stride = 3};
    TRY(fgt_forecaster_visit(f, w->all.table, &o, take_window, &m));
    SEE(w, m.metric);
    TRY(fgt_forecaster_compute_naive_errors(f, w->all.table, 0, 20, 4, NULL, m.naive));
    fgt_forecast_metric first;
    fgt_forecast_metric_sum(m.metric, 2, COLUMNS, &first);
    SEE(w, (double){fgt_forecast_metric_get_measure(&first, FGT_FORECAST_MEASURE_MASE, m.naive)});
    return FGT_OK;
}

static fgt_status forecaster_predict(world *w)
{
    return forecast_with(w, w->fresh.forecaster);
}

static fgt_status forecaster_predict_otherwise(world *w)
{
    const fgt_view          values = fgt_table_get_values(w->all.table);
    const fgt_forecast_rows rows   = {.size = sizeof rows, .rows = &values};
    double                  y[2 * COLUMNS];
    TRY(fgt_forecaster_workspace_predict_rows(fgt_forecaster_get_workspace(w->fresh.forecaster), &rows,
                                              FGT_VIEW_OF(FGT_DTYPE_F64, y, 2, COLUMNS)));
    SEE(w, y);
    TRY(fgt_forecaster_predict_table(w->fresh.forecaster, w->all.table, 20, NULL,
                                     FGT_VIEW_OF(FGT_DTYPE_F64, y, 2, COLUMNS)));
    SEE(w, y);
    return FGT_OK;
}

static fgt_status forecaster_masked(world *w)
{
    const fgt_forecaster_fit_opts o = {.size     = sizeof o,
                                       .training = {.epochs = 1, .checkpoint = in(w, "out")}};
    const fgt_split               s = {0, 30, 30, 40, 40, 40};
    TRY(fgt_forecaster_fit_masked(w->fresh.forecaster, w->all.table, &s,
                                  &FGT_OPTS(fgt_forecaster_masked_opts, .fit = &o), NULL));
    TRY(fgt_forecaster_set_frozen(w->fresh.forecaster, 1));
    return fgt_forecaster_set_frozen(w->fresh.forecaster, 0);
}

static fgt_status forecaster_update(world *w)
{
    const fgt_forecaster_fit_opts o = {.size                = sizeof o,
                                       .training.epochs     = 1,
                                       .thin                = 2,
                                       .spectral            = 0.5f,
                                       .training.checkpoint = in(w, "out")};
    TRY(fgt_forecaster_update(w->fresh.forecaster, w->all.table, 30, &o, NULL));
    SEE(w, (uint64_t){fgt_model_get_hash(fgt_forecaster_get_model(w->fresh.forecaster))});
    return FGT_OK;
}

static fgt_status forecaster_refit(world *w)
{
    const fgt_forecaster_fit_opts o = {.size = sizeof o, .training.epochs = 1};
    fgt_split                     s;
    TRY(fgt_split_compute(w->ctx, ROWS, NULL, &s));
    MAKE(forecaster,
         fgt_forecaster_create_refit(w->fresh.forecaster, w->all.table, &s, &o, NULL, &w->made.forecaster));
    return forecast_with(w, w->made.forecaster);
}

/* In its own workspace, and in one of a thread's; the horizon of the model and another one. */
static fgt_status forecaster_windows(world *w)
{
    const int64_t            rows[] = {20, 9, 21};
    const fgt_workspace_opts two    = {.size = sizeof two, .batch = 2};
    const fgt_view           values = fgt_table_get_values(w->all.table);
    const fgt_forecast_rows  raw    = {.size = sizeof raw, .rows = &values};
    fgt_forecaster_workspace *ws;
    double                   y[3 * 5 * COLUMNS];
    const fgt_view            out = *FGT_VIEW_OF(FGT_DTYPE_F64, y, 3, 5, COLUMNS);
    TRY(fgt_forecaster_workspace_predict_windows(fgt_forecaster_get_workspace(w->fresh.forecaster),
                                                 w->all.table, rows, 3, NULL, &out));
    SEE(w, y);
    TRY(fgt_forecaster_create_workspace(w->fresh.forecaster, &two, &ws));
    fgt_status s = fgt_forecaster_workspace_predict_windows(ws, w->all.table, rows, 3, NULL, &out);
    SEE(w, y);
    const fgt_view one = *FGT_VIEW_OF(FGT_DTYPE_F64, y, 1, COLUMNS);
    if (!s)
        s = fgt_forecaster_workspace_predict_windows(ws, w->all.table, (int64_t[]){-1}, 1, NULL,
                                                     FGT_VIEW_OF(FGT_DTYPE_F64, y, 1, 1, COLUMNS));
    if (!s) s = fgt_forecaster_workspace_predict_rows(ws, &raw, &one);
    SEE(w, y);
    see_text(w, fgt_forecaster_workspace_get_error(ws));
    entry_said(w, s, fgt_forecaster_workspace_get_error(ws));
    fgt_forecaster_workspace_destroy(&ws);
    return s;
}

static fgt_status forecaster_predict_each(world *w)
{
    double  y[2 * COLUMNS];
    int64_t first[COLUMNS];
    TRY(fgt_forecaster_workspace_predict_each(fgt_forecaster_get_workspace(w->fresh.forecaster), w->all.table,
                                              NULL, FGT_VIEW_OF(FGT_DTYPE_F64, y, 2, COLUMNS),
                                              FGT_VIEW_OF(FGT_DTYPE_I64, first, COLUMNS)));
    SEE(w, y);
    SEE(w, first);
    fgt_forecaster_workspace *ws;
    TRY(fgt_forecaster_create_workspace(w->fresh.forecaster, NULL, &ws));
    const fgt_status s = fgt_forecaster_workspace_predict_each(ws, w->all.table, NULL,
                                                               FGT_VIEW_OF(FGT_DTYPE_F64, y, 2, COLUMNS),
                                                               FGT_VIEW_OF(FGT_DTYPE_I64, first, COLUMNS));
    entry_said(w, s, fgt_forecaster_workspace_get_error(ws));
    fgt_forecaster_workspace_destroy(&ws);
    SEE(w, y);
    return s;
}

static fgt_status forecaster_absent(world *w)
{
    int64_t count = -1;
    MAKE(table, fgt_table_create_subset(w->all.table, (const int64_t[]){1}, 1, &w->made.table));
    TRY(fgt_forecaster_add_absent(w->fresh.forecaster, w->made.table, &count));
    SEE(w, count);
    SEE(w, (int64_t){fgt_table_count_columns(w->made.table)});
    return FGT_OK;
}

static fgt_status forecaster_roles(world *w)
{
    static const char *const b[] = {"b"}, *const c[] = {"c"};
    const fgt_forecaster_opts o = {.size               = sizeof o,
                                   .input_len          = 8,
                                   .pred_len           = 2,
                                   .tokens.dim         = 4,
                                   .inputs.past        = b,
                                   .inputs.past_count  = 1,
                                   .inputs.known       = c,
                                   .inputs.known_count = 1,
                                   .inputs.calendar    = FGT_CALENDAR_DAY};
    fgt_split                 s;
    double                    y[2];
    TRY(fgt_split_compute(w->ctx, ROWS, NULL, &s));
    MAKE(forecaster, fgt_forecaster_create(w->ctx, w->all.table, &s, &o, &w->made.forecaster));
    TRY(fgt_forecaster_predict_table(w->made.forecaster, w->all.table, 20, NULL,
                                     FGT_VIEW_OF(FGT_DTYPE_F64, y, 2, 1)));
    SEE(w, y);
    return FGT_OK;
}

static fgt_status forecaster_holidays(world *w)
{
    const fgt_view   times = fgt_table_get_times(w->all.table);
    const int64_t    first[] = {((const int64_t *)times.data)[0]};
    fgt_days        *days;
    fgt_split        s;
    double           y[2 * COLUMNS];
    TRY(fgt_split_compute(w->ctx, ROWS, NULL, &s));
    TRY(fgt_days_create(w->ctx, first, NULL, 1, &days));
    const fgt_forecaster_opts o = {
        .size = sizeof o, .input_len = 8, .pred_len = 2, .tokens.dim = 4, .inputs.holidays = days};
    fgt_status made = fgt_forecaster_create(w->ctx, w->all.table, &s, &o, &w->made.forecaster);
    if (made == FGT_OK) made = fgt_forecaster_set_holidays(w->made.forecaster, days);
    if (made == FGT_OK) made = fgt_forecaster_set_counts(w->made.forecaster, w->all.table);
    fgt_days_destroy(&days);
    if (made != FGT_OK) return made;
    SEE(w, (int64_t){fgt_days_count_entries(fgt_forecaster_get_holidays(w->made.forecaster))});
    TRY(fgt_forecaster_predict_table(w->made.forecaster, w->all.table, 20, NULL,
                                     FGT_VIEW_OF(FGT_DTYPE_F64, y, 2, COLUMNS)));
    SEE(w, y);
    TRY(fgt_forecaster_set_exact(w->made.forecaster, 1));
    TRY(fgt_forecaster_predict_table(w->made.forecaster, w->all.table, 20, NULL,
                                     FGT_VIEW_OF(FGT_DTYPE_F64, y, 2, COLUMNS)));
    SEE(w, y);
    return FGT_OK;
}

static fgt_status forecaster_intervals(world *w)
{
    static const double level[] = {0.5};
    fgt_calibration    *c       = NULL;
    fgt_interval_metric metric;
    double              y[2 * COLUMNS] = {0};
    fgt_status          s              = fgt_calibration_create(w->fresh.forecaster, w->all.table, -1, &c);
    if (s == FGT_OK)
        s = fgt_calibration_compute_quantile(c, FGT_VIEW_OF(FGT_DTYPE_F64, y, 2, COLUMNS), 0.9,
                                             FGT_VIEW_OF(FGT_DTYPE_F64, y, 2, COLUMNS));
    SEE(w, (int64_t){fgt_calibration_count_windows(c)});
    SEE(w, (int64_t){fgt_calibration_count_trained_windows(c)});
    if (s == FGT_OK) s = fgt_forecaster_set_calibration(w->fresh.forecaster, c);
    fgt_calibration_destroy(&c);
    SEE(w, (int64_t){fgt_calibration_count_windows(fgt_forecaster_get_calibration(w->fresh.forecaster))});
    if (s != FGT_OK) return s;
    SEE(w, y);
    TRY(fgt_forecaster_evaluate_intervals(
        w->fresh.forecaster, w->all.table,
        &FGT_OPTS(fgt_forecast_interval_opts, .begin = 20, .end = ROWS, .levels = level, .level_count = 1),
        &metric, NULL));
    SEE(w, metric);
    return FGT_OK;
}

static fgt_status forecast_local(world *w)
{
    static double        y[COLUMNS][ROWS];
    const double *const  values[] = {y[0], y[1], y[2]};
    const int64_t        rows[]   = {ROWS, ROWS / 2, 5};
    const double         level[]  = {.1, .9};
    double               forecast[COLUMNS * 4], quantiles[COLUMNS * 4 * 2];
    const fgt_local_opts o        = {.size        = sizeof o,
                                     .horizon     = 4,
                                     .season      = 4,
                                     .levels      = level,
                                     .level_count = 2,
                                     .forecast    = forecast,
                                     .quantiles   = quantiles};
    for (int i = 0; i < COLUMNS; i++)
        for (int t = 0; t < ROWS; t++) y[i][t] = t % 4 + (i + t) * 7 % 5;
    TRY(fgt_forecast_local(w->ctx, values, rows, COLUMNS, &o));
    SEE(w, forecast);
    SEE(w, quantiles);
    return FGT_OK;
}

static fgt_status forecaster_blend(world *w)
{
    double               y[COLUMNS * 2], weight[COLUMNS * FGT_LOCAL_MEMBERS];
    const fgt_local_opts o = {
        .size = sizeof o, .horizon = 2, .forecast = y, .weights = weight, .member_count = FGT_LOCAL_MEMBERS};
    TRY(fgt_forecaster_predict_blend(w->fresh.forecaster, NULL, w->all.table, ROWS / 2, NULL, &o));
    SEE(w, y);
    SEE(w, weight);
    return FGT_OK;
}

static fgt_status local_names(world *w)
{
    for (int64_t i = 0; i < FGT_LOCAL_MEMBERS; i++) see_text(w, fgt_local_get_member_name(i));
    return FGT_OK;
}

static fgt_status forecaster_defaults(world *w)
{
    fgt_forecaster_opts     opts = {.size = sizeof opts};
    fgt_forecaster_fit_opts fit  = {.size = sizeof fit};
    TRY(fgt_forecaster_opts_init(w->ctx, NULL, NULL, &opts));
    TRY(fgt_forecaster_fit_opts_init(w->fresh.forecaster, 20000, NULL, &fit));
    SEE(w, opts.tokens.patch);
    SEE(w, fit.training.lr);
    return FGT_OK;
}

static fgt_status forecaster_quantiles(world *w)
{
    static const double       q[] = {0.1, 0.5, 0.9};
    const fgt_forecaster_opts o   = {.size                  = sizeof o,
                                     .input_len             = 8,
                                     .pred_len              = 2,
                                     .batch                 = 4,
                                     .seed                  = 1,
                                     .block.kind            = FGT_BLOCK_LINEAR,
                                     .output.quantiles      = q,
                                     .output.quantile_count = 3};
    const fgt_split           s   = {0, 20, 20, 26, 26, ROWS};
    double                    y[2][3 * 2 * COLUMNS];
    fgt_quantile_metric       m[3 * 2];
    fgt_forecaster_workspace *ws;
    MAKE(forecaster, fgt_forecaster_create(w->ctx, w->all.table, &s, &o, &w->made.forecaster));
    fgt_forecaster *f = w->made.forecaster;
    TRY(fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(f), w->all.table, 20, NULL,
                                                   FGT_VIEW_OF(FGT_DTYPE_F64, y[0], 3, 2, COLUMNS)));
    TRY(fgt_forecaster_evaluate_quantiles(f, w->all.table, 20, ROWS, m));
    TRY(fgt_forecaster_create_workspace(f, NULL, &ws));
    const fgt_status status = fgt_forecaster_workspace_predict_quantiles(
        ws, w->all.table, 20, NULL, FGT_VIEW_OF(FGT_DTYPE_F64, y[1], 3, 2, COLUMNS));
    entry_said(w, status, fgt_forecaster_workspace_get_error(ws));
    fgt_forecaster_workspace_destroy(&ws);
    if (status != FGT_OK) return status;
    fgt_quantile_metric sums[3];
    for (int64_t i = 0; i < 3; i++) fgt_quantile_metric_sum(m + 2 * i, 2, 1, &sums[i]);
    SEE(w, y);
    SEE(w, sums);
    SEE(w, (double){fgt_quantile_metric_get_crps(sums, q, 3)});
    return FGT_OK;
}

static fgt_status forecaster_looks(world *w)
{
    fgt_forecaster_info info = {.size = sizeof info};
    TRY(fgt_forecaster_get_info(w->fresh.forecaster, &info));
    see(w, &info, offsetof(fgt_forecaster_info, id_column));
    SEE(w, (bool){info.id_column});
    see_text(w, fgt_forecaster_get_name(w->fresh.forecaster, 2));
    SEE(w, (int32_t){fgt_forecaster_get_option(0)->kind});
    SEE(w, (int32_t){fgt_forecaster_get_fit_option(0)->kind});
    SEE(w, (int32_t){fgt_classifier_get_option(0)->kind});
    SEE(w, (int32_t){fgt_classifier_get_fit_option(0)->kind});
    SEE(w, (int64_t){fgt_forecaster_count_windows(w->fresh.forecaster, 0, ROWS, 1)});
    SEE(w, (int64_t){fgt_forecaster_find_row(w->fresh.forecaster, w->all.table)});
    SEE(w, (int64_t){scaler_mean(fgt_forecaster_get_scaler(w->fresh.forecaster)).shape[0]});
    SEE(w, (uint64_t){fgt_model_get_hash(fgt_forecaster_get_model(w->fresh.forecaster))});
    return FGT_OK;
}

static const entry entries[] = {
    {"fgt_corpus_load fgt_corpus_destroy", corpus_load, READS},
    {"fgt_corpus_create", corpus_create, 0},
    {"fgt_corpus_create_subset", corpus_subset, 0},
    {"fgt_corpus_get_info fgt_corpus_get_class_name fgt_corpus_get_text", corpus_looks, QUIET},
    {"fgt_corpus_open", corpus_open, READS},
    {"fgt_file_get_kind", file_kind, QUIET | READS},
    {"fgt_corpus_save", corpus_save, WRITES},
    {"fgt_corpus_convert", corpus_convert, READS | WRITES},
    {"fgt_corpus_visit", corpus_visit, READS},
    {"fgt_corpus_create_split", corpus_split, READS},
    {"fgt_classifier_fit", corpus_train, CLASSIFIER | READS | TRAINS | MOVES},
    {"fgt_vocab_create fgt_vocab_destroy", vocab, 0},
    {"fgt_vocab_encode", vocab_encode, 0},
    {"fgt_vocab_get_info fgt_vocab_get_word", vocab_looks, QUIET},
    {"fgt_vocab_save", vocab_save, WRITES},
    {"fgt_vocab_load", vocab_load, 0},
    {"fgt_encoding_create fgt_encoding_destroy", encoding, 0},
    {"fgt_encoding_copy_samples", encoding_looks, QUIET},
    {"fgt_classifier_create fgt_classifier_destroy fgt_classifier_set_exact", classifier_create, 0},
    {"fgt_classifier_create_labels fgt_classifier_has_labels", classifier_labels, 0},
    {"fgt_classifier_fit", classifier_fit, CLASSIFIER | WRITES | TRAINS},
    {"fgt_classifier_fit_masked", classifier_masked, WRITES | TRAINS},
    {"fgt_classifier_take_members fgt_classifier_get_member", classifier_add, CLASSIFIER},
    {"fgt_classifier_evaluate", classifier_evaluate, CLASSIFIER},
    {"fgt_classifier_predict", classifier_predict, CLASSIFIER},
    {"fgt_classifier_create_workspace fgt_classifier_workspace_destroy fgt_classifier_workspace_predict "
     "fgt_classifier_workspace_get_error",
     classifier_workspace, CLASSIFIER},
    {"fgt_classifier_choose_vocab", choose_vocab, 0},
    {"fgt_classifier_get_info fgt_classifier_get_class_name fgt_classifier_get_vocab "
     "fgt_classifier_get_corpus fgt_classifier_get_model fgt_classifier_count_epochs",
     classifier_looks, CLASSIFIER | QUIET},
    {"fgt_forecast_local", forecast_local, 0},
    {"fgt_local_get_member_name", local_names, QUIET},
    {"fgt_forecaster_create fgt_forecaster_destroy", forecaster_create, 0},
    {"fgt_forecaster_fit", forecaster_fit, FORECASTER | WRITES | TRAINS},
    {"fgt_forecaster_fit_masked fgt_forecaster_set_frozen", forecaster_masked, FORECASTER | WRITES | TRAINS},
    {"fgt_forecaster_update", forecaster_update, FORECASTER | WRITES | TRAINS},
    {"fgt_forecaster_create_refit", forecaster_refit, FORECASTER},
    {"fgt_forecaster_evaluate", forecaster_evaluate, FORECASTER},
    {"fgt_forecaster_evaluate_naive", forecaster_evaluate_naive, FORECASTER},
    {"fgt_forecaster_visit fgt_forecaster_compute_naive_errors fgt_forecast_metric_add "
     "fgt_forecast_metric_sum "
     "fgt_forecast_metric_get_measure",
     forecaster_measure, FORECASTER},
    {"fgt_forecaster_get_workspace fgt_forecaster_workspace_predict_rows", forecaster_predict, FORECASTER},
    {"fgt_forecaster_workspace_predict_rows fgt_forecaster_predict_table", forecaster_predict_otherwise,
     FORECASTER},
    {"fgt_forecaster_create_workspace fgt_forecaster_workspace_destroy "
     "fgt_forecaster_workspace_predict_windows fgt_forecaster_workspace_predict_rows "
     "fgt_forecaster_workspace_get_error",
     forecaster_windows, FORECASTER},
    {"fgt_forecaster_workspace_predict_each", forecaster_predict_each, FORECASTER},
    {"fgt_forecaster_predict_blend", forecaster_blend, FORECASTER},
    {"fgt_forecaster_add_absent", forecaster_absent, FORECASTER},
    {"fgt_forecaster_create", forecaster_roles, 0},
    {"fgt_forecaster_workspace_predict_quantiles "
     "fgt_forecaster_evaluate_quantiles fgt_quantile_metric_sum fgt_quantile_metric_get_crps",
     forecaster_quantiles, 0},
    {"fgt_forecaster_set_holidays fgt_forecaster_get_holidays fgt_forecaster_set_counts "
     "fgt_forecaster_set_exact",
     forecaster_holidays, 0},
    {"fgt_calibration_create fgt_calibration_destroy fgt_calibration_count_windows "
     "fgt_calibration_count_trained_windows "
     "fgt_calibration_compute_quantile "
     "fgt_forecaster_set_calibration fgt_forecaster_get_calibration fgt_forecaster_evaluate_intervals",
     forecaster_intervals, FORECASTER},
    {"fgt_forecaster_opts_init fgt_forecaster_fit_opts_init", forecaster_defaults, FORECASTER | QUIET},
    {"fgt_forecaster_get_info fgt_forecaster_get_name fgt_forecaster_count_windows "
     "fgt_forecaster_get_option fgt_forecaster_get_fit_option fgt_classifier_get_option "
     "fgt_classifier_get_fit_option "
     "fgt_forecaster_get_scaler fgt_forecaster_get_model fgt_forecaster_find_row",
     forecaster_looks, FORECASTER | QUIET},
};

const entry_table text_entries = {entries, LENGTH(entries)};
