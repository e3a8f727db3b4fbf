/* SPDX-License-Identifier: BSD-3-Clause */
#include "ranks/ranks.h"

#include <stdio.h>
#include <string.h>

#include "core/hash.h"
#include "core/opts.h"

/* Status and error text of a rank, which all ranks receive. */
typedef struct opinion {
    int32_t status;
    char    sentence[252];
} opinion;

static fgt_status ranks_check(fgti_error *err, const fgt_collective *c)
{
    if (c->ranks < 1 || c->rank < 0 || c->rank >= c->ranks)
        return fgti_fail(err, FGT_E_ARG,
                         "collective: rank is out of range (got %d of %d ranks, need 0 .. ranks - 1)",
                         (int)c->rank, (int)c->ranks);
    if (c->exchange && c->finish) return FGT_OK;
    return fgti_fail(err, FGT_E_ARG, "collective: exchange or finish is NULL");
}

fgt_status fgti_ranks_init(fgt_context *ctx, const fgt_collective *collective, fgti_ranks *r)
{
    *r = (fgti_ranks){.ctx = ctx, .with = {.size = sizeof r->with, .ranks = 1}};
    if (collective) {
        FGTI_TRY(fgti_opts_read(&ctx->error, "collective", collective, &r->with, sizeof r->with));
        FGTI_TRY(ranks_check(&ctx->error, &r->with));
    }
    FGTI_TRY(FGTI_NEW(ctx, 5 * (int64_t)r->with.ranks, "collective", &r->table));
    return fgti_alloc(ctx, r->with.ranks, sizeof(opinion), "collective", &r->words);
}

void fgti_ranks_done(fgti_ranks *r)
{
    if (!r->ctx) return;
    fgti_free(r->ctx, r->table);
    fgti_free(r->ctx, r->words);
    *r = (fgti_ranks){0};
}

/* ---- one exchange ---- */

static fgt_status blame(fgti_ranks *r, fgt_status s)
{
    const char *said = r->with.explain ? r->with.explain(r->with.user) : NULL;
    r->broken        = true;
    return fgti_fail(&r->ctx->error, s, "rank %d: the exchange with the other ranks failed%s%.240s",
                     (int)r->with.rank, said ? ": " : "", said ? said : "");
}

fgt_status fgti_ranks_exchange(fgti_ranks *r, const fgt_exchange *e, void **request)
{
    *request           = NULL;
    const fgt_status s = r->with.exchange(r->with.user, e, request);
    return s == FGT_OK ? FGT_OK : blame(r, s);
}

fgt_status fgti_ranks_sum(fgti_ranks *r, int64_t tag, int64_t count, void *data, int32_t dtype,
                          void **request)
{
    *request           = NULL;
    const fgt_status s = r->with.sum(r->with.user, tag, data, count, dtype, request);
    return s == FGT_OK ? FGT_OK : blame(r, s);
}

fgt_status fgti_ranks_finish(fgti_ranks *r, void *request, bool wait, bool *done)
{
    int32_t          is = 0;
    const fgt_status s  = r->with.finish(r->with.user, request, wait, &is);
    *done               = is;
    return s == FGT_OK ? FGT_OK : blame(r, s);
}

fgt_status fgti_ranks_exchange_now(fgti_ranks *r, const fgt_exchange *e)
{
    void *request;
    bool  done;
    FGTI_TRY(fgti_ranks_exchange(r, e, &request));
    return fgti_ranks_finish(r, request, true, &done);
}

/* ---- all ranks get the data of each rank ---- */

fgt_status fgti_ranks_gather(fgti_ranks *r, const void *mine, const int64_t *bytes, void *all)
{
    const int32_t ranks = r->with.ranks, rank = r->with.rank;
    int64_t      *send_at = r->table, *send_bytes = send_at + ranks, *receive_at = send_bytes + ranks;
    if (ranks == 1) {
        if (all != mine && bytes[0]) memmove(all, mine, (size_t)bytes[0]);
        return FGT_OK;
    }
    for (int32_t q = 0; q < ranks; q++) {
        send_at[q]    = 0;
        send_bytes[q] = bytes[rank];
        receive_at[q] = q ? receive_at[q - 1] + bytes[q - 1] : 0;
    }
    const fgt_exchange e = {.size          = sizeof e,
                            .tag           = FGTI_TAG_GATHER,
                            .send          = mine,
                            .send_at       = send_at,
                            .send_bytes    = send_bytes,
                            .receive       = all,
                            .receive_at    = receive_at,
                            .receive_bytes = bytes};
    return fgti_ranks_exchange_now(r, &e);
}

