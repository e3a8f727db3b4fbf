/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts from many rows of many files, in their order, in one CSV file. An interrupted run goes on where
 * it was: FILE.part has what is done, FILE.state how far that is. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "forecast.h"

#include "../common/progress.h"

/* Forecasts that are made, and kept in memory, at a time. */
enum { ORIGINS = 4096, VALUES = 1 << 20 };

/* Bytes of a number, or of a label with what stands around it. */
enum { NUMBER = 32, LABEL = 64 };

/* Seconds between two looks at the disk. */
#define SYNC 2.0

typedef struct place {
    int64_t file, origin, bytes, forecasts; /* the next to be done; of FILE.part; done so far */
} place;

typedef struct batch_run {
    run     *r;
    char     part[4096], state[4096];
    uint64_t key;  /* of the model, the files and the options */
    FILE    *file; /* FILE.part */
    place    at;
    double   synced, began;
    int64_t  before;  /* forecasts of an interrupted run */
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

/* ---- where the run is ---- */

static uint64_t hash(uint64_t h, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < size; i++) h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* Files are told apart by name, size and time of change. */
static bool find_key(batch_run *b)
{
    const options *o       = b->r->o;
    const uint64_t weights = fgt_model_get_hash(fgt_forecaster_get_model(b->r->forecaster));
    b->key                 = hash(UINT64_C(0xcbf29ce484222325), &weights, sizeof weights);
    b->key                 = hash(b->key, &o->every, sizeof o->every);
    for (int64_t i = 0; i < o->file_count; i++) {
        struct stat st;
        if (stat(o->files[i], &st)) return complain("%s: %s", o->files[i], strerror(errno));
        const int64_t what[] = {(int64_t)st.st_size, (int64_t)st.st_mtime};
        b->key               = hash(b->key, o->files[i], strlen(o->files[i]) + 1);
        b->key               = hash(b->key, what, sizeof what);
    }
    return true;
}

static bool write_state(const batch_run *b)
{
    char      text[160];
    const int n =
        snprintf(text, sizeof text, "%016" PRIx64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n",
                 b->key, b->at.file, b->at.origin, b->at.bytes, b->at.forecasts);
    return output_write(b->state, text, (size_t)n);
}

/* What stands in FILE.part is on the disk before FILE.state says so. */
static bool sync_part(batch_run *b, bool now)
{
    const double time = seconds_now();
    if (!now && time - b->synced < SYNC) return true;
    b->synced = time;
    if (fflush(b->file) || ferror(b->file) || fsync(fileno(b->file)))
        return complain("%s: cannot be written: %s", b->part, strerror(errno));
    return write_state(b);
}

static bool read_state(batch_run *b, bool *found)
{
    FILE    *f = fopen(b->state, "r");
    uint64_t key;
    *found = false;
    if (!f) return true;
    const bool whole = fscanf(f, "%" SCNx64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64, &key,
                              &b->at.file, &b->at.origin, &b->at.bytes, &b->at.forecasts) == 5;
    fclose(f);
    *found = true;
    return (whole && key == b->key) ||
           complain("%s is of a run with another model, other files or options; remove it to begin anew",
                    b->state);
}

static bool open_part(batch_run *b)
{
    bool        found;
    struct stat st;
    if (!read_state(b, &found)) return false;
    b->file = fopen(b->part, found ? "r+" : "w");
    if (!b->file) return complain("%s: %s", b->part, strerror(errno));
    if (!found) return true;
    b->before = b->at.forecasts;
    if (fstat(fileno(b->file), &st) || st.st_size < b->at.bytes ||
        ftruncate(fileno(b->file), (off_t)b->at.bytes) || fseek(b->file, 0, SEEK_END))
        return complain("%s: cannot be continued", b->part);
    fprintf(stderr, "%s: goes on after %lld forecasts\n", b->part, (long long)b->at.forecasts);
    return true;
}

/* ---- lines ---- */

static void put(batch_run *b, const char *text, size_t size)
{
    fwrite(text, 1, size, b->file);
    b->at.bytes += (int64_t)size;
}

static void put_head(batch_run *b)
{
    const run *r = b->r;
    if (r->o->file_count > 1) fputs("file,", b->file);
    fputs("origin,step", b->file);
    for (int64_t c = 0; c < r->info.columns; c++) {
        fputc(',', b->file);
        output_cell(b->file, fgt_forecaster_get_name(r->forecaster, c));
    }
    fputc('\n', b->file);
    b->at.bytes = (int64_t)ftell(b->file);
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
        if (many) p += sprintf(p, "%lld,", (long long)b->at.file + 1);
        p += snprintf(p, LABEL, "%s,%lld", from, (long long)h + 1);
        for (int64_t c = 0; c < r->info.columns; c++) {
            *p++ = ',';
            p    = output_number(p, *values++);
        }
        *p++ = '\n';
    }
    put(b, b->text, (size_t)(p - b->text));
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
    return s == FGT_OK || s == FGT_E_DATA || run_failed(r, r->o->files[b->at.file]);
}

