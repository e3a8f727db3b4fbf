/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_BLOCKS_H
#define FGTI_BLOCKS_H

#include <stdbool.h>

#include <fighter/blocks.h>

#include "core/status.h"

/* A decoder of a window of D series: it begins with the last `label` of its rows and empty places for `ahead`
 * rows behind them. Tokens have the width E. */
typedef struct fgti_decoder {
    const char *series; /* layer with the window [B,L,D]; "": the model's input */
    const char *memory; /* layer with the encoder's output [B,T,E] */
    const char *known;  /* layer with what is known of all these rows, [B,label+ahead,E]; NULL: none */
    int64_t     rows, label, ahead; /* L, and what is said above */
    int64_t     columns, width;     /* D, E */
} fgti_decoder;

/* One row of the table of blocks. `add` finds its options checked and without zeros that mean a default, dim
 * excepted. `decode` is there if the block has the trait FGT_BLOCK_HAS_DECODER. */
typedef struct fgti_block {
    const char *name;
    uint32_t    traits;
    fgt_status (*add)(fgt_model *m, const fgt_block_opts *o);
    fgt_status (*encode)(fgt_model *m, const fgt_block_opts *o); /* NULL: add */
    fgt_status (*decode)(fgt_model *m, const fgt_block_opts *o, const fgti_decoder *d);
} fgti_block;

/* ---- block_table.c ---- */

/* FGT_E_ARG with "WHAT: block 9 is unknown" for a number that is not in the table. */
fgt_status fgti_block_check(fgti_error *err, const char *what, int32_t block);

/* Fills in what is 0, for tokens of this width. */
void fgti_block_defaults(fgt_block_opts *o, int64_t width);

/* An encoder for a decoder: fgt_block_add(), but what such a decoder adds itself is left out. */
fgt_status fgti_block_encode(fgt_model *m, const fgt_block_opts *opts);

/* The decoder of a block that has one; opts->layers are those of the decoder. The last layer that it adds
 * gives [B,label+ahead,D]. Its parameters begin with "decoder."; those that fgti_decoder_is_last() knows are
 * the last maps: with zeros there, the result is the start of the trend, if the block has one, else 0. */
fgt_status fgti_block_decode(fgt_model *m, const fgt_block_opts *opts, const fgti_decoder *d);
bool       fgti_decoder_is_last(const char *parameter);

/* The block whose name a file holds under a key; text NULL: the file lacks it. FGT_E_FORMAT; FGT_E_VERSION a
 * name that is not in the table. */
fgt_status fgti_block_read(fgti_error *err, const char *key, const char *text, int32_t *block);

/* ---- stack_decoder.c, stack_autoformer.c ---- */

fgt_status fgti_decode_transformer(fgt_model *m, const fgt_block_opts *o, const fgti_decoder *d);
fgt_status fgti_decode_informer(fgt_model *m, const fgt_block_opts *o, const fgti_decoder *d);
fgt_status fgti_decode_autoformer(fgt_model *m, const fgt_block_opts *o, const fgti_decoder *d);
fgt_status fgti_encode_autoformer(fgt_model *m, const fgt_block_opts *o);

/* ---- stacks.c, stack_encoder.c, stack_autoformer.c: what the table's rows add ---- */

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
fgt_status fgti_stack_attention(fgt_model *m, const fgt_block_opts *o);

#endif
