/* SPDX-License-Identifier: BSD-3-Clause */
/* The vocabulary of a model in a file beside it:
 *     bytes 96                how the text was cut, "bytes" or "words", and how many tokens there are
 *     1 ?                     each token, after the number of its bytes
 *     3 and */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "language.h"

enum { PATH = 4096, MOST = 1000000 };

static bool path_of(const char *model, char path[PATH])
{
    const int n = snprintf(path, PATH, "%s.tokens", model);
    return (n > 0 && n < PATH) || complain(model, "the name is too long");
}

bool vocabulary_save(const text *t, const char *model)
{
    char path[PATH];
    if (!path_of(model, path)) return false;
    FILE *f = fopen(path, "wb");
    if (!f) return complain(path, "cannot be written");
    fprintf(f, "%s %" PRId64 "\n", t->words ? "words" : "bytes", t->vocab);
    for (int64_t i = 0; i < t->vocab; i++) fprintf(f, "%zu %s\n", strlen(t->name[i]), t->name[i]);
    const bool good = !ferror(f);
    return (!fclose(f) && good) || complain(path, "cannot be written");
}

/* A number, which ends with `end`. It moves *p past both. -1: there is none up to `most`. */
static int64_t take_number(char **p, char end, int64_t most)
{
    char           *after;
    const long long n = strtoll(*p, &after, 10);
    if (after == *p || *after != end || n < 0 || n > most) return -1;
    *p = after + 1;
    return n;
}

static char *copy(const char *p, size_t n)
{
    char *name = calloc(n + 1, 1);
    if (name) memcpy(name, p, n);
    return name;
}

/* The tokens behind the first ascend, as text_encode() looks for them. */
static bool take_tokens(text *t, char *p, int64_t count)
{
    const char *end = p + strlen(p);
    t->name         = calloc((size_t)count, sizeof *t->name);
    for (int64_t i = 0; t->name && i < count; i++) {
        const int64_t n = take_number(&p, ' ', end - p);
        if (n < 1 || n >= end - p || p[n] != '\n') return false;
        t->name[i] = copy(p, (size_t)n);
        if (!t->name[i]) return false;
        t->vocab++;
        if (i > 1 && strcmp(t->name[i - 1], t->name[i]) >= 0) return false;
        p += n + 1;
    }
    return t->name && !*p;
}

bool vocabulary_load(text *t, const char *model)
{
    char path[PATH], *bytes, *p;
    if (!path_of(model, path)) return false;
    bytes = p = read_file(path);
    if (!bytes) return false;
    t->words  = !strncmp(p, "words ", 6);
    bool good = t->words || !strncmp(p, "bytes ", 6);
    p += good ? 6 : 0;
    const int64_t count = good ? take_number(&p, '\n', MOST) : -1;
    good                = count > 1 && take_tokens(t, p, count);
    free(bytes);
    return good || complain(path, "is no vocabulary of a model");
}
