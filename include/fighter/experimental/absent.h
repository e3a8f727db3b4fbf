/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_ABSENT_H
#define FIGHTER_EXPERIMENTAL_ABSENT_H

/** @file absent.h
 *  Series that a table lacks, and series that end before the others.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/forecast.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Adds a column without values to the end of a table for each target that the table lacks, such as a shop
 *  that is closed or has no values yet. The forecasts of such targets are NaN; they do not count in errors,
 *  and training skips them. In windows the standardised values of such targets are 0, the mean of the
 *  training rows. So the call is refused if the forecasts of other targets depend on the missing ones: with
 *  tokens that are time steps or variates (except FGT_BLOCK_MLP, which keeps variates apart), with past
 *  columns, and with `space`. The call tests this by two forecasts from windows that differ only in these
 *  series.
 *  Shapes   *count: number of columns added; 0: the table is unchanged
 *  Cost     two passes, after a first one that allocates
 *  Owner    the table is changed; views of its values are no longer valid
 *  Errors   FGT_E_ARG NULL; FGT_E_NAME the table has no target at all, or is on disk and lacks some targets,
 *           or forecasts of the targets in the table depend on the missing ones; FGT_E_NOMEM. On error the
 *           table is as before */
FGT_API FGT_MUST fgt_status fgt_forecaster_add_absent(fgt_forecaster *forecaster, fgt_table *table,
                                                      int64_t *count);

/** Forecasts each target from the L rows up to its own last value, for series of a long file that end at
 *  different times. Targets that end together are forecast together. Known values come from `future`, or from
 *  the table if `future` lacks them. If rows have no times, the first row of `future` is row
 *  fgt_forecaster_find_row() of the table. A target without a value, or with fewer than L rows up to its last
 *  value, is left out.
 *  Shapes   as fgt_forecaster_predict_table(); rows I64 [C]: the first row of each target's forecast; -1: the
 *           target was left out, and its forecast is NaN
 *  Units    as in the table; rows
 *  Cost     a pass for each row in which targets end; after the first one nothing is allocated
 *  Owner    borrowed; future may be NULL
 *  Errors   as fgt_forecaster_predict_table(); FGT_E_DATA also all targets are left out. On error forecast is
 *           untouched, rows may be overwritten
 *  Threads  as fgt_forecaster_workspace_predict_windows() */
FGT_API FGT_MUST fgt_status fgt_forecaster_workspace_predict_each(fgt_forecaster_workspace *ws,
                                                                  const fgt_table          *table,
                                                                  const fgt_table          *future,
                                                                  const fgt_view           *forecast,
                                                                  const fgt_view           *rows);

#ifdef __cplusplus
}
#endif
#endif
