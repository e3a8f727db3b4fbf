/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts from many rows of many files, in order, in one CSV file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <fighter/experimental/table_file.h>

#include "columns.h"
#include "input.h"
#include "markers.h"
#include "outliers.h"
#include "predict_all.h"
#include "ranges.h"
#include "report_input.h"
#include "times.h"

#include "../common/journal.h"
#include "../common/output.h"
#include "../common/program.h"
#include "../common/progress.h"

/* Forecasts that are computed and kept in memory at a time. */
enum { ORIGINS = 4096, VALUES = 1 << 20 };
/* Bytes of rows of a table on disk that are read at a time, in addition to a window. */
enum { PART_BYTES = 32 << 20 };

typedef struct batch_run {
    run     *r;
    journal  j;        /* its items are the origins of a file */
    int64_t *columns;  /* [C + known] of a file; -1: the file lacks this value of a category */
    bool     refused;  /* a file was refused because of its data: the same command cannot continue */
    int64_t  left_out; /* skipped forecasts of a file */
    char     why[512]; /* why the first of them was skipped */
    int64_t  most;     /* origins that are computed at a time */
    int64_t *rows;     /* [most] */
    double  *values;   /* [most,H,C] */
    bool    *good;     /* [most] */
} batch_run;

static int64_t cells(const batch_run *b)
{
    return b->r->info.pred_len * b->r->info.columns;
}

static fgt_status add_bytes(void *key, const void *bytes, int64_t size)
{
    *(uint64_t *)key = journal_hash(*(uint64_t *)key, bytes, (size_t)size);
    return FGT_OK;
}

/* Hash of everything in the model's file: forecasts depend on scaler, holidays and graph as well as on
 * weights. */
static bool find_key(const batch_run *b, uint64_t *key)
{
    const options    *o         = b->r->o;
    const fgt_writer  hash      = {.size = sizeof hash, .write = add_bytes, .user = key};
    const int64_t     numbers[] = {o->every,           o->products,      o->form,
                                   o->time_form,       o->repair,        o->delimiter,
                                   o->decimal_comma,   o->missing,       o->has_missing_value,
                                   o->spreadsheet,     o->skip,          o->units,
                                   o->escape_formulas, o->decimal_point, o->no_header,
                                   o->max_rows,        o->exact,         o->round};
    const char *const texts[]   = {o->form_id, o->form_time, o->form_value,
                                   o->time,    o->comment,   o->missing_text, o->zone};
    const bool        zone_file = o->zone && (*o->zone == '/' || *o->zone == '.');
    *key                        = journal_hash(JOURNAL_KEY, numbers, sizeof numbers);
    *key                        = journal_hash(*key, &o->missing_value, sizeof o->missing_value);
    *key                        = journal_hash_texts(*key, texts, sizeof texts / sizeof *texts);
    if (fgt_forecaster_save(b->r->forecaster, &FGT_OPTS(fgt_output, .writer = &hash)) != FGT_OK)
        return run_failed(b->r, o->load);
    const uint64_t weights = fgt_model_get_hash(fgt_forecaster_get_model(b->r->forecaster)); /* an adapter of
                                                                                              * --adapter is
                                                                                              * not in the
                                                                                              * file */
    *key                   = journal_hash(*key, &weights, sizeof weights);
    return journal_hash_files(key, &o->holidays, o->holidays != NULL) &&
           journal_hash_files(key, &o->zone, zone_file) &&
           journal_hash_files(key, o->files, o->file_count);
}

/* ---- lines ---- */

/* The first columns; a single file has no number. */
static const char *const first_columns[] = {"file", "origin", "step"};

static bool check_names(const run *r)
{
    for (int64_t c = 0; c < r->info.columns; c++)
        for (int k = r->o->file_count < 2; k < 3; k++)
            if (!strcmp(fgt_forecaster_get_name(r->forecaster, c), first_columns[k]))
                return complain("%s: two columns would be called \"%s\", one for the %s of the forecasts and "
                                "one for the series of this name; rename the column in the data, before the "
                                "training",
                                r->o->predict_all, first_columns[k], first_columns[k]);
    return true;
}

