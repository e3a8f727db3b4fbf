/* SPDX-License-Identifier: BSD-3-Clause */
/* A host's layer, seen from two sides: a class whose functions the library calls, and objects for the plan
 * and the pass, which the host's functions get. */
#include "nn/host_layer.h"

#include <math.h>
#include <string.h>

#include <fighter/experimental/layer.h>

#include "core/text.h"
#include "nn/axis.h"

/* A registered class. The tables of its options and all names follow in the same block. */
typedef struct host_class {
    fgti_owned      owned; /* must be the first member: an entry of the context's list */
    fgti_class      cls;
    fgt_layer_class host;
} host_class;

struct fgt_layer_plan {
    fgt_context *ctx;
    fgti_layer  *l;
};

struct fgt_layer_pass {
    const fgti_run   *run;
    const fgti_layer *l;
    const fgti_io    *io;
    bool              backward;
};

static const fgt_layer_class *host_of(const fgti_layer *l)
{
    return l->cls->detail;
}

/* ---- the class for the library ---- */

static fgt_status host_plan(fgt_context *ctx, fgti_layer *l)
{
    const fgt_layer_class *h    = host_of(l);
    fgt_layer_plan         plan = {.ctx = ctx, .l = l};
    ctx->error.text[0]          = 0; /* the host's plan() may fail without an error text */
    const fgt_status s          = h->plan(h->user, &plan, l->opts);
    if (s != FGT_OK && !ctx->error.text[0]) return fgti_fail(&ctx->error, s, "plan() failed");
    return s;
}

/* Sets the length of an output axis. If the plan made this axis as long as the axis of x, its length becomes
 * the length of x. Otherwise x must have the planned length. */
static bool host_follow(int64_t in, int64_t planned, int64_t *out)
{
    if (in == planned) return true;
    if (*out != planned) return false;
    *out = in;
    return true;
}

/* A pass may have fewer tokens than planned. If the layer runs along the nodes (nn/axis.h), its tokens are
 * nodes. */
static fgt_status host_shape(fgti_error *err, const fgti_layer *l, fgti_shape in, fgti_shape *out)
{
    *out = fgti_along(l, l->out);
    if (host_follow(in.time, l->in.time, &out->time) && host_follow(in.nodes, l->in.nodes, &out->nodes))
        return FGT_OK;
    return fgti_fail(err, FGT_E_SHAPE, "the input has the wrong number of tokens (got %lld, need %lld)",
                     (long long)fgti_along(l, in).time, (long long)fgti_along(l, l->in).time);
}

static double host_flops(const fgti_layer *l, int64_t batch, fgti_shape in)
{
    (void)l;
    (void)batch;
    (void)in;
    return -1;
}

static void host_size(const fgti_layer *l, int64_t batch, fgti_shape in, fgti_need *need)
{
    const fgt_layer_class *h        = host_of(l);
    const int64_t          shape[4] = {batch, in.nodes, in.time, in.width};
    int64_t                cache = 0, scratch = 0;
    if (h->memory) h->memory(h->user, shape, l->opts, &cache, &scratch);
    need->cache   = cache > 0 ? fgti_least(cache, FGTI_HUGE) : 0;
    need->scratch = scratch > 0 ? fgti_least(scratch, FGTI_HUGE) : 0;
}

static fgt_status host_pass(const fgti_run *run, const fgti_layer *l, const fgti_io *io, bool backward)
{
    const fgt_layer_class *h    = host_of(l);
    fgt_layer_pass         pass = {.run = run, .l = l, .io = io, .backward = backward};
    run->error->text[0]         = 0;
    const fgt_status s          = (backward ? h->backward : h->forward)(h->user, &pass, l->opts);
    if (s != FGT_OK && !run->error->text[0])
        return fgti_fail(run->error, s, "%s() failed", backward ? "backward" : "forward");
    return s;
}

static fgt_status host_forward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    return host_pass(run, l, io, false);
}

static fgt_status host_backward(const fgti_run *run, const fgti_layer *l, const fgti_io *io)
{
    return host_pass(run, l, io, true);
}

/* ---- registration ---- */

const fgti_class *fgti_class_of(const fgt_context *ctx, const char *type)
{
    const fgti_class *known = fgti_class_find(type);
    for (const fgti_owned *o = ctx->owned; !known && o; o = o->next) {
        const host_class *h = (const host_class *)(const void *)o;
        if (!strcmp(h->cls.name, type)) known = &h->cls;
    }
    return known;
}

