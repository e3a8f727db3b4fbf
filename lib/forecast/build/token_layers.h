/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TOKEN_LAYERS_H
#define FGTI_TOKEN_LAYERS_H

/* The trained layers of a forecaster: x [B,L,D] -> [B,H,D], and with quantiles [B,Q H,D]. In token_layers.c
 * the comment beside a layer is the shape of its output. There P is the number of patches and E the width of
 * a token. */

#include <stdbool.h>

#include <fighter/forecast.h>

/* Names of two layers with the usual values of each series: in the rows of a window, [B,L,D], and in the rows
 * of its forecast, [B,H,D]; NULL: no profile. */
typedef struct fgti_profile {
    const char *before, *future;
    int64_t     known; /* K, the width of the inputs FGTI_KNOWN_BEFORE and FGTI_KNOWN; 0: no known values */
    int32_t     times_of_day, days_of_week; /* numbers of times that have learned vectors; 0: no vectors */
} fgti_profile;

/* Adds a layer `name` with the rows of *from that the trained layers read, and sets *from to this layer. If
 * they read all rows, no layer is added. */
fgt_status fgti_add_recent(fgt_model *m, const fgt_forecaster_opts *o, const char *name, const char **from);

/* Adds the trained layers after the last layer of the model. The last layer added is "to_time"; the last map
 * is "head", or a layer that fgti_decoder_is_last() knows. Tokens of time do not use a profile. */
fgt_status fgti_add_token_layers(fgt_model *m, const fgt_forecaster_opts *o, int64_t columns,
                                 const fgt_graph *graph, const fgti_profile *profile);

/* Whether a parameter belongs to a last map. */
bool fgti_is_last_map(const char *parameter);

/* Whether the block reads one token after another. */
bool fgti_reads_in_order(const fgt_forecaster_opts *o);

/* Add a named layer: a linear map, a layout, a further input [B,rows,width]. */
fgt_status fgti_add_linear(fgt_model *m, const char *name, int64_t out);
fgt_status fgti_add_layout(fgt_model *m, const char *name, fgt_layout_kind kind);
fgt_status fgti_add_input(fgt_model *m, const char *name, int64_t rows, int64_t width);

#endif
