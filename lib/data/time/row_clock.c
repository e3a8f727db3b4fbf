/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/time/row_clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/sort.h"
#include "data/time/scan/time_read.h"
#include "data/time/step.h"
#include "data/time/time.h"

/* ---- labels with different clocks ---- */

/* Writes the label of a row as if it had the offset of the label before, or no offset; "": not known. */
static void show_need(const char *label, const fgti_stamp *s, const char *before, const fgti_stamp *b,
                      const fgti_time_rule *rule, char need[FGTI_SHOW])
{
    const fgti_stamp *with = s->has_offset ? s : b;
    const fgti_piece *at   = with->piece;
    char              all[2 * FGTI_FORM_TEXT];
    fgti_stamp        read;
    *need = 0;
    if (!with->has_offset || strlen(label) >= FGTI_FORM_TEXT || strlen(before) >= FGTI_FORM_TEXT) return;
    while (at < with->piece + with->pieces && at->part != FGTI_PART_OFFSET) at++;
    if (at == with->piece + with->pieces) return;
    if (with == b) {
        const char *offset = before + at->begin;
        snprintf(all, sizeof all, "%s%s%.*s", label, at->size > 1 && *offset >= 'A' ? " " : "", at->size,
                 offset);
    } else {
        int n = at->begin;
        while (n && label[n - 1] == ' ') n--;
        snprintf(all, sizeof all, "%.*s%s", n, label, label + at->begin + at->size);
    }
    if (fgti_time_read_by(all, rule, &read) == FGTI_TIME_FOUND && read.has_offset != s->has_offset)
        fgti_show(all, need);
}

static bool row_clock_is_unix(const fgti_stamp *s)
{
    return !s->has_offset && fgti_stamp_is_utc(s);
}

static fgt_status refuse_mixed(fgt_context *ctx, const fgti_row_labels *l, const fgti_time_form *f)
{
    const int64_t row   = f->mixed - 1;
    const char   *label = fgti_strings_get(l->texts, row),
               *before  = row ? fgti_strings_get(l->texts, row - 1) : "";
    const bool utc      = f->clock == FGTI_CLOCK_UTC; /* the rows before */
    fgti_stamp s = {0}, b = {0};
    char       place[FGTI_ROW_TEXT], show[FGTI_SHOW], need[FGTI_SHOW];
    fgti_time_read_by(label, &f->rule, &s);
    fgti_time_read_by(before, &f->rule, &b);
    show_need(label, &s, before, &b, &f->rule, need);
    return fgti_fail(
        &ctx->error, FGT_E_DATA,
        "%.280s: %s %s, the rows before %s (got %s%s%s); the option `zone` names the zone of labels "
        "without an offset, such as Europe/Berlin",
        l->what, fgti_row_text(l->lines, row, NULL, place),
        utc                     ? "has no UTC offset"
        : row_clock_is_unix(&s) ? "is Unix time, which is in UTC"
                                : "has a UTC offset",
        row_clock_is_unix(&b)   ? "are Unix time, which is in UTC"
        : row_clock_is_unix(&s) ? "have no UTC offset"
        : utc                   ? "have one"
                                : "have none",
        fgti_show(label, show), *need ? ", need e.g. " : "", need);
}

static fgt_status refuse_moved(fgt_context *ctx, const fgti_row_labels *l, const fgti_time_form *f)
{
    const int64_t row   = f->moved - 1;
    const char   *label = fgti_strings_get(l->texts, row);
    fgti_stamp    s     = {0};
    char          place[FGTI_ROW_TEXT], show[FGTI_SHOW];
    fgti_time_read_by(label, &f->rule, &s);
    return fgti_fail(
        &ctx->error, FGT_E_DATA,
        "%.280s: %s is a time of %.*s, a row before of %s (got %s, need one zone, or an offset such "
        "as +02:00 in each label)",
        l->what, fgti_row_text(l->lines, row, NULL, place), s.zone.size, label + s.zone.begin, f->zone,
        fgti_show(label, show));
}

/* Labels with and without an offset are comparable if a zone is given. It is not the zone of labels that name
 * different places. */
static fgt_status check_clocks(fgt_context *ctx, const fgti_clock *c, const fgti_row_labels *l,
                               const fgti_time_form *f)
{
    if (f->mixed && !c->zone.offset) return refuse_mixed(ctx, l, f);
    if (f->moved && (!c->zone.offset || strchr(f->zone, '/'))) return refuse_moved(ctx, l, f);
    return FGT_OK;
}

