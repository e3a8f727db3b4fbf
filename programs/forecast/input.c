/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that the program reads. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fighter/experimental/table_file.h>

#include "columns.h"
#include "fast_choice.h"
#include "input.h"
#include "markers.h"
#include "outliers.h"
#include "own_step.h"
#include "report_input.h"
#include "times.h"
#include "train_opts.h"

#include "../common/near.h"
#include "../common/program.h"

static fgt_csv_opts csv_opts(const options *o)
{
    const bool none  = o->time && !strcmp(o->time, "none");
    const bool named = o->time && !none && strcmp(o->time, "auto") != 0;
    return (fgt_csv_opts){.size          = sizeof(fgt_csv_opts),
                          .time          = named ? o->time : o->form_time,
                          .id            = o->form_id,
                          .value         = o->form_value,
                          .form          = o->form,
                          .marker        = o->missing_value,
                          .has_marker    = o->has_missing_value,
                          .zone          = o->zone,
                          .round         = o->round,
                          .delimiter     = program_delimiter(o->delimiter),
                          .decimal_comma = o->decimal_comma,
                          .spreadsheet   = o->spreadsheet,
                          .comment       = o->comment,
                          .skip          = o->skip,
                          .units         = o->units,
                          .no_header     = o->no_header,
                          .max_rows      = o->max_rows,
                          .decimal_point = o->decimal_point,
                          .missing_text  = o->missing_text,
                          .date          = none            ? FGT_TABLE_DATE_NONE
                                           : o->repair < 0 ? FGT_TABLE_DATE_LABELS
                                                           : 0,
                          .time_form     = (int32_t)o->time_form,
                          .repair        = o->repair < 0 ? 0 : (int32_t)o->repair,
                          .missing       = (int32_t)o->missing};
}

/* Warns if the labels are not times, but may be meant as times. */
static bool warn_of_labels(const run *r, const char *path, const fgt_csv_opts *csv, const fgt_table *table)
{
    fgt_table_info info = {.size = sizeof info};
    char           place[PLACE_MAX];
    if (fgt_table_get_info(table, &info) != FGT_OK) return run_failed(r, path);
    if (info.unread)
        warn("%s: labels of column \"%s\" are not read as times, as %s, so "
             "seasons and the calendar are not used, and the order of the rows is not checked; --time "
             "names another column",
             path, fgt_table_get_name(table, FGT_TABLE_NAME_LABELS, 0), row_place(table, 0, place));
    if (!fgt_table_get_name(table, FGT_TABLE_NAME_LABELS, 0) && csv->date == FGT_TABLE_DATE_AUTO)
        warn("%s: no column of times was found, so all columns of numbers are series, and the rows are taken "
             "in their order; --time NAME names the column of times, --time none says that the file has "
             "no times",
             path);
    return true;
}

/* Missing rows of a series may mean that it has a longer step. Reads the files once more to find out, in
 * another context, because this one has the error. */
static bool check_steps(const run *r, const char *const *paths, int64_t count, const fgt_csv_opts *csv)
{
    fgt_csv_opts mask  = *csv;
    fgt_table   *table = NULL;
    run          other = *r;
    bool         good  = true;
    other.rows.size    = sizeof other.rows;
    mask.missing       = FGT_TABLE_MISSING_MASK;
    if (r->forecaster ||
        fgt_context_create(&FGT_OPTS(fgt_context_opts, .threads = 1), &other.ctx) != FGT_OK)
        return true;
    if (fgt_table_load_files(other.ctx, paths, count, &mask, &table) == FGT_OK &&
        fgt_table_get_info(table, &other.rows) == FGT_OK) {
        other.table           = table;
        other.split.train_end = fgt_table_count_rows(table);
        good                  = own_step_check(&other);
    }
    fgt_table_destroy(&table);
    fgt_context_destroy(&other.ctx);
    return good;
}

/* If no column has a name of the command line, reads the files once more without names, to list their
 * columns; in another context, because this one has the error. */
