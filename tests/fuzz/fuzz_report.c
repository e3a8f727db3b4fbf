/* SPDX-License-Identifier: BSD-3-Clause */
/* Names in pages. The input is cut at its NULs into names, whatever bytes they have; a page with them must
 * have the tags and strings of one with harmless names, and be UTF-8 without control characters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fighter/experimental/report.h>

#include "core/text.h"
#include "fuzz.h"

enum { NAMES = 14, T = 4 };

static const float weight[T * T] = {0.1f, 0.2f, 0.3f, 0.4f, 0.4f, 0.3f, 0.2f, 0.1f,
                                    0.3f, 0.3f, 0.2f, 0.2f, 0.0f, 0.0f, 0.5f, 0.5f};

static fgt_status fill(fgt_report *r, const char *const *name, const char *about)
{
    const fgt_report_matrix m = {.size    = sizeof m,
                                 .layer   = name[2],
                                 .subject = name[3],
                                 .a       = FGT_VIEW(weight, T, T),
                                 .tokens  = name + 4};
    const fgt_report_window w = {.size     = sizeof w,
                                 .name     = name[8],
                                 .subject  = name[3],
                                 .input    = FGT_VIEW(weight, T),
                                 .forecast = FGT_VIEW(weight, T),
                                 .begin    = name[9],
                                 .from     = name[10],
                                 .token    = 1,
                                 .measure     = name[12],
                                 .about       = about,
                                 .row_value   = FGT_VIEW(weight, T),
                                 .token_value = FGT_VIEW(weight, T)};
    const fgt_report_words  x = {.size    = sizeof x,
                                 .name    = name[11],
                                 .subject = name[3],
                                 .count   = 2,
                                 .measure = name[12],
                                 .value   = FGT_VIEW(weight, T)};
    const fgt_report_point  p = {
         .size = sizeof p, .chart = name[13], .axis = name[0], .curve = name[1], .about = about, .y = 1};
    fgt_status s = fgt_report_add_fact(r, name[0], name[1]);
    if (s == FGT_OK) s = fgt_report_add_matrix(r, &m);
    if (s == FGT_OK) s = fgt_report_add_window(r, &w);
    if (s == FGT_OK) s = fgt_report_add_words(r, &x);
    if (s == FGT_OK) s = fgt_report_add_point(r, &p);
    return s;
}

static char *make_page(const char *const *name)
{
    char about[400]; /* one that is empty has no element */
    snprintf(about, sizeof about, "about %s", name[1]);
    fgt_report           *r    = NULL;
    const fgt_report_opts o    = {.size = sizeof o, .title = name[0], .about = about};
    char                 *page = NULL;
    int64_t               size;
    fgt_status            s = fgt_report_create(fuzz_context(), &o, &r);
    if (s == FGT_OK) s = fill(r, name, about);
    if (s == FGT_OK) s = fgt_report_save(r, FGT_TO_MEMORY(NULL, 0, &size));
    if (s == FGT_OK && (page = calloc((size_t)size + 1, 1)))
        s = fgt_report_save(r, FGT_TO_MEMORY(page, size, &size));
    if (s != FGT_OK) abort(); /* no name is refused */
    fgt_report_destroy(&r);
    return page;
}

/* The characters that open and close something, in their order. */
static void keep_structure(char *page)
{
    char *out = page;
    for (const char *p = page; *p; p++)
        if (strchr("<>\"'", *p)) *out++ = *p;
    *out = 0;
}

static void check(char *page, const char *plain)
{
    if (!fgti_is_utf8(page)) abort();
    for (const unsigned char *p = (unsigned char *)page; *p; p++)
        if ((*p < 0x20 && *p != '\n') || *p == 0x7f || (*p == 0xc2 && p[1] < 0xa0)) abort();
    keep_structure(page);
    if (strcmp(page, plain) != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *plain;
    const char  *name[NAMES], *harmless[NAMES];
    char         letter[NAMES][2], *copy = calloc(size + NAMES + 1, 1);
    if (!copy || !fuzz_context()) return 0;
    if (size) memcpy(copy, data, size);
    char *at = copy;
    for (int i = 0; i < NAMES; i++) {
        name[i] = at;
        at += strlen(at) + 1;
        snprintf(letter[i], 2, "%c", 'a' + i);
        harmless[i] = letter[i];
        if (at > copy + size) at = copy + size; /* the rest is empty */
    }
    if (!plain && (plain = make_page(harmless))) keep_structure(plain);
    char *page = make_page(name);
    if (plain && page) check(page, plain);
    free(page);
    free(copy);
    return 0;
}