/* Indexed by fgt_layer_field_kind. */
static const struct {
    fgti_opt_kind kind;
    size_t        bytes;
} field_kinds[] = {
    [FGT_LAYER_FIELD_I64] = {FGTI_OPT_I64, 8},
    [FGT_LAYER_FIELD_I32] = {FGTI_OPT_ENUM, 4},
    [FGT_LAYER_FIELD_F32] = {FGTI_OPT_F32, 4},
    [FGT_LAYER_FIELD_F64] = {FGTI_OPT_F64, 8},
};
#define FIELD_KINDS (int32_t)(sizeof field_kinds / sizeof *field_kinds)

static fgt_status check_field(fgti_error *err, const fgt_layer_class *h, const fgt_layer_field *f)
{
    const size_t bytes = f->kind >= 0 && f->kind < FIELD_KINDS ? field_kinds[f->kind].bytes : 0;
    if (!f->name || !*f->name || strpbrk(f->name, " =") || !fgti_is_utf8(f->name))
        return fgti_fail(err, FGT_E_ARG,
                         "%s: the name of a field is missing, has a blank or \"=\", or is not UTF-8",
                         h->type);
    if (!bytes || f->offset < sizeof(size_t) || f->offset > h->opts_size ||
        h->opts_size - f->offset < bytes || !(f->min <= f->max))
        return fgti_fail(err, FGT_E_ARG, "%s: kind, offset or range of field %.60s is wrong", h->type,
                         f->name);
    const double most  = f->kind == FGT_LAYER_FIELD_I32 ? INT32_MAX : FGTI_OPT_SIZE_MAX;
    const bool   whole = fabs(f->standard) <= most && floor(f->standard) == f->standard;
    const bool   real  = f->kind != FGT_LAYER_FIELD_I64 && f->kind != FGT_LAYER_FIELD_I32;
    if (!f->required && (real ? isnan(f->standard) : !whole))
        return fgti_fail(err, FGT_E_ARG, "%s: standard of field %.60s is not a value of its type (got %g)",
                         h->type, f->name, f->standard);
    for (const fgt_layer_field *other = h->fields; other < f; other++)
        if (!strcmp(other->name, f->name))
            return fgti_fail(err, FGT_E_ARG, "%s: two fields have the name %.60s", h->type, f->name);
    return FGT_OK;
}

static fgt_status check_class(fgt_context *ctx, const fgt_layer_class *h)
{
    fgti_error *err = &ctx->error;
    if (!h->type || !strchr(h->type, '.') || strlen(h->type) > 60 || !fgti_is_utf8(h->type))
        return fgti_fail(err, FGT_E_ARG,
                         "type of a host's layer must have a dot, and at most 60 bytes of UTF-8");
    if (!h->plan || !h->forward || !h->backward)
        return fgti_fail(err, FGT_E_ARG, "%s: plan, forward or backward is missing", h->type);
    if (h->more_inputs < 0 || h->more_inputs >= FGTI_INPUTS_MAX)
        return fgti_fail(err, FGT_E_ARG, "%s: more_inputs is out of range (got %lld, need 0 .. %d)", h->type,
                         (long long)h->more_inputs, FGTI_INPUTS_MAX - 1);
    if (h->field_count < 0 || h->field_count > 1000 || (h->field_count && !h->fields) ||
        (h->opts_size && h->opts_size < sizeof(size_t)) || h->opts_size > 4096)
        return fgti_fail(err, FGT_E_ARG, "%s: fields, field_count and opts_size do not fit", h->type);
    for (int64_t i = 0; i < h->field_count; i++) FGTI_TRY(check_field(err, h, &h->fields[i]));
    if (fgti_class_of(ctx, h->type))
        return fgti_fail(err, FGT_E_NAME, "layer type \"%s\" exists already", h->type);
    return FGT_OK;
}

static const char *host_put_text(char **to, const char *s)
{
    char *begin = *to;
    strcpy(begin, s);
    *to += strlen(s) + 1;
    return begin;
}

/* A model file can hold whole numbers up to 2^40. */
static fgti_opt host_option_of(const fgt_layer_field *f, char **text)
{
    const double most = f->kind == FGT_LAYER_FIELD_I64 ? FGTI_OPT_SIZE_MAX : INFINITY;
    return (fgti_opt){.name     = host_put_text(text, f->name),
                      .offset   = f->offset,
                      .kind     = field_kinds[f->kind].kind,
                      .min      = fmax(f->min, -most),
                      .max      = fmin(f->max, most),
                      .standard = f->required ? FGTI_OPT_REQUIRED : f->standard};
}

static void fill_class(host_class *c, const fgt_layer_class *h, fgti_opt *table)
{
    char *text = (char *)(table + h->field_count + 1);
    c->host    = *h;
    c->cls     = (fgti_class){.name        = host_put_text(&text, h->type),
                              .opts        = table,
                              .opts_size   = h->opts_size ? h->opts_size : sizeof(size_t),
                              .detail      = &c->host,
                              .more_inputs = (int32_t)h->more_inputs,
                              .plan        = host_plan,
                              .shape       = host_shape,
                              .flops       = host_flops,
                              .size        = host_size,
                              .forward     = host_forward,
                              .backward    = host_backward};
    for (int64_t i = 0; i < h->field_count; i++) table[i] = host_option_of(&h->fields[i], &text);
    c->host.type   = c->cls.name;
    c->host.fields = NULL; /* belongs to the host */
}

