/* SPDX-License-Identifier: BSD-3-Clause */
/* Options about the data: files, columns, times, windows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "options_data.h"

#include "../common/program.h"

static const char *const time_forms[] = {
    [FGT_TIME_FORM_AUTO] = "auto", [FGT_TIME_FORM_ISO] = "iso",   [FGT_TIME_FORM_DMY] = "dmy",
    [FGT_TIME_FORM_MDY] = "mdy",   [FGT_TIME_FORM_UNIX] = "unix", NULL,
};
static const char *const gaps[] = {
    [FGT_TABLE_MISSING_REFUSE]       = "refuse",
    [FGT_TABLE_MISSING_MASK]         = "mask",
    [FGT_TABLE_MISSING_FORWARD_FILL] = "fill",
    [FGT_TABLE_MISSING_ZERO]         = "zero",
    NULL,
};

static bool read_split(const char *text, options *o)
{
    fgt_split_opts *s    = &o->split;
    const bool      rows = !strncmp(text, "rows:", 5);
    double          v[3];
    char            rest;
    s->size = sizeof *s;
    s->kind = rows ? FGT_SPLIT_KIND_ROWS : FGT_SPLIT_KIND_RATIO;
    if (!strcmp(text, "etth") || !strcmp(text, "ettm")) {
        s->kind = text[3] == 'h' ? FGT_SPLIT_KIND_ETTH : FGT_SPLIT_KIND_ETTM;
        return true;
    }
    if (sscanf(rows ? text + 5 : text, "%lf,%lf,%lf%c", &v[0], &v[1], &v[2], &rest) != 3)
        return complain("--split is wrong (got \"%s\", need etth, ettm, ratios such as 0.7,0.1,0.2 or "
                        "rows:8640,2880,2880)",
                        text);
    for (int i = 0; i < 3; i++) {
        if (rows && (v[i] != floor(v[i]) || v[i] < 0 || v[i] > BIG))
            return complain("--split %s: numbers of rows are whole and not negative", text);
        if (rows)
            s->rows[i] = (int64_t)v[i];
        else
            s->ratio[i] = v[i];
    }
    return rows || v[0] > 0 ||
           complain("--split %s: no row is for training (got %g, need a share above 0)", text, v[0]);
}

/* Words, up to NULL, and their numbers. */
static const char *const repairs[]          = {"order", "repeats", "gaps", "all", "ignore", NULL};
static const int64_t     repair_numbers[]   = {FGT_TABLE_REPAIR_ORDER, FGT_TABLE_REPAIR_REPEATS,
                                               FGT_TABLE_REPAIR_GAPS, FGT_TABLE_REPAIR_ALL, -1};
static const char *const calendars[]        = {"auto", "none", "day", "week", "month", "year", NULL};
static const int64_t     calendar_numbers[] = {FGT_CALENDAR_AUTO, FGT_CALENDAR_NONE,  FGT_CALENDAR_DAY,
                                               FGT_CALENDAR_WEEK, FGT_CALENDAR_MONTH, FGT_CALENDAR_YEAR};

/* Reads words separated by commas, and adds up the number of each word. */
static bool read_parts(const char *option, const char *text, const char *const *words, const int64_t *numbers,
                       int64_t *sum)
{
    char list[WORDS_TEXT];
    *sum = 0;
    for (const char *p = text;; p++) {
        const size_t n = strcspn(p, ",");
        size_t       i = 0;
        while (words[i] && (strlen(words[i]) != n || strncmp(words[i], p, n) != 0)) i++;
        if (!words[i])
            return complain("--%s takes %s (with commas between them), not \"%s\"", option,
                            option_list_words(words, list), text);
        *sum |= numbers[i];
        p += n;
        if (!*p) return true;
    }
}

/* Writes the words of a sum, or the single word of a number that is not a sum. */
static void write_parts(int64_t sum, const char *const *words, const int64_t *numbers, char out[PARTS_MAX])
{
    *out = 0;
    for (size_t i = 0; words[i]; i++) {
        const int64_t n = numbers[i];
        if (n < 0 || sum < 0 ? n != sum : !n || (n & (n - 1)) || !(sum & n)) continue;
        if (*out) strcat(out, ",");
        strcat(out, words[i]);
    }
    if (!*out) strcpy(out, "none");
}

void options_calendar(int64_t sum, char out[PARTS_MAX])
{
    write_parts(sum, calendars + 2, calendar_numbers + 2, out);
}