static bool load_failed(const run *r, const char *const *paths, int64_t count, const fgt_csv_opts *csv,
                        bool future, fgt_status s)
{
    char meant[NEAR_TEXT], kept[KEPT_TEXT], hint[KEPT_TEXT + 100] = "";
    if (s == FGT_E_NAME && !r->o->form && input_kept_form(r, kept))
        snprintf(hint, sizeof hint,
                 "; the model was trained with --long %s; --long can name the columns of this file", kept);
    /* an option for the format of numbers in a future file might not suit the data */
    const char *text = fgt_context_get_error(r->ctx);
    if (future && (strstr(text, "`decimal_") || strstr(text, "`spreadsheet`")))
        return complain(
            "%s; --data and --future are read with the same options, so write their numbers alike", text);
    const fgt_csv_opts plain = {.size          = sizeof plain,
                                .delimiter     = csv->delimiter,
                                .comment       = csv->comment,
                                .skip          = csv->skip,
                                .units         = csv->units,
                                .no_header     = csv->no_header,
                                .max_rows      = csv->max_rows,
                                .spreadsheet   = csv->spreadsheet,
                                .decimal_comma = csv->decimal_comma,
                                .decimal_point = !csv->decimal_comma,
                                .date          = FGT_TABLE_DATE_LABELS,
                                .form          = FGT_TABLE_FORM_WIDE,
                                .missing       = FGT_TABLE_MISSING_MASK};
    if (s == FGT_E_DATA && strstr(text, "has no row at") && !check_steps(r, paths, count, csv)) return false;
    fgt_context       *ctx   = NULL;
    fgt_table         *table = NULL;
    if (s == FGT_E_NAME && fgt_context_create(&FGT_OPTS(fgt_context_opts, .threads = 1), &ctx) == FGT_OK &&
        fgt_table_load_files(ctx, paths, count, &plain, &table) == FGT_OK)
        run_failed_with(r, paths[0], *hint ? hint : columns_meant(r, table, meant));
    else
        run_failed_with(r, paths[0], hint);
    fgt_table_destroy(&table);
    fgt_context_destroy(&ctx);
    return false;
}

static fgt_forecaster_info info_of(const run *r)
{
    fgt_forecaster_info info = {.size = sizeof info};
    return fgt_forecaster_get_info(r->forecaster, &info) == FGT_OK ? info : (fgt_forecaster_info){0};
}

bool input_kept_form(const run *r, char text[KEPT_TEXT])
{
    const fgt_forecaster_info info    = info_of(r);
    const char *const         names[] = {info.id_column, info.time_column, info.value_column};
    size_t                    n       = 0;
    for (int64_t i = 0; i < 3; i++) {
        const char *name = names[i];
        if (!name) return false;
        const char *quote = strchr(name, ',') ? "\"" : "";
        n += (size_t)snprintf(text + n, KEPT_TEXT - n, "%s%s%s%s", i ? "," : "", quote, name, quote);
        if (n >= KEPT_TEXT) return false;
    }
    return true;
}

/* Uses the columns of the long file of training, which a long file is likely to have. */
static bool take_kept_form(const run *r, fgt_csv_opts *csv)
{
    if (csv->form != FGT_TABLE_FORM_AUTO || csv->date != FGT_TABLE_DATE_AUTO) return false;
    const fgt_forecaster_info info = info_of(r);
    if (!info.id_column) return false;
    csv->form  = FGT_TABLE_FORM_LONG;
    csv->id    = info.id_column;
    csv->value = info.value_column;
    if (!csv->time) csv->time = info.time_column;
    return true;
}

/* Reads the files. In a long file of known columns the values of the series may be left out. */
static fgt_status read_files(const run *r, const char *const *paths, int64_t count, bool future,
                             fgt_csv_opts csv, fgt_table **table)
{
    const fgt_status s = fgt_table_load_files(r->ctx, paths, count, &csv, table);
    if (!future || s != FGT_E_NAME || !csv.value) return s;
    csv.value = NULL;
    return fgt_table_load_files(r->ctx, paths, count, &csv, table);
}

/* Tries the columns of the long file of training, then another column of times, then what is detected in the
 * file. */
