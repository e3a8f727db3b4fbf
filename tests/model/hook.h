/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MODEL_HOOK_H
#define TESTS_MODEL_HOOK_H

/* For the tests of lib/model that need no more of a context than its allocator: one that counts
 * what is live and fails on demand, and a directory of its own for every program. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/context.h"

struct hook {
    long live;      /* blocks not released */
    long countdown; /* the allocation that brings it to 0 fails; 0: none fails */
};

static inline void *hook_alloc(void *user, size_t size, size_t align)
{
    struct hook *h = user;
    if (h->countdown > 0 && --h->countdown == 0) return NULL;
    void *p = fgti_libc_alloc(NULL, size, align);
    if (p) h->live++;
    return p;
}

static inline void hook_release(void *user, void *ptr, size_t size)
{
    ((struct hook *)user)->live--;
    fgti_libc_release(NULL, ptr, size);
}

static struct hook hook;
static fgt_context context = {.allocator = {sizeof(fgt_allocator), hook_alloc, hook_release, &hook}};

static char directory[64];
static char path_buffer[4][256];

static inline int make_directory(void **state)
{
    (void)state;
    snprintf(directory, sizeof directory, "/tmp/fgt_test_%ld", (long)getpid());
    return mkdir(directory, 0700);
}

static inline int remove_directory(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    return system(command);
}

/* A path in the directory; the last four stay valid. */
static inline const char *in_directory(const char *name)
{
    static int next;
    char      *p = path_buffer[next++ % 4];
    snprintf(p, sizeof path_buffer[0], "%s/%s", directory, name);
    return p;
}

static inline void put_file(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f)) abort();
}

/* Root may read and write everything, so it becomes nobody until seteuid() back; false: it cannot. */
static inline bool lose_privileges(void)
{
    const bool lost = geteuid() != 0 || seteuid(65534) == 0;
    if (!lost) print_message("skipped: root, and cannot become anybody else\n");
    return lost;
}

/* Its size; the first `room` bytes in buf. */
static inline size_t get_file(const char *path, void *buf, size_t room)
{
    FILE *f = fopen(path, "rb");
    if (!f) return 0;
    const size_t n = fread(buf, 1, room, f);
    fclose(f);
    return n;
}

#endif
