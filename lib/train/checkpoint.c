/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/checkpoint.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "attent/attent_impl.h"
#include "core/config.h"
#include "model/access.h"
#include "model/files/file_input.h"
#include "model/files/file_output.h"
#include "model/files/safetensors.h"
#include "model/files/safetensors_read.h"
#include "model/gradients.h"
#include "model/guard.h"
#include "model/pass/own_pass.h"
#include "model/stored/extra.h"
#include "model/stored/frozen.h"
#include "model/stored/model_file.h"
#include "model/stored/model_load.h"
#include "train/optim/optim.h"
#include "train/optim/schedule.h"

#define FORMAT "1"

enum { STEPS, PASSES };
enum { NORM, DECAY };

static const char *const states[] = {"train.state.0", "train.state.1"};

static int64_t checkpoint_rows_of(const fgt_optim *o)
{
    return o->slabs.touched->rows;
}

/* ---- the contents of a file ---- */

typedef struct content {
    fgti_text      optim, schedule;
    int64_t        counts[2], begin;
    double         numbers[2], base;
    void          *selector;
    fgti_st_tensor tensor[11];
    int64_t        tensors;
} content;

static void checkpoint_put(content *c, const char *name, fgti_st_dtype dtype, int32_t rank,
                           const int64_t *shape, const void *data)
{
    fgti_st_tensor *t = &c->tensor[c->tensors++];
    *t                = (fgti_st_tensor){.name = name, .dtype = dtype, .rank = rank, .data = data};
    memcpy(t->shape, shape, (size_t)rank * sizeof *shape);
}

static void put_optim(content *c, const fgt_optim *o)
{
    const fgti_lazy *w    = &o->lazy;
    const int64_t    rows = checkpoint_rows_of(o), two = 2;
    c->counts[STEPS]  = o->t;
    c->counts[PASSES] = (int64_t)fgti_model_get_passes(o->model);
    c->numbers[NORM]  = o->norm;
    c->numbers[DECAY] = w->decay;
    checkpoint_put(c, "train.counts", FGTI_ST_I64, 1, &two, c->counts);
    checkpoint_put(c, "train.numbers", FGTI_ST_F64, 1, &two, c->numbers);
    for (int32_t i = 0; i < fgti_optim_states(o); i++)
        checkpoint_put(c, states[i], FGTI_ST_REAL, 1, &o->slabs.size,
                       o->whole ? o->whole + i * o->slabs.size : o->state + i * o->stride);
    c->base = o->base;
    if (o->base != o->opts.lr) checkpoint_put(c, "train.lr", FGTI_ST_F64, 1, &(int64_t){1}, &c->base);
    c->begin = o->begin;
    if (o->begin) checkpoint_put(c, "train.begin", FGTI_ST_I64, 1, &(int64_t){1}, &c->begin);
    if (!w->last) return;
    checkpoint_put(c, "train.last", FGTI_ST_I64, 1, &rows, w->last);
    checkpoint_put(c, "train.factor", FGTI_ST_F64, 2, (int64_t[]){2, FGTI_LAZY_STEPS}, w->factor);
    if (w->decayed) checkpoint_put(c, "train.decayed", FGTI_ST_F64, 1, &rows, w->decayed);
}

static fgt_status put_selector(content *c, const fgt_attent *a)
{
    int64_t size = fgti_attent_state_bytes(a);
    if (!a) return FGT_OK;
    FGTI_TRY(fgti_alloc(a->ctx, size, 1, "state of the selector", &c->selector));
    checkpoint_put(c, "train.selector", FGTI_ST_U8, 1, &size, c->selector);
    return fgt_attent_get_state(a, c->selector, size, &size);
}

static fgt_status put_all(content *c, const fgt_checkpoint *in)
{
    FGTI_TRY(fgti_config_write(&c->optim, fgti_optim_opts, &in->optim->opts));
    FGTI_TRY(fgti_config_write(&c->schedule, fgti_schedule_opts, &in->optim->schedule));
    put_optim(c, in->optim);
    if (in->data) checkpoint_put(c, "train.host", FGTI_ST_U8, 1, &in->data_size, in->data);
    return put_selector(c, in->selector);
}

