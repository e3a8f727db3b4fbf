/* SPDX-License-Identifier: BSD-3-Clause */
#include "library.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "blocks.h"

/* Option i of a table, or NULL if the table has no such option. A table has at most LIBRARY_MOST options. */
static const fgt_option *option_of(library_table table, int64_t i)
{
    assert(!table(LIBRARY_MOST));
    return i < LIBRARY_MOST ? table(i) : NULL;
}

/* ---- rows ---- */

static const int kinds[] = {
    [FGT_OPTION_I64] = COUNT,   [FGT_OPTION_F32] = REAL32,  [FGT_OPTION_F64] = REAL,
    [FGT_OPTION_BOOL] = FLAG32, [FGT_OPTION_WORD] = WORD32, [FGT_OPTION_BLOCK] = WORD32,
};

/* The help text of an option. If the option is only for some blocks, their names come first; they are left
 * out if the option is for all blocks with tokens. */
static const char *help_of(const fgt_option *t)
{
    static char   texts[LIBRARY_MOST][BLOCK_HELP];
    static size_t used;
    if (!t->trait || t->trait == FGT_BLOCK_TRAIT_TOKENS || used == LIBRARY_MOST) return t->help;
    blocks_help_option(texts[used], t->trait, t->help);
    return texts[used++];
}

size_t library_add(library_table table, size_t at, size_t given, opt *rows, size_t count)
{
    const fgt_option *t;
    for (int64_t i = 0; (t = option_of(table, i)); i++) {
        if (!t->word) continue;
        rows[count++] = (opt){.name  = t->word,
                              .kind  = kinds[t->kind],
                              .at    = at + t->offset,
                              .given = given + (size_t)i,
                              .min   = t->min,
                              .max   = t->max > 1e12 && t->kind == FGT_OPTION_I64 ? BIG : t->max,
                              .words = t->kind == FGT_OPTION_BLOCK ? block_names : t->words,
                              .value = t->value,
                              .help  = help_of(t)};
    }
    return count;
}

opt *library_row(opt *rows, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(rows[i].name, name)) return &rows[i];
    return NULL;
}

static bool is_among(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0) names++;
    return *names;
}

size_t library_names(library_table table, const char *const *without, const char **names, size_t count)
{
    const fgt_option *t;
    for (int64_t i = 0; (t = option_of(table, i)); i++)
        if (t->word && !is_among(t->word, without)) names[count++] = t->word;
    names[count] = NULL;
    return count;
}

void library_mark(library_table table, const char *name, bool *given)
{
    const fgt_option *t;
    for (int64_t i = 0; (t = option_of(table, i)); i++)
        if (t->word && !strcmp(t->word, name)) given[i] = true;
}

/* ---- values ---- */

const fgt_option *library_find(library_table table, const char *name)
{
    const fgt_option *t;
    for (int64_t i = 0; (t = option_of(table, i)); i++)
        if (t->word && !strcmp(t->word, name)) return t;
    return NULL;
}

const char *library_word(library_table table, const char *name, int64_t enumerator)
{
    return library_find(table, name)->words[enumerator];
}

static double get(const fgt_option *t, const void *opts)
{
    const char *at = (const char *)opts + t->offset;
    switch (t->kind) {
    case FGT_OPTION_I64: return (double)*(const int64_t *)at;
    case FGT_OPTION_F32: return *(const float *)at;
    case FGT_OPTION_F64: return *(const double *)at;
    default: return *(const int32_t *)at;
    }
}

void library_switch_off(library_table table, const bool *given, void *opts)
{
    const fgt_option *t;
    for (int64_t i = 0; (t = option_of(table, i)); i++) {
        char *at = (char *)opts + t->offset;
        if (!t->has_off || !given[i] || get(t, opts) != 0) continue;
        switch (t->kind) {
        case FGT_OPTION_I64: *(int64_t *)at = -1; break;
        case FGT_OPTION_F32: *(float *)at = -1; break;
        default: *(double *)at = -1;
        }
    }
}

bool library_check(library_table table, const void *opts, const int64_t *blocks)
{
    const fgt_option *t;
    for (int64_t i = 0; (t = option_of(table, i)); i++) {
        bool read = !t->word || !t->trait || get(t, opts) == 0;
        for (const int64_t *b = blocks; !read && *b >= 0; b++) read = block_has(*b, t->trait);
        if (!read) return blocks_check_option(t->word, blocks[0], t->trait);
    }
    return true;
}

json_t *library_pack(const fgt_option *option, const void *opts, int64_t block)
{
    const double v = get(option, opts);
    if (option->trait && option->trait != FGT_BLOCK_TRAIT_TOKENS && !block_has(block, option->trait))
        return json_null();
    switch (option->kind) {
    case FGT_OPTION_I64: return json_integer((json_int_t)v);
    case FGT_OPTION_F32: return json_real(option->has_off && v < 0 ? 0 : json_out_round((float)v));
    case FGT_OPTION_F64: return json_real(option->has_off && v < 0 ? 0 : v);
    case FGT_OPTION_BOOL: return json_boolean(v != 0);
    case FGT_OPTION_WORD: return json_string(option->words[(int)v]);
    default: return json_string(block_names[(int)v]);
    }
}
