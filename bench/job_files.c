/* SPDX-License-Identifier: BSD-3-Clause */
#include "job_files.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

/* ---- random numbers ---- */

/* splitmix64 */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z          = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z          = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double uniform(uint64_t *state)
{
    return (double)(next(state) >> 11) * 0x1p-53;
}

/* Approximately normal: the sum of 12 uniform numbers. */
static double normal(uint64_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += uniform(state);
    return sum;
}

/* ---- series ---- */

enum { DAY = 86400, MINUTE = 60 };

static const double tau = 6.283185307179586;

static struct tm date_of(int64_t seconds)
{
    struct tm    date = {0};
    const time_t t    = (time_t)seconds;
    gmtime_r(&t, &date);
    return date;
}

/* Days of all stores, without the last four weeks or only these. */
static void write_stores(FILE *f, int truth)
{
    enum { STORES = 200, DAYS = 1096, LAST = 28, FIRST = 18993 }; /* 2022-01-01 */
    static const double week[] = {0.6, 0.9, 0.9, 1.0, 1.1, 1.4, 1.6};
    uint64_t            state  = 1;
    fputs("store,date,sales\n", f);
    for (int store = 0; store < STORES; store++) {
        const double size = 20 * exp(normal(&state)), phase = uniform(&state), wave = 0.3 * uniform(&state);
        double       level = 0;
        for (int t = 0; t < DAYS; t++) {
            const struct tm d    = date_of((int64_t)(FIRST + t) * DAY);
            const double    year = 1 + wave * sin(tau * ((double)d.tm_yday / 365.25 + phase));
            level                = 0.95 * level + 0.05 * normal(&state);
            const double mean    = size * week[d.tm_wday] * year * exp(level);
            const double sales   = mean + sqrt(mean) * normal(&state);
            if ((t >= DAYS - LAST) == truth)
                fprintf(f, "s%03d,%04d-%02d-%02d,%.0f\n", store, d.tm_year + 1900, d.tm_mon + 1, d.tm_mday,
                        sales > 0 ? sales : 0);
        }
    }
}

void job_write_stores(FILE *f)
{
    write_stores(f, 0);
}

void job_write_stores_truth(FILE *f)
{
    write_stores(f, 1);
}

/* Months of all series, without the last year or only this year. */
static void write_monthly(FILE *f, int truth)
{
    enum { SERIES = 1000, SHORTEST = 48, RANGE = 100, LAST = 12, END = 240 };
    uint64_t state = 2;
    fputs("series,month,value\n", f);
    for (int s = 0; s < SERIES; s++) {
        const int    first = END - SHORTEST - (int)(uniform(&state) * RANGE);
        const double wave  = 0.4 * uniform(&state), phase = uniform(&state);
        const double noise = 0.02 + 0.1 * uniform(&state);
        double       level = 5 + normal(&state), slope = 0.003 * normal(&state);
        for (int t = first; t < END; t++) {
            level += slope + 0.02 * normal(&state);
            const double season = wave * sin(tau * ((double)t / 12 + phase));
            const double value  = exp(level + season + noise * normal(&state));
            if ((t >= END - LAST) == truth)
                fprintf(f, "m%04d,%04d-%02d,%.1f\n", s, 2005 + t / 12, t % 12 + 1, value);
        }
    }
}

void job_write_monthly(FILE *f)
{
    write_monthly(f, 0);
}

void job_write_monthly_truth(FILE *f)
{
    write_monthly(f, 1);
}

/* ---- texts ---- */

enum { WORDS = 8000, SYLLABLES = 40 };

