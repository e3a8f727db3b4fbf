/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/strings/list.h"

#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/sort.h"

fgt_status fgti_grow_dirty(fgt_context *ctx, const char *what, size_t size, int64_t used, int64_t need,
                           int64_t want, int64_t *capacity, void **array)
{
    if (need <= *capacity) return FGT_OK;
    const int64_t now = need > want ? need : want;
    void         *p;
    FGTI_TRY(fgti_alloc_dirty(ctx, now, size, what, &p));
    if (used) memcpy(p, *array, (size_t)used * size);
    fgti_free(ctx, *array);
    *array    = p;
    *capacity = now;
    return FGT_OK;
}

fgt_status fgti_grow(fgt_context *ctx, const char *what, size_t size, int64_t used, int64_t need,
                     int64_t want, int64_t *capacity, void **array)
{
    if (need <= *capacity) return FGT_OK;
    FGTI_TRY(fgti_grow_dirty(ctx, what, size, used, need, want, capacity, array));
    memset((char *)*array + (size_t)used * size, 0, (size_t)(*capacity - used) * size + 1);
    return FGT_OK;
}

fgt_status fgti_strings_add(fgt_context *ctx, fgti_strings *t, const char *s, int64_t size)
{
    FGTI_TRY(fgti_grow(ctx, "list of strings", sizeof *t->begin, t->count, t->count + 1, 2 * t->count + 8,
                       &t->capacity, (void **)&t->begin));
    FGTI_TRY(fgti_grow(ctx, "strings", 1, t->used, t->used + size + 1, 2 * t->used + 64, &t->bytes_capacity,
                       (void **)&t->bytes));
    t->begin[t->count++] = t->used;
    memcpy(t->bytes + t->used, s, (size_t)size);
    t->bytes[t->used + size] = 0;
    t->used += size + 1;
    return FGT_OK;
}

fgt_status fgti_strings_append(fgt_context *ctx, fgti_strings *t, const fgti_strings *more)
{
    for (int64_t i = 0; i < more->count; i++)
        FGTI_TRY(fgti_strings_add(ctx, t, fgti_strings_get(more, i), fgti_strings_size(more, i)));
    return FGT_OK;
}

fgt_status fgti_strings_add_number(fgt_context *ctx, fgti_strings *t, int64_t i)
{
    char buf[24];
    return fgti_strings_add(ctx, t, buf, snprintf(buf, sizeof buf, "%lld", (long long)i));
}

const char *fgti_strings_get(const fgti_strings *t, int64_t i)
{
    return t->bytes + t->begin[i];
}

int64_t fgti_strings_size(const fgti_strings *t, int64_t i)
{
    return (i + 1 < t->count ? t->begin[i + 1] : t->used) - t->begin[i] - 1;
}

void fgti_strings_done(fgt_context *ctx, fgti_strings *t)
{
    fgti_free(ctx, t->begin);
    fgti_free(ctx, t->bytes);
    *t = (fgti_strings){0};
}

/* Compares two strings, given by their numbers. Equal strings are in the order of their numbers. */
static int list_by_text(const void *a, const void *b, const void *strings)
{
    const int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    const int     c = strcmp(fgti_strings_get(strings, i), fgti_strings_get(strings, j));
    return c ? c : (i > j) - (i < j);
}

/* Sorts the strings first, because a file may have a million columns. */
fgt_status fgti_strings_find_double(fgt_context *ctx, const fgti_strings *t, int64_t first, int64_t *found)
{
    int64_t *order, n = 0;
    FGTI_TRY(FGTI_NEW(ctx, t->count, "column names", &order));
    for (int64_t i = first; i < t->count; i++) order[n++] = i;
    fgti_sort(order, n, sizeof *order, list_by_text, t);
    *found = -1;
    for (int64_t i = 1; i < n; i++) {
        const char *before = fgti_strings_get(t, order[i - 1]);
        if ((*found < 0 || order[i] < *found) && !strcmp(before, fgti_strings_get(t, order[i])))
            *found = order[i];
    }
    fgti_free(ctx, order);
    return FGT_OK;
}

/* Returns the number of bytes of string i that name it. Columns of one category have names such as
 * "promo=flyer". If another string of the list begins with "promo=", the name is "promo". Otherwise it is the
 * whole string. */
static int64_t stem_length(const fgti_strings *t, int64_t first, int64_t i)
{
    const char   *name = fgti_strings_get(t, i), *end = strchr(name, '=');
    const int64_t n = end ? end - name : 0;
    for (int64_t k = first; n && k < t->count; k++)
        if (k != i && !strncmp(fgti_strings_get(t, k), name, (size_t)n + 1)) return n;
    return fgti_strings_size(t, i);
}

const char *fgti_strings_show(const fgti_strings *t, int64_t first, int64_t i, char buf[FGTI_SHOW])
{
    char          stem[FGTI_SHOW];
    const int64_t n = stem_length(t, first, i);
    if (n == fgti_strings_size(t, i)) return fgti_show(fgti_strings_get(t, i), buf);
    snprintf(stem, sizeof stem, "%.*s", (int)(n < FGTI_SHOW ? n : FGTI_SHOW), fgti_strings_get(t, i));
    return fgti_show(stem, buf);
}

const char *fgti_strings_list(const fgti_strings *t, int64_t first, char *buf, size_t size)
{
    char   show[FGTI_SHOW];
    size_t at = 0;
    *buf      = 0;
    for (int64_t i = first; i < t->count; i++) {
        const int64_t n = stem_length(t, first, i);
        if (n < fgti_strings_size(t, i) && i > first &&
            !strncmp(fgti_strings_get(t, i - 1), fgti_strings_get(t, i), (size_t)n + 1))
            continue;
        fgti_strings_show(t, first, i, show);
        if (at + strlen(show) + 7 > size) { /* ", " before it, ", ..." after it */
            snprintf(buf + at, size - at, ", ...");
            break;
        }
        at += (size_t)snprintf(buf + at, size - at, "%s%s", at ? ", " : "", show);
    }
    return buf;
}

/* Whether c is a control character: C0, DEL, or one of the two UTF-8 bytes of a C1. */
static bool is_control(unsigned char before, unsigned char c, unsigned char after)
{
    const bool c1 = (c == 0xc2 && after >= 0x80 && after < 0xa0) || (before == 0xc2 && c >= 0x80 && c < 0xa0);
    return c < ' ' || c == 0x7f || c1;
}

const char *fgti_show(const char *s, char buf[FGTI_SHOW])
{
    size_t n = 0;
    for (; s[n] && n < FGTI_SHOW - 4; n++)
        buf[n] = is_control(n ? (unsigned char)s[n - 1] : 0, (unsigned char)s[n], (unsigned char)s[n + 1])
                     ? '?'
                     : s[n];
    if (s[n]) {
        /* not in the middle of a UTF-8 character */
        while (n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80) n--;
        memcpy(buf + n, "...", 3);
        n += 3;
    }
    buf[n] = 0;
    return buf;
}
