/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FILE_KIND_H
#define FGTI_FILE_KIND_H

/* Recognises files of other programs, such as pictures, for the error texts that refuse them. */

#include <stddef.h>

typedef struct fgti_file_kind {
    const char *name;  /* "a picture (PNG)" */
    const char *table; /* how the file's table can be read; NULL: the file has no table */
} fgti_file_kind;

/* Returns the kind of a file that begins with these bytes. NULL: the file may be a text, or its kind is not
 * known. */
const fgti_file_kind *fgti_file_kind_find(const void *bytes, size_t size);
/* Returns the kind of the file in words, also for a text. NULL: the kind is not known. */
const char *fgti_file_kind_name(const void *bytes, size_t size);

#endif
