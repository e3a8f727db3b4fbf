/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <fighter/experimental/collective.h>

#include "cluster.h"
#include "program.h"

bool cluster_begin(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--mpi"))
            return complain("--mpi: this program was built without MPI; Meson's option mpi adds it");
    return true;
}

bool cluster_join(const cluster *c)
{
    (void)c;
    return true;
}

const fgt_collective *cluster_collective(void)
{
    return NULL;
}

int64_t cluster_threads(int64_t wanted)
{
    return wanted;
}

bool cluster_leads(void)
{
    return true;
}

int cluster_end(int status)
{
    return status;
}
