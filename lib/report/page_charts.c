/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts of curves over epochs, powers of A, or other counts. */
#include "report/page.h"

#define WIDTH     360.0
#define LEFT      52.0
#define RIGHT     350.0
#define TOP       10.0
#define BOTTOM    170.0
#define MOST_ROWS 200 /* of a table */

static void put_curve(fgti_page *p, const fgti_drawn_curve *c, int64_t number, const fgti_axis_range *h,
                      const fgti_axis_range *v)
{
    fgti_put(p, "<path class='line c%d' d='", number);
    fgti_put_line(p, h, v, c->x, 0, c->y, c->count);
    fgti_put(p, "'/>");
    for (int64_t i = 0; i < c->count && c->count <= 40; i++)
        fgti_put(p, "<circle class='c%d' cx='%f' cy='%f' r='3'><title>%s, %g: %g</title></circle>", number,
                 fgti_range_at(h, c->x[i]), fgti_range_at(v, c->y[i]), c->name, c->x[i], c->y[i]);
}

static void put_marks(fgti_page *p, const fgti_axis_range *h)
{
    for (int64_t i = 0; h->first + (double)i * h->step <= h->high + h->step * 1e-6 && i < 20; i++) {
        const double mark = h->first + (double)i * h->step;
        fgti_put(p, "<text class='mark across' x='%f' y='%f'>%g</text>", fgti_range_at(h, mark), BOTTOM + 16,
                 mark);
    }
}

static void put_picture(fgti_page *p, const fgti_drawn_chart *c)
{
    fgti_axis_range h = fgti_range_none, v = fgti_range_none;
    const int64_t   id = p->pictures++;
    for (int64_t i = 0; i < c->curves; i++) {
        fgti_range_widen(&h, c->curve[i].x, c->curve[i].count);
        fgti_range_widen(&v, c->curve[i].y, c->curve[i].count);
    }
    const double span = h.high - h.low; /* fewer marks, because epochs are whole numbers */
    fgti_range_place(&h, span >= 1 && span < 6 ? (int64_t)span : 6, LEFT, RIGHT);
    fgti_range_place(&v, 4, BOTTOM, TOP);
    fgti_put(p,
             "<svg viewBox='0 0 %f %f' role='img' aria-labelledby='p%d'><title id='p%d'>%s by %s. The "
             "numbers are in the table below.</title>",
             WIDTH, BOTTOM + 38, id, id, c->title, c->axis);
    fgti_put_grid(p, &v, LEFT, RIGHT);
    put_marks(p, &h);
    fgti_put(p, "<text class='mark across' x='%f' y='%f'>%s</text>", (LEFT + RIGHT) / 2, BOTTOM + 33,
             c->axis);
    for (int64_t i = 0; i < c->curves; i++) put_curve(p, &c->curve[i], i, &h, &v);
    fgti_put(p, "</svg>");
}

static void put_table(fgti_page *p, const fgti_drawn_chart *c)
{
    fgti_put(
        p,
        "<details><summary>In numbers</summary><div class='scroll' tabindex='0'><table><thead><tr>"
        "<th scope='col'>curve</th><th scope='col'>%s</th><th scope='col'>value</th></tr></thead><tbody>",
        c->axis);
    for (int64_t i = 0; i < c->curves; i++)
        for (int64_t k = 0; k < c->curve[i].count && k < MOST_ROWS; k++)
            fgti_put(p, "<tr><td class='name'>%s</td><td>%g</td><td>%g</td></tr>\n", c->curve[i].name,
                     c->curve[i].x[k], c->curve[i].y[k]);
    fgti_put(p, "</tbody></table></div></details>");
}

void fgti_page_chart(fgti_page *p, const fgti_drawn_chart *c)
{
    fgti_put(p, "<figure class='chart'><figcaption><h3>%s</h3><p class='key'>", c->title);
    for (int64_t i = 0; i < c->curves; i++) fgti_put(p, "<span class='c%d'>%s</span> ", i, c->curve[i].name);
    fgti_put(p, "</p></figcaption>");
    put_picture(p, c);
    if (*c->about) fgti_put(p, "<p>%s</p>", c->about);
    put_table(p, c);
    fgti_put(p, "</figure>\n");
}

/* A chart with curves of the host. */
static void put_chart(fgti_page *p, const fgti_chart *c)
{
    fgti_drawn_chart d = {.title  = fgti_page_text(p, c->title),
                          .axis   = fgti_page_text(p, c->axis),
                          .about  = fgti_page_text(p, c->about),
                          .curves = c->curves};
    for (int64_t i = 0; i < c->curves; i++) {
        const fgti_chart_curve *from = &c->curve[i];
        d.curve[i] = (fgti_drawn_curve){fgti_page_text(p, from->name), from->count, from->x, from->y};
    }
    fgti_page_chart(p, &d);
}

static int64_t count_charts(const fgt_report *r, bool first)
{
    int64_t n = 0;
    for (int64_t i = 0; i < r->charts; i++) n += r->chart[i].first == first;
    return n;
}

static void put_charts(fgti_page *p, bool first)
{
    for (int64_t i = 0; i < p->r->charts; i++)
        if (p->r->chart[i].first == first) put_chart(p, &p->r->chart[i]);
}

void fgti_page_first_charts(fgti_page *p)
{
    if (!count_charts(p->r, true)) return;
    fgti_put(p,
             "<section aria-labelledby='h-first'><h2 id='h-first'>How good it is</h2><div class='charts'>");
    put_charts(p, true);
    fgti_put(p, "</div></section>\n");
}

/* Loss and metrics, and the statistics that were recorded in training. */
static void put_measures(fgti_page *p)
{
    int64_t recorded = 0;
    for (int64_t i = 0; i < p->r->sets; i++) recorded += p->r->set[i].epoch > 0;
    if (!count_charts(p->r, false) && !recorded) return;
    fgti_put(p, "<section aria-labelledby='h-charts'><h2 id='h-charts'>Measures</h2><div class='charts'>");
    put_charts(p, false);
    fgti_page_statistics(p, true);
    fgti_put(p, "</div></section>\n");
}

static void put_powers(fgti_page *p)
{
    if (!p->r->sets || p->r->hops < 2) return;
    fgti_put(p,
             "<section aria-labelledby='h-powers'><h2 id='h-powers'>Measures of the powers of A</h2>"
             "<p>A layer with kappa hops mixes tokens by the powers of A from 0 to kappa - 1. Each further "
             "power evens out what tokens read.</p><div class='charts'>");
    fgti_page_statistics(p, false);
    fgti_put(p, "</div></section>\n");
}

void fgti_page_charts(fgti_page *p)
{
    put_measures(p);
    put_powers(p);
}
