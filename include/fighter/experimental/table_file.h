/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_EXPERIMENTAL_TABLE_FILE_H
#define FIGHTER_EXPERIMENTAL_TABLE_FILE_H

/** @file table_file.h
 *  Tables that are larger than memory. A table file has the columns of a table as float32, in blocks of rows,
 *  each with a checksum. A table file is made once from CSV files, row by row:
 *
 *      fgt_table_convert(ctx, paths, count, NULL, "meters.fgt", NULL);
 *      fgt_table_open(ctx, "meters.fgt", NULL, &table);
 *      fgt_forecaster_create(ctx, table, &split, &opts, &forecaster);
 *      fgt_forecaster_fit(forecaster, table, &split, NULL, NULL);
 *
 *  An open table keeps some blocks in memory and reads the others when they are needed.
 *  fgt_forecaster_create(), fgt_forecaster_fit(), fgt_forecaster_evaluate(), the functions of evaluate.h that
 *  go through windows, and fgt_calibration_create() take an open table like a table in memory. Functions that
 *  need all values at once give FGT_E_UNSUPPORTED: for these, read the rows that they need by
 *  fgt_table_create_range().
 *
 *  Differences from a table in memory:
 *  - Values have the precision of float32.
 *  - fgt_forecaster_create() takes mean and deviation from all training rows. The calendar, the correlations
 *    of series and the linear part are computed from fewer rows: the last training rows and the first
 *    validation rows, as many as fit into a quarter of `resident`.
 *  - Times with offsets, or with a zone, are in UTC if rows are less than a day apart.
 *  - fgt_forecaster_fit() shuffles by chunks, see fgt_model_fit().
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A function of the host that is called every few thousand rows, with the share of the input that was read,
 *  0 .. 1, and the number of rows written. Return FGT_OK to go on, another status to cancel. */
typedef fgt_status (*fgt_convert_fn)(void *user, double share, int64_t rows);

typedef struct fgt_convert_opts {
    size_t              size;
    const fgt_csv_opts *csv; /**< options to read the files; NULL: the defaults. Long form and categories are
                                  refused; `repair` can fill gaps and remove repeats, but not change the
                                  order */
    void               *user;
    fgt_convert_fn      progress; /**< NULL: none */
} fgt_convert_opts;

/** Makes a table file from CSV files, which are read as by fgt_table_load(), one after the other. All files
 *  have the same columns, and the rows of each file follow the rows of the file before. Row labels that are
 *  not times are left out. A column is left out if its first value, in the first thousands of rows of the
 *  first file, is a text.
 *  Shapes   paths [count]
 *  Units    as in the files
 *  Cost     one pass over the files; memory for a block of rows, a few MiB, and 40 bytes for each column of
 *           each block
 *  Owner    info (its size set) is filled with the properties of the file, as by fgt_table_get_info(); may be
 *           NULL
 *  Errors   as fgt_table_load(); FGT_E_NAME a file has other columns than the first; FGT_E_DATA a value
 *           that float32 cannot hold, times that do not continue by the step of the first rows; FGT_E_IO
 *           cannot write; FGT_E_UNSUPPORTED long form, rows that seem to have long form, categories,
 *           FGT_TABLE_REPAIR_ORDER; FGT_E_CANCELLED. On error, or if the process is killed, an existing file
 *           `to` is left unchanged */
FGT_API FGT_MUST fgt_status fgt_table_convert(fgt_context *ctx, const char *const *paths, int64_t count,
                                              const fgt_convert_opts *opts, const char *to,
                                              fgt_table_info *info);

/** Writes a table in memory as a table file. Row labels that are not times, the form of a long file, and how
 *  the table was repaired are left out.
 *  Errors   FGT_E_ARG NULL; FGT_E_DATA a value that float32 cannot hold, or monthly times that do not follow
 *           from the first one by fgt_time_add(); FGT_E_IO; FGT_E_NOMEM; FGT_E_UNSUPPORTED a table on disk.
 *           On error the old file stays, unless the error text says that the new one was written */
FGT_API FGT_MUST fgt_status fgt_table_save(const fgt_table *table, const char *path);

typedef struct fgt_table_open_opts {
    size_t  size;
    int64_t resident; /**< most bytes in memory, for blocks and, in training, for the numbers of windows; at
                           least 2^20; 0: 128 MiB. Two blocks are always in memory */
} fgt_table_open_opts;

/** Opens a table file. Its index is read and checked; blocks are checked when they are read.
 *  fgt_table_get_values() and fgt_table_get_times() of the table are empty, and its rows have no labels.
 *  Cost     memory up to `resident`, when values are read; and for the index 40 bytes for each column of each
 *           block
 *  Owner    *table is the caller's, and keeps the file open. To change a table, write a new file under its
 *           name; writing into an open file gives FGT_E_FORMAT
 *  Errors   FGT_E_ARG; FGT_E_IO; FGT_E_FORMAT not a table file, cut off, damaged; FGT_E_NOMEM. On error
 *           *table is NULL. Functions that read blocks give FGT_E_IO and FGT_E_FORMAT with file, rows and
 *           column */
FGT_API FGT_MUST fgt_status fgt_table_open(fgt_context *ctx, const char *path,
                                           const fgt_table_open_opts *opts, fgt_table **table);

/** Kinds of files, by their first bytes. */
typedef enum fgt_file_kind {
    FGT_FILE_KIND_OTHER  = 0, /**< another kind, or the file cannot be read */
    FGT_FILE_KIND_TABLE  = 1, /**< a table file */
    FGT_FILE_KIND_CORPUS = 2  /**< a corpus file (corpus_file.h) */
} fgt_file_kind;

/** The fgt_file_kind of the file at this path.
 *  Errors   none; NULL: FGT_FILE_KIND_OTHER
 *  Threads  any */
FGT_API int32_t fgt_file_get_kind(const char *path);

/** Reads rows begin .. end-1 of a table on disk into a table in memory, with their times, which are also the
 *  row labels.
 *  Shapes   values [R,C] -> [end-begin,C]
 *  Owner    *rows is the caller's
 *  Errors   FGT_E_ARG NULL, a table in memory, not 0 <= begin < end <= R; FGT_E_SIZE; FGT_E_NOMEM; FGT_E_IO;
 *           FGT_E_FORMAT. On error *rows is NULL */
FGT_API FGT_MUST fgt_status fgt_table_create_range(const fgt_table *table, int64_t begin, int64_t end,
                                                   fgt_table **rows);

#ifdef __cplusplus
}
#endif

#endif
