/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "nn/layer.h"

/* For a window of k tokens, let h = (k-1)/2. The first and the last token are repeated beyond the ends. So
 * the trend is
 *     m_t = 1/k sum_{|j-t| <= h} x_j + 1/k max(0, h-t) x_0 + 1/k max(0, t+h-(T-1)) x_{T-1}, 0 <= j < T
 * and the layer gives m, or x - m. The tokens are divided into blocks of k. A window covers the end of one
 * block and the beginning of the next block. So its sum is the sum of two partial sums: from a token to the
 * end of its block, and from the beginning of a block to a token. A running sum would be as fast, but would
 * carry every rounding error and each NaN to the end of the series. */

#define WINDOW  25 /* as in the Autoformer */
#define COLUMNS 64 /* features of a task */

static const fgti_opt moving_average_opts[] = {
    FGTI_FIELD(fgt_moving_average_opts, window, I64, 1, FGTI_OPT_SIZE_MAX, WINDOW),
    FGTI_FIELD(fgt_moving_average_opts, remove, BOOL, 0, 1, 0),
    FGTI_FIELD(fgt_moving_average_opts, reserved, BOOL, 0, 0, 0),
    {0},
};

static fgt_status moving_average_plan(fgt_context *ctx, fgti_layer *l)
{
    const fgt_moving_average_opts *o = l->opts;
    if (o->window % 2 == 0)
        return fgti_fail(&ctx->error, FGT_E_ARG,
                         "window is wrong (got %lld, need an odd number, so that it has a middle)",
                         (long long)o->window);
    return FGT_OK;
}

/* Some columns of one sequence; ld is the distance between rows. */
typedef struct columns {
    const fgti_vec  *vec;
    int64_t          time, n, ld, window, half;
    bool             remove;
    const fgti_real *x;
    fgti_real       *y;
    fgti_real       *before, *after; /* [time,n]: sums from the beginning of a block to a token, and from a
                                      * token to the end of its block */
} columns;

static int64_t moving_average_layout(int64_t time, fgti_real *base, columns *c)
{
    int64_t at = 0;
    c->before  = fgti_take(base, &at, fgti_mul(time, COLUMNS));
    c->after   = fgti_take(base, &at, fgti_mul(time, COLUMNS));
    return at;
}

static void moving_average_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    columns c;
    (void)l;
    (void)batch;
    need->arena = moving_average_layout(in.time, NULL, &c);
}

static void sum_blocks(const columns *c)
{
    const size_t bytes = (size_t)c->n * sizeof *c->y;
    for (int64_t t = 0; t < c->time; t++) {
        memcpy(c->before + t * c->n, c->x + t * c->ld, bytes);
        if (t % c->window) c->vec->axpy(c->n, 1, c->before + (t - 1) * c->n, c->before + t * c->n);
    }
    for (int64_t t = c->time - 1; t >= 0; t--) {
        memcpy(c->after + t * c->n, c->x + t * c->ld, bytes);
        if (t + 1 < c->time && (t + 1) % c->window)
            c->vec->axpy(c->n, 1, c->after + (t + 1) * c->n, c->after + t * c->n);
    }
}

/* y += a sum_{|j-t| <= h} x_j */
static void add_window(const columns *c, int64_t t, fgti_real a, fgti_real *y)
{
    const int64_t first = t > c->half ? t - c->half : 0;
    const int64_t last  = c->time - 1 - t > c->half ? t + c->half : c->time - 1;
    const bool    whole = first % c->window == 0; /* the window begins a block and lies in it */
    if (!whole) c->vec->axpy(c->n, a, c->after + first * c->n, y);
    if (whole || first / c->window != last / c->window) c->vec->axpy(c->n, a, c->before + last * c->n, y);
}

/* times_first() returns how often window t repeats the first token; times_last(), how often it repeats the
 * last token. */
static int64_t times_first(const columns *c, int64_t t)
{
    return c->half > t ? c->half - t : 0;
}

static int64_t times_last(const columns *c, int64_t t)
{
    return times_first(c, c->time - 1 - t);
}

