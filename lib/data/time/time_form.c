/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/time/time_form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/time/scan/scanner.h"
#include "data/time/scan/time_read.h"
#include "data/time/scan/time_scan.h"

/* ---- the form of texts ---- */

static bool time_form_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Keeps the name of a month that is not English. The name may end with a point. */
static void add_month(fgti_time_form *f, const char *name, size_t size)
{
    uint32_t     languages;
    const size_t n     = fgti_word_size(name);
    const int    month = fgti_month_find(name, n, &languages);
    if (!month || size >= FGTI_MONTH_TEXT) return;
    memcpy(f->month[month - 1], name, size);
    f->month[month - 1][size] = 0;
    f->short_month |= fgti_month_is_short(f->rule.language, month, name, n);
}

/* Keeps how the number of a quarter is written: 1, 1er, IV. */
static void add_quarter(fgti_time_form *f, const char *number, size_t size, int64_t time)
{
    const int32_t month = fgti_day_of_time(time, NULL).month;
    if (size >= FGTI_MONTH_TEXT) return;
    memcpy(f->month[month - 1], number, size);
    f->month[month - 1][size] = 0;
}

/* Index of the piece that gives the offset; -1: no piece does. */
static int32_t find_offset_piece(const fgti_stamp *s)
{
    int32_t i = s->pieces - 1;
    while (i >= 0 && s->piece[i].part != FGTI_PART_OFFSET) i--;
    return i;
}

static void keep_offset(fgti_time_form *f, const fgti_offset_text *text)
{
    for (int k = 0; k < FGTI_OFFSET_TEXTS; k++) {
        if (*f->offset[k].text && f->offset[k].minutes != text->minutes) continue;
        if (!*f->offset[k].text) f->offset[k] = *text;
        return;
    }
}

/* Keeps how the offset is written, except +2, which occurs only in UTC+2. */
static void add_offset(fgti_time_form *f, const char *text, const fgti_stamp *stamp)
{
    fgti_offset_text o    = {.minutes = stamp->offset};
    const int32_t    i    = find_offset_piece(stamp);
    const size_t     size = i < 0 ? 0 : stamp->piece[i].size;
    if (!size || size == 2 || size >= sizeof o.text) return;
    memcpy(o.text, text + stamp->piece[i].begin, size);
    keep_offset(f, &o);
}

/* Adds the properties of one text that hold for the whole column. */
static void add_piece(fgti_time_form *f, const char *text, const fgti_piece *piece)
{
    const char    *p    = text + piece->begin;
    const bool     name = piece->part == FGTI_PART_MONTH && !time_form_is_digit(*p);
    const uint32_t day = 1 << FGTI_PART_DAY | 1 << FGTI_PART_MONTH, part = UINT32_C(1) << piece->part;
    if (piece->size == 1) f->narrow |= part & day ? day : part;
    if (piece->part == FGTI_PART_DAY) f->padded |= *p == ' ';
    if (name && f->rule.language > FGTI_ENGLISH) {
        add_month(f, p, piece->size);
        return;
    }
    for (int i = 0; name && i < 12; i++)
        f->long_month |= piece->size > 3 && strlen(fgti_month_names[i]) == piece->size &&
                         fgti_same_word(p, fgti_month_names[i], piece->size);
}

/* Whether the text of `s` has more parts than the other text. If it has as many, whether its last part is a
 * number of more digits. */
static bool says_more(const fgti_stamp *s, const fgti_stamp *than)
{
    if (s->pieces != than->pieces || !s->pieces) return s->pieces > than->pieces;
    const fgti_piece *last = &s->piece[s->pieces - 1], *other = &than->piece[than->pieces - 1];
    const bool        number = last->part == FGTI_PART_UNIX || last->part == FGTI_PART_SERIAL;
    return (number || last->part == FGTI_PART_FRACTION) && last->size > other->size;
}

void fgti_time_form_add(fgti_time_form *f, const char *text, const fgti_stamp *stamp)
{
    if (stamp->usual && stamp->pieces <= f->stamp.pieces) return; /* the text adds nothing to the form */
    for (int32_t i = 0; i < stamp->pieces; i++) {
        const fgti_piece *piece = &stamp->piece[i];
        add_piece(f, text, piece);
        if (piece->part == FGTI_PART_QUARTER) add_quarter(f, text + piece->begin, piece->size, stamp->time);
    }
    add_offset(f, text, stamp);
    if (fgti_stamp_has(stamp, FGTI_PART_SERIAL) && f->stamp.pieces)
        f->short_serial |= stamp->piece[0].size != f->stamp.piece[0].size;
    if (!says_more(stamp, &f->stamp) || strlen(text) >= FGTI_FORM_TEXT) return;
    strcpy(f->text, text);
    f->stamp = *stamp;
}

