/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/csv/utf16.h"

#include "core/context.h"
#include "core/strings/list.h"

static char *utf8_put(char *out, uint32_t c)
{
    if (c < 0x80) {
        *out++ = (char)c;
    } else if (c < 0x800) {
        *out++ = (char)(0xc0 | c >> 6);
        *out++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *out++ = (char)(0xe0 | c >> 12);
        *out++ = (char)(0x80 | (c >> 6 & 0x3f));
        *out++ = (char)(0x80 | (c & 0x3f));
    } else {
        *out++ = (char)(0xf0 | c >> 18);
        *out++ = (char)(0x80 | (c >> 12 & 0x3f));
        *out++ = (char)(0x80 | (c >> 6 & 0x3f));
        *out++ = (char)(0x80 | (c & 0x3f));
    }
    return out;
}

/* Takes one unit. Returns false if the unit is half of a pair and the other half is missing. */
static bool utf16_take(fgti_utf16 *u, uint32_t unit, char **out)
{
    const bool second = unit >= 0xdc00 && unit < 0xe000;
    if (second != (u->high != 0)) return false;
    if (unit >= 0xd800 && unit < 0xdc00) {
        u->high = unit;
        return true;
    }
    *out    = utf8_put(*out, second ? 0x10000 + ((u->high - 0xd800) << 10) + (unit - 0xdc00) : unit);
    u->high = 0;
    return true;
}

/* Each unit of two bytes becomes at most three bytes of UTF-8, which bounds the room for the result. */
fgt_status fgti_utf16_decode(fgt_context *ctx, fgti_utf16 *u, const char *bytes, size_t size,
                             const char **begin, const char **end, bool *good)
{
    const int64_t most = 3 * ((int64_t)size / 2 + 2);
    FGTI_TRY(fgti_grow(ctx, "UTF-16", 1, 0, most, most, &u->capacity, (void **)&u->text));
    char *out = u->text;
    *good     = size || (!u->half && !u->high);
    for (size_t i = 0; *good && i < size; i++) {
        const uint32_t now = (uint8_t)bytes[i], before = u->byte;
        u->half = !u->half;
        u->byte = (uint8_t)now;
        if (!u->half) *good = utf16_take(u, u->big ? before << 8 | now : now << 8 | before, &out);
    }
    *begin = u->text;
    *end   = out;
    return FGT_OK;
}

void fgti_utf16_done(fgt_context *ctx, fgti_utf16 **u)
{
    if (!*u) return;
    fgti_free(ctx, (*u)->text);
    fgti_free(ctx, *u);
    *u = NULL;
}
