/* SPDX-License-Identifier: BSD-3-Clause */
/* The CSV file of --predict: a column for each series, or, if the data was long, a row for each series and
 * time. */
#include <stdlib.h>
#include <string.h>

#include "predict_file.h"
#include "times.h"

#include "../common/output.h"
#include "../common/program.h"

static int64_t count_planes(const predict_file *f)
{
    return 1 + f->quantile_count + 2 * f->interval_count;
}

/* The column of values in long form. */
static const char *name_value(const predict_file *f)
{
    const char *value = fgt_table_get_name(f->table, FGT_TABLE_NAME_VALUE, 0);
    return value ? value : "y";
}

static void name_plane(const predict_file *f, int64_t p, char end[32])
{
    const int64_t i = p - 1 - f->quantile_count;
    end[0]          = 0;
    if (i >= 0)
        snprintf(end, 32, i % 2 ? "-hi-%g" : "-lo-%g", 100 * f->interval[i / 2]);
    else if (p)
        snprintf(end, 32, "-q-%g", f->quantile[p - 1]);
}

/* Whether a name is another name with an end. */
static bool is_joined(const char *whole, const char *name, const char *end)
{
    const size_t n = strlen(name);
    return !strncmp(whole, name, n) && !strcmp(whole + n, end);
}

static bool refuse_twice(const char *path, const char *whole, const char *what, const char *name)
{
    return complain("%s: two columns would be called \"%s\", one for %s and one for \"%s\"; rename the "
                    "column in the data, before the training",
                    path, whole, what, name);
}

/* Compares the name of a column without forecasts. */
static bool check_other(const predict_file *f, const char *const *name, int64_t names, const char *other,
                        const char *what, const char *path)
{
    char end[32];
    for (int64_t c = 0; c < names; c++)
        for (int64_t p = 0; p < count_planes(f); p++) {
            name_plane(f, p, end);
            if (is_joined(other, name[c], end)) return refuse_twice(path, other, what, name[c]);
        }
    return true;
}

/* Only the forecast of a series can have the name of another series with an end: no end ends with another. */
static bool check_series(const predict_file *f, const char *const *name, int64_t names, const char *path)
{
    char end[32];
    for (int64_t c = 0; c < names; c++)
        for (int64_t p = 1; p < count_planes(f); p++) {
            name_plane(f, p, end);
            const size_t n = strlen(name[c]), e = strlen(end);
            if (n < e || strcmp(name[c] + n - e, end) != 0) continue;
            for (int64_t k = 0; k < names; k++)
                if (is_joined(name[c], name[k], end))
                    return refuse_twice(path, name[c], "the series of this name", name[k]);
        }
    return true;
}

bool predict_file_check(const predict_file *f, const char *path)
{
    const char *id   = fgt_table_get_name(f->table, FGT_TABLE_NAME_ID, 0),
               *date = fgt_table_get_name(f->table, FGT_TABLE_NAME_LABELS, 0), *value = name_value(f);
    const char *const *name  = id ? &value : f->name;
    const int64_t      names = id ? 1 : f->series;
    return check_series(f, name, names, path) &&
           check_other(f, name, names, date ? date : "row", "the rows", path) &&
           (!id || check_other(f, name, names, id, "the series", path));
}

/* Writes a name, with its quantiles and the ends of its intervals: y, y-q-0.1, y-lo-80, y-hi-80. */
static void put_planes(const predict_file *f, const char *name, FILE *out)
{
    for (int64_t p = 0; p < count_planes(f); p++) {
        char  end[32];
        char *whole = malloc(strlen(name) + sizeof end);
        name_plane(f, p, end);
        output_separate(out);
        if (whole) sprintf(whole, "%s%s", name, end);
        output_cell(out, whole ? whole : name);
        free(whole);
    }
}

/* Writes the forecast of a cell and its intervals; unknown values become empty cells. */
static void put_values(const predict_file *f, int64_t cell, FILE *out)
{
    for (int64_t p = 0; p < count_planes(f); p++) {
        output_separate(out);
        output_number(out, f->values[p * f->steps * f->series + cell]);
    }
}