void fgti_time_form_add_offsets(fgti_time_form *f, const fgti_time_form *other)
{
    for (int k = 0; k < FGTI_OFFSET_TEXTS; k++)
        if (*other->offset[k].text) keep_offset(f, &other->offset[k]);
}

/* ---- the parts of a time ---- */

static void split_day(int64_t number, const fgti_stamp *s, int64_t v[FGTI_PARTS])
{
    const fgti_day d     = fgti_day_of(number);
    v[FGTI_PART_YEAR]    = d.year;
    v[FGTI_PART_MONTH]   = d.month;
    v[FGTI_PART_DAY]     = d.day;
    v[FGTI_PART_QUARTER] = (d.month + 2) / 3;
    v[FGTI_PART_WEEKDAY] = v[FGTI_PART_DAY_OF_WEEK] = fgti_weekday(number);
    v[FGTI_PART_DAY_OF_YEAR]                        = number - fgti_day_number((fgti_day){d.year, 1, 1}) + 1;
    if (!fgti_stamp_has(s, FGTI_PART_WEEK)) return;
    const int64_t thursday = number - v[FGTI_PART_WEEKDAY] + 4; /* the week belongs to the year of its
                                                                 * Thursday */
    v[FGTI_PART_YEAR]      = fgti_day_of(thursday).year;
    v[FGTI_PART_WEEK]      = (thursday - fgti_day_number((fgti_day){v[FGTI_PART_YEAR], 1, 1})) / 7 + 1;
}

static void split(int64_t time, const fgti_stamp *s, int64_t v[FGTI_PARTS])
{
    const int64_t day = time / FGTI_DAY - (time % FGTI_DAY < 0), rest = time - day * FGTI_DAY;
    split_day(day, s, v);
    v[FGTI_PART_HALF]     = rest >= FGTI_DAY / 2;
    v[FGTI_PART_HOUR]     = rest / 3600000;
    v[FGTI_PART_MINUTE]   = rest / 60000 % 60;
    v[FGTI_PART_SECOND]   = rest / 1000 % 60;
    v[FGTI_PART_FRACTION] = rest % 1000;
    if (fgti_stamp_has(s, FGTI_PART_HALF)) v[FGTI_PART_HOUR] = (v[FGTI_PART_HOUR] + 11) % 12 + 1;
}

/* ---- writing pieces ---- */

/* Writes the time since 1970 as a number. The size of the sample shows the unit and the number of
 * decimals. */
static int write_unix(const char *text, int size, int64_t time, char *out)
{
    const size_t  n        = fgti_count_digits(text + (*text == '-'));
    const int     decimals = size - (int)n - (*text == '-') - 1; /* -1: there is no point */
    const bool    seconds  = n <= 11;
    const int64_t whole    = seconds ? time / 1000 : time;
    int           k        = sprintf(out, "%s%lld%s", time < 0 && !whole ? "-" : "", (long long)whole,
                    n <= 14   ? ""
                                     : n <= 17 ? "000"
                                               : "000000");
    if (decimals < 0) return k;
    const long long rest = seconds ? (long long)(time < 0 ? -(time % 1000) : time % 1000) : 0;
    char            part[40];
    snprintf(part, sizeof part, "%03lld%030d", rest, 0);
    return k + sprintf(out + k, ".%.*s", decimals < 33 ? decimals : 33, part);
}

/* Writes days since 1899-12-30. They are rounded to as many decimals as fit into `size` bytes. If other texts
 * have fewer decimals, zeros at the end are left out. */
static int write_serial(const fgti_time_form *f, int size, int64_t time, char *out)
{
    const int64_t since    = time - fgti_day_number((fgti_day){1899, 12, 30}) * FGTI_DAY;
    const int     whole    = (int)fgti_count_digits(f->text + f->stamp.piece[0].begin);
    const int     decimals = size > whole ? size - whole - 1 : 0;
    int64_t       days = since / FGTI_DAY, rest = since % FGTI_DAY;
    char          digit[FGTI_FORM_TEXT];
    if (since < 0) return sprintf(out, "-"); /* the time is before the first serial number */
    for (int i = 0; i < decimals; i++, rest %= FGTI_DAY) digit[i] = (char)('0' + (rest *= 10) / FGTI_DAY);
    if (2 * rest >= FGTI_DAY) {
        int i = decimals;
        while (i && digit[i - 1] == '9') digit[--i] = '0';
        if (i)
            digit[i - 1]++;
        else
            days++;
    }
    int n = decimals;
    while (n && f->short_serial && digit[n - 1] == '0') n--;
    return sprintf(out, "%lld%s%.*s", (long long)days, n || (decimals && !f->short_serial) ? "." : "", n,
                   digit);
}