/* A word has two to four syllables, the digits of its number; words with small numbers are frequent. */
static void write_word(FILE *f, int word)
{
    static const char syllable[SYLLABLES][4] = {
        "ba", "re", "mi", "to", "lu", "ka", "ne", "si", "do", "fu", "ga", "pe", "li", "mo", "ru", "ta", "ve",
        "ni", "so", "bu", "ra", "ke", "di", "go", "mu", "la", "te", "fi", "no", "su", "da", "be", "ri", "ko",
        "nu", "ma", "se", "ti", "lo", "pu"};
    fputs(syllable[word % SYLLABLES], f);
    fputs(syllable[word / SYLLABLES % SYLLABLES], f);
    if (word >= SYLLABLES * SYLLABLES) fputs(syllable[word / SYLLABLES / SYLLABLES], f);
}

/* Words follow Zipf's law. A third of the words of a spam message come from another quarter of the
 * vocabulary. */
static void write_text(FILE *f, uint64_t *state, int spam)
{
    const int words = 5 + (int)(uniform(state) * (spam ? 25 : 18));
    for (int i = 0; i < words; i++) {
        int word = (int)exp(uniform(state) * log(WORDS)) - 1;
        if (spam && uniform(state) < 0.33) word = (word % (WORDS / 4) + WORDS / 2) % WORDS;
        if (i) fputc(' ', f);
        write_word(f, word);
    }
    fputc('\n', f);
}

static void write_spam(FILE *f, uint64_t seed, int texts)
{
    uint64_t state = seed;
    fputs("label,text\n", f);
    for (int i = 0; i < texts; i++) {
        const int spam = next(&state) % 8 == 0;
        fputs(spam ? "spam," : "ham,", f);
        write_text(f, &state, spam);
    }
}

void job_write_spam(FILE *f)
{
    write_spam(f, 3, 5574);
}

void job_write_spam_test(FILE *f)
{
    write_spam(f, 6, 5574);
}

void job_write_texts(FILE *f)
{
    enum { TEXTS = 1000000 };
    uint64_t state = 4;
    fputs("text\n", f);
    for (int i = 0; i < TEXTS; i++) write_text(f, &state, next(&state) % 8 == 0);
}

/* ---- tables ---- */

/* Rows of minutes with `columns` sums of two waves and noise, with three decimals. The waves come from a
 * table, so that ten gigabytes are written about as fast as a disk accepts them. */
static void write_rows(FILE *f, int64_t first, int64_t rows, int columns)
{
    enum { VALUES = 4096, WIDE = 8 };
    static char text[VALUES][WIDE];
    uint64_t    state = 5;
    for (int i = 0; i < VALUES; i++) {
        const double x = 500 + 300 * sin(tau * i / VALUES) + 40 * normal(&state);
        char         cell[32];
        snprintf(cell, sizeof cell, "%07.3f", fmin(fmax(x, 100), 999.999));
        text[i][0] = ',';
        memcpy(text[i] + 1, cell, WIDE - 1);
    }
    fputs("time", f);
    for (int c = 0; c < columns; c++) fprintf(f, ",x%d", c);
    fputc('\n', f);
    for (int64_t t = 0; t < rows; t++) {
        const struct tm d = date_of((first + t) * MINUTE);
        fprintf(f, "%04d-%02d-%02d %02d:%02d:00", d.tm_year + 1900, d.tm_mon + 1, d.tm_mday, d.tm_hour,
                d.tm_min);
        for (int c = 0; c < columns; c++) {
            const uint64_t noise = next(&state) & 63;
            const uint64_t day   = (uint64_t)(t % 1440) * VALUES / 1440;
            fwrite(text[(day + (uint64_t)c * 61 + noise) % VALUES], 1, WIDE, f);
        }
        fputc('\n', f);
        if (ferror(f)) return;
    }
}

void job_write_minutes(FILE *f)
{
    enum { START = 26297280, ROWS = 1000099, COLUMNS = 7 }; /* 2020-01-01 */
    write_rows(f, START, ROWS, COLUMNS);
}

void job_write_wide(FILE *f)
{
    enum { START = 5259600, ROWS = 18800000, COLUMNS = 64 }; /* 1980-01-01 */
    write_rows(f, START, ROWS, COLUMNS);
}
