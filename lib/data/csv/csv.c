/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/csv/csv.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/file_kind.h"
#include "core/strings/list.h"
#include "data/csv/line.h"

/* Most bytes of one record: a million cells of 64 characters. The limit bounds the memory for a file that is
 * not CSV. */
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

/* Gets the next bytes of the file, in UTF-8. At the end of the file csv->next == csv->end. */
static fgt_status refill(fgti_csv *csv)
{
    size_t n;
    if (csv->held) {
        csv->next = csv->held;
        csv->end  = csv->held_end;
        csv->held = NULL;
        if (csv->next < csv->end) return FGT_OK;
    }
    csv->blocks++;
    do {
        FGTI_TRY(fgti_reader_read(csv->reader, &csv->next, &n));
        csv->end = csv->next + n;
        if (!csv->utf16) return FGT_OK;
        bool good;
        FGTI_TRY(fgti_utf16_decode(csv->ctx, csv->utf16, csv->next, n, &csv->next, &csv->end, &good));
        if (!good)
            return fgti_csv_fail(csv, FGT_E_FORMAT, csv->next_line, "the text in UTF-16 is damaged here");
    } while (n && csv->next == csv->end);
    return FGT_OK;
}

/* *c becomes the next byte, or -1 at the end of the file. */
static inline fgt_status csv_peek(fgti_csv *csv, int *c)
{
    if (csv->next == csv->end) {
        FGTI_TRY(refill(csv));
        if (csv->next == csv->end) {
            *c = -1;
            return FGT_OK;
        }
    }
    *c = (unsigned char)*csv->next;
    return FGT_OK;
}

static fgt_status csv_append(fgti_csv *csv, const char *s, int64_t n)
{
    if (!n) return FGT_OK;
    if (csv->used + n > RECORD_MAX)
        return fgti_csv_fail(
            csv, FGT_E_FORMAT, csv->line,
            "the line is too long (got %lld bytes, need at most 64 MiB); perhaps a quote is not closed",
            (long long)(csv->used + n));
    if (csv->used + n + FGTI_NUMBER_PAD > csv->own_room) /* the function is called only here: it is seldom
                                                          * needed, and one call for each cell would be
                                                          * slow */
        FGTI_TRY(fgti_grow(csv->ctx, "line of a file", 1, csv->used, csv->used + n + FGTI_NUMBER_PAD,
                           2 * csv->used + 256, &csv->own_room, (void **)&csv->own));
    memcpy(csv->own + csv->used, s, (size_t)n);
    csv->used += n;
    return FGT_OK;
}

static fgt_status read_plain(fgti_csv *csv)
{
    int c;
    for (;;) {
        FGTI_TRY(csv_peek(csv, &c));
        if (c < 0) return FGT_OK;
        const char *from = csv->next, *p = from;
        while (p < csv->end && !csv->stop[(unsigned char)*p]) p++;
        csv->next = p;
        FGTI_TRY(csv_append(csv, from, p - from));
        if (p < csv->end) return FGT_OK;
    }
}

/* Reads the rest of a quoted cell, up to its closing quote. */
static fgt_status read_quoted(fgti_csv *csv)
{
    const int64_t opened = csv->next_line;
    int           c;
    for (;;) {
        FGTI_TRY(csv_peek(csv, &c));
        csv->bad_quote = c < 0;
        if (c < 0) return fgti_csv_fail(csv, FGT_E_FORMAT, opened, "a quote is not closed");
        const char *from = csv->next, *p = from;
        for (; p < csv->end && *p != '"' && *p; p++) csv->next_line += *p == '\n';
        csv->next = p;
        FGTI_TRY(csv_append(csv, from, p - from));
        if (p == csv->end) continue;
        if (!*p) return FGT_OK; /* finish_cell() reports this zero byte */
        csv->next++;
        FGTI_TRY(csv_peek(csv, &c));
        if (c != '"') return FGT_OK;
        csv->next++;
        FGTI_TRY(csv_append(csv, "\"", 1));
    }
}

