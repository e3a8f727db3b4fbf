/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PROCESSOR_H
#define FGTI_PROCESSOR_H

/* Which kernels suit this processor. The answer depends on the processor alone, so every run has the same
 * kernels and the same bits. */

#include <stdbool.h>
#include <stdint.h>

/* A family of BLIS's kernels. */
typedef enum fgti_family {
    FGTI_FAMILY_BLIS,   /* what BLIS chooses itself */
    FGTI_FAMILY_AVX512, /* skx, tiles of 32 x 12 */
    FGTI_FAMILY_AVX2,   /* haswell, tiles of 6 x 16 */
} fgti_family;

typedef struct fgti_processor {
    fgti_family family;
    /* The library's own kernel for panels (`product` of vec_panels.h), of attention with heads of up to
     * own_width columns and of recurrent layers with widths of up to that: the rows and columns of its tiles.
     * own_rows is 0 where BLIS's kernel does it all. own_vector: with these kernels for elements only. */
    int32_t     own_rows, own_columns;
    int64_t     own_width;
    const char *own_vector;
    int64_t     own_weight; /* as fgti_blas has it */
    int64_t     short_time; /* as fgti_blas has it; 0: FGTI_SHORT_TIME */
    bool        bf16;       /* products in bf16 take the instruction vdpbf16ps (bf16.h) */
} fgti_processor;

fgti_processor fgti_processor_get(void);

#endif
