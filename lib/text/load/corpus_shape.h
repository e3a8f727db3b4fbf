/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CORPUS_SHAPE_H
#define FGTI_CORPUS_SHAPE_H

#include "text/load/corpus_loader.h"

/* Whether this is a usual name of a column of classes, or a usual name of a column of texts. */
bool fgti_corpus_names_class(const char *cell);
bool fgti_corpus_names_text(const char *cell);
/* Whether the first line (l->first) names the columns. second: the second line has also been read. */
bool fgti_corpus_header(const fgti_corpus_loader *l, bool second);
/* Whether the result of fgti_corpus_header() is a guess, because no option of the host decides it. */
bool fgti_corpus_guesses(const fgti_corpus_loader *l);
/* Finds the columns of class and text from the first line. header: the line names the columns. */
fgt_status fgti_corpus_columns(fgti_corpus_loader *l, bool header);
/* Keeps the names of the columns of class and text with the corpus. */
fgt_status fgti_corpus_name_columns(fgti_corpus_loader *l);

#endif
