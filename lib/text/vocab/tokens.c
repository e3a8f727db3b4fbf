/* SPDX-License-Identifier: BSD-3-Clause */
#include "text/vocab/tokens.h"

#include <string.h>

#include "core/context.h"

static void tokens_begin(fgt_context *ctx, const fgt_vocab_opts *o, fgti_tokens *t)
{
    *t = (fgti_tokens){
        .ctx = ctx, .punctuation = o->punctuation, .symbols = o->symbols == FGT_VOCAB_SYMBOLS_WORDS};
}

#ifdef FGTI_HAVE_UTF8PROC
#include <utf8proc.h>

/* Only functions of utf8proc that write into our memory are used, because other functions of it call
 * malloc. */

fgt_status fgti_tokens_init(fgt_context *ctx, const fgt_vocab_opts *opts, fgti_tokens *t)
{
    tokens_begin(ctx, opts, t);
    return FGT_OK;
}

/* Normalises a text of ASCII characters, in a tenth of the time of utf8proc. Returns false if there are other
 * characters. */
static bool normalise_ascii(const char *text, int64_t n, int32_t *points)
{
    for (int64_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c >= 0x80) return false;
        points[i] = c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
    }
    return true;
}

/* Normalises to NFKC_Casefold, as utf8proc_NFKC_Casefold() does. t->points receives the code points, and
 * *count their number. */