fgt_status fgt_context_add_layer(fgt_context *ctx, const fgt_layer_class *cls)
{
    fgt_layer_class h;
    char           *block;
    if (!ctx) return FGT_E_ARG;
    FGTI_TRY(fgti_opts_read(&ctx->error, "layer class", cls, &h, sizeof h));
    FGTI_TRY(check_class(ctx, &h));
    const size_t tables = sizeof(host_class) + (size_t)(h.field_count + 1) * sizeof(fgti_opt);
    size_t       texts  = strlen(h.type) + 1;
    for (int64_t i = 0; i < h.field_count; i++) texts += strlen(h.fields[i].name) + 1;
    FGTI_TRY(fgti_alloc(ctx, 1, tables + texts, "layer class", (void **)&block));
    host_class *c = (host_class *)(void *)block;
    fill_class(c, &h, (fgti_opt *)(void *)(block + sizeof *c));
    c->owned.next = ctx->owned;
    ctx->owned    = &c->owned;
    return FGT_OK;
}

/* ---- the plan of a layer for the host ---- */

int32_t fgt_layer_plan_count_inputs(const fgt_layer_plan *plan)
{
    return plan ? plan->l->inputs : 0;
}

void fgt_layer_plan_get_input(const fgt_layer_plan *plan, int32_t input, int64_t shape[3])
{
    const bool       is = plan && input >= 0 && input < plan->l->inputs;
    const fgti_shape s  = is ? plan->l->input[input].shape : (fgti_shape){0};
    shape[0]            = s.nodes;
    shape[1]            = s.time;
    shape[2]            = s.width;
}

fgt_status fgt_layer_plan_set_output(fgt_layer_plan *plan, int64_t nodes, int64_t time, int64_t width)
{
    if (!plan) return FGT_E_ARG;
    if (nodes < 1 || time < 1 || width < 1)
        return fgti_fail(&plan->ctx->error, FGT_E_ARG,
                         "the output has an axis below 1 (got [%lld,%lld,%lld])", (long long)nodes,
                         (long long)time, (long long)width);
    plan->l->out = (fgti_shape){nodes, time, width};
    return FGT_OK;
}

fgt_status fgt_layer_plan_add_parameter(fgt_layer_plan *plan, const char *name, int32_t rank,
                                        const int64_t *shape, int32_t init, double scale)
{
    static const fgti_init kinds[] = {FGTI_INIT_ZERO, FGTI_INIT_ONE, FGTI_INIT_UNIFORM, FGTI_INIT_NORMAL,
                                      FGTI_INIT_VALUE};
    if (!plan) return FGT_E_ARG;
    fgti_error *err = &plan->ctx->error;
    const bool good = name && *name && strlen(name) <= 31 && fgti_is_utf8(name);
    if (!good || rank < 1 || rank > FGTI_PARAM_RANK || !shape)
        return fgti_fail(err, FGT_E_ARG,
                         "a parameter needs a name of up to 31 bytes of UTF-8, and 1 to %d axes",
                         FGTI_PARAM_RANK);
    if (init < 0 || (size_t)init >= sizeof kinds / sizeof *kinds)
        return fgti_fail(err, FGT_E_ARG, "parameter %s: init is wrong (got %d, need an fgt_layer_init)", name,
                         (int)init);
    for (int32_t i = 0; i < rank; i++)
        if (shape[i] < 1)
            return fgti_fail(err, FGT_E_ARG, "parameter %s: the shape has an axis below 1", name);
    const bool width = init == FGT_LAYER_INIT_UNIFORM || init == FGT_LAYER_INIT_NORMAL;
    if (!isfinite((float)scale) || (width && scale < 0))
        return fgti_fail(err, FGT_E_ARG,
                         "parameter %s: scale is out of range (got %g, need finite, and not negative for a "
                         "range or deviation)",
                         name, scale);
    return fgti_param_add(plan->ctx, plan->l, name, rank, shape, kinds[init], scale);
}

fgt_status fgt_layer_plan_fail(fgt_layer_plan *plan, fgt_status status, const char *what)
{
    return plan ? fgti_fail(&plan->ctx->error, status, "%s", what ? what : "") : status;
}

/* ---- a pass for the host: its numbers are float; only in the double build of our tests is fgti_real another
 * type ---- */

static float *floats(const fgti_real *p)
{
    return (float *)(uintptr_t)(const void *)p;
}

