/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "blocks.h"
#include "program.h"

const char *block_names[MAX_BLOCKS + 1];

void blocks_init(void)
{
    for (int32_t i = 0; i < MAX_BLOCKS; i++) block_names[i] = fgt_block_get_name(i);
}

static void append(char out[BLOCK_HELP], const char *text)
{
    const size_t n = strlen(out);
    snprintf(out + n, BLOCK_HELP - n, "%s", text);
}

/* Appends the names of the blocks that have the trait; trait 0: of all blocks. The text `last` comes before
 * the last name. */
static void append_names(char out[BLOCK_HELP], uint32_t trait, const char *last)
{
    int32_t left = 0, done = 0;
    for (int32_t i = 0; block_names[i]; i++) left += (fgt_block_get_traits(i) & trait) == trait;
    for (int32_t i = 0; block_names[i]; i++) {
        if ((fgt_block_get_traits(i) & trait) != trait) continue;
        if (done) append(out, left == 1 ? last : ", ");
        append(out, block_names[i]);
        if (!trait && !i) append(out, " (default)");
        done++;
        left--;
    }
}

void blocks_help_model(char out[BLOCK_HELP])
{
    out[0] = 0;
    append_names(out, 0, " or ");
}

void blocks_help_option(char out[BLOCK_HELP], fgt_block_trait trait, const char *text)
{
    out[0] = 0;
    append_names(out, trait, ", ");
    append(out, ": ");
    append(out, text);
}

void blocks_help_list(char out[BLOCK_HELP], const char *text, fgt_block_trait trait)
{
    out[0] = 0;
    append(out, text);
    append(out, " ");
    append_names(out, trait, ", ");
}

bool blocks_check_option(const char *option, int64_t block, fgt_block_trait trait)
{
    char names[BLOCK_HELP] = "";
    if (block_has(block, trait)) return true;
    append_names(names, trait, " and ");
    return complain("--%s is for --model %s; %s has no such option", option, names, block_names[block]);
}
