/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of nodes in files of edges. The first byte chooses the form; the names follow, with a byte 0 after
 * each. Whatever they are, the file has the lines that it has with plain names, and its quotes and tags are
 * those of the form. */
#include <stdlib.h>
#include <string.h>

#include <fighter/analysis.h>

#include "core/text.h"
#include "fuzz.h"

enum { NODES = 6, NAME = 64, FILE_MAX = 1 << 14 };

typedef struct file {
    char    text[FILE_MAX + 1];
    int64_t size;
} file;

static fgt_status append(void *user, const void *data, int64_t bytes)
{
    file *f = user;
    if (bytes > FILE_MAX - f->size) return FGT_E_SIZE;
    memcpy(f->text + f->size, data, (size_t)bytes);
    f->size += bytes;
    f->text[f->size] = 0;
    return FGT_OK;
}

static int count(const char *text, char c)
{
    int n = 0;
    for (; *text; text++) n += *text == c;
    return n;
}

/* Quotes that open or close: in DOT a backslash takes the meaning from what follows it. */
static int count_quotes(const char *text, bool backslash)
{
    int n = 0;
    for (; *text; text++) {
        if (backslash && *text == '\\' && text[1])
            text++;
        else
            n += *text == '"';
    }
    return n;
}

/* In XML an ampersand begins one of these. */
static void check_entities(const char *text)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (const char *p = text; (p = strchr(p, '&')); p++) {
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            found |= !strncmp(p, known[i], strlen(known[i]));
        if (!found) abort();
    }
}

static void check(const file *f, const file *plain, int32_t format)
{
    if (strlen(f->text) != (size_t)f->size || !fgti_is_utf8(f->text)) abort();
    for (const char *p = f->text; *p; p++)
        if (((unsigned char)*p < 0x20 && *p != '\n') || *p == 0x7f) abort();
    if (count(f->text, '\n') != count(plain->text, '\n')) abort();
    if (format == FGT_EDGES_FORMAT_DOT && count_quotes(f->text, true) != count_quotes(plain->text, true))
        abort();
    if (format == FGT_EDGES_FORMAT_CSV && count(f->text, '"') % 2) abort();
    if (format != FGT_EDGES_FORMAT_GRAPHML) return;
    check_entities(f->text);
    static const char tags[] = "<>\"'";
    for (size_t i = 0; tags[i]; i++)
        if (count(f->text, tags[i]) != count(plain->text, tags[i])) abort();
}

static void save(fgt_context *ctx, int32_t format, const char *const *names, const char *title, file *f)
{
    static const fgt_edge edges[] = {{0, 1, 0.5}, {1, 1, 0.25}, {4, 0, -1e-9}};
    const fgt_edge_list   l       = {.size       = sizeof l,
                                     .edges      = edges,
                                     .edge_count = 3,
                                     .names      = names,
                                     .node_count = NODES,
                                     .title      = title};
    const fgt_writer      w       = {.size = sizeof w, .write = append, .user = f};
    f->size                       = 0;
    if (fgt_edges_save(ctx, &l, format, &FGT_OPTS(fgt_output, .writer = &w)) != FGT_OK) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static file  f, plain;
    char         text[NODES + 1][NAME + 1] = {{0}};
    const char  *names[NODES];
    fgt_context *ctx = fuzz_context();
    if (!ctx || size < 1) return 0;
    const int32_t          format = data[0] % 3;
    size_t                 name = 0, at = 0;
    for (size_t i = 1; i < size && name <= NODES; i++) {
        if (data[i] && at < NAME)
            text[name][at++] = (char)data[i];
        else
            name++, at = 0;
    }
    for (int i = 0; i < NODES; i++) names[i] = text[i];
    save(ctx, format, NULL, "", &plain);
    save(ctx, format, names, text[NODES], &f);
    check(&f, &plain, format);
    return 0;
}
