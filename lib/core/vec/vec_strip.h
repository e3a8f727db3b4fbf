/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VEC_STRIP_H
#define FGTI_VEC_STRIP_H

/* Loops over the lanes of a panel, strip by strip: a constant number of lanes stays in registers. */
#include "core/vec/vec_build.h"

#define STRIP 16 /* lanes taken at once; 4 where v is no multiple of them */

/* Before a loop over lanes. Unrolled first, as gcc would, it is no loop any more for the vectoriser. */
#if defined(__GNUC__) && !defined(__clang__)
#define LANES _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#else
#define LANES INDEPENDENT
#endif

#endif
