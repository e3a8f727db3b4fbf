/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_VEC_STRIP_H
#define FGTI_VEC_STRIP_H

/* Loops over the lanes of a panel in strips. A strip has a constant number of lanes, which stay in
 * registers. */
#include "core/vec/vec_build.h"

#define STRIP 16 /* lanes in a strip; 4 if v is not a multiple of 16 */

/* Goes before a loop over lanes. Otherwise GCC unrolls the loop before it vectorises, and then finds no
 * loop. */
#if defined(__GNUC__) && !defined(__clang__)
#define LANES _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#else
#define LANES INDEPENDENT
#endif

#endif
