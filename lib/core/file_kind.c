/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/file_kind.h"

#include <stdbool.h>
#include <string.h>

#include "core/text.h"

static const struct {
    const char    *bytes;
    size_t         size;
    fgti_file_kind kind;
} kinds[] = {
    {"PK\3\4", 4, {"a workbook (xlsx, ods) or another zip archive", "save the sheet as CSV"}},
    {"\xd0\xcf\x11\xe0", 4, {"a workbook (xls)", "save the sheet as CSV"}},
    {"PAR1\x15", 5, {"a Parquet file", "write it as CSV"}},
    {"ARROW1\0\0", 8, {"an Arrow file", "write it as CSV"}},
    {"%PDF-", 5, {"a PDF document", "its table is needed as CSV"}},
    {"fgtable", 7, {"a table file", "give it as the only file, without CSV files"}},
    {"\x1f\x8b", 2, {"a gzip-compressed file", NULL}},
    {"\x89PNG", 4, {"a picture (PNG)", NULL}},
    {"\xff\xd8\xff", 3, {"a picture (JPEG)", NULL}},
    {"GIF8", 4, {"a picture (GIF)", NULL}},
};

/* A safetensors file begins with the length of its header, in 8 bytes. The header follows, and is JSON. */
static bool is_safetensors(const unsigned char *p, size_t size)
{
    return size > 8 && p[8] == '{' && p[3] < 6 && !p[4] && !p[5] && !p[6] && !p[7];
}

const fgti_file_kind *fgti_file_kind_find(const void *bytes, size_t size)
{
    static const fgti_file_kind model = {"a model (safetensors)", NULL};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (size >= kinds[i].size && !memcmp(bytes, kinds[i].bytes, kinds[i].size)) return &kinds[i].kind;
    return is_safetensors(bytes, size) ? &model : NULL;
}

/* The last character may be incomplete. */
static bool file_is_text(const char *p, size_t size)
{
    for (size_t i = 0, n; i < size; i += n) {
        n = fgti_utf8_size(p + i, size - i);
        if (!n) return i && size - i < 4;
        if ((unsigned char)p[i] < ' ' && (p[i] < '\t' || p[i] > '\r')) return false;
    }
    return true;
}

const char *fgti_file_kind_name(const void *bytes, size_t size)
{
    const fgti_file_kind *kind = fgti_file_kind_find(bytes, size);
    const char           *p    = bytes;
    if (kind) return kind->name;
    if (!size) return "an empty file";
    if (!file_is_text(p, size)) return NULL;
    return *p == '{' || *p == '[' ? "JSON" : *p == '<' ? "a page of HTML or XML" : "text, such as CSV";
}
