/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* sched_getaffinity() */
#include "processors.h"
#include <sched.h>
#include <unistd.h>

int64_t processors_online(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? online : 1;
}

int64_t processors_allowed(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (!sched_getaffinity(0, sizeof set, &set)) return CPU_COUNT(&set);
#endif
    return processors_online(); /* also reached if there are more than CPU_SETSIZE processors */
}
