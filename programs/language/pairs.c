/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads prompts and responses from a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "language.h"

enum { HELD_OUT = 10 }; /* one of HELD_OUT pairs is held out; these are the last pairs */

/* Says why a line is not a pair; NULL: it is a pair. */
static const char *fault_of(const char *line)
{
    const char *tab = strchr(line, '\t');
    if (!*line) return "a blank line";
    if (!tab) return "no tab";
    if (strchr(tab + 1, '\t')) return "more than one tab";
    return tab == line ? "an empty prompt" : tab[1] ? NULL : "an empty response";
}

/* Writes the tokens of a prompt or a response, and an end of line, to p->id from *at on, and moves *at after
 * them. */
static bool take_part(const options *o, const text *t, pairs *p, const char *part, bool response, int64_t *at)
{
    char name[4096];
    snprintf(name, sizeof name, "%s:%lld: the %s", o->pairs, (long long)p->count + 1,
             response ? "response" : "prompt");
    if (!text_knows(t, part, response, name)) return false;
    *at += text_encode(t, part, p->id + *at);
    p->id[(*at)++] = text_get_end(t);
    return true;
}

static bool take_pair(const options *o, const text *t, pairs *p, char *line)
{
    const char     *fault  = fault_of(line);
    const long long number = p->count + 1, most = o->time;
    int64_t         at = p->begin[p->count];
    if (fault)
        return complain("%s:%lld: is not a prompt, a tab and a response (got %s)", o->pairs, number, fault);
    char *tab = strchr(line, '\t');
    *tab      = 0;
    if (!take_part(o, t, p, line, false, &at)) return false;
    p->response[p->count] = at;
    if (!take_part(o, t, p, tab + 1, true, &at)) return false;
    /* the model does not read the last token, which is only a target */
    const int64_t sees = at - 1 - p->begin[p->count];
    if (sees > most)
        return complain("%s:%lld: is longer than the model sees (got %lld tokens, need %lld at most; --time "
                        "says how many)",
                        o->pairs, number, (long long)sees, most);
    if (sees > p->longest) p->longest = sees;
    p->begin[++p->count] = at;
    return true;
}

/* Allocates memory for as many tokens as the file has bytes. This is enough, because each token takes at
 * least a byte, and tabs and ends of lines are bytes too. */
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
    if (!text_get_end(t))
        return complain("%s: its text had one line only, so it does not know the end of a line", o->init);
    p->bytes = read_file(o->pairs);
    if (!p->bytes) return false;
    if (!allocate(p)) return complain("%s: there is no memory for it", o->pairs);
    for (char *line = p->bytes, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        if (end > line && end[-1] == '\r') end[-1] = 0;
        if (*end) *end++ = 0;
        if (!take_pair(o, t, p, line)) return false;
    }
    p->train = p->count - p->count / HELD_OUT;
    return p->count >= HELD_OUT ||
           complain("%s: has too few pairs, of which the last tenth is held out (got %lld, need %d)",
                    o->pairs, (long long)p->count, HELD_OUT);
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
