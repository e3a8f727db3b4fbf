/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_BLOCKS_H
#define FGTI_BLOCKS_H

#include <fighter/blocks.h>

#include "core/status.h"

/* One row of the table of blocks. `add` finds its options checked and without zeros that mean a default, dim
 * excepted. */
typedef struct fgti_block {
    const char *name;
    uint32_t    traits;
    fgt_status (*add)(fgt_model *m, const fgt_block_opts *o);
} fgti_block;

/* ---- block_table.c ---- */

/* FGT_E_ARG with "WHAT: block 9 is unknown" for a number that is not in the table. */
fgt_status fgti_block_check(fgti_error *err, const char *what, int32_t block);

/* Fills in what is 0, for tokens of this width. */
void fgti_block_defaults(fgt_block_opts *o, int64_t width);

/* The block whose name a file holds under a key; text NULL: the file lacks it. FGT_E_FORMAT; FGT_E_VERSION a
 * name that is not in the table. */
fgt_status fgti_block_read(fgti_error *err, const char *key, const char *text, int32_t *block);

/* ---- stacks.c: what the table's rows add ---- */

fgt_status fgti_stack_fighter(fgt_model *m, const fgt_block_opts *o);
fgt_status fgti_stack_gcn(fgt_model *m, const fgt_block_opts *o);
fgt_status fgti_stack_linear(fgt_model *m, const fgt_block_opts *o);
fgt_status fgti_stack_transformer(fgt_model *m, const fgt_block_opts *o);
fgt_status fgti_stack_rnn(fgt_model *m, const fgt_block_opts *o);
fgt_status fgti_stack_gru(fgt_model *m, const fgt_block_opts *o);
fgt_status fgti_stack_lstm(fgt_model *m, const fgt_block_opts *o);
fgt_status fgti_stack_s4(fgt_model *m, const fgt_block_opts *o);
fgt_status fgti_stack_s4d(fgt_model *m, const fgt_block_opts *o);
fgt_status fgti_stack_mlp(fgt_model *m, const fgt_block_opts *o);
fgt_status fgti_stack_autoformer(fgt_model *m, const fgt_block_opts *o);
fgt_status fgti_stack_informer(fgt_model *m, const fgt_block_opts *o);
fgt_status fgti_stack_reformer(fgt_model *m, const fgt_block_opts *o);

#endif
