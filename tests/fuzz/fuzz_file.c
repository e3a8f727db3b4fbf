/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* memfd_create */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

static char path[64] = "/tmp/fighter-fuzz-XXXXXX";

#ifndef MFD_CLOEXEC
static void remove_file(void)
{
    unlink(path);
}
#endif

/* A file that exists in memory alone, where the system has such: writing to a disk would take most of the
 * time. */
static int make_file(void)
{
#ifdef MFD_CLOEXEC
    const int file = memfd_create("fighter-fuzz", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
#else
    const int file = mkstemp(path);
    if (file >= 0) atexit(remove_file);
#endif
    return file;
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
    static int file = -1;
    if (file < 0) file = make_file();
    if (file < 0 || ftruncate(file, (off_t)size)) return NULL;
    return pwrite(file, data, size, 0) == (ssize_t)size ? path : NULL;
}