static void put_head(batch_run *b)
{
    const run *r = b->r;
    if (r->o->file_count > 1) output_names(b->j.file, "file,");
    output_names(b->j.file, "origin,step");
    for (int64_t c = 0; c < r->info.columns; c++) {
        output_separate(b->j.file);
        output_cell(b->j.file, fgt_forecaster_get_name(r->forecaster, c));
    }
    fputc('\n', b->j.file);
}

/* Writes a line for each step; rows[0] of the table is row `first` of the file. */
static void put_forecast(batch_run *b, const fgt_table *table, int64_t first, int64_t row,
                         const double *values)
{
    const run *r   = b->r;
    FILE      *out = b->j.file;
    char       label[TIME_MAX];
    const bool many = r->o->file_count > 1, dated = fgt_table_get_name(table, FGT_TABLE_NAME_ROW, 0);
    snprintf(label, sizeof label, "%lld", (long long)(first + row));
    const char *from = dated ? row_label(table, row - 1, label) : label;
    for (int64_t h = 0; h < r->info.pred_len; h++) {
        if (many) fprintf(out, "%lld", (long long)b->j.input + 1);
        if (many) output_separate(out);
        output_cell(out, from);
        output_separate(out);
        fprintf(out, "%lld", (long long)h + 1);
        for (int64_t c = 0; c < r->info.columns; c++) {
            output_separate(out);
            output_number(out, *values++);
        }
        fputc('\n', out);
    }
}

/* ---- forecasts ---- */

/* A file that cannot be read now may be readable later. A file with wrong data has to be changed, which makes
 * it another file. */
static bool failed(batch_run *b, fgt_status s)
{
    b->refused = s != FGT_E_IO && s != FGT_E_NOMEM;
    return false;
}

static bool file_failed(batch_run *b, fgt_status s)
{
    run_failed(b->r, b->r->o->files[b->j.input]);
    return failed(b, s);
}

static bool find_columns(batch_run *b, const fgt_table *table)
{
    const run                 *r = b->r;
    const fgt_forecaster_info *i = &r->info;
    for (int64_t c = 0; c < i->columns; c++) {
        const char      *name = fgt_forecaster_get_name(r->forecaster, c);
        const fgt_status s    = fgt_table_get_column(table, name, &b->columns[c]);
        if (s != FGT_OK) return file_failed(b, s);
    }
    for (int64_t k = 0; k < i->known; k++) {
        const char *name = fgt_forecaster_get_name(r->forecaster, i->columns + i->past + k);
        int64_t    *at   = &b->columns[i->columns + k];
        if (fgt_table_get_column(table, name, at) != FGT_OK) *at = -1;
    }
    return true;
}

/* Number of values of a column in rows begin .. end-1. */
static int64_t count_values(const fgt_table *table, int64_t column, int64_t begin, int64_t end)
{
    const fgt_view values = fgt_table_get_values(table);
    int64_t        count  = 0;
    for (int64_t r = begin; r < end && r < values.shape[0]; r++)
        count += !isnan(((const double *)values.data)[r * values.shape[1] + column]);
    return count;
}

/* Whether a target has no value in the rows before `row`, or a known column lacks a value from this row
 * on. */
static bool lacks_values(const batch_run *b, const fgt_table *table, int64_t row)
{
    const fgt_forecaster_info *i = &b->r->info;
    for (int64_t c = 0; c < i->columns; c++)
        if (!count_values(table, b->columns[c], row - i->input_len, row)) return true;
    for (int64_t c = i->columns; c < i->columns + i->known; c++)
        if (b->columns[c] >= 0 && count_values(table, b->columns[c], row, row + i->pred_len) < i->pred_len)
            return true;
    return false;
}