/* Writes a name, with capital and small letters as in the sample. */
static int write_name(const char *sample, const char *name, bool full, char *out)
{
    const int n = full ? (int)strlen(name) : 3;
    memcpy(out, name, (size_t)n);
    const bool upper = sample[0] < 'a', all = sample[1] < 'a';
    for (int i = 0; i < n; i++) {
        const bool big = i ? all : upper;
        if (big && out[i] >= 'a') out[i] = (char)(out[i] - 'a' + 'A');
        if (!big && out[i] < 'a') out[i] = (char)(out[i] - 'A' + 'a');
    }
    return n;
}

/* Writes a month as the column writes it. If the column does not have this month, writes it in the style of
 * other months. */
static int write_month(const fgti_time_form *f, int month, char *out)
{
    const char *seen = f->month[month - 1], *like = NULL;
    char        name[FGTI_MONTH_TEXT], full[FGTI_MONTH_TEXT];
    bool        point = false;
    for (int i = 0; i < 12; i++) {
        const size_t n = strlen(f->month[i]);
        if (!n) continue;
        point |= f->month[i][n - 1] == '.';
        if (!like || (like[1] & 0x80)) like = f->month[i];
    }
    if (*seen || !like) return sprintf(out, "%s", seen);
    fgti_month_write(f->rule.language, month, !f->short_month, name);
    if (like[1] >= 'A' && like[1] <= 'Z') fgti_month_upper(name);
    if (like[0] >= 'A' && like[0] <= 'Z') name[0] = (char)(name[0] & ~0x20);
    if (like[0] >= 'a') name[0] |= 0x20;
    fgti_month_write(f->rule.language, month, 1, full);
    return sprintf(out, "%s%s", name, point && strlen(name) < strlen(full) ? "." : "");
}

/* Writes a quarter as the column writes it. If the column does not have this quarter, writes it with another
 * quarter's ending. */
static int write_quarter(const fgti_time_form *f, const char *sample, int size, int quarter, char *out)
{
    const char *seen = f->month[3 * quarter - 3];
    const int   n    = (int)fgti_count_digits(sample);
    if (*seen) return sprintf(out, "%s", seen);
    return sprintf(out, "%d%.*s", quarter, n ? size - n : 0, sample + n);
}

/* Writes a number as 9, 09 or " 9". */
static int write_number(const fgti_time_form *f, const fgti_piece *piece, int64_t v, char *out)
{
    if (piece->part == FGTI_PART_DAY && f->padded) return sprintf(out, "%2d", (int)v);
    return sprintf(out, "%0*lld", f->narrow >> piece->part & 1 ? 1 : piece->size, (long long)v);
}

static int write_fraction(int size, int64_t ms, char *out)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%03d", (int)ms);
    return size <= 3 ? sprintf(out, "%.*s", size, digits) : sprintf(out, "%s%0*d", digits, size - 3, 0);
}

static int time_form_write_piece(const fgti_time_form *f, const fgti_piece *piece, int64_t time,
                                 const int64_t v[FGTI_PARTS], char *out)
{
    const char *sample = f->text + piece->begin;
    const int   size   = piece->size;
    switch (piece->part) {
    case FGTI_PART_UNIX: return write_unix(sample, size, time, out);
    case FGTI_PART_SERIAL: return write_serial(f, size, time, out);
    case FGTI_PART_FRACTION: return write_fraction(size, v[FGTI_PART_FRACTION], out);
    case FGTI_PART_QUARTER: return write_quarter(f, sample, size, (int)v[FGTI_PART_QUARTER], out);
    case FGTI_PART_YEAR:
        return sprintf(out, "%0*d", size, (int)(size == 2 ? v[FGTI_PART_YEAR] % 100 : v[FGTI_PART_YEAR]));
    case FGTI_PART_WEEKDAY:
        return write_name(sample, fgti_weekday_names[v[FGTI_PART_WEEKDAY] - 1], size > 5, out);
    case FGTI_PART_HALF:
    case FGTI_PART_OFFSET: memcpy(out, sample, (size_t)size); break;
    case FGTI_PART_MONTH:
        if (!time_form_is_digit(*sample) && f->rule.language > FGTI_ENGLISH)
            return write_month(f, (int)v[FGTI_PART_MONTH], out);
        if (!time_form_is_digit(*sample))
            return write_name(sample, fgti_month_names[v[FGTI_PART_MONTH] - 1], f->long_month, out);
        /* fall through */
    default: return write_number(f, piece, v[piece->part], out);
    }
    if (piece->part == FGTI_PART_HALF)
        *out = (char)((*sample < 'a' ? 'A' : 'a') + (v[FGTI_PART_HALF] ? 'p' - 'a' : 0));
    return size;
}

