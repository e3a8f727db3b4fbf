/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FRAME_H
#define FGTI_FRAME_H

/* The rows of a table in the form that the model reads: standardised, with known values, and with missing
 * values filled. */

#include "forecast/forecaster_impl.h"

/* The rows of a table as the model reads them. Rows of a table on disk are read when needed. */
typedef struct fgti_frame {
    const fgt_forecaster *f;
    const fgt_table      *table;
    int64_t               rows;
    float                *series; /* [rows,D], standardised; NaN is a missing value. On disk NULL */
    float                *known;  /* [rows,K]. On disk NULL */

    /* the following members are for a table on disk */
    fgti_cache *cache, *raw_cache; /* [rows,D + known columns]: standardised; as the table has them */
    int64_t     room;              /* L + H, for consecutive rows that are not in one block */
    float      *raw, *window;      /* [room,D + known columns] each */
    float      *beside;            /* [room,K] */
    float      *blocks;            /* [slots,block,K]: known values of the blocks that the cache holds */
    int64_t    *block;             /* [slots]: numbers of the blocks in `blocks`; -1: the slot is empty */
} fgti_frame;

/* FGT_E_DATA: the rows have another step than the training rows, or no times for the calendar. */
fgt_status fgti_forecaster_check_times(const fgt_forecaster *f, fgti_error *err, const fgt_table *table);
/* FGT_E_DATA: rows begin .. end-1 have a negative value of a target that cannot be negative. */
fgt_status fgti_check_sign(const fgt_forecaster *f, const fgt_table *table, int64_t begin, int64_t end);
/* Finds the columns by their names. Call fgti_frame_done() even after an error. */
fgt_status fgti_frame_init(const fgt_forecaster *f, const fgt_table *table, fgti_frame *frame);
/* Get rows row .. row+count-1; for a table on disk count is at most L + H. The first function gives the
 * series, [count,D], and the second one the known values, [count,K]. The third one, only for tables on disk,
 * gives the values of the table, [count,D + known columns]. The result is valid until the next call of the
 * same function. FGT_E_IO, FGT_E_FORMAT. */
fgt_status fgti_frame_get_series(const fgti_frame *frame, int64_t row, int64_t count, const float **series);
fgt_status fgti_frame_get_known(const fgti_frame *frame, int64_t row, int64_t count, const float **known);
fgt_status fgti_frame_get_raw(const fgti_frame *frame, int64_t row, int64_t count, const float **raw);
/* A hash of rows begin .. end-1. */
uint64_t fgti_frame_hash(const fgti_frame *frame, int64_t begin, int64_t end);
/* Whether target c has a value in the rows [rows,D] before a forecast, or needs no value there. If not, its
 * forecast has no basis, and the target is neither trained on nor compared. */
bool fgti_frame_has_value(const fgt_forecaster *f, const float *before, int64_t rows, int64_t c);
void fgti_frame_done(const fgt_forecaster *f, fgti_frame *frame);
/* Writes (v - mean) / scale for column c of the forecaster. FGT_E_DATA: v is too far from the mean for a
 * measurement. `what` and the row are for the error text; table NULL: the value is not from a table; row -1:
 * the row is not known. */
fgt_status fgti_standardise(const fgt_forecaster *f, fgti_error *err, const char *what,
                            const fgt_table *table, int64_t row, int64_t c, double v, float *out);
/* Replaces the missing values of a window [rows,columns]. */
void fgti_fill(float *window, int64_t rows, int64_t columns, int64_t season);
/* Writes 1 for each missing value of a window, and 0 for the other values. Call it before the window is
 * filled. */
void fgti_mark_missing(const float *window, int64_t count, float *missing);

#endif
