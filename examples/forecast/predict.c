/* SPDX-License-Identifier: BSD-3-Clause */
/* The forecast of the rows after the last one, as a CSV file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "forecast.h"

/* Rows of the forecast. */
static int64_t steps(const run *r)
{
    return r->o->horizon ? r->o->horizon : r->info.pred_len;
}

/* Quantiles are those of the model's own rows. */
static int64_t quantiles(const run *r)
{
    return r->o->horizon ? 0 : r->info.quantile_count;
}

int64_t predict_planes(const run *r)
{
    return 1 + quantiles(r) + 2 * r->o->interval_count;
}

static void name_plane(const run *r, int64_t p, char end[32])
{
    const int64_t i = p - 1 - quantiles(r);
    end[0]          = 0;
    if (i >= 0)
        snprintf(end, 32, i % 2 ? "-hi-%g" : "-lo-%g", 100 * r->o->interval[i / 2]);
    else if (p)
        snprintf(end, 32, "-q-%g", r->info.quantiles[p - 1]);
}

/* A name, its quantiles and the ends of its intervals: y, y-q-0.1, y-lo-80, y-hi-80. */
static void put_planes(const run *r, const char *name, FILE *out)
{
    for (int64_t p = 0; p < predict_planes(r); p++) {
        char  end[32];
        char *whole = malloc(strlen(name) + sizeof end);
        name_plane(r, p, end);
        fputc(',', out);
        if (whole) sprintf(whole, "%s%s", name, end);
        output_cell(out, whole ? whole : name);
        free(whole);
    }
}

/* The forecast of a cell and its intervals; what is not known stays empty. */
static void put_values(const run *r, const double *values, int64_t cell, FILE *out)
{
    const int64_t cells = steps(r) * r->info.columns;
    for (int64_t p = 0; p < predict_planes(r); p++) {
        fputc(',', out);
        output_number(out, values[p * cells + cell]);
    }
}

/* As the data has its times; where some time of the forecast cannot be written so, all as in ISO 8601. */
static time_style find_style(const run *r, const int64_t *rows)
{
    time_style style = time_style_find(r->table);
    for (int64_t c = 0; c < r->info.columns; c++)
        for (int64_t h = 0; rows[c] >= 0 && (!c || rows[c] != rows[c - 1]) && h < steps(r); h++)
            if (!time_style_fits(&style, rows[c] - 1, h + 1)) style.plain = true;
    return style;
}

/* The time of row h of a forecast that follows row `last`; where it is not known, rows are counted: +1 ... */
static void put_time(const time_style *style, int64_t last, int64_t h, FILE *out)
{
    char label[TIME_MAX];
    if (time_after(style, last, h + 1, label))
        output_cell(out, label);
    else
        fprintf(out, "+%lld", (long long)h + 1);
}

static void put_wide(const run *r, const double *values, const int64_t *rows, FILE *out)
{
    const time_style style = find_style(r, rows);
    const char      *date  = fgt_table_get_date_name(r->table);
    int64_t          first = 0;
    output_cell(out, date ? date : "row");
    for (int64_t c = 0; c < r->info.columns; c++)
        if (rows[c] >= 0) put_planes(r, fgt_forecaster_get_name(r->forecaster, c), out);
    fputc('\n', out);
    while (rows[first] < 0) first++;
    for (int64_t h = 0; h < steps(r); h++) {
        put_time(&style, rows[first] - 1, h, out);
        for (int64_t c = 0; c < r->info.columns; c++)
            if (rows[c] >= 0) put_values(r, values, h * r->info.columns + c, out);
        fputc('\n', out);
    }
}

/* How often columns are joined to name the series of a long file, as in store+product; the last one may have
 * a + of its own. */
static int64_t count_joints(const run *r)
{
    int64_t joints = 0;
    for (const char *p = fgt_table_get_id_name(r->table); (p = strchr(p, '+')); p++) joints++;
    for (int64_t c = 0; c < r->info.columns; c++) {
        int64_t own = 0;
        for (const char *p = fgt_forecaster_get_name(r->forecaster, c); (p = strchr(p, '+')); p++) own++;
        if (own < joints) return 0;
    }
    return joints;
}

