/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls on tables, graphs, scalers, windows, texts, and on forecasters and classifiers. */
#include <string.h>

#include "calls.h"

enum { ROWS = 40, SERIES = 2, TEXTS = 6, LENGTH = 8, PREDICTED = 4, TOKENS = 4 };

/* ---- graphs ---- */

static void graph_dense(world *w)
{
    const int64_t  n      = 1 + pick(w, 6);
    const fgt_view square = {.rank = 2, .shape = {n, n}};
    fgt_view       v      = draw_view(w, &square, false);
    fgt_graph_destroy(&w->graph);
    SAY(w->ctx, fgt_graph_create_dense(w->ctx, draw_null(w, &v), &w->graph));
}

/* Rows of one edge each, of which one number may be wrong. */
static void graph_csr(world *w)
{
    int64_t       first[8] = {0, 1, 2, 3, 4, 5, 6, 7}, to[8] = {1, 0, 2, 1, 0, 3, 2, 1};
    const int64_t n = 1 + pick(w, 6);
    if (pick(w, 4) == 0) first[pick(w, 8)] = draw_size(w);
    if (pick(w, 4) == 0) to[pick(w, 8)] = draw_size(w);
    fgt_graph_destroy(&w->graph);
    SAY(w->ctx, fgt_graph_create_csr(w->ctx, FGT_VIEW_OF(FGT_I64, first, n + 1), FGT_VIEW_OF(FGT_I64, to, n),
                                     NULL, &w->graph));
}

static void graph_correlation(world *w)
{
    const fgt_view rows  = {.rank = 2, .shape = {ROWS, 1 + pick(w, 6)}};
    fgt_view       v     = draw_view(w, &rows, false);
    const int64_t  begin = draw_size(w), end = draw_size(w) / 2 + 5;
    fgt_graph_destroy(&w->graph);
    SAY(w->ctx, fgt_graph_create_correlation(w->ctx, draw_null(w, &v), begin, end, draw_real(w), &w->graph));
}

static void graph_normalize(world *w)
{
    const fgt_graph_opts o = {.size = sizeof o, .norm = pick(w, 5) - 1, .self_loops = pick(w, 3)};
    fgt_graph           *normal;
    SAY(w->graph, fgt_graph_normalize(w->graph, &o, &normal));
    if (!normal) return;
    fgt_graph_destroy(&w->graph);
    w->graph = normal;
}

static void graph_get(world *w)
{
    const int64_t  n      = fgt_graph_count_nodes(w->graph);
    const fgt_view square = {.rank = 2, .shape = {n, n}};
    fgt_view       v      = draw_view(w, &square, true);
    SAY(w->graph, fgt_graph_get(w->graph, draw_null(w, &v)));
}

static void graph_destroy(world *w)
{
    fgt_graph_destroy(&w->graph);
}

/* ---- tables ---- */

static void table_create(world *w)
{
    static const char *const all[] = {"a", "\xc3\xb6l", "c", "a", "\xff", ""};
    const char              *names[8];
    const fgt_view           rows = {.rank = 2, .shape = {ROWS, SERIES}, .dtype = pick(w, 2)};
    fgt_view                 v    = draw_view(w, &rows, false);
    for (int i = 0; i < 8; i++) names[i] = pick(w, 8) ? all[i % 3] : all[pick(w, 6)];
    if (v.rank == 2 && v.shape[1] > 8) return; /* so many names there are not */
    fgt_table_destroy(&w->table);
    SAY(w->ctx, fgt_table_create(w->ctx, names, draw_null(w, &v), &w->table));
}

static void table_subset(world *w)
{
    const int64_t columns[2] = {draw_size(w), draw_size(w)};
    fgt_table    *subset;
    SAY(w->table, fgt_table_create_subset(w->table, pick(w, 3), columns, &subset));
    if (!subset) return;
    fgt_table_destroy(&w->table);
    w->table = subset;
}

static void table_column(world *w)
{
    int64_t column;
    SAY(w->table, fgt_table_get_column(w->table, draw_name(w, NULL), &column));
    fgt_table_get_name(w->table, draw_size(w));
    fgt_table_get_date(w->table, draw_size(w));
}

