/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_BLOCKS_H
#define PROGRAMS_BLOCKS_H

/* The library's blocks as values of --model: their names, help texts and options. */

#include <stdbool.h>
#include <stdint.h>

#include <fighter/blocks.h>

#define MAX_BLOCKS 32
#define BLOCK_HELP 240

/* The words that --model takes. Word i is the name of the block with the fgt_block value i; NULL ends the
 * list. The list is empty before blocks_init(). */
extern const char *block_names[MAX_BLOCKS + 1];

void blocks_init(void);
/* Writes "fighter (default), gcn, ... or s4d". */
void blocks_help_model(char out[BLOCK_HELP]);
/* Writes "fighter, gcn: TEXT", with the blocks that have the trait. */
void blocks_help_option(char out[BLOCK_HELP], fgt_block_trait trait, const char *text);
/* Writes "TEXT rnn, gru, lstm", with the blocks that have the trait. */
void blocks_help_list(char out[BLOCK_HELP], const char *text, fgt_block_trait trait);
/* Checks that the block has the trait that the option needs. If not, prints a message and returns false. */
bool blocks_check_option(const char *option, int64_t block, fgt_block_trait trait);

static inline bool block_has(int64_t block, fgt_block_trait trait)
{
    return fgt_block_get_traits((int32_t)block) & trait;
}

#endif