static const char *text_of(const fgti_text *t)
{
    return t->s ? t->s : "";
}

/* ---- saving ---- */

/* Joins the library's tensors and pairs with the caller's. The result is one array of tensors and one of
 * pairs. */
static fgt_status checkpoint_join(fgt_context *ctx, const content *c, const fgti_extra *own, fgti_extra *all,
                                  fgti_st_tensor **tensor, fgti_st_pair **pair)
{
    const fgti_st_pair ours[] = {{"train.format", FORMAT},
                                 {"train.optim", text_of(&c->optim)},
                                 {"train.schedule", text_of(&c->schedule)}};
    const int64_t      n      = sizeof ours / sizeof *ours;
    FGTI_TRY(FGTI_NEW(ctx, c->tensors + own->tensors, "checkpoint", tensor));
    FGTI_TRY(FGTI_NEW(ctx, n + own->pairs, "checkpoint", pair));
    memcpy(*tensor, c->tensor, (size_t)c->tensors * sizeof **tensor);
    memcpy(*pair, ours, sizeof ours);
    if (own->tensors) memcpy(*tensor + c->tensors, own->tensor, (size_t)own->tensors * sizeof **tensor);
    if (own->pairs) memcpy(*pair + n, own->pair, (size_t)own->pairs * sizeof **pair);
    *all = (fgti_extra){c->tensors + own->tensors, n + own->pairs, *tensor, *pair};
    return FGT_OK;
}

fgt_status fgti_checkpoint_save(const fgt_checkpoint *in, const fgti_extra *own, const char *path)
{
    fgt_context    *ctx = in->optim->slabs.ctx;
    content         c   = {.optim = {.ctx = ctx}, .schedule = {.ctx = ctx}};
    fgti_extra      all;
    fgti_output     out;
    fgti_st_tensor *tensor = NULL;
    fgti_st_pair   *pair   = NULL;
    fgt_status      s      = put_all(&c, in);
    if (s == FGT_OK) s = checkpoint_join(ctx, &c, own, &all, &tensor, &pair);
    fgti_output_path(path, &out);
    if (s == FGT_OK) s = fgti_model_save_with(in->optim->model, &out, &all);
    fgti_free(ctx, pair);
    fgti_free(ctx, tensor);
    fgti_free(ctx, c.selector);
    fgti_text_done(&c.schedule);
    fgti_text_done(&c.optim);
    return s;
}

/* ---- checking ---- */

fgt_status fgti_checkpoint_expect(fgt_context *ctx, const fgti_st *st, const char *key, const char *value)
{
    const char *found = fgti_st_meta(st, key);
    if (found && !strcmp(found, value)) return FGT_OK;
    return fgti_fail(&ctx->error, FGT_E_FORMAT,
                     "%.120s: \"%s\": wrong value (got \"%.120s\", need \"%.120s\")", st->path, key,
                     found ? found : "", value);
}

static fgt_status expect_opts(fgt_context *ctx, const fgti_st *st, const char *key, const fgti_opt *table,
                              const void *opts)
{
    fgti_text  t = {.ctx = ctx};
    fgt_status s = fgti_config_write(&t, table, opts);
    if (s == FGT_OK) s = fgti_checkpoint_expect(ctx, st, key, text_of(&t));
    fgti_text_done(&t);
    return s;
}

static fgt_status check_format(fgt_context *ctx, const fgti_st *st)
{
    const char *format = fgti_st_meta(st, "train.format");
    if (!format)
        return fgti_fail(&ctx->error, FGT_E_FORMAT, "%.120s: the file is %s, not a checkpoint", st->path,
                         fgti_extra_kind(st));
    if (!strcmp(format, FORMAT)) return FGT_OK;
    return fgti_fail(&ctx->error, FGT_E_VERSION,
                     "%.120s: unknown checkpoint format (got %.20s, need " FORMAT ")", st->path, format);
}