static bool forecast(batch_run *b, const fgt_table *table, int64_t n)
{
    const run       *r   = b->r;
    const fgt_view   all = *FGT_VIEW_OF(FGT_F64, b->values, n, r->info.pred_len, r->info.columns);
    const fgt_status s   = fgt_forecaster_predict_windows(r->forecaster, table, b->rows, n, NULL, &all);
    memset(b->good, true, (size_t)n * sizeof *b->good);
    if (s != FGT_E_DATA) return s == FGT_OK || run_failed(r, r->o->files[b->at.file]);
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
    b->at.origin += n;
    b->at.forecasts += n;
    if (ferror(b->file)) return complain("%s: cannot be written: %s", b->part, strerror(errno));
    return sync_part(b, false);
}

/* Of a table on disk the rows that these origins see are read. */
static bool take_stored(batch_run *b, const fgt_table *table, int64_t n)
{
    const run    *r     = b->r;
    const int64_t first = b->rows[0] - r->info.input_len, rows = fgt_table_count_rows(table);
    const int64_t end = b->rows[n - 1] + (r->info.known ? r->info.pred_len : 0);
    fgt_table    *part;
    if (fgt_table_read(table, first, end < rows ? end : rows, &part) != FGT_OK)
        return run_failed(r, r->o->files[b->at.file]);
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
    while (b->at.origin < count && !progress_interrupted()) {
        int64_t n = count - b->at.origin < b->most ? count - b->at.origin : b->most;
        for (int64_t i = 0; i < n; i++) b->rows[i] = every ? l + (b->at.origin + i) * every : next;
        if (!(fgt_table_is_stored(table) ? take_stored(b, table, n) : take_rows(b, table, 0, n)))
            return false;
    }
    return true;
}

static bool take_files(batch_run *b)
{
    const options *o = b->r->o;
    for (; b->at.file < o->file_count; b->at.file++, b->at.origin = 0) {
        fgt_table *table = NULL;
        const bool good  = input_load_one(b->r, o->files[b->at.file], &table) && take_table(b, table);
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

static void say_result(const batch_run *b)
{
    const double seconds = seconds_now() - b->began;
    FILE        *out     = b->r->o->json ? stderr : stdout;
    fprintf(out, "%lld forecasts from %lld files in %.1f s, %.0f a minute\n", (long long)b->at.forecasts,
            (long long)b->r->o->file_count, seconds,
            60 * (double)(b->at.forecasts - b->before) / (seconds + 1e-9));
    if (b->skipped)
        fprintf(stderr, "%s: warning: %lld windows without a value of a target were left out\n", program_name,
                (long long)b->skipped);
}

static bool finish(batch_run *b)
{
    const char *path = b->r->o->predict_all;
    if (!sync_part(b, true)) return false;
    if (progress_interrupted()) {
        fprintf(stderr, "%s: interrupted: the same command goes on with %s\n", program_name, b->part);
        return true;
    }
    if (rename(b->part, path)) return complain("%s: cannot be written: %s", path, strerror(errno));
    unlink(b->state);
    say_result(b);
    return true;
}

bool predict_all(run *r)
{
    batch_run b = {.r = r, .began = seconds_now()};
    snprintf(b.part, sizeof b.part, "%s.part", r->o->predict_all);
    snprintf(b.state, sizeof b.state, "%s.state", r->o->predict_all);
    progress_catch_interrupt();
    bool good = find_key(&b) && allocate(&b) && open_part(&b);
    if (good && !b.at.bytes) put_head(&b);
    good = good && take_files(&b) && finish(&b);
    if (b.file) fclose(b.file);
    free(b.rows);
    free(b.values);
    free(b.good);
    free(b.text);
    return good;
}
