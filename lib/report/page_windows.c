/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts, with the attention that the tokens of their input receive. */
#include <math.h>

#include "core/size.h"
#include "report/page.h"

/* Sizes of a picture, in units of its viewBox. */
#define WIDTH  500.0
#define LEFT   46.0
#define RIGHT  494.0
#define TOP    10.0
#define BOTTOM 190.0
#define LABEL  22.0 /* space above marks and bars */
#define LANE   13.0 /* height of a row of marks */
#define BARS   48.0

#define MOST_LANES   4
#define MOST_LETTERS 50 /* most letters of a measure's name */
#define MOST_ROWS  200 /* most rows of a table */

/* The number of rows of marks: overlapping spans are in different rows. */
static int64_t count_lanes(const fgti_shown_window *w)
{
    int64_t lanes = 1;
    for (int64_t i = 0; i < w->spans; i++) {
        int64_t over = 1;
        while (i + over < w->spans && w->span[2 * (i + over)] <= w->span[2 * i + 1] &&
               w->span[2 * (i + over)] > w->span[2 * i])
            over++;
        if (over > lanes) lanes = over;
    }
    return lanes < MOST_LANES ? lanes : MOST_LANES;
}

/* The lower end of the marks. */
static double marks_end(const fgti_shown_window *w, bool marked)
{
    return marked && w->spans ? BOTTOM + LABEL + LANE * (double)count_lanes(w) : BOTTOM;
}

static void put_label(fgti_page *p, double y, const char *measure, const char *what)
{
    fgti_put(p, "<text class='under' x='%f' y='%f'>", LEFT, y + LABEL - 6);
    fgti_put_start(p, measure, MOST_LETTERS);
    fgti_put(p, "%r</text>", what);
}

static void put_marks(fgti_page *p, const fgti_shown_window *w, const fgti_choice *c,
                      const fgti_axis_range *h)
{
    put_label(p, BOTTOM, "attention", " that each token gets");
    const int64_t    lanes = count_lanes(w), merged = c->subject->merged;
    double           weight[FGTI_REPORT_SIDE];
    const fgti_scale scale = fgti_received(p, c, -1, weight);
    for (int64_t i = 0; i < c->subject->side && i * merged < w->spans; i++) {
        const int64_t end   = (i + 1) * merged <= w->spans ? (i + 1) * merged : w->spans;
        const double  begin = fgti_range_at(h, (double)w->span[2 * i * merged] - 0.5),
                     stop   = fgti_range_at(h, (double)w->span[2 * end - 1] + 0.5);
        fgti_put(p,
                 "<rect class='span q%d' data-token='%d' x='%f' y='%f' width='%f' height='%f'><title>%s: %g"
                 "</title></rect>",
                 fgti_level(weight[i], scale), i, begin, BOTTOM + LABEL + LANE * (double)(i % lanes),
                 stop - begin, LANE - 2, fgti_strings_get(&c->subject->names, i), weight[i]);
    }
}

static void put_picture(fgti_page *p, const fgti_shown_window *w, const fgti_choice *c)
{
    const int64_t   l = w->rows, n = l + w->steps, id = p->pictures++;
    const char     *name = fgti_page_text(p, w->name);
    fgti_axis_range h = {.low = 0, .high = (double)(n - 1)}, v = fgti_range_none;
    fgti_range_widen(&v, w->value, n + (w->band < 0 ? 1 : 3) * w->steps);
    fgti_range_place(&h, 6, LEFT, RIGHT);
    fgti_range_place(&v, 4, BOTTOM, TOP);
    const double bars = marks_end(w, c != NULL), end = bars + (w->row_value ? LABEL + BARS : 0),
                 now = fgti_range_at(&h, (double)l - 0.5);
    fgti_put(p,
             "<svg viewBox='0 0 %f %f' role='img' aria-labelledby='p%d'><title id='p%d'>%s: %d rows of "
             "input, then the forecast of %d rows</title>",
             WIDTH, end + 20, id, id, name, l, w->steps);
    fgti_put(p, "<rect class='future' x='%f' y='%f' width='%f' height='%f'/>", now, TOP, RIGHT - now,
             BOTTOM - TOP);
    if (w->band >= 0) {
        fgti_put(p, "<path class='band' d='");
        fgti_put_area(p, &h, &v, l, w->value + n + w->steps, w->value + n + 2 * w->steps, w->steps);
        fgti_put(p, "'/>");
    }
    fgti_put_grid(p, &v, LEFT, RIGHT);
    fgti_put(p, "<path class='line past' d='");
    fgti_put_line(p, &h, &v, NULL, 0, w->value, l);
    fgti_put(p, "'/><path class='line truth' d='");
    fgti_put_line(p, &h, &v, NULL, l, w->value + n, w->steps);
    fgti_put(p, "'/><path class='line guess' d='");
    fgti_put_line(p, &h, &v, NULL, l, w->value + l, w->steps);
    fgti_put(p, "'/>");
    if (c && w->spans) put_marks(p, w, c, &h);
    if (w->row_value) {
        put_label(p, bars, fgti_page_text(p, w->measure), ", by row of the input");
        fgti_page_bars(p, w, &h, bars + LABEL, end);
    }
    fgti_put(p,
             "<text class='under' x='%f' y='%f'>%s</text><text class='under end' x='%f' y='%f'>%s</text>"
             "</svg>",
             LEFT, end + 15, w->begin < 0 ? "input" : fgti_page_text(p, w->begin), RIGHT, end + 15,
             "forecast");
}