/* Begins y: sets it to 0, or to x if the layer gives x - m. Returns the factor of the sums that are added to
 * y. */
static fgti_real moving_average_begin(const columns *c)
{
    const fgti_real part = (fgti_real)(1 / (double)c->window);
    for (int64_t t = 0; t < c->time; t++)
        if (c->remove)
            memcpy(c->y + t * c->ld, c->x + t * c->ld, (size_t)c->n * sizeof *c->y);
        else
            memset(c->y + t * c->ld, 0, (size_t)c->n * sizeof *c->y);
    sum_blocks(c);
    return c->remove ? -part : part;
}

static void forward_columns(const columns *c)
{
    const fgti_real  a    = moving_average_begin(c);
    const fgti_real *last = c->x + (c->time - 1) * c->ld;
    for (int64_t t = 0; t < c->time; t++) {
        fgti_real    *y = c->y + t * c->ld;
        const int64_t n = times_first(c, t), m = times_last(c, t);
        add_window(c, t, a, y);
        if (n) c->vec->axpy(c->n, a * (fgti_real)n, c->x, y);
        if (m) c->vec->axpy(c->n, a * (fgti_real)m, last, y);
    }
}

/* dx_j = 1/k sum_{|t-j| <= h} dm_t;  dx_0 += 1/k sum_t max(0, h-t) dm_t, and for the last token dx_{T-1} +=
 * 1/k sum_t max(0, t+h-(T-1)) dm_t */
static void backward_columns(const columns *c)
{
    const fgti_real a    = moving_average_begin(c);
    fgti_real      *last = c->y + (c->time - 1) * c->ld;
    for (int64_t t = 0; t < c->time; t++) {
        const fgti_real *dy = c->x + t * c->ld;
        const int64_t    n = times_first(c, t), m = times_last(c, t);
        add_window(c, t, a, c->y + t * c->ld);
        if (n) c->vec->axpy(c->n, a * (fgti_real)n, dy, c->y);
        if (m) c->vec->axpy(c->n, a * (fgti_real)m, dy, last);
    }
}

typedef struct pass {
    const fgti_io   *io;
    const fgti_real *x;
    fgti_real       *y;
    columns          c;
    void (*run)(const columns *c);
} pass;

static void column_task(void *arg, int64_t task, int32_t worker)
{
    const pass   *p     = arg;
    const int64_t width = p->io->in.width, parts = fgti_parts(width, COLUMNS);
    const int64_t first = task % parts * COLUMNS, at = task / parts * p->c.time * width + first;
    columns       c = p->c;
    c.n             = fgti_least(COLUMNS, width - first);
    c.x             = p->x + at;
    c.y             = p->y + at;
    moving_average_layout(c.time, fgti_worker_arena(p->io, worker), &c);
    p->run(&c);
}

static void run_pass(const fgti_run *run, const fgti_layer *l, const fgti_io *io, const fgti_real *x,
                     fgti_real *y, void (*each)(const columns *c))
{
    const fgt_moving_average_opts *o = l->opts;
    pass                           p = {.io  = io,
                                        .x   = x,
                                        .y   = y,
                                        .c   = {.vec    = run->vec,
                                                .time   = io->in.time,
                                                .ld     = io->in.width,
                                                .window = o->window,
                                                .half   = o->window / 2,
                                                .remove = o->remove},
                                        .run = each};
    fgti_parallel(run->exec, run->batch * io->in.nodes * fgti_parts(io->in.width, COLUMNS), column_task, &p);
}

static fgt_status moving_average_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    run_pass(run, l, io, io->x, io->y, forward_columns);
    return FGT_OK;
}

static fgt_status moving_average_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    if (io->dx) run_pass(run, l, io, io->dy, io->dx, backward_columns);
    return FGT_OK;
}

const fgti_class fgti_class_moving_average = {
    .name      = "moving_average",
    .opts      = moving_average_opts,
    .opts_size = sizeof(fgt_moving_average_opts),
    .plan      = moving_average_plan,
    .size      = moving_average_size,
    .forward   = moving_average_forward,
    .backward  = moving_average_backward,
};
