/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/arrow/arrow_column.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/strings/list.h"
#include "data/time/time.h"

/* ---- elements, at any alignment ---- */

#define ELEMENT(type, name)                                                     \
    static type name##_at(const void *buffer, int64_t place)                    \
    {                                                                           \
        type v;                                                                 \
        memcpy(&v, (const char *)buffer + place * (int64_t)sizeof v, sizeof v); \
        return v;                                                               \
    }                                                                           \
    static double name##_value(const fgti_arrow_column *c, int64_t place)       \
    {                                                                           \
        return (double)name##_at(c->array->buffers[1], place);                  \
    }
ELEMENT(int8_t, i8)
ELEMENT(uint8_t, u8)
ELEMENT(int16_t, i16)
ELEMENT(uint16_t, u16)
ELEMENT(int32_t, i32)
ELEMENT(uint32_t, u32)
ELEMENT(int64_t, i64)
ELEMENT(uint64_t, u64)
ELEMENT(float, f32)
ELEMENT(double, f64)

static bool bit_at(const uint8_t *bits, int64_t place)
{
    return bits[place / 8] >> (place % 8) & 1;
}

static double bit_value(const fgti_arrow_column *c, int64_t place)
{
    return bit_at(c->array->buffers[1], place);
}

/* IEEE 754 binary16: sign, 5 bits of exponent with bias 15, 10 bits of fraction. */
static double f16_value(const fgti_arrow_column *c, int64_t place)
{
    const uint16_t h        = u16_at(c->array->buffers[1], place);
    const int      exponent = h >> 10 & 31, fraction = h & 1023;
    double         v = exponent == 31  ? (fraction ? NAN : INFINITY)
                       : exponent == 0 ? ldexp(fraction, -24)
                                       : ldexp(1024 + fraction, exponent - 25);
    return h >> 15 ? -v : v;
}

/* ---- types ---- */

#define INDEX(name)                                                \
    static int64_t name##_index(const void *buffer, int64_t place) \
    {                                                              \
        return (int64_t)name##_at(buffer, place);                  \
    }
INDEX(i8)
INDEX(u8)
INDEX(i16)
INDEX(u16)
INDEX(i32)
INDEX(u32)
INDEX(i64)
INDEX(u64) /* a number above INT64_MAX becomes negative, and is therefore refused */

static const struct {
    char format;
    double (*value)(const fgti_arrow_column *c, int64_t place);
    int64_t (*index)(const void *buffer, int64_t place);
} numbers[] = {{'b', bit_value, NULL},      {'c', i8_value, i8_index},   {'C', u8_value, u8_index},
               {'s', i16_value, i16_index}, {'S', u16_value, u16_index}, {'i', i32_value, i32_index},
               {'I', u32_value, u32_index}, {'l', i64_value, i64_index}, {'L', u64_value, u64_index},
               {'e', f16_value, NULL},      {'f', f32_value, NULL},      {'g', f64_value, NULL}};

static bool arrow_is_text(const char *format)
{
    return !strcmp(format, "u") || !strcmp(format, "U") || !strcmp(format, "vu");
}

/* Reads the format of a type of times. A timestamp is written "ts", a unit, a colon and a zone, which may be
 * empty. With a zone, times are counted in UTC. */
static bool read_time_type(const char *f, fgti_arrow_column *c)
{
    static const char units[] = "smun";
    c->ticks                  = 1;
    c->days                   = 0;
    if (!strcmp(f, "tdD")) {
        c->days  = 1;
        c->index = i32_index;
        return true;
    }
    const bool milliseconds = !strcmp(f, "tdm");
    if (!milliseconds && (strncmp(f, "ts", 2) || !f[2] || !strchr(units, f[2]) || f[3] != ':')) return false;
    c->index = i64_index;
    if (milliseconds) c->ticks = 1000;
    for (const char *u = units; !milliseconds && *u != f[2]; u++) c->ticks *= 1000;
    return true;
}

