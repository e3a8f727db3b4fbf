/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SPECTRAL_H
#define FGTI_SPECTRAL_H

/* The spectral part of a loss, of sequences e_0 .. e_{H-1} of differences:
 *     E_f = sum_h e_h exp(-2 pi i f h/H),  f = 0 .. F-1,  F = floor(H/2) + 1
 *     S   = 1/F sum_f |E_f|,   dS/de_h = 1/F Re sum_f E_f/|E_f| exp(+2 pi i f h/H)
 * where E_f/|E_f| is 0 for E_f = 0. */

#include <fighter/train.h>

#include "core/context.h"
#include "core/dft.h"

/* Memory for the spectral part of a loss. If the loss has no spectral part, all fields are 0. */
typedef struct fgti_spectral {
    int64_t       length; /* H */
    fgti_complex *turn;   /* [H] */
    fgti_real    *memory; /* one block for each worker */
} fgti_spectral;

/* Makes the memory for outputs and targets [B,H,...] of this loss. Call fgti_spectral_done() even after an
 * error. */
fgt_status fgti_spectral_init(fgt_context *ctx, const fgt_loss_opts *opts, const fgt_view *y,
                              fgti_spectral *s);
void       fgti_spectral_done(fgt_context *ctx, fgti_spectral *s);
/* fgti_spectral_input() returns the memory into which the caller writes the differences [H,LANES].
 * fgti_spectral_run() returns an array of dS/de for these differences, and writes S to loss [LANES]. */
fgti_real       *fgti_spectral_input(const fgti_spectral *s, int32_t worker);
const fgti_real *fgti_spectral_run(const fgti_spectral *s, int32_t worker, double *loss);

#endif
