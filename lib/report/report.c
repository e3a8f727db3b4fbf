/* SPDX-License-Identifier: BSD-3-Clause */
/* A report before it is written: its names, facts and figures. */
#include "report/report_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/tensor.h"

/* ---- names, options and views ---- */

fgt_status fgti_report_name(fgt_report *r, fgti_strings *list, const char *name, int64_t *number)
{
    int64_t i = 0;
    *number   = -1;
    if (!name) return FGT_OK;
    while (i < list->count && strcmp(fgti_strings_get(list, i), name) != 0) i++;
    if (i == list->count) FGTI_TRY(fgti_strings_add(r->ctx, list, name, (int64_t)strlen(name)));
    *number = i;
    return FGT_OK;
}

const char *fgti_report_get_name(const fgt_report *r, int64_t i)
{
    return i < 0 ? NULL : fgti_strings_get(&r->names, i);
}

fgt_status fgti_report_read(fgt_report *r, const char *what, bool required, const void *opts, void *out,
                            size_t size)
{
    char name[40];
    if (!r) return FGT_E_ARG;
    if (required && !opts) return fgti_fail(&r->ctx->error, FGT_E_ARG, "report: %s is NULL", what);
    snprintf(name, sizeof name, "fgt_report_%s", what);
    return fgti_opts_read(&r->ctx->error, name, opts, out, size);
}

fgt_status fgti_report_check(fgti_error *err, const char *what, const fgt_view *v, double most)
{
    for (int64_t i = 0; i < fgt_view_count(v); i++) {
        const double value = fgti_view_get(v, i);
        if (value >= 0 && value <= most) continue;
        return fgti_fail(err, isfinite(value) ? FGT_E_DATA : FGT_E_NONFINITE,
                         "report: element %lld of %s is wrong (got %g, need 0 to %g)", (long long)i, what,
                         value, most);
    }
    return FGT_OK;
}

/* ---- figures ---- */

void fgti_figure_done(fgti_figure *f)
{
    fgti_sheets_done(&f->begin);
    fgti_sheets_done(&f->rest);
}

fgt_status fgti_figure_begin(fgt_report *r, const char *subject, fgti_figure *f)
{
    *f = (fgti_figure){0};
    fgti_sheets_begin(r->ctx, &f->begin);
    fgti_sheets_begin(r->ctx, &f->rest);
    return fgti_report_name(r, &r->names, subject ? subject : "", &f->subject);
}

fgt_status fgti_figure_add(fgt_report *r, fgti_figure_kind kind, fgti_figure *f)
{
    static const char *const names[] = {"windows", "texts"};
    fgti_figures            *list    = &r->figures[kind];
    fgt_status               s       = fgti_sheets_status(&f->begin);
    if (s == FGT_OK) s = fgti_sheets_status(&f->rest);
    if (s == FGT_OK && kind != FGTI_FIGURE_IMPORTANCE && list->count == FGTI_REPORT_SHOWN)
        s = fgti_fail(&r->ctx->error, FGT_E_SIZE, "report: too many %s (got %d, need at most %d %s)",
                      names[kind], FGTI_REPORT_SHOWN + 1, FGTI_REPORT_SHOWN, names[kind]);
    if (s == FGT_OK)
        s = fgti_grow(r->ctx, "figures", sizeof *f, list->count, list->count + 1, 2 * list->count + 4,
                      &list->capacity, (void **)&list->item);
    if (s == FGT_OK)
        list->item[list->count++] = *f;
    else
        fgti_figure_done(f);
    return s;
}

/* ---- for hosts ---- */

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
    fgt_report *r     = *report;
    const char *title = o.title ? o.title : "Model report", *about = o.about ? o.about : "";
    r->ctx       = ctx;
    r->hops      = o.hops;
    fgt_status s = fgti_strings_add(ctx, &r->names, title, (int64_t)strlen(title));
    if (s == FGT_OK) s = fgti_strings_add(ctx, &r->names, about, (int64_t)strlen(about));
    if (s != FGT_OK) fgt_report_destroy(report);
    return s;
}

void fgti_subject_done(fgt_context *ctx, fgti_subject *s)
{
    fgti_strings_done(ctx, &s->names);
    fgti_strings_done(ctx, &s->token);
}

void fgt_report_destroy(fgt_report **report)
{
    if (!report || !*report) return;
    fgt_report  *r   = *report;
    fgt_context *ctx = r->ctx;
    for (int64_t i = 0; i < r->subjects; i++) fgti_subject_done(ctx, &r->subject[i]);
    for (int64_t i = 0; i < r->sets; i++) fgti_free(ctx, r->set[i].most);
    for (int64_t i = 0; i < r->charts * FGTI_REPORT_CURVES; i++) {
        fgti_chart_curve *c = &r->chart[i / FGTI_REPORT_CURVES].curve[i % FGTI_REPORT_CURVES];
        fgti_free(ctx, c->x);
        fgti_free(ctx, c->y);
    }
    for (int k = 0; k < FGTI_FIGURE_KINDS; k++) {
        for (int64_t i = 0; i < r->figures[k].count; i++) fgti_figure_done(&r->figures[k].item[i]);
        fgti_free(ctx, r->figures[k].item);
    }
    fgti_strings_done(ctx, &r->names);
    fgti_strings_done(ctx, &r->layers);
    fgti_strings_done(ctx, &r->others);
    fgti_strings_done(ctx, &r->facts);
    fgti_free(ctx, r->subject);
    fgti_free(ctx, r->set);
    fgti_free(ctx, r->chart);
    fgti_free(ctx, r);
    *report = NULL;
}

fgt_status fgt_report_add_fact(fgt_report *report, const char *name, const char *value)
{
    if (!report) return FGT_E_ARG;
    fgt_context *ctx = report->ctx;
    if (!name || !value) return fgti_fail(&ctx->error, FGT_E_ARG, "report: name or value is NULL");
    fgti_strings      *f   = &report->facts;
    const fgti_strings was = *f;
    FGTI_TRY(fgti_strings_add(ctx, f, name, (int64_t)strlen(name)));
    const fgt_status s = fgti_strings_add(ctx, f, value, (int64_t)strlen(value));
    if (s != FGT_OK) {
        f->count = was.count;
        f->used  = was.used;
    }
    return s;
}
