/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "nn/layer.h"

enum { KINDS = 4 }; /* number of enumerators */
_Static_assert(FGT_LAYOUT_TOKENS == KINDS - 1, "count of enumerators");

static const fgti_opt layout_opts[] = {
    FGTI_FIELD(fgt_layout_opts, kind, ENUM, 0, KINDS - 1, 0),
    FGTI_FIELD(fgt_layout_opts, reserved, BOOL, 0, 0, 0),
    {0},
};

static fgt_status layout_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    const fgt_layout_opts *o = l->opts;
    switch (o->kind) {
    case FGT_LAYOUT_SWAP: *out = (fgti_shape){in.nodes, in.width, in.time}; break;
    case FGT_LAYOUT_FLATTEN: *out = (fgti_shape){in.nodes, 1, fgti_mul(in.time, in.width)}; break;
    case FGT_LAYOUT_TOKENS: *out = (fgti_shape){1, fgti_mul(in.nodes, in.time), in.width}; break;
    default:
        if (in.time != 1)
            return fgti_fail(err, FGT_E_SHAPE,
                             "merge: wrong number of tokens for each node (got %lld, need 1)",
                             (long long)in.time);
        *out = (fgti_shape){1, in.width, in.nodes};
    }
    return FGT_OK;
}

typedef struct transposes {
    const fgti_vec  *vec;
    int64_t          rows, cols; /* rows and columns of one matrix before it is transposed */
    const fgti_real *in;
    fgti_real       *out;
} transposes;

static void transpose_task(void *arg, int64_t i, int32_t worker)
{
    const transposes *p = arg;
    const int64_t     n = p->rows * p->cols;
    (void)worker;
    p->vec->transpose(p->rows, p->cols, p->in + i * n, p->cols, p->out + i * n, p->rows);
}

/* SWAP transposes [T,D] of every node, MERGE transposes [N,D] of every sample, FLATTEN and TOKENS copy. */
static void rearrange(const fgti_run *run, const fgti_layer *l, fgti_shape s, bool back, const fgti_real *in,
                      fgti_real *out)
{
    const fgt_layout_opts *o = l->opts;
    if (o->kind == FGT_LAYOUT_FLATTEN || o->kind == FGT_LAYOUT_TOKENS) {
        memcpy(out, in, (size_t)fgti_elements(run->batch, s) * sizeof *out);
        return;
    }
    const bool    swap = o->kind == FGT_LAYOUT_SWAP;
    const int64_t n    = swap ? s.time : s.nodes;
    transposes    p    = {.vec = run->vec, .rows = n, .cols = s.width, .in = in, .out = out};
    if (back) {
        p.rows = s.width;
        p.cols = n;
    }
    fgti_parallel(run->exec, swap ? run->batch * s.nodes : run->batch, transpose_task, &p);
}

static fgt_status layout_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    rearrange(run, l, io->in, false, io->x, io->y);
    return FGT_OK;
}

static fgt_status layout_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    if (io->dx) rearrange(run, l, io->in, true, io->dy, io->dx);
    return FGT_OK;
}

const fgti_class fgti_class_layout = {
    .name      = "layout",
    .opts      = layout_opts,
    .opts_size = sizeof(fgt_layout_opts),
    .shape     = layout_shape,
    .forward   = layout_forward,
    .backward  = layout_backward,
};
