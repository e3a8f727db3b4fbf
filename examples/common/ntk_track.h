/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NTK_TRACK_H
#define NTK_TRACK_H

/* The tangent kernel of a model on a few inputs (ntk.h) before a training and after each of its epochs. */

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <fighter/ntk.h>

typedef struct ntk_track {
    fgt_context *ctx;
    fgt_ntk     *ntk;
    int64_t      inputs, capacity; /* M; kernels that fit into `kernels` */
    int64_t      count;        /* kernels so far; kernel i is that after i epochs */
    double      *kernels;      /* [capacity,M,M] */
} ntk_track;

/* Follows a model on x [M,...] for so many epochs, and takes the first kernel. false after a sentence;
 * ntk_track_done() is due even then. */
bool ntk_track_start(ntk_track *t, fgt_context *ctx, fgt_model *model, const fgt_view *x, int64_t epochs);
/* After an epoch. */
bool ntk_track_step(ntk_track *t);
void ntk_track_done(ntk_track *t);

/* |K_i - K_j| / |K_j|, Frobenius */
double ntk_track_distance(const ntk_track *t, int64_t i, int64_t j);
/* Adds the list "ntk": of each kernel its norm, its distance to the one before and to the last. */
void ntk_track_report(const ntk_track *t, json_t *object);

/* ---- ntk_plot.c, or no_ntk_plot.c without cairo ---- */

/* Whether a plot can be made there; false after a sentence. */
bool ntk_plot_check(const char *path);
bool ntk_plot_write(const ntk_track *t, const char *title, const char *path);

#endif
