/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "nn/layer.h"

enum { KINDS = 4 }; /* number of enumerators */
_Static_assert(FGT_POSITION_GRID == KINDS - 1, "count of enumerators");

static const fgti_opt position_opts[] = {
    FGTI_FIELD(fgt_position_opts, max_time, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_position_opts, kind, ENUM, 0, KINDS - 1, 0),
    FGTI_FIELD(fgt_position_opts, init, F32, 1e-9, 1e3, 0.02),
    FGTI_FIELD(fgt_position_opts, columns, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    FGTI_FIELD(fgt_position_opts, prefix, I64, 0, FGTI_OPT_SIZE_MAX, 0),
    {0},
};

/* Most elements of a table that is computed, because a small file may claim any number of tokens and
 * features. */
#define TABLE_MOST (INT64_C(1) << 28)

static fgt_status new_table(fgt_context *ctx, fgti_layer *l)
{
    const int64_t count = fgti_mul(l->in.time, l->in.width);
    if (count > TABLE_MOST)
        return fgti_fail(&ctx->error, FGT_E_SIZE,
                         "a table of positions for %lld tokens of %lld features is too large (at most %lld "
                         "numbers)",
                         (long long)l->in.time, (long long)l->in.width, (long long)TABLE_MOST);
    return FGTI_NEW(ctx, count, "positional encoding", &l->table);
}

/* table[t,2i] = sin(t w_i s) and table[t,2i+1] = cos(t w_i s), where w_i = 10000^(-2i/D), and s is 1, or
 * D/max_time for tape. If D is odd, the last column is a sine. The table has only as many rows as the planned
 * tokens, because max_time may be any number in a file. */
static fgt_status fill_table(fgt_context *ctx, fgti_layer *l, double s)
{
    const int64_t d = l->in.width, rows = l->in.time;
    FGTI_TRY(new_table(ctx, l));
    for (int64_t t = 0; t < rows; t++)
        for (int64_t j = 0; j < d; j++) {
            const double angle  = (double)t * pow(10000.0, -(double)(j - j % 2) / (double)d) * s;
            l->table[t * d + j] = (fgti_real)(j % 2 ? cos(angle) : sin(angle));
        }
    return FGT_OK;
}

/* With q = D/4 and w_i = 10000^(-i/q): table[prefix + r W + c] = [sin(c w) cos(c w) sin(r w) cos(r w)], each
 * part of q elements. The first `prefix` rows are zero. */
static fgt_status fill_grid(fgt_context *ctx, fgti_layer *l)
{
    const fgt_position_opts *o = l->opts;
    const int64_t            d = l->in.width, q = d / 4, rows = l->in.time;
    FGTI_TRY(new_table(ctx, l));
    for (int64_t t = o->prefix; t < rows; t++)
        for (int64_t j = 0; j < d; j++) {
            const int64_t place = t - o->prefix, at = j < 2 * q ? place % o->columns : place / o->columns;
            const double  angle = (double)at * pow(10000.0, -(double)(j % q) / (double)q);
            l->table[t * d + j] = (fgti_real)(j / q % 2 ? cos(angle) : sin(angle));
        }
    return FGT_OK;
}

static fgt_status plan_grid(fgt_context *ctx, fgti_layer *l)
{
    const fgt_position_opts *o = l->opts;
    if (!o->columns) return fgti_fail(&ctx->error, FGT_E_ARG, "FGT_POSITION_GRID needs columns");
    if (l->in.width % 4)
        return fgti_fail(&ctx->error, FGT_E_SHAPE,
                         "positions in a grid: wrong number of features (got %lld, need a multiple of 4)",
                         (long long)l->in.width);
    if (l->in.time <= o->prefix || (l->in.time - o->prefix) % o->columns)
        return fgti_fail(&ctx->error, FGT_E_SHAPE,
                         "%lld tokens do not fit the grid: need prefix (%lld) and full rows "
                         "of columns (%lld)",
                         (long long)l->in.time, (long long)o->prefix, (long long)o->columns);
    return fill_grid(ctx, l);
}

static fgt_status position_plan(fgt_context *ctx, fgti_layer *l)
{
    fgt_position_opts *o = l->opts;
    const int64_t      d = l->in.width;
    const bool         sized = o->kind == FGT_POSITION_LEARNED || o->kind == FGT_POSITION_TAPE;
    /* the other tables do not depend on max_time, so a file may be loaded with a larger time */
    if (o->max_time < l->in.time && !(sized && o->max_time)) o->max_time = l->in.time;
    if (o->max_time < l->in.time)
        return fgti_fail(&ctx->error, FGT_E_ARG,
                         "max_time is out of range (got %lld, need at least the model's %lld tokens)",
                         (long long)o->max_time, (long long)l->in.time);
    if (o->kind == FGT_POSITION_GRID) return plan_grid(ctx, l);
    if (o->columns || o->prefix)
        return fgti_fail(&ctx->error, FGT_E_ARG, "columns and prefix are only for FGT_POSITION_GRID");
    if (o->kind == FGT_POSITION_LEARNED)
        return fgti_param_add(ctx, l, "table", 2, (int64_t[]){o->max_time, d}, FGTI_INIT_NORMAL, o->init);
    return fill_table(ctx, l, o->kind == FGT_POSITION_TAPE ? (double)d / (double)o->max_time : 1);
}

/* The grid of a pass must have the planned size: in a grid of another size, tokens would be in other
 * columns. */
static fgt_status position_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    const fgt_position_opts *o = l->opts;
    *out                       = in;
    if (o->kind != FGT_POSITION_GRID || in.time == l->in.time) return FGT_OK;
    return fgti_fail(err, FGT_E_SHAPE,
                     "the input has the wrong number of tokens (got %lld, need %lld as the grid)",
                     (long long)in.time, (long long)l->in.time);
}

