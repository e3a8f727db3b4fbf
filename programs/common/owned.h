/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OWNED_H
#define OWNED_H

/* Files that only one process at a time writes. */

#include <stdbool.h>
#include <sys/types.h>

/* Opens a file for writing without truncating it, or creates it, and locks it until it is closed. Returns -1
 * after a message: it is not a regular file, or another process holds the lock. */
int owned_open(const char *path, mode_t mode);

#endif
