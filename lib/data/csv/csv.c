/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/csv/csv.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "data/strings/list.h"

/* Bytes of one record: a million cells of 64 characters. The limit bounds the memory that is used on a file
 * that is not CSV. */
#define RECORD_MAX (INT64_C(64) << 20)

fgt_status fgti_csv_fail(const fgti_csv *csv, fgt_status s, int64_t line, const char *format, ...)
{
    char    text[sizeof csv->ctx->error.text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return fgti_fail(&csv->ctx->error, s, "%.200s: line %lld: %s", csv->path, (long long)line, text);
}

/* *c becomes the next byte, or -1 at the end of the file. */
static inline fgt_status peek(fgti_csv *csv, int *c)
{
    if (csv->next == csv->end) {
        size_t n;
        FGTI_TRY(fgti_reader_read(csv->reader, &csv->next, &n));
        csv->end = csv->next + n;
        if (!n) {
            *c = -1;
            return FGT_OK;
        }
    }
    *c = (unsigned char)*csv->next;
    return FGT_OK;
}

static fgt_status append(fgti_csv *csv, const char *s, int64_t n)
{
    if (!n) return FGT_OK;
    if (csv->used + n > RECORD_MAX)
        return fgti_csv_fail(csv, FGT_E_FORMAT, csv->line,
                             "the line is longer than 64 MiB; perhaps a quote is not closed");
    FGTI_TRY(fgti_grow(csv->ctx, "line of a file", 1, csv->used, csv->used + n, 2 * csv->used + 256,
                       &csv->text_room, (void **)&csv->text));
    memcpy(csv->text + csv->used, s, (size_t)n);
    csv->used += n;
    return FGT_OK;
}

static fgt_status read_plain(fgti_csv *csv)
{
    int c;
    for (;;) {
        FGTI_TRY(peek(csv, &c));
        if (c < 0) return FGT_OK;
        const char *from = csv->next, *p = from;
        while (p < csv->end && !csv->stop[(unsigned char)*p]) p++;
        csv->next = p;
        FGTI_TRY(append(csv, from, p - from));
        if (p < csv->end) return FGT_OK;
    }
}

/* Reads the rest of a quoted cell, up to its closing quote. */
static fgt_status read_quoted(fgti_csv *csv)
{
    const int64_t opened = csv->next_line;
    int           c;
    for (;;) {
        FGTI_TRY(peek(csv, &c));
        if (c < 0) return fgti_csv_fail(csv, FGT_E_FORMAT, opened, "a quote is not closed");
        const char *from = csv->next, *p = from;
        for (; p < csv->end && *p != '"' && *p; p++) csv->next_line += *p == '\n';
        csv->next = p;
        FGTI_TRY(append(csv, from, p - from));
        if (p == csv->end) continue;
        if (!*p) return FGT_OK; /* finish_cell() reports what is wrong with it */
        csv->next++;
        FGTI_TRY(peek(csv, &c));
        if (c != '"') return FGT_OK;
        csv->next++;
        FGTI_TRY(append(csv, "\"", 1));
    }
}

static inline bool blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Removes the blanks around an unquoted cell, and skips those after a quoted one. */
static fgt_status trim(fgti_csv *csv, fgti_cell *cell)
{
    int c;
    if (!cell->quoted) {
        while (csv->used > cell->begin && blank(csv->text[csv->used - 1])) csv->used--;
        while (cell->begin < csv->used && blank(csv->text[cell->begin])) cell->begin++;
        return FGT_OK;
    }
    for (;;) {
        FGTI_TRY(peek(csv, &c));
        if (c < 0 || !blank((char)c) || c == csv->delimiter) return FGT_OK;
        csv->next++;
    }
}

/* Reads what follows a cell. *last: the record ends there. */
static fgt_status finish_cell(fgti_csv *csv, bool *last)
{
    int c;
    FGTI_TRY(peek(csv, &c));
    *last = c != (unsigned char)csv->delimiter;
    if (c < 0) return FGT_OK;
    if (c == 0)
        return fgti_csv_fail(csv, FGT_E_FORMAT, csv->next_line,
                             "the line contains a zero byte, so the file is not text in UTF-8");
    if (*last && c != '\n' && c != '\r')
        return fgti_csv_fail(csv, FGT_E_FORMAT, csv->next_line, "text follows a closing quote");
    csv->next++;
    if (!*last) return FGT_OK;
    csv->next_line++;
    if (c == '\n') return FGT_OK;
    FGTI_TRY(peek(csv, &c));
    if (c == '\n') csv->next++;
    return FGT_OK;
}

static fgt_status read_cell(fgti_csv *csv, bool *last)
{
    int c;
    FGTI_TRY(fgti_grow(csv->ctx, "cells of a line", sizeof *csv->cells, csv->count, csv->count + 1,
                       2 * csv->count + 16, &csv->cells_room, (void **)&csv->cells));
    fgti_cell *cell = &csv->cells[csv->count++];
    FGTI_TRY(peek(csv, &c));
    *cell = (fgti_cell){.begin = csv->used, .quoted = c == '"' && csv->delimiter && !csv->no_quotes};
    csv->next += cell->quoted;
    FGTI_TRY(cell->quoted ? read_quoted(csv) : read_plain(csv));
    FGTI_TRY(trim(csv, cell));
    cell->size = csv->used - cell->begin;
    FGTI_TRY(append(csv, "", 1));
    return finish_cell(csv, last);
}

fgt_status fgti_csv_next(fgti_csv *csv, bool *more)
{
    int c;
    csv->count = csv->used = 0;
    csv->line              = csv->next_line;
    FGTI_TRY(peek(csv, &c));
    *more = c >= 0;
    for (bool last = !*more; !last;) FGTI_TRY(read_cell(csv, &last));
    return FGT_OK;
}

fgt_status fgti_csv_next_filled(fgti_csv *csv, bool *more)
{
    do FGTI_TRY(fgti_csv_next(csv, more));
    while (*more && csv->count == 1 && csv->cells[0].size == 0);
    return FGT_OK;
}

fgt_status fgti_csv_open(fgt_context *ctx, const char *path, char delimiter, fgti_csv *csv)
{
    int c;
    *csv         = (fgti_csv){.ctx = ctx, .path = path, .next_line = 1, .delimiter = delimiter};
    csv->stop[0] = csv->stop['\n'] = csv->stop['\r'] = csv->stop[(unsigned char)delimiter] = true;
    FGTI_TRY(fgti_reader_open(ctx, path, &csv->reader));
    FGTI_TRY(peek(csv, &c));
    const bool mark = csv->end - csv->next >= 3 && !memcmp(csv->next, "\xef\xbb\xbf", 3);
    csv->next += mark ? 3 : 0;
    return FGT_OK;
}

/* How often c stands outside of quotes in the first line that is not blank, within the first block. A quote
 * opens where a cell begins, whichever of the delimiters is before it. */
static int64_t count_in_line(const fgti_csv *csv, char c, const char *delimiters)
{
    int64_t     n      = 0;
    bool        quoted = false, begins = true;
    const char *p      = csv->next;
    while (p < csv->end && (*p == '\n' || *p == '\r')) p++;
    for (; p < csv->end && (quoted || (*p != '\n' && *p != '\r')); p++) {
        if (quoted && *p == '"' && p + 1 < csv->end && p[1] == '"')
            p++;
        else if (*p == '"' && (quoted || begins))
            quoted = !quoted;
        n += !quoted && *p == c;
        begins = !quoted && *p && strchr(delimiters, *p);
    }
    return n;
}

void fgti_csv_detect(fgti_csv *csv, const char *delimiters)
{
    int64_t most   = 0;
    csv->delimiter = delimiters[0];
    for (const char *d = delimiters; *d; d++) {
        const int64_t n = count_in_line(csv, *d, delimiters);
        if (n <= most) continue;
        most           = n;
        csv->delimiter = *d;
    }
    csv->stop[(unsigned char)csv->delimiter] = true;
}

void fgti_csv_close(fgti_csv *csv)
{
    fgti_reader_close(&csv->reader);
    fgti_free(csv->ctx, csv->cells);
    fgti_free(csv->ctx, csv->text);
}
