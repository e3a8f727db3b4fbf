/* SPDX-License-Identifier: BSD-3-Clause */
/* The zone of a table's clock, and the clock times of its rows. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/context.h"
#include "core/sort.h"
#include "data/csv/reader.h"
#include "data/table.h"

/* ---- zone files ---- */

enum { ZONE_MOST = 1 << 18 }; /* bytes; the largest zone file has a few thousand */

static fgt_status read_file(fgt_context *ctx, const char *path, unsigned char *bytes, int64_t *size)
{
    fgti_reader *reader;
    const char  *data;
    size_t       n = 1;
    *size          = 0;
    FGTI_TRY(fgti_reader_open(ctx, path, &reader));
    fgt_status s = FGT_OK;
    while (s == FGT_OK && n) {
        s = fgti_reader_read(reader, &data, &n);
        if (s != FGT_OK) break;
        if (n > (size_t)(ZONE_MOST - *size))
            s = fgti_fail(&ctx->error, FGT_E_FORMAT, "%.300s: too large for a file of a time zone", path);
        else
            memcpy(bytes + *size, data, n);
        *size += (int64_t)n;
    }
    fgti_reader_close(&reader);
    return s;
}

/* Refuses a pipe, because one without a writer would block. The reader reports folders and missing files. */
static fgt_status check_zone_file(fgt_context *ctx, const char *path)
{
    struct stat st;
    if (stat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) return FGT_OK;
    return fgti_fail(&ctx->error, FGT_E_IO, "%.300s: cannot read: not a regular file", path);
}

static fgt_status load(fgt_context *ctx, const char *path, fgti_zone *zone)
{
    unsigned char *bytes;
    int64_t        size;
    FGTI_TRY(check_zone_file(ctx, path));
    FGTI_TRY(FGTI_NEW(ctx, ZONE_MOST, "file of a time zone", &bytes));
    fgt_status s = read_file(ctx, path, bytes, &size);
    if (s == FGT_OK) s = fgti_zone_read(ctx, path, bytes, size, zone);
    fgti_free(ctx, bytes);
    return s;
}

static bool is_plain(const char *name)
{
    return *name && *name != '/' && !strstr(name, "..") && strlen(name) < 100;
}

fgt_status fgti_table_zone_load(fgt_context *ctx, const char *name, fgti_zone *zone)
{
    static const char *const folders[] = {"/usr/share/zoneinfo", "/usr/lib/zoneinfo",
                                          "/usr/share/lib/zoneinfo"};
    char                     path[160], show[FGTI_SHOW];
    *zone = (fgti_zone){0};
    if (*name == '/' || *name == '.') return load(ctx, name, zone);
    for (size_t i = 0; is_plain(name) && i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s/%s", folders[i], name);
        const fgt_status s = load(ctx, path, zone);
        if (s != FGT_E_IO) return s;
        fgti_zone_done(ctx, zone);
    }
    return fgti_fail(
        &ctx->error, FGT_E_NAME,
        "the option `zone`: there is no \"%s\" in %s, the folder of tzdata; names are such as Europe/Berlin, "
        "and the path to a file begins with / or .",
        fgti_show(name, show), folders[0]);
}

/* ---- clocks of rows ---- */

/* Finds a row's offset: its label's offset or, if the label has no offset and there is a zone, the zone's at
 * that time. */
static fgt_status find_clock(fgt_context *ctx, fgti_clock *c, const fgti_row_labels *l,
                             const fgti_time_form *f, int64_t row, int64_t *last, int64_t *time)
{
    fgti_stamp  s = {0};
    int64_t     found[2];
    char        show[FGTI_SHOW], place[FGTI_ROW_TEXT];
    const char *label = fgti_strings_get(l->texts, row);
    fgti_time_read_by(label, &f->rule, &s);
    const bool sure = s.has_offset || (s.pieces == 1 && s.piece[0].part == FGTI_PART_UNIX);
    c->offset[row]  = s.offset;
    if (!c->zone.offset) return FGT_OK;
    if (!sure) {
        const int n = fgti_zone_find(&c->zone, *time, found);
        if (!n)
            return fgti_fail(&ctx->error, FGT_E_DATA,
                             "%.280s: %s: \"%s\" is in an hour that the clock of the zone left out", l->what,
                             fgti_row_text(l->lines, row, NULL, place), fgti_show(label, show));
        *time = n == 2 && found[0] <= *last ? found[1] : found[0];
        *last = *time;
    }
    c->offset[row] = fgti_zone_offset(&c->zone, *time);
    return FGT_OK;
}

static bool is_by_clock(const fgt_time_step *s)
{
    return s->months || s->milliseconds >= FGTI_DAY || fgti_step_closes(s);
}

/* Days and months, and hours that divide a day, are counted by the clock, so that a change of its offset does
 * not matter. */
static fgt_status settle(fgt_context *ctx, fgti_clock *c, const fgt_time_step *known, int64_t n,
                         int64_t *time)
{
    int64_t      *clock;
    fgt_time_step step;
    FGTI_TRY(FGTI_NEW(ctx, n, "times of rows", &clock));
    for (int64_t r = 0; r < n; r++) clock[r] = time[r] + c->offset[r] * FGTI_MINUTE;
    fgti_sort_whole(clock, n);
    const fgt_status s = fgti_axis_step(ctx, clock, n, &step);
    fgti_free(ctx, clock);
    c->by_clock = s == FGT_OK && is_by_clock(known && fgti_step_closes(known) ? known : &step);
    for (int64_t r = 0; c->by_clock && r < n; r++) time[r] += c->offset[r] * FGTI_MINUTE;
    return s;
}

