/* SPDX-License-Identifier: BSD-3-Clause */
/* Warns of values far outside of the range that a loaded model has seen: other units, or another column. */
#include <math.h>
#include <stdlib.h>

#include "moments.h"
#include "ranges.h"

#include "../common/numbers.h"
#include "../common/program.h"

/* In deviations of the training rows. In twelve public data sets, with a third of the rows or only 96 rows
 * taken as later rows, no median was 6 or more from the mean of the training rows, and no spread was above
 * 5. */
#define FAR  10
#define WIDE 20
/* Values are far if they are this many times smaller than a mean that is not near 0. */
#define SMALL 20
/* Fewest values for the check, and most columns that are named. */
enum { LEAST = 20, NAMED = 8 };

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* v [n] is sorted. */
static bool is_far(const double *v, int64_t n, double mean, double scale)
{
    const double spread = (v[3 * n / 4] - v[n / 4]) / 1.349; /* comparable with the deviation of a normal
                                                              * distribution */
    const double most   = fmax(fabs(v[0]), fabs(v[n - 1]));
    return fabs(v[n / 2] - mean) > FAR * scale || spread > WIDE * scale ||
           (fabs(mean) > 2 * scale && most < fabs(mean) / SMALL);
}

static void warn_of_column(const char *path, const char *name, const double *v, int64_t n, double mean,
                           double scale)
{
    char low[NUMBER_TEXT], high[NUMBER_TEXT];
    number_text(v[n / 10], low);
    number_text(v[n - 1 - n / 10], high);
    warn("%s: \"%.200s\" lies from %s to %s in most rows, and in the training of the model it lay from %.4g "
         "to %.4g: the forecast may be wrong if units or columns are other ones",
         path, name, low, high, mean - 2 * scale, mean + 2 * scale);
}

bool ranges_warn(const run *r, const char *path, const fgt_table *table)
{
    const moments     of   = moments_of(r->forecaster);
    const fgt_view    all  = fgt_table_get_values(table);
    double           *v    = malloc((size_t)all.shape[0] * sizeof *v + 1);
    const char       *name;
    int64_t           column, far = 0;
    if (!v) return complain("no memory");
    for (int64_t i = 0; all.data && (name = fgt_forecaster_get_name(r->forecaster, i)); i++) {
        int64_t n = 0;
        if (fgt_table_get_column(table, name, &column) != FGT_OK) continue;
        for (int64_t k = 0; k < all.shape[0]; k++) {
            const double x = ((const double *)all.data)[k * all.shape[1] + column];
            if (!isnan(x)) v[n++] = x;
        }
        qsort(v, (size_t)n, sizeof *v, compare);
        /* a constant column has scale 1, which has no meaning */
        if (n < LEAST || of.scale[i] == 1 || !is_far(v, n, of.mean[i], of.scale[i])) continue;
        if (far++ < NAMED) warn_of_column(path, name, v, n, of.mean[i], of.scale[i]);
    }
    free(v);
    if (far > NAMED)
        warn("%s: so do %lld more columns", path, (long long)(far - NAMED));
    return true;
}
