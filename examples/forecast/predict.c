/* SPDX-License-Identifier: BSD-3-Clause */
/* The forecast of the rows after the last one, as a CSV file. */
#include <stdlib.h>
#include <string.h>

#include "forecast.h"

/* A forecast [H,C], and after it the lower and the upper ends of each interval. */
static int64_t planes(const run *r)
{
    return 1 + 2 * r->o->interval_count;
}

static void put_names(const run *r, FILE *out)
{
    const char *date = fgt_table_get_date_name(r->table);
    output_cell(out, date ? date : "row");
    for (int64_t c = 0; c < r->info.columns; c++)
        for (int64_t p = 0; p < planes(r); p++) {
            char        end[32] = "";
            const char *name    = fgt_forecaster_get_name(r->forecaster, c);
            char       *whole   = malloc(strlen(name) + sizeof end);
            if (p) snprintf(end, sizeof end, p % 2 ? "-lo-%g" : "-hi-%g", 100 * r->o->interval[(p - 1) / 2]);
            fputc(',', out);
            if (whole) sprintf(whole, "%s%s", name, end);
            output_cell(out, whole ? whole : name);
            free(whole);
        }
    fputc('\n', out);
}

/* Rows whose label is not known are counted: +1, +2 ... */
static void put_forecast(const run *r, const double *values, FILE *out)
{
    const int64_t last = fgt_forecaster_find_row(r->forecaster, r->table) - 1;
    const int64_t c = r->info.columns, cells = r->info.pred_len * c;
    char          label[TIME_MAX];
    put_names(r, out);
    for (int64_t h = 0; h < r->info.pred_len; h++) {
        if (!time_after(r->table, last, h + 1, r->o->time_form == FGT_TIME_MDY, label))
            snprintf(label, sizeof label, "+%lld", (long long)h + 1);
        output_cell(out, label);
        for (int64_t i = h * c; i < (h + 1) * c; i++)
            for (int64_t p = 0; p < planes(r); p++) fprintf(out, ",%.9g", values[p * cells + i]);
        fputc('\n', out);
    }
}

static bool add_intervals(run *r, double *values)
{
    const int64_t    h = r->info.pred_len, c = r->info.columns;
    const fgt_view   forecast = *FGT_VIEW_OF(FGT_F64, values, h, c);
    fgt_calibration *calibration;
    fgt_status       s = fgt_calibration_create(r->forecaster, r->table, -1, &calibration);
    for (int64_t p = 1; s == FGT_OK && p < planes(r); p++) {
        const double level = r->o->interval[(p - 1) / 2];
        s = fgt_calibration_get_quantile(calibration, &forecast, p % 2 ? (1 - level) / 2 : (1 + level) / 2,
                                         FGT_VIEW_OF(FGT_F64, values + p * h * c, h, c));
    }
    fgt_calibration_destroy(&calibration);
    return s == FGT_OK || complain("%s: %s", r->o->data, fgt_context_error(r->ctx));
}

/* The columns known in advance, from --future; without it they are in the rows past the last target. */
static bool load_future(run *r, fgt_table **future)
{
    *future = NULL;
    return !r->o->future || run_load_table(r, r->o->future, true, future);
}

static bool forecast_next(run *r, double *forecast)
{
    const fgt_forecaster_info *i = &r->info;
    fgt_table                 *future;
    if (!load_future(r, &future)) return false;
    const fgt_view   next = *FGT_VIEW_OF(FGT_F64, forecast, i->pred_len, i->columns);
    const fgt_status s    = fgt_forecaster_predict_table(r->forecaster, r->table, -1, future, &next);
    fgt_table_destroy(&future);
    if (s != FGT_OK) return complain("%s: %s", r->o->data, fgt_context_error(r->ctx));
    return !r->o->interval_count || add_intervals(r, forecast);
}

bool predict_next(run *r, const char *path)
{
    const fgt_forecaster_info *i     = &r->info;
    const size_t               width = (size_t)i->columns * sizeof(double);
    double                    *next  = malloc((size_t)(planes(r) * i->pred_len) * width);
    output                     out   = {0};
    bool                       good  = next ? forecast_next(r, next) : complain("no memory");
    if (good) good = output_open(&out, path);
    if (good) {
        put_forecast(r, next, out.file);
        good = output_close(&out, true);
    }
    free(next);
    return good;
}
