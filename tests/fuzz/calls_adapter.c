/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls on adapters. Their files have tests of their own. */
#include <fighter/experimental/adapter.h>
#include <fighter/experimental/exact.h>

#include "calls.h"

static const char *const names[]    = {"a", "b", "", NULL};
static const char *const patterns[] = {NULL, "*", "*weight*", "nothing", "", "*bias*,*"};

static fgt_model *a_model(world *w)
{
    return w->model[place(w)];
}

static void add_adapter(world *w)
{
    fgt_model             *m = a_model(w);
    const fgt_adapter_opts o = {.size    = sizeof o,
                                .name    = names[pick(w, 4)],
                                .pattern = patterns[pick(w, 6)],
                                .whole   = patterns[pick(w, 6)],
                                .alpha   = (double)pick(w, 4) - 1,
                                .dropout = (double)pick(w, 4) / 3,
                                .rank    = draw_size(w),
                                .seed    = take(w)};
    SAY(m, fgt_model_add_adapter(m, pick(w, 8) ? &o : NULL));
}

static void set_adapter(world *w)
{
    fgt_model *m = a_model(w);
    SAY(m, fgt_model_set_adapter(m, names[pick(w, 4)]));
}

static void remove_adapter(world *w)
{
    fgt_model *m = a_model(w);
    SAY(m, fgt_model_remove_adapter(m, names[pick(w, 4)]));
}

static void merge_adapter(world *w)
{
    fgt_model *m = a_model(w);
    SAY(m, fgt_model_merge_adapter(m, names[pick(w, 4)]));
}

/* Nothing that is there: a program that draws calls writes no files. */
static void adapter_files(world *w)
{
    fgt_model  *m      = a_model(w);
    const char *folder = pick(w, 2) ? "/dev/null" : NULL;
    if (pick(w, 2))
        SAY(m, fgt_model_load_adapter(m, names[pick(w, 4)], folder));
    else
        SAY(m, fgt_model_save_adapter(m, names[pick(w, 4)], folder));
}

/* Which passes predictions take, which adapters change as well. */
static void set_exact(world *w)
{
    const int32_t exact = (int32_t)pick(w, 3);
    SAY(w->forecaster, fgt_forecaster_set_exact(w->forecaster, exact));
    SAY(w->classifier, fgt_classifier_set_exact(w->classifier, exact));
}

static const operation list[] = {
    {"fgt_model_add_adapter", add_adapter, false, false},
    {"fgt_model_set_adapter", set_adapter, false, true},
    {"fgt_model_remove_adapter", remove_adapter, false, true},
    {"fgt_model_merge_adapter", merge_adapter, false, true},
    {"fgt_model_save_adapter, fgt_model_load_adapter", adapter_files, false, false},
    {"fgt_forecaster_set_exact, fgt_classifier_set_exact", set_exact, true, false},
};
const operations calls_of_adapters = {list, sizeof list / sizeof *list};
