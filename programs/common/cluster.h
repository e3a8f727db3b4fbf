/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLUSTER_H
#define CLUSTER_H

/* Several processes that train one model together, under mpirun: --mpi. */

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

/* Begins MPI if --mpi is among the arguments. It is called before they are read, because only one process
 * prints messages. */
bool cluster_begin(int argc, char **argv);
/* Joins the other processes. */
bool cluster_join(const cluster *c);
/* For the options of a fit; NULL: a single process. */
const fgt_collective *cluster_collective(void);
/* Threads for this process: `wanted`; if 0, its share of the machine's processors. */
int64_t cluster_threads(int64_t wanted);
/* Whether this process prints and writes files. */
bool cluster_leads(void);
/* Ends MPI; after a failure ends all processes. Returns the status. */
int cluster_end(int status);

#endif
