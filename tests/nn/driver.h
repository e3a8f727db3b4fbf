/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_NN_DRIVER_H
#define TESTS_NN_DRIVER_H

/* Parts that the tests of tests/nn share: a case with its model, its inputs and its results. Works in
 * float and, for the gradient checks, in double. */

#include <math.h>

#include "../helper.h"
#include "cases/cases.h"
#include "model/model_impl.h"
#include "nn/axis.h"

/* Everything drawn for a case, for its batch and time. */
typedef struct nn_data {
    fgti_real *x, *dy, *memory, *additive, *scale, *edges, *loss[NN_LOSSES];
    int64_t   *ids;
    int32_t   *padding, *blocked, *drop, *sampled;
    fgti_real *rotations;
} nn_data;

typedef struct nn_world {
    char         what[120]; /* class and case, for messages */
    nn_case      c;
    nn_data      d;
    bool         borrowed; /* d is another world's */
    test_memory  hook;
    int64_t      more_batch, more_time; /* planned beyond the case's */
    int32_t      threads;
    fgt_context *ctx;
    fgt_graph   *graph;
    fgt_model   *model;
    fgti_shape   in, out; /* of one sample */
    int64_t      y_count, x_count, memory_count; /* numbers in y, x and the value "memory" */
    fgti_real   *y, *dx, *dmemory;
    /* where layer i starts from in every pass; NULL: from what the library takes */
    fgti_real *start[NN_ALL_LAYERS][FGTI_MAX_STATES];
} nn_world;

/* Calls fn for every case of every class in the registry. */
void nn_each(void (*fn)(const char *cls, const nn_case *c));

/* Draws data, and says which case runs; nothing of the library is called yet. Zero *w first, then set
 * threads, more_batch, more_time as wanted. */
void nn_prepare(nn_world *w, const char *cls, const nn_case *c);
/* The same with data of another world, which keeps them. */
void nn_borrow(nn_world *w, const nn_world *from, const nn_case *c, const nn_data *d);
/* Building, step by step: context, graph, model, layers, side inputs. FGT_OK when all are done. */
int        nn_build_steps(const nn_world *w);
fgt_status nn_build_step(nn_world *w, int step);
/* All of them; anything but FGT_OK fails the test. */
void nn_build(nn_world *w);
void nn_close(nn_world *w);
/* prepare and build */
void nn_open(nn_world *w, const char *cls, const nn_case *c);

/* Passes of the whole case. nn_forward() repeats the same draws of dropout every time. */
fgt_status nn_forward(nn_world *w);
fgt_status nn_backward(nn_world *w);
fgt_status nn_predict(nn_world *w);
/* The views those take. */
fgt_view nn_x(const nn_world *w);
fgt_view nn_y(const nn_world *w, fgti_real *y);
fgt_view nn_dx(const nn_world *w);
/* The view of state k of layer i, and its name. */
fgt_view nn_state(const nn_world *w, int64_t i, int32_t k, fgti_real *data, char name[FGTI_NAME_MAX]);
/* Draws w->start for every state there is. */
void nn_draw_states(nn_world *w);
/* All side inputs to a model with the case's layers, or with ws to a workspace of it; building gives them to
 * w->model already. */
void nn_give(const nn_world *w, fgt_model *m, fgt_workspace *ws);
/* The gradient of a further loss, k < NN_LOSSES; data is NULL when the case has none. *value: what it is a
 * loss of, in the last pass. */
fgt_view nn_loss(const nn_world *w, int k, const fgti_real **value);

/* FGT_OK, or the test fails with the sentence. */
void nn_ok(const nn_world *w, fgt_status s);
/* max |a - b| <= tolerance * max(1, max |b|), or the test fails. */
void nn_close_to(const nn_world *w, const char *what, int64_t n, const fgti_real *a, const fgti_real *b,
                 double tolerance);
/* The same numbers (and so the same bits but for the sign of zero). */
void nn_same(const nn_world *w, const char *what, int64_t n, const fgti_real *a, const fgti_real *b);

/* calloc that ends the program without memory. */
void *nn_memory(int64_t count, size_t size);

#endif
