/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds a forecast with the attention to its input. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/size.h"
#include "data/table.h"
#include "forecast/forecaster_impl.h"
#include "model/access.h"
#include "report/report_data.h"
#include "report/report_importance.h"
#include "report/report_model.h"
#include "report/report_names.h"
#include "report/report_sensitivity.h"

#define MOST_SERIES 4 /* most series without a list of the caller */
#define MOST_NODES 1024 /* most nodes of a graph between series; powers of a larger one take minutes */

static const char about_sensitivity[] =
    "Sensitivity says how much the forecast would change with a row of the input, or with a series, through "
    "the whole model: at 0.2 a step of the forecast moves by about 0.2 standard deviations when the row "
    "moves by one.";

/* A forecast, and the names of its tokens. */
typedef struct story {
    fgt_report         *r;
    fgt_forecaster     *f;
    const fgt_table    *table;
    int64_t             row, tokens; /* tokens: T; 0: no layer has attention */
    fgt_report_forecast o;
    double             *forecast; /* [H,C] */
    double             *interval;    /* [2,H,C]; NULL: no intervals */
    double             *sensitivity; /* [L], then [D] */
    fgti_strings        names;    /* of the tokens */
    const char        **name;     /* [T] */
    int64_t            *place;    /* [count of o]: indices of the targets shown; NULL: the first ones */
    int64_t            *span;     /* [2,T]: first and last row of each token; NULL: tokens are series */
} story;

/* ---- tokens ---- */

/* Reads the patch layer's length and stride; 1 and 1: each row is a token. */
static void find_patches(const fgt_model *m, int64_t *length, int64_t *stride)
{
    fgt_layer_info info = {.size = sizeof info};
    *length = *stride = 1;
    for (int64_t i = 0; i < fgt_model_count_layers(m); i++)
        if (fgt_model_get_layer(m, i, &info) == FGT_OK && !strcmp(info.type, "patch") &&
            !strcmp(info.name + strlen(info.name) - 5, "patch")) {
            *length = (int64_t)fgti_model_layer_option(m, i, "length");
            *stride = (int64_t)fgti_model_layer_option(m, i, "stride");
            return;
        }
}

static const char *date_of(const story *s, int64_t row)
{
    return row < fgt_table_count_rows(s->table) ? fgt_table_get_name(s->table, FGT_TABLE_NAME_ROW, row)
                                                : NULL;
}

/* Rows are numbered backwards from the forecast: row -1 is the last one before it. */
static fgt_status name_span(story *s, int64_t first, int64_t last)
{
    const int64_t l = s->f->info.input_len;
    char          text[80];
    int           n = snprintf(text, sizeof text, "\xe2\x88\x92%lld", (long long)(l - first));
    if (last > first)
        n += snprintf(text + n, sizeof text - (size_t)n, "\xe2\x80\xa6\xe2\x88\x92%lld",
                      (long long)(l - last));
    return fgti_strings_add(s->r->ctx, &s->names, text, n);
}

static fgt_status find_spans(story *s)
{
    const int64_t l = s->f->info.input_len;
    int64_t       length, stride;
    find_patches(s->f->model, &length, &stride);
    FGTI_TRY(FGTI_NEW(s->r->ctx, 2 * s->tokens, "spans", &s->span));
    for (int64_t i = 0; i < s->tokens; i++) {
        s->span[i]             = fgti_least(i * stride, l - 1);
        s->span[s->tokens + i] = fgti_least(i * stride + length, l) - 1;
        FGTI_TRY(name_span(s, s->span[i], s->span[s->tokens + i]));
    }
    return FGT_OK;
}

static fgt_status find_tokens(story *s)
{
    const fgti_strings *columns = &s->f->names;
    s->tokens                   = fgti_report_count_tokens(s->f->model);
    if (!s->tokens) return FGT_OK;
    if (s->f->info.tokens != FGT_TOKENS_VARIATE)
        FGTI_TRY(find_spans(s));
    else
        for (int64_t i = 0; i < s->tokens; i++)
            FGTI_TRY(fgti_strings_add(s->r->ctx, &s->names, fgti_strings_get(columns, i),
                                      fgti_strings_size(columns, i)));
    FGTI_TRY(FGTI_NEW(s->r->ctx, s->tokens, "names of tokens", &s->name));
    for (int64_t i = 0; i < s->tokens; i++) s->name[i] = fgti_strings_get(&s->names, i);
    return FGT_OK;
}

/* ---- series ---- */

static int64_t count_series(const story *s)
{
    return s->o.count ? s->o.count : fgti_least(s->f->info.columns, MOST_SERIES);
}

