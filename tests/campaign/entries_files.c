/* SPDX-License-Identifier: BSD-3-Clause */
/* The table's lines: what is saved and loaded, by path, in memory and through the host's functions. */
#include <stdlib.h>
#include <string.h>

#include <fighter/experimental/ensemble.h>
#include <fighter/experimental/small.h>

#include "entries.h"

/* ---- the host's functions ---- */

static fgt_status take(void *user, const void *data, int64_t size)
{
    see(user, data, (size_t)size);
    return FGT_OK;
}

static fgt_writer writer_to(world *w)
{
    return (fgt_writer){.size = sizeof(fgt_writer), .write = take, .user = w};
}

static fgt_status give(void *user, int64_t offset, void *buffer, int64_t size, int64_t *count)
{
    const bytes  *b = user;
    const int64_t n = b->size - offset < size ? b->size - offset : size;
    if (n > 0) memcpy(buffer, b->data + offset, (size_t)n);
    *count = n > 0 ? n : 0;
    return FGT_OK;
}

static fgt_reader reader_of(bytes *b)
{
    return (fgt_reader){.size = sizeof(fgt_reader), .read = give, .user = b};
}

/* The memory is on the stack: no allocation of the test's own is to fail. */
#define SAVE_MEMORY(w, kind, object)                                                  \
    do {                                                                              \
        char    data_[20000];                                                         \
        int64_t size_ = 0;                                                            \
        TRY(fgt_##kind##_save((object), FGT_TO_MEMORY(data_, sizeof data_, &size_))); \
        see((w), data_, (size_t)size_);                                               \
    } while (0)

/* ---- models ---- */

static fgt_status see_model(world *w)
{
    SEE(w, (uint64_t){fgt_model_get_hash(w->made.model)});
    return FGT_OK;
}

static fgt_status model_save(world *w)
{
    return fgt_model_save(w->fresh.model, FGT_TO_FILE(in(w, "out")));
}

static fgt_status model_save_memory(world *w)
{
    char    data[20000];
    int64_t size = 0;
    TRY(fgt_model_save(w->fresh.model, FGT_TO_MEMORY(data, sizeof data, &size)));
    see(w, data, (size_t)size);
    return FGT_OK;
}

static fgt_status model_save_to(world *w)
{
    const fgt_writer writer = writer_to(w);
    return fgt_model_save(w->fresh.model, &FGT_OPTS(fgt_output, .writer = &writer));
}

static fgt_status model_load(world *w)
{
    MAKE(model, fgt_model_load(w->ctx, FGT_FROM_FILE(in(w, "graph")), NULL, &w->made.model));
    return see_model(w);
}

static fgt_status model_load_memory(world *w)
{
    MAKE(model, fgt_model_load(w->ctx, FGT_FROM_MEMORY(w->graph.data, w->graph.size), NULL, &w->made.model));
    return see_model(w);
}

static fgt_status model_load_from(world *w)
{
    const fgt_reader reader = reader_of(&w->graph);
    MAKE(model, fgt_model_load(w->ctx, &FGT_OPTS(fgt_input, .reader = &reader), NULL, &w->made.model));
    return see_model(w);
}

/* ---- weights ---- */

static fgt_status see_weights(world *w)
{
    SEE(w, (uint64_t){fgt_model_get_hash(w->fresh.model)});
    return FGT_OK;
}

static fgt_status weights_load(world *w)
{
    TRY(fgt_model_load_weights(w->fresh.model, FGT_FROM_FILE(in(w, "graph"))));
    return see_weights(w);
}

static fgt_status weights_load_memory(world *w)
{
    TRY(fgt_model_load_weights(w->fresh.model, FGT_FROM_MEMORY(w->graph.data, w->graph.size)));
    return see_weights(w);
}

static fgt_status weights_load_from(world *w)
{
    const fgt_reader reader = reader_of(&w->graph);
    TRY(fgt_model_load_weights(w->fresh.model, &FGT_OPTS(fgt_input, .reader = &reader)));
    return see_weights(w);
}

static fgt_status checkpoint_load(world *w)
{
    int64_t              place = 0;
    const fgt_optim_opts adam  = {.size = sizeof adam};
    MAKE(optim, fgt_optim_create(w->fresh.model, &adam, &w->made.optim));
    const fgt_status s = fgt_checkpoint_load(
        &FGT_OPTS(fgt_checkpoint, .optim = w->made.optim, .data = &place, .data_size = sizeof place),
        in(w, "loop"));
    if (s != FGT_OK && place) broken("the host's data have changed");
    TRY(s);
    SEE(w, place);
    return see_weights(w);
}

/* ---- forecasters and classifiers ---- */

#define SAVED_AND_LOADED(kind)                                                                   \
    static fgt_status kind##_save(world *w)                                                      \
    {                                                                                            \
        return fgt_##kind##_save(w->fresh.kind, FGT_TO_FILE(in(w, "out")));                      \
    }                                                                                            \
    static fgt_status kind##_save_memory(world *w)                                               \
    {                                                                                            \
        SAVE_MEMORY(w, kind, w->fresh.kind);                                                     \
        return FGT_OK;                                                                           \
    }                                                                                            \
    static fgt_status kind##_save_to(world *w)                                                   \
    {                                                                                            \
        const fgt_writer writer = writer_to(w);                                                  \
        return fgt_##kind##_save(w->fresh.kind, &FGT_OPTS(fgt_output, .writer = &writer));       \
    }                                                                                            \
    static fgt_status see_##kind(world *w)                                                       \
    {                                                                                            \
        SEE(w, (uint64_t){fgt_model_get_hash(fgt_##kind##_get_model(w->made.kind))});            \
        return FGT_OK;                                                                           \
    }                                                                                            \
    static fgt_status kind##_load(world *w)                                                      \
    {                                                                                            \
        MAKE(kind, fgt_##kind##_load(w->ctx, FGT_FROM_FILE(in(w, #kind)), NULL, &w->made.kind)); \
        return see_##kind(w);                                                                    \
    }                                                                                            \
    static fgt_status kind##_load_memory(world *w)                                               \
    {                                                                                            \
        const fgt_input *const from = FGT_FROM_MEMORY(w->kind.data, w->kind.size);               \
        MAKE(kind, fgt_##kind##_load(w->ctx, from, NULL, &w->made.kind));                        \
        return see_##kind(w);                                                                    \
    }                                                                                            \
    static fgt_status kind##_load_from(world *w)                                                 \
    {                                                                                            \
        const fgt_reader reader = reader_of(&w->kind);                                           \
        const fgt_input  from   = {.size = sizeof from, .reader = &reader};                      \
        MAKE(kind, fgt_##kind##_load(w->ctx, &from, NULL, &w->made.kind));                       \
        return see_##kind(w);                                                                    \
    }

SAVED_AND_LOADED(forecaster)
SAVED_AND_LOADED(classifier)

static fgt_status classifier_save_few(world *w)
{
    return fgt_classifier_save_small(w->fresh.classifier, 3, FGT_TO_FILE(in(w, "out")));
}

static fgt_status forecaster_mean(world *w)
{
    fgt_forecaster *const members[] = {w->fresh.forecaster, w->fresh.forecaster};
    MAKE(forecaster, fgt_forecaster_create_mean(w->ctx, members, 2, &w->made.forecaster));
    return see_forecaster(w);
}

static const entry entries[] = {
    {"fgt_model_save", model_save, GRAPH | WRITES},
    {"fgt_model_save", model_save_memory, GRAPH},
    {"fgt_model_save", model_save_to, GRAPH},
    {"fgt_model_load", model_load, READS},
    {"fgt_model_load", model_load_memory, 0},
    {"fgt_model_load", model_load_from, 0},
    {"fgt_model_load_weights", weights_load, GRAPH | READS},
    {"fgt_model_load_weights", weights_load_memory, GRAPH},
    {"fgt_model_load_weights", weights_load_from, GRAPH},
    {"fgt_checkpoint_load", checkpoint_load, CHAIN | READS},
    {"fgt_forecaster_save", forecaster_save, FORECASTER | WRITES},
    {"fgt_forecaster_save", forecaster_save_memory, FORECASTER},
    {"fgt_forecaster_save", forecaster_save_to, FORECASTER},
    {"fgt_forecaster_create_mean", forecaster_mean, FORECASTER},
    {"fgt_forecaster_load", forecaster_load, READS},
    {"fgt_forecaster_load", forecaster_load_memory, 0},
    {"fgt_forecaster_load", forecaster_load_from, 0},
    {"fgt_classifier_save", classifier_save, CLASSIFIER | WRITES},
    {"fgt_classifier_save", classifier_save_memory, CLASSIFIER},
    {"fgt_classifier_save", classifier_save_to, CLASSIFIER},
    {"fgt_classifier_save_small", classifier_save_few, CLASSIFIER | WRITES},
    {"fgt_classifier_load", classifier_load, READS},
    {"fgt_classifier_load", classifier_load_memory, 0},
    {"fgt_classifier_load", classifier_load_from, 0},
};

const entry_table files_entries = {entries, LENGTH(entries)};
