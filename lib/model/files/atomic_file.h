/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATOMIC_FILE_H
#define FGTI_ATOMIC_FILE_H

/* Writes a file so that at any moment the name shows either the whole old file or the whole new
 * one: write under a temporary name in the same directory, fsync, rename, fsync the directory.
 * A new file gets the usual permissions, a replaced one keeps its own; a symbolic link is replaced
 * by the file. Directories and devices are refused: renaming onto /dev/null would remove it. */

#include "core/alloc.h"

/* Sets FGT_E_IO with "path: what: reason of `code`", code an errno. */
fgt_status fgti_fail_errno(fgti_error *err, const char *path, const char *what, int code);

typedef struct fgti_atomic {
    fgt_context *ctx;
    char        *path, *temp; /* temp == NULL: nothing is open */
    int          fd;
} fgti_atomic;

/* Opens the temporary file. On error nothing is left open. */
fgt_status fgti_atomic_open(fgt_context *ctx, const char *path, fgti_atomic *f);
fgt_status fgti_atomic_write(fgti_atomic *f, const void *data, size_t size);
/* Puts the new file in its place and closes; on error the old one stays and the temporary is removed. */
fgt_status fgti_atomic_commit(fgti_atomic *f);
/* Gives up: removes the temporary. Does nothing after commit or a failed open. */
void fgti_atomic_abandon(fgti_atomic *f);

#endif