/* Checks that a tensor has exactly this type, because it is not converted. */
static fgt_status expect_exactly(fgt_context *ctx, const fgti_st *st, const char *name, fgti_st_dtype dtype,
                                 int64_t size, const fgti_st_tensor **t)
{
    FGTI_TRY(fgti_st_expect(ctx, st, name, 1, &size, t));
    if ((*t)->dtype == dtype) return FGT_OK;
    return fgti_fail(&ctx->error, FGT_E_FORMAT, "%.120s: tensor \"%s\": wrong type (got %s, need %s)",
                     st->path, name, fgti_st_dtype_name((*t)->dtype), fgti_st_dtype_name(dtype));
}

/* FGT_E_FORMAT: the file has these bytes and the run does not, or the run has them and the file does not. */
static fgt_status check_bytes(fgt_context *ctx, const fgti_st *st, const char *name, const char *what,
                              bool wanted, int64_t size)
{
    const fgti_st_tensor *t;
    const bool            there = fgti_st_find(st, name) != NULL;
    if (there != wanted)
        return fgti_fail(&ctx->error, FGT_E_FORMAT, "%.120s: was written %s %s, but the run has %s", st->path,
                         there ? "with" : "without", what, wanted ? "one" : "none");
    return wanted ? expect_exactly(ctx, st, name, FGTI_ST_U8, size, &t) : FGT_OK;
}

static fgt_status check_lazy(const fgt_optim *o, fgti_checkpoint *f)
{
    const fgti_lazy *w    = &o->lazy;
    const int64_t    rows = checkpoint_rows_of(o);
    fgt_context     *ctx  = o->slabs.ctx;
    if (!w->last) return FGT_OK;
    FGTI_TRY(FGTI_NEW(ctx, rows, "checkpoint", &f->last));
    FGTI_TRY(FGTI_NEW(ctx, 2 * FGTI_LAZY_STEPS, "checkpoint", &f->factor));
    FGTI_TRY(fgti_st_read_i64(ctx, f->st, "train.last", 1, &rows, f->last));
    FGTI_TRY(fgti_st_read_f64(ctx, f->st, "train.factor", 2, (int64_t[]){2, FGTI_LAZY_STEPS}, f->factor));
    for (int64_t i = 0; i < rows; i++)
        if (f->last[i] < 0 || f->last[i] > f->counts[STEPS])
            return fgti_fail(
                &ctx->error, FGT_E_FORMAT,
                "%.120s: tensor \"train.last\": element %lld is out of range (got %lld, need 0 .. %lld)",
                f->st->path, (long long)i, (long long)f->last[i], (long long)f->counts[STEPS]);
    if (!w->decayed) return FGT_OK;
    FGTI_TRY(FGTI_NEW(ctx, rows, "checkpoint", &f->decayed));
    return fgti_st_read_f64(ctx, f->st, "train.decayed", 1, &rows, f->decayed);
}

/* Whether one share s can give both warm-ups: w = floor(s total) in each schedule. Rounding may have moved s
 * total a little. */
static bool is_same_share(const fgt_schedule_opts *a, const fgt_schedule_opts *b)
{
    const double w = (double)a->warmup, v = (double)b->warmup, m = (double)a->total, n = (double)b->total;
    return w * n <= (v + 1) * m && v * m <= (w + 1) * n;
}

/* Compares the schedules. A run that continues for more epochs may have a longer schedule, if the schedule
 * spans the run. The warm-up may be longer, too, if it is a share of the run. */
static fgt_status check_schedule(const fgt_optim *o, const fgti_st *st)
{
    fgt_context      *ctx   = o->slabs.ctx;
    const char       *text  = fgti_st_meta(st, "train.schedule");
    fgt_schedule_opts wants = o->schedule, found = {.size = sizeof found};
    if (o->spans && text) {
        const fgt_status s = fgti_config_read(&ctx->error, fgti_schedule_opts, text, &found);
        if (s != FGT_OK) {
            fgti_error_prefix(&ctx->error, "%.120s: \"train.schedule\"", st->path);
            return s;
        }
        if (found.total != wants.total && is_same_share(&found, &wants)) wants.warmup = found.warmup;
        wants.total = found.total;
    }
    return expect_opts(ctx, st, "train.schedule", fgti_schedule_opts, &wants);
}

