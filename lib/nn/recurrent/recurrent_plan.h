/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RECURRENT_PLAN_H
#define FGTI_RECURRENT_PLAN_H

/* The options, cells, parameters, states and shapes of the recurrent layers. */

#include "nn/layer.h"

/* Most stacked layers. There is a limit because the number of a stacked layer is a part of random streams. */
#define FGTI_RECURRENT_LAYERS 64

/* The options that the three classes have in common. */
typedef struct fgti_recurrent_conf {
    int64_t hidden, layers;
    int64_t dirs; /* directions: 1 or 2 */
    bool    no_bias, last;
    double  dropout;
    bool    relu; /* rnn: the activation is relu instead of tanh */
} fgti_recurrent_conf;

/* The rows of the tables of options of the three classes. nonlinearities: number of enumerators that the cell
 * has. */
#define FGTI_RECURRENT_FIELDS(nonlinearities)                                             \
    FGTI_FIELD(fgt_recurrent_opts, hidden, I64, 1, FGTI_OPT_SIZE_MAX, FGTI_OPT_REQUIRED), \
        FGTI_FIELD(fgt_recurrent_opts, layers, I64, 1, FGTI_RECURRENT_LAYERS, 1),         \
        FGTI_FIELD(fgt_recurrent_opts, bidirectional, BOOL, 0, 1, 0),                     \
        FGTI_FIELD(fgt_recurrent_opts, no_bias, BOOL, 0, 1, 0),                           \
        FGTI_FIELD(fgt_recurrent_opts, last, BOOL, 0, 1, 0),                              \
        FGTI_FIELD(fgt_recurrent_opts, dropout, F32, 0, 0.999, 0),                        \
        FGTI_FIELD(fgt_recurrent_opts, nonlinearity, ENUM, 0, (nonlinearities)-1, 0),     \
        FGTI_FIELD(fgt_recurrent_opts, reserved, BOOL, 0, 0, 0)

typedef struct fgti_recurrent_cell {
    fgti_cell_kind kind;
    /* gates is the width of the rows of W, and slots the width of the values kept for a step, both in units
     * of H. The gru has one slot more than gates, because its last gate needs U h separate from W x. In the
     * backward pass this slot holds the gradient of U h. */
    int64_t gates, slots;
    bool    has_c; /* has the second state c */
} fgti_recurrent_cell;

/* The parameters of one direction of a stacked layer, in the order in which they are declared. The option
 * no_bias leaves out the biases. */
enum { FGTI_W_IH, FGTI_W_HH, FGTI_B_IH, FGTI_B_HH };

static inline const fgti_recurrent_cell *fgti_cell_of(const fgti_layer *l)
{
    return l->cls->detail;
}

static inline fgti_recurrent_conf fgti_recurrent_conf_of(const fgti_layer *l)
{
    const fgt_recurrent_opts *o = l->opts;
    return (fgti_recurrent_conf){.hidden  = o->hidden,
                                 .layers  = o->layers,
                                 .dirs    = o->bidirectional ? 2 : 1,
                                 .no_bias = o->no_bias,
                                 .last    = o->last,
                                 .dropout = o->dropout,
                                 .relu    = o->nonlinearity == FGT_RNN_NONLINEARITY_RELU};
}

/* Returns the number of a parameter in the layer. */
static inline int fgti_recurrent_param(const fgti_recurrent_conf *o, int64_t layer, int64_t d, int which)
{
    return (int)(layer * o->dirs + d) * (o->no_bias ? 2 : 4) + which;
}

fgt_status fgti_recurrent_plan(fgt_context *ctx, fgti_layer *l);
double     fgti_recurrent_flops(const fgti_layer *l, int64_t batch, fgti_shape in);
fgt_status fgti_recurrent_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out);

#endif
