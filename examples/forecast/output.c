/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "forecast.h"

/* ---- files that are written completely or not at all ---- */

/* The directory of path with its slash, or "" for the current one. The caller frees it. */
static char *directory_of(const char *path, size_t more)
{
    const char  *slash = strrchr(path, '/');
    const size_t n     = slash ? (size_t)(slash - path) + 1 : 0;
    char        *out   = malloc(n + more + 2);
    if (!out) return NULL;
    memcpy(out, path, n);
    out[n] = 0;
    return out;
}

bool output_check(const char *path)
{
    struct stat there;
    if (!stat(path, &there) && !S_ISREG(there.st_mode))
        return complain("%s: cannot be written: %s", path,
                        S_ISDIR(there.st_mode) ? "it is a directory" : "it is no regular file");
    char *directory = directory_of(path, 0);
    if (!directory) return complain("no memory");
    const bool good = !access(*directory ? directory : ".", W_OK | X_OK);
    if (!good) complain("%s: cannot be written: %s", path, strerror(errno));
    free(directory);
    return good;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size) {
        const ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes += n;
        size -= (size_t)n;
    }
    return fsync(fd) == 0;
}

/* Syncs the directory, so that the rename survives a power cut. Not all file systems support that. */
static void sync_directory(const char *path)
{
    char     *directory = directory_of(path, 0);
    const int fd        = directory ? open(*directory ? directory : ".", O_RDONLY) : -1;
    if (fd >= 0) {
        (void)!fsync(fd);
        close(fd);
    }
    free(directory);
}

bool output_write(const char *path, const void *bytes, size_t size)
{
    static const char pattern[] = ".forecast-XXXXXX";
    struct stat       old;
    if (!output_check(path)) return false;
    char *temp = directory_of(path, sizeof pattern);
    if (!temp) return complain("no memory");
    strcat(temp, pattern);
    const int fd = mkstemp(temp);
    if (fd < 0) {
        complain("%s: cannot be written: %s", path, strerror(errno));
        free(temp);
        return false;
    }
    /* mkstemp makes private files. A new file gets the usual mode, a replaced one keeps its mode */
    const mode_t mask = umask(0);
    umask(mask);
    bool good = !fchmod(fd, stat(path, &old) ? 0666 & ~mask : old.st_mode & 07777);
    good      = write_all(fd, bytes, size) && good;
    good      = !close(fd) && good;
    good      = good && !rename(temp, path);
    if (good) {
        sync_directory(path);
    } else {
        complain("%s: cannot be written: %s", path, strerror(errno));
        unlink(temp);
    }
    free(temp);
    return good;
}

/* ---- forecasts as CSV ---- */

static void put_cell(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

/* A forecast [H,C], and after it the lower and the upper ends of each interval. */
static int64_t planes(const run *r)
{
    return 1 + 2 * r->o->interval_count;
}

static void put_names(const run *r, FILE *out)
{
    const char *date = fgt_table_get_date_name(r->table);
    put_cell(out, date ? date : "row");
    for (int64_t c = 0; c < r->info.columns; c++)
        for (int64_t p = 0; p < planes(r); p++) {
            char        end[32] = "";
            const char *name    = fgt_forecaster_get_name(r->forecaster, c);
            char       *whole   = malloc(strlen(name) + sizeof end);
            if (p) snprintf(end, sizeof end, p % 2 ? "-lo-%g" : "-hi-%g", 100 * r->o->interval[(p - 1) / 2]);
            fputc(',', out);
            if (whole) sprintf(whole, "%s%s", name, end);
            put_cell(out, whole ? whole : name);
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
        put_cell(out, label);
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
    const fgt_csv_opts csv = run_csv_opts(r->o);
    *future                = NULL;
    return !r->o->future || fgt_table_load(r->ctx, r->o->future, &csv, future) == FGT_OK ||
           complain("%s", fgt_context_error(r->ctx));
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

bool output_forecast(run *r, const char *path)
{
    const fgt_forecaster_info *i     = &r->info;
    const size_t               width = (size_t)i->columns * sizeof(double);
    double                    *next  = malloc((size_t)(planes(r) * i->pred_len) * width);
    char                      *text  = NULL;
    size_t                     size  = 0;
    bool                       good  = next ? forecast_next(r, next) : complain("no memory");
    FILE                      *out   = good ? open_memstream(&text, &size) : NULL;
    if (out) {
        put_forecast(r, next, out);
        good = !ferror(out);
        good = !fclose(out) && good;
    }
    if (good && (!out || !text)) good = complain("no memory");
    if (good) good = output_write(path, text, size);
    free(text);
    free(next);
    return good;
}
