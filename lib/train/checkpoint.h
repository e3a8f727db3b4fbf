/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CHECKPOINT_H
#define FGTI_CHECKPOINT_H

/* A checkpoint is a model's file (model/stored/model_file.c) and, P the elements of all parameters,
 *     train.format     1
 *     train.optim      kind=0 lr=0.001 ...
 *     train.schedule   kind=1 total=800
 *     train.state.0, train.state.1   [P]: the optimiser's state, as many arrays as it has
 *     train.counts     I64 [2]: steps done, training passes done (the stream of dropout)
 *     train.begin      I64 [1]: fgt_optim.begin; absent: 0
 *     train.lr         F64 [1]: fgt_optim.base; absent: lr of train.optim
 *     train.numbers    F64 [2]: norm of the last gradients, fgti_lazy.decay
 *     train.last, train.decayed   [rows], train.factor [2,FGTI_LAZY_STEPS]: fgti_lazy, of lazily updated rows
 *     train.selector   U8: fgt_attent_get_state()
 *     train.host       U8: the host's data
 * and more data for fgt_model_fit() (trainer_state.c). */

#include "model/files/file_input.h"
#include "model/files/safetensors.h"
#include "model/stored/model_file.h"
#include "nn/layer.h"
#include "train/optim/optim_impl.h"

/* An open file that fits the run, and data that the checks have already read from it. */
typedef struct fgti_checkpoint {
    fgti_st   *st;
    int64_t    counts[2], begin;
    double     numbers[2], base;
    int64_t   *last;
    double    *decayed, *factor;
    fgti_real *state;    /* [P]: the moments, if the optimiser updates only some parts of the weights */
    void      *selector; /* the state of the selector; NULL: there is no selector */
} fgti_checkpoint;

/* Writes a checkpoint of c and the caller's additional data. */
fgt_status fgti_checkpoint_save(const fgt_checkpoint *c, const fgti_extra *own, const char *path);
/* Opens the file, and checks everything except the state of the selector. The run does not change. Call
 * fgti_checkpoint_close() even after an error. */
fgt_status fgti_checkpoint_open(const fgt_checkpoint *c, const fgti_input *in, fgti_checkpoint *file);
/* Restores everything. On error restores nothing. */
fgt_status fgti_checkpoint_apply(const fgt_checkpoint *c, fgti_checkpoint *file);
void       fgti_checkpoint_close(fgt_context *ctx, fgti_checkpoint *file);
/* Opens, applies and closes the file. */
fgt_status fgti_checkpoint_load(const fgt_checkpoint *c, const fgti_input *in);
/* fgti_checkpoint_open() and fgti_checkpoint_apply() for a new run. It takes only the optimiser's moments and
 * steps, and the number of passes, on which dropout depends. The learning rate and the schedule may
 * differ. */
fgt_status fgti_checkpoint_open_moments(const fgt_optim *o, const fgti_input *in, fgti_checkpoint *file);
fgt_status fgti_checkpoint_apply_moments(fgt_optim *o, const fgti_checkpoint *file);
/* Checks that the file has `value` for `key`. FGT_E_FORMAT. */
fgt_status fgti_checkpoint_expect(fgt_context *ctx, const fgti_st *st, const char *key, const char *value);

/* An upper bound of the steps or samples of any run. Up to this number doubles count exactly. */
#define FGTI_COUNT_MOST (INT64_C(1) << 53)

#endif
