/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PROCESSOR_H
#define FGTI_PROCESSOR_H

/* Chooses the kernels for this processor. The choice depends only on the processor, so every run has the same
 * kernels and the same bits. */

#include <stdbool.h>
#include <stdint.h>

/* A family of BLIS's kernels. */
typedef enum fgti_family {
    FGTI_FAMILY_BLIS,   /* the kernels that BLIS chooses */
    FGTI_FAMILY_AVX512, /* skx, tiles of 32 x 12 */
    FGTI_FAMILY_AVX2,   /* haswell, tiles of 6 x 16 */
} fgti_family;

typedef struct fgti_processor {
    fgti_family family;
    /* The tiles of the library's own kernel for panels (`product` of vec_panels.h). This kernel computes
     * attention with heads of up to own_width columns, and recurrent layers of up to this width. own_rows 0:
     * BLIS's kernel computes all. own_vector: name of the table of vec.h that the kernel needs. */
    int32_t     own_rows, own_columns;
    int64_t     own_width;
    const char *own_vector;
    int64_t     own_weight; /* see fgti_blas */
    int64_t     short_time; /* see fgti_blas; 0: FGTI_SHORT_TIME */
    bool        bf16;       /* products in bf16 use the instruction vdpbf16ps (bf16.h) */
} fgti_processor;

fgti_processor fgti_processor_get(void);

#endif
