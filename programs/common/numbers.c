/* SPDX-License-Identifier: BSD-3-Clause */
#include "numbers.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Numbers of usual size are written by integer arithmetic, which takes a tenth of the time of snprintf() and
 * strtod(). All other numbers are written by these two functions. */

typedef struct number_kind {
    int    bits;        /* bits of the significand */
    int    least, most; /* least and most decimal digits that are tried */
    double below;       /* smaller numbers are written without an exponent */
} number_kind;

static const number_kind doubles = {53, 15, 17, 1e14}, floats = {24, 6, 9, 1e5};

/* From this number on, "%g" writes no exponent; smaller numbers have one. */
#define SMALLEST 1e-4

/* ---- digits ---- */

enum { POWERS = 20 };

static const uint64_t power[POWERS] = {
    1U,
    10U,
    100U,
    1000U,
    10000U,
    100000U,
    1000000U,
    10000000U,
    100000000U,
    1000000000U,
    10000000000U,
    100000000000U,
    1000000000000U,
    10000000000000U,
    100000000000000U,
    1000000000000000U,
    10000000000000000U,
    100000000000000000U,
    1000000000000000000U,
    10000000000000000000U,
};

/* A number v in two forms. v = m / 2^s, where m is an integer of `bits` bits. v 10^k = whole + rest / 2^s,
 * where `whole` is an integer of `most` digits. */
typedef struct scaled {
    uint64_t m, whole, rest;
    int      s, k;
} scaled;

/* A decimal number that is read back as v differs from `whole` by less than MOST_UNITS. For s up to
 * MOST_SHIFT, MOST_UNITS 2^s is below 2^64, so that the comparison fits into 64 bits. */
enum { MOST_UNITS = 64, MOST_SHIFT = 57 };

/* The product a b of 128 bits, as high 2^64 + low. */
static void multiply(uint64_t a, uint64_t b, uint64_t *high, uint64_t *low)
{
    const uint64_t mask = 0xFFFFFFFF, a0 = a & mask, a1 = a >> 32, b0 = b & mask, b1 = b >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & mask);
    *high                 = a1 * b1 + (middle >> 32) + (other >> 32);
    *low                  = a * b;
}

static bool scale(double v, const number_kind *kind, scaled *x)
{
    uint64_t high, low;
    int      e;
    x->m = (uint64_t)ldexp(frexp(v, &e), kind->bits);
    x->s = kind->bits - e;
    if (x->s < 1 || x->s > MOST_SHIFT) return false;
    /* with v < 2^e, e log10(2) rounded down is floor(log10(v)) or one more */
    for (x->k = kind->most - 1 - (int)floor(0.30103 * e); x->k < POWERS; x->k++) {
        multiply(x->m, power[x->k], &high, &low);
        x->whole = high << (64 - x->s) | low >> x->s;
        x->rest  = low & ((UINT64_C(1) << x->s) - 1);
        if (x->whole >= power[kind->most - 1]) return true;
    }
    return false;
}

/* `whole` + rest / 2^s, rounded to `fewer` digits less; on a tie the last digit becomes even. */
static uint64_t round_off(const scaled *x, int fewer)
{
    const uint64_t digits = x->whole / power[fewer], left = x->whole % power[fewer];
    const uint64_t unit = fewer ? power[fewer] : UINT64_C(1) << x->s, past = fewer ? left : x->rest;
    const bool     middle = 2 * past == unit && (!fewer || !x->rest);
    return digits + (middle ? digits & 1 : 2 * past >= unit);
}

/* Whether v is the float, or double, that is nearest to the decimal number `digits` 10^(fewer - k).
 * Neighbours of v are 1 / 2^s away; if v is a power of two, the neighbour below is only half as far away. On
 * a tie the number with an even m is nearest. */
static bool reads_back(const scaled *x, uint64_t digits, int fewer, const number_kind *kind)
{
    const uint64_t decimal = digits * power[fewer];
    const bool     above = decimal > x->whole, narrow = !above && x->m == UINT64_C(1) << (kind->bits - 1);
    const uint64_t units = above ? decimal - x->whole : x->whole - decimal;
    const uint64_t room  = power[x->k] / (narrow ? 4 : 2);
    if (units >= MOST_UNITS) return false;
    const uint64_t far = above ? (units << x->s) - x->rest : (units << x->s) + x->rest;
    return far < room || (far == room && !(x->m & 1));
}

/* ---- text ---- */

/* Writes digits / 10^places, without zeros at the end. */
static void write_digits(uint64_t digits, int places, char *to)
{
    char reversed[NUMBER_TEXT];
    int  n = 0;
    for (; places > 0 && digits % 10 == 0; places--) digits /= 10;
    for (int place = 0; digits || place <= places; place++) {
        if (place && place == places) reversed[n++] = '.';
        reversed[n++] = (char)('0' + digits % 10);
        digits /= 10;
    }
    while (n > 0) *to++ = reversed[--n];
    *to = 0;
}

static bool write_usual(double v, const number_kind *kind, char *text)
{
    const double size = fabs(v);
    scaled       x;
    if (!(size >= SMALLEST && size < kind->below) || !scale(size, kind, &x)) return false;
    int      fewer  = kind->most - kind->least;
    uint64_t digits = round_off(&x, fewer);
    while (fewer && !reads_back(&x, digits, fewer, kind)) digits = round_off(&x, --fewer);
    if (v < 0) *text++ = '-';
    write_digits(digits, x.k - fewer, text);
    return true;
}

const char *number_text(double v, char text[NUMBER_TEXT])
{
    if (write_usual(v, &doubles, text)) return text;
    for (int digits = doubles.least; digits <= doubles.most; digits++) {
        snprintf(text, NUMBER_TEXT, "%.*g", digits, v);
        if (strtod(text, NULL) == v) break;
    }
    return text;
}

const char *number_text_float(float v, char text[NUMBER_TEXT])
{
    if (write_usual((double)v, &floats, text)) return text;
    for (int digits = floats.least; digits <= floats.most; digits++) {
        snprintf(text, NUMBER_TEXT, "%.*g", digits, (double)v);
        if (strtof(text, NULL) == v) break;
    }
    return text;
}
