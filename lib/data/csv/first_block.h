/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FIRST_BLOCK_H
#define FGTI_FIRST_BLOCK_H

/* Finds out how a file is written, from its first block. */

#include "data/csv/record.h"

/* FGT_E_FORMAT: the file is not CSV but HTML, XML or JSON. Call it before a record is read. */
fgt_status fgti_csv_check_text(const fgti_csv *csv);
/* If the next line has the form "sep=;", which Excel reads and writes, skips the line and returns its
 * delimiter. Otherwise returns 0. Call it before a record is read. */
char fgti_csv_take_separator(fgti_csv *csv);
/* Sets the delimiter to the character of `delimiters` that is most frequent outside of quotes in the first
 * line. Of equally frequent characters, the first in `delimiters` is used. A first line of the form "sep=;"
 * is skipped. It sets the delimiter, unless `delimiters` has only one character. Call it before a record is
 * read. */
void fgti_csv_detect(fgti_csv *csv, const char *delimiters);
/* Finds the delimiter that occurs equally often, outside of quotes, in the first two lines. If several do,
 * the most frequent one is returned; 0: not found. Reads only the first block. */
char fgti_csv_find_delimiter(const fgti_csv *csv, const char *delimiters);
/* Whether a text of n bytes is a usual name of a column. */
typedef bool (*fgti_csv_named)(const char *text, size_t n);
/* Number of lines that seem to precede the header, such as a title; 0: the first line is the header. There
 * are two candidates for the header:
 *     (a) the first line that has as many cells as the lines after it, most of them filled;
 *     (b) a line of names right before the rows with numbers.
 * (b) is taken if there is no (a), if `named` accepts a cell of (b), or if (a) looks like a title with a
 * year. Otherwise (a) is taken. Reads only the first block. `named` may be NULL; then no name counts as
 * usual. */
int64_t fgti_csv_count_titles(const fgti_csv *csv, const char *delimiters, fgti_csv_named named);
/* Finds the delimiter of the rows if the header has another delimiter, *own. The delimiter found cuts the
 * rows into as many cells as *own cuts the header, and does not occur in the header. 0: not found, and *own
 * has no meaning. Reads only the first block. */
char fgti_csv_find_rows_delimiter(const fgti_csv *csv, const char *delimiters, char *own);
/* Sets the delimiter for the next line and all later ones. */
void fgti_csv_set_delimiter(fgti_csv *csv, char delimiter);

#endif