/* Compares the optimisers. The learning rate may differ, because the moments are then still the same sums of
 * gradients. */
static fgt_status checkpoint_check_kind(const fgt_optim *o, const fgti_st *st)
{
    fgt_context   *ctx   = o->slabs.ctx;
    const char    *text  = fgti_st_meta(st, "train.optim");
    fgt_optim_opts wants = o->opts, found = {.size = sizeof found};
    if (text) {
        FGTI_TRY(fgti_config_read(&ctx->error, fgti_optim_opts, text, &found));
        wants.lr = found.lr;
    }
    return expect_opts(ctx, st, "train.optim", fgti_optim_opts, &wants);
}

static fgt_status check_optim(const fgt_optim *o, bool moments, fgti_checkpoint *f)
{
    fgt_context  *ctx = o->slabs.ctx;
    const int64_t two = 2;
    FGTI_TRY(moments ? checkpoint_check_kind(o, f->st)
                     : expect_opts(ctx, f->st, "train.optim", fgti_optim_opts, &o->opts));
    if (!moments) FGTI_TRY(check_schedule(o, f->st));
    FGTI_TRY(fgti_st_read_i64(ctx, f->st, "train.counts", 1, &two, f->counts));
    FGTI_TRY(fgti_st_read_f64(ctx, f->st, "train.numbers", 1, &two, f->numbers));
    for (int i = 0; i < 2; i++)
        if (f->counts[i] < 0 || f->counts[i] > FGTI_COUNT_MOST)
            return fgti_fail(
                &ctx->error, FGT_E_FORMAT,
                "%.120s: tensor \"train.counts\": element %d is out of range (got %lld, need 0 .. %lld)",
                f->st->path, i, (long long)f->counts[i], (long long)FGTI_COUNT_MOST);
    f->base = o->opts.lr;
    if (!moments && fgti_st_find(f->st, "train.lr"))
        FGTI_TRY(fgti_st_read_f64(ctx, f->st, "train.lr", 1, &(int64_t){1}, &f->base));
    if (!(f->base > 0 && f->base <= FLT_MAX))
        return fgti_fail(&ctx->error, FGT_E_FORMAT,
                         "%.120s: tensor \"train.lr\" is out of range (got %g, need finite and above 0)",
                         f->st->path, f->base);
    if (fgti_st_find(f->st, "train.begin"))
        FGTI_TRY(fgti_st_read_i64(ctx, f->st, "train.begin", 1, &(int64_t){1}, &f->begin));
    if (f->begin < 0 || f->begin > f->counts[STEPS])
        return fgti_fail(&ctx->error, FGT_E_FORMAT,
                         "%.120s: tensor \"train.begin\" is out of range (got %lld, need 0 .. %lld)",
                         f->st->path, (long long)f->begin, (long long)f->counts[STEPS]);
    for (int32_t i = 0; i < fgti_optim_states(o); i++)
        FGTI_TRY(fgti_st_check_real(ctx, f->st, states[i], 1, &o->slabs.size));
    if (fgti_optim_is_part(o)) FGTI_TRY(FGTI_NEW(ctx, o->slabs.size, "checkpoint", &f->state));
    return check_lazy(o, f);
}

/* Compares the frozen parameters. If they differ, the run would not give the same bits. */
static fgt_status check_frozen(fgt_model *m, const fgti_st *st)
{
    fgt_context *ctx   = fgti_model_context(m);
    const char  *found = fgti_st_meta(st, "fighter.frozen");
    fgti_text    t     = {.ctx = ctx};
    fgt_status   s     = fgti_frozen_write(m, &t);
    if (s == FGT_OK && strcmp(found ? found : "", text_of(&t)) != 0)
        s = fgti_fail(&ctx->error, FGT_E_FORMAT,
                      "%.120s: frozen parameters: the file has %.120s, the model %.120s", st->path,
                      found ? found : "none", t.s ? t.s : "none");
    fgti_text_done(&t);
    return s;
}