static fgt_status read_like_training(const run *r, const char *const *paths, int64_t count, bool future,
                                     const fgt_csv_opts *csv, fgt_table **table)
{
    fgt_csv_opts kept = *csv, timed;
    if (!take_kept_form(r, &kept)) return read_files(r, paths, count, future, *csv, table);
    timed        = kept;
    timed.time   = csv->time;
    fgt_status s = read_files(r, paths, count, future, kept, table);
    if (s == FGT_E_NAME) s = read_files(r, paths, count, future, timed, table);
    if (s != FGT_E_NAME || read_files(r, paths, count, future, *csv, table) == FGT_OK)
        return s == FGT_E_NAME ? FGT_OK : s;
    return read_files(r, paths, count, future, kept, table); /* only for the error */
}

/* Reads files into a table, with its categories. future: a file with the known columns; mask: values may be
 * missing, unless an option says otherwise. */
static fgt_status load(const run *r, const char *const *paths, int64_t count, bool future, bool mask,
                       fgt_table **table)
{
    fgt_csv_opts csv = csv_opts(r->o);
    if (r->forecaster) csv.step = &r->info.step;
    if (mask && csv.missing == FGT_TABLE_MISSING_REFUSE) csv.missing = FGT_TABLE_MISSING_MASK;
    categories c;
    fgt_status s = categories_find(r, future, &c, &csv) ? FGT_OK : FGT_E_NOMEM;
    if (future) csv.max_rows = 0;
    if (s == FGT_OK) {
        s = read_like_training(r, paths, count, future, &csv, table);
        if (s != FGT_OK) load_failed(r, paths, count, &csv, future, s);
    }
    categories_done(&c);
    if (s != FGT_OK) return s;
    const bool good = future ? markers_warn(r, paths[0], *table, 0, NULL)
                             : warn_of_labels(r, paths[0], &csv, *table);
    return good ? FGT_OK : FGT_E_NOMEM;
}

/* ---- table files ---- */

static fgt_status show_rows(void *user, double share, int64_t rows)
{
    static int shown = -1;
    const int  now   = (int)(share * 100);
    (void)user;
    if (now != shown && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%3d %%, %lld rows%s", now, (long long)rows, share < 1 ? "" : "\n");
    shown = now;
    return FGT_OK;
}

/* Converts files; files that cannot be read row by row are read as a whole. */
static fgt_status convert(const run *r, const fgt_csv_opts *csv, fgt_table_info *info)
{
    const options         *o = r->o;
    const fgt_convert_opts c = {.size = sizeof c, .csv = csv, .progress = show_rows};
    fgt_table             *t;
    fgt_status             s = fgt_table_convert(r->ctx, o->files, o->file_count, &c, o->convert, info);
    if (s != FGT_E_UNSUPPORTED) return s;
    s = fgt_table_load_files(r->ctx, o->files, o->file_count, csv, &t);
    if (s == FGT_OK) s = fgt_table_get_info(t, info);
    if (s == FGT_OK) s = fgt_table_save(t, o->convert);
    fgt_table_destroy(&t);
    return s;
}

/* Missing values have to be marked in the conversion; later this is not possible. */
static bool warn_of_markers(const run *r)
{
    fgt_table *t;
    if (fgt_table_open(r->ctx, r->o->convert, NULL, &t) != FGT_OK) return run_failed(r, r->o->convert);
    const bool good = markers_warn(r, r->o->data, t, 0, NULL);
    fgt_table_destroy(&t);
    return good;
}

bool input_convert(run *r)
{
    const options     *o    = r->o;
    FILE              *out  = o->json ? stderr : stdout;
    const fgt_csv_opts csv  = csv_opts(o);
    fgt_table_info     info = {.size = sizeof info};
    if (convert(r, &csv, &info) != FGT_OK) return run_failed(r, NULL);
    fprintf(out, "%s: %lld row%s, %lld column%s, %lld missing value%s", o->convert, (long long)info.rows,
            plural(info.rows), (long long)info.columns, plural(info.columns), (long long)info.missing,
            plural(info.missing));
    if (info.gaps) fprintf(out, ", %lld row%s added", (long long)info.gaps, plural(info.gaps));
    if (info.filled) fprintf(out, ", %lld value%s filled", (long long)info.filled, plural(info.filled));
    if (info.ignored)
        fprintf(out, ", %lld column%s left out, as empty or of texts or row numbers", (long long)info.ignored,
                info.ignored == 1 ? "" : "s");
    fputc('\n', out);
    if (info.repeats) report_repeats(NULL, &info, out);
    if (!warn_of_markers(r)) return false;
    return !o->json ||
           json_out_print(json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "file",
                                    json_out_text(o->convert), "rows", (json_int_t)info.rows, "columns",
                                    (json_int_t)info.columns, "missing", (json_int_t)info.missing,
                                    "values_filled", (json_int_t)info.filled, "rows_added",
                                    (json_int_t)info.gaps, "rows_removed", (json_int_t)info.repeats,
                                    "rows_in_conflict", (json_int_t)info.conflicts),
                          stdout);
}