static fgt_status find_place(const story *s, const fgti_words *names, int64_t i)
{
    fgti_error *err  = &s->r->ctx->error;
    const char *name = s->o.series[i];
    if (!name) return fgti_fail(err, FGT_E_ARG, "report: series %lld is NULL", (long long)i);
    s->place[i] = fgti_words_find(names, name, (int64_t)strlen(name));
    if (s->place[i] >= 0 && s->place[i] < s->f->info.columns) return FGT_OK;
    return fgti_fail(err, FGT_E_NAME, "report: \"%.60s\" is no target of the forecaster", name);
}

/* Finds the targets that opts names. The names of a forecaster's columns are different. */
static fgt_status find_places(story *s)
{
    fgti_words names = {0};
    if (!s->o.count) return FGT_OK;
    FGTI_TRY(FGTI_NEW(s->r->ctx, s->o.count, "series", &s->place));
    fgt_status e = fgti_words_add_all(s->r->ctx, &names, &s->f->names);
    for (int64_t i = 0; e == FGT_OK && i < s->o.count; i++) e = find_place(s, &names, i);
    fgti_words_done(s->r->ctx, &names);
    return e;
}

/* Index of the i-th target that is shown. */
static int64_t place_of(const story *s, int64_t i)
{
    return s->place ? s->place[i] : i;
}

/* The name of the series if tokens are patches, because each series has its own matrices then. */
static const char *subject_of(const story *s, int64_t c)
{
    return s->f->info.tokens == FGT_TOKENS_PATCH ? fgt_forecaster_get_name(s->f, c) : NULL;
}

static fgt_report_pass pass_of(const story *s, int64_t c)
{
    return (fgt_report_pass){.size    = sizeof(fgt_report_pass),
                             .subject = subject_of(s, c),
                             .tokens  = s->name,
                             .sample  = s->f->info.tokens == FGT_TOKENS_PATCH ? c : 0,
                             .epoch   = s->o.epoch};
}

static fgt_status add_matrices(const story *s, int64_t c)
{
    const fgt_report_pass p = pass_of(s, c);
    return fgt_report_add_model(s->r, s->f->model, &p);
}

/* Adds the importance of the tokens of all subjects for the sum of the model's outputs. */
static fgt_status add_importance(const story *s)
{
    const int64_t    subjects = subject_of(s, 0) ? count_series(s) : 1;
    fgt_report_pass *pass;
    if (!s->tokens) return FGT_OK;
    FGTI_TRY(FGTI_NEW(s->r->ctx, subjects, "passes", &pass));
    for (int64_t i = 0; i < subjects; i++) pass[i] = pass_of(s, place_of(s, i));
    const fgt_status e = fgti_report_importance(s->r, s->f->model, NULL, pass, subjects);
    fgti_free(s->r->ctx, pass);
    return e;
}

/* ---- graphs between series ---- */

/* Whether a layer's graph is between series. If tokens are patches, series are nodes: a layer with attention
 * along the nodes has a matrix for each patch, and the last one is nearest to the forecast. */
static bool is_between_series(const story *s, const fgt_layer_info *info)
{
    if (s->f->info.tokens == FGT_TOKENS_PATCH) return info->adjacency && info->axis == FGT_AXIS_NODES;
    return s->f->info.tokens == FGT_TOKENS_VARIATE &&
           (info->adjacency == FGT_ADJACENCY_GIVEN || info->adjacency == FGT_ADJACENCY_LEARNED);
}

static fgt_status add_graph(const story *s, const fgt_layer_info *info, const char *const *names)
{
    fgt_view a;
    FGTI_TRY(fgt_model_get_adjacency(s->f->model, info->name, &a));
    const fgt_report_pass p = {.size    = sizeof p,
                               .layer   = info->name,
                               .subject = s->f->info.tokens == FGT_TOKENS_PATCH ? "all series" : NULL,
                               .tokens  = names,
                               .sample  = a.shape[0] - 1,
                               .epoch   = s->o.epoch};
    return fgt_report_add_model(s->r, s->f->model, &p);
}

static fgt_status add_graphs(const story *s)
{
    fgt_layer_info info = {.size = sizeof info};
    const char   **names;
    fgt_status     e = FGT_OK;
    if (s->f->info.columns > MOST_NODES || s->f->info.past) return FGT_OK;
    FGTI_TRY(FGTI_NEW(s->r->ctx, s->f->info.columns, "names of series", &names));
    for (int64_t i = 0; i < s->f->info.columns; i++) names[i] = fgt_forecaster_get_name(s->f, i);
    for (int64_t i = 0; e == FGT_OK && i < fgt_model_count_layers(s->f->model); i++) {
        e = fgt_model_get_layer(s->f->model, i, &info);
        if (e == FGT_OK && is_between_series(s, &info)) e = add_graph(s, &info, names);
    }
    fgti_free(s->r->ctx, names);
    return e;
}