/* Opens a file and checks it. The run may be resumed, or, with `moments`, only the moments are read. */
static fgt_status open_file(const fgt_optim *o, const fgti_input *in, bool moments, fgti_checkpoint *f)
{
    fgt_model   *m   = o->model;
    fgt_context *ctx = fgti_model_context(m);
    *f               = (fgti_checkpoint){0};
    FGTI_TRY(fgti_st_open_input(ctx, in, &f->st));
    FGTI_TRY(check_format(ctx, f->st));
    FGTI_TRY(fgti_st_hold(f->st)); /* so that the bytes that are used are the bytes that were checked */
    FGTI_TRY(fgti_model_check_file(m, f->st));
    FGTI_TRY(check_frozen(m, f->st));
    FGTI_TRY(check_optim(o, moments, f));
    return fgti_model_prepare(m); /* it allocates the counter of passes */
}

fgt_status fgti_checkpoint_open(const fgt_checkpoint *c, const fgti_input *in, fgti_checkpoint *f)
{
    fgt_context *ctx = c->optim->slabs.ctx;
    FGTI_TRY(open_file(c->optim, in, false, f));
    const int64_t size = fgti_attent_state_bytes(c->selector);
    FGTI_TRY(check_bytes(ctx, f->st, "train.selector", "a selector", c->selector, size));
    FGTI_TRY(check_bytes(ctx, f->st, "train.host", "data of a host", c->data, c->data_size));
    if (!c->selector) return FGT_OK;
    FGTI_TRY(fgti_alloc(ctx, size, 1, "state of the selector", &f->selector));
    return fgti_st_read_bytes(f->st, fgti_st_find(f->st, "train.selector"), 0, size, f->selector);
}

fgt_status fgti_checkpoint_open_moments(const fgt_optim *o, const fgti_input *in, fgti_checkpoint *f)
{
    return open_file(o, in, true, f);
}

void fgti_checkpoint_close(fgt_context *ctx, fgti_checkpoint *f)
{
    fgti_st_close(ctx, &f->st);
    fgti_free(ctx, f->state);
    fgti_free(ctx, f->selector);
    fgti_free(ctx, f->last);
    fgti_free(ctx, f->decayed);
    fgti_free(ctx, f->factor);
    *f = (fgti_checkpoint){0};
}

/* ---- applying a file ---- */

static void checkpoint_copy(void *to, const void *from, int64_t n, size_t size)
{
    if (to && from) memcpy(to, from, (size_t)n * size);
}

/* Reads array i of the moments. A rank that updates only some parts of the weights keeps only the moments of
 * these parts. */
static fgt_status apply_state(fgt_optim *o, int32_t i, const fgti_checkpoint *f)
{
    fgti_real *to = o->state + i * o->stride, *all = f->state ? f->state : to;
    FGTI_TRY(fgti_st_read_real(o->slabs.ctx, f->st, states[i], 1, &o->slabs.size, all));
    for (int64_t k = 0; f->state && k < o->parts; k++) {
        const fgti_optim_part *p = &o->part[k];
        memcpy(to + p->at, all + p->begin, (size_t)(p->end - p->begin) * sizeof *to);
    }
    return FGT_OK;
}

static fgt_status apply_optim(fgt_optim *o, const fgti_checkpoint *f)
{
    fgti_lazy    *w    = &o->lazy;
    const int64_t rows = checkpoint_rows_of(o);
    for (int32_t i = 0; i < fgti_optim_states(o); i++) FGTI_TRY(apply_state(o, i, f));
    checkpoint_copy(w->last, f->last, rows, sizeof *w->last);
    checkpoint_copy(w->decayed, f->decayed, rows, sizeof *w->decayed);
    checkpoint_copy(w->factor, f->factor, 2 * FGTI_LAZY_STEPS, sizeof *w->factor);
    o->base  = f->base;
    o->t     = f->counts[STEPS];
    o->begin = f->begin;
    o->norm  = f->numbers[NORM];
    w->decay = f->numbers[DECAY];
    return FGT_OK;
}

