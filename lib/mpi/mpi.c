/* SPDX-License-Identifier: BSD-3-Clause */
/* The library fighter-mpi. It includes only public headers. */
#include <fighter/experimental/mpi.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Counts of MPI are int, so longer messages are sent in parts. */
#define PART (INT64_C(1) << 30)
/* Seconds without a message from a rank until the exchange fails. */
#define TIMEOUT 600.

/* Messages that are sent and received at the same time. When all of them are done, the next exchange uses the
 * request's memory again. */
typedef struct request {
    struct request *next;
    int             count, capacity;
    MPI_Request    *message;
    MPI_Status     *status;
    int            *peer;     /* the other rank of each message; -1: all ranks */
    int             receives; /* number of receives, which are the first messages */
} request;

struct fgt_mpi {
    fgt_allocator  allocator;
    MPI_Comm       comm;
    double         timeout;
    fgt_collective with;
    request       *spare, *active;
    char           sentence[256];
};

/* ---- memory ---- */

static void *libc_alloc(void *user, size_t size, size_t align)
{
    (void)user;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void libc_release(void *user, void *p, size_t size)
{
    (void)user;
    (void)size;
    free(p);
}

#define ALIGN 64

static void mpi_release(const fgt_allocator *a, void *p, size_t size)
{
    if (p) a->release(a->user, p, size);
}

static void free_request(const fgt_allocator *a, request *r)
{
    mpi_release(a, r->message, (size_t)r->capacity * sizeof *r->message);
    mpi_release(a, r->status, (size_t)r->capacity * sizeof *r->status);
    mpi_release(a, r->peer, (size_t)r->capacity * sizeof *r->peer);
    mpi_release(a, r, sizeof *r);
}

static request *new_request(const fgt_allocator *a, int capacity)
{
    request *r = a->alloc(a->user, sizeof *r, ALIGN);
    if (!r) return NULL;
    *r         = (request){.capacity = capacity};
    r->message = a->alloc(a->user, (size_t)capacity * sizeof *r->message, ALIGN);
    r->status  = a->alloc(a->user, (size_t)capacity * sizeof *r->status, ALIGN);
    r->peer    = a->alloc(a->user, (size_t)capacity * sizeof *r->peer, ALIGN);
    if (r->message && r->status && r->peer) return r;
    free_request(a, r);
    return NULL;
}

/* Returns a request with room for `capacity` messages. */
static request *take_request(fgt_mpi *m, int64_t capacity)
{
    for (request **at = &m->spare; *at; at = &(*at)->next) {
        request *r = *at;
        if (r->capacity < capacity) continue;
        *at      = r->next;
        r->count = r->receives = 0;
        return r;
    }
    return capacity < INT_MAX / (int)sizeof(MPI_Status) ? new_request(&m->allocator, (int)capacity) : NULL;
}

static void give_back(fgt_mpi *m, request *r)
{
    r->next  = m->spare;
    m->spare = r;
}

/* ---- errors ---- */

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static fgt_status
fail(fgt_mpi *m, fgt_status s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(m->sentence, sizeof m->sentence, format, args);
    va_end(args);
    return s;
}

static fgt_status mpi_failed(fgt_mpi *m, const char *call, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "unknown";
    int  length                     = 0;
    MPI_Error_string(code, text, &length);
    for (char *p = text; *p; p++)
        if (*p == '\n') *p = ' ';
    return fail(m, FGT_E_IO, "%s: %.200s", call, text);
}

static const char *explain(void *user)
{
    const fgt_mpi *m = user;
    return m->sentence[0] ? m->sentence : NULL;
}

/* ---- an exchange ---- */

static int64_t parts(int64_t bytes)
{
    return (bytes + PART - 1) / PART;
}

static int64_t count_messages(const fgt_mpi *m, const fgt_exchange *e)
{
    int64_t n = 0;
    for (int32_t q = 0; q < m->with.ranks; q++)
        if (q != m->with.rank) n += parts(e->send_bytes[q]) + parts(e->receive_bytes[q]);
    return n;
}

static fgt_status mpi_start(fgt_mpi *m, request *r, bool sends, int32_t peer, int64_t tag, char *data,
                            int64_t bytes)
{
    for (int64_t at = 0; at < bytes; at += PART) {
        const int n = (int)(bytes - at < PART ? bytes - at : PART);
        const int code =
            sends ? MPI_Isend(data + at, n, MPI_BYTE, peer, (int)tag, m->comm, &r->message[r->count])
                  : MPI_Irecv(data + at, n, MPI_BYTE, peer, (int)tag, m->comm, &r->message[r->count]);
        if (code != MPI_SUCCESS) return mpi_failed(m, sends ? "MPI_Isend" : "MPI_Irecv", code);
        r->peer[r->count++] = peer;
        if (!sends) r->receives = r->count;
    }
    return FGT_OK;
}

/* Gives up messages for which nobody waits any more, because a message that comes late must not be written to
 * freed memory. */
static void give_up(request *r)
{
    for (int i = 0; i < r->count; i++) {
        if (r->message[i] == MPI_REQUEST_NULL) continue;
        if (i < r->receives) MPI_Cancel(&r->message[i]);
        MPI_Request_free(&r->message[i]);
    }
}

/* Gives up the messages of all requests. A training that ends with an error frees its memory, and no late
 * message may be written to it. */
static void give_up_all(fgt_mpi *m)
{
    while (m->active) {
        request *r = m->active;
        m->active  = r->next;
        give_up(r);
        give_back(m, r);
    }
}

static void mpi_take_off(fgt_mpi *m, const request *r)
{
    request **at = &m->active;
    while (*at != r) at = &(*at)->next;
    *at = r->next;
}

static void begun(fgt_mpi *m, request *r, void **out)
{
    r->next   = m->active;
    m->active = r;
    *out      = r;
}

static fgt_status start_all(fgt_mpi *m, const fgt_exchange *e, request *r)
{
    const int32_t ranks = m->with.ranks, me = m->with.rank;
    for (int32_t k = 1; k < ranks; k++) { /* each rank begins with a different peer */
        const int32_t    q = (me + ranks - k) % ranks;
        const fgt_status s =
            mpi_start(m, r, false, q, e->tag, (char *)e->receive + e->receive_at[q], e->receive_bytes[q]);
        if (s != FGT_OK) return s;
    }
    for (int32_t k = 1; k < ranks; k++) {
        const int32_t    q = (me + k) % ranks;
        const fgt_status s =
            mpi_start(m, r, true, q, e->tag, (char *)(uintptr_t)e->send + e->send_at[q], e->send_bytes[q]);
        if (s != FGT_OK) return s;
    }
    const char *from = (const char *)e->send + e->send_at[me];
    char       *to   = (char *)e->receive + e->receive_at[me];
    if (e->send_bytes[me] && from != to) memmove(to, from, (size_t)e->send_bytes[me]);
    return FGT_OK;
}

static fgt_status mpi_exchange(void *user, const fgt_exchange *e, void **out)
{
    fgt_mpi      *m = user;
    const int64_t n = count_messages(m, e);
    request      *r = take_request(m, n > 16 ? n : 16);
    m->sentence[0]  = 0;
    if (!r) {
        give_up_all(m);
        return fail(m, FGT_E_NOMEM, "no memory for %lld messages", (long long)n);
    }
    begun(m, r, out); /* messages that have begun are given up with the rest */
    const fgt_status s = start_all(m, e, r);
    if (s != FGT_OK) give_up_all(m);
    return s;
}

static fgt_status sum(void *user, int64_t tag, void *data, int64_t count, int32_t dtype, void **out)
{
    fgt_mpi *m = user;
    (void)tag; /* MPI matches reductions by their order, which is the same in all ranks */
    m->sentence[0] = 0;
    request *r     = take_request(m, 16);
    if (!r) {
        give_up_all(m);
        return fail(m, FGT_E_NOMEM, "no memory for a reduction");
    }
    const int code = count > INT_MAX ? MPI_ERR_COUNT
                                     : MPI_Iallreduce(MPI_IN_PLACE, data, (int)count,
                                                      dtype == FGT_DTYPE_F32 ? MPI_FLOAT : MPI_DOUBLE,
                                                      MPI_SUM, m->comm, &r->message[0]);
    if (code != MPI_SUCCESS) {
        give_back(m, r);
        give_up_all(m);
        return mpi_failed(m, "MPI_Iallreduce", code);
    }
    r->peer[r->count++] = -1;
    begun(m, r, out);
    return FGT_OK;
}

/* ---- the end of an exchange ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Ranks may share a processor core, so a waiting rank lets the others work. After a millisecond it also
 * sleeps. */
static void pause_a_little(double waited)
{
    const struct timespec t = {0, 50000};
    if (waited < 1e-3)
        sched_yield();
    else
        nanosleep(&t, NULL);
}

static int silent_peer(const request *r)
{
    for (int i = 0; i < r->count; i++)
        if (r->message[i] != MPI_REQUEST_NULL) return r->peer[i];
    return -1;
}

static fgt_status timed_out(fgt_mpi *m, const request *r)
{
    const int peer = silent_peer(r);
    if (peer < 0) return fail(m, FGT_E_IO, "mpi: no message from the other ranks for %g s", m->timeout);
    return fail(m, FGT_E_IO, "mpi: no message from rank %d for %g s", peer, m->timeout);
}

static fgt_status test(fgt_mpi *m, request *r, bool wait, int *done)
{
    double begin = 0;
    for (*done = 0;;) {
        const int code = MPI_Testall(r->count, r->message, done, r->status);
        if (code != MPI_SUCCESS) return mpi_failed(m, "MPI_Testall", code);
        if (*done || !wait) return FGT_OK;
        if (begin == 0) begin = now();
        const double waited = now() - begin;
        if (m->timeout > 0 && waited > m->timeout) return timed_out(m, r);
        pause_a_little(waited);
    }
}

static fgt_status mpi_finish(void *user, void *request_, int32_t wait, int32_t *done)
{
    fgt_mpi *m         = user;
    request *r         = request_;
    int      is        = 0;
    m->sentence[0]     = 0;
    const fgt_status s = test(m, r, wait, &is);
    *done              = is;
    if (s != FGT_OK) give_up_all(m);
    if (s == FGT_OK && is) {
        mpi_take_off(m, r);
        give_back(m, r);
    }
    return s;
}

/* ---- the collective ---- */

static fgt_status mpi_read_opts(const fgt_mpi_opts *in, fgt_mpi_opts *o)
{
    static const fgt_allocator libc = {sizeof libc, NULL, libc_alloc, libc_release};
    *o                              = (fgt_mpi_opts){.size = sizeof *o};
    const unsigned char *bytes = (const unsigned char *)in;
    if (in && in->size < sizeof(size_t)) return FGT_E_VERSION;
    for (size_t i = sizeof *o; in && i < in->size; i++)
        if (bytes[i]) return FGT_E_VERSION; /* an option of a later version */
    if (in) memcpy(o, in, in->size < sizeof *o ? in->size : sizeof *o);
    o->size = sizeof *o;
    if (!o->allocator) o->allocator = &libc;
    if (o->timeout == 0) o->timeout = TIMEOUT;
    if (o->reserved) return FGT_E_VERSION;
    const bool good = o->timeout == o->timeout && (o->allreduce == 0 || o->allreduce == 1) &&
                      o->allocator->alloc && o->allocator->release;
    return good ? FGT_OK : FGT_E_ARG;
}

static bool is_running(void)
{
    int begun = 0, ended = 0;
    MPI_Initialized(&begun);
    if (begun) MPI_Finalized(&ended);
    return begun && !ended;
}

static fgt_status mpi_join(fgt_mpi *m, MPI_Comm comm)
{
    int rank = 0, ranks = 0, code = MPI_Comm_dup(comm, &m->comm);
    if (code != MPI_SUCCESS) {
        m->comm = MPI_COMM_NULL;
        return mpi_failed(m, "MPI_Comm_dup", code);
    }
    code = MPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN);
    if (code == MPI_SUCCESS) code = MPI_Comm_rank(m->comm, &rank);
    if (code == MPI_SUCCESS) code = MPI_Comm_size(m->comm, &ranks);
    if (code != MPI_SUCCESS) return mpi_failed(m, "MPI_Comm_rank", code);
    m->with.rank  = rank;
    m->with.ranks = ranks;
    return FGT_OK;
}

