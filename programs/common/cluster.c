/* SPDX-License-Identifier: BSD-3-Clause */
#include "cluster.h"

#include "program.h"

#define AT(field) offsetof(cluster, field)

const opt cluster_options[CLUSTER_OPTIONS] = {
    {"mpi", FLAG, AT(mpi), 0, 0, 0, NULL, NULL,
     "train with all processes of mpirun; the first one prints and\n"
     "writes. Each reads all of a CSV file, but only its part of a\nfile of --convert"},
    {"shards", COUNT, AT(shards), 0, 1, 8192, NULL, "N",
     "parts of a batch, a power of two. The weights depend on it, and\n"
     "not on the number of processes; default: with --mpi 8, or as\nmany as there are processes"},
    {"mpi-timeout", REAL, AT(timeout), 0, 1, 1e9, NULL, "S",
     "give up after S seconds without a word of a process that is\nwaited for; default: 600"},
    {"mpi-allreduce", FLAG, AT(allreduce), 0, 0, 0, NULL, NULL,
     "let MPI add the gradients, in an order of its own: the weights\nmay depend on the number of processes"},
};

bool cluster_check(const cluster *c)
{
    if (c->mpi || (!(c->timeout > 0) && !c->allreduce)) return true;
    return complain("--mpi-%s is for --mpi", c->allreduce ? "allreduce" : "timeout");
}
