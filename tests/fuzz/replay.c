/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a fuzz program on every file of a folder, as it is and with damages that are the same in every run
 * with the same seed. usage: PROGRAM [--damages N] [--seed N] [--within SECONDS] CORPUS_FOLDER
 *   --damages  damaged copies of each file (default 150)
 *   --seed     of the damages (default 1)
 *   --within   no further file is begun after so many seconds */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fuzz.h"

enum { MAX_INPUT = 1 << 20 };

typedef struct options {
    long        damages, seed, within;
    const char *folder;
} options;

/* The copy has its exact size, so that a sanitiser sees reads beyond it. */
static int run_on(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) return 1;
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    return 0;
}

static int replay(const char *path, const options *o)
{
    static uint8_t data[MAX_INPUT], damaged[MAX_INPUT];
    uint64_t       state = (uint64_t)o->seed; /* per file: the folder's order does not matter */
    FILE          *f     = fopen(path, "rb");
    if (!f) return 1;
    const size_t size = fread(data, 1, sizeof data, f);
    fclose(f);
    int bad = run_on(data, size);
    for (long i = 0; i < o->damages; i++) {
        size_t n = size;
        memcpy(damaged, data, size);
        for (long k = 0; k <= i % 3; k++) n = FUZZ_DAMAGE(damaged, n, sizeof damaged, &state);
        bad |= run_on(damaged, n);
    }
    return bad;
}

static int usage(const char *program)
{
    fprintf(stderr, "usage: %s [--damages N] [--seed N] [--within SECONDS] CORPUS_FOLDER\n", program);
    return 2;
}

static int parse(int argc, char **argv, options *o)
{
    int i = 1;
    for (; i + 2 < argc; i += 2) {
        char      *end;
        const long n = strtol(argv[i + 1], &end, 10);
        if (*end || n < 0) return 0;
        if (!strcmp(argv[i], "--damages"))
            o->damages = n;
        else if (!strcmp(argv[i], "--seed"))
            o->seed = n;
        else if (!strcmp(argv[i], "--within"))
            o->within = n;
        else
            return 0;
    }
    o->folder = i + 1 == argc ? argv[i] : NULL;
    return o->folder != NULL;
}

int main(int argc, char **argv)
{
    options        o      = {.damages = 150, .seed = 1};
    const time_t   start  = time(NULL);
    DIR           *folder = parse(argc, argv, &o) ? opendir(o.folder) : NULL;
    int            files = 0, bad = 0;
    struct dirent *entry;
    if (!folder) return usage(argv[0]);
    while ((entry = readdir(folder)) && (!o.within || time(NULL) - start < o.within)) {
        char path[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", o.folder, entry->d_name);
        bad |= replay(path, &o);
        files++;
    }
    closedir(folder);
    const fuzz_counts c = fuzz_get_counts();
    printf("%d files, %ld damaged copies of each", files, o.damages);
    if (c.accepted + c.refused)
        printf("; %lld accepted, %lld refused", (long long)c.accepted, (long long)c.refused);
    printf("\n");
    return bad || files == 0;
}
