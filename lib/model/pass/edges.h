/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PASS_EDGES_H
#define FGTI_PASS_EDGES_H

/* An order for fgti_sort(): greater weights first, equal weights by row, then by column. */
int fgti_edge_order(const void *p, const void *q, const void *arg);

#endif
