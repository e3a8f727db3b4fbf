/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TIME_AXIS_H
#define FGTI_TIME_AXIS_H

/* The times of a table's rows: the step between them, errors in them, and repairs. */

#include <fighter/table.h>

#include "data/time/step.h"
#include "data/time/time_labels.h"

typedef struct fgti_axis {
    fgt_context  *ctx;
    const fgti_row_labels *labels; /* labels of the rows before repairs, for error texts */
    int64_t       rows;
    int64_t      *time; /* [rows] */
    int64_t               *from; /* [rows]: number that the row had before repairs; -1: the row was missing */
    fgt_time_step          step; /* all 0 if there is only one row */
    int64_t                repeats, gaps; /* number of rows that were removed, and of rows that were added */
    bool          reordered;
    const fgt_time_step   *known; /* a step that is used if the rows fit it; NULL: the step must be found */
    bool merged; /* the rows come from several files or series, so errors give no row numbers */
} fgti_axis;

/* Missing rows: their number, the size of the widest gap (`most`), and the times before and after this
 * gap. */
typedef struct fgti_gaps {
    int64_t missing, most, from, to;
} fgti_gaps;

static inline void fgti_gaps_add(fgti_gaps *g, int64_t from, int64_t to, int64_t missing)
{
    g->missing += missing;
    if (missing <= g->most) return;
    g->most = missing;
    g->from = from;
    g->to   = to;
}

/* The time among times [n] from which fgti_time_add() reaches all of them and later times. With steps of
 * months, a last day of a month may stand for the 28th, 29th, 30th or 31st. A time before the last day of its
 * month shows which day is meant. */
int64_t fgti_axis_anchor(const fgt_time_step *step, const int64_t *times, int64_t n);
/* Whether a time that is missing, or that occurs twice, may come from a change of the clock. The next
 * function gives advice for error texts. */
bool fgti_axis_is_change(const fgti_axis *a, int64_t time);
#define FGTI_AXIS_CHANGE                                                                          \
    "clocks may have changed in this hour: the option `zone` with the name of the zone, such as " \
    "Europe/Berlin, reads such hours rightly; otherwise "
/* If more rows are missing than this many times the rows of the file, some time must be wrong. */
#define FGTI_GAPS_MOST 4
/* FGT_E_DATA: more rows are missing than FGTI_GAPS_MOST times the rows that exist. */
fgt_status fgti_axis_refuse_missing(fgti_error *err, const char *what, const fgti_gaps *g, int64_t rows,
                                    const fgt_time_step *step);
/* Writes an error text if the time of this row, or of the row before it, is the only one that prevents equal
 * steps. The text has the time that would fit. Otherwise writes "". A repair would move the row, or add rows
 * up to it. */
#define FGTI_SLIP_TEXT (FGTI_ROW_TEXT + 80)
const char *fgti_axis_show_slip(const fgti_axis *a, int64_t row, char text[FGTI_SLIP_TEXT]);
/* Begins the axis of rows with these times, which it takes over. The rows keep their order, or are sorted by
 * time if `repair` (a sum of fgt_table_repair) allows this. The labels must exist as long as the axis.
 * FGT_E_DATA: the error names the row, unless the rows are `merged`. Call fgti_axis_done() even after an
 * error. */
fgt_status fgti_axis_init(fgt_context *ctx, const fgti_row_labels *labels, int64_t rows, int64_t *time,
                          int32_t repair, bool merged, fgti_axis *a);
/* Describes a row of the axis, as "line 7 (2016-07-01 05:00)". If the rows come from several files or series,
 * only the time is written. */
const char *fgti_axis_row(const fgti_axis *a, int64_t row, char buf[FGTI_ROW_TEXT]);
/* If rows have the same time, keeps the last one of the file, which is usually a correction. */
void fgti_axis_drop_repeats(fgti_axis *a);
/* Finds the step of the increasing times, and adds missing rows. */
fgt_status fgti_axis_settle_gaps(fgti_axis *a, int32_t repair);
/* Adds all missing rows, for a step that leads to all times. Their number has no limit. */
fgt_status fgti_axis_fill(fgti_axis *a, const fgt_time_step *step);
/* Calls fgti_axis_init(), fgti_axis_drop_repeats() and fgti_axis_settle_gaps() for the rows of several files
 * or series. */
fgt_status fgti_axis_merge(fgt_context *ctx, const fgti_row_labels *labels, int64_t rows, int64_t *time,
                           int32_t repair, const fgt_time_step *known, fgti_axis *a);
void       fgti_axis_done(fgti_axis *a);

#endif