/* Writes the forecast as a table. */
static void put_table(fgti_page *p, const fgti_shown_window *w)
{
    static const char *const heads[] = {"forecast", "truth", "low", "high"};
    const int                columns = w->band < 0 ? 2 : 4;
    fgti_put(p, "<details><summary>The forecast in numbers</summary><div class='scroll' tabindex='0'><table>"
                "<thead><tr><th scope='col'>step</th>");
    for (int k = 0; k < columns; k++) fgti_put(p, "<th scope='col'>%r</th>", heads[k]);
    fgti_put(p, "</tr></thead><tbody>");
    for (int64_t i = 0; i < w->steps && i < MOST_ROWS; i++) {
        fgti_put(p, "<tr><th scope='row'>%d</th>", i + 1);
        for (int k = 0; k < columns; k++) {
            const double v = w->value[w->rows + k * w->steps + i];
            fgti_put(p, isfinite(v) ? "<td>%g</td>" : "<td></td>", v);
        }
        fgti_put(p, "</tr>\n");
    }
    fgti_put(p, "</tbody></table></div>");
    if (w->steps > MOST_ROWS) fgti_put(p, "<p>The first %d of %d steps.</p>", (int64_t)MOST_ROWS, w->steps);
    fgti_put(p, "</details>");
}

/* Writes the other series, coloured by how much this series reads of them. */
static void put_reads(fgti_page *p, const fgti_shown_window *w, const fgti_choice *c)
{
    const int64_t row = w->token / c->subject->merged;
    if (row >= c->subject->side) return;
    fgti_put(p, "<h4>By attention</h4><p class='reads' data-row='%d'>", row);
    double           weight[FGTI_REPORT_SIDE];
    const fgti_scale scale = fgti_received(p, c, row, weight);
    for (int64_t i = 0; i < c->subject->side; i++)
        fgti_put(p, "<span class='word q%d' data-token='%d' title='%g'>%s</span> ",
                 fgti_level(weight[i], scale), i, weight[i], fgti_strings_get(&c->subject->names, i));
    fgti_put(p, "</p>");
}

/* Writes the attention as a table: the numbers of the marks and of the coloured names. */
static void put_attention(fgti_page *p, const fgti_shown_window *w, const fgti_choice *c)
{
    const int64_t row = w->token < 0 ? -1 : fgti_least(w->token / c->subject->merged, c->subject->side - 1);
    double        weight[FGTI_REPORT_SIDE];
    fgti_received(p, c, row, weight);
    fgti_put(p, "<details");
    if (row >= 0) fgti_put(p, " data-row='%d'", row);
    fgti_put(p,
             "><summary>The attention in numbers</summary><div class='scroll' tabindex='0'><table><thead>"
             "<tr><th scope='col'>token</th><th scope='col'>%r</th></tr></thead><tbody>",
             row < 0 ? "what it gets" : "what this series reads of it");
    for (int64_t i = 0; i < c->subject->side; i++)
        fgti_put(p, "<tr><th scope='row'>%s</th><td data-token='%d'>%g</td></tr>\n",
                 fgti_strings_get(&c->subject->names, i), i, weight[i]);
    fgti_put(p, "</tbody></table></div></details>");
}

static void put_window(fgti_page *p, const fgti_shown_window *w)
{
    fgti_choice chosen, *c = fgti_choose(p, w->subject, &chosen) ? &chosen : NULL;
    fgti_put(p, "<figure class='window'");
    if (c) fgti_put(p, " data-subject='%d'", (int64_t)(c->subject - p->r->subject));
    fgti_put(p, "><figcaption><h3>%s</h3>", fgti_page_text(p, w->name));
    if (w->from >= 0) fgti_put(p, "<p>The forecast begins at %s.</p>", fgti_page_text(p, w->from));
    fgti_put(p, "</figcaption>");
    put_picture(p, w, c);
    if (c && w->token >= 0) put_reads(p, w, c);
    if (w->token_value)
        fgti_page_measure(p, w->measure, &c->subject->names, w->token_value, c->subject->side, "reads");
    put_table(p, w);
    if (c && (w->spans || w->token >= 0)) put_attention(p, w, c);
    if (w->row_value) fgti_page_measure_tables(p, w, c ? c->subject : NULL);
    fgti_put(p, "</figure>\n");
}

void fgti_page_windows(fgti_page *p)
{
    const fgt_report *r = p->r;
    if (!r->windows) return;
    bool    spans = false, tokens = false;
    int64_t about = -1, band = -1;
    for (int64_t i = 0; i < r->windows; i++) {
        spans  = spans || (r->window[i].spans && fgti_report_find(r, r->window[i].subject));
        tokens = tokens || r->window[i].token >= 0;
        if (about < 0) about = r->window[i].about;
        if (band < 0) band = r->window[i].band;
    }
    fgti_put(p,
             "<section aria-labelledby='h-windows'><h2 id='h-windows'>The forecast, and what it drew on</h2>"
             "<p class='key'><span class='past'>input</span> <span class='truth'>what happened</span> "
             "<span class='guess'>forecast</span>");
    if (band >= 0) fgti_put(p, " <span class='band'>%s</span>", fgti_page_text(p, band));
    fgti_put(p, "</p>");
    if (spans)
        fgti_put(
            p,
            "<p>Each mark below a curve is a token, a piece of the input that the model reads as one. "
            "The stronger its colour, the more the model's tokens read of it. Its name says where it is: "
            "\xe2\x88\x92%d is the last row before the forecast.</p>",
            (int64_t)1);
    if (tokens)
        fgti_put(p,
                 "<p>Each series is a token. Below each curve stand all series: the stronger the colour, the "
                 "more this one reads of them.</p>");
    if (about >= 0) fgti_put(p, "<p>%s</p>", fgti_page_text(p, about));
    fgti_put(p, "<div class='windows'>");
    for (int64_t i = 0; i < r->windows; i++) put_window(p, &r->window[i]);
    fgti_put(p, "</div></section>\n");
}