/* If some labels of a column have no offset, the offsets of the others must be the zone's, or UTC. */
static fgt_status refuse_offset(fgt_context *ctx, const fgti_row_labels *l, int64_t row, int32_t need)
{
    char place[FGTI_ROW_TEXT], show[FGTI_SHOW];
    return fgti_fail(
        &ctx->error, FGT_E_DATA,
        "%.280s: %s has another UTC offset than the clock of the option `zone`, on which the labels "
        "without an offset are (got %s, need %c%02d:%02d)",
        l->what, fgti_row_text(l->lines, row, NULL, place), fgti_show(fgti_strings_get(l->texts, row), show),
        need < 0 ? '-' : '+', abs(need) / 60, abs(need) % 60);
}

/* ---- offsets that change as on no clock ---- */

/* The shortest time after which a clock changed back: the summer of Recife in 2000. */
#define BACK_LEAST (7 * FGTI_DAY)

typedef struct clock_row {
    int64_t time, row;
    int32_t series, offset;
} clock_row;

static int compare_clock_rows(const void *a, const void *b, const void *arg)
{
    const clock_row *x = a, *y = b;
    (void)arg;
    if (x->series != y->series) return x->series < y->series ? -1 : 1;
    return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
                              : (x->row > y->row) - (x->row < y->row);
}

static fgt_status refuse_back(fgt_context *ctx, const fgti_row_labels *l, const fgti_time_form *f,
                              const clock_row *before, const clock_row *other, const clock_row *back)
{
    const fgti_clock utc = {0};
    char             place[3][FGTI_ROW_TEXT], show[FGTI_SHOW], need[FGTI_FORM_TEXT];
    fgti_clock_write(&utc, f, back->time, other->offset, need, sizeof need);
    return fgti_fail(
        &ctx->error, FGT_E_DATA,
        "%.280s: %s has the UTC offset of %s, but %s between them has another one, and no clock changes back "
        "within a week (got %s, need e.g. %s); the option `zone` names the zone of the rows, such as "
        "Europe/Berlin",
        l->what, fgti_row_text(l->lines, back->row, NULL, place[0]),
        fgti_row_text(l->lines, before->row, NULL, place[1]),
        fgti_row_text(l->lines, other->row, NULL, place[2]),
        fgti_show(fgti_strings_get(l->texts, back->row), show), need);
}

/* Refuses a row whose offset differs from the row before it but not from another row within the week
 * before. */
static fgt_status check_back(fgt_context *ctx, const fgti_row_labels *l, const fgti_time_form *f,
                             const clock_row *row, int64_t rows)
{
    for (int64_t r = 1; r < rows; r++) {
        if (row[r].offset == row[r - 1].offset) continue;
        for (int64_t k = r - 1;
             k >= 0 && row[k].series == row[r].series && row[r].time - row[k].time < BACK_LEAST; k--)
            if (row[k].offset == row[r].offset) return refuse_back(ctx, l, f, &row[k], &row[k + 1], &row[r]);
    }
    return FGT_OK;
}

static fgt_status check_changes(fgt_context *ctx, const fgti_clock *c, const fgti_row_labels *l,
                                const fgti_time_form *f, const int32_t *of, const int64_t *time)
{
    const int64_t rows = l->texts->count;
    int64_t       same = 1, rising = 1;
    clock_row    *row;
    while (same < rows && c->offset[same] == c->offset[0]) same++;
    if (same >= rows) return FGT_OK;
    FGTI_TRY(FGTI_NEW(ctx, rows, "offsets of clocks", &row));
    for (int64_t r = 0; r < rows; r++) row[r] = (clock_row){time[r], r, of ? of[r] : 0, c->offset[r]};
    while (rising < rows && compare_clock_rows(&row[rising - 1], &row[rising], NULL) < 0) rising++;
    if (rising < rows) fgti_sort(row, rows, sizeof *row, compare_clock_rows, NULL);
    const fgt_status s = check_back(ctx, l, f, row, rows);
    fgti_free(ctx, row);
    return s;
}

/* ---- rounding ---- */

/* Rounds a time on a clock with this offset in minutes. A time whose nearest one is beyond the years 1 to
 * 9999 stays. */
static int64_t round_time(int64_t time, int64_t offset, int64_t step)
{
    const int64_t to_clock = offset * FGTI_MINUTE, later = time + to_clock + step / 2, over = later % step;
    const int64_t rounded = later - over - (over < 0 ? step : 0) - to_clock;
    return fgti_time_in_range(rounded) ? rounded : time;
}

