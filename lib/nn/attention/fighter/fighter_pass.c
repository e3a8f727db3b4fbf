/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/attention/fighter/fighter_pass.h"

#include <string.h>

#include "nn/attention/attender/attender_table.h"

#define NORM_EPS 1e-5 /* as in the paper's code and PyTorch */

bool fgti_fighter_shares_keys(const fgt_fighter_opts *o)
{
    return fgti_attender_get(o->attention.attender)->shared;
}

int64_t fgti_fighter_query_columns(const fgt_fighter_opts *o)
{
    return fgti_fighter_shares_keys(o) ? o->attn : fgti_mul(2, o->attn);
}

static fgti_fighter_params params_of(const fgt_fighter_opts *o)
{
    int                 i = 0;
    fgti_fighter_params p;
    p.wq     = i++;
    p.bq     = o->no_bias ? -1 : i++;
    p.wk     = fgti_fighter_shares_keys(o) ? -1 : i++;
    p.bk     = fgti_fighter_shares_keys(o) || o->no_bias ? -1 : i++;
    p.hop    = i++;
    p.bias   = o->no_bias ? -1 : i++;
    p.norm_w = o->norm ? i++ : -1;
    p.norm_b = o->norm ? i++ : -1;
    p.wo     = o->project ? i++ : -1;
    p.bo     = o->project && !o->no_bias ? i++ : -1;
    return p;
}

void fgti_fighter_set(fgti_fighter_pass *p, const fgti_layer *l, int64_t batch, fgti_shape in)
{
    const fgt_fighter_opts   *o    = l->opts;
    const fgt_attention_rule  conf = fgti_attender_rule(&o->attention);
    p->l                           = l;
    p->o                           = o;
    p->param                       = params_of(o);
    p->rows                        = fgti_rows(batch, in);
    p->d                           = in.width;
    p->h                           = o->out;
    p->chain.attender              = fgti_attender_get(conf.attender);
    p->chain.products              = o->hops - 1;
    p->chain.constants             = l->table;
    fgti_attention_set(&p->chain.attention, &conf, l, batch, in.nodes, o->heads, in.time, in.time,
                       o->attn / o->heads);
}

int64_t fgti_fighter_columns(const fgt_fighter_opts *o, int64_t powers)
{
    return fgti_fighter_query_columns(o) + fgti_mul(powers, o->out);
}

void fgti_fighter_set_fold(const fgti_fighter_pass *p, fgti_fold *fold)
{
    fgti_fold_set(fold, p->l, fgti_fighter_columns(p->o, p->o->hops), p->o->norm ? NORM_EPS : 0);
}

/* Returns the number of the first random draw of a row. Dropout counts the elements of each row from a
 * multiple of 4. */
static int64_t first_draw(const fgti_fighter_pass *p, int64_t row)
{
    return row * fgti_round_up(p->h, 4);
}

fgt_status fgti_fighter_open(fgti_fighter_pass *p, const fgti_run *run, const fgti_layer *l,
                             const fgti_io *io)
{
    *p = (fgti_fighter_pass){.run = run, .io = io};
    fgti_fighter_set(p, l, run->batch, io->in);
    p->tail = fgti_tail_of(run, l, p->o->act, p->o->dropout, FGTI_DRAW_OUTPUT);
    fgti_tail_skip(&p->tail, run, l, p->o->drop_path, FGTI_DRAW_OUTPUT,
                   first_draw(p, io->in.nodes * io->in.time));
    FGTI_TRY(fgti_attention_init(&p->chain.attention, run, l));
    p->chain.attention.same_tokens = true;
    return fgti_attend_check(&p->chain);
}

void fgti_fighter_place_norm(fgti_fighter_pass *p, fgti_real *base, int64_t *at)
{
    p->x = base ? (fgti_real *)p->io->x : NULL;
    if (!p->o->norm) return;
    p->x    = fgti_take(base, at, fgti_mul(p->rows, p->d));
    p->mean = fgti_take(base, at, p->rows);
    p->rstd = fgti_take(base, at, p->rows);
}

void fgti_fighter_place_joined(fgti_fighter_pass *p, fgti_real *base, int64_t *at)
{
    if (!p->o->project) return;
    p->joined = fgti_take(base, at, fgti_mul(p->rows, p->h));
    p->v      = fgti_take(base, at, fgti_mul(p->rows, p->h));
}

