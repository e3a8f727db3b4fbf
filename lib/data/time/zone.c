/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/time/zone.h"

#include <stdlib.h>
#include <string.h>

#include "core/context.h"

/* ---- looking up a zone ---- */

/* The calendar repeats after 400 years, with the same days of the week. This is their length in
 * milliseconds. */
#define CYCLE (146097 * FGTI_DAY)

int32_t fgti_zone_offset(const fgti_zone *zone, int64_t time)
{
    int64_t low = 0, high = zone->count;
    if (zone->ruled && time >= zone->ruled) time -= ((time - zone->ruled) / CYCLE + 1) * CYCLE;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (zone->at[middle] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return zone->offset[low];
}

/* Offsets are less than a day. So only two offsets are possible: the one a day before, and the one a day
 * after. */
int fgti_zone_find(const fgti_zone *zone, int64_t clock, int64_t time[2])
{
    const int32_t offset[2] = {fgti_zone_offset(zone, clock - FGTI_DAY),
                               fgti_zone_offset(zone, clock + FGTI_DAY)};
    int           n         = 0;
    for (int i = 0; i < (offset[0] == offset[1] ? 1 : 2); i++) {
        const int64_t t = clock - offset[i] * FGTI_MINUTE;
        if (fgti_zone_offset(zone, t) == offset[i]) time[n++] = t;
    }
    if (n == 2 && time[1] < time[0]) {
        const int64_t first = time[1];
        time[1]             = time[0];
        time[0]             = first;
    }
    return n;
}

void fgti_zone_done(fgt_context *ctx, fgti_zone *zone)
{
    fgti_free(ctx, zone->at);
    fgti_free(ctx, zone->offset);
    *zone = (fgti_zone){0};
}

static fgt_status zone_make_room(fgt_context *ctx, int64_t changes, fgti_zone *zone)
{
    FGTI_TRY(FGTI_NEW(ctx, changes, "changes of a zone", &zone->at));
    return FGTI_NEW(ctx, changes + 1, "changes of a zone", &zone->offset);
}

fgt_status fgti_zone_copy(fgt_context *ctx, const fgti_zone *from, fgti_zone *to)
{
    if (!from->offset) return FGT_OK;
    FGTI_TRY(zone_make_room(ctx, from->count, to));
    to->count = from->count;
    to->ruled = from->ruled;
    memcpy(to->at, from->at, (size_t)from->count * sizeof *to->at);
    memcpy(to->offset, from->offset, (size_t)(from->count + 1) * sizeof *to->offset);
    return FGT_OK;
}

/* ---- the rule for later years ---- */

/* A rule such as CET-1CEST,M3.5.0,M10.5.0/3: names of the zone, offsets west of UTC, and the days on which
 * summer time begins and ends. */
typedef struct rule {
    int32_t offset[2]; /* minutes; [0]: in winter, [1]: in summer */
    struct edge {
        int     kind; /* M: month, week and day of the week; J: day of the year without 29 February; 0: day of
                       * the year, from 0 */
        int64_t v[3];
        int64_t time; /* seconds after midnight */
    } edge[2];
    bool summer;
} rule;

static bool read_name(const char **s)
{
    const char *p = *s;
    if (*p == '<') {
        p = strchr(p, '>');
        if (!p) return false;
        p++;
    } else {
        while ((*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z')) p++;
    }
    if (p < *s + 3) return false;
    *s = p;
    return true;
}

static bool read_integer(const char **s, int64_t most, int64_t *v)
{
    const char *p = *s;
    for (*v = 0; *p >= '0' && *p <= '9'; p++) {
        *v = 10 * *v + (*p - '0');
        if (*v > most) return false;
    }
    if (p == *s) return false;
    *s = p;
    return true;
}

/* Reads [+-]h[:mm[:ss]] as seconds. */
static bool read_seconds(const char **s, int64_t most, int64_t *v)
{
    const bool minus = **s == '-';
    int64_t    part;
    if (minus || **s == '+') ++*s;
    if (!read_integer(s, most, v)) return false;
    *v *= 3600;
    for (int64_t unit = 60; **s == ':' && unit; unit /= 60) {
        ++*s;
        if (!read_integer(s, 59, &part)) return false;
        *v += part * unit;
    }
    if (minus) *v = -*v;
    return true;
}

static bool read_edge(const char **s, struct edge *e)
{
    *e = (struct edge){.kind = 0, .time = 2 * 3600};
    if (*(*s)++ != ',') return false;
    if (**s == 'M' || **s == 'J') e->kind = *(*s)++;
    const int count = e->kind == 'M' ? 3 : 1;
    for (int i = 0; i < count; i++) {
        if (i && *(*s)++ != '.') return false;
        if (!read_integer(s, 365, &e->v[i])) return false;
    }
    if (e->kind == 'M' && (e->v[0] < 1 || e->v[0] > 12 || e->v[1] < 1 || e->v[1] > 5 || e->v[2] > 6))
        return false;
    if (e->kind == 'J' && e->v[0] < 1) return false;
    if (**s != '/') return true;
    ++*s;
    return read_seconds(s, 167, &e->time);
}

static bool read_rule(const char *s, rule *r)
{
    int64_t west;
    *r = (rule){.summer = false};
    if (!read_name(&s) || !read_seconds(&s, 24, &west)) return false;
    r->offset[0] = (int32_t)(-west / 60);
    if (!*s) return true;
    if (!read_name(&s)) return false;
    west -= 3600;
    if (*s && *s != ',' && !read_seconds(&s, 24, &west)) return false;
    r->offset[1] = (int32_t)(-west / 60);
    r->summer    = true;
    return read_edge(&s, &r->edge[0]) && read_edge(&s, &r->edge[1]) && !*s;
}

/* The time that the clock shows, in milliseconds since 1970, without the offset. */
static int64_t clock_of(const struct edge *e, int64_t year)
{
    int64_t day;
    if (e->kind == 'M') {
        const int64_t first  = fgti_day_number((fgti_day){year, (int32_t)e->v[0], 1});
        const int64_t sunday = (first + 4) % 7; /* day of the week, Sunday is 0; valid from 1970 on */
        const int32_t length = fgti_month_length(year, (int32_t)e->v[0]);
        int64_t       number = (e->v[2] - sunday + 7) % 7 + 7 * (e->v[1] - 1);
        if (number >= length) number -= 7;
        day = first + number;
    } else {
        const bool leap = fgti_month_length(year, 2) == 29;
        day =
            fgti_day_number((fgti_day){year, 1, 1}) + e->v[0] - (e->kind == 'J' && !(leap && e->v[0] >= 60));
    }
    return day * FGTI_DAY + e->time * 1000;
}

/* ---- files ---- */

enum { HEAD = 44, FIRST_YEAR = 1969, LAST_YEAR = 2438, YEARS = LAST_YEAR - FIRST_YEAR + 1, TYPE = 6 };

typedef struct head {
    int64_t local, std, leap, times, types, chars;
} head;

static int64_t zone_get(const unsigned char *p, int bytes)
{
    uint64_t v = p[0] & 0x80 ? UINT64_MAX : 0;
    for (int i = 0; i < bytes; i++) v = v << 8 | p[i];
    return (int64_t)v;
}

static bool zone_read_head(const unsigned char *p, int64_t left, head *h)
{
    if (left < HEAD || memcmp(p, "TZif", 4) != 0) return false;
    int64_t *const count[] = {&h->local, &h->std, &h->leap, &h->times, &h->types, &h->chars};
    for (int i = 0; i < 6; i++) {
        *count[i] = zone_get(p + 20 + 4 * i, 4);
        if (*count[i] < 0) return false;
    }
    return h->types > 0;
}

static int64_t zone_size_of(const head *h, int64_t bytes)
{
    return h->times * (bytes + 1) + h->types * TYPE + h->chars + h->leap * (bytes + 4) + h->std + h->local;
}

static void add_change(fgti_zone *zone, int64_t at, int32_t offset)
{
    if (zone->count && at <= zone->at[zone->count - 1]) return;
    zone->at[zone->count]       = at;
    zone->offset[++zone->count] = offset;
}

static int64_t zone_time_of(const rule *r, int edge, int64_t year)
{
    return clock_of(&r->edge[edge], year) - r->offset[edge] * FGTI_MINUTE;
}

/* Adds the changes of the years. If each summer lasts until the next one begins, clocks are never changed. */
static void add_years(const rule *r, fgti_zone *zone)
{
    bool summer = false;
    for (int64_t year = FIRST_YEAR; r->summer && year <= LAST_YEAR; year++) {
        const int64_t begin = zone_time_of(r, 0, year), next = zone_time_of(r, 0, year + 1);
        int64_t       end = zone_time_of(r, 1, year);
        if (end <= begin) end = zone_time_of(r, 1, year + 1);
        if (!summer) add_change(zone, begin, r->offset[1]);
        summer = end >= next;
        if (!summer) add_change(zone, end, r->offset[0]);
    }
    zone->ruled = fgti_day_number((fgti_day){LAST_YEAR, 1, 10}) * FGTI_DAY;
}

/* Reads the part of the file in which a time has `bytes` bytes. */
static bool zone_read_part(const unsigned char *p, const head *h, int bytes, fgti_zone *zone)
{
    const unsigned char *type = p + h->times * (bytes + 1);
    for (int64_t i = 0; i < h->types; i++) {
        const int64_t seconds = zone_get(type + i * TYPE, 4);
        if (seconds <= -86400 || seconds >= 86400) return false;
    }
    zone->offset[0] = (int32_t)(zone_get(type, 4) / 60);
    for (int64_t i = 0; i < h->times; i++) {
        const int64_t at = zone_get(p + i * bytes, bytes), number = p[h->times * bytes + i];
        if (number >= h->types) return false;
        if (at > -INT64_C(62135596800) && at < INT64_C(253402300800)) /* the time is in the years 1 to 9999 */
            add_change(zone, at * 1000, (int32_t)(zone_get(type + number * TYPE, 4) / 60));
    }
    return true;
}

static bool zone_read_body(const unsigned char *bytes, int64_t size, const head *h, int64_t skip,
                           fgti_zone *zone)
{
    const int            width = skip ? 8 : 4;
    const unsigned char *p     = bytes + skip + HEAD;
    char                 text[128];
    rule                 r;
    if (!zone_read_part(p, h, width, zone)) return false;
    p += zone_size_of(h, width);
    int64_t left = bytes + size - p, n = 0;
    if (!skip || left < 2 || *p != '\n') return true;
    p++;
    for (left--; n < left && p[n] != '\n'; n++) {
        if (n + 1 == (int64_t)sizeof text) return false;
        text[n] = (char)p[n];
    }
    text[n] = 0;
    if (!n) return true;
    if (!read_rule(text, &r)) return false;
    if (!zone->count) zone->offset[0] = r.offset[0];
    add_years(&r, zone);
    return true;
}

fgt_status fgti_zone_read(fgt_context *ctx, const char *name, const unsigned char *bytes, int64_t size,
                          fgti_zone *zone)
{
    head    h, later;
    int64_t skip = 0;
    *zone        = (fgti_zone){0};
    bool good    = zone_read_head(bytes, size, &h) && zone_size_of(&h, 4) <= size - HEAD;
    if (good && bytes[4] >= '2') {
        skip = HEAD + zone_size_of(&h, 4);
        good = zone_read_head(bytes + skip, size - skip, &later) &&
               zone_size_of(&later, 8) <= size - skip - HEAD;
        h    = later;
    }
    if (good) FGTI_TRY(zone_make_room(ctx, h.times + 2 * YEARS, zone));
    if (good && zone_read_body(bytes, size, &h, skip, zone)) return FGT_OK;
    return fgti_fail(&ctx->error, FGT_E_FORMAT, "%.300s: it is no file of a time zone (TZif), or damaged",
                     name);
}