/* The time format of the file, applied to a series with a separate axis. */
static time_style style_of(const predict_file *f, int64_t series, const time_style *style)
{
    if (!f->axis || f->axis[series] == f->table) return *style;
    time_style own = time_style_find(f->table, f->axis[series]);
    own.plain      = style->plain;
    return own;
}

/* The time format of the data; if any time of the forecast cannot be written so, all are written in ISO
 * 8601. */
static time_style find_style(const predict_file *f)
{
    time_style style = time_style_find(f->table, f->table);
    for (int64_t c = 0; c < f->series; c++) {
        const bool again = c && f->row[c] == f->row[c - 1] && (!f->axis || f->axis[c] == f->axis[c - 1]);
        for (int64_t h = 0; f->row[c] >= 0 && !again && h < f->steps; h++) {
            const time_style own = style_of(f, c, &style);
            if (!time_style_fits(&own, f->row[c] - 1, h + 1)) style.plain = true;
        }
    }
    return style;
}

/* Writes the time of row h of a forecast that follows row `last`; if it is not known, the number of the row:
 * +1 ... */
static void put_time(const time_style *style, int64_t last, int64_t h, FILE *out)
{
    char label[TIME_MAX];
    if (time_after(style, last, h + 1, label))
        output_cell(out, label);
    else
        fprintf(out, "+%lld", (long long)h + 1);
}

static void put_wide(const predict_file *f, FILE *out)
{
    const time_style style = find_style(f);
    const char      *date  = fgt_table_get_name(f->table, FGT_TABLE_NAME_LABELS, 0);
    int64_t          first = 0;
    output_cell(out, date ? date : "row");
    for (int64_t c = 0; c < f->series; c++)
        if (f->row[c] >= 0) put_planes(f, f->name[c], out);
    fputc('\n', out);
    while (f->row[first] < 0) first++;
    for (int64_t h = 0; h < f->steps; h++) {
        put_time(&style, f->row[first] - 1, h, out);
        for (int64_t c = 0; c < f->series; c++)
            if (f->row[c] >= 0) put_values(f, h * f->series + c, out);
        fputc('\n', out);
    }
}

/* The number of + between the keys of a long file's series, as in store+product; the last key may itself
 * contain a +. */
static int64_t count_joints(const predict_file *f)
{
    int64_t joints = 0;
    for (const char *p = fgt_table_get_name(f->table, FGT_TABLE_NAME_ID, 0); (p = strchr(p, '+')); p++)
        joints++;
    for (int64_t c = 0; c < f->series; c++) {
        int64_t own = 0;
        for (const char *p = f->name[c]; (p = strchr(p, '+')); p++) own++;
        if (own < joints) return 0;
    }
    return joints;
}

/* Writes the keys of "S1+A", each in a cell. */
static void put_keys(const char *name, int64_t joints, FILE *out)
{
    for (; joints; joints--) {
        const size_t n    = strcspn(name, "+");
        char        *part = malloc(n + 1);
        if (part) snprintf(part, n + 1, "%s", name);
        output_cell(out, part ? part : "");
        output_separate(out);
        free(part);
        name += n + 1;
    }
    output_cell(out, name);
}

/* Writes a row for each time of each series, as in the file that was read. */
static void put_long(const predict_file *f, FILE *out)
{
    const time_style style  = find_style(f);
    const int64_t    joints = count_joints(f);
    put_keys(fgt_table_get_name(f->table, FGT_TABLE_NAME_ID, 0), joints, out);
    output_separate(out);
    output_cell(out, fgt_table_get_name(f->table, FGT_TABLE_NAME_LABELS, 0));
    put_planes(f, name_value(f), out);
    fputc('\n', out);
    for (int64_t c = 0; c < f->series; c++) {
        const time_style own = style_of(f, c, &style);
        for (int64_t h = 0; f->row[c] >= 0 && h < f->steps; h++) {
            put_keys(f->name[c], joints, out);
            output_separate(out);
            put_time(&own, f->row[c] - 1, h, out);
            put_values(f, h * f->series + c, out);
            fputc('\n', out);
        }
    }
}

bool predict_file_write(const predict_file *f, const char *path)
{
    output out = {0};
    if (!output_open(&out, path)) return false;
    (fgt_table_get_name(f->table, FGT_TABLE_NAME_ID, 0) ? put_long : put_wide)(f, out.file);
    return output_close(&out, true);
}
