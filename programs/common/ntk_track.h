/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NTK_TRACK_H
#define NTK_TRACK_H

/* The tangent kernel of a model on a few inputs (ntk.h), before training and after each epoch. */

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <fighter/experimental/ntk.h>

typedef struct ntk_track {
    fgt_context *ctx;
    fgt_ntk     *ntk;
    int64_t      inputs, capacity; /* M; number of kernels that fit into `kernels` */
    int64_t      count;        /* kernels so far; kernel i is the one after i epochs */
    double      *kernels;      /* [capacity,M,M] */
    double       smoothness;   /* of the loss (ntk.h) */
    double      *rates;        /* [capacity]: rates of Proposition 4 */
} ntk_track;

/* Allocates memory for `epochs` epochs of a model on x [M,...], and computes the first kernel. smoothness: of
 * the loss. On error prints a message and returns false. Call ntk_track_done() even after an error. */
bool ntk_track_start(ntk_track *t, fgt_context *ctx, fgt_model *model, const fgt_view *x, double smoothness,
                     int64_t epochs);
/* Computes the kernel after an epoch. */
bool ntk_track_step(ntk_track *t);
void ntk_track_done(ntk_track *t);

/* |K_i - K_j| / |K_j|, Frobenius */
double ntk_track_distance(const ntk_track *t, int64_t i, int64_t j);
/* Adds the list "ntk": for each kernel its norm, its distances to the previous and to the last kernel, and
 * the learning rate of Proposition 4. */
void ntk_track_report(const ntk_track *t, json_t *object);

/* ---- ntk_plot.c, or no_ntk_plot.c without cairo ---- */

/* Checks that a plot can be written to this path. On error prints a message and returns false. */
bool ntk_plot_check(const char *path);
bool ntk_plot_write(const ntk_track *t, const char *title, const char *path);

#endif
