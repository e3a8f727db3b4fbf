/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATTENTION_STREAM_H
#define FGTI_ATTENTION_STREAM_H

/* Causal attention in a stream, one token after the other. With a causal mask row t of A reads tokens 0 .. t
 * alone, and so does row t of A X. So neither changes when tokens follow: a layer keeps its keys and the rows
 * of each X, and one more token costs one row of A and of each product.
 *
 * Sums have one order, key after key, whatever number of tokens comes with a call. */

#include "nn/attention/attention_core.h"

/* The pasts of a layer with attention; FGTI_PAST_ROWS has the X. */
enum { FGTI_PAST_KEYS, FGTI_PAST_PADDING, FGTI_PAST_ROWS };

/* One layer's attention in one call. */
typedef struct fgti_attention_stream {
    const fgti_run       *run;
    const fgti_io        *io;
    const fgti_attention *attention;    /* of the new tokens */
    const fgti_past      *past;         /* the layer's */
    int64_t               before, room; /* tokens */
    /* masks, NULL where not set: of the new tokens; of the whole stream, [side,side], [side] and
     * [groups,heads,side] */
    const int32_t   *padding, *blocked, *drop;
    const fgti_real *additive, *diag_scale;
    int64_t          side_blocked, side_drop, side_scale;
} fgti_attention_stream;

/* Declares the pasts of a layer: keys of so many heads, and of the rows that A multiplies so many parts. */
void fgti_attention_stream_plan(fgti_layer *l, int64_t heads, int64_t keys, int64_t parts, int64_t rows);
/* Why such a layer cannot step, or NULL: for fgti_class.step_misfit. */
const char *fgti_attention_stream_misfit(const fgti_attention_conf *conf);
/* Elements of a worker's arena: a row of A, and a sum of n columns. */
int64_t fgti_attention_stream_arena(int64_t room, int64_t n);

/* After fgti_attention_init(): checks the masks, and adds keys and padding of the new tokens to the pasts. */
fgt_status fgti_attention_stream_open(fgti_attention_stream *s, const fgti_attention *attention,
                                      const fgti_layer *l, const fgti_run *run, const fgti_io *io);

/* Calls fn for each group and head, shared among the workers. */
typedef void (*fgti_stream_fn)(const fgti_attention_stream *s, const void *user, int64_t g, int64_t h,
                               fgti_real *arena);
void fgti_attention_stream_each(const fgti_attention_stream *s, fgti_stream_fn fn, const void *user);

/* Row of A of new token i, in a, for all tokens up to itself. Returns their number. */
int64_t fgti_attention_stream_row(const fgti_attention_stream *s, int64_t g, int64_t h, int64_t i,
                                  fgti_real *a);
/* Where the sum stands in an arena. */
fgti_real *fgti_attention_stream_sum(const fgti_attention_stream *s, fgti_real *arena);
/* sum = sum over `keys` tokens of a_s x_s, x being a part of the rows, in group g; whole registers are
 * written. */
void fgti_attention_stream_multiply(const fgti_attention_stream *s, int64_t keys, const fgti_real *a,
                                    int64_t g, int64_t part, fgti_real *sum);
/* Token t of a part of past k, in group g. */
static inline fgti_real *fgti_past_row(const fgti_attention_stream *s, int k, int64_t g, int64_t part,
                                       int64_t t)
{
    const fgti_past *p = &s->past[k];
    return s->io->past[k] + ((g * p->parts + part) * s->room + t) * p->width;
}
/* Adds the new tokens to the first parts of past k, side by side in x [groups,T,parts width] at distance ld.
 * */
void fgti_attention_stream_keep(const fgti_attention_stream *s, int k, int64_t parts, const fgti_real *x,
                                int64_t ld);

#endif
