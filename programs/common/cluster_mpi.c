/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <fighter/experimental/collective.h>
#include <fighter/experimental/mpi.h>

#include "cluster.h"
#include "processors.h"
#include "program.h"

static struct {
    bool     begun;
    int      rank, ranks, neighbours; /* neighbours: number of processes on this machine */
    fgt_mpi *mpi;
    FILE    *errors; /* original standard error of the processes that do not print */
} all = {.neighbours = 1};

static void count_neighbours(void)
{
    MPI_Comm here;
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here) != MPI_SUCCESS)
        return;
    MPI_Comm_size(here, &all.neighbours);
    MPI_Comm_free(&here);
}

/* Discards the output of this process. Only the error with which the process fails is kept, for
 * say_last(). */
static bool silence(void)
{
    static char sentence[1024];
    const int   errors = dup(STDERR_FILENO);
    all.errors         = errors < 0 ? NULL : fdopen(errors, "w");
    program_keeps(sentence, sizeof sentence);
    return all.errors && freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr);
}

bool cluster_begin(int argc, char **argv)
{
    bool wanted = false;
    for (int i = 1; i < argc; i++) wanted |= !strcmp(argv[i], "--mpi");
    if (!wanted) return true;
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return complain("--mpi: MPI cannot be initialised");
    all.begun = true;
    MPI_Comm_rank(MPI_COMM_WORLD, &all.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &all.ranks);
    count_neighbours();
    return all.rank == 0 || silence();
}

bool cluster_join(const cluster *c)
{
    char why[256];
    if (!c->mpi) return true;
    const fgt_mpi_opts opts = {.size = sizeof opts, .timeout = c->timeout, .allreduce = c->allreduce};
    return fgt_mpi_create(MPI_COMM_WORLD, &opts, &all.mpi, why, sizeof why) == FGT_OK ||
           complain("--mpi: %s", why);
}

const fgt_collective *cluster_collective(void)
{
    return fgt_mpi_get_collective(all.mpi);
}

int64_t cluster_threads(int64_t wanted)
{
    if (wanted || !all.begun) return wanted;
    const int64_t share = processors_online() / all.neighbours, allowed = processors_allowed();
    /* allowed < share: mpirun may bind each process to few processors */
    return share < 1 ? 1 : share < allowed ? share : allowed;
}

bool cluster_leads(void)
{
    return all.rank == 0;
}

static void sleep_ms(long ms)
{
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

/* Tag of the message by which the first process tells the others that it has printed why all processes
 * end. */
enum { SAID = 1 };

static void tell_others(void)
{
    for (int q = 1; q < all.ranks; q++) {
        MPI_Request sent;
        if (MPI_Isend(NULL, 0, MPI_BYTE, q, SAID, MPI_COMM_WORLD, &sent) == MPI_SUCCESS)
            MPI_Request_free(&sent);
    }
}

/* Whether a SAID message from process `from` arrives within `ms` milliseconds. The polling also lets MPI work
 * on other messages. */
static bool hear(int from, long ms)
{
    for (int there = 0; ms > 0; ms -= 10) {
        if (MPI_Iprobe(from, SAID, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE) != MPI_SUCCESS || there)
            return there;
        sleep_ms(10);
    }
    return false;
}

/* Prints the error of this process, unless the first process prints one within a second: it may be the same
 * error. The first process then also ends all processes. */
static void say_last(void)
{
    if (hear(0, 1000)) {
        sleep_ms(5000);
        return;
    }
    fprintf(all.errors, "%s: rank %d: %s\n", program_name, all.rank, program_kept());
    fflush(all.errors);
}

int cluster_end(int status)
{
    if (!all.begun) return status;
    if (status == EXIT_FAILURE) {
        if (!all.rank) tell_others();
        if (all.rank && all.errors) say_last();
        fflush(NULL);
        hear(all.rank, 200); /* waits only: mpirun may drop output that it has not passed on yet */
        MPI_Abort(MPI_COMM_WORLD, status);
    }
    fgt_mpi_destroy(&all.mpi);
    MPI_Finalize();
    return status;
}