/* Skips rows that lack values. Any other error means that the file does not fit the model. */
static bool forecast_one(batch_run *b, const fgt_table *table, int64_t i)
{
    const run     *r    = b->r;
    const fgt_view next =
        *FGT_VIEW_OF(FGT_DTYPE_F64, b->values + i * cells(b), r->info.pred_len, r->info.columns);
    const fgt_status s  = fgt_forecaster_predict_table(r->forecaster, table, b->rows[i], NULL, &next);
    b->good[i]          = s == FGT_OK;
    if (s == FGT_OK) return true;
    if (s != FGT_E_DATA || !lacks_values(b, table, b->rows[i])) return file_failed(b, s);
    if (!b->left_out++) snprintf(b->why, sizeof b->why, "%s", fgt_context_get_error(r->ctx));
    return true;
}

static bool forecast(batch_run *b, const fgt_table *table, int64_t n)
{
    const run       *r   = b->r;
    const fgt_view   all = *FGT_VIEW_OF(FGT_DTYPE_F64, b->values, n, r->info.pred_len, r->info.columns);
    const fgt_status s = fgt_forecaster_workspace_predict_windows(fgt_forecaster_get_workspace(r->forecaster),
                                                                  table, b->rows, n, NULL, &all);
    memset(b->good, true, (size_t)n * sizeof *b->good);
    if (s != FGT_E_DATA) return s == FGT_OK || file_failed(b, s);
    for (int64_t i = 0; i < n; i++)
        if (!forecast_one(b, table, i)) return false;
    return true;
}

/* Takes consecutive origins of a table in memory whose row 0 is row `first` of the file. */
static bool take_rows(batch_run *b, const fgt_table *table, int64_t first, int64_t n)
{
    if (!forecast(b, table, n)) return false;
    for (int64_t i = 0; i < n; i++) {
        if (b->good[i]) put_forecast(b, table, first, b->rows[i], b->values + i * cells(b));
        b->j.done += b->good[i];
    }
    b->j.item += n;
    return journal_sync(&b->j, false);
}

/* Reads the rows of a table on disk that these origins need. */
static bool take_stored(batch_run *b, const fgt_table *table, int64_t n)
{
    const run    *r     = b->r;
    const int64_t first = b->rows[0] - r->info.input_len, rows = fgt_table_count_rows(table);
    const int64_t end = b->rows[n - 1] + (r->info.known ? r->info.pred_len : 0);
    fgt_table    *part;
    const fgt_status s = fgt_table_create_range(table, first, end < rows ? end : rows, &part);
    if (s != FGT_OK) return file_failed(b, s);
    for (int64_t i = 0; i < n; i++) b->rows[i] -= first;
    const bool good = take_rows(b, part, first, n);
    fgt_table_destroy(&part);
    return good;
}

static void warn_of_missing(const batch_run *b, int64_t count, int64_t before)
{
    const char *path = b->r->o->files[b->j.input];
    if (!count)
        warn("%s: no forecast, because %lld row%s before it, and the model needs %lld", path,
             (long long)before, before == 1 ? " stands" : "s stand", (long long)b->r->info.input_len);
    if (b->left_out)
        warn("%s: %lld forecast%s left out, the first because %s", path, (long long)b->left_out,
             plural(b->left_out), b->why);
}

/* Prints once for each file which series are unknown to the model, and how many values were filled. */
static bool report_file(batch_run *b, fgt_table *table)
{
    run of_file              = *b->r;
    of_file.table            = table;
    of_file.rows.size        = sizeof of_file.rows;
    const fgt_status s       = fgt_table_get_info(table, &of_file.rows);
    if (s != FGT_OK) return file_failed(b, s);
    columns_warn(&of_file, b->r->o->files[b->j.input]);
    if (!ranges_warn(b->r, b->r->o->files[b->j.input], table)) return failed(b, FGT_E_NOMEM);
    report_filled(table, b->r->o->files[b->j.input], b->r->o->json ? stderr : stdout);
    return true;
}

