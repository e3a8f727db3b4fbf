/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CORPUS_LOAD_H
#define FGTI_CORPUS_LOAD_H

#include "text/load/corpus_loader.h"

/* Reads the rows of one file, and then forgets the file. Before the call, l->rows.opts must have the options
 * of the host. */
fgt_status fgti_corpus_loader_read(fgti_corpus_loader *l, const char *path);
/* Frees all memory of the loader, and its rows (fgti_text_rows_done). */
void fgti_corpus_loader_done(fgti_corpus_loader *l);

#endif
