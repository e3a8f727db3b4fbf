/* SPDX-License-Identifier: BSD-3-Clause */
/* Detects properties of a CSV file in its first block: its delimiter, titles above the header, and whether it
 * is another kind of file. */
#include "data/csv/first_block.h"

#include <string.h>
#include <strings.h>

#include "core/context.h"

/* ---- other kinds of text ---- */

static const char *skip_white(const char *p, const char *end)
{
    while (p < end && strchr(" \t\r\n", *p) && *p) p++;
    return p;
}

/* Whether the text is JSON: an object, or an array of objects or of arrays. */
static bool is_json(const char *p, const char *end)
{
    const char *inner = p < end ? skip_white(p + 1, end) : end;
    if (inner == end) return false;
    return *p == '[' ? *inner == '{' || *inner == '[' : *p == '{' && (*inner == '"' || *inner == '}');
}

fgt_status fgti_csv_check_text(const fgti_csv *csv)
{
    static const char *const tags[] = {"<!doctype", "<html", "<head", "<body", "<table", "<?xml"};
    const char              *p      = skip_white(csv->next, csv->end);
    const size_t             n      = (size_t)(csv->end - p);
    const char              *what   = NULL;
    if (is_json(p, csv->end)) what = "is JSON, and no CSV file; write its rows as CSV";
    for (size_t i = 0; !what && i < sizeof tags / sizeof *tags; i++)
        if (n >= strlen(tags[i]) && !strncasecmp(p, tags[i], strlen(tags[i])))
            what = "is a page of HTML or XML, and no CSV file";
    return what ? fgti_fail(&csv->ctx->error, FGT_E_FORMAT, "%.300s: %s", csv->path, what) : FGT_OK;
}

/* ---- the delimiter ---- */

static bool first_block_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Counts the character c, outside of quotes, in the first line from *next on that is not blank. Sets *next to
 * the end of this line. Only the first block is searched. A quote opens only at the beginning of a cell,
 * after any delimiter. */
static int64_t count_in_line(const fgti_csv *csv, char c, const char *delimiters, const char **next)
{
    int64_t     n      = 0;
    bool        quoted = false, begins = true;
    const char *p = *next;
    while (p < csv->end && (*p == '\n' || *p == '\r')) p++;
    for (; p < csv->end && (quoted || (*p != '\n' && *p != '\r')); p++) {
        if (quoted && *p == '"' && p + 1 < csv->end && p[1] == '"')
            p++;
        else if (*p == '"' && (quoted || begins))
            quoted = !quoted;
        n += !quoted && *p == c;
        begins = !quoted && *p && strchr(delimiters, *p);
    }
    *next = p;
    return n;
}

char fgti_csv_take_separator(fgti_csv *csv)
{
    const char  *p = csv->next, *end = csv->end;
    const bool   quoted = p < end && *p == '"';
    const size_t n      = quoted ? 7 : 5;
    p += quoted;
    if (end - p < 6 || strncasecmp(p, "sep=", 4) != 0 || (quoted && p[5] != '"')) return 0;
    const char delimiter = p[4];
    p                    = csv->next + n;
    if (!delimiter || !strchr(",;\t|:^~ ", delimiter) || p == end || (*p != '\n' && *p != '\r')) return 0;
    csv->next = p + 1 + (*p == '\r' && p + 1 < end && p[1] == '\n');
    csv->next_line++;
    return delimiter;
}

/* Whether the first line has semicolons, and commas only between digits, at most one in each cell. */
static bool has_decimal_commas(const fgti_csv *csv)
{
    int64_t commas = 0, cells = 1;
    bool    digits = true;
    for (const char *p = csv->next; p < csv->end && *p != '\n' && *p != '\r'; p++) {
        cells += *p == ';';
        if (*p != ',') continue;
        commas++;
        digits &=
            p > csv->next && first_block_is_digit(p[-1]) && p + 1 < csv->end && first_block_is_digit(p[1]);
    }
    return digits && cells > 1 && commas <= cells;
}

