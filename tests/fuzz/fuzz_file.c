/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"

static char path[] = "/tmp/fighter-fuzz-XXXXXX";

static void remove_file(void)
{
    unlink(path);
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
    static int made;
    if (!made) {
        const int file = mkstemp(path);
        if (file < 0) return NULL;
        close(file);
        atexit(remove_file);
        made = 1;
    }
    FILE *f = fopen(path, "wb");
    if (!f) return NULL;
    const int whole = fwrite(data, 1, size, f) == size;
    return fclose(f) == 0 && whole ? path : NULL;
}
