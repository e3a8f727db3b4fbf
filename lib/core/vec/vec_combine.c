/* SPDX-License-Identifier: BSD-3-Clause */
/* A linear combination of rows, in double: what factorisations and regressions consist of. The file is built
 * as vec.c is. */
#include "core/vec/vec.h"
#include "core/vec/vec_build.h"

/* Elements of a row that stay in registers while the rows are added. */
enum { DOUBLES = REGISTER / sizeof(double), STRIPS = 4, WIDTH = DOUBLES * STRIPS };
typedef double pack __attribute__((vector_size(REGISTER), aligned(sizeof(double)), may_alias));

INLINE void combine_strip(const fgti_combination *c, const double *x, double *y)
{
    pack sum[STRIPS];
    for (int k = 0; k < STRIPS; k++) sum[k] = *(const pack *)(y + k * DOUBLES);
    for (int64_t r = 0; r < c->rows; r++) {
        const double s = c->sign * c->s[r * c->stride];
        for (int k = 0; k < STRIPS; k++) sum[k] += s * *(const pack *)(x + r * c->ld + k * DOUBLES);
    }
    for (int k = 0; k < STRIPS; k++) *(pack *)(y + k * DOUBLES) = sum[k];
}

extern void THIS_TABLE(fgti_combine_)(const fgti_combination *c, double *y);
void        THIS_TABLE(fgti_combine_)(const fgti_combination *c, double *y)
{
    int64_t i = 0;
    for (; i + WIDTH <= c->n; i += WIDTH) combine_strip(c, c->x + i, y + i);
    for (int64_t r = 0; i < c->n && r < c->rows; r++) {
        const double s = c->sign * c->s[r * c->stride];
        for (int64_t j = i; j < c->n; j++) y[j] += s * c->x[r * c->ld + j];
    }
}