void options_repair(int64_t sum, char out[PARTS_MAX])
{
    write_parts(sum, repairs, repair_numbers, out);
}

static bool read_file_name(const char *text, options *o)
{
    if (!*text) return complain("--data is empty");
    if (o->file_count == MAX_FILES) return complain("--data takes at most %d files", MAX_FILES);
    o->files[o->file_count++] = text;
    o->data                   = o->files[0];
    return true;
}

/* Cuts a name off a list; a name in double quotes may have commas. *p is NULL after the last one. */
static char *cut_name(char **p)
{
    const bool quoted = **p == '"' && strchr(*p + 1, '"');
    char      *name   = *p + quoted;
    if (quoted) {
        *p        = strchr(name, '"');
        *(*p)++   = 0;
    }
    *p = strchr(*p, ',');
    if (*p) *(*p)++ = 0;
    return name;
}

/* Reads auto, none, or the names of three columns. */
static bool read_long(const char *text, options *o)
{
    const char **const names[] = {&o->form_id, &o->form_time, &o->form_value};
    o->form                    = !strcmp(text, "auto")   ? FGT_TABLE_FORM_AUTO
                                 : !strcmp(text, "none") ? FGT_TABLE_FORM_WIDE
                                                         : FGT_TABLE_FORM_LONG;
    for (int i = 0; i < 3; i++) *names[i] = NULL;
    if (o->form != FGT_TABLE_FORM_LONG) return true;
    snprintf(o->form_names, sizeof o->form_names, "%s", text);
    char *p = strlen(text) < sizeof o->form_names ? o->form_names : NULL;
    for (int i = 0; i < 3 && p && *p && *p != ','; i++) *names[i] = cut_name(&p);
    if (!o->form_value || p)
        return complain("--long takes three names as in id,time,value, or auto or none, not \"%s\"", text);
    if (!strcmp(o->form_time, "auto")) o->form_time = NULL;
    return true;
}

/* A number and a text for missing values may both be given. */
static bool read_missing_value(const char *text, options *o)
{
    char        *end;
    const double v = strtod(text, &end);
    if (!*text) return complain("--missing-value is empty; empty cells are missing values anyway");
    if (*end || !isfinite(v) || strpbrk(text, "xX")) { /* strtod() reads 0x1F as a number, but files are not
                                                        * read so */
        o->missing_text = text;
        return true;
    }
    o->missing_value     = v;
    o->has_missing_value = true;
    return true;
}

/* Reads a number and a unit, such as 15min. */
static bool read_round(const char *text, options *o)
{
    static const struct {
        const char *unit;
        int64_t     ms;
    } units[] = {{"ms", 1}, {"s", 1000}, {"min", 60000}, {"h", 3600000}, {"d", 86400000}};
    char         *end;
    const int64_t count = strtoll(text, &end, 10);
    o->round            = 0;
    for (size_t i = 0; i < sizeof units / sizeof *units && count > 0 && count <= 86400000; i++)
        if (!strcmp(end, units[i].unit)) o->round = count * units[i].ms;
    return (o->round && 86400000 % o->round == 0) ||
           complain("--round is wrong (got \"%s\", need a part of a day, such as 10s, 15min, 1h or 1d)",
                    text);
}

enum { SPLIT = OWN, REPAIR, ROUND, CALENDAR, LONG, DATA = OWN_LIST, MISSING_VALUE };

static bool read_own(int kind, const char *text, void *base)
{
    options *o = base;
    switch (kind) {
    case SPLIT: return read_split(text, o);
    case DATA: return read_file_name(text, o);
    case LONG: return read_long(text, o);
    case ROUND: return read_round(text, o);
    case MISSING_VALUE: return read_missing_value(text, o);
    case REPAIR:
        return read_parts("repair", text, repairs, repair_numbers, &o->repair) &&
               (o->repair >= 0 || !strchr(text, ',') ||
                complain("--repair %s: ignore cannot be combined with others", text));
    default:
        return read_parts("calendar", text, calendars, calendar_numbers, &o->calendar) &&
               (o->calendar == FGT_CALENDAR_NONE || !(o->calendar & FGT_CALENDAR_NONE) ||
                complain("--calendar %s: none cannot be combined with others", text));
    }
}

