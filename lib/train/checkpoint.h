/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CHECKPOINT_H
#define FGTI_CHECKPOINT_H

/* A checkpoint is a model's file (model/model_file.c) and, P the elements of all parameters,
 *     train.format     1
 *     train.optim      kind=0 lr=0.001 ...
 *     train.schedule   kind=1 total=800
 *     train.state.0, train.state.1   [P]: the optimiser's, as many as it has
 *     train.counts     I64 [2]: steps done, training passes done (the stream of dropout)
 *     train.numbers    F64 [2]: norm of the last gradients, fgti_lazy.decay
 *     train.last, train.decayed   [rows], train.factor [2,FGTI_LAZY_STEPS]: fgti_lazy, of lazily updated rows
 *     train.selector   U8: fgt_attent_get_state()
 *     train.host       U8: the host's own
 *     train.hash       of all tensors, but those of fixed graphs
 * and what fgt_model_fit() needs besides (trainer_state.c). */

#include "model/access.h"
#include "train/optim.h"

/* An open file that fits the run, with what was read from it while that was checked. */
typedef struct fgti_checkpoint {
    fgti_st *st;
    int64_t  counts[2];
    double   numbers[2];
    int64_t *last;
    double  *decayed, *factor;
} fgti_checkpoint;

/* Writes c and the caller's own. */
fgt_status fgti_checkpoint_save(const fgt_checkpoint *c, const fgti_extra *own, const char *path);
/* Opens and checks all of it but the selector; nothing is changed. fgti_checkpoint_close() is due even after
 * an error. */
fgt_status fgti_checkpoint_open(const fgt_checkpoint *c, const fgti_input *in, fgti_checkpoint *file);
/* Restores everything, or on error nothing. */
fgt_status fgti_checkpoint_apply(const fgt_checkpoint *c, fgti_checkpoint *file);
void       fgti_checkpoint_close(fgt_context *ctx, fgti_checkpoint *file);
/* All three: what fgt_checkpoint_load() does with its file. */
fgt_status fgti_checkpoint_load(const fgt_checkpoint *c, const fgti_input *in);

/* FGT_E_FORMAT unless the file says `value` under `key`. */
fgt_status fgti_checkpoint_expect(fgt_context *ctx, const fgti_st *st, const char *key, const char *value);

#endif
