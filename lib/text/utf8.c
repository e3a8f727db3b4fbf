/* SPDX-License-Identifier: BSD-3-Clause */
#include "text/utf8.h"

#include <string.h>

#include "core/strings/list.h"

fgt_status fgti_bytes_add(fgt_context *ctx, fgti_bytes *b, const char *s, int64_t n)
{
    if (!n) return FGT_OK;
    FGTI_TRY(fgti_grow(ctx, "text", 1, b->used, b->used + n, 2 * (b->used + n) + 64, &b->capacity,
                       (void **)&b->s));
    memcpy(b->s + b->used, s, (size_t)n);
    b->used += n;
    return FGT_OK;
}

void fgti_bytes_done(fgt_context *ctx, fgti_bytes *b)
{
    fgti_free(ctx, b->s);
    *b = (fgti_bytes){0};
}

/* Unicode standard, table 3-7: well-formed UTF-8. The range of the second byte excludes overlong forms,
 * surrogates, and code points above U+10FFFF. All later bytes are in 80 .. BF. */
static const struct {
    unsigned char first, last, low, high, bytes;
} forms[] = {
    {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
    {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

int64_t fgti_utf8_next(const char *p, int64_t left, bool *valid)
{
    const unsigned char *s = (const unsigned char *)p;
    size_t               f = 0;
    while (f < sizeof forms / sizeof *forms && (s[0] < forms[f].first || s[0] > forms[f].last)) f++;
    *valid = false;
    if (f == sizeof forms / sizeof *forms) return 1;
    int64_t n = 1;
    if (n < forms[f].bytes && n < left && s[1] >= forms[f].low && s[1] <= forms[f].high)
        for (n = 2; n < forms[f].bytes && n < left && (s[n] & 0xc0) == 0x80;) n++;
    *valid = n == forms[f].bytes;
    return n;
}

bool fgti_utf8_is_text(const char *s, int64_t size)
{
    bool valid = true;
    for (int64_t i = 0; i < size && valid;) {
        if ((signed char)s[i] > 0)
            i++;
        else if (s[i])
            i += fgti_utf8_next(s + i, size - i, &valid);
        else
            valid = false;
    }
    return valid;
}

fgt_status fgti_utf8_add(fgt_context *ctx, fgti_bytes *b, const char *s, int64_t n, int64_t *replaced)
{
    int64_t from = 0, size;
    for (int64_t i = 0; i < n; i += size) {
        bool valid;
        size = fgti_utf8_next(s + i, n - i, &valid);
        if (valid) continue;
        FGTI_TRY(fgti_bytes_add(ctx, b, s + from, i - from));
        FGTI_TRY(fgti_bytes_add(ctx, b, "\xef\xbf\xbd", 3));
        from = i + size;
        ++*replaced;
    }
    return fgti_bytes_add(ctx, b, s + from, n - from);
}
