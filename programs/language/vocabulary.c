/* SPDX-License-Identifier: BSD-3-Clause */
/* The vocabulary of a model, in a file beside the model:
 *     bytes 96                whether tokens are "bytes" or "words", and their number
 *     1 ?                     each token, after the number of its bytes
 *     3 and */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/output.h"
#include "language.h"

enum { MOST = 1000000 };

char *vocabulary_name(const char *model)
{
    static const char end[] = ".tokens";
    char             *name  = malloc(strlen(model) + sizeof end);
    return name ? strcat(strcpy(name, model), end) : NULL;
}

static bool write_tokens(const text *t, const char *path)
{
    output o;
    if (!output_open(&o, path)) return false;
    fprintf(o.file, "%s %" PRId64 "\n", t->words ? "words" : "bytes", t->vocab);
    for (int64_t i = 0; i < t->vocab; i++) fprintf(o.file, "%zu %s\n", strlen(t->name[i]), t->name[i]);
    return output_close(&o, true);
}

bool vocabulary_save(const text *t, const char *model)
{
    char      *path = vocabulary_name(model);
    const bool good = path ? write_tokens(t, path) : complain("no memory");
    free(path);
    return good;
}

/* Reads a number from 0 to `most`, and the byte `end` after it. Moves *p past both. Returns -1 if the number
 * or the byte is missing. */
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

/* Reads the tokens. All tokens after the first must be sorted, because text_encode() uses binary search. */
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

static bool take_vocabulary(text *t, char *p)
{
    t->words = !strncmp(p, "words ", 6);
    if (!t->words && strncmp(p, "bytes ", 6) != 0) return false;
    p += 6;
    const int64_t count = take_number(&p, '\n', MOST);
    return count > 1 && take_tokens(t, p, count);
}

bool vocabulary_load(text *t, const char *model)
{
    char      *path = vocabulary_name(model), *bytes = path ? read_file(path) : NULL;
    const bool good =
        path ? bytes && (take_vocabulary(t, bytes) || complain("%s: is no vocabulary of a model", path))
             : complain("no memory");
    free(bytes);
    free(path);
    return good;
}