static bool host_has_input(const fgt_layer_pass *pass, int32_t input)
{
    return input >= 0 && input < pass->l->inputs;
}

void fgt_layer_pass_get_shape(const fgt_layer_pass *pass, int32_t input, int64_t shape[4])
{
    const fgti_shape s = host_has_input(pass, input) ? pass->io->input[input].shape : (fgti_shape){0};
    shape[0]           = host_has_input(pass, input) ? pass->run->batch : 0;
    shape[1]           = s.nodes;
    shape[2]           = s.time;
    shape[3]           = s.width;
}

const float *fgt_layer_pass_get_input(const fgt_layer_pass *pass, int32_t input)
{
    return host_has_input(pass, input) ? floats(pass->io->input[input].x) : NULL;
}

float *fgt_layer_pass_get_output(const fgt_layer_pass *pass)
{
    return floats(pass->io->y);
}

float *fgt_layer_pass_get_output_gradient(const fgt_layer_pass *pass)
{
    return pass->backward ? floats(pass->io->dy) : NULL;
}

float *fgt_layer_pass_get_input_gradient(const fgt_layer_pass *pass, int32_t input)
{
    return pass->backward && host_has_input(pass, input) ? floats(pass->io->input[input].dx) : NULL;
}

const float *fgt_layer_pass_get_parameter(const fgt_layer_pass *pass, int32_t index)
{
    return index >= 0 && index < pass->l->params ? floats(fgti_w(pass->l, pass->io, index)) : NULL;
}

float *fgt_layer_pass_get_parameter_gradient(const fgt_layer_pass *pass, int32_t index)
{
    const bool is = pass->backward && index >= 0 && index < pass->l->params;
    return is ? floats(fgti_dw(pass->l, pass->io, index)) : NULL;
}

float *fgt_layer_pass_get_cache(const fgt_layer_pass *pass)
{
    return floats(pass->io->cache);
}

float *fgt_layer_pass_get_scratch(const fgt_layer_pass *pass)
{
    return floats(pass->io->scratch);
}

int32_t fgt_layer_pass_is_training(const fgt_layer_pass *pass)
{
    return pass->run->training;
}

double fgt_layer_pass_get_random(const fgt_layer_pass *pass, uint64_t index)
{
    return fgti_rng_uniform(fgti_layer_rng(pass->run, pass->l, FGTI_DRAW_OUTPUT), index);
}

typedef struct host_tasks {
    void (*task)(void *arg, int64_t i);
    void *arg;
} host_tasks;

static void host_run_task(void *arg, int64_t i, int32_t worker)
{
    const host_tasks *t = arg;
    (void)worker;
    t->task(t->arg, i);
}

void fgt_layer_pass_run(const fgt_layer_pass *pass, int64_t tasks, void (*task)(void *arg, int64_t i),
                        void *arg)
{
    host_tasks t = {task, arg};
    if (tasks > 0) fgti_parallel(pass->run->exec, tasks, host_run_task, &t);
}

fgt_status fgt_layer_pass_multiply(const fgt_layer_pass *pass, const fgt_layer_product *product)
{
    fgt_layer_product p;
    if (!product) return fgti_fail(pass->run->error, FGT_E_ARG, "product: it is NULL");
    FGTI_TRY(fgti_opts_read(pass->run->error, "fgt_layer_product", product, &p, sizeof p));
    const fgti_gemm g = {.m     = p.m,
                         .n     = p.n,
                         .k     = p.k,
                         .alpha = p.alpha == 0 ? 1 : p.alpha,
                         .beta  = p.beta,
                         .a     = (const fgti_real *)(const void *)p.a,
                         .rsa   = p.a_row,
                         .csa   = p.a_column,
                         .b     = (const fgti_real *)(const void *)p.b,
                         .rsb   = p.b_row,
                         .csb   = p.b_column,
                         .c     = (fgti_real *)(void *)p.c,
                         .ldc   = p.c_row};
    if (!g.a || !g.b || !g.c) return fgti_fail(pass->run->error, FGT_E_ARG, "product: a, b or c is NULL");
    if (g.m < 0 || g.n < 0 || g.k < 0 || g.ldc < g.n)
        return fgti_fail(pass->run->error, FGT_E_ARG,
                         "product: sizes are out of range (got m %lld, n %lld, k %lld, c_row %lld, need 0 or "
                         "more, and c_row at least n)",
                         (long long)g.m, (long long)g.n, (long long)g.k, (long long)g.ldc);
    if (g.m && g.n) fgti_gemm_parallel(pass->run->blas, pass->run->exec, &g);
    return FGT_OK;
}

fgt_status fgt_layer_pass_fail(const fgt_layer_pass *pass, fgt_status status, const char *what)
{
    return fgti_fail(pass->run->error, status, "%s", what ? what : "");
}
