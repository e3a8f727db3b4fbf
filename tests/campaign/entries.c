/* SPDX-License-Identifier: BSD-3-Clause */
/* Is every exported function in the table, and is what the table says right? usage: entries SYMBOLS.MAP...
 * Each call is made twice and must give the same; quiet ones may not allocate. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "entries.h"

static int64_t calls;

static void *count_alloc(void *user, size_t size, size_t align)
{
    void *p = NULL;
    (void)user;
    calls++;
    return posix_memalign(&p, align, size) ? NULL : p;
}

static void release(void *user, void *ptr, size_t size)
{
    (void)user, (void)size;
    free(ptr);
}

static bool is_named(const char *name)
{
    const size_t n = strlen(name);
    for (int64_t i = 0; entry_at(i); i++)
        for (const char *p = entry_at(i)->names; (p = strstr(p, name)); p += n)
            if (p[n] == 0 || p[n] == ' ') return true;
    return false;
}

/* How many exported names no line has. */
static int missing(const char *map)
{
    int   bad = 0, all = 0;
    char  word[200];
    FILE *f = fopen(map, "r");
    if (!f) broken("cannot read %s", map);
    while (fscanf(f, "%199s", word) == 1) {
        const size_t n = strlen(word);
        if (strncmp(word, "fgt_", 4) != 0 || word[n - 1] != ';') continue;
        word[n - 1] = 0;
        all++;
        if (is_named(word)) continue;
        fprintf(stderr, "%s: in no line of tests/campaign/entries_*.c\n", word);
        bad++;
    }
    fclose(f);
    if (!all) broken("%s has no names", map);
    printf("%d functions\n", all);
    return bad;
}

int main(int argc, char **argv)
{
    const fgt_allocator    hook = {sizeof hook, NULL, count_alloc, release};
    const fgt_context_opts opts = {.size = sizeof opts, .allocator = &hook, .threads = 2};
    world                  w;
    if (argc < 2) {
        fprintf(stderr, "usage: entries SYMBOLS.MAP...\n");
        return 2;
    }
    world_open(&w, &opts);
    for (int64_t i = 0; entry_at(i); i++) {
        const entry *e = entry_at(i);
        entry_now(e->names, 0);
        entry_before(&w, e);
        const int64_t    before = calls;
        const fgt_status s      = entry_call(&w, e);
        const int64_t    count  = calls - before;
        const uint64_t   first  = w.digest;
        if (s != FGT_OK) broken("%s: %s", fgt_status_get_name(s), entry_error(&w));
        entry_after(&w);
        if ((count == 0) != (e->needs & QUIET)) broken("%lld allocations", (long long)count);
        if (entry_run(&w, e) != first) broken("another result in the second call");
    }
    world_close(&w);
    int bad = 0;
    for (int i = 1; i < argc; i++) bad += missing(argv[i]);
    return bad > 0;
}
