/* SPDX-License-Identifier: BSD-3-Clause */
/* A report before it is written: facts and curves. */
#include "report/report_data.h"

#include "report/report_matrix.h"
#include "report/report_names.h"
#include "report/report_shown.h"

#include <math.h>

static fgt_status start(fgt_report *r, const fgt_report_opts *o)
{
    const char *const first[] = {o->title ? o->title : "Model report", o->about ? o->about : "", ""};
    for (int i = 0; i <= FGTI_TEXT_NONE; i++)
        FGTI_TRY(fgti_names_add(r->ctx, &r->text, first[i], FGTI_ABOUT_SHOWN));
    return FGT_OK;
}

fgt_status fgt_report_create(fgt_context *ctx, const fgt_report_opts *opts, fgt_report **report)
{
    static const fgti_opt table[] = {FGTI_FIELD(fgt_report_opts, hops, I64, 1, FGTI_REPORT_HOPS, 3), {0}};
    fgt_report_opts       o;
    if (report) *report = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!report) return fgti_fail(&ctx->error, FGT_E_ARG, "report: result pointer is NULL");
    FGTI_TRY(fgti_opts_read(&ctx->error, "fgt_report_opts", opts, &o, sizeof o));
    FGTI_TRY(fgti_opts_check(&ctx->error, "report", table, &o));
    FGTI_TRY(FGTI_NEW(ctx, 1, "report", report));
    (*report)->ctx     = ctx;
    (*report)->hops    = o.hops;
    const fgt_status s = start(*report, &o);
    if (s != FGT_OK) fgt_report_destroy(report);
    return s;
}

static void chart_done(fgt_context *ctx, fgti_chart *c)
{
    for (int64_t i = 0; i < c->curves; i++) {
        fgti_free(ctx, c->curve[i].x);
        fgti_free(ctx, c->curve[i].y);
    }
}

void fgt_report_destroy(fgt_report **report)
{
    if (!report || !*report) return;
    fgt_report  *r   = *report;
    fgt_context *ctx = r->ctx;
    for (int64_t i = 0; i < r->subjects; i++) fgti_subject_done(ctx, &r->subject[i]);
    for (int64_t i = 0; i < r->sets; i++) fgti_free(ctx, r->set[i].most);
    for (int64_t i = 0; i < r->charts; i++) chart_done(ctx, &r->chart[i]);
    for (int64_t i = 0; i < r->windows; i++) fgti_shown_window_done(ctx, &r->window[i]);
    for (int64_t i = 0; i < r->texts; i++) fgti_free(ctx, r->shown[i].value);
    for (int64_t i = 0; i < r->importances; i++) fgti_free(ctx, r->importance[i].share);
    fgti_names_done(ctx, &r->text);
    fgti_names_done(ctx, &r->layers);
    fgti_names_done(ctx, &r->others);
    fgti_strings_done(ctx, &r->facts);
    fgti_free(ctx, r->subject);
    fgti_free(ctx, r->set);
    fgti_free(ctx, r->chart);
    fgti_free(ctx, r->window);
    fgti_free(ctx, r->shown);
    fgti_free(ctx, r->importance);
    fgti_free(ctx, r);
    *report = NULL;
}

fgt_status fgt_report_add_fact(fgt_report *report, const char *name, const char *value)
{
    if (!report) return FGT_E_ARG;
    fgt_context *ctx = report->ctx;
    if (!name || !value) return fgti_fail(&ctx->error, FGT_E_ARG, "report: name or value is NULL");
    fgti_strings *f    = &report->facts;
    const int64_t used = f->used, count = f->count;
    FGTI_TRY(fgti_shown_add(ctx, f, name, FGTI_NAME_SHOWN));
    const fgt_status s = fgti_shown_add(ctx, f, value, FGTI_ABOUT_SHOWN);
    if (s == FGT_OK) return FGT_OK;
    f->used  = used;
    f->count = count;
    return s;
}

/* ---- curves ---- */

