/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CHECKPOINT_H
#define FGTI_CHECKPOINT_H

/* A checkpoint is a model's file (model/model_file.c) and, P the elements of all parameters,
 *     train.format     1
 *     train.optim      kind=0 lr=0.001 ...
 *     train.schedule   kind=1 total=800
 *     train.state.0, train.state.1   [P]: the optimiser's, as many as it has
 *     train.counts     I64 [2]: steps done, training passes done (the stream of dropout)
 *     train.begin      I64 [1]: fgt_optim.begin; not there: 0
 *     train.numbers    F64 [2]: norm of the last gradients, fgti_lazy.decay
 *     train.last, train.decayed   [rows], train.factor [2,FGTI_LAZY_STEPS]: fgti_lazy, of lazily updated rows
 *     train.selector   U8: fgt_attent_get_state()
 *     train.host       U8: the host's own
 * and what fgt_model_fit() needs besides (trainer_state.c). */

#include "model/access.h"
#include "train/optim.h"

/* An open file that fits the run, with what was read from it while that was checked. */
typedef struct fgti_checkpoint {
    fgti_st   *st;
    int64_t    counts[2], begin;
    double     numbers[2];
    int64_t   *last;
    double    *decayed, *factor;
    fgti_real *state; /* [P]: for an optimiser of some parts */
    void      *selector; /* its state; NULL: none */
} fgti_checkpoint;

/* Writes c and the caller's own. */
fgt_status fgti_checkpoint_save(const fgt_checkpoint *c, const fgti_extra *own, const char *path);
/* Opens and checks all of it but the selector's state; nothing is changed. fgti_checkpoint_close() is due
 * even after an error. */
fgt_status fgti_checkpoint_open(const fgt_checkpoint *c, const fgti_input *in, fgti_checkpoint *file);
/* Restores everything, or on error nothing. */
fgt_status fgti_checkpoint_apply(const fgt_checkpoint *c, fgti_checkpoint *file);
void       fgti_checkpoint_close(fgt_context *ctx, fgti_checkpoint *file);
/* All three: what fgt_checkpoint_load() does with its file. */
fgt_status fgti_checkpoint_load(const fgt_checkpoint *c, const fgti_input *in);
/* fgti_checkpoint_open() and fgti_checkpoint_apply() for a new run, which takes no more than the optimiser's
 * moments and steps, and how many passes dropout has seen. Its learning rate and schedule may differ. */
fgt_status fgti_checkpoint_open_moments(const fgt_optim *o, const fgti_input *in, fgti_checkpoint *file);
fgt_status fgti_checkpoint_apply_moments(fgt_optim *o, const fgti_checkpoint *file);
/* FGT_E_FORMAT unless the file says `value` under `key`. */
fgt_status fgti_checkpoint_expect(fgt_context *ctx, const fgti_st *st, const char *key, const char *value);

/* More steps or samples than any run has, and doubles count them exactly. */
#define FGTI_COUNT_MOST (INT64_C(1) << 53)

#endif
