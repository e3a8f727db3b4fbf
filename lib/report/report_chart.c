/* SPDX-License-Identifier: BSD-3-Clause */
/* Curves: of the host, and statistics of the matrices by epoch and by power of A. */
#include "report/report_data.h"

#include <math.h>

/* ---- for hosts ---- */

/* Adds a point. The chart and the curve of the point are created if they do not exist. */
static fgt_status report_chart_add(fgt_report *r, const fgt_report_point *p)
{
    fgti_chart       chart = {.first = p->first != 0};
    fgti_chart_curve fresh = {0}, *c = &fresh;
    int64_t          i = 0, k = 0;
    FGTI_TRY(fgti_report_name(r, &r->names, p->chart, &chart.title));
    FGTI_TRY(fgti_report_name(r, &r->names, p->axis, &chart.axis));
    FGTI_TRY(fgti_report_name(r, &r->names, p->about, &chart.about));
    FGTI_TRY(fgti_report_name(r, &r->names, p->curve, &fresh.name));
    while (i < r->charts && r->chart[i].title != chart.title) i++;
    if (i == FGTI_REPORT_CHARTS)
        return fgti_fail(&r->ctx->error, FGT_E_SIZE,
                         "report: too many charts (got %d, need at most %d charts)", FGTI_REPORT_CHARTS + 1,
                         FGTI_REPORT_CHARTS);
    while (i < r->charts && k < r->chart[i].curves && r->chart[i].curve[k].name != fresh.name) k++;
    if (k == FGTI_REPORT_CURVES)
        return fgti_fail(&r->ctx->error, FGT_E_SIZE,
                         "report: chart \"%.60s\" has too many curves (got %d, need at most %d curves)",
                         p->chart, FGTI_REPORT_CURVES + 1, FGTI_REPORT_CURVES);
    if (i < r->charts && k < r->chart[i].curves) c = &r->chart[i].curve[k];
    const int64_t n        = c->count;
    int64_t       capacity = c->capacity; /* x may have more room than y */
    fgt_status s = fgti_grow(r->ctx, "curve", sizeof *c->x, n, n + 1, 2 * n + 16, &capacity, (void **)&c->x);
    if (s == FGT_OK)
        s = fgti_grow(r->ctx, "curve", sizeof *c->y, n, n + 1, 2 * n + 16, &c->capacity, (void **)&c->y);
    if (s == FGT_OK && !r->chart) s = FGTI_NEW(r->ctx, FGTI_REPORT_CHARTS, "charts", &r->chart);
    if (s != FGT_OK) {
        fgti_free(r->ctx, fresh.x);
        fgti_free(r->ctx, fresh.y);
        return s;
    }
    if (i == r->charts) r->chart[r->charts++] = chart;
    if (c == &fresh) {
        c  = &r->chart[i].curve[r->chart[i].curves++];
        *c = fresh;
    }
    c->x[n]          = p->x;
    c->y[c->count++] = p->y;
    return FGT_OK;
}

fgt_status fgt_report_add_point(fgt_report *report, const fgt_report_point *point)
{
    fgt_report_point p;
    FGTI_TRY(fgti_report_read(report, "point", true, point, &p, sizeof p));
    if (!p.chart || !p.axis || !p.curve || !(fabs(p.x) <= FGTI_SHOWN_FAR))
        return fgti_fail(&report->ctx->error, FGT_E_ARG,
                         "report: a point is wrong (got x %g, need chart, axis, curve and a finite x)", p.x);
    return fabs(p.y) <= FGTI_SHOWN_FAR ? report_chart_add(report, &p) : FGT_OK;
}

/* ---- the page ---- */

typedef struct chart {
    const char *section; /* id of the section in which the chart stands */
    const char *title, *axis, *about;
    int64_t     curves; /* number of curves written so far */
} chart;

/* Writes the next curve of a chart. The first curve begins the chart and gets the chart's number, *number. */
static void report_chart_put_curve(fgti_sheets *p, chart *c, int64_t *number, const char *name,
                                   const double *x, const double *y, int64_t count)
{
    const fgti_column columns[] = {
        {"curve", NULL, FGTI_COLUMN_NAME, name, false},
        {c->axis, "x", FGTI_COLUMN_NUMBERS, FGT_VIEW_OF(FGT_DTYPE_F64, x, count), false},
        {"value", "y", FGTI_COLUMN_NUMBERS, FGT_VIEW_OF(FGT_DTYPE_F64, y, count), false}};
    if (!c->curves) {
        fgti_put(&p->data, "%r{\"section\":%j,\"title\":%j,\"axis\":%j,\"about\":%J,\"curves\":[",
                 *number ? ",\n" : "", c->section, c->title, c->axis, c->about);
        fgti_begin_details(&p->tables, "chart", (*number)++, "curves", c->title);
        fgti_begin_table(&p->tables, columns, 3);
    }
    fgti_put(&p->data, "%r{\"curve\":%j", c->curves++ ? ",\n" : "", name);
    fgti_put_rows(p, columns, 3, count, FGTI_SHOWN_ROWS);
    fgti_put(&p->data, "}");
}

static void report_chart_end(fgti_sheets *p, const chart *c)
{
    if (!c->curves) return;
    fgti_put(&p->data, "]}");
    fgti_end_table(&p->tables);
    fgti_put(&p->tables, "</details>\n");
}

