/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts from many rows of many files, in their order, in one CSV file. */
#include <stdlib.h>
#include <string.h>

#include "forecast.h"

#include "../common/journal.h"
#include "../common/progress.h"

/* Forecasts that are made, and kept in memory, at a time. */
enum { ORIGINS = 4096, VALUES = 1 << 20 };

/* Bytes of a number, or of a label with what stands around it. */
enum { NUMBER = 32, LABEL = 64 };

typedef struct batch_run {
    run     *r;
    journal  j;       /* its items are the origins of a file */
    int64_t  skipped; /* forecasts for which the rows had no values */
    int64_t  most;    /* origins at a time */
    int64_t *rows;    /* [most] */
    double  *values;  /* [most,H,C] */
    bool    *good;    /* [most] */
    char    *text;    /* of one forecast */
} batch_run;

static int64_t cells(const batch_run *b)
{
    return b->r->info.pred_len * b->r->info.columns;
}

static bool find_key(const batch_run *b, uint64_t *key)
{
    const options *o       = b->r->o;
    const uint64_t weights = fgt_model_get_hash(fgt_forecaster_get_model(b->r->forecaster));
    *key                   = journal_hash(JOURNAL_KEY, &weights, sizeof weights);
    *key                   = journal_hash(*key, &o->every, sizeof o->every);
    return journal_hash_files(key, o->files, o->file_count);
}

/* ---- lines ---- */

static void put_head(batch_run *b)
{
    const run *r = b->r;
    if (r->o->file_count > 1) fputs("file,", b->j.file);
    fputs("origin,step", b->j.file);
    for (int64_t c = 0; c < r->info.columns; c++) {
        fputc(',', b->j.file);
        output_cell(b->j.file, fgt_forecaster_get_name(r->forecaster, c));
    }
    fputc('\n', b->j.file);
    b->j.bytes = (int64_t)ftell(b->j.file);
}

/* A line for each step; rows[0] of the table is row `first` of the file. */
static void put_forecast(batch_run *b, const fgt_table *table, int64_t first, int64_t row,
                         const double *values)
{
    const run *r = b->r;
    char       label[TIME_MAX];
    char      *p    = b->text;
    const bool many = r->o->file_count > 1, dated = fgt_table_get_date(table, 0);
    snprintf(label, sizeof label, "%lld", (long long)(first + row));
    const char *from = dated ? forecasts_label(table, row - 1, label) : label;
    for (int64_t h = 0; h < r->info.pred_len; h++) {
        if (many) p += sprintf(p, "%lld,", (long long)b->j.input + 1);
        p += snprintf(p, LABEL, "%s,%lld", from, (long long)h + 1);
        for (int64_t c = 0; c < r->info.columns; c++) {
            *p++ = ',';
            p    = output_number(p, *values++);
        }
        *p++ = '\n';
    }
    journal_put(&b->j, b->text, (size_t)(p - b->text));
}

/* ---- forecasts ---- */

/* Windows without any value of a target are left out. */
static bool forecast_one(batch_run *b, const fgt_table *table, int64_t i)
{
    const run     *r    = b->r;
    const fgt_view next = *FGT_VIEW_OF(FGT_F64, b->values + i * cells(b), r->info.pred_len, r->info.columns);
    const fgt_status s  = fgt_forecaster_predict_table(r->forecaster, table, b->rows[i], NULL, &next);
    b->good[i]          = s == FGT_OK;
    b->skipped += s == FGT_E_DATA;
    return s == FGT_OK || s == FGT_E_DATA || run_failed(r, r->o->files[b->j.input]);
}

static bool forecast(batch_run *b, const fgt_table *table, int64_t n)
{
    const run       *r   = b->r;
    const fgt_view   all = *FGT_VIEW_OF(FGT_F64, b->values, n, r->info.pred_len, r->info.columns);
    const fgt_status s   = fgt_forecaster_predict_windows(r->forecaster, table, b->rows, n, NULL, &all);
    memset(b->good, true, (size_t)n * sizeof *b->good);
    if (s != FGT_E_DATA) return s == FGT_OK || run_failed(r, r->o->files[b->j.input]);
    for (int64_t i = 0; i < n; i++)
        if (!forecast_one(b, table, i)) return false;
    return true;
}