/* Finds the chart with this title, or creates it. */
static fgt_status find_chart(fgt_report *r, const fgt_report_point *p, fgti_chart **chart)
{
    int64_t title, axis, about;
    if (!r->chart) FGTI_TRY(FGTI_NEW(r->ctx, FGTI_REPORT_CHARTS, "charts", &r->chart));
    FGTI_TRY(fgti_report_name(r, &r->text, p->chart, FGTI_NAME_SHOWN, &title));
    FGTI_TRY(fgti_report_name(r, &r->text, p->axis, FGTI_NAME_SHOWN, &axis));
    FGTI_TRY(fgti_report_name(r, &r->text, p->about, FGTI_ABOUT_SHOWN, &about));
    int64_t i = 0;
    while (i < r->charts && r->chart[i].title != title) i++;
    if (i == FGTI_REPORT_CHARTS)
        return fgti_fail(&r->ctx->error, FGT_E_SIZE, "report: more than %d charts", FGTI_REPORT_CHARTS);
    *chart = &r->chart[i];
    if (i == r->charts) {
        **chart = (fgti_chart){.title = title, .axis = axis, .about = about, .first = p->first != 0};
        r->charts++;
    }
    return FGT_OK;
}

static fgt_status find_curve(fgt_report *r, const fgt_report_point *p, fgti_chart *chart,
                             fgti_chart_curve **curve)
{
    int64_t name;
    FGTI_TRY(fgti_report_name(r, &r->text, p->curve, FGTI_NAME_SHOWN, &name));
    int64_t i = 0;
    while (i < chart->curves && chart->curve[i].name != name) i++;
    if (i == FGTI_REPORT_CURVES)
        return fgti_fail(&r->ctx->error, FGT_E_SIZE, "report: chart \"%.60s\" has more than %d curves",
                         p->chart, FGTI_REPORT_CURVES);
    *curve = &chart->curve[i];
    if (i == chart->curves) {
        **curve = (fgti_chart_curve){.name = name};
        chart->curves++;
    }
    return FGT_OK;
}

static fgt_status add_to_chart(fgt_report *r, fgti_chart *chart, const fgt_report_point *p)
{
    fgti_chart_curve *c = NULL;
    FGTI_TRY(find_curve(r, p, chart, &c));
    const int64_t n = c->count;
    fgt_status    s =
        fgti_grow(r->ctx, "curve", sizeof *c->x, n, n + 1, 2 * n + 16, &c->capacity_x, (void **)&c->x);
    if (s == FGT_OK)
        s = fgti_grow(r->ctx, "curve", sizeof *c->y, n, n + 1, 2 * n + 16, &c->capacity_y, (void **)&c->y);
    if (s == FGT_OK) {
        c->x[n]          = p->x;
        c->y[c->count++] = p->y;
    } else if (!n) { /* a curve needs a point */
        fgti_free(r->ctx, c->x);
        chart->curves--;
    }
    return s;
}

static fgt_status add_point(fgt_report *r, const fgt_report_point *p)
{
    fgti_chart *chart = NULL;
    FGTI_TRY(find_chart(r, p, &chart));
    const fgt_status s = add_to_chart(r, chart, p);
    if (!chart->curves) r->charts--; /* the chart was just created, so it is the last one */
    return s;
}

fgt_status fgt_report_add_point(fgt_report *report, const fgt_report_point *point)
{
    fgt_report_point p;
    if (!report) return FGT_E_ARG;
    fgti_error *err = &report->ctx->error;
    if (!point) return fgti_fail(err, FGT_E_ARG, "report: point is NULL");
    FGTI_TRY(fgti_opts_read(err, "fgt_report_point", point, &p, sizeof p));
    if (!p.chart || !p.axis || !p.curve || !(fabs(p.x) <= FGTI_REPORT_FAR))
        return fgti_fail(err, FGT_E_ARG, "report: a point needs chart, axis, curve and a finite x");
    return fabs(p.y) <= FGTI_REPORT_FAR ? add_point(report, &p) : FGT_OK;
}
