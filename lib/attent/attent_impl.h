/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_ATTENT_IMPL_H
#define FGTI_ATTENT_IMPL_H

/* The state of a selector, which the files of this folder share. */

#include <fighter/attent.h>
#include <stdbool.h>

#include "core/context.h"
#include "core/hash.h"
#include "core/text.h"

/* Where a selector is in its schedules. */
typedef struct fgti_attent_clock {
    int64_t epoch;     /* number of the running epoch; 0: no epoch has begun */
    int64_t intervals; /* number of intervals that have begun */
    int64_t interval;  /* length of the last interval, in epochs */
    int64_t left;      /* epochs of the last interval that have not begun */
    int64_t count;     /* m of the schedule: number of samples to select */
} fgti_attent_clock;

/* The choice for a sample in this epoch, one byte for each sample. */
enum { FGTI_DROPPED = 0, FGTI_SELECTED = 1, FGTI_RESCALED = 2, FGTI_CHOICES };

typedef struct fgti_attent_group {
    double  weight; /* w of the samples in this group */
    double  sum;    /* sum of the known scores */
    int64_t count;  /* number of known scores; with class weights: number of samples in the group */
} fgti_attent_group;

/* A sample needs 8 bytes (index), 4 (score) and 1 (choice). Groups need 2 more, references 4 more. */
struct fgt_attent {
    fgt_context       *ctx;
    fgt_attent_opts    opts; /* defaults are filled in; groups, group_weight and reference are NULL */
    fgti_attent_clock  clock;
    int64_t           *index; /* [n]: the subset; while the subset is being chosen: the keys, as uint64_t */
    float             *score; /* [n]; NaN: unknown */
    float             *reference; /* [n]; NULL: no references */
    uint8_t           *choice;  /* [n] */
    uint16_t          *group;   /* [n]; NULL: no groups */
    fgti_attent_group *groups;
    fgt_attent_subset  subset;
    int64_t            elements; /* elements of a sample's output, from opts or from the trained model */
    int32_t            residual;
    size_t             replay_at;       /* place in the replayed log where the next entry may begin */
    bool               replay_restarts; /* the replayed log has runs that were resumed */
    bool               replay_indices; /* the replayed log has the indices */
    bool               chosen, logged; /* chosen: there is a subset; logged: the log has its header */
};

/* Size of the state that fgt_attent_get_state() writes; 0 for NULL. */
int64_t fgti_attent_state_bytes(const fgt_attent *a);

static inline int64_t fgti_attent_n(const fgt_attent *a)
{
    return a->opts.samples;
}

/* The score by which sample i is chosen; NaN: unknown. */
static inline double fgti_attent_score(const fgt_attent *a, int64_t i)
{
    return (double)a->score[i] - (a->reference ? (double)a->reference[i] : 0);
}

/* Adds sample i to a hash, as the number 2 i + rescaled. The first hash is FGTI_HASH_START. */
static inline uint64_t fgti_attent_hash(uint64_t hash, int64_t i, bool rescaled)
{
    return fgti_hash_value(hash, 2 * (uint64_t)i + rescaled);
}

#endif
