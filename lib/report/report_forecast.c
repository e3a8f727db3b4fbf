/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds a forecast with the attention to its input. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <fighter/experimental/sensitivity.h>

#include "core/size.h"
#include "data/table.h"
#include "forecast/forecaster.h"
#include "forecast/forecaster_impl.h"
#include "forecast/predict/predict.h"
#include "model/access.h"
#include "report/report_data.h"

#define MOST_SERIES 4    /* most series that are shown if the host gives no list */
#define MOST_NODES  1024 /* most nodes of a graph between series; powers of a larger graph take minutes */
/* The most steps of a forecast whose derivatives are computed; each step has its own backward pass. 24 steps
 * show daily patterns of hourly rows. */
#define MOST_STEPS 24

static const char about_sensitivity[] =
    "Sensitivity says how much the forecast would change with a row of the input, or with a series, through "
    "the whole model: at 0.2 a step of the forecast moves by about 0.2 standard deviations when the row "
    "moves by one.";

/* A forecast, and the names of its tokens. */
typedef struct story {
    fgt_report         *r;
    fgt_forecaster     *f;
    const fgt_table    *table;
    int64_t             row, tokens; /* row: row of the forecast; tokens: T; 0: no layer has attention */
    fgt_report_forecast o;
    bool                patches;     /* tokens are patches, and so each series has its own matrices */
    int64_t            *place;       /* [count of o]: indices of the targets that are shown */
    double             *forecast;    /* [H,C] */
    double             *interval;    /* [2,H,C]; NULL: no intervals */
    double             *sensitivity; /* [L] of rows, then [D] of series */
    fgti_strings        names;       /* names of tokens that are spans of rows */
    const char        **name;        /* [T] */
    int64_t            *span;        /* [2,T]: first and last row of each token; NULL: tokens are series */
} story;

/* ---- sensitivity ---- */

/* Computes the derivatives of one step with respect to the window [L,D]. If the model has quantiles, the
 * middle quantile is differentiated. */
static fgt_status report_forecast_differentiate(const fgt_forecaster *f, int64_t step, int64_t c, float *out)
{
    const int64_t              l = f->info.input_len, d = fgti_forecaster_inputs(f);
    const bool                 several = f->info.quantile_count > 0;
    const fgt_sensitivity_opts o       = {.size    = sizeof o,
                                          .first   = several ? step * f->info.columns + c : step,
                                          .count   = 1,
                                          .element = 1 + (several ? fgti_forecaster_middle(f) : c)};
    return fgt_jacobian_compute(f->model, FGT_VIEW(f->own->x, 1, l, d), &o,
                                FGT_VIEW_OF(FGT_DTYPE_F32, out, 1, 1, l, 1, d));
}

fgt_status fgti_report_sensitivity(const fgt_forecaster *f, int64_t c, double *by_row, double *by_series)
{
    const int64_t l = f->info.input_len, d = fgti_forecaster_inputs(f), h = f->info.pred_len;
    const int64_t steps = fgti_least(h, MOST_STEPS);
    float        *derivative;
    fgt_status    s = FGT_OK;
    for (int64_t i = 0; i < l; i++) by_row[i] = 0;
    for (int64_t i = 0; i < d; i++) by_series[i] = 0;
    FGTI_TRY(FGTI_NEW(f->ctx, l * d, "derivatives of a forecast", &derivative));
    for (int64_t k = 0; s == FGT_OK && k < steps; k++) {
        s = report_forecast_differentiate(f, k * h / steps, c, derivative);
        for (int64_t i = 0; i < l * d; i++) {
            const double square = (double)derivative[i] * (double)derivative[i] / (double)steps;
            by_row[i / d] += square;
            by_series[i % d] += square;
        }
    }
    for (int64_t i = 0; i < l; i++) by_row[i] = sqrt(by_row[i]);
    for (int64_t i = 0; i < d; i++) by_series[i] = sqrt(by_series[i]);
    fgti_free(f->ctx, derivative);
    return s;
}

