/* SPDX-License-Identifier: BSD-3-Clause */
/* Axes and lines of charts. */
#include <math.h>

#include "report/page.h"

#define MOST_POINTS 600 /* of a line: more than a chart has pixels */
#define DASH        3.0 /* length of the dash for a single point: a line of length 0 is invisible */

const fgti_axis_range fgti_range_none = {.low = INFINITY, .high = -INFINITY};

void fgti_range_widen(fgti_axis_range *a, const double *value, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(value[i])) continue;
        if (value[i] < a->low) a->low = value[i];
        if (value[i] > a->high) a->high = value[i];
    }
}

/* Rounds to 1, 2 or 5 times a power of ten. */
static double round_step(double span, int64_t marks)
{
    const double least = span / (double)marks, ten = pow(10, floor(log10(least)));
    return least <= ten ? ten : least <= 2 * ten ? 2 * ten : least <= 5 * ten ? 5 * ten : 10 * ten;
}

void fgti_range_place(fgti_axis_range *a, int64_t marks, double from, double to)
{
    if (!(a->low <= a->high)) a->low = a->high = 0;
    /* smaller differences cannot be drawn */
    const double least = fabs(a->low) * 1e-9 + 1e-30;
    if (a->high - a->low < least) {
        const double room = a->low != 0 ? fabs(a->low) * 0.1 : 1;
        a->low -= room;
        a->high += room;
    }
    a->step  = round_step(a->high - a->low, marks);
    a->first = ceil(a->low / a->step - 1e-9) * a->step;
    a->from  = from;
    a->to    = to;
}

double fgti_range_at(const fgti_axis_range *a, double value)
{
    return a->from + (value - a->low) / (a->high - a->low) * (a->to - a->from);
}

void fgti_put_line(fgti_page *p, const fgti_axis_range *h, const fgti_axis_range *v, const double *x,
                   int64_t first, const double *y, int64_t count)
{
    const int64_t every = (count + MOST_POINTS - 1) / MOST_POINTS;
    bool          pen   = false; /* whether a line has begun */
    for (int64_t i = 0; i < count; i += every) {
        if (!isfinite(y[i])) {
            pen = false;
            continue;
        }
        const double at     = fgti_range_at(h, x ? x[i] : (double)(first + i));
        const double height = fgti_range_at(v, y[i]);
        const bool   alone  = !pen && (i + every >= count || !isfinite(y[i + every]));
        if (alone)
            fgti_put(p, "M%f %fh%f", at - DASH / 2, height, DASH);
        else
            fgti_put(p, "%r%f %f", pen ? "L" : "M", at, height);
        pen = true;
    }
}

void fgti_put_area(fgti_page *p, const fgti_axis_range *h, const fgti_axis_range *v, int64_t first,
                   const double *low, const double *high, int64_t count)
{
    const int64_t every = (count + MOST_POINTS - 1) / MOST_POINTS;
    for (int64_t i = 0, end; i < count; i = end + every) {
        for (end = i; end < count && isfinite(low[end]) && isfinite(high[end]); end += every)
            fgti_put(p, "%r%f %f", end > i ? "L" : "M", fgti_range_at(h, (double)(first + end)),
                     fgti_range_at(v, high[end]));
        for (int64_t k = end - every; k >= i; k -= every)
            fgti_put(p, "L%f %f", fgti_range_at(h, (double)(first + k)), fgti_range_at(v, low[k]));
        if (end > i) fgti_put(p, "Z");
    }
}

/* Enough digits that the marks of an axis differ. */
static const char *mark_text(double mark, double step, char buf[FGTI_NUMBER_TEXT_MAX])
{
    const double digits = mark != 0 ? floor(log10(fabs(mark) / step)) + 2 : 3;
    return fgti_number_rounded(mark, digits > 3 ? (int)fmin(digits, 15) : 3, buf);
}

void fgti_put_grid(fgti_page *p, const fgti_axis_range *v, double x, double right)
{
    for (int64_t i = 0; v->first + (double)i * v->step <= v->high + v->step * 1e-6 && i < 20; i++) {
        /* rounding error instead of 0 */
        double mark = v->first + (double)i * v->step;
        if (fabs(mark) < v->step * 1e-6) mark = 0;
        char         text[FGTI_NUMBER_TEXT_MAX];
        const double y = fgti_range_at(v, mark);
        fgti_put(p, "<path class='grid' d='M%f %fH%f'/><text class='mark' x='%f' y='%f'>%s</text>", x, y,
                 right, x - 5, y + 4, mark_text(mark, v->step, text));
    }
}
