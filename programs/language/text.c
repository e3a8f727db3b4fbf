/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "language.h"

enum { TEST = 10 }; /* one of TEST parts of the tokens is for the test; it is the last part */

int64_t count_lines(const char *p)
{
    int64_t lines = 1;
    for (; *p; p++) lines += *p == '\n';
    return lines;
}

char *read_file(const char *path)
{
    FILE *f     = fopen(path, "rb");
    long  size  = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
    char *bytes = size >= 0 && !fseek(f, 0, SEEK_SET) ? calloc((size_t)size + 1, 1) : NULL;
    bool  good  = bytes && fread(bytes, 1, (size_t)size, f) == (size_t)size;
    if (f) fclose(f);
    if (!good)
        complain("%s: cannot be read", path);
    else if (strlen(bytes) < (size_t)size)
        complain("%s:%lld: has a zero byte, so it is not a text", path, (long long)count_lines(bytes));
    else
        return bytes;
    free(bytes);
    return NULL;
}

/* Returns the number of bytes of the token at *p; 0: the string ends. Without --words a token is one byte.
 * With --words it is a word, a sign or the end of a line; blanks between words are not tokens, and *p moves
 * past them. */
static size_t token_at(const text *t, const char **p)
{
    size_t n = 0;
    if (!t->words) return **p != 0;
    while (**p == ' ' || **p == '\t' || **p == '\r') ++*p;
    while (isalnum((unsigned char)(*p)[n]) || (unsigned char)(*p)[n] >= 128) n++;
    return n ? n : **p != 0;
}

/* ---- the vocabulary ---- */

typedef struct word {
    const char *p;
    size_t      n;
    int64_t     count;
} word;

static int by_letters(const void *a, const void *b)
{
    const word  *x = a, *y = b;
    const size_t n = x->n < y->n ? x->n : y->n;
    const int    c = memcmp(x->p, y->p, n);
    return c ? c : (x->n > y->n) - (x->n < y->n);
}

static int by_count(const void *a, const void *b)
{
    const word *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : by_letters(a, b);
}

/* Sorts n words by their letters, and keeps one of equal words, with their number in `count`. Returns how
 * many words are left. */
static int64_t unite(word *w, int64_t n)
{
    int64_t kept = 0;
    qsort(w, (size_t)n, sizeof *w, by_letters);
    for (int64_t i = 0; i < n; i++)
        if (kept && !by_letters(&w[kept - 1], &w[i]))
            w[kept - 1].count++;
        else
            w[kept++] = w[i];
    return kept;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Makes a vocabulary of the most frequent words in the training part. Its first token is "?", which stands
 * for all other words. */
static bool make_vocabulary(text *t, word *w, int64_t n, int64_t most)
{
    n = unite(w, n);
    qsort(w, (size_t)n, sizeof *w, by_count);
    if (n > most - 1) n = most - 1;
    t->name = calloc((size_t)n + 1, sizeof *t->name);
    for (int64_t i = 0; t->name && i <= n; i++) {
        const word rare = {.p = "?", .n = 1}, *one = i ? &w[i - 1] : &rare;
        t->name[i] = calloc(one->n + 1, 1);
        if (!t->name[i]) return false;
        memcpy(t->name[i], one->p, one->n);
        t->vocab++;
    }
    if (t->name) qsort(t->name + 1, (size_t)n, sizeof *t->name, by_name);
    return t->name != NULL;
}

static int32_t number_of(const text *t, const char *p, size_t n)
{
    int64_t low = 1, high = t->vocab;
    while (low < high) {
        const int64_t mid = (low + high) / 2;
        const word    a = {.p = p, .n = n}, b = {.p = t->name[mid], .n = strlen(t->name[mid])};
        const int     c = by_letters(&a, &b);
        if (!c) return (int32_t)mid;
        if (c < 0)
            high = mid;
        else
            low = mid + 1;
    }
    return 0;
}

int64_t text_encode(const text *t, const char *string, int32_t *id)
{
    int64_t tokens = 0;
    for (size_t n; (n = token_at(t, &string)); string += n, tokens++)
        if (id) id[tokens] = number_of(t, string, n);
    return tokens;
}

bool text_knows(const text *t, const char *string, bool response, const char *part)
{
    for (size_t n; (!t->words || response) && (n = token_at(t, &string)); string += n)
        if (!number_of(t, string, n))
            return complain("%s has a token that the model does not know (got \"%.*s\")", part, (int)n,
                            string);
    return true;
}

int32_t text_get_end(const text *t)
{
    return number_of(t, "\n", 1);
}

void text_print(const text *t, int32_t id)
{
    printf(t->words ? "%s " : "%s", t->name[id]);
}

/* ---- tokens that count ---- */

/* Sets the targets. If `after` is the text of a mark, only the tokens count that follow the mark on its
 * line. */
static bool mark(text *t, const char *after)
{
    const int32_t end = text_get_end(t), from = after ? number_of(t, after, strlen(after)) : 0;
    bool          counts = false, any = false;
    if (after && !from) return complain("--after: the mark is no token of the text (got \"%s\")", after);
    for (int64_t i = 0; i < t->tokens; i++) {
        t->target[i] = !after || counts ? t->id[i] : FGT_CLASS_MISSING;
        any |= counts;
        counts = t->id[i] == from || (counts && t->id[i] != end);
    }
    return !after || any || complain("--after: nothing follows the mark (got \"%s\")", after);
}

bool text_read(const options *o, text *t)
{
    int64_t n = 0;
    t->words  = o->words;
    t->bytes  = read_file(o->data);
    if (!t->bytes) return false;
    const size_t most = strlen(t->bytes) + 1;
    word        *w    = calloc(most, sizeof *w);
    t->id             = calloc(most, sizeof *t->id);
    t->target         = calloc(most, sizeof *t->target);
    const char *p     = t->bytes;
    for (size_t k; w && (k = token_at(t, &p)); p += k) w[n++] = (word){.p = p, .n = k, .count = 1};
    t->train        = n - n / TEST;
    const bool good = w && t->id && t->target && make_vocabulary(t, w, t->train, o->vocab);
    free(w);
    if (!good) return complain("%s: there is no memory for it", o->data);
    t->tokens = text_encode(t, t->bytes, t->id);
    if (t->tokens - t->train <= o->time)
        return complain(
            "%s: too short: the test, a tenth of it, needs more tokens than --time (got %lld, need "
            "%lld)",
            o->data, (long long)(t->tokens - t->train), (long long)o->time + 1);
    return mark(t, o->after);
}

void text_free(text *t)
{
    for (int64_t i = 0; i < t->vocab; i++) free(t->name[i]);
    free(t->name);
    free(t->bytes);
    free(t->id);
    free(t->target);
}
