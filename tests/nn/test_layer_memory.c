/* SPDX-License-Identifier: BSD-3-Clause */
/* A layer keeps to the memory it asked for, and reads none of it before it wrote it: every tensor of a pass
 * is a block of its own, of exactly that size, between canaries and full of NaN. What it asks for grows with
 * the pass, because a workspace has the memory of the largest one. */
#include "../model_info.h"
#include "driver.h"
#include "model/layer_kind.h"
#include "model/params.h"
#include "model/pass/pass_io.h"

enum { CANARY = FGTI_ALIGN / sizeof(fgti_real), MOST = 24 };

typedef struct block {
    fgti_real *whole, *data;
    int64_t    n;
    char       what[40];
} block;

typedef struct pass {
    nn_world    *w;
    fgti_run     run;
    fgti_io      io[NN_ALL_LAYERS];
    fgti_operand input[NN_ALL_LAYERS][FGTI_INPUTS_MAX];
    block        blocks[NN_LAYERS * MOST];
    int          count;
} pass;

static fgti_real mark(int64_t i)
{
    return (fgti_real)(12345 + i);
}

static fgti_real *make_block(pass *p, const char *what, int64_t layer, int64_t n)
{
    block *b = &p->blocks[p->count++];
    assert_true(p->count <= NN_LAYERS * MOST);
    snprintf(b->what, sizeof b->what, "%s of layer %lld", what, (long long)layer);
    b->n     = n;
    b->whole = fgti_libc_alloc(NULL, (size_t)(n + 2 * CANARY) * sizeof *b->whole, FGTI_ALIGN);
    assert_non_null(b->whole);
    b->data = b->whole + CANARY;
    for (int64_t i = 0; i < CANARY; i++) b->whole[i] = b->data[n + i] = mark(i);
    for (int64_t i = 0; i < n; i++) b->data[i] = (fgti_real)NAN;
    return b->data;
}

static void free_blocks(pass *p)
{
    for (int i = 0; i < p->count; i++) {
        const block *b = &p->blocks[i];
        for (int64_t k = 0; k < CANARY; k++)
            if (b->whole[k] != mark(k) || b->data[b->n + k] != mark(k))
                fail_msg("%s: written beyond the %s", p->w->what, b->what);
        fgti_libc_release(NULL, b->whole, 0);
    }
}

static fgti_need need_of(const pass *p, const fgti_layer *l, fgti_shape in)
{
    fgti_need need = {0};
    if (l->cls->size) l->cls->size(l, p->w->c.batch, in, &need);
    fgti_axis_size(l, p->w->c.batch, &need);
    return need;
}

static void make_io(pass *p, int64_t i)
{
    const fgti_layer *l     = p->w->model->layer[i];
    const int64_t     batch = p->w->c.batch, workers = p->run.exec->workers;
    fgti_io           io   = fgti_pass_io(p->w->model->own, i);
    const fgti_need   need = need_of(p, l, io.in);
    for (int32_t k = 0; k < l->inputs; k++) {
        const int64_t from = l->input[k].from;
        p->input[i][k]     = io.input[k];
        if (from >= 0 && !p->w->model->layer[from]->cls->is_value) p->input[i][k].x = p->io[from].y;
    }
    io.input        = p->input[i];
    io.x            = io.input->x;
    io.y            = make_block(p, "y", i, fgti_elements(batch, io.out));
    io.cache        = make_block(p, "cache", i, need.cache);
    io.scratch      = make_block(p, "scratch", i, need.scratch);
    io.arena_stride = (need.arena + CANARY - 1) / CANARY * CANARY;
    io.arena        = make_block(p, "worker", i, io.arena_stride * workers);
    io.peer_cache   = l->peer ? p->io[l->peer->id].cache : NULL;
    for (int32_t k = 0; k < l->states; k++) {
        const int64_t n = l->state[k].outer * l->state[k].inner * batch;
        io.state_end[k] = make_block(p, "state", i, n);
        io.dstate[k]    = make_block(p, "gradient of a state", i, n);
    }
    p->io[i] = io;
}

static fgti_run run_of(const pass *p, int64_t i)
{
    fgti_run run = fgti_pass_run(p->w->model->own, i);
    run.training = run.differentiable = true;
    return run;
}

static void forward(pass *p)
{
    const fgt_model *m = p->w->model;
    for (int64_t i = 0; i < m->layers; i++) {
        if (m->layer[i]->cls->is_value) continue;
        make_io(p, i);
        const fgti_run run = run_of(p, i);
        nn_ok(p->w, fgti_axis_forward(&run, m->layer[i], &p->io[i]));
    }
    nn_same(p->w, "y from blocks", p->w->y_count, p->io[m->last].y, p->w->y);
}

/* Scratch is for one call: nothing of the forward pass may be needed. */
static void spoil_scratch(pass *p)
{
    for (int i = 0; i < p->count; i++)
        if (!strncmp(p->blocks[i].what, "scratch", 7) || !strncmp(p->blocks[i].what, "worker", 4)) {
            fgti_red_zone_lift(p->blocks[i].data, p->blocks[i].n * (int64_t)sizeof(fgti_real));
            for (int64_t k = 0; k < p->blocks[i].n; k++) p->blocks[i].data[k] = (fgti_real)NAN;
        }
}