static void split_init(world *w)
{
    const fgt_split_opts o = {.size  = sizeof o,
                              .rows  = {draw_size(w), draw_size(w), draw_size(w)},
                              .ratio = {draw_real(w), draw_real(w), draw_real(w)},
                              .kind  = pick(w, 4) - 1};
    fgt_split            s;
    SAY(w->ctx, fgt_split_init(w->ctx, pick(w, 4) ? &o : NULL, draw_size(w), &s));
}

/* ---- scalers and windows ---- */

static void scaler_create(world *w)
{
    fgt_scaler_destroy(&w->scaler);
    SAY(w->ctx, fgt_scaler_create(w->ctx, pick(w, 4) ? SERIES : draw_size(w), &w->scaler));
}

static fgt_view rows_view(world *w, bool out)
{
    const fgt_view rows = {
        .rank = 2, .shape = {ROWS, fgt_scaler_count_columns(w->scaler)}, .dtype = pick(w, 2)};
    return draw_view(w, &rows, out);
}

static void scaler_fit(world *w)
{
    fgt_view v = rows_view(w, false);
    SAY(w->scaler, fgt_scaler_fit(w->scaler, draw_null(w, &v), draw_size(w), draw_size(w) / 2 + 6));
}

static void scaler_transform(world *w)
{
    fgt_view in = rows_view(w, false), out = rows_view(w, true);
    SAY(w->scaler, pick(w, 2) ? fgt_scaler_transform(w->scaler, &in, draw_null(w, &out))
                              : fgt_scaler_inverse_transform(w->scaler, draw_null(w, &in), &out));
}

static void scaler_set(world *w)
{
    const fgt_view row  = {.rank = 1, .shape = {fgt_scaler_count_columns(w->scaler)}, .dtype = FGT_F64};
    fgt_view       mean = draw_view(w, &row, false), scale = draw_view(w, &row, false);
    SAY(w->scaler, fgt_scaler_set(w->scaler, draw_null(w, &mean), draw_null(w, &scale)));
}

static void windows_create(world *w)
{
    const fgt_view         rows   = {.rank = 2, .shape = {ROWS, SERIES}, .dtype = pick(w, 2)};
    fgt_view               v      = draw_view(w, &rows, false);
    const int64_t          target = draw_size(w);
    const fgt_windows_opts o      = {.size         = sizeof o,
                                     .targets      = &target,
                                     .target_count = pick(w, 2),
                                     .input_len    = draw_size(w),
                                     .pred_len     = draw_size(w),
                                     .stride       = draw_size(w),
                                     .begin        = draw_size(w),
                                     .end          = pick(w, 2) ? 0 : draw_size(w) / 2 + 9,
                                     .reach_back   = pick(w, 2)};
    fgt_windows_destroy(&w->windows);
    SAY(w->ctx, fgt_windows_create(w->ctx, draw_null(w, &v), &o, &w->windows));
}

static void windows_get(world *w)
{
    const int64_t  index[3] = {0, draw_size(w), 1};
    const fgt_view in       = {.rank = 3, .shape = {2, 1 + pick(w, 4), SERIES}};
    fgt_view       x = draw_view(w, &in, true), y = draw_view(w, &in, true);
    SAY(w->windows, fgt_windows_get(w->windows, index, pick(w, 4), &x, pick(w, 2) ? &y : NULL));
}

/* ---- texts ---- */

static void corpus_create(world *w)
{
    static const char *const labels[] = {"1", "2", "a", ""};
    const char              *classes[TEXTS], *texts[TEXTS];
    const fgt_corpus_opts    o = {.size       = sizeof o,
                                  .class_kind = pick(w, 4),
                                  .classes    = pick(w, 4),
                                  .zero_based = pick(w, 2),
                                  .like       = pick(w, 4) ? NULL : w->corpus};
    fgt_corpus              *corpus;
    for (int i = 0; i < TEXTS; i++) {
        classes[i] = pick(w, 8) ? labels[i % 2] : labels[pick(w, 4)];
        texts[i]   = draw_text(w);
    }
    SAY(w->ctx,
        fgt_corpus_create(w->ctx, pick(w, 2) ? &o : NULL, pick(w, TEXTS + 1), classes, texts, &corpus));
    fgt_corpus_destroy(&w->corpus);
    w->corpus = corpus;
}

