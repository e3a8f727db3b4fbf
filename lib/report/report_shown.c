/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of series and texts, with tokens marked by their weight. */
#include "report/report_shown.h"

#include <math.h>

#include "data/table.h"
#include "report/report_matrix.h"
#include "report/report_names.h"

#define MOST_ROWS 100000

/* Checks a view [n] of real numbers. *n -1: any length, which is returned. */
static fgt_status check_row(fgti_error *err, const char *what, const fgt_view *v, int64_t *n)
{
    const long long most = *n < 0 ? MOST_ROWS : (long long)*n;
    if (!v || !v->data) return fgti_fail(err, FGT_E_ARG, "report: %s is NULL", what);
    if (v->rank != 1 || (v->dtype != FGT_DTYPE_F32 && v->dtype != FGT_DTYPE_F64))
        return fgti_fail(err, FGT_E_SHAPE, "report: %s has %d axes, must be [%lld] of real numbers", what,
                         (int)v->rank, most);
    if (v->shape[0] < 1 || v->shape[0] > most || (*n >= 0 && v->shape[0] != *n))
        return fgti_fail(err, FGT_E_SHAPE, "report: %s is [%lld], must be [%lld]", what,
                         (long long)v->shape[0], most);
    *n = v->shape[0];
    return FGT_OK;
}

/* Checks numbers for colours and bars. whose: the subject of the error sentence. */
static fgt_status check_value(fgti_error *err, const char *whose, const fgt_view *value, int64_t count)
{
    FGTI_TRY(check_row(err, whose, value, &count));
    for (int64_t i = 0; i < count; i++) {
        const double v = fgti_view_get(value, i);
        if (v >= 0 && v <= FGTI_REPORT_FAR) continue;
        return fgti_fail(err, isfinite(v) ? FGT_E_DATA : FGT_E_NONFINITE, "report: element %lld of %s is %g",
                         (long long)i, whose, v);
    }
    return FGT_OK;
}

/* Converts values of tokens to values of squares: the largest of the tokens of a square. */
static fgt_status copy_merged(const fgt_report *r, const fgt_view *value, const fgti_subject *s, double **out)
{
    FGTI_TRY(FGTI_NEW(r->ctx, s->side, "values of tokens", out));
    for (int64_t i = 0; i < s->tokens; i++)
        (*out)[i / s->merged] = fmax((*out)[i / s->merged], fgti_view_get(value, i));
    return FGT_OK;
}

/* ---- windows ---- */

static fgt_status check_spans(fgti_error *err, const fgt_report_window *w, int64_t rows)
{
    if (!w->first != !w->last || w->tokens < 0 || !w->first != !w->tokens || w->token < 0)
        return fgti_fail(err, FGT_E_ARG, "report: first, last and tokens of a window belong together");
    for (int64_t i = 0; i < w->tokens; i++)
        if (w->first[i] < 0 || w->last[i] < w->first[i] || w->last[i] >= rows)
            return fgti_fail(err, FGT_E_ARG, "report: token %lld is rows %lld to %lld of %lld", (long long)i,
                             (long long)w->first[i], (long long)w->last[i], (long long)rows);
    return FGT_OK;
}

/* Checks the measure and its values. *s: the subject of the tokens that have values; NULL: no values. */
static fgt_status check_measure(fgt_report *r, const fgt_report_window *w, int64_t rows,
                                const fgti_subject **s)
{
    fgti_error *err = &r->ctx->error;
    int64_t     name;
    *s = NULL;
    if (!w->measure != !w->row_value || (w->token_value && (!w->measure || !w->token)))
        return fgti_fail(err, FGT_E_ARG,
                         "report: a window has a measure without row_value, row_value without a measure, or "
                         "token_value without both and token");
    if (w->row_value) FGTI_TRY(check_value(err, "row_value", w->row_value, rows));
    if (!w->token_value) return FGT_OK;
    FGTI_TRY(fgti_report_name(r, &r->text, w->subject ? w->subject : "", FGTI_NAME_SHOWN, &name));
    *s = fgti_report_find(r, name);
    if (!*s) return fgti_fail(err, FGT_E_ARG, "report: token_value needs a matrix (add that before)");
    return check_value(err, "token_value", w->token_value, (*s)->tokens);
}

