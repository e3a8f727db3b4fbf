/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROCESSORS_H
#define PROCESSORS_H

/* Number of processors, for the default of --threads. */

#include <stdint.h>

/* Processors of the machine that are online. */
int64_t processors_online(void);

/* Processors that this process may use: taskset, a batch system or a container can allow fewer. */
int64_t processors_allowed(void);

#endif