/* ---- tokens ---- */

/* Reads length and stride of the patch layer. Both are 1 if each row is a token. */
static void report_forecast_find_patches(const fgt_model *m, int64_t *length, int64_t *stride)
{
    fgt_layer_info info = {.size = sizeof info};
    *length = *stride = 1;
    for (int64_t i = 0; i < fgti_model_layers(m); i++)
        if (fgt_model_get_layer(m, i, &info) == FGT_OK && !strcmp(info.type, "patch") &&
            !strcmp(info.name + strlen(info.name) - 5, "patch")) {
            *length = (int64_t)fgti_model_layer_option(m, i, "length");
            *stride = (int64_t)fgti_model_layer_option(m, i, "stride");
            return;
        }
}

/* Finds the rows of each token. Rows are numbered backwards from the forecast: row -1 is the last one before
 * it. */
static fgt_status report_forecast_find_spans(story *s)
{
    const int64_t l = s->f->info.input_len;
    int64_t       length, stride;
    char          text[80];
    report_forecast_find_patches(s->f->model, &length, &stride);
    FGTI_TRY(FGTI_NEW(s->r->ctx, 2 * s->tokens, "spans", &s->span));
    for (int64_t i = 0; i < s->tokens; i++) {
        const int64_t first = fgti_least(i * stride, l - 1), last = fgti_least(i * stride + length, l) - 1;
        int           n = snprintf(text, sizeof text, "\xe2\x88\x92%lld", (long long)(l - first));
        if (last > first)
            n += snprintf(text + n, sizeof text - (size_t)n, "\xe2\x80\xa6\xe2\x88\x92%lld",
                          (long long)(l - last));
        FGTI_TRY(fgti_strings_add(s->r->ctx, &s->names, text, n));
        s->span[i]             = first;
        s->span[s->tokens + i] = last;
    }
    return FGT_OK;
}

static fgt_status report_forecast_find_tokens(story *s)
{
    const bool series = s->f->info.tokens == FGT_TOKENS_VARIATE;
    s->tokens         = fgti_report_count_tokens(s->f->model);
    if (!s->tokens) return FGT_OK;
    if (!series) FGTI_TRY(report_forecast_find_spans(s));
    FGTI_TRY(FGTI_NEW(s->r->ctx, s->tokens, "names of tokens", &s->name));
    for (int64_t i = 0; i < s->tokens; i++)
        s->name[i] = fgti_strings_get(series ? &s->f->names : &s->names, i);
    return FGT_OK;
}

/* Finds the targets that are shown. */
static fgt_status report_forecast_find_series(story *s)
{
    const int64_t columns = s->f->info.columns;
    const bool    listed  = s->o.count > 0;
    if (!listed) s->o.count = fgti_least(columns, MOST_SERIES);
    FGTI_TRY(FGTI_NEW(s->r->ctx, s->o.count, "series", &s->place));
    for (int64_t i = 0; i < s->o.count; i++) {
        const char *name = listed ? s->o.series[i] : fgt_forecaster_get_name(s->f, i);
        int64_t     c    = 0;
        if (!name)
            return fgti_fail(&s->r->ctx->error, FGT_E_ARG, "report: series %lld is NULL", (long long)i);
        while (c < columns && strcmp(fgt_forecaster_get_name(s->f, c), name) != 0) c++;
        if (c == columns)
            return fgti_fail(&s->r->ctx->error, FGT_E_NAME,
                             "report: \"%.60s\" is no target of the forecaster", name);
        s->place[i] = c;
    }
    return FGT_OK;
}

/* ---- matrices ---- */

static const char *report_forecast_subject(const story *s, int64_t c)
{
    return s->patches ? fgt_forecaster_get_name(s->f, c) : NULL;
}

/* Adds the matrices of all subjects. Also adds the importance of their tokens for the sum of the model's
 * outputs. Importance runs its own passes, so it comes after all matrices. */
