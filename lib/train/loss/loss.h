/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LOSS_H
#define FGTI_LOSS_H

#include <fighter/train.h>

#include "core/opts.h"
#include "core/tensor.h"
#include "train/cut.h"
#include "train/loss/spectral.h"

/* The options of a loss, which checkpoints also contain. */
extern const fgti_opt fgti_loss_opts[];

/* Checks the options and fills in defaults. */
fgt_status fgti_loss_read(fgti_error *err, const fgt_loss_opts *in, fgt_loss_opts *out);
/* Name of a kind of loss; NULL: no such kind. Kinds are numbered from 0 without gaps. */
const char *fgti_loss_name(int32_t kind);
/* Whether the loss compares numbers of any size, rather than classes or logits. False if there is no such
 * kind. */
bool fgti_loss_of_numbers(int32_t kind);
/* Whether the loss compares numbers that are not negative. False if there is no such kind. */
bool fgti_loss_of_counts(int32_t kind);
/* Whether the targets of the loss are classes, not numbers. */
bool fgti_loss_of_classes(const fgt_loss_opts *opts);
/* Checks that dtype is FGT_DTYPE_F32 or FGT_DTYPE_I64 and that it fits the loss. opts NULL: any loss.
 * FGT_E_ARG. */
fgt_status fgti_target_dtype_check(fgti_error *err, const fgt_loss_opts *opts, int32_t dtype);
/* Checks y against target, for all losses and metrics. Classes must be in 0 .. C-1. With `missing` they may
 * also be FGT_CLASS_MISSING. */
fgt_status fgti_target_check(fgti_error *err, const fgt_view *y, const fgt_view *target, bool classes,
                             bool missing);
/* The class of row r. */
int64_t fgti_target_class(const fgt_view *target, int64_t r);

/* One call of a loss, for y [n] or, if the targets are classes, y [rows,columns]. */
typedef struct fgti_loss_work {
    const fgt_loss_opts *opts;
    const fgt_view      *target;
    const fgti_real     *y;
    fgti_real           *dy;    /* NULL: not needed; may be the same memory as y */
    double               scale; /* 1 / number of elements that count */
    int64_t              columns;
    fgti_cut             cut; /* how the elements, or the samples, are divided among workers */
    double               partial[FGTI_CHUNKS];

    /* The next fields are for losses that are computed sample by sample. */
    const fgt_loss_samples *samples;
    const fgti_spectral    *spectral;         /* memory for the spectral part, if the loss has one */
    int64_t                 each;             /* number of elements in a sample */
    int64_t                 bad[FGTI_CHUNKS]; /* for each chunk, the first sample whose loss is not finite;
                                               * -1: no such sample */
} fgti_loss_work;

/* Number of targets in begin .. end-1 that count. */
int64_t fgti_loss_count(const fgt_loss_opts *o, const fgt_view *target, int64_t begin, int64_t end);
/* Returns the loss of element i, and sets *d to the derivative with respect to y. Both are 0 if the target
 * does not count. */
double fgti_loss_element(const fgti_loss_work *w, int64_t i, double *d);
/* Returns the sum of the losses of elements begin .. end-1; for classes, of rows begin .. end-1. Sets dy to
 * scale times the derivatives. Adds the squares of the derivatives to *square; square NULL: not needed. */
double fgti_loss_range(const fgti_loss_work *w, int64_t begin, int64_t end, double scale, double *square);
/* FGT_E_SHAPE: the weights or priors are for another number of classes. */
fgt_status fgti_loss_check_classes(fgti_error *err, const fgt_loss_opts *o, int64_t classes);
/* Checks that count is not 0. FGT_E_DATA. */
fgt_status fgti_loss_check_count(fgti_error *err, const fgt_loss_opts *o, int64_t count);

#endif
