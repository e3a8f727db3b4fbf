/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_BLOCKS_H
#define FGTI_BLOCKS_H

#include <stdbool.h>

#include <fighter/blocks.h>

#include "core/status.h"

/* A decoder for a window of D series. Its input is the last `label` rows of the window, followed by `ahead`
 * empty rows. A token has the width E. */
typedef struct fgti_decoder {
    const char *series; /* layer with the window [B,L,D]; "": the model's input */
    const char *memory; /* layer with the encoder's output [B,T,E] */
    const char *known;  /* layer with the known inputs of the label + ahead rows, [B,label+ahead,E]; NULL: not
                         * given */
    int64_t     rows, label, ahead; /* rows: L, of the window; label and ahead: rows of the input, see
                                     * above */
    int64_t     columns, width;     /* D, E */
} fgti_decoder;

/* One row of the table of blocks. The options that `add` gets have been checked, and all defaults except
 * `dim` are filled in. `decode` is set if the block has the trait FGT_BLOCK_TRAIT_DECODER. */
typedef struct fgti_block {
    const char *name;
    uint32_t    traits;
    fgt_status (*add)(fgt_model *m, const fgt_block_opts *o);
    fgt_status (*encode)(fgt_model *m, const fgt_block_opts *o); /* adds the encoder; NULL: `add` does */
    fgt_status (*decode)(fgt_model *m, const fgt_block_opts *o, const fgti_decoder *d);
} fgti_block;

/* ---- block_table.c ---- */

/* Words of an fgt_act, by enumerator; ends with NULL. */
extern const char *const fgti_act_words[];

/* Checks that the table has this block. FGT_E_ARG: it has not; the error text is "WHAT: block 9 is
 * unknown". */
fgt_status fgti_block_check(fgti_error *err, const char *what, int32_t block);

/* Fills in the fields that are 0, for tokens of this width. */
void fgti_block_defaults(fgt_block_layers *b, int64_t width);

/* Adds an encoder whose output a decoder reads. It is fgt_block_add() without the parts that the decoder has
 * itself. */
fgt_status fgti_block_encode(fgt_model *m, const fgt_block_opts *opts);

/* Adds the decoder of a block that has one, with opts->layers layers. The last layer gives [B,label+ahead,D].
 * All names of parameters begin with "decoder.". fgti_decoder_is_last() is true for the parameters of the
 * decoder's last maps. If these parameters are 0, the result is the start of the trend, or 0 if the block has
 * no trend. */
fgt_status fgti_block_decode(fgt_model *m, const fgt_block_opts *opts, const fgti_decoder *d);
bool       fgti_decoder_is_last(const char *parameter);

/* Finds the block with the name `text`, read from the entry `key` of a file. text NULL: the file has no such
 * entry, FGT_E_FORMAT. FGT_E_VERSION: no block has this name. */
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
