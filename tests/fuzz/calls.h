/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUZZ_CALLS_H
#define FUZZ_CALLS_H

/* Calls of the public interface in any order, with arguments that are right most of the time. The bytes of
 * the input choose them. A new call is one function and one line of a table, in calls_model.c, calls_train.c,
 * calls_analysis.c, calls_data.c, calls_text.c, calls_forecast.c, calls_report.c or calls_images.c.
 * Within one expression compilers may take the bytes in different orders, so an input means the same calls
 * only with the same compiler. */

#include <stdlib.h>

#include <fighter/experimental/evaluate.h>
#include <fighter/experimental/ntk.h>
#include <fighter/experimental/report.h>
#include <fighter/experimental/tracker.h>
#include <fighter/fighter.h>
#include <fighter/tasks.h>

#include "fuzz.h"

enum { MODELS = 2, FILE_MAX = 1 << 16 };

/* One place for each kind of object; an empty place is a NULL handle. Optimiser, workspace and tracker i are
 * of model i, and go before it. */
typedef struct world {
    const uint8_t *data; /* bytes that are left */
    size_t         size;
    fgt_context   *ctx;
    int            depth;   /* calls inside of which a callback calls */
    bool           refused; /* a call was, so that all weights must be as before */

    fgt_model      *model[MODELS];
    fgt_optim      *optim[MODELS];
    fgt_workspace  *ws[MODELS];
    fgt_ntk        *ntk[MODELS];
    fgt_adjacency  *adjacency[MODELS];
    fgt_tracker    *tracker[MODELS];
    fgt_attent     *attent;
    fgt_graph      *graph;
    fgt_table      *table;
    fgt_scaler     *scaler;
    fgt_windows    *windows;
    fgt_corpus     *corpus;
    fgt_vocab      *vocab;
    fgt_encoding   *encoding;
    fgt_forecaster *forecaster;
    fgt_classifier *classifier;
    fgt_report     *report;
    fgt_images     *images;
    fgt_calibration *calibration;

    uint8_t file[FILE_MAX]; /* what was saved last */
    int64_t bytes;
} world;

typedef struct operation {
    const char *name;
    void (*run)(world *w);
    bool inside;  /* callbacks may do it: it destroys nothing and creates nothing */
    bool changes; /* a refused call may leave other weights; for all others it must not */
} operation;

typedef struct operations {
    const operation *list;
    size_t           count;
} operations;

extern const operations calls_of_models, calls_of_training, calls_of_data, calls_of_texts, calls_of_forecasts,
    calls_of_analysis, calls_of_reports, calls_of_images, calls_of_adapters;

/* Makes what the bits say: models, an optimiser, a selector, a table, texts. */
void calls_start(world *w, unsigned bits);

/* ---- the rules (fuzz_calls.c) ---- */

/* Every call goes through here: a refused one leaves a sentence, and one that succeeds leaves none. A call
 * without a handle has no place for a sentence. */
void calls_say(world *w, bool handle, fgt_status s);
/* Calls that found the arguments may have left a sentence. */
void calls_clear(world *w);
#define CALL(call)        (calls_clear(w), call)
#define SAY(handle, call) calls_say(w, (handle) != NULL, CALL(call))
/* One more call from within a callback. */
void calls_nested(world *w);
/* The k-th allocation from now on fails. */
void calls_fail_allocation(int64_t k);
/* All objects of a model, and the model. */
void calls_drop_model(world *w, int i);

/* Makes a class of layers known whose plan() calls on. */
fgt_status calls_add_class(fgt_context *ctx);

/* ---- arguments (calls_args.c) ---- */

/* The next byte, 0 when none is left. */
static inline unsigned take(world *w)
{
    if (!w->size) return 0;
    w->size--;
    return *w->data++;
}

/* 0 .. n-1 */
static inline int32_t pick(world *w, int32_t n)
{
    return (int32_t)take(w) % n;
}

static inline int place(world *w)
{
    return !pick(w, 8); /* mostly the first */
}

/* A size: small, or negative, or huge. */
int64_t draw_size(world *w);
double  draw_real(world *w);
/* The progress of a training, which is rarely stopped; user is the world. */
int draw_stop(void *user, const fgt_progress *p);
/* The name of a layer or parameter of m, or of none. NULL is possible. */
const char *draw_name(world *w, fgt_model *m);
const char *draw_text(world *w);
fgt_layer   draw_layer(world *w);
/* A view like `right`, or unlike it; of any shape if right is NULL. Its data are to be read, or (out) written
 * to, and NULL if the shape is larger than what there is. */
fgt_view draw_view(world *w, const fgt_view *right, bool out);
/* v, or rarely NULL. */
fgt_view *draw_null(world *w, fgt_view *v);
/* Reads all elements of a view that the library gave. */
void touch(const fgt_view *v);

#endif
