/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATOMIC_FILE_H
#define FGTI_ATOMIC_FILE_H

/* Writes a file so that its name always refers to a whole file, either the old or the new one. The bytes are
 * written under a temporary name in the same directory and synchronised to disk. Then the temporary file is
 * renamed, and the directory is synchronised.
 *
 * A new file gets the usual permissions; a replaced file keeps its permissions. A symbolic link is replaced
 * by the file. Directories and devices are refused: a rename onto /dev/null would remove the device. */

#include <sys/types.h>

#include "core/alloc.h"

/* Sets FGT_E_IO with "path: what: reason". The reason is the system's words for `code`, an errno. */
fgt_status fgti_fail_errno(fgti_error *err, const char *path, const char *what, int code);

/* open(), called again if a signal interrupts it. */
int fgti_open(const char *path, int flags, mode_t mode);

typedef struct fgti_atomic {
    fgt_context *ctx;
    char        *path, *temp; /* temp == NULL: nothing is open */
    int          fd;
} fgti_atomic;

/* Opens the temporary file. On error nothing is left open. */
fgt_status fgti_atomic_open(fgt_context *ctx, const char *path, fgti_atomic *f);
fgt_status fgti_atomic_write(fgti_atomic *f, const void *data, size_t size);
/* Puts the new file in its place and closes it. On error the old file stays and the temporary file is
 * removed. */
fgt_status fgti_atomic_commit(fgti_atomic *f);
/* Gives up and removes the temporary file. Does nothing after commit, and after a failed open. */
void fgti_atomic_abandon(fgti_atomic *f);

#endif