static const opt rows[] = {
    {"data", DATA, 0, 0, 0, 0, NULL, "FILE",
     "CSV file, may be gzip-compressed, with a column of times; several:\n"
     "files with the same columns are put one after the other, others\n"
     "side by side, by their times; or a table file of --convert"},
    {"convert", TEXT, AT(convert), 0, 0, 0, NULL, "FILE",
     "write the data as a table file and end: --data reads it block by\n"
     "block, and it may be larger than memory. CSV files are read row by\n"
     "row, in the order in which they are given"},
    {"resident", COUNT, AT(resident), 0, 1, 1e12, NULL, "MIB",
     "of a table file that are in memory at a time; default: 128"},
    {"long", LONG, 0, 0, 0, 0, NULL, "ID,TIME,VALUE|auto|none",
     "the file has a row for each time of each series, in these\n"
     "columns: country,year,gdp, or store+product,date,qty where two\n"
     "name the series; TIME auto: found, such as Year and Month; auto\n"
     "(default): where they are called unique_id or item_id, ds or\n"
     "timestamp, y or target; none: a column is a series"},
    {"time", TEXT, AT(time), 0, 0, 0, NULL, "COL|none|auto",
     "the column of times; none: all columns are series; auto (default):\n"
     "the first column with times, or the first one if it is called so;\n"
     "Date and Time, or Year, Month, Day and Hour, are read together"},
    {"time-form", WORD, AT(time_form), 0, 0, 0, time_forms, "FORM",
     "auto (default), iso: 2016-07-31, dmy: 31/7/2016, mdy: 7/31/2016,\n"
     "all three also with years of two digits; unix: seconds since 1970.\n"
     "Jul 2016, 31-Jul-16, 2016Q3, 2016-W30, 2016-213, 201607 and other\n"
     "forms are read by themselves; outputs have the form of the data"},
    {"zone", TEXT, AT(zone), 0, 0, 0, NULL, "NAME",
     "of the clock that times without an offset are of, such as\n"
     "Europe/Berlin, or a file of a zone: hours that come twice, or are\n"
     "left out, when the clock changes are known, and calendars follow\n"
     "the clock. Offsets in the file (+02:00) do so by themselves"},
    {"repair", REPAIR, 0, 0, 0, 0, repairs, "HOW,...",
     "what may be done to rows whose times do not rise by equal steps:\n"
     "order (sort them), repeats (keep the last of a time), gaps (add\n"
     "rows of missing values), all; ignore: take the rows as they\n"
     "stand; default: refuse them"},
    {"round", ROUND, 0, 0, 0, 0, NULL, "STEP",
     "round times to multiples of this part of a day, such as 10s, 15min,\n"
     "1h or 1d: for clocks that are a little early or late; rows that\n"
     "would have one time are refused"},
    {"delimiter", WORD, AT(delimiter), 0, 0, 0, program_delimiters, "WHAT",
     "between cells: comma, semicolon, tab, bar; auto (default)"},
    {"decimal-comma", FLAG, AT(decimal_comma), 0, 0, 0, NULL, NULL,
     "numbers are written 3,14; files of forecasts are written so, too,\n"
     "with semicolons between cells"},
    {"decimal-point", FLAG, AT(decimal_point), 0, 0, 0, NULL, NULL,
     "numbers are written 3.14, also where 1.096 could be 1096: in files\n"
     "that are cut at semicolons or have dates with points"},
    {"spreadsheet", FLAG, AT(spreadsheet), 0, 0, 0, NULL, NULL,
     "numbers may also be written as spreadsheets show them: 1,200.5\n"
     "(1.200,5 with --decimal-comma), 12 %, $5, 5 EUR, (5) for -5"},
    {"skip", COUNT, AT(skip), 0, 0, BIG, NULL, "N",
     "lines above the header that are left out, such as a title"},
    {"no-header", FLAG, AT(no_header), 0, 0, 0, NULL, NULL,
     "the first line has values: the columns are called 0, 1, 2, ...\n"
     "without the column of times, which --time and --long number as well"},
    {"units", FLAG, AT(units), 0, 0, 0, NULL, NULL, "the line below the header has units: it is left out"},
    {"max-rows", COUNT, AT(max_rows), 0, 1, BIG, NULL, "N",
     "rows of data that are read of each file, not the lines after\n"
     "them, such as a footer"},
    {"comment", TEXT, AT(comment), 0, 0, 0, NULL, "TEXT",
     "lines that begin with it are left out: \"#\", or \"Total\" for a row\n"
     "of sums"},
    {"columns", TEXT, AT(columns), 0, 0, 0, NULL, "A,B,...", "the columns to use, by name; default: all"},
    {"target", TEXT, AT(target), 0, 0, 0, NULL, "all|A,B,...",
     "forecast these columns from all; default: all that are not known\n"
     "or past"},
    {"known", TEXT, AT(known), 0, 0, 0, NULL, "A,B,...",
     "columns whose values are known in advance, as prices or holidays;\n"
     "columns of texts with a role become 0 and 1 for each of their values"},
    {"past", TEXT, AT(past), 0, 0, 0, NULL, "A,B,...",
     "columns that are looked at, but not forecast; default with\n"
     "--target: all others"},
    {"calendar", CALENDAR, 0, AT(has_calendar), 0, 0, calendars, "WHAT,...",
     "what the model knows of the time: day (the hour), week, month,\n"
     "year, none; auto (default): of day, week and year those that the\n"
     "training rows go through twice, and that show in the targets"},
    {"holidays", TEXT, AT(holidays), 0, 0, 0, NULL, "FILE",
     "CSV file with a day in each line, and its name if it has one: the\n"
     "model knows these days, the days before and the days after"},
    {"static", TEXT, AT(features), 0, 0, 0, NULL, "FILE",
     "CSV file with a line for each series: its name, and then features\n"
     "of it that do not change, numbers or texts; for patches and\n"
     "variates"},
    {"missing", WORD, AT(missing), 0, 0, 0, gaps, "HOW",
     "empty and NaN cells, and rows that --repair gaps adds: refuse\n"
     "(default), mask out of loss and errors, fill with the value\n"
     "before, or zero: nothing is sold on days that are closed"},
    {"missing-value", MISSING_VALUE, 0, 0, 0, 0, NULL, "V",
     "a number or text that stands for a missing value, such as -9999\n"
     "or closed, besides an empty cell, NA, NaN, null, None, -, ?, #N/A"},
    {"keep-outliers", FLAG, AT(keep_outliers), 0, 0, 0, NULL, NULL,
     "single values far from all rows around them and from other seasons\n"
     "count as missing, and are named: take them as they are"},
    {"split", SPLIT, 0, AT(has_split), 0, 0, NULL, "HOW",
     "etth, ettm, ratios as 0.7,0.1,0.2 (default) or\n"
     "rows:8640,2880,2880: training, validation, test"},
};

