/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_TRAIN_TEAM_H
#define TESTS_TRAIN_TEAM_H

/* A collective whose ranks are threads of this process. Messages are copies in one list. */

#include <pthread.h>

#include <fighter/experimental/collective.h>

#include "small_models.h"

#define RANKS_MAX 8

struct message {
    struct message *next;
    int64_t         tag, bytes;
    int32_t         from, to;
    unsigned char   data[];
};

struct team {
    pthread_mutex_t lock;
    pthread_cond_t  come;
    struct message *first;
    struct request *begun;   /* not finished: after a failure nobody asks for them */
    int64_t         calls;   /* of exchange, by all */
    int64_t         fail_at; /* the call with this number fails; 0: none */
    int64_t         sent;    /* bytes to others, by rank 0 */
    bool            dead;    /* a rank has failed: nobody waits for it */
    bool            lazy;    /* nothing is done before somebody waits */
};

struct member {
    struct team   *team;
    fgt_collective with;
};

/* An exchange, or a sum, under way. */
struct request {
    struct request *next;
    fgt_exchange    e;
    bool            is_sum;
    fgti_real      *data;
    int64_t         count;
    int64_t         at[RANKS_MAX], bytes[RANKS_MAX];
};

static inline void *must_alloc(size_t size)
{
    void *p = malloc(size);
    if (!p) abort();
    return p;
}

static inline void post(struct member *m, const fgt_exchange *e)
{
    for (int32_t q = 0; q < m->with.ranks; q++) {
        const size_t    bytes = (size_t)e->send_bytes[q];
        struct message *x     = must_alloc(sizeof *x + bytes);
        *x = (struct message){.tag = e->tag, .bytes = e->send_bytes[q], .from = m->with.rank, .to = q};
        if (bytes) memcpy(x->data, (const char *)e->send + e->send_at[q], bytes);
        if (m->with.rank == 0 && q) m->team->sent += e->send_bytes[q];
        struct message **end = &m->team->first;
        while (*end) end = &(*end)->next;
        *end = x;
    }
    pthread_cond_broadcast(&m->team->come);
}

static inline fgt_status team_exchange(void *user, const fgt_exchange *e, void **request)
{
    struct member  *m = user;
    struct request *r = must_alloc(sizeof *r);
    *r                = (struct request){.e = *e};
    *request          = r;
    pthread_mutex_lock(&m->team->lock);
    const bool fails = ++m->team->calls == m->team->fail_at;
    if (!fails) post(m, e);
    r->next        = m->team->begun;
    m->team->begun = r;
    m->team->dead |= fails;
    pthread_cond_broadcast(&m->team->come);
    pthread_mutex_unlock(&m->team->lock);
    return fails ? FGT_E_IO : FGT_OK;
}

static inline void end_request(struct team *t, struct request *r)
{
    struct request **at = &t->begun;
    while (*at != r) at = &(*at)->next;
    *at = r->next;
    free(r);
}

static inline struct message **find_message(struct member *m, int64_t tag, int32_t from)
{
    struct message **x = &m->team->first;
    while (*x && ((*x)->tag != tag || (*x)->from != from || (*x)->to != m->with.rank)) x = &(*x)->next;
    return x;
}

static inline bool all_have_come(struct member *m, const fgt_exchange *e)
{
    for (int32_t q = 0; q < m->with.ranks; q++)
        if (!*find_message(m, e->tag, q)) return false;
    return true;
}

static inline void take_messages(struct member *m, struct request *r)
{
    for (int32_t q = 0; q < m->with.ranks; q++) {
        struct message **at = find_message(m, r->e.tag, q), *x = *at;
        assert_int_equal(x->bytes, r->is_sum ? r->count * (int64_t)sizeof *r->data : r->e.receive_bytes[q]);
        for (int64_t i = 0; r->is_sum && i < r->count; i++) /* in an order of its own: the last rank first */
            r->data[i] =
                q ? ((fgti_real *)(void *)x->data)[i] + r->data[i] : ((fgti_real *)(void *)x->data)[i];
        if (!r->is_sum && x->bytes)
            memcpy((char *)r->e.receive + r->e.receive_at[q], x->data, (size_t)x->bytes);
        *at = x->next;
        free(x);
    }
}

static inline fgt_status team_finish(void *user, void *request, int32_t wait, int32_t *done)
{
    struct member  *m = user;
    struct request *r = request;
    pthread_mutex_lock(&m->team->lock);
    const bool look = wait || !m->team->lazy;
    while (wait && !m->team->dead && !all_have_come(m, &r->e))
        pthread_cond_wait(&m->team->come, &m->team->lock);
    *done           = look && all_have_come(m, &r->e);
    const bool dead = wait && !*done;
    if (*done) take_messages(m, r);
    if (*done || dead) end_request(m->team, r);
    pthread_mutex_unlock(&m->team->lock);
    return dead ? FGT_E_IO : FGT_OK;
}

static inline fgt_status team_sum(void *user, int64_t tag, void *data, int64_t count, int32_t dtype,
                                  void **request)
{
    struct member *m = user;
    assert_int_equal(dtype, FGTI_REAL);
    int64_t at[RANKS_MAX] = {0}, bytes[RANKS_MAX];
    for (int32_t q = 0; q < m->with.ranks; q++) bytes[q] = count * (int64_t)sizeof(fgti_real);
    const fgt_exchange e = {.size = sizeof e, .tag = tag, .send = data, .send_at = at, .send_bytes = bytes};
    const fgt_status   s = team_exchange(user, &e, request);
    if (s != FGT_OK) return s;
    struct request *r = *request;
    r->is_sum         = true;
    r->data           = data;
    r->count          = count;
    return FGT_OK;
}

static inline const char *team_explain(void *user)
{
    (void)user;
    return "a thread is gone";
}

static inline void team_open(struct team *t)
{
    *t = (struct team){0};
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->come, NULL);
}

/* Messages that nobody has taken: after a failure. */
static inline int64_t team_close(struct team *t)
{
    int64_t left = 0;
    for (struct message *x; (x = t->first); left++) {
        t->first = x->next;
        free(x);
    }
    while (t->begun) end_request(t, t->begun);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->come);
    return left;
}

static inline void team_join(struct team *t, int32_t rank, int32_t ranks, struct member *m)
{
    *m      = (struct member){.team = t};
    m->with = (fgt_collective){.size     = sizeof m->with,
                               .rank     = rank,
                               .ranks    = ranks,
                               .user     = m,
                               .exchange = team_exchange,
                               .finish   = team_finish,
                               .explain  = team_explain};
}

#endif