/* Gradients of what the layer reads go to blocks of their own, and from there to what others have left. */
static void layer_backward(pass *p, int64_t i, fgti_real **gradient)
{
    const fgti_layer *l  = p->w->model->layer[i];
    fgti_io          *io = &p->io[i];
    const fgti_run    run  = run_of(p, i);
    const fgti_need   need = need_of(p, l, io->in);
    io->dy                 = gradient[i + 1];
    io->scratch            = make_block(p, "scratch of backward", i,
                                        need.backward > need.scratch ? need.backward : need.scratch);
    for (int32_t k = 0; k < l->inputs; k++)
        if (!fgti_input_is_ids(l->cls, k) && fgti_layer_reads(l, k))
            p->input[i][k].dx = make_block(p, "dx", i, fgti_elements(p->w->c.batch, io->input[k].shape));
    io->dx = io->input->dx;
    nn_ok(p->w, fgti_axis_backward(&run, l, io));
    for (int32_t k = 0; k < l->inputs; k++) {
        const fgti_operand *in = &io->input[k];
        fgti_real         **to = &gradient[l->input[k].from + 1];
        if (*to && in->dx)
            fgti_add(&run, fgti_elements(p->w->c.batch, in->shape), in->dx, *to);
        else if (in->dx)
            *to = in->dx;
    }
}

/* A gradient that nobody has left yet: a layer that another one undoes runs with no more than what that one
 * left in its cache, too. */
static fgti_real *nothing(pass *p, int64_t i)
{
    const int64_t n = fgti_elements(p->w->c.batch, p->io[i].out);
    fgti_real    *g = make_block(p, "dy", i, n);
    memset(g, 0, (size_t)n * sizeof *g);
    return g;
}

/* The gradient of a further loss comes to what the readers have left. */
static void add_loss(pass *p, int64_t i, fgti_real **gradient)
{
    const nn_world *w = p->w;
    const int64_t   n = fgti_elements(w->c.batch, p->io[i].out);
    for (int k = 0; k < NN_LOSSES; k++) {
        if (!w->c.loss[k] || strcmp(w->c.loss[k], w->model->layer[i]->name) != 0) continue;
        if (!*gradient) *gradient = nothing(p, i);
        const fgti_run run = run_of(p, i);
        fgti_add(&run, n, w->d.loss[k], *gradient);
    }
}

static void backward(pass *p)
{
    nn_world        *w                           = p->w;
    const fgt_model *m                           = w->model;
    fgti_real       *gradient[NN_ALL_LAYERS + 1] = {0};
    spoil_scratch(p);
    gradient[m->last + 1] = w->d.dy;
    for (int64_t i = m->layers - 1; i >= 0; i--) {
        add_loss(p, i, &gradient[i + 1]);
        if (w->model->own->slot[i].undone && !gradient[i + 1]) gradient[i + 1] = nothing(p, i);
        if (!m->layer[i]->cls->is_value && gradient[i + 1]) layer_backward(p, i, gradient);
    }
    if (w->c.features) nn_same(w, "dx from blocks", w->x_count, gradient[0], w->dx);
}

/* The model's own pass is the reference. */
static void check(const char *cls, const nn_case *c)
{
    nn_world w = {.threads = 2};
    pass     p = {.w = &w};
    nn_open(&w, cls, c);
    nn_ok(&w, nn_forward(&w));
    p.run = w.model->own->last;
    nn_ok(&w, nn_backward(&w));
    const int64_t size  = model_info(w.model).parameters;
    fgti_real    *grads = nn_memory(size, sizeof *grads);
    memcpy(grads, w.model->gradients, (size_t)size * sizeof *grads);
    if (size) nn_ok(&w, fgt_model_clear_gradients(w.model));
    forward(&p);
    backward(&p);
    const fgti_layer *l;
    const fgti_param *parameter;
    for (int64_t i = 0; (parameter = fgti_param_at(w.model, i, &l)); i++)
        if (!parameter->frozen)
            nn_same(&w, parameter->full_name, parameter->count, w.model->gradients + parameter->offset,
                    grads + parameter->offset);
    free(grads);
    free_blocks(&p);
    nn_close(&w);
}

static void test_layer_memory(void **state)
{
    (void)state;
    nn_each(check);
}

/* ---- shorter passes ---- */

enum { LONG = 140 }; /* more tokens than any block has rows */

static fgti_need need_at(const fgti_layer *l, int64_t batch, int64_t time)
{
    fgti_need  need = {0};
    fgti_shape in   = l->in;
    in.time         = time;
    l->cls->size(l, batch, in, &need);
    if (need.backward < need.scratch) need.backward = need.scratch;
    return need;
}

/* The least of each part that a pass with one token or sample more needs. */
static void check_pass(const nn_world *w, const fgti_layer *l, int64_t batch, int64_t time,
                       const fgti_need *less)
{
    const fgti_need more = need_at(l, batch, time);
    if (more.cache < less->cache || more.scratch < less->scratch || more.backward < less->backward ||
        more.arena < less->arena)
        fail_msg("%s: %s needs less memory for %lld samples of %lld tokens than for a smaller pass", w->what,
                 l->cls->name, (long long)batch, (long long)time);
}

static void check_growth(const char *cls, const nn_case *c)
{
    nn_world w = {.threads = 1, .more_batch = 2, .more_time = c->holds & NN_SHORTER ? LONG : 0};
    nn_prepare(&w, cls, c);
    for (int i = 0; i < nn_build_steps(&w); i++)
        if (nn_build_step(&w, i)) break; /* a table of positions is too short for so many tokens */
    for (int64_t i = 0; i < w.model->layers; i++) {
        const fgti_layer *l     = w.model->layer[i];
        const int64_t     batch = w.model->opts.batch;
        for (int64_t time = 1; l->cls->size && time <= l->in.time; time++)
            for (int64_t b = 1; b <= batch; b++) {
                const fgti_need need = need_at(l, b, time);
                if (time < l->in.time) check_pass(&w, l, b, time + 1, &need);
                if (b < batch) check_pass(&w, l, b + 1, time, &need);
            }
    }
    nn_close(&w);
}

static void test_growth(void **state)
{
    (void)state;
    nn_each(check_growth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_layer_memory), cmocka_unit_test(test_growth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
