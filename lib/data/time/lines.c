/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/time/lines.h"

#include <stdio.h>

#include "data/time/time.h"

fgt_status fgti_lines_add(fgt_context *ctx, fgti_lines *l, int64_t line)
{
    if (!l->count || fgti_lines_get(l, l->rows - 1) + (l->run[l->count - 1].line > 0) != line) {
        FGTI_TRY(fgti_grow(ctx, "lines of rows", sizeof *l->run, l->count, l->count + 1, 2 * l->count + 4,
                           &l->capacity, (void **)&l->run));
        l->run[l->count++] = (fgti_line_run){l->rows, line};
    }
    l->rows++;
    return FGT_OK;
}

int64_t fgti_lines_get(const fgti_lines *l, int64_t row)
{
    int64_t low = 0, high = l->count;
    if (row < 0 || row >= l->rows) return 0;
    while (high - low > 1) {
        const int64_t mid = low + (high - low) / 2;
        if (l->run[mid].row <= row)
            low = mid;
        else
            high = mid;
    }
    return l->run[low].line ? l->run[low].line + row - l->run[low].row : 0;
}

fgt_status fgti_lines_place(fgt_context *ctx, fgti_lines *l, const int64_t *from, int64_t rows)
{
    fgti_lines placed = {0};
    fgt_status s      = FGT_OK;
    for (int64_t r = 0; s == FGT_OK && l->rows && r < rows; r++)
        s = fgti_lines_add(ctx, &placed, fgti_lines_get(l, from[r]));
    fgti_lines_done(ctx, s == FGT_OK ? l : &placed);
    if (s == FGT_OK) *l = placed;
    return s;
}

void fgti_lines_done(fgt_context *ctx, fgti_lines *l)
{
    fgti_free(ctx, l->run);
    *l = (fgti_lines){0};
}

const char *fgti_row_text(const fgti_lines *l, int64_t row, const char *label, char buf[FGTI_ROW_TEXT])
{
    const int64_t line = l ? fgti_lines_get(l, row) : 0;
    char          show[FGTI_SHOW];
    snprintf(buf, FGTI_ROW_TEXT, "%s %lld%s%s%s", line ? "line" : "row", (long long)(line ? line : row),
             label ? " (" : "", label ? fgti_show(label, show) : "", label ? ")" : "");
    return buf;
}

const char *fgti_labelled_row(const fgti_row_labels *l, int64_t row, int64_t time, char buf[FGTI_ROW_TEXT])
{
    char text[24];
    fgti_time_format(time, text, sizeof text);
    return fgti_row_text(l->lines, row, l->texts ? fgti_strings_get(l->texts, row) : text, buf);
}
