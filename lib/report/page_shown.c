/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows, texts, and the importance of tokens. */
#include <math.h>

#include "core/size.h"
#include "report/page.h"

#define MOST_ROWS 200 /* of a table of a forecast */
#define MOST_BARS 200

/* The number of a subject in the page; -1: it has no matrices. */
static int64_t number_of(const fgt_report *r, int64_t name)
{
    const fgti_subject *s = fgti_report_find(r, name);
    return s ? s - r->subject : -1;
}

/* ---- windows ---- */

/* Writes the forecast as a table. */
static void put_forecast(fgti_page *p, int64_t number, const fgti_shown_window *w)
{
    const char *const heads[] = {"step", "forecast", "truth", w->band < 0 ? NULL : "low", "high", NULL};
    fgti_sheet       *h       = &p->html;
    fgti_begin_details(h, "forecast", number, "forecast", fgti_page_text(p, w->name));
    fgti_begin_table(h, heads);
    for (int64_t i = 0; i < w->steps && i < MOST_ROWS; i++) {
        fgti_put(h, "<tr><th scope='row'>%d</th>", i + 1);
        for (int k = 0; k < (w->band < 0 ? 2 : 4); k++) {
            const double v = w->value[w->rows + k * w->steps + i];
            fgti_put(h, isfinite(v) ? "<td>%g</td>" : "<td></td>", v);
        }
        fgti_put(h, "</tr>\n");
    }
    fgti_end_table(h);
    if (w->steps > MOST_ROWS) fgti_put(h, "<p>The first %d of %d steps.</p>", (int64_t)MOST_ROWS, w->steps);
    fgti_put(h, "</details>\n");
}

/* Writes the bars of rows, which page.js draws. A bar has the largest value of its rows. */
static void put_bars(fgti_page *p, const fgti_shown_window *w, int64_t rows)
{
    fgti_sheet *h = &p->html;
    fgti_put(&p->json, ",\"bar\":%d,\"bars\":[", rows);
    for (int64_t i = 0, end; i < w->rows; i = end) {
        double most = 0;
        for (end = i; end < w->rows && end < i + rows; end++) most = fmax(most, w->row_value[end]);
        if (i) fgti_put(&p->json, ",");
        fgti_put(&p->json, "%g", most);
        fgti_put(h, "<tr><th scope='row'>\xe2\x88\x92%d", w->rows - i);
        if (end - i > 1) fgti_put(h, "\xe2\x80\xa6\xe2\x88\x92%d", w->rows - end + 1);
        fgti_put(h, "</th><td>%g</td></tr>\n", most);
    }
    fgti_put(&p->json, "]");
}

/* Writes the values of series, then of rows. */
static void put_measure(fgti_page *p, int64_t number, const fgti_shown_window *w)
{
    const char         *measure = fgti_page_text(p, w->measure);
    const fgti_subject *s       = fgti_report_find(p->r, w->subject);
    const int64_t       rows    = fgti_parts(w->rows, MOST_BARS);
    const char *const series[] = {"series", measure, NULL}, *const row[] = {rows > 1 ? "rows" : "row",
                                                                            measure, NULL};
    fgti_sheet *h = &p->html;
    fgti_put(&p->json, ",\"measure\":%j,\"about\":%j", measure, fgti_page_text(p, w->about));
    fgti_begin_details(h, "measure", number, measure, fgti_page_text(p, w->name));
    if (w->token_value) {
        fgti_put(&p->json, ",\"values\":");
        fgti_put_numbers(&p->json, w->token_value, s->side);
        fgti_begin_table(h, series);
        for (int64_t i = 0; i < s->side; i++)
            fgti_put(h, "<tr><th scope='row'>%s</th><td>%g</td></tr>\n", fgti_strings_get(&s->names, i),
                     w->token_value[i]);
        fgti_end_table(h);
    }
    fgti_put(h, "<p>Row \xe2\x88\x92%d is the last one before the forecast%r</p>", (int64_t)1,
             rows > 1 ? "; of several rows, the largest value." : ".");
    fgti_begin_table(h, row);
    put_bars(p, w, rows);
    fgti_end_table(h);
    fgti_put(h, "</details>\n");
}