/* Refuses options for sampling, searching or further training, which need all rows in memory. */
static bool check_stored(const options *o)
{
    const struct {
        const char *name;
        bool        given;
    } needs[] = {{"--plot", o->plot},         {"--report", o->report},      {"--backtest", o->backtest},
                 {"--auto", o->automatic},    {"--update", o->update},
                 {"--attent by groups", selection_needs_groups(&o->selection)}};
    if (o->file_count > 1) return complain("%s: a table file cannot be joined with other files", o->data);
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (needs[i].given)
            return complain("%s: %s needs all rows in memory, a table file stays on disk", o->data,
                            needs[i].name);
    return true;
}

/* Refuses options for reading CSV files if the data is a table file. --future, --static and --holidays may
 * still be CSV files, and missing values are masked anyway. */
static bool check_reading(const options *o, const char *path)
{
    const bool of_time = o->future || o->holidays, of_cells = o->future || o->features;
    const struct {
        const char *name;
        bool        given;
    } reads[] = {{"--long", o->form && !o->future},
                 {"--time", o->time && strcmp(o->time, "auto") != 0 && !o->future},
                 {"--time-form", o->time_form && !of_time},
                 {"--zone", o->zone && !o->future},
                 {"--round", o->round && !o->future},
                 {"--repair", o->repair && !o->future},
                 {"--delimiter", o->delimiter && !of_cells},
                 {"--decimal-comma", o->decimal_comma && !of_cells},
                 {"--decimal-point", o->decimal_point && !of_cells},
                 {"--spreadsheet", o->spreadsheet && !of_cells},
                 {"--comment", o->comment && !o->future},
                 {"--skip", o->skip && !o->future},
                 {"--units", o->units && !o->future},
                 {"--no-header", o->no_header && !o->future},
                 {"--max-rows", o->max_rows},
                 {"--missing", o->missing >= FGT_TABLE_MISSING_FORWARD_FILL && !o->future},
                 {"--missing-value", (o->has_missing_value || o->missing_text) && !o->future}};
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++)
        if (reads[i].given)
            return complain("%s: %s is for CSV files; a table file is as --convert read its data, where the "
                            "option can be given",
                            path, reads[i].name);
    return true;
}

fgt_status input_load_one(const run *r, const char *path, fgt_table **table)
{
    const fgt_table_open_opts open = {.size = sizeof open, .resident = r->o->resident << 20};
    if (fgt_file_get_kind(path) != FGT_FILE_KIND_TABLE) return load(r, &path, 1, false, false, table);
    if (!check_reading(r->o, path)) return FGT_E_ARG;
    const fgt_status s = fgt_table_open(r->ctx, path, &open, table);
    if (s != FGT_OK) run_failed(r, path);
    return s;
}

/* A forecast and the errors for its intervals read at most the last TAIL_ROWS rows, or as many as TAIL_BYTES
 * hold. */
enum { TAIL_ROWS = 20000, TAIL_BYTES = 32 << 20 };

