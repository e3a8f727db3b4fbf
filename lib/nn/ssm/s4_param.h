/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_S4_PARAM_H
#define FGTI_S4_PARAM_H

/* The parameters of the s4 layer. */

#include "nn/ssm/ssm.h"

/* The parameters in the order in which they are declared. The parts up to P are parameters of the state-space
 * model. */
typedef enum fgti_s4_part {
    FGTI_S4_D,
    FGTI_S4_DT,
    FGTI_S4_C,
    FGTI_S4_B,
    FGTI_S4_A_REAL,
    FGTI_S4_A_IMAG,
    FGTI_S4_P,
    FGTI_S4_WEIGHT,
    FGTI_S4_BIAS,
    FGTI_S4_PARTS
} fgti_s4_part;

/* Returns the number of a part among the layer's parameters; -1: the layer does not have this part. */
int fgti_s4_number(const fgti_layer *l, fgti_s4_part part);
/* Declares the parameters. */
fgt_status fgti_s4_params(fgt_context *ctx, fgti_layer *l);
/* Sets the first values (fgti_class.init). l->table has omega and P of HiPPO at fgti_s4_hippo(). */
void                  fgti_s4_init(const fgti_layer *l, int32_t i, fgti_rng rng, fgti_real *w);
static inline double *fgti_s4_hippo(const fgti_layer *l)
{
    return (double *)(l->table + FGTI_ALIGN / sizeof(fgti_real));
}

/* Returns the layer's state-space model; weights NULL: only its sizes. */
fgti_ssm      fgti_s4_model(const fgti_layer *l, const fgti_real *weights);
fgti_ssm_grad fgti_s4_gradients(const fgti_layer *l, fgti_real *gradients);

#endif