static fgt_status tokens_normalise(fgti_tokens *t, const char *text, int64_t n, int64_t *count)
{
    const utf8proc_option_t form = (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT |
                                                       UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
    const utf8proc_uint8_t *s    = (const utf8proc_uint8_t *)text;
    /* a character has at least one byte, and rarely becomes several; so the first try nearly always
     * suffices */
    FGTI_TRY(fgti_grow(t->ctx, "text", sizeof *t->points, 0, n + 1, n + n / 2 + 16, &t->capacity,
                       (void **)&t->points));
    *count = n;
    if (normalise_ascii(text, n, t->points)) return FGT_OK;
    utf8proc_ssize_t m =
        utf8proc_decompose(s, (utf8proc_ssize_t)n, t->points, (utf8proc_ssize_t)t->capacity, form);
    if (m > t->capacity && !t->fixed) {
        FGTI_TRY(fgti_grow(t->ctx, "text", sizeof *t->points, 0, m, m, &t->capacity, (void **)&t->points));
        m = utf8proc_decompose(s, (utf8proc_ssize_t)n, t->points, (utf8proc_ssize_t)t->capacity, form);
    }
    if (m >= 0 && m <= t->capacity) m = utf8proc_normalize_utf32(t->points, m, form);
    *count = m;
    if (m >= 0 && m <= t->capacity) return FGT_OK;
    if (t->fixed) return FGT_E_NOMEM;
    return fgti_fail(&t->ctx->error, FGT_E_DATA, "a text cannot be normalised: %s", utf8proc_errmsg(m));
}

typedef enum kind {
    SPACE,      /* characters that separate words */
    LETTER,     /* letters and digits, which continue a word */
    MARK,       /* continues a word, but cannot begin one */
    SINGLE,     /* an ideograph or symbol; it is a word together with the marks that follow */
    FLAG,       /* a regional indicator; two in a row are a flag, which is a word */
    PUNCTUATION /* punctuation marks; each is a word, without marks after it */
} kind;

/* Whether c belongs to a script without blanks between words. The Unicode blocks are Hiragana, Katakana with
 * its extensions, and the CJK ideographs with all their extensions (planes 2 and 3 contain nothing else). */
static bool ideograph(int32_t c)
{
    return (c >= 0x3041 && c <= 0x30ff) || (c >= 0x31f0 && c <= 0x31ff) || (c >= 0x3400 && c <= 0x4dbf) ||
           (c >= 0x4e00 && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff) || (c >= 0x20000 && c <= 0x3ffff);
}

/* Returns the kind of a symbol of category k. Standalone accents (Sk) are not words, except modifiers of
 * emoji. U+FFFD is not a word, because it replaces unreadable bytes. */
static kind kind_of_symbol(int32_t c, utf8proc_category_t k)
{
    if (c >= 0x1f1e6 && c <= 0x1f1ff) return FLAG;
    if (k == UTF8PROC_CATEGORY_SK) return c >= 0x1f3fb && c <= 0x1f3ff ? SINGLE : SPACE;
    return c == 0xfffd ? SPACE : SINGLE;
}

static kind tokens_kind_of(const fgti_tokens *t, int32_t c)
{
    if (c < 0x80) {
        const bool letter = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (letter) return LETTER;
        if (t->punctuation && c > ' ' && c < 0x7f) return PUNCTUATION;
        return t->symbols && c && strchr("$+<=>|~", c) ? SINGLE : SPACE;
    }
    const utf8proc_category_t k = utf8proc_category(c);
    if (k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO) return ideograph(c) ? SINGLE : LETTER;
    if (k >= UTF8PROC_CATEGORY_MN && k <= UTF8PROC_CATEGORY_ME) return MARK;
    if (k >= UTF8PROC_CATEGORY_ND && k <= UTF8PROC_CATEGORY_NO) return LETTER;
    if (k < UTF8PROC_CATEGORY_PC || k > UTF8PROC_CATEGORY_SO) return SPACE;
    if (t->symbols && k >= UTF8PROC_CATEGORY_SM && kind_of_symbol(c, k) != SPACE) return kind_of_symbol(c, k);
    return t->punctuation ? PUNCTUATION : SPACE;
}

/* Whether a character of kind `next` continues a word of n characters whose first one has kind `first`. */
static bool goes_on(kind first, kind next, int64_t n)
{
    if (first == PUNCTUATION) return false;
    return next == MARK || (next == LETTER && first == LETTER) || (next == FLAG && first == FLAG && n == 1);
}

/* Adds code points begin .. end-1 as a word. The UTF-8 of the word overwrites its code points in t->points,
 * because a character has at most four bytes, the size of an int32_t. */
static fgt_status add_word(fgti_tokens *t, int64_t begin, int64_t end)
{
    char            *word = (char *)(t->points + begin);
    utf8proc_ssize_t size = 0;
    for (int64_t i = begin; i < end; i++) {
        const int32_t c = t->points[i];
        size += utf8proc_encode_char(c, (utf8proc_uint8_t *)word + size);
    }
    return fgti_strings_add(t->ctx, &t->words, word, size);
}

fgt_status fgti_tokens_read(fgti_tokens *t, const char *text, int64_t n)
{
    int64_t count, end;
    t->words.count = t->words.used = 0;
    FGTI_TRY(tokens_normalise(t, text, n, &count));
    for (int64_t i = 0; i < count; i = end) {
        const kind first = tokens_kind_of(t, t->points[i]);
        end              = i + 1;
        if (first == SPACE || first == MARK) continue;
        while (end < count && goes_on(first, tokens_kind_of(t, t->points[end]), end - i)) end++;
        FGTI_TRY(add_word(t, i, end));
    }
    return FGT_OK;
}

#else

fgt_status fgti_tokens_init(fgt_context *ctx, const fgt_vocab_opts *opts, fgti_tokens *t)
{
    tokens_begin(ctx, opts, t);
    return fgti_fail(&ctx->error, FGT_E_UNSUPPORTED,
                     "texts need libutf8proc, and this library was built without it");
}

fgt_status fgti_tokens_read(fgti_tokens *t, const char *text, int64_t n)
{
    (void)t;
    (void)text;
    (void)n;
    return FGT_E_UNSUPPORTED;
}

#endif

/* Reserves memory for words. In the worst case each character is a word, which takes up to four bytes and a
 * NUL. */
fgt_status fgti_tokens_reserve(fgti_tokens *t, int64_t n)
{
    fgti_strings *w      = &t->words;
    const int64_t points = n + n / 2 + 16;
    FGTI_TRY(fgti_grow(t->ctx, "text", sizeof *t->points, 0, points, 0, &t->capacity, (void **)&t->points));
    FGTI_TRY(fgti_grow(t->ctx, "list of strings", sizeof *w->begin, 0, points, 0, &w->capacity,
                       (void **)&w->begin));
    FGTI_TRY(fgti_grow(t->ctx, "strings", 1, 0, 5 * points, 0, &w->bytes_capacity, (void **)&w->bytes));
    return fgti_grow(t->ctx, "text", 1, 0, 5 * points, 0, &t->joined.capacity, (void **)&t->joined.s);
}

fgt_status fgti_tokens_join(fgti_tokens *t)
{
    const fgti_strings *w = &t->words;
    t->joined.used      = 0;
    FGTI_TRY(fgti_bytes_add(t->ctx, &t->joined, w->bytes, w->used));
    for (int64_t i = 0; i + 1 < w->count; i++) t->joined.s[w->begin[i + 1] - 1] = ' ';
    return FGT_OK;
}

const char *fgti_tokens_run(const fgti_tokens *t, int64_t i, int64_t n, int64_t *size)
{
    const int64_t *begin = t->words.begin, last = i + n - 1;
    *size = begin[last] + fgti_strings_size(&t->words, last) - begin[i];
    return t->joined.s + begin[i];
}

int64_t fgti_tokens_prefix(fgti_tokens *t, int64_t i, int64_t n)
{
    const char *word = fgti_strings_get(&t->words, i);
    int64_t     size = 0;
    for (; word[size]; size++) {
        const bool first = ((unsigned char)word[size] & 0xc0) != 0x80; /* first byte of a character */
        if (first && n-- == 0) break;
        t->prefix[size] = word[size];
    }
    if (!word[size]) return 0;
    t->prefix[size] = '*';
    return size + 1;
}

/* Writes the character at byte `at` of the text " word " to `to`. Returns its size; 0: `at` is after the end
 * of the text. */
static int64_t add_letter(const char *word, int64_t size, int64_t at, char *to)
{
    int64_t n = 1;
    if (at > size + 1) return 0;
    *to = at && at <= size ? word[at - 1] : ' ';
    for (; at && at + n <= size && ((unsigned char)word[at + n - 1] & 0xc0) == 0x80; n++)
        to[n] = word[at + n - 1];
    return n;
}

int64_t fgti_tokens_letters(fgti_tokens *t, int64_t i, int64_t least, int64_t longest, fgti_letters *at)
{
    const char   *word = fgti_strings_get(&t->words, i);
    const int64_t size = fgti_strings_size(&t->words, i);
    char         *run  = t->letters + 1;
    *t->letters        = ' ';
    while (at->begin <= size) { /* no run starts at the blank after the word */
        char         *to = run + at->end - at->begin;
        const int64_t n  = at->count < longest ? add_letter(word, size, at->end, to) : 0;
        at->end += n;
        at->count += n > 0;
        if (n && at->end > 1 && at->count >= least)
            return 1 + at->end - at->begin; /* the leading blank by itself is not a run */
        if (n) continue;
        at->begin += add_letter(word, size, at->begin, run);
        at->end   = at->begin;
        at->count = 0;
    }
    return 0;
}

void fgti_tokens_done(fgti_tokens *t)
{
    fgti_strings_done(t->ctx, &t->words);
    fgti_bytes_done(t->ctx, &t->joined);
    fgti_free(t->ctx, t->points);
    t->points = NULL;
    t->capacity = 0;
}
