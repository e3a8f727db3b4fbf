/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TRANSFORMER_FORWARD_H
#define FGTI_TRANSFORMER_FORWARD_H

#include "nn/attention/transformer/transformer_pass.h"

/* Returns the elements of a worker's arena that are needed in addition to the attender's arena. */
int64_t fgti_transformer_arena(const fgti_transformer_pass *p);
/* For fgti_class.prepare */
void fgti_transformer_prepare(fgti_transformer_pass *p, bool *unread);
/* Sets the products of a pass and packs their weights. */
void fgti_transformer_begin(fgti_transformer_pass *p);
/* Computes all rows. */
void fgti_transformer_run(fgti_transformer_pass *p);
/* Computes the rows of a stream's new tokens. */
fgt_status fgti_transformer_step(fgti_transformer_pass *p);
/* fgti_transformer_set_maps() sets the input and output of each product. fgti_transformer_rows() computes
 * products `first` to `last` of all rows, with the steps after each of them. fgti_transformer_project()
 * computes Q, K and V of all rows. */
void fgti_transformer_set_maps(fgti_transformer_pass *p);
void fgti_transformer_rows(const fgti_transformer_pass *p, int first, int last);
void fgti_transformer_project(const fgti_transformer_pass *p);

#endif
