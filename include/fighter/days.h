/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_DAYS_H
#define FIGHTER_DAYS_H

/** @file days.h Special days, with or without names: holidays, sales, fairs. A forecaster that gets them
 *  knows for each row whether its day, the day before or the day after is such a day.
 *
 *      fgt_days_load(ctx, "holidays.csv", FGT_TIME_AUTO, &days);
 *      fgt_forecaster_create(ctx, &FGT_OPTS(fgt_forecaster_opts, .holidays = days), table, &split,
 *                            &forecaster);
 *
 *  Unless a function says otherwise: no shapes, no units; pointers are borrowed for the call; only functions
 *  that return an fgt_status can fail; one thread at a time may use a context and what was made from it; the
 *  function is available since 0.1. */

#include <fighter/base.h>
#include <fighter/time.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fgt_days fgt_days;

/** Makes a list of days. A day may occur several times, with different names.
 *  Shapes   times, names [count]; a name that is NULL or empty: no name; names NULL: no names
 *  Units    times: milliseconds since 1970, at any time of the day
 *  Owner    everything is copied; *days is the caller's
 *  Errors   FGT_E_ARG NULL, count < 1; FGT_E_DATA a time outside of the years 1 to 9999; FGT_E_SIZE;
 *           FGT_E_NOMEM. On error *days is NULL */
FGT_API FGT_MUST fgt_status fgt_days_create(fgt_context *ctx, const int64_t *times,
                                            const char *const *names, int64_t count, fgt_days **days);

/** Reads a CSV file with a day in each line, which may be gzip-compressed. The days are in the first column
 *  whose first cell is a time stamp. The names are in the first other column whose first value is a text, if
 *  there is one. A text column that is still empty when another has already shown two different texts is
 *  taken for remarks and skipped. Cells may be empty. A first line without a time stamp is a header. The
 *  delimiter is found.
 *  Units    form: an fgt_time_form
 *  Owner    *days is the caller's
 *  Errors   FGT_E_IO no such file, unreadable; FGT_E_FORMAT empty, a line with fewer or more cells than the
 *           first, damaged; FGT_E_DATA no column of days, a cell that is not a day (row); FGT_E_ARG form;
 *           FGT_E_UNSUPPORTED gzip, built without zlib; FGT_E_SIZE; FGT_E_NOMEM. On error *days is NULL */
FGT_API FGT_MUST fgt_status fgt_days_load(fgt_context *ctx, const char *path, int32_t form, fgt_days **days);

/** Destroys a list of days and sets *days to NULL.
 *  Owner    takes *days */
FGT_API void fgt_days_destroy(fgt_days **days);

/** Number of days; a day with several names counts once for each.
 *  Units    days
 *  Errors   none; NULL has 0
 *  Threads  any */
FGT_API int64_t fgt_days_count(const fgt_days *days);

/** Midnight of day i, in the order of time.
 *  Shapes   i in 0 .. fgt_days_count()-1
 *  Units    milliseconds since 1970
 *  Errors   none; 0 if there is no such day
 *  Threads  any */
FGT_API int64_t fgt_days_get_time(const fgt_days *days, int64_t i);

/** The name of day i.
 *  Shapes   i in 0 .. fgt_days_count()-1
 *  Owner    the list's
 *  Errors   none; NULL if there is no such day, or it has no name
 *  Threads  any */
FGT_API const char *fgt_days_get_name(const fgt_days *days, int64_t i);

#ifdef __cplusplus
}
#endif
#endif