/* The names of "S1+A", each in a cell. */
static void put_keys(const char *name, int64_t joints, FILE *out)
{
    for (; joints; joints--) {
        const size_t n    = strcspn(name, "+");
        char        *part = malloc(n + 1);
        if (part) snprintf(part, n + 1, "%s", name);
        output_cell(out, part ? part : "");
        fputc(',', out);
        free(part);
        name += n + 1;
    }
    output_cell(out, name);
}

/* A row for each time of each series, as in the file that was read. */
static void put_long(const run *r, const double *values, const int64_t *rows, FILE *out)
{
    const time_style style  = find_style(r, rows);
    const char      *value  = fgt_table_get_value_name(r->table);
    const int64_t    joints = count_joints(r);
    put_keys(fgt_table_get_id_name(r->table), joints, out);
    fputc(',', out);
    output_cell(out, fgt_table_get_date_name(r->table));
    put_planes(r, value ? value : "y", out);
    fputc('\n', out);
    for (int64_t c = 0; c < r->info.columns; c++)
        for (int64_t h = 0; rows[c] >= 0 && h < steps(r); h++) {
            put_keys(fgt_forecaster_get_name(r->forecaster, c), joints, out);
            fputc(',', out);
            put_time(&style, rows[c] - 1, h, out);
            put_values(r, values, h * r->info.columns + c, out);
            fputc('\n', out);
        }
}

/* ---- planes after the forecast ---- */

/* The ends of intervals from errors that were known before `row`. */
static fgt_status add_intervals(run *r, int64_t row, double *values)
{
    const int64_t    h = steps(r), c = r->info.columns, q = quantiles(r);
    const fgt_view   forecast = q ? *FGT_VIEW_OF(FGT_F64, values + h * c, q, h, c)
                                  : *FGT_VIEW_OF(FGT_F64, values, h, c);
    fgt_calibration *calibration = NULL;
    fgt_status       s           = FGT_OK;
    if (r->o->interval_count) s = fgt_calibration_create(r->forecaster, r->table, row, &calibration);
    for (int64_t i = 0; s == FGT_OK && i < 2 * r->o->interval_count; i++) {
        const double level = r->o->interval[i / 2];
        s = fgt_calibration_get_quantile(calibration, &forecast, i % 2 ? (1 + level) / 2 : (1 - level) / 2,
                                         FGT_VIEW_OF(FGT_F64, values + (1 + q + i) * h * c, h, c));
    }
    fgt_calibration_destroy(&calibration);
    return s;
}

/* Whether no target before k has its row. */
static bool is_first(const int64_t *rows, int64_t k)
{
    for (int64_t i = 0; i < k; i++)
        if (rows[i] == rows[k]) return false;
    return true;
}

/* The quantiles [Q,H,C]. Targets that begin in the same row are forecast together. */
static bool add_quantiles(run *r, const fgt_table *future, double *values, const int64_t *rows)
{
    const int64_t h = steps(r), c = r->info.columns, q = quantiles(r), cells = h * c;
    double       *all  = malloc((size_t)(q * cells + 1) * sizeof *all);
    bool          good = all || complain("no memory");
    for (int64_t k = 0; good && q && k < c; k++) {
        if (rows[k] < 0 || !is_first(rows, k)) continue;
        good = fgt_forecaster_predict_quantiles(r->forecaster, r->table, rows[k], future,
                                                FGT_VIEW_OF(FGT_F64, all, q, h, c)) == FGT_OK ||
               run_failed(r, r->o->data);
        for (int64_t i = 0; good && i < q * cells; i++)
            if (rows[i % c] == rows[k]) values[cells + i] = all[i];
    }
    free(all);
    return good;
}

/* ---- what follows the data ---- */

