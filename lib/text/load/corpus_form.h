/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CORPUS_FORM_H
#define FGTI_CORPUS_FORM_H

#include "text/load/corpus_loader.h"

/* Skips the lines at the beginning that the host leaves out. Then finds the format and the delimiter from the
 * first block of the file, before a record is read. The whole file decides whether quotes between tabs
 * enclose cells. FGT_E_FORMAT: the file is no file of texts. */
fgt_status fgti_corpus_form(fgti_corpus_loader *l);

#endif