static void corpus_subset(world *w)
{
    const int64_t rows[3] = {0, draw_size(w), 1};
    fgt_corpus   *subset;
    SAY(w->corpus, fgt_corpus_create_subset(w->corpus, pick(w, 4), rows, &subset));
    if (!subset) return;
    fgt_corpus_destroy(&w->corpus);
    w->corpus = subset;
}

static fgt_vocab_opts draw_vocab(world *w)
{
    return (fgt_vocab_opts){.size        = sizeof(fgt_vocab_opts),
                            .min_count   = 1 + pick(w, 2),
                            .max_words   = pick(w, 2) ? 0 : draw_size(w),
                            .ngrams      = pick(w, 10),
                            .buckets     = pick(w, 2) ? 0 : draw_size(w),
                            .punctuation = pick(w, 3),
                            .prefix      = pick(w, 2) ? 0 : draw_size(w)};
}

static void vocab_create(world *w)
{
    const fgt_vocab_opts o = draw_vocab(w);
    fgt_vocab_destroy(&w->vocab);
    SAY(w->corpus, fgt_vocab_create(w->corpus, pick(w, 4) ? &o : NULL, &w->vocab));
}

static void vocab_encode(world *w)
{
    const char *const texts[2] = {draw_text(w), draw_text(w)};
    const fgt_view    like     = {.rank = 2, .shape = {2, TOKENS}, .dtype = FGT_I64};
    const fgt_view    mask     = {.rank = 2, .shape = {2, TOKENS}, .dtype = FGT_I32};
    fgt_view          ids = draw_view(w, &like, true), padding = draw_view(w, &mask, true);
    int64_t           replaced;
    SAY(w->vocab, fgt_vocab_encode(w->vocab, texts, 2, draw_null(w, &ids), pick(w, 2) ? &padding : NULL,
                                   pick(w, 2) ? &replaced : NULL));
}

static void encoding(world *w)
{
    const int64_t  index[2] = {0, draw_size(w)};
    const fgt_view like     = {.rank = 2, .shape = {2, TOKENS}, .dtype = FGT_I64};
    const fgt_view rows     = {.rank = 1, .shape = {2}, .dtype = FGT_I64};
    fgt_view       x = draw_view(w, &like, true), target = draw_view(w, &rows, true);
    if (w->encoding && pick(w, 2)) {
        SAY(w->encoding, fgt_encoding_get(w->encoding, index, 2, &x, &target));
        return;
    }
    fgt_encoding_destroy(&w->encoding);
    SAY(w->vocab, fgt_encoding_create(w->vocab, w->corpus, pick(w, 4) ? TOKENS : draw_size(w), &w->encoding));
}

/* ---- forecasters ---- */

static const fgt_split split = {0, 24, 24, 32, 32, ROWS};

static int stop_sometimes(void *user, const fgt_progress *p)
{
    (void)p;
    return pick(user, 16) == 15;
}

static void forecaster_create(world *w)
{
    const int64_t             hops = 1 + pick(w, 3);
    const double              q[]  = {0.1, pick(w, 8) ? 0.5 : draw_real(w)};
    const int64_t             count = pick(w, 3);
    const fgt_forecaster_opts o    = {.size      = sizeof o,
                                      .hops      = &hops,
                                      .hop_count = pick(w, 2),
                                      .input_len = pick(w, 8) ? LENGTH : draw_size(w),
                                      .pred_len  = PREDICTED,
                                      .batch     = pick(w, 4),
                                      .dim       = 4,
                                      .heads     = pick(w, 3),
                                      .layers    = pick(w, 3),
                                      .patch     = pick(w, 4) ? 4 : draw_size(w),
                                      .stride    = pick(w, 4),
                                      .block     = pick(w, 12),
                                      .tokens    = pick(w, 4),
                                      .revin     = pick(w, 2),
                                      .ff        = pick(w, 3),
                                      .graph     = pick(w, 4) ? NULL : w->graph,
                                      .quantiles = count || !pick(w, 8) ? q : NULL,
                                      .quantile_count = count,
                                      .non_negative   = pick(w, 8) == 7};
    fgt_forecaster_opts       full = {.size = sizeof full};
    SAY(w->ctx, fgt_forecaster_opts_init(w->ctx, &o, &full));
    fgt_forecaster_destroy(&w->forecaster);
    SAY(w->table && w->ctx ? w->ctx : NULL,
        fgt_forecaster_create(w->ctx, &o, w->table, pick(w, 8) ? &split : NULL, &w->forecaster));
}

