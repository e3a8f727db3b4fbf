/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns names into texts that a page can show. */
#include "report/report_names.h"

#include <string.h>

#include "text/utf8.h"

/* Writes a character in visible form: a control character as its picture, and U+FFFD for invalid bytes,
 * noncharacters and characters that change the direction of text. Returns the bytes written to out. */
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

fgt_status fgti_shown_add(fgt_context *ctx, fgti_strings *list, const char *name, int64_t most)
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

fgt_status fgti_names_add(fgt_context *ctx, fgti_names *list, const char *name, int64_t most)
{
    const fgti_names was = *list;
    FGTI_TRY(fgti_strings_add(ctx, &list->given, name, (int64_t)strlen(name)));
    const fgt_status s = fgti_shown_add(ctx, &list->shown, name, most);
    if (s != FGT_OK) fgti_names_restore(list, &was);
    return s;
}

static void restore(fgti_strings *list, const fgti_strings *was)
{
    list->count = was->count;
    list->used  = was->used;
}

void fgti_names_restore(fgti_names *list, const fgti_names *was)
{
    restore(&list->given, &was->given);
    restore(&list->shown, &was->shown);
}

void fgti_names_done(fgt_context *ctx, fgti_names *list)
{
    fgti_strings_done(ctx, &list->given);
    fgti_strings_done(ctx, &list->shown);
}

static bool is_same(const fgti_strings *list, int64_t i, int64_t k)
{
    return !strcmp(fgti_strings_get(list, i), fgti_strings_get(list, k));
}

fgt_status fgti_report_name(fgt_report *r, fgti_names *list, const char *name, int64_t most, int64_t *number)
{
    *number = -1;
    if (!name) return FGT_OK;
    const fgti_names was = *list;
    FGTI_TRY(fgti_names_add(r->ctx, list, name, most));
    int64_t i = 0;
    while (!is_same(&list->given, i, was.given.count) || !is_same(&list->shown, i, was.shown.count)) i++;
    if (i < was.given.count) fgti_names_restore(list, &was); /* the name is in the list already */
    *number = i;
    return FGT_OK;
}

bool fgti_report_is_subject(const fgt_report *r, int64_t number, const char *name)
{
    return !strcmp(fgti_strings_get(&r->text.given, number), name ? name : "");
}