static inline bool csv_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Removes the blanks around an unquoted cell, or skips the blanks after a quoted cell. */
static fgt_status csv_trim(fgti_csv *csv, fgti_record_cell *cell)
{
    int c;
    if (!cell->quoted) {
        while (csv->used > cell->begin && csv_is_blank(csv->own[csv->used - 1])) csv->used--;
        while (cell->begin < csv->used && csv_is_blank(csv->own[cell->begin])) cell->begin++;
        return FGT_OK;
    }
    for (;;) {
        FGTI_TRY(csv_peek(csv, &c));
        if (c < 0 || !csv_is_blank((char)c) || c == csv->delimiter) return FGT_OK;
        csv->next++;
    }
}

/* Reads the delimiter or the end of line after a cell. *last: the cell is the last one of its record. */
static fgt_status finish_cell(fgti_csv *csv, bool *last)
{
    int c;
    FGTI_TRY(csv_peek(csv, &c));
    *last = c != (unsigned char)csv->delimiter;
    if (c < 0) return FGT_OK;
    if (c == 0)
        return fgti_csv_fail(csv, FGT_E_FORMAT, csv->next_line,
                             "the line contains a zero byte, so the file is not text in UTF-8; save it "
                             "in UTF-8");
    csv->bad_quote = *last && c != '\n' && c != '\r';
    if (csv->bad_quote)
        return fgti_csv_fail(csv, FGT_E_FORMAT, csv->next_line, "text follows a closing quote");
    csv->next++;
    if (!*last) return FGT_OK;
    csv->next_line++;
    if (c == '\n') return FGT_OK;
    FGTI_TRY(csv_peek(csv, &c));
    if (c == '\n') csv->next++;
    return FGT_OK;
}

static fgt_status csv_read_cell(fgti_csv *csv, bool *last)
{
    int c;
    FGTI_TRY(fgti_csv_grow_cells(csv, 1));
    fgti_record_cell *cell = &csv->cells[csv->count++];
    FGTI_TRY(csv_peek(csv, &c));
    *cell = (fgti_record_cell){.begin = csv->used, .quoted = c == '"' && csv->delimiter && !csv->no_quotes};
    csv->next += cell->quoted;
    FGTI_TRY(cell->quoted ? read_quoted(csv) : read_plain(csv));
    FGTI_TRY(csv_trim(csv, cell));
    cell->size = csv->used - cell->begin;
    FGTI_TRY(csv_append(csv, "", 1));
    return finish_cell(csv, last);
}

/* ---- lines that are not records ---- */

static fgt_status csv_skip_line(fgti_csv *csv)
{
    int c;
    do {
        FGTI_TRY(csv_peek(csv, &c));
        if (c < 0) return FGT_OK;
        csv->next++;
    } while (c != '\n' && c != '\r');
    csv->next_line++;
    if (c == '\n') return FGT_OK;
    FGTI_TRY(csv_peek(csv, &c));
    if (c == '\n') csv->next++;
    return FGT_OK;
}

/* Skips the next line if it is a comment. If it is not, the bytes that were taken are read again. If another
 * block has replaced theirs, they are read from csv->comment, which holds the same bytes. */
static fgt_status skip_comment(fgti_csv *csv, bool *was)
{
    const char   *text = csv->comment, *from = csv->next;
    const int64_t block = csv->blocks;
    int64_t       n     = 0;
    int           c;
    for (*was = true; text[n]; n++) {
        FGTI_TRY(csv_peek(csv, &c));
        if (!n) from = csv->next;
        *was = c == (unsigned char)text[n];
        if (!*was) break;
        csv->next++;
    }
    if (*was) return csv_skip_line(csv);
    if (csv->blocks == block || n == csv->next - from) {
        csv->next = from;
    } else if (n) {
        csv->held     = csv->next;
        csv->held_end = csv->end;
        csv->next     = text;
        csv->end      = text + n;
    }
    return FGT_OK;
}

static fgt_status skip_comments(fgti_csv *csv)
{
    for (bool was = csv->comment; was;) FGTI_TRY(skip_comment(csv, &was));
    return FGT_OK;
}