static void report_chart_put_hosts(fgti_page *p, bool first, int64_t *number)
{
    for (int64_t i = 0; i < p->r->charts; i++) {
        const fgti_chart *from = &p->r->chart[i];
        chart             c    = {.section = first ? "first" : "charts",
                                  .title   = fgti_report_get_name(p->r, from->title),
                                  .axis    = fgti_report_get_name(p->r, from->axis),
                                  .about   = fgti_report_get_name(p->r, from->about)};
        for (int64_t k = 0; from->first == first && k < from->curves; k++) {
            const fgti_chart_curve *v = &from->curve[k];
            report_chart_put_curve(&p->sheets, &c, number, fgti_report_get_name(p->r, v->name), v->x, v->y,
                                   v->count);
        }
        report_chart_end(&p->sheets, &c);
    }
}

/* ---- statistics ---- */

/* Properties of the statistics, in the order of fgti_report_statistics. */
static const struct {
    const char *title, *about;
    bool        ordered; /* the statistic makes sense only if the tokens have an order */
} statistics[FGTI_REPORT_STATISTICS] = {
    {"How much a token reads of itself",
     "The mean of the diagonal. With T tokens that are all read alike it is 1/T. A diagonal near 1 is a "
     "layer that passes tokens on as they are.",
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

/* Whether the tokens of a subject have an order. Series and nodes have no order. The runs of words that
 * follow the words of a text have no order, either. */
static bool report_chart_is_ordered(const fgt_report *r, const fgti_subject *s)
{
    bool ordered = !s->nodes;
    for (int k = 0; k < FGTI_FIGURE_KINDS; k++)
        for (int64_t i = 0; i < r->figures[k].count; i++)
            if (r->figures[k].item[i].subject == s->name && r->figures[k].item[i].unordered) ordered = false;
    return ordered;
}

/* Returns a statistic of a layer at an epoch, as the mean over the subjects; NaN: it was not recorded. */
static double report_chart_average(const fgt_report *r, int64_t layer, int64_t epoch, int k, int64_t hop)
{
    double  sum   = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < r->sets; i++) {
        const fgti_frame_set *s = &r->set[i];
        if (s->layer != layer || s->epoch != epoch) continue;
        if (statistics[k].ordered && !report_chart_is_ordered(r, &r->subject[s->subject])) continue;
        sum += s->statistic[k][hop];
        count++;
    }
    return count ? sum / (double)count : NAN;
}

/* The first recorded epoch after `epoch`; 0: there is no later one. */
static int64_t report_chart_next_epoch(const fgt_report *r, int64_t epoch)
{
    int64_t next = 0;
    for (int64_t i = 0; i < r->sets; i++)
        if (r->set[i].epoch > epoch && (!next || r->set[i].epoch < next)) next = r->set[i].epoch;
    return next;
}

/* Writes a curve for each layer. Curves by power of A have the values of the current model or, if the current
 * model was not recorded, of the last epoch. x, y: memory for the points of a curve. */
static void report_chart_put_statistic(fgti_page *p, int k, bool by_epoch, double *x, double *y,
                                       int64_t *number)
{
    const fgt_report *r    = p->r;
    int64_t           last = 0;
    chart             c    = {.section = by_epoch ? "charts" : "powers",
                              .title   = statistics[k].title,
                              .axis    = by_epoch ? "epoch" : "power of A",
                              .about   = statistics[k].about};
    for (int64_t next; (next = report_chart_next_epoch(r, last)) > 0;) last = next;
    for (int64_t layer = 0; layer < r->layers.count && c.curves < FGTI_REPORT_CURVES; layer++) {
        int64_t points = 0, epoch = 0, hop = 0;
        while (by_epoch ? (epoch = report_chart_next_epoch(r, epoch)) > 0 : hop < r->hops) {
            double v = report_chart_average(r, layer, epoch, k, hop);
            if (!by_epoch && isnan(v)) v = report_chart_average(r, layer, last, k, hop);
            if (!by_epoch) hop++;
            if (!isfinite(v)) continue;
            x[points]   = (double)(by_epoch ? epoch : hop);
            y[points++] = v;
        }
        if (points)
            report_chart_put_curve(&p->sheets, &c, number, fgti_strings_get(&r->layers, layer), x, y, points);
    }
    report_chart_end(&p->sheets, &c);
}

void fgti_page_charts(fgti_page *p)
{
    const fgt_report *r      = p->r;
    const int64_t     most   = r->sets + r->hops; /* points of a curve */
    int64_t           number = 0;
    double           *x      = NULL;
    fgti_put(&p->sheets.data, ",\n\"charts\":[");
    report_chart_put_hosts(p, true, &number);
    report_chart_put_hosts(p, false, &number);
    if (p->sheets.data.status == FGT_OK) p->sheets.data.status = FGTI_NEW(r->ctx, 2 * most, "curves", &x);
    for (int by_epoch = 1; x && by_epoch >= 0; by_epoch--)
        for (int k = 0; k < FGTI_REPORT_STATISTICS; k++)
            if (by_epoch ? report_chart_next_epoch(r, report_chart_next_epoch(r, 0)) : r->hops > 1)
                report_chart_put_statistic(p, k, by_epoch, x, x + most, &number);
    fgti_free(r->ctx, x);
    fgti_put(&p->sheets.data, "]");
}