static fgt_status report_forecast_add_matrices(const story *s, bool importance)
{
    const int64_t    subjects = s->patches ? s->o.count : 1;
    fgt_status       e        = FGT_OK;
    fgt_report_pass *pass;
    if (!s->tokens) return FGT_OK;
    FGTI_TRY(FGTI_NEW(s->r->ctx, subjects, "passes", &pass));
    for (int64_t i = 0; i < subjects; i++)
        pass[i] = (fgt_report_pass){.size    = sizeof *pass,
                                    .subject = report_forecast_subject(s, s->place[i]),
                                    .tokens  = s->name,
                                    .sample  = s->patches ? s->place[i] : 0,
                                    .epoch   = s->o.epoch};
    for (int64_t i = 0; !importance && e == FGT_OK && i < subjects; i++)
        e = fgt_report_add_model(s->r, s->f->model, &pass[i]);
    if (importance) e = fgti_report_importance(s->r, s->f->model, NULL, pass, subjects);
    fgti_free(s->r->ctx, pass);
    return e;
}

/* Whether the graph of a layer is between series. If tokens are patches, series are nodes. A layer with
 * attention along the nodes then has a matrix for each patch; the last patch is nearest to the forecast. */
static bool report_forecast_is_between_series(const story *s, const fgt_layer_info *info)
{
    if (s->patches) return info->adjacency && info->axis == FGT_AXIS_NODES;
    return s->f->info.tokens == FGT_TOKENS_VARIATE &&
           (info->adjacency == FGT_ADJACENCY_GIVEN || info->adjacency == FGT_ADJACENCY_LEARNED);
}

static fgt_status report_forecast_add_graph(const story *s, const fgt_layer_info *info,
                                            const char *const *names)
{
    fgt_view a;
    FGTI_TRY(fgt_model_get_adjacency(s->f->model, info->name, &a));
    const fgt_report_pass p = {.size    = sizeof p,
                               .layer   = info->name,
                               .subject = s->patches ? "all series" : NULL,
                               .tokens  = names,
                               .sample  = a.shape[0] - 1,
                               .epoch   = s->o.epoch};
    return fgt_report_add_model(s->r, s->f->model, &p);
}

static fgt_status report_forecast_add_graphs(const story *s)
{
    fgt_layer_info info = {.size = sizeof info};
    const char   **names;
    fgt_status     e = FGT_OK;
    if (s->f->info.columns > MOST_NODES || s->f->info.past) return FGT_OK;
    FGTI_TRY(FGTI_NEW(s->r->ctx, s->f->info.columns, "names of series", &names));
    for (int64_t i = 0; i < s->f->info.columns; i++) names[i] = fgt_forecaster_get_name(s->f, i);
    for (int64_t i = 0; e == FGT_OK && i < fgti_model_layers(s->f->model); i++) {
        e = fgt_model_get_layer(s->f->model, i, &info);
        if (e == FGT_OK && report_forecast_is_between_series(s, &info))
            e = report_forecast_add_graph(s, &info, names);
    }
    fgti_free(s->r->ctx, names);
    return e;
}

/* ---- windows ---- */

/* Finds the ends of the intervals of all targets. If the model has quantiles, they are the ends. */
static fgt_status report_forecast_find_intervals(story *s)
{
    const int64_t h = s->f->info.pred_len, n = s->f->info.columns, q = s->f->info.quantile_count;
    double       *all  = s->forecast;
    fgt_view      from = *FGT_VIEW_OF(FGT_DTYPE_F64, all, h, n);
    fgt_status    e    = FGT_OK;
    if (!s->o.calibration) return FGT_OK;
    FGTI_TRY(FGTI_NEW(s->r->ctx, 2 * h * n, "intervals", &s->interval));
    if (q) {
        FGTI_TRY(FGTI_NEW(s->r->ctx, q * h * n, "quantiles", &all));
        from = *FGT_VIEW_OF(FGT_DTYPE_F64, all, q, h, n);
        e = fgt_forecaster_workspace_predict_quantiles(fgt_forecaster_get_workspace(s->f), s->table, s->row,
                                                       s->o.future, &from);
    }
    for (int i = 0; e == FGT_OK && i < 2; i++)
        e = fgt_calibration_compute_quantile(s->o.calibration, &from,
                                             i ? (1 + s->o.level) / 2 : (1 - s->o.level) / 2,
                                             FGT_VIEW_OF(FGT_DTYPE_F64, s->interval + i * h * n, h, n));
    if (q) fgti_free(s->r->ctx, all);
    return e;
}

