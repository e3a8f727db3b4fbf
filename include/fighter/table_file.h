/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_TABLE_FILE_H
#define FIGHTER_TABLE_FILE_H

/** @file table_file.h
 *  Tables that are larger than memory. A table file holds the columns of a table as float32, in blocks of
 *  rows, each with a checksum. It is made once from CSV files, row by row:
 *
 *      fgt_table_convert(ctx, paths, count, NULL, "meters.fgt", NULL);
 *      fgt_table_open(ctx, "meters.fgt", NULL, &table);
 *      fgt_forecaster_create(ctx, &opts, table, &split, &forecaster);
 *      fgt_forecaster_fit(forecaster, table, &split, NULL, NULL);
 *
 *  An open table keeps some blocks in memory and reads the others when they are needed.
 *  fgt_forecaster_create(), _fit(), _evaluate() and what else of evaluate.h goes through windows, and
 *  fgt_calibration_create(), take it as any other. Functions that need all values at once refuse it with
 *  FGT_E_UNSUPPORTED: fgt_table_read() gives them the rows that they need.
 *
 *  Differences from a table in memory:
 *  - Values have the precision of float32.
 *  - fgt_forecaster_create() takes mean and deviation from all training rows, but looks for the calendar,
 *    the correlations of series and the linear part in the last training rows and the first rows of
 *    validation, as many as take a quarter of `resident`.
 *  - Times with offsets, or of a zone, are in UTC, where rows are less than a day apart.
 *  - fgt_forecaster_fit() shuffles by chunks, see fgt_model_fit().
 *
 *  Unless a function says otherwise: no shapes, no units; pointers are borrowed for the call; only functions
 *  that return an fgt_status can fail; one thread at a time may use a context and what was made from it; the
 *  function is available since 0.1. */

#include <fighter/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Is told of each few thousand rows: the share of the input that was read, 0 .. 1, and the rows that the
 *  file has. A value other than 0 cancels. */
typedef int (*fgt_convert_fn)(void *user, double share, int64_t rows);

typedef struct fgt_convert_opts {
    size_t              size;
    const fgt_csv_opts *csv;      /**< how to read the files; NULL: the defaults. Files in long form and
                                       categories are refused; `repair` can fill gaps and remove repeats, but
                                       not change the order */
    fgt_convert_fn      progress; /**< NULL: none */
    void               *user;
} fgt_convert_opts;

/** Makes a table file from CSV files, which are read as fgt_table_load() reads them, one after the other: all
 *  have the same columns, and the rows of a file follow those of the one before. Row labels that are no
 *  times are left out. A column is left out if its first value, in the first thousands of rows of the first
 *  file, is a text.
 *  Shapes   paths [count]
 *  Units    as in the files
 *  Cost     one pass over the files; memory for a block of rows, a few MiB, and 40 bytes for each column of
 *           each block
 *  Owner    info (its size set) may be NULL; it gets what the file has, as from fgt_table_get_info()
 *  Errors   as fgt_table_load(); FGT_E_NAME a file has other columns than the first; FGT_E_DATA a value
 *           that float32 cannot hold, times that do not continue by the step of the first rows; FGT_E_IO
 *           cannot write; FGT_E_UNSUPPORTED long form, or what looks so, categories, FGT_REPAIR_ORDER;
 *           FGT_E_CANCELLED. After an error, and if the process is killed, the name `to` stands for what it
 *           stood for before */
FGT_API FGT_MUST fgt_status fgt_table_convert(fgt_context *ctx, const char *const *paths, int64_t count,
                                              const fgt_convert_opts *opts, const char *to,
                                              fgt_table_info *info);

/** Writes a table that is in memory as a table file. Row labels that are no times, what a table in long form
 *  has besides its columns, and how it was repaired are left out.
 *  Errors   FGT_E_ARG NULL; FGT_E_DATA a value that float32 cannot hold, or monthly times that do not follow
 *           from the first one as fgt_time_add() counts; FGT_E_IO; FGT_E_NOMEM; FGT_E_UNSUPPORTED the table
 *           stays on disk. On error the old file stays, unless the sentence says that the new one was
 *           written */
FGT_API FGT_MUST fgt_status fgt_table_save(const fgt_table *table, const char *path);

typedef struct fgt_table_open_opts {
    size_t  size;
    int64_t resident; /**< bytes of blocks, and of numbers of windows in training, that are in memory at the
                           most, though at least two blocks; at least 2^20; 0: 128 MiB */
} fgt_table_open_opts;

/** Opens a table file. Its index is read and checked; blocks are checked when they are read.
 *  fgt_table_get_values() and fgt_table_get_times() of the table are empty, and its rows have no labels.
 *  Cost     memory for `resident`, when it is used, and for the index, 40 bytes for each column of each block
 *  Owner    *table is the caller's, which keeps the file open. Whoever changes a table writes a new file
 *           under its name; a file that is written into while it is open gives FGT_E_FORMAT
 *  Errors   FGT_E_ARG; FGT_E_IO; FGT_E_FORMAT no table file, cut off, damaged; FGT_E_NOMEM. On error *table
 *           is NULL. Functions that read blocks give FGT_E_IO and FGT_E_FORMAT with file, rows and column */
FGT_API FGT_MUST fgt_status fgt_table_open(fgt_context *ctx, const char *path,
                                           const fgt_table_open_opts *opts, fgt_table **table);

/** Whether there is a table file at this path, by its first bytes.
 *  Errors   none; 0 for what cannot be read, and NULL
 *  Threads  any */
FGT_API int32_t fgt_table_is_file(const char *path);

/** Whether the values of a table stay on disk.
 *  Errors   none; NULL: 0
 *  Threads  any */
FGT_API int32_t fgt_table_is_stored(const fgt_table *table);

/** Reads rows begin .. end-1 of a table that stays on disk into a table of their own, with their times, and
 *  these as row labels.
 *  Shapes   values [R,C] -> [end-begin,C]
 *  Owner    *rows is the caller's
 *  Errors   FGT_E_ARG NULL, a table in memory, not 0 <= begin < end <= R; FGT_E_SIZE; FGT_E_NOMEM; FGT_E_IO;
 *           FGT_E_FORMAT. On error *rows is NULL */
FGT_API FGT_MUST fgt_status fgt_table_read(const fgt_table *table, int64_t begin, int64_t end,
                                           fgt_table **rows);

#ifdef __cplusplus
}
#endif

#endif
