/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/axis.h"

#include <string.h>

fgt_status fgti_axis_check(fgti_error *err, const fgti_class *cls)
{
    if (!cls->ids && !cls->is_value && !cls->joins && !cls->peer) return FGT_OK;
    return fgti_fail(err, FGT_E_UNSUPPORTED, "fgt_along() cannot be used with a layer of this type");
}

/* ---- copies ---- */

/* A copy of [B,rows,columns,D] to [B,columns,rows,D]. */
typedef struct turn {
    int64_t          rows, columns, d;
    const fgti_real *from;
    fgti_real       *to;
} turn;

static void turn_task(void *arg, int64_t i, int32_t worker)
{
    const turn      *p    = arg;
    const int64_t    line = p->columns * p->d;
    const fgti_real *from = p->from + i / p->columns * p->rows * line + i % p->columns * p->d;
    fgti_real       *to   = p->to + i * p->rows * p->d;
    (void)worker;
    for (int64_t r = 0; r < p->rows; r++) memcpy(to + r * p->d, from + r * line, (size_t)p->d * sizeof *to);
}

/* Copies a tensor of the model into the order of axes of the class. In this order the tensor has the shape
 * s. */
static void to_class(const fgti_run *run, fgti_shape s, const fgti_real *from, fgti_real *to)
{
    turn p = {.rows = s.time, .columns = s.nodes, .d = s.width, .from = from, .to = to};
    fgti_parallel(run->exec, run->batch * s.nodes, turn_task, &p);
}

static void to_model(const fgti_run *run, fgti_shape s, const fgti_real *from, fgti_real *to)
{
    turn p = {.rows = s.nodes, .columns = s.time, .d = s.width, .from = from, .to = to};
    fgti_parallel(run->exec, run->batch * s.time, turn_task, &p);
}

/* ---- memory: the copies come after the scratch of the class ---- */

static bool copies(const fgti_layer *l)
{
    return l->axis != FGT_AXIS_TIME && !l->cls->strided;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t class_scratch(const fgti_layer *l, int64_t batch, bool backward)
{
    fgti_need need = {0};
    if (l->cls->size) l->cls->size(l, batch, l->in, &need);
    return backward ? larger(need.scratch, need.backward) : need.scratch;
}

void fgti_axis_size(const fgti_layer *l, int64_t batch, fgti_need *need)
{
    if (!copies(l)) return;
    need->backward = larger(need->scratch, need->backward);
    for (int32_t k = 0; k < l->inputs; k++) {
        const int64_t n = fgti_elements(batch, l->input[k].shape);
        fgti_take(NULL, &need->scratch, n);
        for (int i = 0; i < 2; i++) fgti_take(NULL, &need->backward, n); /* x, dx */
    }
    fgti_take(NULL, &need->scratch, fgti_elements(batch, l->out));
    for (int i = 0; i < 2; i++) fgti_take(NULL, &need->backward, fgti_elements(batch, l->out)); /* y, dy */
}

/* Returns io with copies instead of the model's tensors. `input` has room for all inputs of the layer. */
static fgti_io copy_in(const fgti_run *run, const fgti_layer *l, const fgti_io *io, fgti_operand *input)
{
    fgti_io mine = *io;
    int64_t at   = class_scratch(l, run->batch, io->dy);
    for (int32_t k = 0; k < l->inputs; k++) {
        const fgti_operand *in = &io->input[k];
        const int64_t       n  = fgti_elements(run->batch, in->shape);
        fgti_real          *x = fgti_take(io->scratch, &at, n), *dx = NULL;
        if (io->dy) dx = fgti_take(io->scratch, &at, n);
        to_class(run, in->shape, in->x, x);
        input[k] = (fgti_operand){.shape = in->shape, .x = x, .dx = in->dx ? dx : NULL};
    }
    mine.input = input;
    mine.x     = input->x;
    mine.dx    = input->dx;
    mine.y     = fgti_take(io->scratch, &at, fgti_elements(run->batch, io->out));
    if (!io->dy) return mine;
    mine.dy = fgti_take(io->scratch, &at, fgti_elements(run->batch, io->out));
    to_class(run, io->out, io->y, mine.y);
    to_class(run, io->out, io->dy, mine.dy);
    return mine;
}

/* ---- passes ---- */

fgt_status fgti_axis_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    fgti_operand input[FGTI_INPUTS_MAX];
    if (!copies(l)) return l->cls->forward(run, l, io);
    const fgti_io mine = copy_in(run, l, io, input);
    FGTI_TRY(l->cls->forward(run, l, &mine));
    to_model(run, io->out, mine.y, io->y);
    return FGT_OK;
}

fgt_status fgti_axis_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    fgti_operand input[FGTI_INPUTS_MAX];
    if (!copies(l)) return l->cls->backward(run, l, io);
    const fgti_io mine = copy_in(run, l, io, input);
    FGTI_TRY(l->cls->backward(run, l, &mine));
    for (int32_t k = 0; k < l->inputs; k++)
        if (io->input[k].dx) to_model(run, io->input[k].shape, input[k].dx, io->input[k].dx);
    return FGT_OK;
}

fgt_status fgti_axis_adjacency(const fgti_run *run, const fgti_layer *l, const fgti_io *io, int64_t shape[4],
                               fgti_real *a)
{
    fgti_operand input[FGTI_INPUTS_MAX];
    if (!copies(l) || !a) return l->cls->adjacency(run, l, io, shape, a);
    const fgti_io mine = copy_in(run, l, io, input);
    return l->cls->adjacency(run, l, &mine, shape, a);
}