static void forecaster_fit(world *w)
{
    const fgt_forecaster_fit_opts o      = {.size     = sizeof o,
                                            .progress = stop_sometimes,
                                            .user     = w,
                                            .epochs   = 1,
                                            .lr       = pick(w, 2) ? 0 : draw_real(w),
                                            .loss     = pick(w, 10)};
    fgt_fit_report                report = {.size = sizeof report};
    fgt_forecaster_fit_opts       full   = {.size = sizeof full};
    SAY(w->forecaster, fgt_forecaster_fit_opts_init(w->forecaster, &o, &full));
    SAY(w->forecaster, fgt_forecaster_fit(w->forecaster, w->table, &split, &o, &report));
}

static void forecaster_evaluate(world *w)
{
    fgt_metric    m     = {0};
    const int64_t begin = draw_size(w), end = pick(w, 2) ? ROWS : draw_size(w);
    SAY(w->forecaster,
        pick(w, 2) ? fgt_forecaster_evaluate(w->forecaster, w->table, begin, end, &m)
                   : fgt_forecaster_evaluate_naive(w->forecaster, w->table, begin, end, draw_size(w), &m));
}

static int stop_visit(void *user, const fgt_forecast_window *window)
{
    (void)window;
    return pick(user, 16) == 15;
}

static void forecaster_measure(world *w)
{
    fgt_forecast_metric  naive[SERIES];
    const fgt_visit_opts o = {.size   = sizeof o,
                              .begin  = draw_size(w),
                              .end    = pick(w, 2) ? 0 : draw_size(w),
                              .stride = pick(w, 4) ? pick(w, 3) : draw_size(w),
                              .season = pick(w, 2) ? 0 : draw_size(w)};
    if (pick(w, 2)) {
        SAY(w->forecaster, fgt_forecaster_visit(w->forecaster, w->table, &o, stop_visit, w));
        return;
    }
    SAY(w->forecaster, fgt_forecaster_measure_naive(w->forecaster, w->table, o.begin, draw_size(w),
                                                    draw_size(w), naive));
    if (pick(w, 2)) return;
    fgt_forecast_metric metrics[PREDICTED * SERIES] = {0};
    const fgt_view      right = {.rank = 2, .shape = {PREDICTED, SERIES}, .dtype = pick(w, 2)};
    fgt_view            forecast = draw_view(w, &right, false), truth = draw_view(w, &right, false);
    /* there are as many sums as the forecast has values */
    if (!memcmp(forecast.shape, right.shape, sizeof right.shape))
        SAY(w->ctx, fgt_forecast_metric_add(w->ctx, draw_null(w, &forecast), draw_null(w, &truth), metrics));
}

static void forecaster_predict(world *w)
{
    const fgt_view in   = {.rank = 2, .shape = {LENGTH, SERIES}, .dtype = pick(w, 2)};
    const fgt_view out  = {.rank = 2, .shape = {PREDICTED, SERIES}, .dtype = pick(w, 2)};
    fgt_view       rows = draw_view(w, &in, false), forecast = draw_view(w, &out, true);
    SAY(w->forecaster, fgt_forecaster_predict(w->forecaster, draw_null(w, &rows), draw_null(w, &forecast)));
}

static void forecaster_quantiles(world *w)
{
    const fgt_view      out = {.rank = 3, .shape = {1 + pick(w, 2), PREDICTED, SERIES}, .dtype = FGT_F64};
    fgt_view            quantiles = draw_view(w, &out, true);
    fgt_quantile_metric m[2 * PREDICTED];
    SAY(w->forecaster, fgt_forecaster_predict_quantiles(w->forecaster, w->table, draw_size(w), NULL,
                                                        draw_null(w, &quantiles)));
    const int64_t begin = draw_size(w), end = pick(w, 2) ? ROWS : draw_size(w);
    SAY(w->forecaster, fgt_forecaster_evaluate_quantiles(w->forecaster, w->table, begin, end, m));
}