static void warn_of_missing(const run *r, const int64_t *rows)
{
    for (int64_t c = 0; c < r->info.columns; c++)
        if (rows[c] < 0 && !columns_is_absent(r, c))
            warn("%s is not forecast: it has no value, or fewer than %lld row%s up to it",
                 fgt_forecaster_get_name(r->forecaster, c), (long long)r->info.input_len,
                 plural(r->info.input_len));
}

static void warn_of_open_ends(const run *r, const double *values)
{
    const int64_t cells = steps(r) * r->info.columns, first = 1 + quantiles(r);
    for (int64_t i = 0; i < r->o->interval_count; i++) {
        const double *low = values + (first + 2 * i) * cells;
        int64_t       k   = 0;
        while (k < cells && (isnan(values[k]) || !isnan(low[k]))) k++;
        if (k < cells)
            warn("intervals of %g %% are empty where fewer than %lld errors are known",
                 100 * r->o->interval[i], (long long)certainty_needs(r->o->interval[i]));
    }
}

/* Series of a long file are forecast from the last row of each, columns of other files together. */
bool predict_values(run *r, double *values, int64_t *rows)
{
    const fgt_forecaster_info *i    = &r->info;
    const fgt_view             next = *FGT_VIEW_OF(FGT_F64, values, steps(r), i->columns);
    fgt_table                 *future;
    fgt_status                 s;
    if (!input_load_future(r, &future)) return false;
    if (fgt_table_get_id_name(r->table)) {
        s = fgt_forecaster_predict_each(r->forecaster, r->table, future, &next,
                                        FGT_VIEW_OF(FGT_I64, rows, i->columns));
    } else {
        s = fgt_forecaster_predict_table(r->forecaster, r->table, -1, future, &next);
        const int64_t row = fgt_forecaster_find_row(r->forecaster, r->table);
        for (int64_t c = 0; c < i->columns; c++) rows[c] = columns_is_absent(r, c) ? -1 : row;
    }
    const bool good =
        (s == FGT_OK || run_failed(r, r->o->data)) && add_quantiles(r, future, values, rows);
    fgt_table_destroy(&future);
    if (!good) return false;
    input_warn_of_holidays(r, fgt_forecaster_find_row(r->forecaster, r->table) - 1, steps(r));
    warn_of_missing(r, rows);
    if (add_intervals(r, -1, values) != FGT_OK) return run_failed(r, r->o->data);
    warn_of_open_ends(r, values);
    return true;
}

bool predict_known(run *r, double *values, const int64_t *rows)
{
    const int64_t    h = steps(r), c = r->info.columns, q = quantiles(r);
    const fgt_view   next = *FGT_VIEW_OF(FGT_F64, values, h, c);
    const fgt_status s    = fgt_forecaster_predict_table(r->forecaster, r->table, rows[0], NULL, &next);
    if (s != FGT_OK) return run_failed(r, r->o->data);
    if (!add_quantiles(r, NULL, values, rows)) return false;
    const fgt_status known = add_intervals(r, rows[0], values);
    if (known != FGT_OK && known != FGT_E_DATA) return run_failed(r, r->o->data);
    for (int64_t i = (1 + q) * h * c; known == FGT_E_DATA && i < predict_planes(r) * h * c; i++)
        values[i] = NAN;
    return true;
}

bool predict_next(run *r, const char *path)
{
    fgt_table *const           all  = r->table;
    const fgt_forecaster_info *i    = &r->info;
    const int64_t              size = predict_planes(r) * steps(r) * i->columns;
    double                    *next = malloc((size_t)size * sizeof *next);
    int64_t                   *rows = malloc((size_t)i->columns * sizeof *rows);
    output                     out  = {0};
    r->table                        = run_recent(r);
    bool                       good = next && rows ? predict_values(r, next, rows) : complain("no memory");
    if (good) good = output_open(&out, path);
    if (good) {
        (fgt_table_get_id_name(r->table) ? put_long : put_wide)(r, next, rows, out.file);
        good = output_close(&out, true);
    }
    r->table = all;
    free(rows);
    free(next);
    return good;
}