static fgt_status check_band(fgti_error *err, const fgt_report_window *w, int64_t steps)
{
    if (!w->low != !w->high || !w->low != !w->band)
        return fgti_fail(err, FGT_E_ARG, "report: low, high and band of a window belong together");
    if (!w->low) return FGT_OK;
    FGTI_TRY(check_row(err, "low", w->low, &steps));
    return check_row(err, "high", w->high, &steps);
}

static fgt_status name_window(fgt_report *r, const fgt_report_window *w, fgti_shown_window *out)
{
    FGTI_TRY(fgti_report_name(r, &r->text, w->name, FGTI_NAME_SHOWN, &out->name));
    FGTI_TRY(fgti_report_name(r, &r->text, w->begin, FGTI_NAME_SHOWN, &out->begin));
    FGTI_TRY(fgti_report_name(r, &r->text, w->from, FGTI_NAME_SHOWN, &out->from));
    FGTI_TRY(fgti_report_name(r, &r->text, w->measure, FGTI_NAME_SHOWN, &out->measure));
    FGTI_TRY(fgti_report_name(r, &r->text, w->about, FGTI_ABOUT_SHOWN, &out->about));
    FGTI_TRY(fgti_report_name(r, &r->text, w->band, FGTI_NAME_SHOWN, &out->band));
    return fgti_report_name(r, &r->text, w->subject ? w->subject : "", FGTI_NAME_SHOWN, &out->subject);
}

/* A value that can be drawn, or NaN: a gap. */
static double drawn(const fgt_view *v, int64_t i)
{
    const double value = fgti_view_get(v, i);
    return fabs(value) <= FGTI_REPORT_FAR ? value : NAN;
}

static fgt_status fill_window(const fgt_report *r, const fgt_report_window *w, const fgti_subject *s,
                              fgti_shown_window *out)
{
    const int64_t l = out->rows, h = out->steps;
    FGTI_TRY(FGTI_NEW(r->ctx, l + (w->low ? 4 : 2) * h, "window", &out->value));
    if (w->tokens) FGTI_TRY(FGTI_NEW(r->ctx, 2 * w->tokens, "spans", &out->span));
    if (w->row_value) FGTI_TRY(FGTI_NEW(r->ctx, l, "values of rows", &out->row_value));
    if (w->token_value) FGTI_TRY(copy_merged(r, w->token_value, s, &out->token_value));
    for (int64_t i = 0; w->row_value && i < l; i++) out->row_value[i] = fgti_view_get(w->row_value, i);
    for (int64_t i = 0; i < l; i++) out->value[i] = drawn(w->input, i);
    for (int64_t i = 0; i < h; i++) {
        out->value[l + i]     = drawn(w->forecast, i);
        out->value[l + h + i] = w->truth ? drawn(w->truth, i) : NAN;
    }
    for (int64_t i = 0; w->low && i < h; i++) {
        out->value[l + 2 * h + i] = drawn(w->low, i);
        out->value[l + 3 * h + i] = drawn(w->high, i);
    }
    for (int64_t i = 0; i < w->tokens; i++) {
        out->span[2 * i]     = w->first[i];
        out->span[2 * i + 1] = w->last[i];
    }
    return FGT_OK;
}

void fgti_shown_window_done(fgt_context *ctx, fgti_shown_window *w)
{
    fgti_free(ctx, w->value);
    fgti_free(ctx, w->span);
    fgti_free(ctx, w->row_value);
    fgti_free(ctx, w->token_value);
}