/* ---- windows ---- */

/* Finds the ends of the intervals of all targets. If the model has quantiles, the ends are quantiles. */
static fgt_status find_intervals(story *s)
{
    const int64_t h = s->f->info.pred_len, n = s->f->info.columns, q = s->f->info.quantile_count;
    const double  level = s->o.level > 0 ? s->o.level : 0.8;
    double       *all   = s->forecast;
    if (!s->o.calibration) return FGT_OK;
    FGTI_TRY(FGTI_NEW(s->r->ctx, 2 * h * n, "intervals", &s->interval));
    if (q) FGTI_TRY(FGTI_NEW(s->r->ctx, q * h * n, "quantiles", &all));
    const fgt_view from =
        q ? *FGT_VIEW_OF(FGT_DTYPE_F64, all, q, h, n) : *FGT_VIEW_OF(FGT_DTYPE_F64, all, h, n);
    fgt_status e = q ? fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(s->f),
                                                                  s->table, s->row, s->o.future, &from)
                     : FGT_OK;
    for (int i = 0; e == FGT_OK && i < 2; i++)
        e = fgt_calibration_compute_quantile(s->o.calibration, &from, i ? (1 + level) / 2 : (1 - level) / 2,
                                             FGT_VIEW_OF(FGT_DTYPE_F64, s->interval + i * h * n, h, n));
    if (q) fgti_free(s->r->ctx, all);
    return e;
}

static void copy_window(const story *s, int64_t c, int64_t column, double *value)
{
    const int64_t l = s->f->info.input_len, h = s->f->info.pred_len, rows = fgt_table_count_rows(s->table);
    const double *v = s->table->values;
    for (int64_t i = 0; i < l; i++) value[i] = v[(s->row - l + i) * s->table->columns + column];
    for (int64_t i = 0; i < h; i++) {
        value[l + i]     = s->forecast[i * s->f->info.columns + c];
        value[l + h + i] = s->row + i < rows ? v[(s->row + i) * s->table->columns + column] : NAN;
    }
    for (int64_t i = 0; s->interval && i < 2 * h; i++)
        value[l + 2 * h + i] = s->interval[i * s->f->info.columns + c];
}

static fgt_status add_window(const story *s, int64_t c)
{
    const int64_t l = s->f->info.input_len, h = s->f->info.pred_len;
    int64_t       column;
    double       *value = NULL;
    char          band[40];
    FGTI_TRY(fgt_table_get_column(s->table, fgt_forecaster_get_name(s->f, c), &column));
    FGTI_TRY(FGTI_NEW(s->r->ctx, l + 4 * h, "window", &value));
    copy_window(s, c, column, value);
    snprintf(band, sizeof band, "%g %% interval", 100 * (s->o.level > 0 ? s->o.level : 0.8));
    const fgt_report_window w = {
        .size      = sizeof w,
        .name      = fgt_forecaster_get_name(s->f, c),
        .subject   = subject_of(s, c),
        .input     = FGT_VIEW_OF(FGT_DTYPE_F64, value, l),
        .forecast  = FGT_VIEW_OF(FGT_DTYPE_F64, value + l, h),
        .truth     = FGT_VIEW_OF(FGT_DTYPE_F64, value + l + h, h),
        .low       = s->interval ? FGT_VIEW_OF(FGT_DTYPE_F64, value + l + 2 * h, h) : NULL,
        .high      = s->interval ? FGT_VIEW_OF(FGT_DTYPE_F64, value + l + 3 * h, h) : NULL,
        .band      = s->interval ? band : NULL,
        .begin     = date_of(s, s->row - l),
        .from      = date_of(s, s->row),
        .first     = s->span,
        .last      = s->span ? s->span + s->tokens : NULL,
        .tokens    = s->span ? s->tokens : 0,
        .token     = s->tokens && !s->span ? c + 1 : 0,
        .measure   = "sensitivity",
        .about     = about_sensitivity,
        .row_value = FGT_VIEW_OF(FGT_DTYPE_F64, s->sensitivity, l),
        .token_value =
            s->tokens && !s->span ? FGT_VIEW_OF(FGT_DTYPE_F64, s->sensitivity + l, s->tokens) : NULL};
    const fgt_status        e = fgt_report_add_window(s->r, &w);
    if (e == FGT_OK) s->r->window[s->r->windows - 1].from_row = s->row;
    fgti_free(s->r->ctx, value);
    return e;
}

