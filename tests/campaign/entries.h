/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_CAMPAIGN_ENTRIES_H
#define TESTS_CAMPAIGN_ENTRIES_H

/* Every function of the public interface, in calls that can be repeated. The programs of the campaign walk
 * this table: with allocations, reads, writes or threads that fail, in a child of fork(), on a small stack.
 * Adding a function to symbols.map without a line here fails the test `entries`. */

#include <stdbool.h>
#include <stdio.h>

#include <fighter/experimental/arrays.h>
#include <fighter/experimental/layer.h>
#include <fighter/experimental/ntk.h>
#include <fighter/experimental/report.h>
#include <fighter/experimental/series.h>
#include <fighter/experimental/tracker.h>
#include <fighter/experimental/vit.h>
#include <fighter/fighter.h>
#include <fighter/tasks.h>

enum { B = 2, T = 4, D = 3, OUT = 2, ROWS = 48, COLUMNS = 3, TEXTS = 12, SAMPLES = 4 };

typedef struct bytes {
    char   *data;
    int64_t size;
} bytes;

/* Objects that a call makes. They are destroyed after the call, whatever became of it. */
typedef struct things {
    fgt_context    *context; /* destroyed last: the others may belong to it */
    fgt_model      *model;
    fgt_workspace  *workspace;
    fgt_predictor  *predictor;
    fgt_optim      *optim;
    fgt_attent     *attent;
    fgt_arrays             *arrays;
    fgt_ntk        *ntk;
    fgt_adjacency  *adjacency;
    fgt_tracker    *tracker;
    fgt_table      *table;
    fgt_series             *series;
    fgt_scaler     *scaler;
    fgt_windows    *windows;
    fgt_graph      *graph;
    fgt_corpus     *corpus;
    fgt_vocab      *vocab;
    fgt_encoding   *encoding;
    fgt_forecaster *forecaster;
    fgt_masked_autoencoder *masked;
    fgt_classifier *classifier;
    fgt_report     *report;
    fgt_images     *images;
} things;

#define FILES 18 /* that calls read */

typedef struct world {
    fgt_context_opts opts; /* of its context, and of those that calls make */
    fgt_context     *ctx;
    char             dir[64], path[8][128];
    int32_t          next_path;
    uint64_t         digest; /* of what the call gave */
    char             old[256];  /* the sentence that the context had before the call */
    char             said[256]; /* the sentence of a workspace whose call failed; "": it is in the context */
    things           all;    /* made once, for calls that only read them */
    things           fresh;  /* made before each call that asks for them */
    things           made;   /* by the call */
    bytes            graph, chain, forecaster, classifier; /* the files that `fresh` is made from */
    bytes            file[FILES];
} world;

enum {
    QUIET      = 1,   /* allocates nothing */
    GRAPH      = 2,   /* needs fresh.model, with branches, a value and a state */
    CHAIN      = 4,   /* needs fresh.model, a chain */
    FORECASTER = 8,   /* needs fresh.forecaster */
    CLASSIFIER = 16,  /* needs fresh.classifier */
    READS      = 32,  /* a file */
    WRITES     = 64,  /* the file "out" */
    TRAINS     = 128, /* may succeed without the memory or the disk for a checkpoint */
    NO_TEXT    = 256, /* its errors have no sentence: there is no context yet */
    MOVES      = 512  /* it reads while it trains: an error then leaves the weights of the training so far */
};

typedef struct entry {
    const char *names; /* of the functions that the call is about, separated by blanks */
    fgt_status (*call)(world *w);
    int32_t needs;
} entry;

typedef struct entry_table {
    const entry *entry;
    int64_t      count;
} entry_table;

extern const entry_table data_entries, text_entries, image_entries, model_entries, train_entries,
    analysis_entries, report_entries, files_entries, adapter_entries;

/* Entry number i, NULL behind the last one. */
const entry *entry_at(int64_t i);

/* ---- the world ---- */

/* Ends the program with a sentence; what it was doing is said by entry_now(). */
_Noreturn void broken(const char *format, ...) __attribute__((format(printf, 1, 2)));
void           entry_now(const char *what, int64_t number);
void           must(fgt_context *ctx, fgt_status s);

/* opts->size 0: a context of the default kind. */
void world_open(world *w, const fgt_context_opts *opts);
void world_close(world *w);
/* Destroys what is in memory and lets the files be: for a child of fork(). */
void world_leave(world *w);
/* Writes the files that calls read once more. */
void world_restore(world *w);

/* One call: entry_before() makes what it needs and an old file "out" that nobody else may read, entry_after()
 * destroys what it made. */
void        entry_before(world *w, const entry *e);
fgt_status  entry_call(world *w, const entry *e);
const char *entry_error(const world *w); /* the sentence of this call, "" if there is none */
void        entry_undo(world *w); /* destroys only what the call made */
/* Makes a call again that has failed: what it was given must be as before, and it must give this digest. */
void        entry_repeat(world *w, const entry *e, uint64_t given, uint64_t digest);
void        entry_after(world *w);
/* For entries: keeps the sentence of a workspace whose call failed. */
void entry_said(world *w, fgt_status s, const char *text);
/* All three; fails unless the status is FGT_OK. The digest of what it gave. */
uint64_t entry_run(world *w, const entry *e);

/* A number that says whether what a call was given is as before: weights, shape, layers, options. */
uint64_t entry_given(const world *w);

/* Whether "out" is the old file; the one that a call without faults writes. */
bool is_old_file(bytes now);
bool is_new_file(const entry *e, bytes now, bytes whole);

/* ---- for the entries ---- */

/* A path in the world's directory; the last eight stay valid. */
const char *in(world *w, const char *name);
void        see(world *w, const void *data, size_t size);
void        see_text(world *w, const char *text);
void        see_view(world *w, const fgt_view *v);

#define SEE(w, value) see((w), &(value), sizeof(value))
#define TRY(call)                              \
    do {                                       \
        const fgt_status try_ = (call);        \
        if (try_ != FGT_OK) return try_;       \
    } while (0)
/* A call that makes w->made.thing; on error the handle must be NULL. */
#define MAKE(thing, call)                                                     \
    do {                                                                      \
        w->made.thing          = (void *)w;                                   \
        const fgt_status make_ = (call);                                      \
        if (make_ != FGT_OK && w->made.thing) broken("the handle is not NULL"); \
        if (make_ != FGT_OK) return make_;                                    \
    } while (0)
#define LENGTH(array) ((int64_t)(sizeof(array) / sizeof *(array)))

/* Inputs, targets and names that never change. */
extern float             sample_x[B * T * D], sample_y[B * T * OUT], sample_known[B * T * D];
extern const char *const sample_texts[TEXTS], *const sample_classes[TEXTS];

fgt_source   sample_source(void);
bytes        read_whole(const char *path); /* data NULL: there is no such file; else to be freed */
void         write_whole(const char *path, const void *data, size_t size);

#endif
