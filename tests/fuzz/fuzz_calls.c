/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of the public interface in any order, the end of memory included. Whatever is called, the library
 * lives, says why it refuses something, changes nothing then, and gives all its memory back. */
#include <stdio.h>
#include <string.h>

#include <fighter/experimental/evaluate.h>
#include <fighter/experimental/ntk.h>
#include <fighter/experimental/report.h>
#include <fighter/experimental/tracker.h>

#include "calls.h"
#include "core/context.h"

enum { CALLS = 60, BLOCK_MAX = 1 << 20, MEMORY_MAX = 1 << 24, DEPTH = 2 };

/* ---- memory: little, so that huge sizes that are legal are refused soon ---- */

static int64_t live, countdown;
static bool    limited; /* the context, which has much for BLIS, is there */

static void *allocate(void *user, size_t size, size_t align)
{
    (void)user;
    if (countdown > 0 && --countdown == 0) return NULL;
    if (limited && (size > BLOCK_MAX || live + (int64_t)size > MEMORY_MAX)) return NULL;
    void *p = fgti_libc_alloc(NULL, size, align);
    if (p) live += (int64_t)size;
    return p;
}

static void release(void *user, void *p, size_t size)
{
    live -= (int64_t)size;
    fgti_libc_release(user, p, size);
}

void calls_fail_allocation(int64_t k)
{
    countdown = k;
}

/* ---- the rules ---- */

static const operation *running;

static _Noreturn void broken(const world *w, fgt_status s, const char *rule)
{
    fprintf(stderr, "%s: %s: %s: \"%s\"\n", running->name, fgt_status_get_name(s), rule,
            fgt_context_get_error(w->ctx));
    abort();
}

void calls_clear(world *w)
{
    w->ctx->error.text[0] = 0;
}

void calls_say(world *w, bool handle, fgt_status s)
{
    const char *text = fgt_context_get_error(w->ctx);
    if (s != FGT_OK && !strncmp(fgt_status_get_name(s), "unknown", 7)) broken(w, s, "no such status");
    if (s != FGT_OK && handle && !text[0]) broken(w, s, "refused without a sentence");
    if (s == FGT_OK && text[0]) broken(w, s, "a sentence, but no error");
    if (s == FGT_OK && !handle) broken(w, s, "succeeded without a handle");
    fuzz_count(s == FGT_OK);
    if (s != FGT_OK && !running->changes) w->refused = true;
}

/* ---- the calls ---- */

static const operation *operation_at(unsigned i)
{
    const operations *const all[] = {&calls_of_models, &calls_of_training, &calls_of_data, &calls_of_texts,
                                     &calls_of_forecasts, &calls_of_analysis, &calls_of_reports,
                                     &calls_of_images, &calls_of_adapters};
    size_t                  count = 0, at = i;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) count += all[k]->count;
    at %= count;
    for (int k = 0;; at -= all[k++]->count)
        if (at < all[k]->count) return &all[k]->list[at];
}

static void run(world *w, const operation *o)
{
    const operation *outer = running;
    uint64_t         before[MODELS];
    fgt_model       *was[MODELS];
    for (int i = 0; i < MODELS; i++) {
        was[i]    = w->model[i];
        before[i] = fgt_model_get_hash(was[i]);
    }
    running    = o;
    w->refused = false;
    o->run(w);
    for (int i = 0; i < MODELS && w->refused; i++)
        if (w->model[i] == was[i] && fgt_model_get_hash(was[i]) != before[i])
            broken(w, FGT_OK, "refused, but the weights are others");
    running    = outer;
    w->refused = false;
    calls_clear(w);
}

void calls_nested(world *w)
{
    if (w->depth == DEPTH || pick(w, 4)) return;
    const operation *o = operation_at(take(w));
    w->depth++;
    if (o->inside) run(w, o);
    w->depth--;
}

void calls_drop_model(world *w, int i)
{
    fgt_ntk_destroy(&w->ntk[i]);
    fgt_adjacency_destroy(&w->adjacency[i]);
    fgt_tracker_destroy(&w->tracker[i]);
    fgt_workspace_destroy(&w->ws[i]);
    fgt_optim_destroy(&w->optim[i]);
    fgt_model_destroy(&w->model[i]);
}

static void close_world(world *w)
{
    for (int i = 0; i < MODELS; i++) calls_drop_model(w, i);
    fgt_report_destroy(&w->report);
    fgt_images_destroy(&w->images);
    fgt_calibration_destroy(&w->calibration);
    fgt_classifier_destroy(&w->classifier);
    fgt_forecaster_destroy(&w->forecaster);
    fgt_encoding_destroy(&w->encoding);
    fgt_vocab_destroy(&w->vocab);
    fgt_corpus_destroy(&w->corpus);
    fgt_windows_destroy(&w->windows);
    fgt_scaler_destroy(&w->scaler);
    fgt_table_destroy(&w->table);
    fgt_graph_destroy(&w->graph);
    fgt_attent_destroy(&w->attent);
}

/* One for all inputs. */
static fgt_context *context;

static void close_context(void)
{
    fgt_context_destroy(&context);
}

static bool open_context(void)
{
    const fgt_allocator    memory = {.size = sizeof memory, .alloc = allocate, .release = release};
    const fgt_context_opts opts   = {.size = sizeof opts, .allocator = &memory};
    if (context) return true;
    if (fgt_context_create(&opts, &context)) return false;
    atexit(close_context);
    if (calls_add_class(context)) return false;
    live    = 0;
    limited = true;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static world w;
    if (!open_context()) return 0;
    memset(&w, 0, offsetof(world, file));
    w.bytes   = 0;
    w.data    = data;
    w.size    = size;
    w.ctx     = context;
    countdown = 0;
    calls_start(&w, take(&w));
    for (int i = 0; i < CALLS && w.size; i++) run(&w, operation_at(take(&w)));
    countdown = 0;
    close_world(&w);
    if (live) {
        fprintf(stderr, "%lld bytes were not given back\n", (long long)live);
        abort();
    }
    return 0;
}