/* ---- the whole ---- */

static fgt_status add_windows(story *s)
{
    const int64_t l = s->f->info.input_len;
    FGTI_TRY(FGTI_NEW(s->r->ctx, l + fgti_forecaster_inputs(s->f), "sensitivity", &s->sensitivity));
    for (int64_t i = 0; i < count_series(s); i++) {
        const int64_t c = place_of(s, i);
        FGTI_TRY(fgti_report_sensitivity(s->f, c, s->sensitivity, s->sensitivity + l));
        FGTI_TRY(add_window(s, c));
    }
    return FGT_OK;
}

/* Refuses a second row for a series: its matrices would replace those that mark the windows of the first
 * row. */
static fgt_status check_rows(const story *s)
{
    for (int64_t i = 0; s->tokens && !s->o.epoch && i < count_series(s); i++) {
        const int64_t c = place_of(s, i);
        for (int64_t k = 0; k < s->r->windows; k++) {
            const fgti_shown_window *w = &s->r->window[k];
            if (w->from_row && w->from_row != s->row &&
                fgti_report_is_subject(s->r, w->subject, subject_of(s, c)))
                return fgti_fail(&s->r->ctx->error, FGT_E_ARG,
                                 "report: there is a forecast from row %lld with the attention of \"%.60s\": "
                                 "make a page for each row",
                                 (long long)w->from_row, fgt_forecaster_get_name(s->f, c));
        }
    }
    return FGT_OK;
}

/* Matrices are added first, because importance and sensitivity run passes of their own. */
static fgt_status tell(story *s)
{
    const int64_t h = s->f->info.pred_len, columns = s->f->info.columns, count = count_series(s);
    FGTI_TRY(find_places(s));
    FGTI_TRY(FGTI_NEW(s->r->ctx, h * columns, "forecast", &s->forecast));
    FGTI_TRY(fgt_forecaster_predict_table(s->f, s->table, s->row, s->o.future,
                                          FGT_VIEW_OF(FGT_DTYPE_F64, s->forecast, h, columns)));
    FGTI_TRY(find_intervals(s));
    FGTI_TRY(find_tokens(s));
    FGTI_TRY(check_rows(s));
    for (int64_t i = 0; i < count; i++) {
        const int64_t c = place_of(s, i);
        if (s->tokens && (!i || subject_of(s, c))) FGTI_TRY(add_matrices(s, c));
    }
    FGTI_TRY(add_graphs(s));
    if (s->o.epoch) return FGT_OK;
    FGTI_TRY(add_importance(s));
    return add_windows(s);
}

/* Uses exact passes, so that the attention shown is the attention of the forecast. */
static fgt_status tell_exactly(story *s)
{
    const bool exact      = s->f->exact;
    s->f->exact           = true;
    const fgt_status done = tell(s);
    s->f->exact           = exact;
    return done;
}

static fgt_status check(fgt_report *r, fgt_forecaster *f, const fgt_table *table, story *s)
{
    fgti_error *err = &r->ctx->error;
    if (!f || !table) return fgti_fail(err, FGT_E_ARG, "report: forecaster or table is NULL");
    if (f->ctx != r->ctx) return fgti_fail(err, FGT_E_ARG, "report: the forecaster is of another context");
    if (s->o.epoch < 0 || s->o.count < 0 || !s->o.count != !s->o.series)
        return fgti_fail(err, FGT_E_ARG, "report: epoch or count is negative, or series and count disagree");
    if (!(s->o.level >= 0 && s->o.level < 1))
        return fgti_fail(err, FGT_E_ARG, "report: level is %g, must lie between 0 and 1", s->o.level);
    if (s->row == -1) s->row = fgt_forecaster_find_row(f, table);
    return FGT_OK;
}

fgt_status fgt_report_add_forecast(fgt_report *report, fgt_forecaster *forecaster, const fgt_table *table,
                                   int64_t row, const fgt_report_forecast *opts)
{
    story s = {.r = report, .f = forecaster, .table = table, .row = row};
    if (!report) return FGT_E_ARG;
    fgt_context *ctx = report->ctx;
    FGTI_TRY(fgti_opts_read(&ctx->error, "fgt_report_forecast", opts, &s.o, sizeof s.o));
    FGTI_TRY(check(report, forecaster, table, &s));
    const fgt_status e = tell_exactly(&s);
    fgti_strings_done(ctx, &s.names);
    fgti_free(ctx, s.name);
    fgti_free(ctx, s.place);
    fgti_free(ctx, s.span);
    fgti_free(ctx, s.forecast);
    fgti_free(ctx, s.interval);
    fgti_free(ctx, s.sensitivity);
    return e;
}
