/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATTENT_IMPL_H
#define FGTI_ATTENT_IMPL_H

#include <fighter/attent.h>
#include <stdbool.h>

#include "core/context.h"
#include "core/hash.h"
#include "core/text.h"

/* Progress of the schedules. */
typedef struct fgti_attent_clock {
    int64_t epoch;     /* the running one; 0: none yet */
    int64_t intervals; /* begun so far */
    int64_t interval;  /* length of the last */
    int64_t left;      /* epochs of it still to come */
    int64_t count;     /* m of the schedule */
} fgti_attent_clock;

/* Choices for a sample in this epoch; one byte each. */
enum { FGTI_DROPPED = 0, FGTI_SELECTED = 1, FGTI_RESCALED = 2, FGTI_CHOICES };

typedef struct fgti_attent_group {
    double weight; /* w of its samples */
    double sum;    /* of the known scores */
    int64_t count; /* number of known scores; class weights: of samples */
} fgti_attent_group;

/* Memory by sample: 8 (index) + 4 + 1, 2 with groups, 4 with references. */
struct fgt_attent {
    fgt_context       *ctx;
    fgt_attent_opts    opts; /* defaults filled in; groups, group_weight, reference NULL */
    fgti_attent_clock  clock;
    int64_t           *index; /* [n]: the subset; while it is being chosen, keys (uint64) */
    float             *score; /* [n], NaN: unknown */
    float             *reference; /* [n], NULL: none */
    uint8_t           *choice;  /* [n] */
    uint16_t          *group; /* [n], NULL: none */
    fgti_attent_group *groups;
    fgt_attent_subset  subset;
    int64_t            elements; /* from opts, or from the model that is trained */
    int32_t            residual;
    size_t             replay_at;      /* where the next entry may begin */
    bool               replay_restarts; /* the log has runs that were resumed */
    bool               replay_indices; /* the replayed log has the indices */
    bool               chosen, logged; /* there is a subset; the log has its header */
};

static inline int64_t fgti_attent_n(const fgt_attent *a)
{
    return a->opts.samples;
}

/* The score by which sample i is chosen; NaN: unknown. */
static inline double fgti_attent_score(const fgt_attent *a, int64_t i)
{
    return (double)a->score[i] - (a->reference ? (double)a->reference[i] : 0);
}

/* A hash from FGTI_HASH_START with one sample more, as the number 2 i + rescaled. */
static inline uint64_t fgti_attent_hash(uint64_t hash, int64_t i, bool rescaled)
{
    return fgti_hash_value(hash, 2 * (uint64_t)i + rescaled);
}

/* ---- attent_selector.c ---- */

/* All options except its seed and its log, as text (core/config.h). */
fgt_status fgti_attent_write_opts(const fgt_attent *a, fgti_text *t);
/* Tells the selector that scores will be losses of samples with this many elements: `squares`, means of (f -
 * f*)^2. FGT_E_ARG if the options say otherwise: nothing changes. */
fgt_status fgti_attent_bind(fgt_attent *a, bool squares, int64_t elements);
/* A hash of its groups, its references, the log that it replays and, with `state`, its scores, subset and
 * place in the schedules. */
uint64_t fgti_attent_hash_all(const fgt_attent *a, bool state);

/* ---- attent_schedule.c ---- */

/* Options that need others: epochs for schedules, m not above n. */
fgt_status fgti_attent_check(fgti_error *err, const fgt_attent_opts *o);
/* Advances by one epoch. *fresh: its subset must be selected; *begins: an interval begins. */
void fgti_attent_tick(const fgt_attent_opts *o, fgti_attent_clock *c, bool *fresh, bool *begins);
/* Whether each epoch has its own subset, not each interval. */
bool fgti_attent_draws_always(const fgt_attent_opts *o);
/* Batches in the coming `epochs` epochs if nothing stops them; InfoBatch: at most. -1: overflow. */
int64_t fgti_attent_count_batches(const fgt_attent *a, int64_t epochs, int64_t batch);

/* ---- attent_select.c ---- */

/* Whether the strategy uses scores. */
bool fgti_attent_needs_scores(const fgt_attent_opts *o);
/* The first sample without a score; -1: all have one. */
int64_t fgti_attent_find_unknown(const fgt_attent *a);
/* Fills `choice` for an epoch with clock c. FGT_E_STATE scores are missing: nothing changes. */
fgt_status fgti_attent_choose(fgt_attent *a, const fgti_attent_clock *c);
/* Counts and hashes the chosen samples, and averages their scores. */
void fgti_attent_sum_up(fgt_attent *a);
/* Lists the subset in ascending order; then puts the list in the order of the epoch. */
void fgti_attent_list(fgt_attent *a);
void fgti_attent_shuffle(fgt_attent *a);
/* The norm of an fgt_attent_residual; NaN while a score is unknown. */
double fgti_attent_residual(const fgt_attent *a);

/* ---- attent_log.c ---- */

/* Writes the entry of the epoch that has begun; index is still in ascending order. */
fgt_status fgti_attent_log(fgt_attent *a);
/* Whether the replayed log has the indices. */
bool fgti_attent_replays_indices(const fgt_attent *a);
/* Checks the header of opts.replay. */
fgt_status fgti_attent_replay_open(fgt_attent *a);
/* The entry of epoch c->epoch: its hash, whether it has its own subset, and this subset in `choice`, unless
 * the log has only hashes; *end: where the entry ends, the next replay_at. On error `choice` is as before. */
fgt_status fgti_attent_replay(fgt_attent *a, const fgti_attent_clock *c, bool *fresh, uint64_t *hash,
                              size_t *end);

#endif
