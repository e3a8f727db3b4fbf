/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PREDICTOR_IMPL_H
#define FGTI_PREDICTOR_IMPL_H

#include <fighter/predictor.h>

#include "model/model_impl.h"

/* Results that layers keep of the weights, and the parameters that are still read, are in memory of its
 * own or in a file that is mapped: the pointers of the model lead there. */
struct fgt_predictor {
    fgt_model *model;
    int64_t    size; /* elements of model->weights */
    uint8_t   *gone; /* [tensors] 1: no pass reads it any more */
    void      *map;  /* the file, or NULL */
    size_t     map_bytes;
};

/* Elements of the parameters that are still read; and gives them their places in model->weights, one behind
 * another, and sets size. */
int64_t fgti_predictor_rest(const fgt_predictor *p);
void    fgti_predictor_place(fgt_predictor *p);

/* ---- predictor_fold.c ---- */

/* Before a layer is planned: shows it the map before it, if there is one that may be folded into its
 * products. After that: if the layer folds it, it gets one more input, what the map reads. */
void fgti_predictor_offer_fold(const fgt_model *m, fgti_layer *l);
void fgti_predictor_take_fold(fgti_layer *l);
/* When all layers are there: tells those that can do with one row of their output which row is read. */
void fgti_predictor_find_rows(const fgt_model *m);

/* ---- predictor_map.c ---- */

/* A hash of all that the contents of the file follow from; the weights are those of the model, a slab of
 * `size`. */
uint64_t fgti_map_key(const fgt_predictor *p, const fgti_real *weights, int64_t size);
/* Maps the file, if it is there and has this key. Else *found is false, and the file may be written.
 * FGT_E_FORMAT it is another one's; FGT_E_IO; FGT_E_NOMEM. */
fgt_status fgti_map_open(fgt_predictor *p, const char *path, uint64_t key, bool *found);
/* Writes what the predictor has in memory. FGT_E_IO, FGT_E_NOMEM. */
fgt_status fgti_map_write(const fgt_predictor *p, const char *path, uint64_t key);
void       fgti_map_close(fgt_predictor *p);

#endif
