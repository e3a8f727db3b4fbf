/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PASS_EDGES_H
#define FGTI_PASS_EDGES_H

/* For fgti_sort(): greater weights first, equal ones by row, then by column. */
int fgti_edge_order(const void *p, const void *q, const void *arg);

#endif