void fgti_csv_detect(fgti_csv *csv, const char *delimiters)
{
    const char said = fgti_csv_take_separator(csv);
    int64_t    most = 0;
    csv->delimiter  = delimiters[0];
    for (const char *d = delimiters; *d; d++) {
        const char   *p = csv->next;
        const int64_t n = count_in_line(csv, *d, delimiters, &p);
        if (n <= most) continue;
        most           = n;
        csv->delimiter = *d;
    }
    if (csv->delimiter == ',' && strchr(delimiters, ';') && has_decimal_commas(csv)) csv->delimiter = ';';
    if (said && delimiters[1]) csv->delimiter = said;
    csv->stop[(unsigned char)csv->delimiter] = true;
}

char fgti_csv_find_delimiter(const fgti_csv *csv, const char *delimiters)
{
    int64_t most = 0;
    char    found = 0;
    for (const char *d = delimiters; *d; d++) {
        const char   *p = csv->next;
        const int64_t n = count_in_line(csv, *d, delimiters, &p);
        if (n <= most || count_in_line(csv, *d, delimiters, &p) != n) continue;
        most  = n;
        found = *d;
    }
    return found;
}

/* ---- titles ---- */

enum {
    LOOKED_AT = 64,
    ALIKE     = 4
}; /* LOOKED_AT: lines that are examined; ALIKE: lines that must be like the header */

typedef struct line_shape {
    int64_t cells, filled, numbers; /* numbers: cells that begin with a digit, or with a sign and a digit */
    bool    named;                  /* some cell has a usual name of a column */
} line_shape;

static void add_cell(line_shape *s, const char *p, const char *end, fgti_csv_named named)
{
    while (p < end && (*p == ' ' || *p == '"')) p++;
    while (end > p && (end[-1] == ' ' || end[-1] == '"')) end--;
    s->cells++;
    s->filled += p < end;
    s->named |= named && named(p, (size_t)(end - p));
    p += p < end && (*p == '-' || *p == '+');
    s->numbers += p < end && first_block_is_digit(*p);
}

/* Measures the line at p, as the delimiter cuts it. *next: the line after it. */
static line_shape measure_line(const char *p, const char *end, char delimiter, fgti_csv_named named,
                               const char **next)
{
    line_shape  s      = {0};
    bool        quoted = false;
    const char *begin  = p;
    for (; p < end && (quoted || (*p != '\n' && *p != '\r')); p++) {
        quoted ^= *p == '"';
        if (quoted || *p != delimiter) continue;
        add_cell(&s, begin, p, named);
        begin = p + 1;
    }
    add_cell(&s, begin, p, named);
    *next = p + (p < end) + (p + 1 < end && *p == '\r' && p[1] == '\n');
    return s;
}

/* Index of the header among the lines, as a delimiter cuts them; -1: not found. Lines above the header have
 * few filled cells. */
static int64_t find_header(const line_shape *line, int64_t count)
{
    int64_t most = 0; /* most filled cells of the lines so far */
    for (int64_t i = 0; i + 1 < count; i++) {
        const int64_t cells = line[i].cells;
        int64_t       alike = 1;
        while (alike < ALIKE && i + alike < count && line[i + alike].cells == cells) alike++;
        if (cells > 1 && 2 * line[i].filled > cells && 2 * most <= cells &&
            (alike == ALIKE || i + alike == count))
            return i;
        if (line[i].filled > most) most = line[i].filled;
    }
    return -1;
}

/* The first line that has a number and is followed by similar lines; -1: not found. */
static int64_t first_block_find_row(const line_shape *line, int64_t count)
{
    for (int64_t i = 1; i < count; i++) {
        int64_t k = i;
        while (k < count && k < i + ALIKE && line[k].cells == line[i].cells && line[k].numbers) k++;
        if (line[i].cells > 1 && (k == count || k == i + ALIKE)) return i;
    }
    return -1;
}

