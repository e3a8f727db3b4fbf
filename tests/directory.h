/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_DIRECTORY_H
#define TESTS_DIRECTORY_H

/* A directory of its own for every program. */

#include <sys/stat.h>
#include <unistd.h>

#include "helper.h"

static char directory[64];
static char path_buffer[4][256];

static inline int make_directory(void **state)
{
    (void)state;
    snprintf(directory, sizeof directory, "/tmp/fgt_test_XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
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