fgt_status fgti_clock_read(fgt_context *ctx, fgti_clock *c, const fgti_row_labels *labels,
                           const fgti_time_form *f, const int32_t *of, int64_t series,
                           const fgt_time_step *known, int64_t *time)
{
    const int64_t rows = labels->texts->count;
    int64_t *last;
    bool     zero = true;
    if (!c->zone.offset && !f->stamp.has_offset) return FGT_OK;
    FGTI_TRY(FGTI_NEW(ctx, rows, "offsets of clocks", &c->offset));
    FGTI_TRY(FGTI_NEW(ctx, series, "times of rows", &last));
    for (int64_t i = 0; i < series; i++) last[i] = INT64_MIN;
    fgt_status s = FGT_OK;
    for (int64_t r = 0; s == FGT_OK && r < rows; r++) {
        s = find_clock(ctx, c, labels, f, r, &last[of ? of[r] : 0], &time[r]);
        zero &= !c->offset[r];
    }
    fgti_free(ctx, last);
    if (s != FGT_OK) return s;
    if (!zero || c->zone.offset) return settle(ctx, c, known, rows, time);
    fgti_free(ctx, c->offset);
    c->offset = NULL;
    return FGT_OK;
}

int32_t fgti_clock_offset(const fgti_clock *c, int64_t time, int32_t last)
{
    if (!c->zone.offset) return last;
    return fgti_zone_offset(&c->zone, c->by_clock ? time - last * FGTI_MINUTE : time);
}

fgt_status fgti_clock_place(fgt_context *ctx, fgti_clock *c, const fgti_axis *a)
{
    int32_t *offset, last = 0;
    if (!c->offset) return FGT_OK;
    FGTI_TRY(FGTI_NEW(ctx, a->rows, "offsets of clocks", &offset));
    for (int64_t r = 0; r < a->rows; r++) {
        offset[r] = a->from[r] >= 0 ? c->offset[a->from[r]] : fgti_clock_offset(c, a->time[r], last);
        last      = offset[r];
    }
    fgti_free(ctx, c->offset);
    c->offset = offset;
    return FGT_OK;
}

fgt_status fgti_clock_copy(fgt_context *ctx, const fgti_clock *from, int64_t rows, fgti_clock *to)
{
    to->by_clock = from->by_clock;
    FGTI_TRY(fgti_zone_copy(ctx, &from->zone, &to->zone));
    if (!from->offset) return FGT_OK;
    FGTI_TRY(FGTI_NEW(ctx, rows, "offsets of clocks", &to->offset));
    memcpy(to->offset, from->offset, (size_t)rows * sizeof *to->offset);
    return FGT_OK;
}

void fgti_clock_done(fgt_context *ctx, fgti_clock *c)
{
    fgti_zone_done(ctx, &c->zone);
    fgti_free(ctx, c->offset);
    c->offset = NULL;
}

int64_t fgti_clock_write(const fgti_clock *c, const fgti_time_form *form, int64_t time, int32_t offset,
                         char *text, int64_t capacity)
{
    fgti_time_form f    = *form;
    const int64_t  utc  = c->by_clock ? time - offset * FGTI_MINUTE : time;
    const bool     unix = f.stamp.pieces == 1 && f.stamp.piece[0].part == FGTI_PART_UNIX;
    if (f.stamp.has_offset) fgti_time_form_set_offset(&f, offset);
    const int64_t shown = f.stamp.has_offset || unix ? utc : utc + offset * FGTI_MINUTE;
    const int64_t size  = fgti_time_form_write(&f, shown, text, capacity);
    return size > 0 ? size : fgti_time_format(utc, text, capacity);
}

/* ---- tables ---- */

static int32_t offset_after(const fgt_table *t, int64_t row, int64_t n, int64_t time)
{
    const int64_t at = row + n;
    if (at >= 0 && at < t->rows) return t->clock.offset[at];
    return fgti_clock_offset(&t->clock, time, t->clock.offset[at < 0 ? 0 : t->rows - 1]);
}

int64_t fgti_table_clock_after(const fgt_table *t, int64_t row, const fgt_time_step *step, int64_t n)
{
    const int64_t time = fgti_table_time_after(t, row, step, n);
    return !t->clock.offset || t->clock.by_clock ? time : time + offset_after(t, row, n, time) * FGTI_MINUTE;
}

int64_t fgti_table_clock(const fgt_table *t, int64_t row)
{
    const int64_t time = fgti_table_time(t, row);
    return !t->clock.offset || t->clock.by_clock ? time : time + t->clock.offset[row] * FGTI_MINUTE;
}

int64_t fgti_table_row_by_clock(const fgt_table *t, int64_t begin, int64_t end, int64_t row)
{
    const int32_t *offset = t->clock.offset;
    const int64_t  ms     = t->info.step.milliseconds;
    if (!offset || t->clock.by_clock || !ms) return row;
    const int64_t ahead = (offset[end - 1] - offset[row]) * FGTI_MINUTE;
    if (ahead % ms) return row;
    const int64_t at = row + ahead / ms;
    return at < begin ? begin : at < end ? at : end - 1;
}