static void read_type(const struct ArrowSchema *schema, fgti_arrow_column *c)
{
    const char *f = schema->format;
    c->holds      = FGTI_ARROW_OTHER;
    c->null       = !strcmp(f, "n");
    if (c->null) c->holds = FGTI_ARROW_NUMBERS;
    for (size_t i = 0; f[0] && !f[1] && i < sizeof numbers / sizeof *numbers; i++) {
        if (f[0] != numbers[i].format) continue;
        c->holds = FGTI_ARROW_NUMBERS;
        c->value = numbers[i].value;
        c->index = numbers[i].index;
    }
    if (schema->dictionary) {
        const char *values = schema->dictionary->format;
        const bool  texts  = c->index && values && arrow_is_text(values);
        c->holds           = texts ? FGTI_ARROW_TEXTS : FGTI_ARROW_OTHER;
        c->layout          = texts ? *values : 0;
    } else if (arrow_is_text(f)) {
        c->holds  = FGTI_ARROW_TEXTS;
        c->layout = *f;
    } else if (read_time_type(f, c)) {
        c->holds = FGTI_ARROW_TIMES;
    }
}

/* ---- checks ---- */

static fgt_status bad(fgti_error *err, const char *name, const char *what, int64_t found)
{
    char show[FGTI_SHOW];
    return fgti_fail(err, FGT_E_FORMAT, "arrow: \"%s\": %s (%lld)", fgti_show(name, show), what,
                     (long long)found);
}

fgt_status fgti_arrow_check(fgti_error *err, const char *name, const struct ArrowArray *a, int64_t buffers,
                            int64_t first, int64_t rows)
{
    int64_t end;
    if (!a->release) {
        char show[FGTI_SHOW];
        return fgti_fail(err, FGT_E_ARG, "arrow: the array \"%s\" was released", fgti_show(name, show));
    }
    if (a->length < 0) return bad(err, name, "the length is negative", a->length);
    if (a->offset < 0) return bad(err, name, "the offset is negative", a->offset);
    if (a->null_count < -1 || a->null_count > a->length)
        return bad(err, name, "no such number of missing elements is possible", a->null_count);
    if (!fgti_size_add(a->offset, a->length, &end))
        return bad(err, name, "offset and length are too large", a->offset);
    if (!fgti_size_add(first, rows, &end) || end > a->length)
        return bad(err, name, "the column is shorter than the table", a->length);
    if (a->n_buffers != buffers) return bad(err, name, "wrong number of buffers for its type", a->n_buffers);
    if (buffers && !a->buffers) return bad(err, name, "buffers is NULL", 0);
    if (buffers > 1 && !a->buffers[1] && a->length) return bad(err, name, "a buffer is NULL", 1);
    if (buffers && a->null_count > 0 && !a->buffers[0])
        return bad(err, name, "elements are missing, but there is no validity bitmap", a->null_count);
    return FGT_OK;
}

/* Number of buffers of an array of texts. With offsets, the third buffer has the bytes. With views, any
 * number of buffers have bytes, and the last buffer has the lengths of these buffers. */
static int64_t text_buffers(const fgti_arrow_column *c, const struct ArrowArray *a)
{
    return c->layout == 'v' && a->n_buffers > 3 ? a->n_buffers : 3;
}

static const uint8_t *bitmap_of(const struct ArrowArray *a)
{
    return a->n_buffers && a->null_count ? a->buffers[0] : NULL;
}

fgt_status fgti_arrow_column_init(fgti_error *err, const struct ArrowSchema *schema,
                                  const struct ArrowArray *array, int64_t number, int64_t first, int64_t rows,
                                  fgti_arrow_column *c)
{
    *c = (fgti_arrow_column){.array = array, .texts = array};
    snprintf(c->number, sizeof c->number, "%lld", (long long)number);
    c->name = schema && schema->name && *schema->name ? schema->name : c->number;
    if (!schema || !array) return bad(err, c->name, "schema or array is NULL", number);
    if (!schema->release)
        return fgti_fail(err, FGT_E_ARG, "arrow: the schema of column %lld was released", (long long)number);
    if (!schema->format) return bad(err, c->name, "the format is NULL", number);
    read_type(schema, c);
    if (c->holds == FGTI_ARROW_OTHER) return FGT_OK;
    const bool    texts   = c->holds == FGTI_ARROW_TEXTS && !schema->dictionary;
    const int64_t buffers = c->null ? 0 : texts ? text_buffers(c, array) : 2;
    FGTI_TRY(fgti_arrow_check(err, c->name, array, buffers, first, rows));
    c->valid = bitmap_of(array);
    c->first = array->offset + first;
    if (!schema->dictionary) return FGT_OK;
    c->texts = array->dictionary;
    if (!c->texts) return bad(err, c->name, "the dictionary is NULL", number);
    return fgti_arrow_check(err, c->name, c->texts, text_buffers(c, c->texts), 0, 0);
}

/* ---- rows ---- */

