/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of series and texts, with tokens marked by their weight. */
#include "report/report_data.h"

#include <math.h>
#include <stdio.h>

#include "core/size.h"

#define MOST_ROWS 100000
#define MOST_BARS 200

/* Checks a view [n] of real numbers. If *n is -1, any length up to MOST_ROWS is allowed and returned in
 * *n. */
static fgt_status report_window_check_row(fgti_error *err, const char *what, const fgt_view *v, int64_t *n)
{
    char name[40];
    snprintf(name, sizeof name, "report: %s", what);
    FGTI_TRY(fgti_view_check_number(err, name, v, 1, n));
    if (v->shape[0] < 1 || (*n < 0 && v->shape[0] > MOST_ROWS))
        return fgti_fail(err, FGT_E_SHAPE, "report: %s has a wrong length (got %lld, need 1 to %d)", what,
                         (long long)v->shape[0], MOST_ROWS);
    *n = v->shape[0];
    return FGT_OK;
}

/* Checks values [n] for colours and bars. */
static fgt_status report_window_check_values(fgti_error *err, const char *what, const fgt_view *v, int64_t n)
{
    FGTI_TRY(report_window_check_row(err, what, v, &n));
    return fgti_report_check(err, what, v, FGTI_SHOWN_FAR);
}

/* ---- windows ---- */

static fgt_status report_window_check_spans(fgti_error *err, const fgt_report_window *w, int64_t rows)
{
    if (!w->first != !w->last || w->tokens < 0 || !w->first != !w->tokens || w->token < 0)
        return fgti_fail(err, FGT_E_ARG,
                         "report: first, last and tokens of a window belong together (got %lld tokens)",
                         (long long)w->tokens);
    for (int64_t i = 0; i < w->tokens; i++)
        if (w->first[i] < 0 || w->last[i] < w->first[i] || w->last[i] >= rows)
            return fgti_fail(
                err, FGT_E_ARG, "report: the rows of token %lld are wrong (got %lld to %lld, need 0 to %lld)",
                (long long)i, (long long)w->first[i], (long long)w->last[i], (long long)rows - 1);
    return FGT_OK;
}

/* Checks all of a window except its spans. *s gets the subject of the tokens; NULL: there is no subject. */
static fgt_status report_window_check(fgti_error *err, const fgt_report_window *w, const fgti_subject *s,
                                      int64_t *rows, int64_t *steps)
{
    if (!w->name) return fgti_fail(err, FGT_E_ARG, "report: name of a window is NULL");
    FGTI_TRY(report_window_check_row(err, "input", w->input, rows));
    FGTI_TRY(report_window_check_row(err, "forecast", w->forecast, steps));
    if (w->truth) FGTI_TRY(report_window_check_row(err, "truth", w->truth, steps));
    if (!w->low != !w->high || !w->low != !w->band)
        return fgti_fail(err, FGT_E_ARG, "report: low, high and band of a window belong together");
    if (w->low) FGTI_TRY(report_window_check_row(err, "low", w->low, steps));
    if (w->low) FGTI_TRY(report_window_check_row(err, "high", w->high, steps));
    if (!w->measure != !w->row_value || (w->token_value && (!w->measure || !w->token)))
        return fgti_fail(err, FGT_E_ARG,
                         "report: measure, row_value and token_value of a window belong together (need "
                         "measure with row_value, and token_value only with both and token)");
    if (w->row_value) FGTI_TRY(report_window_check_values(err, "row_value", w->row_value, *rows));
    if (!w->token_value) return FGT_OK;
    if (!s) return fgti_fail(err, FGT_E_ARG, "report: token_value needs a matrix (add that before)");
    return report_window_check_values(err, "token_value", w->token_value, s->tokens);
}

/* Writes values of a measure. A square gets the largest value of its tokens. A bar of `bar` rows gets the
 * largest value of these rows. */
static void report_window_put_measure(const fgt_report_window *w, const fgti_subject *s, int64_t number,
                                      fgti_sheets *p)
{
    double            square[FGTI_REPORT_SIDE] = {0}, most[MOST_BARS] = {0};
    const int64_t     rows = w->row_value->shape[0], bar = fgti_parts(rows, MOST_BARS);
    const fgti_column tokens[] = {{"series", NULL, FGTI_COLUMN_NAMES, s ? &s->names : NULL, false},
                                  {w->measure, "values", FGTI_COLUMN_NUMBERS,
                                   FGT_VIEW_OF(FGT_DTYPE_F64, square, FGTI_REPORT_SIDE), false}};
    const fgti_column bars[]   = {
          {bar > 1 ? "rows" : "row", NULL, FGTI_COLUMN_SPANS, (int64_t[]){rows, bar}, false},
          {w->measure, "bars", FGTI_COLUMN_NUMBERS, FGT_VIEW_OF(FGT_DTYPE_F64, most, MOST_BARS), true}};
    for (int64_t i = 0; w->token_value && i < s->tokens; i++)
        square[i / s->merged] = fmax(square[i / s->merged], fgti_view_get(w->token_value, i));
    for (int64_t i = 0; i < rows; i++) most[i / bar] = fmax(most[i / bar], fgti_view_get(w->row_value, i));
    fgti_put(&p->data, ",\"measure\":%j,\"about\":%J", w->measure, w->about);
    fgti_begin_details(&p->tables, "measure", number, w->measure, w->name);
    if (w->token_value) fgti_put_table(p, tokens, 2, s->side, s->side);
    fgti_put(&p->data, ",\"bar\":%d", bar);
    fgti_put(&p->tables, "<p>Row \xe2\x88\x92%d is the last one before the forecast%r</p>", (int64_t)1,
             bar > 1 ? "; of several rows, the largest value." : ".");
    fgti_put_table(p, bars, 2, fgti_parts(rows, bar), MOST_BARS);
    fgti_put(&p->tables, "</details>\n");
}

