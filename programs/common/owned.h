/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OWNED_H
#define OWNED_H

/* Opens files that only one process at a time may write. */

#include <stdbool.h>
#include <sys/types.h>

/* Opens a file for writing, and locks it until it is closed. The file is created if needed, and is not
 * truncated. Returns -1 after a message if the path is not a regular file, or if another process holds the
 * lock. */
int owned_open(const char *path, mode_t mode);

#endif
