/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* memfd_create */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

enum { FILES = 3 };

static char path[FILES][64];

#ifndef MFD_CLOEXEC
static void remove_files(void)
{
    for (int i = 0; i < FILES; i++)
        if (*path[i]) unlink(path[i]);
}
#endif

/* A file that exists in memory alone, where the system has such: writing to a disk would take most of the
 * time. */
static int make_file(int i)
{
#ifdef MFD_CLOEXEC
    const int file = memfd_create("fighter-fuzz", MFD_CLOEXEC);
    snprintf(path[i], sizeof path[i], "/proc/self/fd/%d", file);
#else
    static bool known = false;
    snprintf(path[i], sizeof path[i], "/tmp/fighter-fuzz-XXXXXX");
    const int file = mkstemp(path[i]);
    if (!known) known = !atexit(remove_files);
#endif
    return file;
}

const char *fuzz_file_number(int i, const uint8_t *data, size_t size)
{
    static int file[FILES] = {-1, -1, -1};
    if (file[i] < 0) file[i] = make_file(i);
    if (file[i] < 0 || ftruncate(file[i], (off_t)size)) return NULL;
    return pwrite(file[i], data, size, 0) == (ssize_t)size ? path[i] : NULL;
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
    return fuzz_file_number(0, data, size);
}