static void report_window_put(const fgt_report_window *w, const fgti_subject *s, int64_t number,
                              fgti_figure *f)
{
    fgti_sheets      *p         = &f->rest;
    const fgti_column input     = {NULL, "input", FGTI_COLUMN_NUMBERS, w->input, false};
    const fgti_column columns[] = {{"step", NULL, FGTI_COLUMN_PLACES, NULL, false},
                                   {"forecast", "forecast", FGTI_COLUMN_NUMBERS, w->forecast, false},
                                   {"truth", "truth", FGTI_COLUMN_NUMBERS, w->truth, false},
                                   {"low", "low", FGTI_COLUMN_NUMBERS, w->low, false},
                                   {"high", "high", FGTI_COLUMN_NUMBERS, w->high, false}};
    fgti_put(&f->begin.data, "{\"window\":%j,\"begin\":%j,\"from\":%j,\"band\":%j,", w->name, w->begin,
             w->from, w->band);
    fgti_put(&p->data, ",\"row\":%d,\"spans\":[", w->token - 1);
    for (int64_t i = 0; i < w->tokens; i++)
        fgti_put(&p->data, i ? ",%d,%d" : "%d,%d", w->first[i], w->last[i]);
    fgti_put(&p->data, "]");
    fgti_put_rows(p, &input, 1, w->input->shape[0], 0);
    fgti_begin_details(&p->tables, "forecast", number, "forecast", w->name);
    if (w->from) fgti_put(&p->tables, "<p>The forecast begins at %s.</p>\n", w->from);
    if (w->band) fgti_put(&p->tables, "<p>low, high: %s</p>\n", w->band);
    fgti_put_table(p, columns, w->low ? 5 : 3, w->forecast->shape[0], FGTI_SHOWN_ROWS);
    fgti_put(&p->tables, "</details>\n");
    if (w->row_value) report_window_put_measure(w, s, number, p);
    fgti_put(&p->data, "}");
}

fgt_status fgt_report_add_window(fgt_report *report, const fgt_report_window *window)
{
    fgt_report_window w;
    fgti_figure       f;
    int64_t           rows = -1, steps = -1;
    FGTI_TRY(fgti_report_read(report, "window", true, window, &w, sizeof w));
    const int64_t       at = fgti_subject_find(report, w.subject);
    const fgti_subject *s  = at < 0 ? NULL : &report->subject[at];
    FGTI_TRY(report_window_check(&report->ctx->error, &w, s, &rows, &steps));
    FGTI_TRY(report_window_check_spans(&report->ctx->error, &w, rows));
    FGTI_TRY(fgti_figure_begin(report, w.subject, &f));
    report_window_put(&w, s, report->figures[FGTI_FIGURE_WINDOW].count, &f);
    f.unordered = w.token > 0;
    return fgti_figure_add(report, FGTI_FIGURE_WINDOW, &f);
}

/* ---- texts ---- */

/* The table has a column with the position of each word, because a word may occur twice. */
fgt_status fgt_report_add_words(fgt_report *report, const fgt_report_words *words)
{
    fgt_report_words w;
    fgti_figure      f;
    FGTI_TRY(fgti_report_read(report, "words", true, words, &w, sizeof w));
    fgti_error   *err = &report->ctx->error;
    const int64_t at = fgti_subject_find(report, w.subject), number = report->figures[FGTI_FIGURE_TEXT].count;
    if (at < 0) return fgti_fail(err, FGT_E_ARG, "report: words need a matrix (add that before)");
    const fgti_subject *s = &report->subject[at];
    if (w.count < 0 || w.count > s->tokens)
        return fgti_fail(err, FGT_E_ARG, "report: wrong number of words (got %lld, need 0 to %lld)",
                         (long long)w.count, (long long)s->tokens);
    if (!w.measure != !w.value)
        return fgti_fail(err, FGT_E_ARG, "report: measure and value of words belong together");
    if (w.value) FGTI_TRY(report_window_check_values(err, "value", w.value, s->tokens));
    const fgti_column columns[] = {{"place", NULL, FGTI_COLUMN_PLACES, NULL, false},
                                   {"word", "words", FGTI_COLUMN_NAMES, &s->token, false},
                                   {w.measure, "values", FGTI_COLUMN_NUMBERS, w.value, false}};
    FGTI_TRY(fgti_figure_begin(report, w.subject, &f));
    fgti_put(&f.begin.data, "{\"text\":%J,", w.name);
    fgti_put(&f.rest.data, ",\"count\":%d,\"measure\":%j", w.count, w.measure);
    fgti_begin_details(&f.rest.tables, "words", number, "words", w.name);
    fgti_put_table(&f.rest, columns, w.value ? 3 : 2, s->tokens, s->tokens);
    fgti_put(&f.rest.tables, "</details>\n");
    fgti_put(&f.rest.data, "}");
    f.unordered = w.count < s->tokens;
    return fgti_figure_add(report, FGTI_FIGURE_TEXT, &f);
}