static const char *report_forecast_date(const story *s, int64_t row)
{
    return row < fgt_table_count_rows(s->table) ? fgt_table_get_name(s->table, FGT_TABLE_NAME_ROW, row)
                                                : NULL;
}

/* Copies the input [L], the forecast [H], the truth [H] and the ends of the interval [2,H] of a target. */
static void report_forecast_copy(const story *s, int64_t c, int64_t column, double *value)
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

static fgt_status report_forecast_add_window(const story *s, int64_t c)
{
    const int64_t l = s->f->info.input_len, h = s->f->info.pred_len;
    const bool    series = s->tokens && !s->span;
    fgti_figures *list   = &s->r->figures[FGTI_FIGURE_WINDOW];
    int64_t       column;
    double       *value = NULL;
    char          band[60], percent[FGTI_NUMBER_TEXT_MAX];
    FGTI_TRY(fgti_report_sensitivity(s->f, c, s->sensitivity, s->sensitivity + l));
    FGTI_TRY(fgt_table_get_column(s->table, fgt_forecaster_get_name(s->f, c), &column));
    FGTI_TRY(FGTI_NEW(s->r->ctx, l + 4 * h, "window", &value));
    report_forecast_copy(s, c, column, value);
    snprintf(band, sizeof band, "%s %% interval", fgti_number_rounded(100 * s->o.level, 6, percent));
    const fgt_report_window w = {
        .size        = sizeof w,
        .name        = fgt_forecaster_get_name(s->f, c),
        .subject     = report_forecast_subject(s, c),
        .input       = FGT_VIEW_OF(FGT_DTYPE_F64, value, l),
        .forecast    = FGT_VIEW_OF(FGT_DTYPE_F64, value + l, h),
        .truth       = FGT_VIEW_OF(FGT_DTYPE_F64, value + l + h, h),
        .low         = s->interval ? FGT_VIEW_OF(FGT_DTYPE_F64, value + l + 2 * h, h) : NULL,
        .high        = s->interval ? FGT_VIEW_OF(FGT_DTYPE_F64, value + l + 3 * h, h) : NULL,
        .band        = s->interval ? band : NULL,
        .begin       = report_forecast_date(s, s->row - l),
        .from        = report_forecast_date(s, s->row),
        .first       = s->span,
        .last        = s->span ? s->span + s->tokens : NULL,
        .tokens      = s->span ? s->tokens : 0,
        .token       = series ? c + 1 : 0,
        .measure     = "sensitivity",
        .about       = about_sensitivity,
        .row_value   = FGT_VIEW_OF(FGT_DTYPE_F64, s->sensitivity, l),
        .token_value = series ? FGT_VIEW_OF(FGT_DTYPE_F64, s->sensitivity + l, s->tokens) : NULL};
    const fgt_status e = fgt_report_add_window(s->r, &w);
    if (e == FGT_OK) list->item[list->count - 1].from_row = s->row;
    fgti_free(s->r->ctx, value);
    return e;
}

/* Refuses a second row for a series. The matrices of this row would replace the matrices that mark the
 * windows of the first row. */
