/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of fgt_model_fit() by several processes of one thread, or one process of several threads:
 *     mpirun -n 2 bench-ranks CASE SHARDS SECONDS [THREADS | allreduce]
 *     bench-ranks CASE 0 SECONDS THREADS
 *     mpirun -n 2 bench-ranks exchange BYTES SECONDS
 * The first process prints a line of JSON: samples a second, and the hash of the weights after the first
 * steps, which is the same for any number of processes. docs/scale.md explains the figures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fighter/experimental/collective.h>
#include <fighter/experimental/mpi.h>

#include "cases.h"
#include "common.h"

/* Steps before the timing starts; the hash is taken after these steps. */
#define WARM 5

typedef struct clock_watch {
    fgt_model *model;
    double     seconds, begin, end;
    int64_t    first, steps;
    uint64_t   hash;
} clock_watch;

static int watch(void *user, const fgt_progress *p)
{
    clock_watch *w = user;
    if (p->epoch_done) return 0;
    if (p->step == WARM) {
        w->hash  = fgt_model_get_hash(w->model);
        w->begin = bench_now();
    }
    w->end   = bench_now();
    w->steps = p->step;
    return p->step > WARM && w->end - w->begin > w->seconds;
}

/* Samples are computed from their numbers, so that every process has the same samples and stores none. */
static double number_of(uint64_t i)
{
    i = (i ^ (i >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
    return (double)(i >> 11) / 9007199254740992. - 0.5;
}

static void fill(const fgt_view *v, const int64_t *index, int64_t n, int64_t classes)
{
    const int64_t each = fgt_view_count(v) / n;
    for (int64_t i = 0; i < n * each; i++) {
        const double u = number_of((uint64_t)(index[i / each] * each + i % each) * 7 + (uint64_t)classes);
        if (v->dtype == FGT_DTYPE_I64)
            ((int64_t *)v->data)[i] = (int64_t)((u + 0.5) * (double)classes);
        else
            ((float *)v->data)[i] = (float)u;
    }
}

static fgt_status get(void *user, const int64_t *index, int64_t n, const fgt_view *x, const fgt_view *target)
{
    const bench_case *c = user;
    fill(x, index, n, c->vocab);
    fill(target, index, n, c->out);
    return FGT_OK;
}

static const bench_case *find(const char *name)
{
    const bench_case *c = bench_cases;
    while (c->name && strcmp(c->name, name) != 0) c++;
    if (c->name) return c;
    fprintf(stderr, "bench-ranks: there is no case %s\n", name);
    exit(1);
}

static void run(const bench_case *c, const fgt_collective *ranks, int64_t shards, double seconds,
                int32_t threads)
{
    fgt_context *ctx = NULL;
    bench_check("context", fgt_context_create(&FGT_OPTS(fgt_context_opts, .threads = threads), &ctx), ctx);
    clock_watch      w     = {.model = c->make(c, ctx), .seconds = seconds};
    const fgt_source train = {
        .size = sizeof train, .count = INT64_C(1) << 20, .get = get, .user = (void *)(uintptr_t)c};
    const fgt_loss_opts loss = {.size = sizeof loss,
                                .kind = bench_has_classes(c) ? FGT_LOSS_CROSS_ENTROPY : FGT_LOSS_MSE};
    const fgt_fit_opts  opts = {.size                = sizeof opts,
                                .train               = &train,
                                .loss                = &loss,
                                .training.progress   = watch,
                                .training.user       = &w,
                                .training.epochs     = 1,
                                .no_shuffle          = 1,
                                .target_dtype        = bench_has_classes(c) ? FGT_DTYPE_I64 : FGT_DTYPE_F32,
                                .training.collective = ranks,
                                .training.shards     = shards};
    bench_check("fit", fgt_model_fit(w.model, &opts, NULL), ctx);
    if (!ranks || ranks->rank == 0)
        printf("{\"case\": \"%s\", \"ranks\": %d, \"threads\": %d, \"shards\": %lld, \"batch\": %lld, "
               "\"samples_per_s\": %.2f, \"step_ms\": %.3f, \"gradient_mb\": %.2f, \"hash\": \"%016llx\"}\n",
               c->name, ranks ? (int)ranks->ranks : 1, (int)threads, (long long)shards, (long long)c->batch,
               (double)((w.steps - WARM) * c->batch) / (w.end - w.begin),
               1e3 * (w.end - w.begin) / (double)(w.steps - WARM),
               (double)bench_info(w.model).parameters * 4e-6, (unsigned long long)w.hash);
    fgt_model_destroy(&w.model);
    fgt_context_destroy(&ctx);
}

/* Milliseconds of an exchange in which each process sends `bytes` bytes to each other process. */
static void exchange(const fgt_collective *c, int64_t bytes, double seconds)
{
    int64_t *table = bench_room(3 * (size_t)c->ranks, sizeof *table), *at = table, *n = at + c->ranks;
    int64_t *one = n + c->ranks, runs = 0;
    char    *send = bench_room((size_t)(c->ranks * bytes), 1),
         *receive = bench_room((size_t)(c->ranks * bytes), 1);
    for (int32_t q = 0; q < c->ranks; q++) {
        at[q]  = q * bytes;
        n[q]   = q == c->rank ? 0 : bytes;
        one[q] = 1;
    }
    const fgt_exchange e     = {sizeof e, 1, send, at, n, receive, at, n};
    const fgt_exchange end   = {sizeof end, 2, send, at, one, receive, at, one};
    const double       begin = bench_now();
    for (receive[0] = 0; !receive[0] && bytes; runs++) {
        void   *request;
        int32_t done;
        bench_check("exchange", c->exchange(c->user, &e, &request), NULL);
        bench_check("exchange", c->finish(c->user, request, 1, &done), NULL);
        if (runs % 16 != 15) continue;
        for (int32_t q = 0; q < c->ranks; q++) send[at[q]] = c->rank == 0 && bench_now() - begin > seconds;
        bench_check("end", c->exchange(c->user, &end, &request), NULL);
        bench_check("end", c->finish(c->user, request, 1, &done), NULL);
    }
    if (c->rank == 0)
        printf("{\"case\": \"exchange\", \"ranks\": %d, \"bytes\": %lld, \"ms\": %.5f}\n", (int)c->ranks,
               (long long)bytes, 1e3 * (bench_now() - begin) / (double)runs);
    free(table);
    free(send);
    free(receive);
}

int main(int argc, char **argv)
{
    char          why[256];
    const int64_t shards  = argc > 2 ? atoll(argv[2]) : -1;
    const double  seconds = argc > 3 ? atof(argv[3]) : 0;
    if (argc < 4 || argc > 5 || shards < 0 || !(seconds > 0)) {
        fprintf(stderr, "usage: mpirun -n RANKS bench-ranks CASE SHARDS SECONDS [THREADS | allreduce]\n"
                        "       bench-ranks CASE 0 SECONDS THREADS\n");
        return 1;
    }
    const int     own     = argc > 4 && !strcmp(argv[4], "allreduce");
    const int32_t threads = argc > 4 && !own ? atoi(argv[4]) : 1;
    if (!shards) {
        run(find(argv[1]), NULL, 0, seconds, threads);
        return 0;
    }
    fgt_mpi           *mpi  = NULL;
    const fgt_mpi_opts opts = {.size = sizeof opts, .allreduce = own};
    MPI_Init(&argc, &argv);
    if (fgt_mpi_create(MPI_COMM_WORLD, &opts, &mpi, why, sizeof why) != FGT_OK) {
        fprintf(stderr, "bench-ranks: %s\n", why);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (!strcmp(argv[1], "exchange"))
        exchange(fgt_mpi_get_collective(mpi), shards, seconds);
    else
        run(find(argv[1]), fgt_mpi_get_collective(mpi), shards, seconds, threads);
    fgt_mpi_destroy(&mpi);
    MPI_Finalize();
    return 0;
}