static bool open_stored(run *r)
{
    const options *o = r->o;
    int64_t        l = r->info.input_len, h = r->info.pred_len;
    if (!check_stored(o) || input_load_one(r, o->data, &r->table) != FGT_OK) return false;
    if (!r->forecaster && !train_find_length(r, &l, &h)) return false;
    const int64_t rows = fgt_table_count_rows(r->table), wide = fgt_table_count_columns(r->table) * 8;
    const int64_t least = 2 * (l + h), fit = TAIL_BYTES / wide;
    int64_t       n     = fit < TAIL_ROWS ? fit : TAIL_ROWS;
    if (n < least) n = least;
    const int64_t first = rows > n ? rows - n : 0;
    if (fgt_table_create_range(r->table, first, rows, &r->tail) != FGT_OK) return run_failed(r, o->data);
    return markers_warn(r, o->data, r->table, first, NULL);
}

bool input_load(run *r)
{
    const options *o     = r->o;
    const char    *slash = strrchr(o->data, '/'), *stem = slash ? slash + 1 : o->data;
    const size_t   n = *stem == '.' ? strlen(stem) : strcspn(stem, ".");
    program_name_text(stem, n, r->dataset, sizeof r->dataset);
    if (fgt_file_get_kind(o->data) == FGT_FILE_KIND_TABLE
            ? !open_stored(r)
            : load(r, o->files, o->file_count, false, fast_may(o), &r->table) != FGT_OK)
        return false;
    r->rows.size = sizeof r->rows;
    if (fgt_table_get_info(r->table, &r->rows) != FGT_OK) return run_failed(r, o->data);
    if (r->forecaster && !columns_add_absent(r, o->data, r->table, &r->absent)) return false;
    if (fast_wanted(r)) return true; /* the values are checked later */
    if (r->rows.missing && !o->missing && fast_may(o)) {
        fgt_table_destroy(&r->table); /* a model accepts gaps only with an option for them */
        if (load(r, o->files, o->file_count, false, false, &r->table) != FGT_OK) return false;
    }
    r->split.train_end = fgt_table_count_rows(r->table); /* no series begins late */
    return (r->forecaster || own_step_check(r)) && outliers_leave_out(r, o->data, r->table) &&
           (table_is_stored(r->table) || markers_warn(r, o->data, r->table, 0, NULL));
}

bool input_read_future(const run *r, fgt_table **future)
{
    *future = NULL;
    /* only the cells that a forecast needs must have values */
    return !r->o->future || load(r, &r->o->future, 1, true, true, future) == FGT_OK;
}

bool input_load_future(const run *r, fgt_table **future)
{
    if (!input_read_future(r, future)) return false;
    if (*future) report_filled(*future, r->o->future, r->o->json ? stderr : stdout);
    return true;
}

/* ---- holidays ---- */

#define DAY INT64_C(86400000)
#define ONLY_DAYS "--holidays takes a file with only the days that are not like others"

/* Refuses a file with columns of numbers at equal steps, which is meant for --data or --known. */
static bool check_list(const run *r)
{
    enum { LEAST = 8 }; /* fewest rows that show a step */
    const fgt_csv_opts csv  = {.size      = sizeof csv,
                               .time_form = (int32_t)r->o->time_form,
                               .missing   = FGT_TABLE_MISSING_MASK,
                               .form      = FGT_TABLE_FORM_WIDE};
    fgt_table_info     info = {.size = sizeof info};
    fgt_context       *ctx  = NULL;
    fgt_table         *t    = NULL;
    char               step[TIME_MAX];
    bool               data = false;
    if (fgt_context_create(&FGT_OPTS(fgt_context_opts, .threads = 1), &ctx) == FGT_OK &&
        fgt_table_load(ctx, r->o->holidays, &csv, &t) == FGT_OK && fgt_table_get_info(t, &info) == FGT_OK)
        data = info.rows >= LEAST && time_step(t, step);
    fgt_table_destroy(&t);
    fgt_context_destroy(&ctx);
    return !data || complain("%s: it has %lld column%s of numbers and rows %s apart, as data has; " ONLY_DAYS,
                             r->o->holidays, (long long)info.columns, plural(info.columns), step);
}

