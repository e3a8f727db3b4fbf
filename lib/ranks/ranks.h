/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RANKS_H
#define FGTI_RANKS_H

/* Operations that all ranks of a training do together, over the host's collective. If there is only one rank,
 * it needs no collective and finishes each operation at once. All ranks call the same functions in the same
 * order. */

#include <fighter/experimental/collective.h>
#include <stdbool.h>

#include "core/context.h"

/* Tags of exchanges. Exchanges of gradients have the tags below FGTI_TAGS. */
#define FGTI_TAG_GATHER 16383
#define FGTI_TAG_ROWS   16382
#define FGTI_TAGS       16380

typedef struct fgti_ranks {
    fgt_context   *ctx;
    fgt_collective with;   /* the host's collective; without one, a collective that has only rank 0 */
    int64_t       *table;  /* [5,ranks]: places and sizes of an exchange, and one more row */
    void          *words;  /* [ranks]: memory of fgti_ranks_agree() */
    bool           broken; /* an exchange has failed, and no further exchange begins */
} fgti_ranks;

/* collective NULL: one rank. Returns FGT_E_ARG, FGT_E_VERSION or FGT_E_NOMEM on error. Call fgti_ranks_done()
 * even after an error. */
fgt_status fgti_ranks_init(fgt_context *ctx, const fgt_collective *collective, fgti_ranks *r);
void       fgti_ranks_done(fgti_ranks *r);

/* fgti_ranks_exchange() begins an exchange with its tag, fgti_ranks_finish() ends it. */
fgt_status fgti_ranks_exchange(fgti_ranks *r, const fgt_exchange *e, void **request);
fgt_status fgti_ranks_finish(fgti_ranks *r, void *request, bool wait, bool *done);
/* Begins and ends an exchange. */
fgt_status fgti_ranks_exchange_now(fgti_ranks *r, const fgt_exchange *e);
/* Adds `data` over all ranks, by the `sum` of the host's collective. */
fgt_status fgti_ranks_sum(fgti_ranks *r, int64_t tag, int64_t count, void *data, int32_t dtype,
                          void **request);

/* All ranks get the data of every rank in `all`, one rank after another. Rank q passes bytes[q] bytes. */
fgt_status fgti_ranks_gather(fgti_ranks *r, const void *mine, const int64_t *bytes, void *all);

/* Each rank sends a number to every rank: mine[q] goes to rank q, and theirs[q] comes from rank q. */
fgt_status fgti_ranks_turn(fgti_ranks *r, const int64_t *mine, int64_t *theirs);

/* Returns FGT_OK if all ranks pass FGT_OK. Otherwise all ranks get the status of the first rank that does
 * not, with the rank's number and error text. After an exchange that has failed, s is returned unchanged. */
fgt_status fgti_ranks_agree(fgti_ranks *r, fgt_status s);
/* Sets *any to whether any rank passes true. */
fgt_status fgti_ranks_any(fgti_ranks *r, bool mine, bool *any);

/* A property that all ranks must have in common. */
typedef struct fgti_word {
    const char *what, *text;
} fgti_word;
/* Returns FGT_E_ARG if the ranks differ, with an error text that names the first difference from rank 0. */
fgt_status fgti_ranks_compare(fgti_ranks *r, const fgti_word *word, int64_t words);

/* Returns the first of `count` things that belongs to rank q. Rank q has this thing and the things after it,
 * up to the first thing of rank q + 1. */
static inline int64_t fgti_ranks_share(const fgti_ranks *r, int64_t count, int64_t q)
{
    const int64_t ranks = r->with.ranks;
    return count / ranks * q + count % ranks * q / ranks;
}

#endif