/* The time after rounding on the clock of the zone. */
static int64_t rounded_in_zone(const fgti_clock *c, int64_t time)
{
    return c->round ? round_time(time, fgti_zone_offset(&c->zone, time), c->round) : time;
}

/* ---- offsets ---- */

/* Finds a row's offset: its label's offset or, if the label has no offset and there is a zone, the zone's at
 * that time. */
static fgt_status row_clock_find(fgt_context *ctx, fgti_clock *c, const fgti_row_labels *l,
                                 const fgti_time_form *f, int64_t row, int64_t *last, int64_t *time)
{
    fgti_stamp  s = {0};
    int64_t     found[2];
    char        show[FGTI_SHOW], place[FGTI_ROW_TEXT];
    const char *label = fgti_strings_get(l->texts, row);
    fgti_time_read_by(label, &f->rule, &s);
    c->offset[row] = s.offset;
    if (!c->zone.offset) return FGT_OK;
    if (!fgti_stamp_is_utc(&s)) {
        const int n = fgti_zone_find(&c->zone, *time, found);
        if (!n)
            return fgti_fail(&ctx->error, FGT_E_DATA,
                             "%.280s: %s: \"%s\" is in an hour that the clock of the zone left out", l->what,
                             fgti_row_text(l->lines, row, NULL, place), fgti_show(label, show));
        *time = n == 2 && rounded_in_zone(c, found[0]) <= *last ? found[1] : found[0];
    }
    *last          = rounded_in_zone(c, *time);
    c->offset[row] = fgti_zone_offset(&c->zone, *time);
    if (f->mixed && s.offset && s.offset != c->offset[row]) return refuse_offset(ctx, l, row, c->offset[row]);
    return FGT_OK;
}

/* ---- rounding ---- */

fgt_status fgti_clock_check_round(fgti_error *err, const char *what, int64_t round)
{
    if (!round || (round > 0 && FGTI_DAY % round == 0)) return FGT_OK;
    return fgti_fail(err, FGT_E_ARG, "%s: round does not divide a day (got %lld milliseconds)", what,
                     (long long)round);
}

void fgti_clock_round(const fgti_clock *c, int64_t n, int64_t *time)
{
    for (int64_t r = 0; c->round && r < n; r++)
        time[r] = round_time(time[r], c->offset ? c->offset[r] : 0, c->round);
}

/* ---- reading clocks ---- */

static bool is_by_clock(const fgt_time_step *s)
{
    return s->months || s->milliseconds >= FGTI_DAY || fgti_step_closes(s);
}

/* Lets the clock count the step if it is in days, months, or hours that divide a day. Then a change of the
 * clock's offset does not matter. */
static fgt_status settle_by_clock(fgt_context *ctx, fgti_clock *c, const fgt_time_step *known, int64_t n,
                                  int64_t *time)
{
    int64_t      *clock;
    fgt_time_step step;
    FGTI_TRY(FGTI_NEW(ctx, n, "times of rows", &clock));
    for (int64_t r = 0; r < n; r++) clock[r] = time[r] + c->offset[r] * FGTI_MINUTE;
    fgti_sort_whole(clock, n);
    const fgt_status s = fgti_step_rising(ctx, clock, n, &step);
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
    int64_t      *last;
    bool          zero = true;
    FGTI_TRY(check_clocks(ctx, c, labels, f));
    if (!c->zone.offset && !f->stamp.has_offset) {
        fgti_clock_round(c, rows, time);
        return FGT_OK;
    }
    FGTI_TRY(FGTI_NEW(ctx, rows, "offsets of clocks", &c->offset));
    FGTI_TRY(FGTI_NEW(ctx, series, "times of rows", &last));
    for (int64_t i = 0; i < series; i++) last[i] = INT64_MIN;
    fgt_status s = FGT_OK;
    for (int64_t r = 0; s == FGT_OK && r < rows; r++) {
        s = row_clock_find(ctx, c, labels, f, r, &last[of ? of[r] : 0], &time[r]);
        zero &= !c->offset[r];
    }
    fgti_free(ctx, last);
    if (s == FGT_OK && !c->zone.offset) s = check_changes(ctx, c, labels, f, of, time);
    if (s != FGT_OK) return s;
    fgti_clock_round(c, rows, time);
    for (int64_t r = 0; c->round && c->zone.offset && r < rows; r++)
        c->offset[r] = fgti_zone_offset(&c->zone, time[r]); /* it may have changed in between */
    if (!zero || c->zone.offset) return settle_by_clock(ctx, c, known, rows, time);
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