static void forecaster_windows(world *w)
{
    const int64_t            rows[] = {draw_size(w), draw_size(w)}, n = 1 + (int64_t)pick(w, 2);
    const fgt_workspace_opts o      = {.size = sizeof o, .batch = pick(w, 3)};
    const int64_t            steps  = 1 + (int64_t)pick(w, 2 * PREDICTED);
    const fgt_view           out    = {.rank = 3, .shape = {n, steps, SERIES}, .dtype = FGT_F64};
    fgt_view                 forecast = draw_view(w, &out, true);
    fgt_forecast_workspace  *ws;
    if (pick(w, 2)) {
        SAY(w->forecaster,
            fgt_forecaster_predict_windows(w->forecaster, w->table, rows, n, NULL, draw_null(w, &forecast)));
        return;
    }
    SAY(w->forecaster, fgt_forecast_workspace_create(w->forecaster, &o, &ws));
    const fgt_status s =
        CALL(fgt_forecast_workspace_predict_windows(ws, w->table, rows, n, NULL, draw_null(w, &forecast)));
    if (ws && s != FGT_OK && !fgt_forecast_workspace_error(ws)[0]) abort(); /* its sentence is there */
    calls_say(w, ws && s == FGT_OK, s);
    fgt_forecast_workspace_destroy(&ws);
}

static void forecaster_predict_each(world *w)
{
    const fgt_view out = {.rank = 2, .shape = {PREDICTED, SERIES}, .dtype = pick(w, 2)};
    int64_t        first[SERIES];
    fgt_view       forecast = draw_view(w, &out, true);
    SAY(w->forecaster, fgt_forecaster_predict_each(w->forecaster, w->table, pick(w, 2) ? w->table : NULL,
                                                   draw_null(w, &forecast),
                                                   FGT_VIEW_OF(FGT_I64, first, SERIES)));
}

static void forecaster_file(world *w)
{
    if (w->forecaster && pick(w, 2)) {
        SAY(w->forecaster, fgt_forecaster_save_memory(w->forecaster, w->file, FILE_MAX, &w->bytes));
        return;
    }
    fgt_forecaster_destroy(&w->forecaster);
    SAY(w->ctx, fgt_forecaster_load_memory(w->ctx, w->file, w->bytes, NULL, &w->forecaster));
}

/* ---- classifiers ---- */

static void classifier_create(world *w)
{
    const fgt_vocab_opts      v = draw_vocab(w);
    const fgt_classifier_opts o = {.size     = sizeof o,
                                   .vocab    = pick(w, 2) ? &v : NULL,
                                   .tokens   = TOKENS,
                                   .batch    = pick(w, 4),
                                   .dim      = pick(w, 8) ? 4 : draw_size(w),
                                   .heads    = pick(w, 3),
                                   .layers   = pick(w, 3),
                                   .hops     = pick(w, 4),
                                   .block    = pick(w, 12),
                                   .dropout  = pick(w, 2) ? 0 : -1,
                                   .pretrain = pick(w, 3)};
    fgt_classifier_destroy(&w->classifier);
    SAY(w->corpus, fgt_classifier_create(w->ctx, &o, w->corpus, &w->classifier));
}

static void classifier_fit(world *w)
{
    const fgt_classifier_fit_opts o      = {.size     = sizeof o,
                                            .progress = stop_sometimes,
                                            .user     = w,
                                            .epochs   = 1,
                                            .lr       = pick(w, 2) ? 0 : draw_real(w),
                                            .selector = pick(w, 4) ? NULL : w->attent};
    fgt_fit_report                report = {.size = sizeof report};
    SAY(w->classifier && w->corpus ? w->classifier : NULL,
        fgt_classifier_fit(w->classifier, w->corpus, pick(w, 2) ? w->corpus : NULL, &o, &report));
}

