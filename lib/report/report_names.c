/* SPDX-License-Identifier: BSD-3-Clause */
/* Names as a page can show them. */
#include <string.h>

#include "report/report.h"
#include "text/utf8.h"

/* A character as it is shown: control characters as their pictures, those that change the direction of a
 * text, and whatever is no character, as U+FFFD. Returns the size of what it writes to out. */
static int64_t show(const char *p, int64_t size, bool valid, char out[4])
{
    const unsigned char *s = (const unsigned char *)p;
    if (valid && size == 1 && (s[0] < 0x20 || s[0] == 0x7f)) { /* U+2400 .. U+2421 */
        memcpy(out, "\xe2\x90\x80", 3);
        out[2] = (char)(0x80 + (s[0] < 0x20 ? s[0] : 0x21));
        return 3;
    }
    const bool c1 = size == 2 && s[0] == 0xc2 && s[1] < 0xa0;
    const bool turns =
        size == 3 && s[0] == 0xe2 &&
        ((s[1] == 0x80 && s[2] >= 0xa8 && s[2] <= 0xae) || (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));
    const bool none = size >= 3 && s[size - 2] == 0xbf && s[size - 1] >= 0xbe &&
                      (size == 3 ? s[0] == 0xef : (s[1] & 0x0f) == 0x0f); /* U+FFFE, U+1FFFF ... */
    valid = valid && !c1 && !turns && !none;
    memcpy(out, valid ? p : "\xef\xbf\xbd", valid ? (size_t)size : 3);
    return valid ? size : 3;
}

fgt_status fgti_names_add(fgt_context *ctx, fgti_strings *list, const char *name, int64_t most)
{
    const int64_t n     = (int64_t)strlen(name);
    fgti_bytes    clean = {0};
    fgt_status    s     = FGT_OK;
    int64_t       size, characters = 0;
    for (int64_t i = 0; s == FGT_OK && i < n; i += size) {
        bool valid;
        char out[4];
        if (++characters > most) {
            s = fgti_bytes_add(ctx, &clean, "\xe2\x80\xa6", 3); /* an ellipsis */
            break;
        }
        size = fgti_utf8_next(name + i, n - i, &valid);
        s    = fgti_bytes_add(ctx, &clean, out, show(name + i, size, valid, out));
    }
    if (s == FGT_OK) s = fgti_strings_add(ctx, list, clean.used ? clean.s : "", clean.used);
    fgti_bytes_done(ctx, &clean);
    return s;
}

fgt_status fgti_report_name(fgt_report *r, fgti_strings *list, const char *name, int64_t most,
                            int64_t *number)
{
    *number = -1;
    if (!name) return FGT_OK;
    const int64_t last = list->count, used = list->used;
    FGTI_TRY(fgti_names_add(r->ctx, list, name, most));
    int64_t i = 0;
    while (strcmp(fgti_strings_get(list, i), fgti_strings_get(list, last)) != 0) i++;
    if (i < last) { /* it is there already */
        list->count = last;
        list->used  = used;
    }
    *number = i;
    return FGT_OK;
}