void fgti_fighter_place_joined_gradients(fgti_fighter_pass *p, fgti_real *base, int64_t *at)
{
    if (!p->o->project) return;
    p->djoined = fgti_take(base, at, fgti_mul(p->rows, p->h));
    p->dv      = fgti_take(base, at, fgti_mul(p->rows, p->h));
}

/* ---- some rows ---- */

static void fighter_norm_rows(const fgti_fighter_pass *p, const fgti_real *unused, int64_t row, int64_t rows)
{
    const int64_t first = row * p->d;
    (void)unused;
    p->run->vec->norm(rows, p->d, NORM_EPS, p->io->x + first, fgti_w(p->l, p->io, p->param.norm_w),
                      fgti_w(p->l, p->io, p->param.norm_b), p->x + first, p->mean + row, p->rstd + row);
}

/* Whether rows follow each other without gaps, so that they can be computed as one long row. */
static bool rows_are_one(const fgti_fighter_pass *p)
{
    return p->ldu == p->h && p->h % 4 == 0;
}

static const fgti_real *residual_of(const fgti_fighter_pass *p)
{
    if (!fgti_fighter_has_residual(p)) return NULL;
    return fgti_fighter_adds_normed(p->o, p->d) ? p->x : p->io->x;
}

/* y = [x or X' +] skip(dropout(act(u))) */
void fgti_fighter_tail_rows(const fgti_fighter_pass *p, int64_t row, int64_t rows)
{
    const int64_t    h = p->h, step = rows_are_one(p) ? rows : 1;
    const fgti_real *x = residual_of(p);
    for (int64_t r = row; r < row + rows; r += step)
        fgti_tail_part(p->run->vec, &p->tail, first_draw(p, r), step * h, p->u + r * p->ldu,
                       x ? x + r * h : NULL, p->io->y + r * h);
}

static void tail_rows(const fgti_fighter_pass *p, const fgti_real *unused, int64_t row, int64_t rows)
{
    (void)unused;
    fgti_fighter_tail_rows(p, row, rows);
}

/* du = skip(dropout(dy)) act'(u) */
static void tail_grad_rows(const fgti_fighter_pass *p, const fgti_real *unused, int64_t row, int64_t rows)
{
    const int64_t h = p->h, step = rows_are_one(p) ? rows : 1;
    (void)unused;
    for (int64_t r = row; r < row + rows; r += step)
        fgti_tail_grad_part(p->run->vec, &p->tail, first_draw(p, r), step * h, p->u + r * p->ldu,
                            p->io->dy + r * h, p->du + r * p->ldu);
}

const fgti_real *fgti_fighter_drop_rows(const fgti_fighter_pass *p, int64_t row, int64_t rows, fgti_real *to)
{
    const int64_t    h  = p->h;
    const fgti_real *dy = p->io->dy + row * h;
    if (!fgti_tail_drops(&p->tail)) return dy;
    for (int64_t r = 0; r < rows; r++)
        fgti_tail_drop_part(p->run->vec, &p->tail, first_draw(p, row + r), h, dy + r * h, to + r * h);
    return to;
}

/* dx from dX': the gradient through the norm, and along the residual path if the residual is x */
static void norm_grad_rows(const fgti_fighter_pass *p, const fgti_real *dx, int64_t row, int64_t rows)
{
    const fgti_vec *vec   = p->run->vec;
    const int64_t   first = row * p->d, n = rows * p->d;
    if (p->o->norm)
        vec->norm_grad(rows, p->d, p->io->x + first, fgti_w(p->l, p->io, p->param.norm_w), p->mean + row,
                       p->rstd + row, dx + first, p->io->dx + first);
    if (fgti_fighter_has_residual(p) && !fgti_fighter_adds_normed(p->o, p->d))
        vec->axpy(n, 1, p->io->dy + first, p->io->dx + first);
}

/* Copies rows of u to `joined`; part_rows() copies rows of `djoined` to du. */
static void join_rows(const fgti_fighter_pass *p, const fgti_real *unused, int64_t row, int64_t rows)
{
    (void)unused;
    for (int64_t r = row; r < row + rows; r++)
        memcpy(p->joined + r * p->h, p->u + r * p->ldu, (size_t)p->h * sizeof *p->u);
}

