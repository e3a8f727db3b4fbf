/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls on a finished model with branches, in which every allocation fails once: FGT_E_NOMEM and a sentence,
 * nothing leaks, the model is as before, and the call works when it is repeated. Building and passes have
 * their sweep in tests/nn/test_alloc_sweep.c. */
#include "../model_info.h"
#include "branches.h"

typedef struct world {
    fgt_model *m, *other; /* other: the same layers with other weights, to be loaded */
    char      *file;
    int64_t    bytes;
} world;

/* A file of the graph whose weights are not those that a new graph has. */
static void open_world(world *w)
{
    *w = (world){.m = NULL};
    OK(make_graph(ctx, &w->m));
    OK(make_graph(ctx, &w->other));
    for (int64_t i = 0; i < model_info(w->other).parameters; i++) w->other->weights[i] += 1;
    OK(fgt_model_save(w->other, FGT_TO_FILE(in_directory("other"))));
    OK(fgt_model_save(w->other, FGT_TO_MEMORY(NULL, 0, &w->bytes)));
    w->file = malloc((size_t)w->bytes);
    assert_non_null(w->file);
    OK(fgt_model_save(w->other, FGT_TO_MEMORY(w->file, w->bytes, &w->bytes)));
}

static void close_world(world *w)
{
    free(w->file);
    fgt_model_destroy(&w->other);
    fgt_model_destroy(&w->m);
}

/* least: so many allocations there are. */
static void sweep(fgt_status (*call)(world *w), int64_t least)
{
    world      w;
    fgt_status s;
    open_world(&w);
    const uint64_t before = fgt_model_get_hash(w.m);
    SWEEP(&memory, s, least, call(&w))
    {
        NOTHING_LEAKS;
        assert_true(fgt_model_get_hash(w.m) == before);
    }
    close_world(&w);
}

/* ---- files ---- */

static fgt_status save(world *w)
{
    return fgt_model_save(w->m, FGT_TO_FILE(in_directory("saved")));
}

static fgt_status save_memory(world *w)
{
    return fgt_model_save(w->m, FGT_TO_MEMORY(w->file, w->bytes, &w->bytes));
}

static fgt_status swallow(void *user, const void *data, int64_t bytes)
{
    (void)user, (void)data, (void)bytes;
    return FGT_OK;
}

static fgt_status save_to(world *w)
{
    const fgt_writer writer = {.size = sizeof writer, .write = swallow};
    return fgt_model_save(w->m, &FGT_OPTS(fgt_output, .writer = &writer));
}

static fgt_status give_bytes(void *user, int64_t offset, void *buffer, int64_t bytes, int64_t *count)
{
    const world  *w = user;
    const int64_t n = fgti_least(w->bytes - offset, bytes);
    if (n > 0) memcpy(buffer, w->file + offset, (size_t)n);
    *count = n > 0 ? n : 0;
    return FGT_OK;
}

static fgt_reader reader_of(world *w)
{
    return (fgt_reader){.size = sizeof(fgt_reader), .read = give_bytes, .user = w};
}

/* A model that was loaded has the weights of the file. */
static fgt_status check_loaded(world *w, fgt_status s, fgt_model **m)
{
    if (s != FGT_OK) assert_null(*m);
    if (s == FGT_OK) assert_true(fgt_model_get_hash(*m) == fgt_model_get_hash(w->other));
    fgt_model_destroy(m);
    return s;
}

static fgt_status load(world *w)
{
    fgt_model *m = w->m;
    return check_loaded(w, fgt_model_load(ctx, FGT_FROM_FILE(in_directory("other")), NULL, &m), &m);
}

static fgt_status load_memory(world *w)
{
    fgt_model *m = w->m;
    return check_loaded(w, fgt_model_load(ctx, FGT_FROM_MEMORY(w->file, w->bytes), NULL, &m), &m);
}

static fgt_status load_from(world *w)
{
    fgt_model       *m = w->m;
    const fgt_reader r = reader_of(w);
    return check_loaded(w, fgt_model_load(ctx, &FGT_OPTS(fgt_input, .reader = &r), NULL, &m), &m);
}

static fgt_status load_weights(world *w)
{
    return fgt_model_load_weights(w->m, FGT_FROM_FILE(in_directory("other")));
}

static fgt_status load_weights_memory(world *w)
{
    return fgt_model_load_weights(w->m, FGT_FROM_MEMORY(w->file, w->bytes));
}

static fgt_status load_weights_from(world *w)
{
    const fgt_reader r = reader_of(w);
    return fgt_model_load_weights(w->m, &FGT_OPTS(fgt_input, .reader = &r));
}

static void models_are_written(void **state)
{
    (void)state;
    sweep(save, 3);
    sweep(save_memory, 3);
    sweep(save_to, 3);
}

static void models_are_read(void **state)
{
    (void)state;
    sweep(load, 40); /* the file's tables, 13 layers, their names, options and parameters */
    sweep(load_memory, 40);
    sweep(load_from, 40);
}

static void weights_are_read(void **state)
{
    (void)state;
    sweep(load_weights, 3);
    sweep(load_weights_memory, 2);
    sweep(load_weights_from, 3);
}

/* ---- memory ---- */

/* It has no status: -1 says that it failed. */
static void the_size_of_a_workspace(void **state)
{
    fgt_model *m;
    long       k = 0;
    int64_t    want, got = -1;
    (void)state;
    OK(make_graph(ctx, &m));
    want = fgt_model_get_workspace_bytes(m, NULL);
    assert_true(want > 0);
    while (got < 0) {
        const int64_t live = memory.live;
        memory.countdown    = ++k;
        got                 = fgt_model_get_workspace_bytes(m, NULL);
        const bool fell = memory.countdown == 0;
        memory.countdown  = 0;
        assert_int_equal(got, fell ? -1 : want);
        assert_int_equal(memory.live, live);
    }
    assert_true(k > 2);
    fgt_model_destroy(&m);
}

static fgt_status workspace(world *w)
{
    fgt_workspace   *ws = (fgt_workspace *)w;
    const fgt_status s  = fgt_model_create_workspace(w->m, NULL, &ws);
    if (s != FGT_OK) assert_null(ws);
    fgt_workspace_destroy(&ws);
    return s;
}

static void workspaces_are_made(void **state)
{
    (void)state;
    sweep(workspace, 3);
}

/* ---- the table ---- */

static fgt_status describe(world *w)
{
    char             text[4000] = "as before";
    int64_t          bytes      = -3;
    const fgt_status s          = fgt_model_describe(w->m, text, sizeof text, &bytes);
    if (s != FGT_OK) assert_true(bytes == -3 && !strcmp(text, "as before"));
    if (s == FGT_OK) assert_int_equal(bytes, strlen(text) + 1);
    return s;
}

static void models_are_described(void **state)
{
    (void)state;
    sweep(describe, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_BOTH(models_are_written),
        WITH_BOTH(models_are_read),
        WITH_BOTH(weights_are_read),
        WITH_BOTH(the_size_of_a_workspace),
        WITH_BOTH(workspaces_are_made),
        WITH_BOTH(models_are_described),
    };
    return cmocka_run_group_tests(tests, NULL, remove_directory);
}