bool fgti_arrow_is_missing(const fgti_arrow_column *c, int64_t row)
{
    return c->null || (c->valid && !bit_at(c->valid, c->first + row));
}

double fgti_arrow_number(const fgti_arrow_column *c, int64_t row)
{
    return c->value(c, c->first + row);
}

#define SECONDS_MAX INT64_C(1000000000000) /* beyond the year 9999; in milliseconds it does not overflow */

fgt_status fgti_arrow_time(fgti_error *err, const fgti_arrow_column *c, int64_t row, int64_t *time)
{
    const int64_t v   = c->index(c->array->buffers[1], c->first + row);
    const int64_t cut = c->ticks / 1000; /* ticks in a millisecond */
    int64_t       t   = v;
    if (c->days) t = v * FGTI_DAY; /* v has 32 bits, so this cannot overflow */
    if (c->ticks == 1 && !c->days) t = v > -SECONDS_MAX && v < SECONDS_MAX ? v * 1000 : INT64_MAX;
    if (cut > 1) t = v / cut - (v % cut < 0); /* rounds down, also before 1970 */
    if (fgti_time_in_range(t)) {
        *time = t;
        return FGT_OK;
    }
    char show[FGTI_SHOW];
    return fgti_fail(err, FGT_E_DATA, "arrow: \"%s\": row %lld: %lld is no time in the years 1 to 9999",
                     fgti_show(c->name, show), (long long)row, (long long)v);
}

enum { TEXT_BYTES = 2, VIEW = 16, INLINE = 12 };

static fgt_status arrow_read_offsets(fgti_error *err, const fgti_arrow_column *c, int64_t place,
                                     const char **text, int64_t *size)
{
    const void   *offsets = c->texts->buffers[1];
    const char   *bytes   = c->texts->buffers[TEXT_BYTES]; /* may be NULL if all texts are empty */
    const bool    large   = c->layout == 'U';
    const int64_t begin   = large ? i64_at(offsets, place) : i32_at(offsets, place);
    const int64_t end     = large ? i64_at(offsets, place + 1) : i32_at(offsets, place + 1);
    if (begin < 0 || end < begin) return bad(err, c->name, "an offset of a text is out of order", end);
    if (end > begin && !bytes) return bad(err, c->name, "the buffer of texts is NULL", end);
    *text = end > begin ? bytes + begin : "";
    *size = end - begin;
    return FGT_OK;
}

/* Reads a text that is stored as a view. A view begins with the length of the text. A short text follows
 * directly. For a longer text, its first four bytes, the number of a buffer, and the place of the text in
 * this buffer follow. */
static fgt_status arrow_read_view(fgti_error *err, const fgti_arrow_column *c, int64_t place,
                                  const char **text, int64_t *size)
{
    const struct ArrowArray *a       = c->texts;
    const char              *view    = (const char *)a->buffers[1] + VIEW * place;
    const void              *lengths = a->buffers[a->n_buffers - 1];
    const int64_t            length = i32_at(view, 0), buffer = i32_at(view, 2), begin = i32_at(view, 3);
    *text = view + VIEW - INLINE;
    *size = length;
    if (length < 0) return bad(err, c->name, "the length of a text is negative", length);
    if (length <= INLINE) return FGT_OK;
    if (buffer < 0 || buffer >= a->n_buffers - 3 || !lengths || !a->buffers[TEXT_BYTES + buffer])
        return bad(err, c->name, "there is no such buffer of texts", buffer);
    if (begin < 0 || begin + length > i64_at(lengths, buffer))
        return bad(err, c->name, "a text reaches beyond its buffer", begin);
    *text = (const char *)a->buffers[TEXT_BYTES + buffer] + begin;
    return FGT_OK;
}

fgt_status fgti_arrow_text(fgti_error *err, const fgti_arrow_column *c, int64_t row, const char **text,
                           int64_t *size)
{
    int64_t        place = c->first + row;
    const uint8_t *valid = c->texts == c->array ? NULL : bitmap_of(c->texts);
    if (c->index) {
        const int64_t at = c->index(c->array->buffers[1], place);
        if (at < 0 || at >= c->texts->length)
            return bad(err, c->name, "an index is outside of the dictionary", at);
        place = c->texts->offset + at;
    }
    *text = NULL;
    *size = 0;
    if (valid && !bit_at(valid, place)) return FGT_OK;
    return c->layout == 'v' ? arrow_read_view(err, c, place, text, size)
                            : arrow_read_offsets(err, c, place, text, size);
}
