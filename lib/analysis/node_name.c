/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/node_name.h"

#include <string.h>

typedef struct escape {
    char        c;
    const char *text;
} escape;

/* In labels, Graphviz interprets HTML entities and a backslash before a letter, so both are escaped. */
static const escape        csv[]     = {{'"', "\"\""}, {0, NULL}};
static const escape        dot[]     = {{'"', "\\\""}, {'\\', "\\\\"}, {'&', "&amp;"}, {0, NULL}};
static const escape        graphml[] = {{'&', "&amp;"},  {'<', "&lt;"},   {'>', "&gt;"},
                                        {'"', "&quot;"}, {'\'', "&#39;"}, {0, NULL}};
static const escape *const escapes[] = {csv, dot, graphml};

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD, the replacement character, in UTF-8 */

/* The text that replaces character c in this format. c is neither a control character nor malformed. */
static const char *escaped(fgt_edges_format format, char c)
{
    for (const escape *e = escapes[format]; e->text; e++)
        if (e->c == c) return e->text;
    return NULL;
}

/* U+FFFE and U+FFFF are not characters, and XML does not allow them. */
static bool is_character(const char *p, size_t size)
{
    return size > 0 && (size != 3 || (memcmp(p, "\xef\xbf\xbe", 3) && memcmp(p, "\xef\xbf\xbf", 3)));
}

fgt_status fgti_name_put(fgti_text *t, fgt_edges_format format, const char *name)
{
    const char *const end = name + strlen(name);
    for (size_t step; name < end; name += step) {
        const size_t        size    = fgti_utf8_size(name, (size_t)(end - name));
        const unsigned char c       = (unsigned char)*name;
        char                same[5] = {0};
        const char         *put     = same;
        step                        = size ? size : 1;
        memcpy(same, name, size);
        if (!is_character(name, size))
            put = REPLACEMENT;
        else if (c == '\t' || c == '\n' || c == '\r')
            put = " ";
        else if (c < 0x20 || c == 0x7f)
            put = REPLACEMENT;
        else if (escaped(format, *name))
            put = escaped(format, *name);
        FGTI_TRY(fgti_text_put(t, put));
    }
    return FGT_OK;
}
