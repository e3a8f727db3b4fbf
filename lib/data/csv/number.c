/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* declares strtod_l in glibc and musl */
#include "data/csv/number.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The decimal number m * 10^e. whole: m has all digits. */
typedef struct decimal {
    uint64_t m;
    int      e;
    bool     negative, whole;
} decimal;

/* Reads digits into m. After 19 digits m could overflow, so further digits are dropped and `whole` becomes
 * false. */
static const char *number_read_digits(const char *s, decimal *d, int step)
{
    for (; *s >= '0' && *s <= '9'; s++) {
        if (d->m > (UINT64_MAX - 9) / 10) {
            d->whole = false;
            continue;
        }
        d->m = 10 * d->m + (uint64_t)(*s - '0');
        d->e += step;
    }
    return s;
}

/* Reads [+-] digits [. digits] [(e|E) [+-] digits], with at least one digit before the exponent. Returns
 * false if the text is not a number. */
static bool read_decimal(const char *s, int64_t size, decimal *d)
{
    const char *end = s + size;
    *d              = (decimal){.whole = true, .negative = *s == '-'};
    if (*s == '-' || *s == '+') s++;
    const char *digits = s;
    s                  = number_read_digits(s, d, 0);
    const char *point  = s;
    if (*s == '.') s = number_read_digits(s + 1, d, -1);
    if (point == digits && s <= point + 1) return false;
    if (*s == 'e' || *s == 'E') {
        const char *sign = ++s;
        int         e    = 0;
        if (*s == '-' || *s == '+') s++;
        const char *first = s;
        for (; *s >= '0' && *s <= '9'; s++)
            if (e < 10000)
                e = 10 * e + (*s - '0'); /* larger exponents need no more digits: they are out of range in any
                                          * case */
        if (s == first) return false;
        d->e += *sign == '-' ? -e : e;
    }
    return s == end;
}

/* Converts m and e if m and the power of ten are both exact doubles, so that the result is correctly rounded:
 * Clinger 1990, "How to read floating point numbers accurately". Not used where the processor rounds twice
 * (x87). */
static bool from_decimal(const decimal *d, double *value)
{
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const bool exact = d->whole && d->m <= UINT64_C(1) << 53 && d->e >= -22 && d->e <= 22;
    if (FLT_EVAL_METHOD != 0 || !exact) return false;
    const double m = d->negative ? -(double)d->m : (double)d->m;
    *value         = d->e < 0 ? m / ten[-d->e] : m * ten[d->e];
    return true;
}

#if defined(__SIZEOF_INT128__) && defined(__GNUC__)
/* Converts m / 10^k for m beyond 2^53 and k up to 27, such as the 17 digits that reproduce any double. m /
 * 5^k is divided in whole numbers to 62 bits or more. A last bit tells whether there is a remainder, so
 * rounding the quotient gives the same double as rounding the exact number. */
static bool from_quotient(const decimal *d, double *value)
{
    __extension__ typedef unsigned __int128 wide;
    static const uint64_t five[] = {
        1U, 5U, 25U, 125U, 625U, 3125U, 15625U, 78125U, 390625U, 1953125U, 9765625U, 48828125U,
        244140625U, 1220703125U, UINT64_C(6103515625), UINT64_C(30517578125), UINT64_C(152587890625),
        UINT64_C(762939453125), UINT64_C(3814697265625), UINT64_C(19073486328125),
        UINT64_C(95367431640625), UINT64_C(476837158203125), UINT64_C(2384185791015625),
        UINT64_C(11920928955078125), UINT64_C(59604644775390625), UINT64_C(298023223876953125),
        UINT64_C(1490116119384765625), UINT64_C(7450580596923828125),
    };
    if (!d->whole || !d->m || d->e > -1 || d->e < -27) return false;
    const int      up = __builtin_clzll(d->m), down = __builtin_clzll(five[-d->e]);
    const uint64_t divisor  = five[-d->e] << down;
    const wide     dividend = (wide)(d->m << up) << 63;
    const uint64_t quotient = (uint64_t)(dividend / divisor), rest = (wide)quotient * divisor != dividend;
    const double   v        = ldexp((double)(quotient | rest), d->e - 63 - up + down);
    *value                  = d->negative ? -v : v;
    return FLT_EVAL_METHOD == 0;
}
#else
static bool from_quotient(const decimal *d, double *value)
{
    (void)d;
    (void)value;
    return false;
}
#endif

static fgti_number word(const char *s)
{
    static const char *const missing[] = {"nan", "na", "n/a", "null"};
    if (*s == '-' || *s == '+') s++; /* because C libraries print a NaN with its sign */
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (!strcasecmp(s, missing[i])) return FGTI_NUMBER_MISSING;
    return !strcasecmp(s, "inf") || !strcasecmp(s, "infinity") ? FGTI_NUMBER_INFINITE : FGTI_NUMBER_TEXT;
}

bool fgti_number_is_error(const char *s)
{
    const size_t n = strlen(s);
    if (!strncasecmp(s, "err:", 4)) return n == 7 && strspn(s + 4, "0123456789") == 3;
    return n > 3 && n < 24 && *s == '#' && (s[n - 1] == '!' || s[n - 1] == '?') && !strpbrk(s, " ,;");
}

bool fgti_number_is_gap(const char *s)
{
    /* marks of missing values in pandas, R, SQL and SAS and in spreadsheets of several languages, and
     * dashes */
    static const char *const gaps[] = {
        "none",  "<na>",   "nat",      "n.a.",         "n.a",          "missing", "nil",      "\\n",
        "-",     "--",     "---",      "\xe2\x80\x93", "\xe2\x80\x94", ".",       "..",       "...",
        "?",     "#n/a",   "#n/a n/a", "#na",          "#nv",          "#n/d",    "#n/b",     "1.#ind",
        "1.#qnan", "-1.#ind", "-1.#qnan",
    };
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
        if (!strcasecmp(s, gaps[i])) return true;
    return fgti_number_is_error(s);
}

fgti_number fgti_number_parse(locale_t c, const char *s, int64_t size, double *value)
{
    decimal d;
    if (!size) return FGTI_NUMBER_MISSING;
    if (!read_decimal(s, size, &d)) return word(s);
    if (from_decimal(&d, value) || from_quotient(&d, value)) return FGTI_NUMBER;
    const double v = strtod_l(s, NULL, c);
    if (isinf(v)) return FGTI_NUMBER_INFINITE;
    *value = v;
    return FGTI_NUMBER;
}
