/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PREDICTOR_IMPL_H
#define FGTI_PREDICTOR_IMPL_H

#include <fighter/predictor.h>

#include <stdatomic.h>

#include "model/model_impl.h"

/* Results that layers keep of the weights, and the parameters that are still read, are in the predictor's own
 * memory or in a mapped file: the pointers of the model lead there. */
struct fgt_predictor {
    fgt_model *model;
    int64_t    size; /* elements of model->weights */
    uint8_t   *gone; /* [tensors] 1: no pass reads it any more */
    void      *map;  /* the file, or NULL */
    size_t     map_bytes;
};

/* ---- predictor.c ---- */

/* Makes a predictor with layers, but without weights; its model's `asking` is set. */
fgt_status fgti_predictor_new(const fgt_model *model, const fgt_predictor_opts *opts,
                              fgt_predictor **predictor);

/* Memory in which layers prepare: for the layer with the most parameters, and for the largest scratch. */
typedef struct fgti_preparation {
    bool      *unread;
    fgti_real *scratch;
} fgti_preparation;
/* Makes it, and the memory of what layers keep. Call fgti_preparation_done() even after an error. */
fgt_status fgti_preparation_init(fgt_predictor *p, fgti_preparation *room);
void       fgti_preparation_done(fgt_context *ctx, fgti_preparation *room);
/* Lets every layer compute its results of these weights. */
void fgti_predictor_prepare(fgt_predictor *p, const fgti_real *weights, fgti_exec *exec,
                            const fgti_preparation *room);


/* Elements of the parameters that are still read. fgti_predictor_place() gives them their places in
 * model->weights, one after another, and sets size. */
int64_t fgti_predictor_rest(const fgt_predictor *p);
void    fgti_predictor_place(fgt_predictor *p);

/* ---- predictor_follow.c ---- */

/* For a predictor that reads the weights of a model in place, and follows their changes. */
typedef struct fgti_follower {
    fgt_predictor   *predictor;
    fgt_model       *leader;
    _Atomic uint64_t version; /* of the leader's weights that everything was prepared from; 0: of none */
    fgti_preparation room;
} fgti_follower;

/* Makes a predictor without weights of its own: it reads the model's weights in place, and packs or folds
 * them anew when a prediction finds that they, or the active adapter, have changed. The model takes no more
 * layers and must outlive it. Predictions allocate nothing. */
fgt_status fgti_predictor_follow(fgt_model *model, fgt_predictor **predictor);
/* Before a pass of one of its workspaces: prepares anew if the weights have changed. Of several threads the
 * first one does it, and the others wait. */
void fgti_follower_update(fgt_workspace *ws);
/* The leader's tuning. */
const fgti_tuning *fgti_follower_tuning(const fgt_model *m);
/* Before the predictor is destroyed: gives the weights back. It may be no follower. */
void fgti_follower_done(fgt_predictor *p);

/* ---- predictor_fold.c ---- */

/* Before a layer is planned: offers it the map before it, if this may be folded into its products. After
 * that: if the layer folds it, the layer gets one more input, the input of the map. */
void fgti_predictor_offer_fold(const fgt_model *m, fgti_layer *l);
void fgti_predictor_take_fold(fgti_layer *l);
/* After all layers are added: tells layers that need only one row of their output which row is read. */
void fgti_predictor_find_rows(const fgt_model *m);

/* ---- predictor_map.c ---- */

/* A hash of everything that determines the contents of the file; the weights are the model's, a slab of
 * `size`. */
uint64_t fgti_map_key(const fgt_predictor *p, const fgti_real *weights, int64_t size);
/* Maps the file, if it exists and has this key. Otherwise *found is false, and the file may be written.
 * FGT_E_FORMAT it is another kind of file; FGT_E_IO; FGT_E_NOMEM. */
fgt_status fgti_map_open(fgt_predictor *p, const char *path, uint64_t key, bool *found);
/* Writes the predictor's memory to the file. FGT_E_IO, FGT_E_NOMEM. */
fgt_status fgti_map_write(const fgt_predictor *p, const char *path, uint64_t key);
void       fgti_map_close(fgt_predictor *p);

#endif