/* Warns if more than a quarter of the days are holidays. */
static bool check_share(const run *r)
{
    enum { LEAST = 60 }; /* fewest days for this check */
    int64_t first, last, count = 0, before = INT64_MIN, n = fgt_days_count_entries(r->holidays);
    if (!time_of_row(r->table, 0, &first) ||
        !time_of_row(r->table, fgt_table_count_rows(r->table) - 1, &last))
        return true;
    for (int64_t i = 0, t; i < n; i++, before = t) {
        if (fgt_days_get_entry(r->holidays, i, &t, NULL) != FGT_OK) return true;
        count += t != before && t > first - DAY && t <= last;
    }
    n = (last - first) / DAY + 1;
    if (n < LEAST || 4 * count <= n) return true;
    if (2 * count > n)
        return complain("%s: %lld of the %lld days of the data are in it; " ONLY_DAYS, r->o->holidays,
                        (long long)count, (long long)n);
    warn("%s: %lld of the %lld days of the data are in it; " ONLY_DAYS, r->o->holidays, (long long)count,
         (long long)n);
    return true;
}

bool input_load_holidays(run *r)
{
    const options *o = r->o;
    if (!o->holidays) return true;
    if (!check_list(r)) return false;
    if (fgt_days_load(r->ctx, o->holidays, (int32_t)o->time_form, &r->holidays) != FGT_OK)
        return run_failed(r, o->holidays);
    if (r->table && !check_share(r)) return false;
    return !r->forecaster || fgt_forecaster_set_holidays(r->forecaster, r->holidays) == FGT_OK ||
           run_failed(r, o->load);
}

void input_warn_of_holidays(const run *r, int64_t last, int64_t rows)
{
    const fgt_days *days  = fgt_forecaster_get_holidays(r->forecaster);
    const int64_t  *times = fgt_table_get_times(r->table).data, day = INT64_C(86400000);
    char            text[24];
    int64_t         end;
    if (!days || fgt_days_get_entry(days, fgt_days_count_entries(days) - 1, &end, NULL) != FGT_OK) return;
    if (time_add(times[last], &r->info.step, rows) < end + day) return;
    if (fgt_time_format(end, text, sizeof text) != FGT_OK) return;
    warn("the list of holidays ends on %.10s, before the forecast does: no day after it is "
         "taken for a holiday",
         text);
}

/* Loads columns of texts as categories. */
static bool load_categories(run *r, fgt_csv_opts csv, int64_t count)
{
    const char **names    = calloc((size_t)count, sizeof *names);
    fgt_table   *features = NULL;
    if (!names) return complain("no memory");
    for (int64_t i = 0; i < count; i++) names[i] = fgt_table_get_name(r->features, FGT_TABLE_NAME_IGNORED, i);
    csv.categories     = names;
    csv.category_count = count;
    const fgt_status s = fgt_table_load(r->ctx, r->o->features, &csv, &features);
    free(names);
    fgt_table_destroy(&r->features);
    r->features = features;
    return s == FGT_OK || run_failed(r, r->o->features);
}

bool input_load_features(run *r)
{
    const options *o    = r->o;
    fgt_csv_opts   csv  = {.size          = sizeof csv,
                           .date          = FGT_TABLE_DATE_LABELS,
                           .form          = FGT_TABLE_FORM_WIDE,
                           .delimiter     = program_delimiter(o->delimiter),
                           .spreadsheet   = o->spreadsheet,
                           .decimal_comma = o->decimal_comma,
                           .decimal_point = o->decimal_point};
    fgt_table_info info = {.size = sizeof info};
    if (!o->features) return true;
    if (o->load) return complain("--static %s: the model of --load has its static features", o->features);
    if (fgt_table_load(r->ctx, o->features, &csv, &r->features) != FGT_OK ||
        fgt_table_get_info(r->features, &info) != FGT_OK)
        return run_failed(r, o->features);
    return !info.ignored || load_categories(r, csv, info.ignored);
}
