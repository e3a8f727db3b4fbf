/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATTENTION_STREAM_H
#define FGTI_ATTENTION_STREAM_H

/* Causal attention in a stream, token by token. With a causal mask, row t of A reads only the tokens 0 .. t,
 * and so does row t of A X. These rows do not change when more tokens follow. So a layer keeps its keys and
 * the rows of each X, and one more token costs one row of A and one row of each product.
 *
 * Sums are always taken key by key in the same order. So the result does not depend on the number of tokens
 * in a call. */

#include "nn/attention/attention_core.h"

/* The pasts of a layer with attention; FGTI_PAST_ROWS holds the rows of all X. */
enum { FGTI_PAST_KEYS, FGTI_PAST_PADDING, FGTI_PAST_ROWS };

/* One layer's attention in one call. */
typedef struct fgti_attention_stream {
    const fgti_run       *run;
    const fgti_io        *io;
    const fgti_attention *attention;    /* attention of the new tokens */
    const fgti_past      *past;         /* the pasts of the layer */
    int64_t               before, room; /* before: tokens of earlier calls; room: most tokens of the stream */
    /* Masks; NULL if they are not set. `padding` is for the new tokens. The other masks are for the whole
     * stream: `blocked` and `additive` are [side,side], `drop` is [side], and `diag_scale` is
     * [groups,heads,side] */
    const int32_t   *padding, *blocked, *drop;
    const fgti_real *additive, *diag_scale;
    int64_t          side_blocked, side_drop, side_scale;
} fgti_attention_stream;

/* Declares the pasts of a layer: the keys of `heads` heads, and `parts` matrices that A multiplies. */
void fgti_attention_stream_plan(fgti_layer *l, int64_t heads, int64_t keys, int64_t parts, int64_t rows);
/* Returns why a layer with this rule cannot step, or NULL if it can: for fgti_class.step_misfit. */
const char *fgti_attention_stream_misfit(const fgt_attention_rule *conf);
/* Returns the elements of a worker's arena: a row of A, and a sum of n columns. */
int64_t fgti_attention_stream_arena(int64_t room, int64_t n);

/* Call this function after fgti_attention_init(). It checks the masks, and adds keys and padding of the new
 * tokens to the pasts. */
fgt_status fgti_attention_stream_open(fgti_attention_stream *s, const fgti_attention *attention,
                                      const fgti_layer *l, const fgti_run *run, const fgti_io *io);

/* Calls fn for each group and head. The workers share the calls. */
typedef void (*fgti_stream_fn)(const fgti_attention_stream *s, const void *user, int64_t g, int64_t h,
                               fgti_real *arena);
void fgti_attention_stream_each(const fgti_attention_stream *s, fgti_stream_fn fn, const void *user);

/* Computes in `a` the row of A of new token i, with an element for each token up to token i. Returns the
 * number of elements. */
int64_t fgti_attention_stream_row(const fgti_attention_stream *s, int64_t g, int64_t h, int64_t i,
                                  fgti_real *a);
/* Returns the memory of the sum in an arena. */
fgti_real *fgti_attention_stream_sum(const fgti_attention_stream *s, fgti_real *arena);
/* Computes sum = sum over `keys` tokens s of a_s x_s, where x is a part of the rows of group g. Writes whole
 * registers. */
void fgti_attention_stream_multiply(const fgti_attention_stream *s, int64_t keys, const fgti_real *a,
                                    int64_t g, int64_t part, fgti_real *sum);
/* Returns token t of a part of past k, in group g. */
static inline fgti_real *fgti_past_row(const fgti_attention_stream *s, int k, int64_t g, int64_t part,
                                       int64_t t)
{
    const fgti_past *p = &s->past[k];
    return s->io->past[k] + ((g * p->parts + part) * s->room + t) * p->width;
}
/* Adds the new tokens to the first parts of past k. x [groups,T,parts width] has the parts side by side, and
 * its rows are at distance ld. */
void fgti_attention_stream_keep(const fgti_attention_stream *s, int k, int64_t parts, const fgti_real *x,
                                int64_t ld);

#endif
