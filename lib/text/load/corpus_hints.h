/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CORPUS_HINTS_H
#define FGTI_CORPUS_HINTS_H

#include "text/load/corpus_loader.h"

/* The comment mark at the start of the bytes before `end`; NULL: there is no mark. */
const char *fgti_corpus_mark(const char *p, const char *end);
/* A hint at the option that helps with a line that is no row: "; ...", or "". text: the start of the line. */
const char *fgti_corpus_hint(const fgti_corpus_loader *l, int64_t line, const char *text,
                             char buf[FGTI_CORPUS_HINT]);
/* Sets the error: the current line has more or fewer cells than the first line. */
fgt_status fgti_corpus_refuse_cells(const fgti_corpus_loader *l);
/* Warns that the current line, the first after the header, seems to describe the columns. */
void fgti_corpus_warn_units(const fgti_corpus_loader *l);
/* fgti_corpus_count_mark() counts a class that begins with a comment mark. fgti_corpus_warn_marks() warns, at
 * the end of a file, if few classes begin with one. */
void fgti_corpus_count_mark(fgti_corpus_loader *l);
void fgti_corpus_warn_marks(const fgti_corpus_loader *l, int64_t rows);

#endif
