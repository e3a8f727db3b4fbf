/* SPDX-License-Identifier: BSD-3-Clause */
/* The quick way to read a record: a line that lies in one block and has no quotes. Separators are found eight
 * bytes at a time, and the cells stay where they are. */
#include <string.h>

#include "data/csv/csv.h"
#include "data/csv/lanes.h"

/* Marks the bytes that may end a cell or call for a closer look: the delimiter, and blanks, ends of lines,
 * quotes and zero bytes, which are all at most 0x22. */
static inline uint64_t mark(uint64_t x, uint64_t delimiters)
{
    const uint64_t other = fgti_lanes_from(x ^ delimiters, 1);
    return (other & fgti_lanes_from(x, '"' + 1)) ^ FGTI_LANES(0x80);
}

static inline bool blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Without the blanks around it. */
static fgti_cell trim(const char *record, int64_t begin, int64_t end)
{
    while (end > begin && blank(record[end - 1])) end--;
    while (begin < end && blank(record[begin])) begin++;
    return (fgti_cell){.begin = begin, .size = end - begin};
}

/* Cuts the line into cells. *end becomes its end; NULL: it was not found. */
static fgt_status cut(fgti_csv *csv, const char **end)
{
    const char    *record = csv->next, *last = csv->end, delimiter = csv->delimiter;
    const uint64_t delimiters = FGTI_LANES(delimiter);
    const bool     quotes     = delimiter && !csv->no_quotes;
    int64_t        begin      = 0;
    bool           blanks     = false;
    *end                      = NULL;
    for (const char *p = record; last - p >= 8; p += 8)
        for (uint64_t marks = mark(fgti_lanes_load(p), delimiters); marks; marks &= marks - 1) {
            const char   *q  = p + fgti_lanes_first(marks);
            const int64_t at = q - record;
            const bool    ends = *q == '\n' || *q == '\r';
            if (!*q || (*q == '"' && quotes && at == begin)) return FGT_OK;
            if (*q != delimiter && !ends) {
                blanks |= blank(*q);
                continue;
            }
            FGTI_TRY(fgti_csv_grow_cells(csv));
            csv->cells[csv->count++] =
                blanks ? trim(record, begin, at) : (fgti_cell){.begin = begin, .size = at - begin};
            begin  = at + 1;
            blanks = false;
            if (!ends) continue;
            *end = q;
            return FGT_OK;
        }
    return FGT_OK;
}

fgt_status fgti_csv_read_line(fgti_csv *csv, bool *read)
{
    const char *end;
    FGTI_TRY(cut(csv, &end));
    *read = end && csv->end - end > FGTI_NUMBER_PAD;
    if (!*read) {
        csv->count = 0;
        return FGT_OK;
    }
    csv->text = (char *)csv->next; /* may be written to: the reader, or the UTF-16 decoder, owns the block */
    csv->next = end + 1 + (*end == '\r' && end[1] == '\n');
    csv->next_line++;
    return FGT_OK;
}
