/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FIGHTER_STEP_H
#define FGTI_FIGHTER_STEP_H

/* The Fighter layer in a stream. Each power of A multiplies rows that do not change when tokens follow
 * (attention_stream.h). So the layer keeps the rows of each product, and one more token costs kappa - 1 sums
 * over the tokens: O(kappa T H) instead of O(kappa T^2 H). The orders of evaluation are the orders of whole
 * passes:
 *     over outputs  U_{kappa-1} = P_{kappa-1},  U_i[t] = P_i[t] + sum_{s <= t} A_ts U_{i+1}[s], P_i = X' W_i;
 *                   kept: U_1 .. U_{kappa-1}, side by side
 *     over inputs   Z_0 = X',  Z_i[t] = sum_{s <= t} A_ts Z_{i-1}[s];  kept: Z_0, then Z_1 .. Z_{kappa-2} of
 *                   each head */

#include "nn/attention/fighter/fighter_pass.h"

/* Declares which rows of earlier tokens the layer keeps (its pasts); a layer with one hop keeps no rows. */
void fgti_fighter_step_plan(fgti_layer *l);
/* Enlarges each worker's arena so that it is large enough for a step. */
void fgti_fighter_step_size(const fgti_layer *l, int64_t room, fgti_need *need);
/* Reads rows [Q K P_0 .. P_{kappa-1}] of the new tokens, at distance ld, and overwrites P_0 with U_0. */
fgt_status fgti_fighter_step_outputs(fgti_fighter_pass *p, fgti_real *y, int64_t ld);
/* Reads Q, K and X' of the new tokens and writes Z_1 .. Z_{kappa-1} to z, [kappa-1,heads,R,D]. */
fgt_status fgti_fighter_step_inputs(fgti_fighter_pass *p, fgti_real *z);

#endif
