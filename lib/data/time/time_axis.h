/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_TIME_AXIS_H
#define FGTI_TIME_AXIS_H

/* The times of a table's rows: the step between them, errors in them, and repairs. */

#include <fighter/data.h>

#include "data/time/step.h"
#include "data/time/time_labels.h"

typedef struct fgti_axis {
    fgt_context  *ctx;
    const fgti_row_labels *labels; /* of the rows before repairs, for sentences */
    int64_t       rows;
    int64_t      *time; /* [rows] */
    int64_t      *from; /* [rows]: the row that it was before repairs, -1: a row that was missing */
    fgt_time_step step; /* all 0 with a single row */
    int64_t       repeats, gaps; /* rows that were removed and added */
    bool          reordered;
    const fgt_time_step   *known; /* the step, if the rows fit it; NULL: it is found */
    bool          merged; /* the rows come from several files or series: sentences do not number them */
} fgti_axis;

/* Rows that are missing, and the times on both sides of the widest gap, of `most` rows. */
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

/* The step of times [n], each after the one before; times that are not are skipped. */
fgt_status fgti_axis_step(fgt_context *ctx, const int64_t *time, int64_t n, fgt_time_step *step);
/* The time among times [n] from which fgt_time_add() leads to all of them, and to later ones: the last day of
 * a month may also mean the 28th, 29th or 30th, as other times show. */
int64_t fgti_axis_anchor(const fgt_time_step *step, const int64_t *times, int64_t n);
/* Whether a time that is missing, or occurs twice, may come from a change of the clock; and a remedy. */
bool fgti_axis_is_change(const fgti_axis *a, int64_t time);
#define FGTI_AXIS_CHANGE                                                                          \
    "clocks may have changed in this hour: the option `zone` with the name of the zone, such as " \
    "Europe/Berlin, reads such hours rightly; otherwise "
/* If more rows are missing than the file has several times over, a time is wrong. */
#define FGTI_GAPS_MOST 4
/* FGT_E_DATA: more rows are missing than FGTI_GAPS_MOST times the existing ones. */
fgt_status fgti_axis_refuse_missing(fgti_error *err, const char *what, const fgti_gaps *g, int64_t rows,
                                    const fgt_time_step *step);
/* If only the time of this row, or of the one before it, prevents equal steps: a sentence that says so, with
 * the time that it should have; otherwise nothing. A repair would move the row, or add rows up to it.
 * time_slip.c */
#define FGTI_SLIP_TEXT (FGTI_ROW_TEXT + 80)
const char *fgti_axis_show_slip(const fgti_axis *a, int64_t row, char text[FGTI_SLIP_TEXT]);
/* Begins the axis of rows with these times, which it takes over, in their order or in the order of times, as
 * `repair` allows (a sum of fgt_repair). The labels must outlive the axis. FGT_E_DATA: the error, with the
 * row unless they are `merged`. Call fgti_axis_done() even after an error. */
fgt_status fgti_axis_init(fgt_context *ctx, const fgti_row_labels *labels, int64_t rows, int64_t *time,
                          int32_t repair, bool merged, fgti_axis *a);
/* "line 7 (2016-07-01 05:00)": a row of the axis; only its time if the rows come from several files or
 * series. */
const char *fgti_axis_row(const fgti_axis *a, int64_t row, char buf[FGTI_ROW_TEXT]);
/* Keeps the last of the rows with one time in the file, which is usually a correction. */
void fgti_axis_drop_repeats(fgti_axis *a);
/* Finds the step of times that rise, and adds missing rows. */
fgt_status fgti_axis_settle_gaps(fgti_axis *a, int32_t repair);
/* Adds the missing rows of a step that leads to all times, without a limit. */
fgt_status fgti_axis_fill(fgti_axis *a, const fgt_time_step *step);
/* All three steps, for rows of several files or series. */
fgt_status fgti_axis_merge(fgt_context *ctx, const fgti_row_labels *labels, int64_t rows, int64_t *time,
                           int32_t repair, const fgt_time_step *known, fgti_axis *a);
void       fgti_axis_done(fgti_axis *a);

#endif