/* Origins that follow each other, of a table in memory whose row 0 is row `first` of the file. */
static bool take_rows(batch_run *b, const fgt_table *table, int64_t first, int64_t n)
{
    if (!forecast(b, table, n)) return false;
    for (int64_t i = 0; i < n; i++)
        if (b->good[i]) put_forecast(b, table, first, b->rows[i], b->values + i * cells(b));
    b->j.item += n;
    b->j.done += n;
    return journal_sync(&b->j, false);
}

/* Of a table on disk the rows that these origins see are read. */
static bool take_stored(batch_run *b, const fgt_table *table, int64_t n)
{
    const run    *r     = b->r;
    const int64_t first = b->rows[0] - r->info.input_len, rows = fgt_table_count_rows(table);
    const int64_t end = b->rows[n - 1] + (r->info.known ? r->info.pred_len : 0);
    fgt_table    *part;
    if (fgt_table_read(table, first, end < rows ? end : rows, &part) != FGT_OK)
        return run_failed(r, r->o->files[b->j.input]);
    for (int64_t i = 0; i < n; i++) b->rows[i] -= first;
    const bool good = take_rows(b, part, first, n);
    fgt_table_destroy(&part);
    return good;
}

/* Origins are rows L, L + every, ... as far as the rows of known columns go; without --every the row after
 * the last one with a value. */
static bool take_table(batch_run *b, const fgt_table *table)
{
    const run    *r    = b->r;
    const int64_t next = fgt_forecaster_find_row(r->forecaster, table), l = r->info.input_len;
    const int64_t rows = fgt_table_count_rows(table), every = r->o->every;
    const int64_t last  = r->info.known && rows - r->info.pred_len < next ? rows - r->info.pred_len : next;
    const int64_t count = every ? last < l ? 0 : (last - l) / every + 1 : next >= l;
    while (b->j.item < count && !progress_interrupted()) {
        int64_t n = count - b->j.item < b->most ? count - b->j.item : b->most;
        for (int64_t i = 0; i < n; i++) b->rows[i] = every ? l + (b->j.item + i) * every : next;
        if (!(fgt_table_is_stored(table) ? take_stored(b, table, n) : take_rows(b, table, 0, n)))
            return false;
    }
    return true;
}

static bool take_files(batch_run *b)
{
    const options *o = b->r->o;
    for (; b->j.input < o->file_count; b->j.input++, b->j.item = 0) {
        fgt_table *table = NULL;
        const bool good  = input_load_one(b->r, o->files[b->j.input], &table) && take_table(b, table);
        fgt_table_destroy(&table);
        if (!good) return false;
        if (progress_interrupted()) return true;
    }
    return true;
}

/* ---- all of it ---- */

static bool allocate(batch_run *b)
{
    const int64_t n = VALUES / cells(b);
    b->most         = n < 1 ? 1 : n < ORIGINS ? n : ORIGINS;
    b->rows         = calloc((size_t)b->most, sizeof *b->rows);
    b->values       = calloc((size_t)(b->most * cells(b)), sizeof *b->values);
    b->good         = calloc((size_t)b->most, sizeof *b->good);
    b->text         = malloc((size_t)(cells(b) * NUMBER + b->r->info.pred_len * 2 * LABEL));
    return (b->rows && b->values && b->good && b->text) || complain("no memory");
}

static bool finish(batch_run *b)
{
    if (!journal_finish(&b->j, b->r->o->file_count, b->r->o->json ? stderr : stdout)) return false;
    if (b->skipped && !progress_interrupted())
        fprintf(stderr, "%s: warning: %lld windows without a value of a target were left out\n", program_name,
                (long long)b->skipped);
    return true;
}

bool predict_all(run *r)
{
    batch_run b = {.r = r};
    uint64_t  key;
    progress_catch_interrupt();
    bool good = find_key(&b, &key) && allocate(&b) &&
                journal_open(&b.j, r->o->predict_all, "forecasts", key);
    if (good && !b.j.bytes) put_head(&b);
    good = good && take_files(&b) && finish(&b);
    journal_close(&b.j);
    free(b.rows);
    free(b.values);
    free(b.good);
    free(b.text);
    return good;
}
