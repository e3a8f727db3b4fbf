/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FILE_KIND_H
#define FGTI_FILE_KIND_H

/* Kinds of files of other programs, for sentences that refuse them. */

#include <stddef.h>

typedef struct fgti_file_kind {
    const char *name;  /* "a picture (PNG)" */
    const char *table; /* how its table can be read; NULL: it has none */
} fgti_file_kind;

/* By its first bytes, which no text has; NULL: it may be a text, or what it is is not known. */
const fgti_file_kind *fgti_file_kind_find(const void *bytes, size_t size);
/* The same in words; a text is said to be one. NULL: it is not known. */
const char *fgti_file_kind_name(const void *bytes, size_t size);

#endif