static fgt_status say(char *why, size_t capacity, fgt_status s, const char *sentence)
{
    if (why && capacity) snprintf(why, capacity, "%s", sentence);
    return s;
}

fgt_status fgt_mpi_create(MPI_Comm comm, const fgt_mpi_opts *opts, fgt_mpi **mpi, char *why, size_t capacity)
{
    fgt_mpi_opts o;
    if (!mpi) return say(why, capacity, FGT_E_ARG, "mpi: out must not be NULL");
    *mpi         = NULL;
    fgt_status s = mpi_read_opts(opts, &o);
    if (s != FGT_OK) return say(why, capacity, s, "mpi: an option is out of range, or of another version");
    if (!is_running())
        return say(why, capacity, FGT_E_STATE, "mpi: MPI_Init() was not called, or MPI_Finalize() was");
    if (comm == MPI_COMM_NULL) return say(why, capacity, FGT_E_ARG, "mpi: the communicator is MPI_COMM_NULL");
    fgt_mpi *m = o.allocator->alloc(o.allocator->user, sizeof *m, ALIGN);
    if (!m) return say(why, capacity, FGT_E_NOMEM, "mpi: no memory");
    *m      = (fgt_mpi){.allocator = *o.allocator, .timeout = o.timeout};
    m->with = (fgt_collective){.size     = sizeof m->with,
                               .user     = m,
                               .exchange = mpi_exchange,
                               .finish   = mpi_finish,
                               .sum      = o.allreduce ? sum : NULL,
                               .explain  = explain};
    s       = mpi_join(m, comm);
    if (s == FGT_OK) {
        *mpi = m;
        return FGT_OK;
    }
    (void)say(why, capacity, s, m->sentence);
    fgt_mpi_destroy(&m);
    return s;
}

void fgt_mpi_destroy(fgt_mpi **mpi)
{
    fgt_mpi *m = mpi ? *mpi : NULL;
    if (!m) return;
    const fgt_allocator a = m->allocator;
    if (is_running()) give_up_all(m);
    for (request *r = m->spare, *next; r; r = next) {
        next = r->next;
        free_request(&a, r);
    }
    if (m->comm != MPI_COMM_NULL && is_running()) MPI_Comm_free(&m->comm);
    mpi_release(&a, m, sizeof *m);
    *mpi = NULL;
}

const fgt_collective *fgt_mpi_get_collective(const fgt_mpi *mpi)
{
    return mpi ? &mpi->with : NULL;
}
