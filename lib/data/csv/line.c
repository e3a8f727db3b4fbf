/* SPDX-License-Identifier: BSD-3-Clause */
/* The fast path for a record that is one line inside one block and has no quotes. It finds separators 64
 * bytes at a time and does not copy the cells. */
#include "data/csv/line.h"

#include <string.h>

#include "data/csv/lanes.h"

static inline bool line_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* A cell without the blanks around it. */
static fgti_record_cell line_trim(const char *record, int64_t begin, int64_t end)
{
    while (end > begin && line_is_blank(record[end - 1])) end--;
    while (begin < end && line_is_blank(record[begin])) begin++;
    return (fgti_record_cell){.begin = begin, .size = end - begin};
}

/* Cuts the line into cells and sets *end to its end. *end NULL: the fast path cannot read this line. The
 * search stops at delimiters and at all bytes up to the quote character: blanks, ends of lines, quotes and
 * zero bytes. */
static fgt_status line_cut(fgti_csv *csv, const char **end)
{
    const char *record = csv->next, *last = csv->end, delimiter = csv->delimiter;
    const bool  quotes = delimiter && !csv->no_quotes;
    int64_t     begin = 0, count = 0;
    bool        blanks = false;
    *end               = NULL;
    if (delimiter == '"') return FGT_OK;
    for (const char *p = record; last - p >= 64; p += 64) {
        csv->count = count;
        FGTI_TRY(fgti_csv_grow_cells(csv, 64));
        fgti_record_cell *cells = csv->cells;
        for (uint64_t bits = fgti_find_bytes(p, delimiter, '"'); bits; bits &= bits - 1) {
            const char   *q  = p + fgti_lowest_bit(bits), c = *q;
            const int64_t at = q - record;
            const bool    cuts = c == delimiter && c;
            if (!cuts && c != '\n' && c != '\r') {
                if (!c || (c == '"' && quotes && at == begin)) return FGT_OK;
                blanks |= line_is_blank(c);
                continue;
            }
            cells[count++] = blanks ? line_trim(record, begin, at)
                                    : (fgti_record_cell){.begin = begin, .size = at - begin};
            begin  = at + 1;
            blanks = false;
            if (cuts) continue;
            csv->count = count;
            *end       = q;
            return FGT_OK;
        }
    }
    return FGT_OK;
}

fgt_status fgti_csv_read_line(fgti_csv *csv, bool *read)
{
    const char *end;
    FGTI_TRY(line_cut(csv, &end));
    *read = end && csv->end - end > FGTI_NUMBER_PAD;
    if (!*read) {
        csv->count = 0;
        return FGT_OK;
    }
    csv->text = (char *)csv->next; /* writable, because the block belongs to the reader or to the UTF-16
                                    * decoder */
    csv->next = end + 1 + (*end == '\r' && end[1] == '\n');
    csv->next_line++;
    return FGT_OK;
}