/* A piece never needs more bytes than this. */
enum { PIECE_MOST = 80 };

static int time_form_write_all(const fgti_time_form *f, int64_t time, char *out)
{
    const fgti_stamp *s             = &f->stamp;
    int64_t           v[FGTI_PARTS] = {0};
    size_t            from          = 0;
    int               n             = 0;
    split(time + s->offset * INT64_C(60000), s, v);
    for (int32_t i = 0; i <= s->pieces; i++) {
        const size_t to = i < s->pieces ? s->piece[i].begin : strlen(f->text);
        memcpy(out + n, f->text + from, to - from);
        n += (int)(to - from);
        if (i == s->pieces) break;
        n += time_form_write_piece(f, &s->piece[i], time, v, out + n);
        from = to + s->piece[i].size;
    }
    out[n] = 0;
    return n;
}

int64_t fgti_time_form_write(const fgti_time_form *f, int64_t time, char *text, int64_t capacity)
{
    char       all[FGTI_FORM_TEXT + FGTI_PIECES * PIECE_MOST];
    fgti_stamp read;
    if (!fgti_time_in_range(time)) return -1;
    if (!*f->text) return fgti_time_format(time, text, capacity);
    if (!fgti_time_in_range(time + f->stamp.offset * INT64_C(60000))) return -1;
    const int n = time_form_write_all(f, time, all);
    if (n >= capacity || fgti_time_read_by(all, &f->rule, &read) != FGTI_TIME_FOUND || read.time != time)
        return -1;
    memcpy(text, all, (size_t)n + 1);
    return n;
}

/* Replaces a piece of the sample by a text that has room. */
static void replace_piece(fgti_time_form *f, int32_t i, const char *text)
{
    fgti_piece  *piece = &f->stamp.piece[i];
    char        *begin = f->text + piece->begin, *rest = begin + piece->size;
    const size_t size = strlen(text);
    memmove(begin + size, rest, strlen(rest) + 1);
    memcpy(begin, text, size);
    for (int32_t k = i + 1; k < f->stamp.pieces; k++)
        f->stamp.piece[k].begin = (uint8_t)(f->stamp.piece[k].begin + size - piece->size);
    piece->size = (uint8_t)size;
}

/* Replaces a name such as CET by the column's text of an offset. */
static void rename_offset(fgti_time_form *f, int32_t i, int32_t minutes)
{
    int k = 0;
    while (k < FGTI_OFFSET_TEXTS && (!*f->offset[k].text || f->offset[k].minutes != minutes)) k++;
    if (k == FGTI_OFFSET_TEXTS || strlen(f->text) + sizeof f->offset->text > FGTI_FORM_TEXT) return;
    replace_piece(f, i, f->offset[k].text);
    f->stamp.offset = minutes;
}

void fgti_time_form_set_offset(fgti_time_form *f, int32_t offset)
{
    const int32_t i = find_offset_piece(&f->stamp);
    char          digits[8], *p = digits;
    if (i < 0 || f->stamp.offset == offset) return;
    char *sign = f->text + f->stamp.piece[i].begin;
    if (*sign != '+' && *sign != '-') {
        rename_offset(f, i, offset);
        return;
    }
    snprintf(digits, sizeof digits, "%02d%02d", abs(offset) / 60 % 100, abs(offset) % 60);
    *sign = offset < 0 ? '-' : '+';
    p += f->stamp.piece[i].size == 2; /* for UTC+2 */
    for (int k = 1; k < f->stamp.piece[i].size && *p; k++)
        if (time_form_is_digit(sign[k])) sign[k] = *p++;
    f->stamp.offset = offset;
}

bool fgti_time_form_show(const fgti_time_form *f, int64_t time, char text[FGTI_FORM_TEXT])
{
    if (fgti_time_form_write(f, time, text, FGTI_FORM_TEXT) > 0) return true;
    fgti_time_format(time, text, FGTI_FORM_TEXT);
    return false;
}
