/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_TIME_H
#define FIGHTER_TIME_H

/** @file time.h
 *  Time stamps of rows: reading, writing, and the step from one row to the next.
 *
 *  A time stamp is a number of milliseconds since 1970-01-01 00:00:00, as int64_t. The calendar is the
 *  Gregorian one, from year 1 to 9999. A text with an offset (+02:00) is converted to UTC. A text without one
 *  is taken as it stands, so local times stay local times; nothing here knows time zones.
 *
 *  Unless a function says otherwise: no shapes, no units; pointers are borrowed for the call; only functions
 *  that return an fgt_status can fail; one thread at a time may use a context and what was made from it; the
 *  function is available since 0.1. */

#include <fighter/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a time stamp is written. The time of day, if there is one, is h:mm, h:mm:ss or h:mm:ss.fff, also with
 *  AM or PM, after a blank or a T; Z or an offset may follow. */
typedef enum fgt_time_form {
    FGT_TIME_AUTO = 0, /**< ISO, UNIX from 1973 on, or whichever of DMY and MDY a column shows to be meant */
    FGT_TIME_ISO  = 1, /**< year first, as in ISO 8601: 2016-07-01, 2016/7/1, 20160701, 2016-07 */
    FGT_TIME_DMY  = 2, /**< day first: 1.7.2016, 01/07/2016, 01-07-2016 */
    FGT_TIME_MDY  = 3, /**< month first: 7/1/2016 */
    FGT_TIME_UNIX = 4  /**< seconds since 1970; from 10^11 on milliseconds, from 10^14 on microseconds,
                            from 10^17 on nanoseconds */
} fgt_time_form;

/** The time from one row to the next. The struct is frozen: it will never grow.
 *  Rows that are only there on some days of the week, such as business days, or in some hours of each day,
 *  are one step apart where only days and hours without rows lie between them. */
typedef struct fgt_time_step {
    int64_t milliseconds; /**< 0 if the step is in months, or not known */
    int64_t months;       /**< calendar months */
    int32_t weekdays;     /**< the days of the week that have rows, 1 << 0 for Monday to 1 << 6 for Sunday,
                               added up: 31 are business days. The step is a day, or less. 0: all have some */
    int32_t day_rows;     /**< the rows of each day, of steps below a day, where some hours or days have none;
                               otherwise 0 */
    int64_t day_begin;    /**< with day_rows: the time of day of the first of them, in milliseconds */
} fgt_time_step;

/** Reads one time stamp. With FGT_TIME_AUTO a text such as 03/04/2016 is refused, because it could be in
 *  March or in April.
 *  Source   ISO 8601, RFC 3339
 *  Units    *time: milliseconds since 1970
 *  Errors   FGT_E_ARG NULL, an unknown form; FGT_E_DATA no time stamp of this form, no day of the calendar.
 *           On error *time is untouched */
FGT_API FGT_MUST fgt_status fgt_time_parse(fgt_context *ctx, const char *text, int32_t form, int64_t *time);

/** Writes a time stamp as 2016-07-01 13:00:00, with .250 behind it where there are milliseconds.
 *  Units    time: milliseconds since 1970; result: characters, without the NUL
 *  Owner    text is the caller's; 24 bytes are enough for every time
 *  Errors   -1: text is NULL, capacity is too small, or the time is not in the years 1 to 9999
 *  Threads  any */
FGT_API int64_t fgt_time_format(int64_t time, char *text, int64_t capacity);

/** The time n steps after another one, or before it with n < 0. Months keep the day of the month, or take the
 *  month's last day where it is shorter; from the last day of a month they lead to last days. With `weekdays`
 *  or `day_rows` a time that has no row counts as the last row before it.
 *  Units    milliseconds since 1970
 *  Errors   none; a result that no int64_t holds, with months, weekdays or day_rows one that is not in the
 *           years 1 to 9999, a step that cannot be, and a step of NULL give `time`
 *  Threads  any */
FGT_API int64_t fgt_time_add(int64_t time, const fgt_time_step *step, int64_t n);

#ifdef __cplusplus
}
#endif
#endif