static void put_window(fgti_page *p, int64_t number, const fgti_shown_window *w)
{
    static const char *const names[] = {"forecast", "truth", "low", "high"};
    fgti_sheet              *j       = &p->json;
    const fgti_subject      *s       = fgti_report_find(p->r, w->subject);
    fgti_put(j, "{\"window\":%j,\"begin\":%j,\"from\":%j,\"band\":%j,\"subject\":%d,\"row\":%d,\"spans\":[",
             fgti_page_text(p, w->name), fgti_page_text(p, w->begin), fgti_page_text(p, w->from),
             fgti_page_text(p, w->band), number_of(p->r, w->subject),
             s && w->token >= 0 && w->token < s->tokens ? w->token / s->merged : -1);
    for (int64_t i = 0; i < 2 * w->spans; i++) fgti_put(j, i ? ",%d" : "%d", w->span[i]);
    fgti_put(j, "],\"input\":");
    fgti_put_numbers(j, w->value, w->rows);
    for (int k = 0; k < (w->band < 0 ? 2 : 4); k++) {
        fgti_put(j, ",\"%r\":", names[k]);
        fgti_put_numbers(j, w->value + w->rows + k * w->steps, w->steps);
    }
    put_forecast(p, number, w);
    if (w->row_value) put_measure(p, number, w);
    fgti_put(j, "}");
}

void fgti_page_windows(fgti_page *p)
{
    fgti_put(&p->json, ",\n\"windows\":[");
    for (int64_t i = 0; i < p->r->windows; i++) {
        if (i) fgti_put(&p->json, ",\n");
        put_window(p, i, &p->r->window[i]);
    }
    fgti_put(&p->json, "]");
}

/* ---- texts ---- */

/* Writes a row for each word, with its position, because a word may occur twice. */
static void put_words(fgti_page *p, int64_t number, const fgti_shown_text *t, const fgti_subject *s)
{
    const char *const heads[] = {"place", "word", t->value ? fgti_page_text(p, t->measure) : NULL, NULL};
    fgti_sheet       *h       = &p->html;
    fgti_begin_details(h, "words", number, "words", fgti_page_text(p, t->name));
    fgti_begin_table(h, heads);
    for (int64_t i = 0; i < s->tokens; i++) {
        fgti_put(h, "<tr><td>%d</td><th scope='row' class='name'>%s</th>", i + 1,
                 fgti_strings_get(&s->token, i));
        if (t->value) fgti_put(h, "<td>%g</td>", t->value[i]);
        fgti_put(h, "</tr>\n");
    }
    fgti_end_table(h);
    fgti_put(h, "</details>\n");
}

void fgti_page_texts(fgti_page *p)
{
    fgti_sheet *j = &p->json;
    fgti_put(j, ",\n\"texts\":[");
    for (int64_t i = 0; i < p->r->texts; i++) {
        const fgti_shown_text *t = &p->r->shown[i];
        const fgti_subject    *s = fgti_report_find(p->r, t->subject);
        fgti_put(j,
                 i ? ",\n{\"text\":%j,\"subject\":%d,\"count\":%d,\"words\":"
                   : "{\"text\":%j,\"subject\":%d,\"count\":%d,\"words\":",
                 fgti_page_text(p, t->name), number_of(p->r, t->subject), t->count);
        fgti_put_strings(j, &s->token, s->tokens);
        if (t->value) {
            fgti_put(j, ",\"measure\":%j,\"values\":", fgti_page_text(p, t->measure));
            fgti_put_numbers(j, t->value, s->tokens);
        }
        fgti_put(j, "}");
        put_words(p, i, t, s);
    }
    fgti_put(j, "]");
}

/* ---- importance ---- */

static void put_shares(fgti_page *p, int64_t number, const fgti_shown_tokens *t, const fgti_strings *names)
{
    static const char *const heads[] = {"token", "share", NULL};
    fgti_sheet              *h       = &p->html;
    fgti_begin_details(h, "importance", number, "importance", fgti_page_text(p, t->subject));
    fgti_begin_table(h, heads);
    for (int64_t i = 0; i < names->count; i++)
        fgti_put(h, "<tr><th scope='row'>%s</th><td>%g</td></tr>\n", fgti_strings_get(names, i), t->share[i]);
    fgti_end_table(h);
    fgti_put(h, "</details>\n");
}

void fgti_page_importance(fgti_page *p)
{
    fgti_sheet *j = &p->json;
    fgti_put(j, ",\n\"importance\":[");
    for (int64_t i = 0; i < p->r->importances; i++) {
        const fgti_shown_tokens *t     = &p->r->importance[i];
        const fgti_strings      *names = &fgti_report_find(p->r, t->subject)->names;
        fgti_put(
            j, i ? ",\n{\"layer\":%j,\"subject\":%d,\"shares\":" : "{\"layer\":%j,\"subject\":%d,\"shares\":",
            fgti_strings_get(&p->r->layers.shown, t->layer), number_of(p->r, t->subject));
        if (t->share) {
            fgti_put_numbers(j, t->share, names->count);
            put_shares(p, i, t, names);
        } else
            fgti_put(j, "null");
        fgti_put(j, "}");
    }
    fgti_put(j, "]");
}
