/* SPDX-License-Identifier: BSD-3-Clause */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "option.h"
#include "processors.h"
#include "program.h"

const char *program_name = "fighter";

void program_called(const char *first_argument)
{
    const char *slash = first_argument ? strrchr(first_argument, '/') : NULL;
    if (slash) first_argument = slash + 1;
    if (first_argument && *first_argument) program_name = first_argument;
}

static char  *kept;
static size_t kept_size;

void program_keeps(char *place, size_t size)
{
    kept      = place;
    kept_size = size;
}

const char *program_kept(void)
{
    return kept ? kept : "";
}

/* Number of bytes of the UTF-8 character at s; 0: the character is malformed. */
static size_t measure_character(const char *s)
{
    const unsigned char *c = (const unsigned char *)s;
    const size_t n = *c < 0x80 ? 1 : *c < 0xc2 ? 0 : *c < 0xe0 ? 2 : *c < 0xf0 ? 3 : *c < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;
    /* not UTF-8: an overlong form, half of a surrogate pair, or a number above U+10FFFF */
    const bool none = (*c == 0xe0 && c[1] < 0xa0) || (*c == 0xed && c[1] > 0x9f) ||
                      (*c == 0xf0 && c[1] < 0x90) || (*c == 0xf4 && c[1] > 0x8f);
    return none ? 0 : n;
}

/* Copies a name, and replaces its control characters and malformed bytes. Without this, names of files and
 * cells could control the terminal. */
const char *plain_text(const char *s, char *text, size_t size)
{
    size_t used = 0;
    for (size_t bytes; *s && used + 5 < size; s += bytes) {
        const size_t         whole = measure_character(s);
        const unsigned char *c     = (const unsigned char *)s;
        const bool bad = !whole || *c < ' ' || *c == 0x7f || (*c == 0xc2 && c[1] < 0xa0); /* C0, DEL, C1 */
        bytes          = whole ? whole : 1;
        for (size_t i = 0; bad && i < bytes && used + 5 < size; i++)
            used += (size_t)snprintf(text + used, size - used, "\\x%02x", c[i]);
        if (bad) continue;
        memcpy(text + used, s, bytes);
        used += bytes;
    }
    text[used] = 0;
    return text;
}

/* Room for any sentence that the program prints. */
#define SENTENCE 4096

/* Formats a sentence, and rewrites it by option_words() if it has names of the library. */
static void put_words(const char *format, va_list args, char words[SENTENCE])
{
    char text[SENTENCE];
    vsnprintf(text, sizeof text, format, args);
    option_words(text, words, SENTENCE);
}

static void say(const char *kind, const char *words)
{
    char plain[SENTENCE];
    fprintf(stderr, "%s: %s%s\n", program_name, kind, plain_text(words, plain, sizeof plain));
}

bool complain(const char *format, ...)
{
    char    words[SENTENCE];
    va_list args;
    va_start(args, format);
    put_words(format, args, words);
    va_end(args);
    if (kept)
        snprintf(kept, kept_size, "%s", words);
    else
        say("", words);
    return false;
}

void warn(const char *format, ...)
{
    char    words[SENTENCE];
    va_list args;
    va_start(args, format);
    put_words(format, args, words);
    va_end(args);
    say("warning: ", words);
}

const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

void program_name_text(const char *name, size_t n, char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0, bytes; i < n && name[i]; i += bytes) {
        const size_t whole = measure_character(name + i);
        bytes              = whole ? whole : 1;
        if (used + bytes >= size) break;
        memcpy(text + used, whole ? name + i : "?", bytes);
        used += bytes;
    }
    text[used] = 0;
}

/* Whether the library has given this warning before; a file is read twice, so that warnings repeat. Only the
 * first MOST different warnings are known, by their hashes (FNV-1a). */
static bool is_old(const char *message)
{
    enum { MOST = 64 };
    static uint64_t said[MOST];
    static size_t   count;
    uint64_t        key = UINT64_C(0xcbf29ce484222325);
    for (const char *p = message; *p; p++) key = (key ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    for (size_t i = 0; i < count; i++)
        if (said[i] == key) return true;
    if (count < MOST) said[count++] = key;
    return false;
}

static void print_log(void *user, int32_t level, const char *message)
{
    (void)user;
    if (level == FGT_LOG_WARN && !is_old(message)) warn("%s", message);
}

const char *const program_delimiters[] = {"auto", "comma", "semicolon", "tab", "bar", NULL};

int32_t program_delimiter(int64_t word)
{
    return "\0,;\t|"[word];
}

const char *const program_products[]   = {"auto", "blis", NULL};
const char *const program_precisions[] = {"f32", "bf16", NULL};

bool program_start(int64_t threads, int64_t products, int64_t precision, fgt_context **ctx,
                   fgt_build_info *build)
{
    signal(SIGXFSZ, SIG_IGN); /* so that a file above the shell's size limit gives an error that can be
                               * reported */
    const fgt_context_opts opts = {.size = sizeof opts, .log = print_log,
                                   .threads = (int32_t)(threads ? threads : processors_allowed()),
                                   .products = (int32_t)products,
                                   .precision = (int32_t)precision};
    const fgt_status       s    = fgt_context_create(&opts, ctx);
    if (s != FGT_OK) return complain("no context: %s", fgt_status_get_name(s));
    *build = (fgt_build_info){.size = sizeof *build};
    return fgt_context_get_info(*ctx, build) == FGT_OK || complain("%s", fgt_context_get_error(*ctx));
}

bool program_version(const char *name, FILE *out)
{
    fgt_context   *ctx = NULL;
    fgt_build_info b;
    if (!program_start(1, 0, 0, &ctx, &b)) return false;
    fprintf(out, "%s %d.%d.%d\nlibrary %s; products: %s %s (%s), %s; elements: %s\n", name, FGT_VERSION_MAJOR,
            FGT_VERSION_MINOR, FGT_VERSION_PATCH, b.version, b.blas, b.blas_version, b.blas_config, b.kernel,
            b.vector);
    fgt_context_destroy(&ctx);
    return true;
}

void program_describe(const fgt_model *model, FILE *out)
{
    int64_t bytes = 0;
    char   *text  = NULL;
    if (fgt_model_describe(model, NULL, 0, &bytes) == FGT_OK) text = malloc((size_t)bytes);
    if (text && fgt_model_describe(model, text, bytes, &bytes) == FGT_OK)
        fputs(text, out);
    else
        complain("the model cannot be described");
    free(text);
}

double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