static void part_rows(const fgti_fighter_pass *p, const fgti_real *unused, int64_t row, int64_t rows)
{
    (void)unused;
    for (int64_t r = row; r < row + rows; r++)
        memcpy(p->du + r * p->ldu, p->djoined + r * p->h, (size_t)p->h * sizeof *p->u);
}

/* ---- all rows ---- */

#define ROWS_AT_ONCE 64

/* Calls one of the functions above for all rows. */
typedef struct rows_pass {
    const fgti_fighter_pass *p;
    const fgti_real         *dx;
    void (*fn)(const fgti_fighter_pass *p, const fgti_real *dx, int64_t row, int64_t rows);
} rows_pass;

static void fighter_rows_task(void *arg, int64_t task, int32_t worker)
{
    const rows_pass *r   = arg;
    const int64_t    row = task * ROWS_AT_ONCE;
    (void)worker;
    r->fn(r->p, r->dx, row, fgti_least(ROWS_AT_ONCE, r->p->rows - row));
}

static void fighter_each_row(const rows_pass *r)
{
    fgti_parallel(r->p->run->exec, fgti_parts(r->p->rows, ROWS_AT_ONCE), fighter_rows_task, (void *)r);
}

void fgti_fighter_norm(const fgti_fighter_pass *p)
{
    if (p->o->norm) fighter_each_row(&(rows_pass){p, NULL, fighter_norm_rows});
}

/* Returns a copy of the pass that reads v, the output of the map Wo, in place of u. */
static fgti_fighter_pass behind_map(const fgti_fighter_pass *p)
{
    fgti_fighter_pass q = *p;
    q.u                 = p->v;
    q.du                = p->dv;
    q.ldu               = p->h;
    return q;
}

/* v = u Wo' + bo, then y from v */
static void map_joined(const fgti_fighter_pass *p)
{
    const fgti_fighter_pass q  = behind_map(p);
    const fgti_real        *bo = p->o->no_bias ? NULL : fgti_w(p->l, p->io, p->param.bo);
    fighter_each_row(&(rows_pass){p, NULL, join_rows});
    fgti_affine(p->run, p->rows, p->h, p->h, p->joined, fgti_w(p->l, p->io, p->param.wo), bo, p->v, p->h);
    fighter_each_row(&(rows_pass){&q, NULL, tail_rows});
}

/* dv from dy, then dWo += dv'u, dbo += sum_r dv, du = dv Wo */
static void map_joined_grad(const fgti_fighter_pass *p)
{
    const fgti_fighter_pass q   = behind_map(p);
    fgti_real              *dbo = p->o->no_bias ? NULL : fgti_dw(p->l, p->io, p->param.bo);
    fighter_each_row(&(rows_pass){&q, NULL, tail_grad_rows});
    fgti_affine_grad(p->run, p->rows, p->h, p->h, p->joined, fgti_w(p->l, p->io, p->param.wo), p->dv, p->h,
                     fgti_dw(p->l, p->io, p->param.wo), dbo, p->djoined, false);
    fighter_each_row(&(rows_pass){p, NULL, part_rows});
}

void fgti_fighter_tail(const fgti_fighter_pass *p)
{
    if (p->o->project)
        map_joined(p);
    else
        fighter_each_row(&(rows_pass){p, NULL, tail_rows});
}

void fgti_fighter_tail_grad(const fgti_fighter_pass *p)
{
    if (p->o->project)
        map_joined_grad(p);
    else
        fighter_each_row(&(rows_pass){p, NULL, tail_grad_rows});
}

void fgti_fighter_norm_grad(const fgti_fighter_pass *p, fgti_real *dx)
{
    if (fgti_fighter_adds_normed(p->o, p->d)) fgti_add(p->run, p->rows * p->d, p->io->dy, dx);
    if (p->io->dx) fighter_each_row(&(rows_pass){p, dx, norm_grad_rows});
    if (p->o->norm)
        fgti_norm_grad(p->run, p->rows, p->d, p->io->x, fgti_w(p->l, p->io, p->param.norm_w), p->mean,
                       p->rstd, dx, fgti_dw(p->l, p->io, p->param.norm_w),
                       fgti_dw(p->l, p->io, p->param.norm_b), NULL);
}

/* ---- all parameters as one matrix ---- */

static void set_unread(bool *unread, int param, bool yes)
{
    if (param >= 0) unread[param] = yes;
}