fgt_status fgti_csv_skip(fgti_csv *csv, int64_t lines, const char *comment)
{
    int c = 0;
    for (int64_t i = 0; i < lines && c >= 0; i++) {
        FGTI_TRY(csv_skip_line(csv));
        FGTI_TRY(csv_peek(csv, &c));
    }
    csv->comment = comment;
    return skip_comments(csv);
}

fgt_status fgti_csv_skip_blank(fgti_csv *csv)
{
    for (int c;;) {
        FGTI_TRY(csv_peek(csv, &c));
        if (c != '\n' && c != '\r') return FGT_OK;
        FGTI_TRY(csv_skip_line(csv));
        FGTI_TRY(skip_comments(csv));
    }
}

const char *fgti_csv_comment_fault(const char *comment)
{
    if (!comment) return NULL;
    return !*comment                   ? "comment is empty"
           : strpbrk(comment, "\r\n") ? "comment has the end of a line"
                                       : NULL;
}

/* ---- records ---- */

fgt_status fgti_csv_next(fgti_csv *csv, bool *more)
{
    int  c;
    bool last;
    if (csv->comment) FGTI_TRY(skip_comments(csv));
    csv->count = csv->used = 0;
    csv->line              = csv->next_line;
    FGTI_TRY(csv_peek(csv, &c));
    *more = c >= 0;
    FGTI_TRY(fgti_csv_read_line(csv, &last));
    if (last || !*more) return FGT_OK;
    do FGTI_TRY(csv_read_cell(csv, &last));
    while (!last);
    csv->text = csv->own;
    return FGT_OK;
}

fgt_status fgti_csv_next_filled(fgti_csv *csv, bool *more)
{
    do FGTI_TRY(fgti_csv_next(csv, more));
    while (*more && csv->count == 1 && csv->cells[0].size == 0);
    return FGT_OK;
}

static fgt_status refuse_binary(const fgti_csv *csv)
{
    const fgti_file_kind *kind = fgti_file_kind_find(csv->next, (size_t)(csv->end - csv->next));
    if (!kind) return FGT_OK;
    return fgti_fail(&csv->ctx->error, FGT_E_FORMAT,
                     "%.300s: wrong kind of file (got %s, need a CSV file)%s%s", csv->path, kind->name,
                     kind->table ? "; " : "", kind->table ? kind->table : "");
}

/* Decodes the rest of the first block after a byte order mark of UTF-16. */
static fgt_status begin_utf16(fgti_csv *csv, bool big)
{
    bool good;
    FGTI_TRY(FGTI_NEW(csv->ctx, 1, "UTF-16", &csv->utf16));
    csv->utf16->big = big;
    FGTI_TRY(fgti_utf16_decode(csv->ctx, csv->utf16, csv->next + 2, (size_t)(csv->end - csv->next) - 2,
                               &csv->next, &csv->end, &good));
    return good ? FGT_OK : fgti_csv_fail(csv, FGT_E_FORMAT, 1, "the text in UTF-16 is damaged here");
}

fgt_status fgti_csv_open(fgt_context *ctx, const char *path, char delimiter, fgti_csv *csv)
{
    *csv         = (fgti_csv){.ctx = ctx, .path = path, .next_line = 1, .delimiter = delimiter};
    csv->stop[0] = csv->stop['\n'] = csv->stop['\r'] = csv->stop[(unsigned char)delimiter] = true;
    FGTI_TRY(fgti_reader_open(ctx, path, &csv->reader));
    FGTI_TRY(refill(csv));
    const size_t n = (size_t)(csv->end - csv->next);
    FGTI_TRY(refuse_binary(csv));
    if (n >= 3 && !memcmp(csv->next, "\xef\xbb\xbf", 3)) {
        csv->next += 3;
        return FGT_OK;
    }
    const bool little = n >= 2 && !memcmp(csv->next, "\xff\xfe", 2);
    return little || (n >= 2 && !memcmp(csv->next, "\xfe\xff", 2)) ? begin_utf16(csv, !little) : FGT_OK;
}

void fgti_csv_close(fgti_csv *csv)
{
    fgti_reader_close(&csv->reader);
    fgti_utf16_done(csv->ctx, &csv->utf16);
    fgti_free(csv->ctx, csv->cells);
    fgti_free(csv->ctx, csv->own);
}