/* fgti_ranks_gather() for ranks that all have the same number of bytes. */
static fgt_status gather_same(fgti_ranks *r, const void *mine, int64_t bytes, void *all)
{
    int64_t *each = r->table + 4 * (int64_t)r->with.ranks;
    for (int32_t q = 0; q < r->with.ranks; q++) each[q] = bytes;
    return fgti_ranks_gather(r, mine, each, all);
}

fgt_status fgti_ranks_turn(fgti_ranks *r, const int64_t *mine, int64_t *theirs)
{
    int64_t *at = r->table, *bytes = at + r->with.ranks;
    for (int32_t q = 0; q < r->with.ranks; q++) {
        at[q]    = q * (int64_t)sizeof *mine;
        bytes[q] = sizeof *mine;
    }
    const fgt_exchange e = {.size          = sizeof e,
                            .tag           = FGTI_TAG_GATHER,
                            .send          = mine,
                            .send_at       = at,
                            .send_bytes    = bytes,
                            .receive       = theirs,
                            .receive_at    = at,
                            .receive_bytes = bytes};
    return fgti_ranks_exchange_now(r, &e);
}

/* ---- all ranks agree on a status ---- */

fgt_status fgti_ranks_agree(fgti_ranks *r, fgt_status s)
{
    opinion *all = r->words, mine = {.status = s};
    if (r->with.ranks == 1 || r->broken) return s;
    if (s != FGT_OK) snprintf(mine.sentence, sizeof mine.sentence, "%.251s", r->ctx->error.text);
    FGTI_TRY(gather_same(r, &mine, sizeof mine, all));
    for (int32_t q = 0; q < r->with.ranks; q++) {
        if (all[q].status == FGT_OK) continue;
        all[q].sentence[sizeof all[q].sentence - 1] = 0;
        return fgti_fail(&r->ctx->error, (fgt_status)all[q].status, "rank %d: %s", (int)q, all[q].sentence);
    }
    return FGT_OK;
}

fgt_status fgti_ranks_any(fgti_ranks *r, bool mine, bool *any)
{
    unsigned char one = mine, *all = r->words;
    *any = mine;
    if (r->with.ranks == 1) return FGT_OK;
    FGTI_TRY(gather_same(r, &one, 1, all));
    for (int32_t q = 0; q < r->with.ranks; q++) *any |= all[q] != 0;
    return FGT_OK;
}

/* Sets *who to the first rank whose text differs from the text of rank 0, or to `ranks` if all texts are
 * equal. */
static fgt_status ranks_find_difference(fgti_ranks *r, const char *text, int32_t *who)
{
    const uint64_t hash = fgti_hash(FGTI_HASH_START, text, (int64_t)strlen(text));
    uint64_t      *all  = r->words;
    FGTI_TRY(gather_same(r, &hash, sizeof hash, all));
    for (*who = 0; *who < r->with.ranks; (*who)++)
        if (all[*who] != all[0]) break;
    return FGT_OK;
}

fgt_status fgti_ranks_compare(fgti_ranks *r, const fgti_word *word, int64_t words)
{
    int32_t  who;
    opinion *all = r->words, mine = {0};
    for (int64_t i = 0; i < words && r->with.ranks > 1; i++) {
        FGTI_TRY(ranks_find_difference(r, word[i].text, &who));
        if (who == r->with.ranks) continue;
        snprintf(mine.sentence, sizeof mine.sentence, "%.251s", word[i].text);
        FGTI_TRY(gather_same(r, &mine, sizeof mine, all));
        return fgti_fail(&r->ctx->error, FGT_E_ARG,
                         "the ranks differ in %s: rank 0 has \"%.150s\", rank %d has \"%.150s\"",
                         word[i].what, all[0].sentence, (int)who, all[who].sentence);
    }
    return FGT_OK;
}
