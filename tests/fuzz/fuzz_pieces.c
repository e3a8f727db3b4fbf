/* SPDX-License-Identifier: BSD-3-Clause */
/* The small parsers below all readers of files: numbers, UTF-8, JSON, options, times, zones. The first byte
 * chooses one, the rest is its text. What they accept must be right: another reader, or the writer, says the
 * same. */
#define _GNU_SOURCE /* newlocale of every libc */
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "core/context.h"
#include "data/csv/number.h"
#include "data/time/scan/time_read.h"
#include "data/time/time_form.h"
#include "data/time/zone.h"
#include "fuzz.h"
#include "model/files/json.h"
#include "text/utf8.h"

static fgt_context ctx = {.allocator = {sizeof ctx.allocator, NULL, fgti_libc_alloc, fgti_libc_release}};

static void must(bool right)
{
    if (!right) abort();
}

static bool same_bits(double a, double b)
{
    return !memcmp(&a, &b, sizeof a);
}

/* Cells of tables: bit by bit what the C library reads, in the locale "C", which this program has. */
static bool number(const char *s, size_t size)
{
    static locale_t c;
    double          v = 7;
    char           *end;
    if (c == (locale_t)0) c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    must(c != (locale_t)0);
    const fgti_number kind = fgti_number_parse(c, s, (int64_t)size, &v);
    if (kind != FGTI_NUMBER) {
        must(v == 7);
        return false;
    }
    const double want = strtod(s, &end);
    must(end == s + size && isfinite(v) && same_bits(v, want));
    return true;
}

/* Numbers of model files: what is read is written so that it is read again. */
static bool own_number(const char *s, size_t size)
{
    char        buf[FGTI_NUMBER_TEXT_MAX];
    double      v, again;
    const char *p = s, *q;
    if (!fgti_number_read(&p, &v)) {
        must(p == s);
        return false;
    }
    must(p > s && p <= s + size && isfinite(v));
    q = fgti_number_exact(v, buf);
    must(strlen(buf) < sizeof buf && fgti_number_read(&q, &again) && !*q && again == v);
    q = fgti_number_text((float)v, buf);
    if (isfinite((float)v)) must(fgti_number_read(&q, &again) && !*q && (float)again == (float)v);
    return true;
}

/* The two readers of UTF-8 agree, and what is repaired is valid and stays as it is. */
static bool utf8(const char *s, size_t size)
{
    fgti_bytes clean = {0}, twice = {0};
    int64_t    replaced = 0, none = 0, n;
    bool       valid, all         = true;
    for (size_t i = 0; i < size; i += (size_t)n) {
        n = fgti_utf8_next(s + i, (int64_t)(size - i), &valid);
        must(n >= 1 && (size_t)n <= size - i && fgti_utf8_size(s + i, size - i) == (valid ? (size_t)n : 0));
        all &= valid;
    }
    if (strlen(s) == size) must(fgti_is_utf8(s) == all);
    must(!fgti_utf8_add(&ctx, &clean, s, (int64_t)size, &replaced));
    if (clean.used) must(!fgti_utf8_add(&ctx, &twice, clean.s, clean.used, &none));
    must((replaced == 0) == all && none == 0 && clean.used == twice.used);
    must(!clean.used || !memcmp(clean.s, twice.s, (size_t)clean.used));
    fgti_bytes_done(&ctx, &twice);
    fgti_bytes_done(&ctx, &clean);
    return all;
}

/* Decoded and written again, a string is the same string. */
static void check_string(fgti_json_text t)
{
    fgti_json_text again;
    char          *plain = malloc(t.size + 1), *quoted = malloc(6 * t.size + 2);
    must(plain && quoted && fgti_json_decode(t, plain) == plain + t.size + 1 && strlen(plain) == t.size);
    must(fgti_is_utf8(plain));
    fgti_json j = {.text = quoted, .size = fgti_json_quote(plain, quoted)};
    must(j.size == fgti_json_quote(plain, NULL) && fgti_json_string(&j, &again) && fgti_json_end(&j));
    must(again.size == t.size);
    free(quoted);
    free(plain);
}

enum { DEPTH = 20 };

static void json_value(fgti_json *j, int depth)
{
    fgti_json_text t;
    int64_t        count, n = 0;
    while (j->at < j->size && j->text[j->at] && strchr(" \t\r\n", j->text[j->at])) j->at++;
    const char c = j->at < j->size ? j->text[j->at] : 0;
    if (depth == DEPTH) {
        fgti_json_fail(j, "too deep");
    } else if (c == '{') {
        fgti_json_open(j, '{');
        while (fgti_json_next(j, '}', &n))
            if (fgti_json_key(j, &t)) json_value(j, depth + 1);
    } else if (c == '[') {
        fgti_json_open(j, '[');
        while (fgti_json_next(j, ']', &n)) json_value(j, depth + 1);
    } else if (c == '"') {
        if (fgti_json_string(j, &t)) check_string(t);
    } else if (fgti_json_count(j, &count)) {
        must(count >= 0);
    }
}

