/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CORPUS_HINTS_H
#define FGTI_CORPUS_HINTS_H

#include "text/load/corpus_loader.h"

/* Returns the comment mark at `p`, where the bytes end at `end`; NULL: there is no mark. */
const char *fgti_corpus_mark(const char *p, const char *end);
/* Returns a hint, "; ...", at the option that helps with a line that is no row; "": there is no hint. text:
 * the start of the line. */
const char *fgti_corpus_hint(const fgti_corpus_loader *l, int64_t line, const char *text,
                             char buf[FGTI_CORPUS_HINT]);
/* Sets the error for a current line that has more or fewer cells than the first line. */
fgt_status fgti_corpus_refuse_cells(const fgti_corpus_loader *l);
/* Warns if the current line, the first one after the header, seems to describe the columns. */
void fgti_corpus_warn_units(const fgti_corpus_loader *l);
/* fgti_corpus_count_mark() counts a class that begins with a comment mark. At the end of a file,
 * fgti_corpus_warn_marks() warns if only few classes begin with a mark. */
void fgti_corpus_count_mark(fgti_corpus_loader *l);
void fgti_corpus_warn_marks(const fgti_corpus_loader *l, int64_t rows);

#endif
