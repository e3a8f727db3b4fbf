/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows, texts, and the importance of tokens. */
#include "report/page_shown.h"

#include <math.h>

#include "core/size.h"
#include "report/page_put.h"
#include "report/report_matrix.h"

#define MOST_ROWS 200 /* of the table of a forecast */
#define MOST_BARS 200

/* The number of a subject in the page; -1: it has no matrices. */
static int64_t number_of(const fgt_report *r, int64_t name)
{
    const fgti_subject *s = fgti_report_find(r, name);
    return s ? s - r->subject : -1;
}

/* ---- windows ---- */

static void put_forecast(fgti_page *p, int64_t number, const fgti_shown_window *w)
{
    const double     *v        = w->value + w->rows;
    const int64_t     h        = w->steps;
    const fgti_column column[] = {
        {"step", NULL, NULL, NULL},        {"forecast", "forecast", NULL, v},
        {"truth", "truth", NULL, v + h},   {w->band < 0 ? NULL : "low", "low", NULL, v + 2 * h},
        {"high", "high", NULL, v + 3 * h}, {0}};
    fgti_begin_details(&p->html, "forecast", number, "forecast", fgti_page_text(p, w->name));
    if (w->from >= 0) fgti_put(&p->html, "<p>The forecast begins at %s.</p>\n", fgti_page_text(p, w->from));
    if (w->band >= 0) fgti_put(&p->html, "<p>low, high: %s</p>\n", fgti_page_text(p, w->band));
    fgti_put_columns(p, column, h, MOST_ROWS);
    fgti_put(&p->html, "</details>\n");
}

/* Writes the bars of rows, which page_shown.js draws. A bar has the largest value of its rows. */
static void put_bars(fgti_page *p, const fgti_shown_window *w, int64_t rows)
{
    const char *const heads[] = {rows > 1 ? "rows" : "row", fgti_page_text(p, w->measure), NULL};
    fgti_sheet       *h       = &p->html;
    fgti_put(h, "<p>Row \xe2\x88\x92%d is the last one before the forecast%r</p>", (int64_t)1,
             rows > 1 ? "; of several rows, the largest value." : ".");
    fgti_begin_table(h, heads);
    fgti_put(&p->json, ",\"bar\":%d,\"bars\":[", rows);
    for (int64_t i = 0, end; i < w->rows; i = end) {
        double most = 0;
        for (end = i; end < w->rows && end < i + rows; end++) most = fmax(most, w->row_value[end]);
        fgti_put(&p->json, i ? ",%g" : "%g", most);
        fgti_put(h, "<tr><th scope='row'>\xe2\x88\x92%d", w->rows - i);
        if (end - i > 1) fgti_put(h, "\xe2\x80\xa6\xe2\x88\x92%d", w->rows - end + 1);
        fgti_put(h, "</th><td>%g</td></tr>\n", most);
    }
    fgti_put(&p->json, "]");
    fgti_end_table(h);
}

static void put_measure(fgti_page *p, int64_t number, const fgti_shown_window *w)
{
    const char         *measure  = fgti_page_text(p, w->measure);
    const fgti_subject *s        = fgti_report_find(p->r, w->subject);
    const fgti_column   column[] = {
          {"series", NULL, s ? &s->names : NULL, NULL}, {measure, "values", NULL, w->token_value}, {0}};
    fgti_put(&p->json, ",\"measure\":%j,\"about\":%j", measure, fgti_page_text(p, w->about));
    fgti_begin_details(&p->html, "measure", number, measure, fgti_page_text(p, w->name));
    if (w->token_value) fgti_put_columns(p, column, s->side, s->side);
    put_bars(p, w, fgti_parts(w->rows, MOST_BARS));
    fgti_put(&p->html, "</details>\n");
}

void fgti_page_windows(fgti_page *p)
{
    fgti_sheet *j = &p->json;
    fgti_put(j, ",\n\"windows\":[");
    for (int64_t i = 0; i < p->r->windows; i++) {
        const fgti_shown_window *w = &p->r->window[i];
        const fgti_subject      *s = fgti_report_find(p->r, w->subject);
        fgti_put(
            j, "%r{\"window\":%j,\"begin\":%j,\"from\":%j,\"band\":%j,\"subject\":%d,\"row\":%d,\"spans\":[",
            fgti_comma(i), fgti_page_text(p, w->name), fgti_page_text(p, w->begin),
            fgti_page_text(p, w->from), fgti_page_text(p, w->band), number_of(p->r, w->subject),
            s && w->token >= 0 && w->token < s->tokens ? w->token / s->merged : -1);
        for (int64_t k = 0; k < 2 * w->spans; k++) fgti_put(j, k ? ",%d" : "%d", w->span[k]);
        fgti_put(j, "],\"input\":");
        fgti_put_numbers(j, w->value, w->rows);
        put_forecast(p, i, w);
        if (w->row_value) put_measure(p, i, w);
        fgti_put(j, "}");
    }
    fgti_put(j, "]");
}

/* ---- texts, and the importance of tokens ---- */

/* The table has the position of each word, because a word may occur twice. */
void fgti_page_texts(fgti_page *p)
{
    fgti_put(&p->json, ",\n\"texts\":[");
    for (int64_t i = 0; i < p->r->texts; i++) {
        const fgti_shown_text *t        = &p->r->shown[i];
        const fgti_subject    *s        = fgti_report_find(p->r, t->subject);
        const char            *measure  = fgti_page_text(p, t->measure);
        const fgti_column      column[] = {{"place", NULL, NULL, NULL},
                                           {"word", "words", &s->token, NULL},
                                           {t->value ? measure : NULL, "values", NULL, t->value},
                                           {0}};
        fgti_put(&p->json, "%r{\"text\":%j,\"subject\":%d,\"count\":%d,\"measure\":%j", fgti_comma(i),
                 fgti_page_text(p, t->name), number_of(p->r, t->subject), t->count, measure);
        fgti_begin_details(&p->html, "words", i, "words", fgti_page_text(p, t->name));
        fgti_put_columns(p, column, s->tokens, s->tokens);
        fgti_put(&p->html, "</details>\n");
        fgti_put(&p->json, "}");
    }
    fgti_put(&p->json, "]");
}

void fgti_page_importance(fgti_page *p)
{
    fgti_put(&p->json, ",\n\"importance\":[");
    for (int64_t i = 0; i < p->r->importances; i++) {
        const fgti_shown_tokens *t     = &p->r->importance[i];
        const fgti_strings      *names = &fgti_report_find(p->r, t->subject)->names;
        const fgti_column column[] = {{"token", NULL, names, NULL}, {"share", "shares", NULL, t->share}, {0}};
        fgti_put(&p->json, "%r{\"layer\":%j,\"subject\":%d", fgti_comma(i),
                 fgti_strings_get(&p->r->layers.shown, t->layer), number_of(p->r, t->subject));
        if (t->share) {
            fgti_begin_details(&p->html, "importance", i, "importance", fgti_page_text(p, t->subject));
            fgti_put(&p->html, "<p>Layer %s</p>\n", fgti_strings_get(&p->r->layers.shown, t->layer));
            fgti_put_columns(p, column, names->count, names->count);
            fgti_put(&p->html, "</details>\n");
        }
        fgti_put(&p->json, "}");
    }
    fgti_put(&p->json, "]");
}
