/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out which cycles of the calendar the series of a table follow. */
#include "forecast/known/cycles.h"

#include <float.h>
#include <math.h>

#include "data/table.h"
#include "data/table_clock.h"
#include "data/time/time.h"
#include "forecast/known/calendar.h"

/* The phases of a cycle are its hours, weekdays or months. In a series without this cycle the phases also
 * differ, by chance. An analysis of variance compares both: F is the variance between phases divided by the
 * variance within phases, where each value is the mean of one phase in one cycle minus the mean of that
 * cycle. By chance, F is about 1. */
enum { MOST_PHASES = 24 };
static const double LEAST_F = 4;

/* Sums of one series over all cycles. */
typedef struct variance {
    double  now[MOST_PHASES];                       /* sums of the values of each phase in this cycle */
    int64_t in[MOST_PHASES];                        /* numbers of these values */
    double  sum[MOST_PHASES], squares[MOST_PHASES]; /* sums over the values of all earlier cycles */
    int64_t count[MOST_PHASES], cycles;
    double  largest; /* largest magnitude of the values so far */
} variance;

/* Returns the number of a row's cycle, and its phase in *phase. */
static int64_t cycles_place(int32_t part, int64_t time, int *phase)
{
    int64_t        rest;
    const fgti_day d      = fgti_day_of_time(time, &rest);
    const int64_t  number = fgti_day_number(d) + 7 * INT64_C(1000000); /* the offset keeps it non-negative */
    if (part == FGT_CALENDAR_DAY) {
        *phase = (int)(rest * MOST_PHASES / FGTI_DAY);
        return number;
    }
    *phase = part == FGT_CALENDAR_WEEK ? (int)(number % 7) : d.month - 1;
    return part == FGT_CALENDAR_WEEK ? number / 7 : d.year;
}

/* Ends a cycle. Differences within rounding are set to 0: otherwise a constant series would seem to follow
 * every cycle. */
static void end_cycle(variance *v)
{
    double  mean = 0;
    int     n    = 0;
    int64_t most = 0;
    for (int i = 0; i < MOST_PHASES; i++) {
        if (!v->in[i]) continue;
        mean += v->now[i] / (double)v->in[i];
        n++;
        if (v->in[i] > most) most = v->in[i];
    }
    const double noise = (double)(most + MOST_PHASES) * DBL_EPSILON * v->largest;
    v->cycles += n > 0;
    for (int i = 0; i < MOST_PHASES; i++) {
        if (!v->in[i]) continue;
        double d = v->now[i] / (double)v->in[i] - mean / n;
        if (fabs(d) <= noise) d = 0;
        v->sum[i] += d;
        v->squares[i] += d * d;
        v->count[i]++;
        v->now[i] = 0;
        v->in[i]  = 0;
    }
}

static void read_series(variance *v, const fgt_table *table, const fgt_split *split, int32_t part, int64_t c)
{
    int64_t last = -1;
    *v           = (variance){0};
    for (int64_t r = split->train_begin; r < split->train_end; r++) {
        const double value = table->values[r * table->columns + c];
        int          phase;
        if (isnan(value)) continue;
        const int64_t cycle = cycles_place(part, fgti_table_clock(table, r), &phase);
        if (cycle != last) end_cycle(v);
        last = cycle;
        v->now[phase] += value;
        v->in[phase]++;
        v->largest = fmax(v->largest, fabs(value));
    }
    end_cycle(v);
}

/* Whether the series is a straight line in the training rows, within rounding. In each cycle of a rising
 * line, later phases are above earlier ones, without any variance within a phase. F would be infinite. */
static bool is_straight(const fgt_table *table, const fgt_split *split, int64_t c)
{
    const double *v     = table->values + c;
    const int64_t width = table->columns;
    int64_t       begin = split->train_begin, end = split->train_end - 1;
    while (begin < end && isnan(v[begin * width])) begin++;
    while (end > begin && isnan(v[end * width])) end--;
    const double first = v[begin * width], last = v[end * width];
    const double noise = 8 * DBL_EPSILON * fmax(fabs(first), fabs(last));
    for (int64_t r = begin; r <= end; r++) {
        const double share = end > begin ? (double)(r - begin) / (double)(end - begin) : 0;
        if (fabs(v[r * width] - (first + share * (last - first))) > noise) return false;
    }
    return true;
}

/* Adds the mean squares between and within phases, relative to the series' variance. */
static void add_series(const variance *v, double *between, double *within)
{
    double  b = 0, w = 0;
    int64_t phases = 0, values = 0;
    for (int i = 0; i < MOST_PHASES; i++) {
        if (!v->count[i]) continue;
        const double square = v->sum[i] * v->sum[i] / (double)v->count[i];
        b += square;
        w += v->squares[i] - square;
        phases++;
        values += v->count[i];
    }
    const int64_t left = values - v->cycles - (phases - 1); /* degrees of freedom within the phases */
    if (phases < 2 || left < 1 || !(b + w > 0) || isinf(b + w)) return;
    *between += b / (b + w) / (double)(phases - 1);
    *within += w / (b + w) / (double)left;
}

int32_t fgti_calendar_keep_shown(const fgt_table *table, const fgt_split *split, int64_t targets,
                                 int32_t parts)
{
    variance v;
    int32_t  shown = 0;
    for (int32_t part = FGT_CALENDAR_DAY; part <= parts; part *= 2) {
        double between = 0, within = 0;
        for (int64_t c = 0; c < targets && parts & part; c++) {
            if (is_straight(table, split, c)) continue;
            read_series(&v, table, split, part, c);
            add_series(&v, &between, &within);
        }
        if (between > LEAST_F * within) shown |= part;
    }
    return shown;
}