static bool json(const char *s, size_t size)
{
    fgti_json j = {.text = s, .size = size};
    json_value(&j, 0);
    const bool right = fgti_json_end(&j);
    must(right == !j.reason && j.at <= size);
    return right;
}

/* One option of each kind. */
typedef struct sample_opts {
    int64_t whole;
    double  exact;
    float   real;
    int32_t kind, flag, reserved;
} sample_opts;

/* Options as model files have them: read, written and read again they are the same. */
static bool options(const char *s, size_t size)
{
    static const fgti_opt table[] = {FGTI_FIELD(sample_opts, whole, I64, 1, FGTI_OPT_SIZE_MAX, 16),
                                     FGTI_FIELD(sample_opts, exact, F64, 0, 1, 0.5),
                                     FGTI_FIELD(sample_opts, real, F32, -1, 1, 0),
                                     FGTI_FIELD(sample_opts, kind, ENUM, 0, 3, 0),
                                     FGTI_FIELD(sample_opts, flag, BOOL, 0, 1, 0),
                                     {0}};
    sample_opts           first = {0}, again = {0};
    fgti_text             t = {.ctx = &ctx};
    (void)size;
    ctx.error.text[0] = 0;
    if (fgti_config_read(&ctx.error, table, s, &first)) {
        must(ctx.error.text[0]);
        return false;
    }
    must(!fgti_config_write(&t, table, &first) && !fgti_config_read(&ctx.error, table, t.s, &again));
    for (const fgti_opt *o = table; o->name; o++) must(fgti_opt_get(o, &first) == fgti_opt_get(o, &again));
    fgti_text_done(&t);
    return fgti_opts_check(&ctx.error, "options", table, &first) == FGT_OK;
}

/* A text is written as itself, but for what it says in more than one way, and other times so that they are
 * read again. */
static void time_form(const char *s, const fgti_time_rule *rule, const fgti_stamp *t)
{
    static const int64_t steps[] = {0, 1, 1000, 3600000, FGTI_DAY, -31 * FGTI_DAY, 1000 * FGTI_DAY};
    fgti_time_form       form    = {.rule = *rule};
    int64_t              end     = 0;
    for (int32_t i = 0; i < t->pieces; i++) {
        must(t->piece[i].begin >= end && t->piece[i].size);
        end = t->piece[i].begin + t->piece[i].size;
    }
    must(end <= (int64_t)strlen(s));
    fgti_time_form_add(&form, s, t);
    if (!*form.text) return; /* it is too long */
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char          text[FGTI_FORM_TEXT];
        fgti_stamp    again;
        const int64_t time = t->time + steps[i], n = fgti_time_form_write(&form, time, text, sizeof text);
        if (n < 0) continue;
        must(n == (int64_t)strlen(text) && n < FGTI_FORM_TEXT);
        must(fgti_time_read_by(text, &form.rule, &again) == FGTI_TIME_FOUND && again.time == time);
    }
}

/* Time stamps in every form: what is read is written so that it is read again. */
static bool time_stamp(const char *s, size_t size)
{
    bool any = false;
    (void)size;
    for (int32_t form = 0; form < FGTI_TIME_FORMS; form++)
        for (int number = FGTI_READ_ALONE; number <= FGTI_READ_SERIAL; number++) {
            char                 text[24];
            const fgti_time_rule rule = {.form = form, .given = form > 0, .number = (fgti_time_number)number};
            fgti_stamp           t    = {.time = 12345}, again;
            const fgti_time_found f   = fgti_time_read_by(s, &rule, &t);
            must(f == FGTI_TIME_FOUND || t.time == 12345);
            if (f != FGTI_TIME_FOUND) continue;
            any = true;
            must(fgti_time_in_range(t.time) && fgt_time_format(t.time, text, sizeof text) == FGT_OK);
            must(fgti_time_read(text, FGT_TIME_FORM_ISO, &again) == FGTI_TIME_FOUND && again.time == t.time);
            time_form(s, &rule, &t);
        }
    return any;
}

/* A file of a time zone: what a clock shows at the times that are found is what was looked for. */
static bool zone(const char *s, size_t size)
{
    fgti_zone  z;
    const bool good = fgti_zone_read(&ctx, "zone", (const unsigned char *)s, (int64_t)size, &z) == FGT_OK;
    for (int64_t day = -15000; good && day < 70000; day += 41) {
        int64_t       time[2];
        const int64_t clock = day * FGTI_DAY + day % 24 * FGTI_DAY / 24;
        const int     n = fgti_zone_find(&z, clock, time);
        must(n >= 0 && n <= 2 && (n < 2 || time[0] < time[1]));
        for (int i = 0; i < n; i++) must(time[i] + fgti_zone_offset(&z, time[i]) * FGTI_MINUTE == clock);
    }
    fgti_zone_done(&ctx, &z);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool (*const parsers[])(const char *s, size_t size) = {number,  own_number, utf8, json,
                                                                  options, time_stamp, zone};
    if (size < 1) return 0;
    char *text = malloc(size); /* the text, and the 0 behind it */
    if (!text) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    fuzz_count(parsers[data[0] % (sizeof parsers / sizeof *parsers)](text, size - 1));
    free(text);
    return 0;
}