/* Rows in a task. */
#define ROWS 64

typedef struct addition {
    const fgti_vec  *vec;
    int64_t          time, d;
    const fgti_real *x, *table;
    fgti_real       *y;
} addition;

static void position_forward_task(void *arg, int64_t task, int32_t worker)
{
    const addition *j     = arg;
    const int64_t   parts = fgti_parts(j->time, ROWS), t = task % parts * ROWS;
    const int64_t   first = (task / parts * j->time + t) * j->d, n = fgti_least(ROWS, j->time - t) * j->d;
    (void)worker;
    j->vec->scale_add(n, 1, j->x + first, j->table + t * j->d, j->y + first);
}

/* y[t] = x[t] + table[t] */
static fgt_status position_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    addition j = {.vec   = run->vec,
                  .time  = io->in.time,
                  .d     = io->in.width,
                  .x     = io->x,
                  .y     = io->y,
                  .table = l->params ? fgti_w(l, io, 0) : l->table};
    if (run->stream) j.table += run->stream->tokens * j.d;
    fgti_parallel(run->exec, run->batch * io->in.nodes * fgti_parts(j.time, ROWS), position_forward_task, &j);
    return FGT_OK;
}

/* dx = dy,  dtable[t] += sum over samples of dy[t]: a column sum of [B N, T D] */
static fgt_status position_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    const int64_t groups = run->batch * io->in.nodes, n = io->in.time * io->in.width;
    if (l->params) fgti_column_sum(run, groups, n, n, io->dy, fgti_dw(l, io, 0));
    if (io->dx) fgti_copy(run, groups * n, io->dy, io->dx);
    return FGT_OK;
}

static const char *position_step_misfit(const fgti_layer *l, int64_t room)
{
    const fgt_position_opts *o = l->opts;
    if (o->kind == FGT_POSITION_GRID) return "numbers the cells of a grid";
    if (room <= (l->params ? o->max_time : l->in.time)) return NULL;
    return "has fewer positions than the stream may have tokens";
}

const fgti_class fgti_class_position = {
    .name      = "position",
    .opts      = position_opts,
    .opts_size = sizeof(fgt_position_opts),
    .streams   = true,
    .plan      = position_plan,
    .shape     = position_shape,
    .step_misfit = position_step_misfit,
    .forward   = position_forward,
    .backward  = position_backward,
};
