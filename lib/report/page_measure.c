/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures of tokens and rows other than attention; the controls do not change them. */
#include "report/page.h"

#define MOST_BARS 200

void fgti_page_colours(fgti_page *p, const fgti_strings *names, const double *value, int64_t count,
                       const char *class_)
{
    const fgti_scale scale = fgti_scale_of(value, names->count);
    fgti_put(p, "<p class='%r'>", class_);
    for (int64_t i = 0; i < count; i++)
        fgti_put(p, "<span class='word q%d' title='%g'>%s</span> ", fgti_level(value[i], scale), value[i],
                 fgti_strings_get(names, i));
    fgti_put(p, "</p>");
}

void fgti_page_measure(fgti_page *p, int64_t measure, const fgti_strings *names, const double *value,
                       int64_t count, const char *class_)
{
    fgti_put(p, "<h4>By %s</h4>", fgti_page_text(p, measure));
    fgti_page_colours(p, names, value, count, class_);
}

/* ---- rows ---- */

/* Number of rows in one bar. */
static int64_t rows_of_bar(const fgti_shown_window *w)
{
    return (w->rows + MOST_BARS - 1) / MOST_BARS;
}

/* The largest value of the rows in a bar, first .. *end - 1. */
static double bar_at(const fgti_shown_window *w, int64_t first, int64_t *end)
{
    *end        = first + rows_of_bar(w) < w->rows ? first + rows_of_bar(w) : w->rows;
    double most = 0;
    for (int64_t i = first; i < *end; i++)
        if (w->row_value[i] > most) most = w->row_value[i];
    return most;
}

void fgti_page_bars(fgti_page *p, const fgti_shown_window *w, const fgti_axis_range *h, double top,
                    double bottom)
{
    const double    right = fgti_range_at(h, (double)w->rows - 0.5);
    fgti_axis_range v     = {.low = 0, .high = 0};
    fgti_range_widen(&v, w->row_value, w->rows);
    const double most = v.high;
    fgti_range_place(&v, 1, bottom, top);
    fgti_put(p, "<path class='bars' d='");
    for (int64_t i = 0, end; most > 0 && i < w->rows; i = end) {
        const double value = bar_at(w, i, &end), x = fgti_range_at(h, (double)i - 0.5);
        fgti_put(p, "M%f %fV%fH%fV%fz", x, bottom, fgti_range_at(&v, value),
                 fgti_range_at(h, (double)end - 0.5), bottom);
    }
    fgti_put(p, "'/><path class='grid' d='M%f %fH%f'/><text class='mark' x='%f' y='%f'>%g</text>", h->from,
             bottom, right, h->from - 5, top + 9, most);
}

static void begin_table(fgti_page *p, const fgti_shown_window *w, const char *what)
{
    fgti_put(p,
             "<div class='scroll' tabindex='0'><table><thead><tr><th scope='col'>%r</th>"
             "<th scope='col'>%s</th></tr></thead><tbody>",
             what, fgti_page_text(p, w->measure));
}

void fgti_page_measure_tables(fgti_page *p, const fgti_shown_window *w, const fgti_subject *s)
{
    const bool several = rows_of_bar(w) > 1;
    fgti_put(p, "<details><summary>The %s in numbers</summary>", fgti_page_text(p, w->measure));
    if (w->token_value) {
        begin_table(p, w, "series");
        for (int64_t i = 0; i < s->side; i++)
            fgti_put(p, "<tr><th scope='row'>%s</th><td>%g</td></tr>\n", fgti_strings_get(&s->names, i),
                     w->token_value[i]);
        fgti_put(p, "</tbody></table></div>");
    }
    fgti_put(p, "<p>Row \xe2\x88\x92%d is the last one before the forecast%r</p>", (int64_t)1,
             several ? "; of several rows, the largest value." : ".");
    begin_table(p, w, several ? "rows" : "row");
    for (int64_t i = 0, end; i < w->rows; i = end) {
        const double value = bar_at(w, i, &end);
        fgti_put(p, "<tr><th scope='row'>\xe2\x88\x92%d", w->rows - i);
        if (end - i > 1) fgti_put(p, "\xe2\x80\xa6\xe2\x88\x92%d", w->rows - end + 1);
        fgti_put(p, "</th><td>%g</td></tr>\n", value);
    }
    fgti_put(p, "</tbody></table></div></details>");
}
