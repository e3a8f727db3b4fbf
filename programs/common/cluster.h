/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLUSTER_H
#define CLUSTER_H

/* The option --mpi: several processes, started by mpirun, train one model together. */

#include <fighter/experimental/collective.h>

#include "command_line.h"

typedef struct cluster {
    bool    mpi, allreduce;
    int64_t shards;
    double  timeout;
} cluster;

#define CLUSTER_OPTIONS 4
extern const opt cluster_options[CLUSTER_OPTIONS];
/* Checks options that depend on each other. On error prints a message and returns false. */
bool cluster_check(const cluster *c);

/* ---- cluster_mpi.c; cluster_none.c in builds without MPI ---- */

/* Begins MPI if --mpi is among the arguments. Call it before the options are read: errors in them are printed
 * by one process only, so the processes must already know each other. */
bool cluster_begin(int argc, char **argv);
/* Joins the other processes. */
bool cluster_join(const cluster *c);
/* The value of `collective` in the options of a fit; NULL: there is only one process. */
const fgt_collective *cluster_collective(void);
/* Number of threads for this process: `wanted`, or if that is 0, this process's share of the machine's
 * processors. */
int64_t cluster_threads(int64_t wanted);
/* Whether this process prints and writes files. */
bool cluster_leads(void);
/* Ends MPI. If the status is a failure, ends all processes. Returns the status. */
int cluster_end(int status);

#endif
