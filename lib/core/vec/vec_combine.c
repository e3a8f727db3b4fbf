/* SPDX-License-Identifier: BSD-3-Clause */
/* A linear combination of rows, in double: the basic operation of factorisations and regressions. The file is
 * built in the same way as vec.c. */
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

static void vec_combine(const fgti_combination *c, double *y)
{
    int64_t i = 0;
    for (; i + WIDTH <= c->n; i += WIDTH) combine_strip(c, c->x + i, y + i);
    for (int64_t r = 0; i < c->n && r < c->rows; r++) {
        const double s = c->sign * c->s[r * c->stride];
        for (int64_t j = i; j < c->n; j++) y[j] += s * c->x[r * c->ld + j];
    }
}

/* ---- several at a time ---- */

/* Several combinations of the same rows. Each row is read once for all of them. */
enum { TOGETHER = FGTI_COMBINED, SHORT_STRIPS = REGISTER == 64 ? 4 : 2, SHORT = DOUBLES * SHORT_STRIPS };

INLINE void combine_block(const fgti_combination *c, const double *x, double *y)
{
    pack sum[TOGETHER][SHORT_STRIPS];
    for (int m = 0; m < TOGETHER; m++)
        for (int k = 0; k < SHORT_STRIPS; k++) sum[m][k] = *(const pack *)(y + m * c->ldy + k * DOUBLES);
    for (int64_t r = 0; r < c->rows; r++) {
        const double *s = c->s + r * c->stride;
        pack          row[SHORT_STRIPS];
        for (int k = 0; k < SHORT_STRIPS; k++) row[k] = *(const pack *)(x + r * c->ld + k * DOUBLES);
        for (int m = 0; m < TOGETHER; m++)
            for (int k = 0; k < SHORT_STRIPS; k++) sum[m][k] += c->sign * s[m * c->next] * row[k];
    }
    for (int m = 0; m < TOGETHER; m++)
        for (int k = 0; k < SHORT_STRIPS; k++) *(pack *)(y + m * c->ldy + k * DOUBLES) = sum[m][k];
}

static void combine_blocks(const fgti_combination *c, double *y)
{
    int64_t i = 0;
    for (; i + SHORT <= c->n; i += SHORT) combine_block(c, c->x + i, y + i);
    for (int64_t m = 0; m < TOGETHER && i < c->n; m++) {
        fgti_combination rest = *c;
        rest.n                = c->n - i;
        rest.s                = c->s + m * c->next;
        rest.x                = c->x + i;
        vec_combine(&rest, y + m * c->ldy + i);
    }
}

extern void THIS_TABLE(fgti_combine_)(const fgti_combination *c, double *y);
void        THIS_TABLE(fgti_combine_)(const fgti_combination *c, double *y)
{
    fgti_combination part = *c;
    int64_t          m    = 0;
    for (; m + TOGETHER <= c->count; m += TOGETHER, part.s += TOGETHER * c->next)
        combine_blocks(&part, y + m * c->ldy);
    for (; m < c->count; m++, part.s += c->next) vec_combine(&part, y + m * c->ldy);
}
