/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CSV_H
#define FGTI_CSV_H

/* Reads a comma-separated file record by record. The caller interprets the cells. */

#include "data/csv/record.h"

/* `path` is borrowed until fgti_csv_close(). Call fgti_csv_close() even after an error here. delimiter 0:
 * each line is one cell, and quotes have no meaning. */
fgt_status fgti_csv_open(fgt_context *ctx, const char *path, char delimiter, fgti_csv *csv);
/* Returns why a text cannot mark comments: the text is empty or contains the end of a line. NULL: the text
 * can mark comments, or is NULL. */
const char *fgti_csv_comment_fault(const char *comment);
/* Skips lines at the beginning, and comments after them. From then on fgti_csv_next() also skips comments. */
fgt_status fgti_csv_skip(fgti_csv *csv, int64_t lines, const char *comment);
/* Skips blank lines, and comments between them. */
fgt_status fgti_csv_skip_blank(fgti_csv *csv);
/* Reads the next record. *more: there was one; false at the end of the file. */
fgt_status fgti_csv_next(fgti_csv *csv, bool *more);
/* Reads the next record that is not a blank line. */
fgt_status fgti_csv_next_filled(fgti_csv *csv, bool *more);
void       fgti_csv_close(fgti_csv *csv);

/* Stores an error text that begins with the file and the line. Returns s. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
fgt_status fgti_csv_fail(const fgti_csv *csv, fgt_status s, int64_t line, const char *format, ...);

#endif
