/* SPDX-License-Identifier: BSD-3-Clause */
/* Curves: of the host, and statistics of the matrices by epoch and by power of A. */
#include "report/page_charts.h"

#include <math.h>

#include "core/sort.h"
#include "report/page_put.h"

#define MOST_ROWS 200 /* of a curve in a table */

typedef struct curve {
    const char   *name;
    int64_t       count;
    const double *x, *y; /* [count] */
} curve;

typedef struct chart {
    const char *section; /* id of the section that it stands in */
    const char *title, *axis, *about;
    int64_t     curves;
    curve       curve[FGTI_REPORT_CURVES];
} chart;

static void put_chart(fgti_page *p, const chart *c)
{
    const char *const heads[] = {"curve", c->axis, "value", NULL};
    fgti_sheet       *h = &p->html, *j = &p->json;
    fgti_put(j, "%r{\"section\":%j,\"title\":%j,\"axis\":%j,\"about\":%j,\"curves\":[", fgti_comma(p->charts),
             c->section, c->title, c->axis, c->about);
    fgti_begin_details(h, "chart", p->charts++, "curves", c->title);
    fgti_begin_table(h, heads);
    for (int64_t i = 0; i < c->curves; i++) {
        const curve *v = &c->curve[i];
        fgti_put(j, "%r{\"curve\":%j,\"x\":", fgti_comma(i), v->name);
        fgti_put_numbers(j, v->x, v->count);
        fgti_put(j, ",\"y\":");
        fgti_put_numbers(j, v->y, v->count);
        fgti_put(j, "}");
        for (int64_t k = 0; k < v->count && k < MOST_ROWS; k++)
            fgti_put(h, "<tr><td class='name'>%s</td><td>%g</td><td>%g</td></tr>\n", v->name, v->x[k],
                     v->y[k]);
    }
    fgti_put(j, "]}");
    fgti_end_table(h);
    for (int64_t i = 0; i < c->curves; i++)
        if (c->curve[i].count > MOST_ROWS)
            fgti_put(h, "<p>%s: the first %d of %d.</p>", c->curve[i].name, (int64_t)MOST_ROWS,
                     c->curve[i].count);
    fgti_put(h, "</details>\n");
}

/* Writes the curves of the host. */
static void put_charts(fgti_page *p, bool first)
{
    for (int64_t i = 0; i < p->r->charts; i++) {
        const fgti_chart *from = &p->r->chart[i];
        chart             c    = {.section = first ? "first" : "charts",
                                  .title   = fgti_page_text(p, from->title),
                                  .axis    = fgti_page_text(p, from->axis),
                                  .about   = fgti_page_text(p, from->about),
                                  .curves  = from->curves};
        if (from->first != first) continue;
        for (int64_t k = 0; k < c.curves; k++) {
            const fgti_chart_curve *v = &from->curve[k];
            c.curve[k]                = (curve){fgti_page_text(p, v->name), v->count, v->x, v->y};
        }
        put_chart(p, &c);
    }
}

/* ---- statistics ---- */

/* In the order of fgti_report_statistics. */
static const struct {
    const char *title, *about;
    bool        ordered; /* only if the tokens have an order */
} statistics[FGTI_REPORT_STATISTICS] = {
    {"How much a token reads of itself",
     "The mean of the diagonal. With T tokens that are all read alike it is 1/T. A diagonal near 1 is a "
     "layer "
     "that passes tokens on as they are.",
     false},
    {"How evenly tokens are read",
     "The entropy of the rows: 1 where a token reads all tokens alike, 0 where it reads a single one.",
     false},
    {"How far away the tokens are that are read", "In tokens, on the mean.", true},
    {"How much is read of the first token",
     "The mean of the first column. With T tokens that are all read alike it is 1/T.", true},
    {"How much rows differ",
     "0 where all tokens read the same, which makes them alike: the closer to 0, the more is smoothed away.",
     false},
};

/* Whether the tokens have an order. Series and nodes have no order, and neither have the runs of words that
 * follow the words of a text. */
static bool is_ordered(const fgt_report *r, const fgti_subject *s)
{
    bool ordered = !s->nodes;
    for (int64_t i = 0; i < r->windows; i++)
        if (r->window[i].subject == s->name && r->window[i].token >= 0) ordered = false;
    for (int64_t i = 0; i < r->texts; i++)
        if (r->shown[i].subject == s->name && r->shown[i].count < s->tokens) ordered = false;
    return ordered;
}

