/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_LOSS_H
#define FGTI_LOSS_H

#include <fighter/train.h>

#include "core/opts.h"
#include "core/tensor.h"
#include "train/cut.h"
#include "train/loss/spectral.h"

/* Options, which are also in checkpoints. */
extern const fgti_opt fgti_loss_opts[];

/* Checked options with their defaults. */
fgt_status fgti_loss_read(fgti_error *err, const fgt_loss_opts *in, fgt_loss_opts *out);
/* Name of a kind of loss. Kinds are numbered from 0 without gaps; NULL: no such kind. */
const char *fgti_loss_name(int32_t kind);
/* Whether the loss compares numbers of any size: not classes, not logits. Also false if there is no such
 * kind. */
bool fgti_loss_of_numbers(int32_t kind);
/* Whether the loss compares numbers that are not negative. Also false if there is no such kind. */
bool fgti_loss_of_counts(int32_t kind);
/* Whether the loss takes classes, not numbers. */
bool fgti_loss_of_classes(const fgt_loss_opts *opts);
/* FGT_E_ARG unless dtype is FGT_DTYPE_F32 or FGT_DTYPE_I64, and fits the loss (NULL: any loss). */
fgt_status fgti_target_dtype_check(fgti_error *err, const fgt_loss_opts *opts, int32_t dtype);
/* Checks y against target for all losses and metrics; classes must be in 0 .. C-1, or with `missing` may be
 * FGT_CLASS_MISSING. */
fgt_status fgti_target_check(fgti_error *err, const fgt_view *y, const fgt_view *target, bool classes,
                             bool missing);
/* Class of row r. */
int64_t fgti_target_class(const fgt_view *target, int64_t r);

/* One call of a loss: y [n], or [rows,columns] for classes. */
typedef struct fgti_loss_work {
    const fgt_loss_opts *opts;
    const fgt_view      *target;
    const fgti_real     *y;
    fgti_real           *dy;    /* NULL: not needed; may be y */
    double               scale; /* 1 / elements that count */
    int64_t              columns;
    fgti_cut             cut; /* cut of the elements, or of the samples */
    double               partial[FGTI_CHUNKS];

    /* sample by sample */
    const fgt_loss_samples *samples;
    const fgti_spectral    *spectral;         /* memory, if the loss has a spectral part */
    int64_t                 each;             /* elements in a sample */
    int64_t                 bad[FGTI_CHUNKS]; /* the first sample whose loss is not finite; -1: none */
} fgti_loss_work;

/* Number of the targets begin .. end-1 that count. */
int64_t fgti_loss_count(const fgt_loss_opts *o, const fgt_view *target, int64_t begin, int64_t end);
/* The loss of element i, and in *d its derivative by y; both 0 if the target does not count. */
double fgti_loss_element(const fgti_loss_work *w, int64_t i, double *d);
/* Returns the sum of the losses of elements begin .. end-1, or of rows of classes. Writes dy, scale times the
 * derivatives, and adds their squares to *square; NULL: not needed. */
double fgti_loss_range(const fgti_loss_work *w, int64_t begin, int64_t end, double scale, double *square);
/* FGT_E_SHAPE: weights or priors are for another number of classes. */
fgt_status fgti_loss_check_classes(fgti_error *err, const fgt_loss_opts *o, int64_t classes);
/* FGT_E_DATA if count is 0. */
fgt_status fgti_loss_check_count(fgti_error *err, const fgt_loss_opts *o, int64_t count);

#endif