static fgt_status apply_selector(fgt_attent *a, const fgti_checkpoint *f)
{
    const fgt_status s = fgt_attent_set_state(a, f->selector, fgti_attent_state_bytes(a));
    if (s != FGT_OK) fgti_error_prefix(&a->ctx->error, "%.120s", f->st->path);
    return s;
}

fgt_status fgti_checkpoint_apply(const fgt_checkpoint *c, fgti_checkpoint *f)
{
    fgt_model            *m    = c->optim->model;
    const fgti_st_tensor *host = fgti_st_find(f->st, "train.host");
    if (c->selector) FGTI_TRY(apply_selector(c->selector, f));
    /* Everything is checked and in memory, so nothing can fail from here on. */
    if (host) FGTI_TRY(fgti_st_read_bytes(f->st, host, 0, host->bytes, c->data));
    fgti_model_set_passes(m, (uint64_t)f->counts[PASSES]);
    fgti_gradients_clear(m);
    FGTI_TRY(fgti_model_read_weights(m, f->st));
    return apply_optim(c->optim, f);
}

fgt_status fgti_checkpoint_apply_moments(fgt_optim *o, const fgti_checkpoint *f)
{
    fgti_model_set_passes(o->model, (uint64_t)f->counts[PASSES]);
    FGTI_TRY(apply_optim(o, f));
    o->begin = o->t;
    return FGT_OK;
}

fgt_status fgti_checkpoint_load(const fgt_checkpoint *c, const fgti_input *in)
{
    fgti_checkpoint file;
    fgt_status      s = fgti_checkpoint_open(c, in, &file);
    if (s == FGT_OK) s = fgti_checkpoint_apply(c, &file);
    fgti_checkpoint_close(c->optim->slabs.ctx, &file);
    return s;
}

/* ---- for training loops of the host ---- */

static fgt_status checkpoint_check_call(const fgt_checkpoint *in, const char *path, fgt_checkpoint *c)
{
    if (!in || !in->optim) return FGT_E_ARG;
    fgti_error *err = &in->optim->slabs.ctx->error;
    FGTI_TRY(fgti_opts_read(err, "checkpoint", in, c, sizeof *c));
    FGTI_TRY(fgti_optim_check(c->optim, "checkpoint"));
    if (!path) return fgti_fail(err, FGT_E_ARG, "checkpoint: path is NULL");
    if (c->selector && c->selector->ctx != c->optim->slabs.ctx)
        return fgti_fail(err, FGT_E_ARG, "checkpoint: the selector belongs to another context");
    if (c->data ? c->data_size < 1 : c->data_size)
        return fgti_fail(err, FGT_E_ARG,
                         "checkpoint: data and data_size do not fit (got data %s, data_size %lld)",
                         c->data ? "given" : "NULL", (long long)c->data_size);
    return FGT_OK;
}

fgt_status fgt_checkpoint_save(const fgt_checkpoint *checkpoint, const char *path)
{
    fgt_checkpoint c;
    FGTI_TRY(checkpoint_check_call(checkpoint, path, &c));
    return fgti_checkpoint_save(&c, &(fgti_extra){0}, path);
}

fgt_status fgt_checkpoint_load(const fgt_checkpoint *checkpoint, const char *path)
{
    fgt_checkpoint c;
    fgti_input     in;
    FGTI_TRY(checkpoint_check_call(checkpoint, path, &c));
    FGTI_TRY(fgti_model_check_idle(c.optim->model, "fgt_checkpoint_load"));
    fgti_input_path(path, &in);
    return fgti_checkpoint_load(&c, &in);
}
