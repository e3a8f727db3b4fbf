/* SPDX-License-Identifier: BSD-3-Clause */
/* Prompts and responses from a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "language.h"

enum { HELD_OUT = 10 }; /* the last tenth of the pairs */

/* Says what is wrong with a line, from 1. */
static bool complain_of(const options *o, int64_t line, const char *why)
{
    char where[4096];
    snprintf(where, sizeof where, "%s:%lld", o->pairs, (long long)line);
    return complain(where, why);
}

/* Cuts a line at its tab. NULL: there is not one, or nothing on a side of it. */
static char *cut(char *line)
{
    char *tab = strchr(line, '\t');
    if (!tab || tab == line || !tab[1] || strchr(tab + 1, '\t')) return NULL;
    *tab = 0;
    return tab + 1;
}

static bool take_pair(const options *o, const text *t, pairs *p, char *line)
{
    const int64_t number = p->count + 1;
    const char   *answer = cut(line);
    int64_t       at     = p->begin[p->count];
    if (!answer) return complain_of(o, number, "is not a prompt, a tab and a response");
    at += text_encode(t, line, INT64_MAX, p->id + at);
    p->id[at++]           = text_get_end(t);
    p->response[p->count] = at;
    at += text_encode(t, answer, INT64_MAX, p->id + at);
    for (int64_t i = p->response[p->count]; i < at; i++)
        if (!p->id[i]) return complain_of(o, number, "the response has a token that the model does not know");
    p->id[at++] = text_get_end(t);
    /* the last token is only a target */
    const int64_t sees = at - 1 - p->begin[p->count];
    if (sees > o->time) return complain_of(o, number, "is longer than the model sees");
    if (sees > p->longest) p->longest = sees;
    p->begin[++p->count] = at;
    return true;
}

static int64_t count_lines(const char *p)
{
    int64_t lines = 1;
    for (; *p; p++) lines += *p == '\n';
    return lines;
}

/* No token is shorter than a byte, tabs and ends of lines included. */
static bool allocate(pairs *p)
{
    const size_t lines = (size_t)count_lines(p->bytes);
    p->id              = calloc(strlen(p->bytes) + 2, sizeof *p->id);
    p->begin           = calloc(lines + 1, sizeof *p->begin);
    p->response        = calloc(lines, sizeof *p->response);
    return p->id && p->begin && p->response;
}

bool pairs_read(const options *o, const text *t, pairs *p)
{
    if (!text_get_end(t)) return complain(o->init, "its text had one line only: it knows no end of a line");
    p->bytes = read_file(o->pairs);
    if (!p->bytes) return false;
    if (!allocate(p)) return complain(o->pairs, "there is no memory for it");
    for (char *line = p->bytes, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) *end++ = 0;
        if (!take_pair(o, t, p, line)) return false;
    }
    p->train = p->count - p->count / HELD_OUT;
    return p->count >= HELD_OUT || complain(o->pairs, "needs 10 pairs or more: the last tenth is held out");
}

void pairs_free(pairs *p)
{
    free(p->bytes);
    free(p->id);
    free(p->begin);
    free(p->response);
}

void pairs_get(const pairs *p, int64_t pair, int64_t time, int64_t *id, int64_t *target)
{
    const int64_t begin = p->begin[pair], last = p->begin[pair + 1] - 1;
    for (int64_t i = 0, at = begin; i < time; i++, at++) {
        id[i]     = at < last ? p->id[at] : 0;
        target[i] = at < last && at + 1 >= p->response[pair] ? p->id[at + 1] : FGT_CLASS_MISSING;
    }
}