const opt_group options_data = {rows, sizeof rows / sizeof *rows, 0, read_own,
                                "Files, columns, times and missing values", "data"};

/* ---- combinations of options ---- */

/* Checks that each comma has a name on both sides. */
static bool check_list(const char *option, const char *list)
{
    const size_t n = list ? strlen(list) : 1;
    if (!list || (list[0] != ',' && list[n - 1] != ',' && !strstr(list, ",,"))) return true;
    return complain("--%s %s: a name between two commas is empty", option, list);
}

bool options_check_data(const options *o)
{
    if (!o->data) return complain("--data FILE.csv is missing; see --help");
    if (o->repair && o->time && !strcmp(o->time, "none"))
        return complain("--repair needs times, and --time none says that the file has no times");
    if (o->round && (o->repair < 0 || (o->time && !strcmp(o->time, "none"))))
        return complain("--round needs times, which --%s rules out",
                        o->repair < 0 ? "repair ignore" : "time none");
    if (o->decimal_comma && o->decimal_point)
        return complain("--decimal-comma and --decimal-point exclude each other");
    if (o->units && o->no_header)
        return complain("--units stand below the header, which --no-header rules out");
    if (o->form_time && o->time)
        return complain("--long names the column of times, %s, and so does --time", o->form_time);
    if (o->convert && (o->load || o->columns || o->target || o->known || o->past))
        return complain("--convert takes all columns of --data, and no --load, --columns, --target, --known "
                        "or --past");
    if (o->convert && (o->save || o->predict || o->predict_all || o->forecasts || o->plot || o->report ||
                       o->checkpoint.write || o->checkpoint.resume || o->backtest || o->automatic ||
                       o->features || o->holidays))
        return complain("--convert writes the table file and ends: --save, --predict, --predict-all, "
                        "--forecasts, --plot, --report, --checkpoint, --resume, --backtest, --auto, --static "
                        "and --holidays are for a call with --data of that file");
    if (o->convert && o->cluster.mpi) return complain("--convert is for one process, without --mpi");
    return check_list("columns", o->columns) && check_list("target", o->target) &&
           check_list("known", o->known) && check_list("past", o->past);
}