/* Removes values that are probably wrong, and names them. */
static bool take_out(const batch_run *b, fgt_table *table)
{
    const char *path = b->r->o->files[b->j.input];
    return outliers_leave_out(b->r, path, table) &&
           (table_is_stored(table) || markers_warn(b->r, path, table, 0, NULL));
}

/* Number of origins to compute at a time. For a table on disk all rows between them are read. */
static int64_t count_together(const batch_run *b, const fgt_table *table)
{
    const int64_t rows = PART_BYTES / (8 * fgt_table_count_columns(table)), every = b->r->o->every;
    const int64_t n = every ? 1 + rows / every : 1;
    return table_is_stored(table) && n < b->most ? n : b->most;
}

/* Origins are rows L, L + every, ... as far as the known columns reach; without --every the row after the
 * last one with a value. */
static bool take_table(batch_run *b, fgt_table *table)
{
    const run    *r = b->r;
    int64_t       absent;
    if (!columns_add_absent(r, r->o->files[b->j.input], table, &absent)) return failed(b, FGT_E_NAME);
    const int64_t next = fgt_forecaster_find_row(r->forecaster, table), l = r->info.input_len;
    const int64_t rows = fgt_table_count_rows(table), every = r->o->every;
    const int64_t last  = r->info.known && rows - r->info.pred_len < next ? rows - r->info.pred_len : next;
    const int64_t count = every ? last < l ? 0 : (last - l) / every + 1 : next >= l;
    const int64_t most  = count_together(b, table);
    b->left_out         = 0;
    if (!find_columns(b, table) || !take_out(b, table) || !report_file(b, table)) return false;
    while (b->j.item < count && !progress_interrupted()) {
        const int64_t n = count - b->j.item < most ? count - b->j.item : most;
        for (int64_t i = 0; i < n; i++) b->rows[i] = every ? l + (b->j.item + i) * every : next;
        if (!(table_is_stored(table) ? take_stored(b, table, n) : take_rows(b, table, 0, n))) return false;
    }
    warn_of_missing(b, count, every ? last : next);
    return true;
}

static bool take_files(batch_run *b)
{
    const options *o = b->r->o;
    for (; b->j.input < o->file_count; b->j.input++, b->j.item = 0) {
        fgt_table       *table = NULL;
        const fgt_status s     = input_load_one(b->r, o->files[b->j.input], &table);
        const bool       good  = s == FGT_OK ? take_table(b, table) : failed(b, s);
        fgt_table_destroy(&table);
        if (!good) return false;
        if (progress_interrupted()) return true;
    }
    return true;
}

/* ---- the run ---- */

static bool allocate(batch_run *b)
{
    const int64_t n = VALUES / cells(b);
    b->most         = n < 1 ? 1 : n < ORIGINS ? n : ORIGINS;
    b->columns      = calloc((size_t)(b->r->info.columns + b->r->info.known), sizeof *b->columns);
    b->rows         = calloc((size_t)b->most, sizeof *b->rows);
    b->values       = calloc((size_t)(b->most * cells(b)), sizeof *b->values);
    b->good         = calloc((size_t)b->most, sizeof *b->good);
    return (b->columns && b->rows && b->values && b->good) || complain("no memory");
}

static bool check_any(batch_run *b)
{
    if (b->j.done || progress_interrupted()) return true;
    b->refused = true;
    return complain("%s: is not written, because all forecasts are left out (got 0, need 1); the warnings "
                    "say why",
                    b->r->o->predict_all);
}

bool predict_all(run *r)
{
    batch_run b = {.r = r};
    uint64_t  key;
    progress_catch_interrupt();
    bool good = check_names(r) && find_key(&b, &key) && allocate(&b) &&
                journal_open(&b.j, r->o->predict_all, "forecasts", key);
    if (good && !b.j.bytes) put_head(&b);
    good = good && take_files(&b) && check_any(&b) && journal_finish(&b.j, r->o->file_count, r->o->json);
    if (b.refused) journal_drop(&b.j);
    journal_close(&b.j);
    free(b.columns);
    free(b.rows);
    free(b.values);
    free(b.good);
    return good;
}