fgt_status fgt_report_add_window(fgt_report *report, const fgt_report_window *window)
{
    fgt_report         *r = report;
    fgt_report_window   w;
    fgti_shown_window   out = {.rows = -1, .steps = -1};
    const fgti_subject *s;
    if (!r) return FGT_E_ARG;
    fgti_error *err = &r->ctx->error;
    if (!window) return fgti_fail(err, FGT_E_ARG, "report: window is NULL");
    FGTI_TRY(fgti_opts_read(err, "fgt_report_window", window, &w, sizeof w));
    if (!w.name) return fgti_fail(err, FGT_E_ARG, "report: a window needs a name");
    FGTI_TRY(check_row(err, "input", w.input, &out.rows));
    FGTI_TRY(check_row(err, "forecast", w.forecast, &out.steps));
    if (w.truth) FGTI_TRY(check_row(err, "truth", w.truth, &out.steps));
    FGTI_TRY(check_band(err, &w, out.steps));
    FGTI_TRY(check_spans(err, &w, out.rows));
    FGTI_TRY(check_measure(r, &w, out.rows, &s));
    if (r->windows == FGTI_REPORT_SHOWN)
        return fgti_fail(err, FGT_E_SIZE, "report: more than %d windows", FGTI_REPORT_SHOWN);
    if (!r->window) FGTI_TRY(FGTI_NEW(r->ctx, FGTI_REPORT_SHOWN, "windows", &r->window));
    out.spans = w.tokens;
    out.token = w.token - 1;
    FGTI_TRY(name_window(r, &w, &out));
    const fgt_status e = fill_window(r, &w, s, &out);
    if (e == FGT_OK)
        r->window[r->windows++] = out;
    else
        fgti_shown_window_done(r->ctx, &out);
    return e;
}

/* ---- texts ---- */

fgt_status fgt_report_add_words(fgt_report *report, const fgt_report_words *words)
{
    fgt_report      *r = report;
    fgt_report_words w;
    fgti_shown_text  out = {0};
    if (!r) return FGT_E_ARG;
    fgti_error *err = &r->ctx->error;
    if (!words) return fgti_fail(err, FGT_E_ARG, "report: words is NULL");
    FGTI_TRY(fgti_opts_read(err, "fgt_report_words", words, &w, sizeof w));
    FGTI_TRY(fgti_report_name(r, &r->text, w.subject ? w.subject : "", FGTI_NAME_SHOWN, &out.subject));
    const fgti_subject *s = fgti_report_find(r, out.subject);
    if (!s) return fgti_fail(err, FGT_E_ARG, "report: words need a matrix (add that before)");
    if (w.count < 0 || w.count > s->tokens || !w.measure != !w.value)
        return fgti_fail(err, FGT_E_ARG, "report: %lld words of %lld tokens, or value without measure",
                         (long long)w.count, (long long)s->tokens);
    if (w.value) FGTI_TRY(check_value(err, "value", w.value, s->tokens));
    if (r->texts == FGTI_REPORT_SHOWN)
        return fgti_fail(err, FGT_E_SIZE, "report: more than %d texts", FGTI_REPORT_SHOWN);
    if (!r->shown) FGTI_TRY(FGTI_NEW(r->ctx, FGTI_REPORT_SHOWN, "texts", &r->shown));
    out.count = w.count;
    FGTI_TRY(fgti_report_name(r, &r->text, w.name, FGTI_ABOUT_SHOWN, &out.name));
    FGTI_TRY(fgti_report_name(r, &r->text, w.measure, FGTI_NAME_SHOWN, &out.measure));
    if (w.value) FGTI_TRY(FGTI_NEW(r->ctx, s->tokens, "values of words", &out.value));
    for (int64_t i = 0; w.value && i < s->tokens; i++) out.value[i] = fgti_view_get(w.value, i);
    r->shown[r->texts++] = out;
    return FGT_OK;
}