static fgt_status report_forecast_check_rows(const story *s)
{
    const fgti_figures *list = &s->r->figures[FGTI_FIGURE_WINDOW];
    for (int64_t i = 0; s->tokens && !s->o.epoch && i < s->o.count * list->count; i++) {
        const fgti_figure *w    = &list->item[i % list->count];
        const char        *name = report_forecast_subject(s, s->place[i / list->count]);
        if (w->from_row && w->from_row != s->row &&
            !strcmp(fgti_report_get_name(s->r, w->subject), name ? name : ""))
            return fgti_fail(&s->r->ctx->error, FGT_E_ARG,
                             "report: the attention of \"%.60s\" belongs to a forecast from another row (got "
                             "row %lld, need row %lld or another page)",
                             fgt_forecaster_get_name(s->f, s->place[i / list->count]), (long long)s->row,
                             (long long)w->from_row);
    }
    return FGT_OK;
}

/* ---- the whole ---- */

static fgt_status report_forecast_add(story *s)
{
    const int64_t h = s->f->info.pred_len, columns = s->f->info.columns;
    FGTI_TRY(report_forecast_find_series(s));
    FGTI_TRY(FGTI_NEW(s->r->ctx, h * columns, "forecast", &s->forecast));
    FGTI_TRY(fgt_forecaster_predict_table(s->f, s->table, s->row, s->o.future,
                                          FGT_VIEW_OF(FGT_DTYPE_F64, s->forecast, h, columns)));
    FGTI_TRY(report_forecast_find_intervals(s));
    FGTI_TRY(report_forecast_find_tokens(s));
    FGTI_TRY(report_forecast_check_rows(s));
    FGTI_TRY(report_forecast_add_matrices(s, false));
    FGTI_TRY(report_forecast_add_graphs(s));
    if (s->o.epoch) return FGT_OK;
    FGTI_TRY(report_forecast_add_matrices(s, true));
    FGTI_TRY(FGTI_NEW(s->r->ctx, s->f->info.input_len + fgti_forecaster_inputs(s->f), "sensitivity",
                      &s->sensitivity));
    for (int64_t i = 0; i < s->o.count; i++) FGTI_TRY(report_forecast_add_window(s, s->place[i]));
    return FGT_OK;
}

static fgt_status report_forecast_check(const fgt_report *r, const story *s)
{
    fgti_error *err = &r->ctx->error;
    if (!s->f || !s->table) return fgti_fail(err, FGT_E_ARG, "report: forecaster or table is NULL");
    if (s->f->ctx != r->ctx) return fgti_fail(err, FGT_E_ARG, "report: the forecaster is of another context");
    if (s->o.epoch < 0 || s->o.count < 0 || !s->o.count != !s->o.series)
        return fgti_fail(err, FGT_E_ARG,
                         "report: epoch, or series and their count, are wrong (got epoch %lld, %lld series)",
                         (long long)s->o.epoch, (long long)s->o.count);
    if (s->o.level >= 0 && s->o.level < 1) return FGT_OK;
    return fgti_fail(err, FGT_E_ARG, "report: level is wrong (got %g, need more than 0 and less than 1)",
                     s->o.level);
}

fgt_status fgt_report_add_forecast(fgt_report *report, fgt_forecaster *forecaster, const fgt_table *table,
                                   int64_t row, const fgt_report_forecast *opts)
{
    story s = {.r = report, .f = forecaster, .table = table, .row = row};
    FGTI_TRY(fgti_report_read(report, "forecast", false, opts, &s.o, sizeof s.o));
    FGTI_TRY(report_forecast_check(report, &s));
    fgt_context *ctx   = report->ctx;
    const bool   exact = forecaster->exact;
    s.patches          = forecaster->info.tokens == FGT_TOKENS_PATCH;
    if (row == -1) s.row = fgt_forecaster_find_row(forecaster, table);
    if (!(s.o.level > 0)) s.o.level = 0.8;
    forecaster->exact  = true; /* so that the attention shown is the attention of the forecast */
    const fgt_status e = report_forecast_add(&s);
    forecaster->exact  = exact;
    fgti_strings_done(ctx, &s.names);
    fgti_free(ctx, s.name);
    fgti_free(ctx, s.place);
    fgti_free(ctx, s.span);
    fgti_free(ctx, s.forecast);
    fgti_free(ctx, s.interval);
    fgti_free(ctx, s.sensitivity);
    return e;
}
