/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NTK_TRACK_H
#define NTK_TRACK_H

/* Records the tangent kernel of a model on a few inputs (ntk.h): before training and after each epoch. */

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <fighter/experimental/ntk.h>

typedef struct ntk_track {
    fgt_context *ctx;
    fgt_ntk     *ntk;
    int64_t      inputs, capacity; /* inputs: M; capacity: number of kernels that fit into `kernels` */
    int64_t      count;            /* number of kernels so far; kernel i is computed after i epochs */
    double      *kernels;          /* [capacity,M,M] */
    double       smoothness;       /* smoothness of the loss (ntk.h) */
    double      *rates;            /* [capacity]: learning rates by Proposition 4 */
} ntk_track;

/* Allocates memory for `epochs` epochs and computes the first kernel, of the model on the inputs x [M,...].
 * `smoothness` is a constant of the loss (ntk.h). On error prints a message and returns false. Call
 * ntk_track_done() even after an error. */
bool ntk_track_start(ntk_track *t, fgt_context *ctx, fgt_model *model, const fgt_view *x, double smoothness,
                     int64_t epochs);
/* Computes the next kernel; call it after each epoch. */
bool ntk_track_step(ntk_track *t);
void ntk_track_done(ntk_track *t);

/* The relative distance |K_i - K_j| / |K_j| of two kernels, in Frobenius norms. */
double ntk_track_distance(const ntk_track *t, int64_t i, int64_t j);
/* Adds the list "ntk" to the object. It has four numbers for each kernel: the norm, the distances to the
 * previous and to the last kernel, and the learning rate of Proposition 4. */
void ntk_track_report(const ntk_track *t, json_t *object);

/* ---- ntk_plot.c, or no_ntk_plot.c without cairo ---- */

/* Checks that a plot can be written to this path. On error prints a message and returns false. */
bool ntk_plot_check(const char *path);
bool ntk_plot_write(const ntk_track *t, const char *title, const char *path);

#endif