void fgti_fighter_set_unread(const fgti_fighter_pass *p, bool queries, bool hops, bool *unread)
{
    set_unread(unread, p->param.wq, queries);
    set_unread(unread, p->param.bq, queries);
    set_unread(unread, p->param.wk, queries);
    set_unread(unread, p->param.bk, queries);
    set_unread(unread, p->param.hop, hops);
    set_unread(unread, p->param.bias, hops);
}

void fgti_fighter_set_projection(const fgti_fighter_pass *p, int64_t powers, fgti_projection *proj)
{
    const int64_t split = fgti_fighter_query_columns(p->o);
    proj->run           = p->run;
    proj->l             = p->l;
    proj->rows          = p->rows;
    proj->d             = p->d;
    proj->n             = fgti_fighter_columns(p->o, powers);
    proj->ld            = fgti_spread(proj->n);
    proj->biased        = p->o->no_bias ? 0 : fgti_least(proj->n, split + p->h);
    proj->x             = p->x;
    proj->pack_only     = fgti_projection_is_packed(proj);
}

void fgti_fighter_fill_projection(const fgti_fighter_pass *p, int64_t powers, const fgti_projection *proj)
{
    const int64_t    h = p->h, a = p->o->attn, split = fgti_fighter_query_columns(p->o);
    const fgti_real *hop = fgti_w(p->l, p->io, p->param.hop);
    fgti_real       *b   = proj->b;
    fgti_projection_set(proj, 0, a, true, fgti_w(p->l, p->io, p->param.wq));
    if (p->param.wk >= 0) fgti_projection_set(proj, a, a, true, fgti_w(p->l, p->io, p->param.wk));
    if (powers) fgti_projection_clear(proj, split, p->o->first_hop * h);
    for (int64_t i = p->o->first_hop; i < powers; i++, hop += p->d * h)
        fgti_projection_set(proj, split + i * h, h, false, hop);
    if (!p->o->no_bias) {
        memcpy(b, fgti_w(p->l, p->io, p->param.bq), (size_t)a * sizeof *b);
        if (p->param.bk >= 0) memcpy(b + a, fgti_w(p->l, p->io, p->param.bk), (size_t)a * sizeof *b);
        if (powers) memcpy(b + split, fgti_w(p->l, p->io, p->param.bias), (size_t)h * sizeof *b);
    }
}

void fgti_fighter_gather(const fgti_fighter_pass *p, int64_t powers, const fgti_projection *proj)
{
    if (!fgti_kept_is_stale(&proj->kept, p->run)) return;
    fgti_fighter_fill_projection(p, powers, proj);
    fgti_kept_set_fresh(&proj->kept, p->run);
}

void fgti_fighter_fold(const fgti_fighter_pass *p, const fgti_fold *fold, const fgti_real *w, int64_t rsw,
                       int64_t csw, const fgti_real *b, int64_t biased, fgti_real *scratch)
{
    fgti_fold_weights all = {.w = w, .rsw = rsw, .csw = csw, .b = biased ? b : NULL, .biased = biased};
    if (p->o->norm) all.g = fgti_w(p->l, p->io, p->param.norm_w);
    if (p->o->norm) all.h = fgti_w(p->l, p->io, p->param.norm_b);
    fgti_fold_fill(fold, p->run, p->io, &all, scratch);
}

void fgti_fighter_scatter(const fgti_fighter_pass *p, int64_t powers, const fgti_projection *proj)
{
    const int64_t    h = p->h, a = p->o->attn, split = fgti_fighter_query_columns(p->o);
    const fgti_vec  *vec = p->run->vec;
    const fgti_real *db  = proj->db;
    fgti_real       *hop = fgti_dw(p->l, p->io, p->param.hop);
    fgti_projection_add(proj, 0, a, true, fgti_dw(p->l, p->io, p->param.wq));
    if (p->param.wk >= 0) fgti_projection_add(proj, a, a, true, fgti_dw(p->l, p->io, p->param.wk));
    for (int64_t i = p->o->first_hop; i < powers; i++, hop += p->d * h)
        fgti_projection_add(proj, split + i * h, h, false, hop);
    if (p->o->no_bias) return;
    vec->axpy(a, 1, db, fgti_dw(p->l, p->io, p->param.bq));
    if (p->param.bk >= 0) vec->axpy(a, 1, db + a, fgti_dw(p->l, p->io, p->param.bk));
    if (powers) vec->axpy(h, 1, db + split, fgti_dw(p->l, p->io, p->param.bias));
}