/* Finds the header by the contents of the cells. The candidates are the lines of names right before the rows.
 * The header is the first of them with a usual name, or else the first of them. Lines above the header may
 * have as many cells as the header. */
static int64_t first_block_find_names(const line_shape *line, int64_t count)
{
    const int64_t row   = first_block_find_row(line, count);
    int64_t       first = row;
    while (first > 0 && line[first - 1].cells == line[row].cells && !line[first - 1].numbers &&
           2 * line[first - 1].filled > line[row].cells)
        first--;
    for (int64_t i = first; i < row; i++)
        if (line[i].named) return i;
    return first < row ? first : -1;
}

/* Whether the line may be a title such as "Sales, 2019". A header of years is not a title. */
static bool first_block_has_year(const line_shape *s)
{
    return s->numbers && 2 * s->numbers <= s->cells;
}

int64_t fgti_csv_count_titles(const fgti_csv *csv, const char *delimiters, fgti_csv_named named)
{
    int64_t    most = 1, titles = 0;
    line_shape line[LOOKED_AT];
    for (const char *d = delimiters; *d; d++) {
        const char *p     = csv->next;
        int64_t     count = 0;
        while (p < csv->end && count < LOOKED_AT) line[count++] = measure_line(p, csv->end, *d, named, &p);
        int64_t       header = find_header(line, count);
        const int64_t names  = first_block_find_names(line, count);
        if (names >= 0 && (header < 0 || line[names].named || first_block_has_year(&line[header])))
            header = names;
        if (header < 0 || line[header].cells <= most) continue;
        most   = line[header].cells;
        titles = header;
    }
    return titles ? csv->next_line - 1 + titles : 0;
}

/* ---- a header with another delimiter than the rows ---- */

/* Whether each comma of a line is between two digits. */
static bool has_digit_commas(const char *p, const char *end)
{
    for (const char *begin = p; p < end; p++)
        if (*p == ',' &&
            (p == begin || !first_block_is_digit(p[-1]) || p + 1 == end || !first_block_is_digit(p[1])))
            return false;
    return true;
}

/* Whether d cuts the lines from p on into as many cells as the header has. These lines must not contain
 * `own`, the header's delimiter, except as a decimal comma. */
static bool cuts_rows(const fgti_csv *csv, const char *p, char own, char d, int64_t cells)
{
    int64_t lines = 0;
    for (const char *next; p < csv->end && lines < ALIKE; p = next, lines++) {
        const line_shape s = measure_line(p, csv->end, d, NULL, &next);
        if (next == csv->end && lines > 1) break; /* the block may end inside this line */
        if (s.cells != cells || (measure_line(p, csv->end, own, NULL, &next).cells > 1 &&
                                 (own != ',' || !has_digit_commas(p, next))))
            return false;
    }
    return lines;
}

char fgti_csv_find_rows_delimiter(const fgti_csv *csv, const char *delimiters, char *own)
{
    int64_t     most = 1;
    const char *next, *row = csv->next;
    for (const char *d = ",;\t|"; *d; d++) {
        const int64_t n = measure_line(csv->next, csv->end, *d, NULL, &next).cells;
        if (n <= most) continue;
        most = n;
        *own = *d;
        row  = next;
    }
    for (const char *d = delimiters; most > 1 && *d; d++)
        if (*d != *own && measure_line(csv->next, csv->end, *d, NULL, &next).cells == 1 &&
            cuts_rows(csv, row, *own, *d, most))
            return *d;
    return 0;
}

void fgti_csv_set_delimiter(fgti_csv *csv, char delimiter)
{
    csv->stop[(unsigned char)csv->delimiter] = false;
    csv->stop[(unsigned char)delimiter]      = true;
    csv->delimiter                           = delimiter;
}
