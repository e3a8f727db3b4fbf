/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a fuzz program on every file of a folder, as it is and with small damages that are the same
 * in every run. usage: PROGRAM CORPUS_FOLDER */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define DAMAGES   150
#define MAX_INPUT (1 << 20)

/* Knuth's 64-bit linear congruential generator: damages need no better one. */
static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

/* Cuts the end off, overwrites a byte, or moves a piece; returns the new size. */
static size_t damage(uint8_t *data, size_t size, uint64_t *state)
{
    if (size == 0) return 0;
    const size_t at = (size_t)draw(state, size);
    switch (draw(state, 4)) {
    case 0: return at;
    case 1: data[at] = (uint8_t)draw(state, 256); break;
    case 2: data[at] ^= (uint8_t)(1u << draw(state, 8)); break;
    default: memmove(data, data + at, size - at); break;
    }
    return size;
}

/* The copy has its exact size, so that a sanitiser sees reads beyond it. */
static int run_on(const uint8_t *data, size_t size, uint64_t *state, int damages)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) return 1;
    memcpy(copy, data, size);
    for (int i = 0; i < damages; i++) size = damage(copy, size, state);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    return 0;
}

static int replay(const char *path, uint64_t *state)
{
    static uint8_t data[MAX_INPUT];
    FILE          *f = fopen(path, "rb");
    if (!f) return 1;
    const size_t size = fread(data, 1, sizeof data, f);
    fclose(f);
    int bad = run_on(data, size, state, 0);
    for (int i = 0; i < DAMAGES; i++) bad |= run_on(data, size, state, 1 + i % 3);
    return bad;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (!folder) {
        fprintf(stderr, "usage: %s CORPUS_FOLDER\n", argv[0]);
        return 2;
    }
    int            files = 0, bad = 0;
    struct dirent *entry;
    while ((entry = readdir(folder))) {
        char     path[4096];
        uint64_t state = 1; /* per file: the folder's order does not matter */
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        bad |= replay(path, &state);
        files++;
    }
    closedir(folder);
    printf("%d files, %d damaged copies of each\n", files, DAMAGES);
    return bad || files == 0;
}
