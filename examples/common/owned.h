/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OWNED_H
#define OWNED_H

/* Files that only one process writes at a time. */

#include <stdbool.h>
#include <sys/types.h>

/* Opens a file for writing, which keeps its bytes, or creates it, and locks it until it is closed. -1 after a
 * sentence: it is no regular file, or another process has it. */
int owned_open(const char *path, mode_t mode);

#endif