/* A statistic of a layer at an epoch, the mean over the subjects; NaN: it was not recorded. */
static double statistic_of(const fgti_page *p, int64_t layer, int64_t epoch, int64_t k, int64_t hop)
{
    double  sum   = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < p->r->sets; i++) {
        const fgti_frame_set *s = &p->r->set[i];
        if (s->layer != layer || s->epoch != epoch) continue;
        if (statistics[k].ordered && !is_ordered(p->r, &p->r->subject[s->subject])) continue;
        sum += s->statistic[k][hop];
        count++;
    }
    return count ? sum / (double)count : NAN;
}

static int by_number(const void *p, const void *q, const void *arg)
{
    const int64_t a = *(const int64_t *)p, b = *(const int64_t *)q;
    (void)arg;
    return (a > b) - (a < b);
}

/* Lists the recorded epochs [sets] in order; returns their number. */
static int64_t list_epochs(const fgt_report *r, int64_t *epoch)
{
    int64_t count = 0, different = 0;
    for (int64_t i = 0; i < r->sets; i++)
        if (r->set[i].epoch) epoch[count++] = r->set[i].epoch;
    fgti_sort(epoch, count, sizeof *epoch, by_number, NULL);
    for (int64_t i = 0; i < count; i++)
        if (!different || epoch[different - 1] != epoch[i]) epoch[different++] = epoch[i];
    return different;
}

/* Memory of a chart. */
typedef struct room {
    int64_t  epochs, points; /* points: most points of a curve */
    int64_t *epoch;          /* [epochs] */
    double  *xy;             /* [FGTI_REPORT_CURVES,2,points] */
} room;

/* Writes a curve for each layer. By power of A, the values are of the current model or, if it was not
 * recorded, of the last epoch. */
static void put_statistic(fgti_page *p, int64_t k, bool by_epoch, const room *m)
{
    const int64_t count = by_epoch ? m->epochs : p->r->hops;
    chart         c     = {.section = by_epoch ? "charts" : "powers",
                           .title   = statistics[k].title,
                           .axis    = by_epoch ? "epoch" : "power of A",
                           .about   = statistics[k].about};
    for (int64_t layer = 0; layer < p->r->layers.shown.count && c.curves < FGTI_REPORT_CURVES; layer++) {
        double *x = m->xy + 2 * m->points * c.curves, *y = x + m->points;
        int64_t points = 0;
        for (int64_t i = 0; i < count; i++) {
            double v = statistic_of(p, layer, by_epoch ? m->epoch[i] : 0, k, by_epoch ? 0 : i);
            if (!by_epoch && m->epochs && isnan(v)) v = statistic_of(p, layer, m->epoch[m->epochs - 1], k, i);
            if (!isfinite(v)) continue;
            x[points]   = (double)(by_epoch ? m->epoch[i] : i + 1);
            y[points++] = v;
        }
        if (points) c.curve[c.curves++] = (curve){fgti_strings_get(&p->r->layers.shown, layer), points, x, y};
    }
    if (c.curves) put_chart(p, &c);
}

static fgt_status make_room(const fgt_report *r, room *m)
{
    FGTI_TRY(FGTI_NEW(r->ctx, r->sets, "epochs", &m->epoch));
    m->epochs = list_epochs(r, m->epoch);
    m->points = m->epochs > r->hops ? m->epochs : r->hops;
    return FGTI_NEW(r->ctx, 2 * FGTI_REPORT_CURVES * m->points, "curves", &m->xy);
}

static void put_statistics(fgti_page *p)
{
    room m = {0};
    if (!p->r->sets || p->html.status != FGT_OK) return;
    p->html.status = make_room(p->r, &m);
    for (int by_epoch = 1; by_epoch >= 0; by_epoch--)
        for (int64_t k = 0; k < FGTI_REPORT_STATISTICS && p->html.status == FGT_OK; k++)
            if (by_epoch ? m.epochs > 1 : p->r->hops > 1) put_statistic(p, k, by_epoch, &m);
    fgti_free(p->r->ctx, m.epoch);
    fgti_free(p->r->ctx, m.xy);
}

void fgti_page_charts(fgti_page *p)
{
    fgti_put(&p->json, ",\n\"charts\":[");
    put_charts(p, true);
    put_charts(p, false);
    put_statistics(p);
    fgti_put(&p->json, "]");
}