static void classifier_predict(world *w)
{
    const char *const   texts[2] = {draw_text(w), draw_text(w)};
    fgt_classifier_info info     = {.size = sizeof info};
    const bool          known    = fgt_classifier_get_info(w->classifier, &info) == FGT_OK;
    const fgt_view      rows     = {.rank = 2, .shape = {2, known ? info.classes : 2}};
    fgt_view            p        = draw_view(w, &rows, true);
    SAY(w->classifier, fgt_classifier_predict(w->classifier, texts, 2, draw_null(w, &p), NULL));
    fgt_classify_workspace *ws;
    SAY(w->classifier, fgt_classify_workspace_create(w->classifier, NULL, &ws));
    const fgt_status s = CALL(fgt_classify_workspace_predict(ws, texts, 2, draw_null(w, &p), NULL));
    if (ws && s != FGT_OK && !fgt_classify_workspace_error(ws)[0]) abort(); /* its sentence is there */
    calls_say(w, ws && s == FGT_OK, s);
    fgt_classify_workspace_destroy(&ws);
}

static void classifier_file(world *w)
{
    if (w->classifier && pick(w, 2)) {
        SAY(w->classifier, fgt_classifier_save_memory(w->classifier, w->file, FILE_MAX, &w->bytes));
        return;
    }
    fgt_classifier_destroy(&w->classifier);
    SAY(w->ctx, fgt_classifier_load_memory(w->ctx, w->file, w->bytes, NULL, &w->classifier));
}

static void classifier_add(world *w)
{
    fgt_classifier  *other = NULL;
    const fgt_status s     = CALL(fgt_classifier_load_memory(w->ctx, w->file, w->bytes, NULL, &other));
    if (s != FGT_OK) {
        calls_say(w, w->ctx != NULL, s);
        return;
    }
    SAY(w->classifier, fgt_classifier_add(w->classifier, &other));
    fgt_classifier_destroy(&other);
}

static const operation list[] = {
    {"fgt_graph_create_dense", graph_dense, false, false},
    {"fgt_graph_create_csr", graph_csr, false, false},
    {"fgt_graph_create_correlation", graph_correlation, false, false},
    {"fgt_graph_normalize", graph_normalize, false, false},
    {"fgt_graph_get", graph_get, true, false},
    {"fgt_graph_destroy", graph_destroy, false, false},
    {"fgt_table_create", table_create, false, false},
    {"fgt_table_create_subset", table_subset, false, false},
    {"fgt_table_get_column", table_column, true, false},
    {"fgt_split_init", split_init, true, false},
    {"fgt_scaler_create", scaler_create, false, false},
    {"fgt_scaler_fit", scaler_fit, true, false},
    {"fgt_scaler_transform", scaler_transform, true, false},
    {"fgt_scaler_set", scaler_set, true, false},
    {"fgt_windows_create", windows_create, false, false},
    {"fgt_windows_get", windows_get, true, false},
    {"fgt_corpus_create", corpus_create, false, false},
    {"fgt_corpus_create_subset", corpus_subset, false, false},
    {"fgt_vocab_create", vocab_create, false, false},
    {"fgt_vocab_encode", vocab_encode, true, false},
    {"fgt_encoding_create", encoding, false, false},
    {"fgt_forecaster_create", forecaster_create, false, false},
    {"fgt_forecaster_fit", forecaster_fit, false, false},
    {"fgt_forecaster_evaluate", forecaster_evaluate, false, false},
    {"fgt_forecaster_visit", forecaster_measure, false, false},
    {"fgt_forecaster_predict", forecaster_predict, false, false},
    {"fgt_forecast_workspace_create", forecaster_windows, false, false},
    {"fgt_forecaster_predict_each", forecaster_predict_each, false, false},
    {"fgt_forecaster_predict_quantiles", forecaster_quantiles, false, false},
    {"fgt_forecaster_save_memory", forecaster_file, false, false},
    {"fgt_classifier_create", classifier_create, false, false},
    {"fgt_classifier_fit", classifier_fit, false, false},
    {"fgt_classifier_predict", classifier_predict, false, false},
    {"fgt_classifier_save_memory", classifier_file, false, false},
    {"fgt_classifier_add", classifier_add, false, false},
};
const operations calls_of_data = {list, sizeof list / sizeof *list};
