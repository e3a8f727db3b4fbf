/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PREDICTOR_MAP_H
#define FGTI_PREDICTOR_MAP_H

#include "model/model_impl.h"
#include "model/predictor/predictor_impl.h"

/* A hash of everything that determines the contents of the file. `weights` are the weights of the model, a
 * slab of `size` elements. */
uint64_t fgti_map_key(const fgt_predictor *p, const fgti_real *weights, int64_t size);
/* Maps the file if it exists and has this key. Otherwise *found is false, and the file may be written.
 * FGT_E_FORMAT: it is a file of another kind; FGT_E_IO; FGT_E_NOMEM. */
fgt_status fgti_map_open(fgt_predictor *p, const char *path, uint64_t key, bool *found);
/* Writes the predictor's memory to the file. FGT_E_IO, FGT_E_NOMEM. */
fgt_status fgti_map_write(const fgt_predictor *p, const char *path, uint64_t key);
void       fgti_map_close(fgt_predictor *p);

#endif
