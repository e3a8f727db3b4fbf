/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "data/table.h"
#include "data/time.h"
#include "forecast/holidays.h"

/* The most standard deviations from the mean that float, and products of it, can hold. A value beyond them is
 * no measurement. */
#define FARTHEST 1e15

fgt_status fgti_standardise(const fgt_forecaster *f, fgti_error *err, const char *what, int64_t row,
                            int64_t c, double v, float *out)
{
    const double mean = ((const double *)fgt_scaler_get_mean(f->scaler).data)[c];
    const double z    = (v - mean) / ((const double *)fgt_scaler_get_scale(f->scaler).data)[c];
    char         name[FGTI_SHOW];
    *out = (float)z;
    if (isnan(v) || fabs(z) <= FARTHEST) return FGT_OK;
    return fgti_fail(err, FGT_E_DATA,
                     "%srow %lld, column %lld (\"%s\"): %g is too far from %g, the mean of training", what,
                     (long long)row, (long long)c, fgti_show(fgti_strings_get(&f->names, c), name), v, mean);
}

void fgti_fill(float *window, int64_t rows, int64_t columns, int64_t season)
{
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++) {
            float *v = &window[r * columns + c];
            if (!isnan(*v)) continue;
            const int64_t back = r >= season ? season : 1;
            *v                 = r ? v[-back * columns] : 0;
        }
}

void fgti_mark_missing(const float *window, int64_t count, float *missing)
{
    for (int64_t i = 0; i < count; i++) missing[i] = isnan(window[i]) ? 1.0f : 0.0f;
}

/* Column c of the forecaster, standardised, into `out`, whose rows are `wide` apart. */
static fgt_status read_column(const fgt_forecaster *f, const fgt_table *table, int64_t c, bool filled,
                              float *out, int64_t wide)
{
    const fgt_view values = fgt_table_get_values(table);
    int64_t        from;
    FGTI_TRY(fgti_table_find_part(&f->ctx->error, table, fgti_strings_get(&f->names, c), &from));
    const double *v = (const double *)values.data + from;
    for (int64_t r = 0; r < values.shape[0]; r++, v += values.shape[1], out += wide) {
        FGTI_TRY(fgti_standardise(f, &f->ctx->error, "", r, c, *v, out));
        if (filled && isnan(*v)) *out = 0; /* the mean */
    }
    return FGT_OK;
}

fgt_status fgti_forecaster_check_times(const fgt_forecaster *f, fgti_error *err, const fgt_table *table)
{
    const fgt_time_step *own = &f->info.step, *other = &table->info.step;
    char                 here[FGTI_STEP_TEXT], there[FGTI_STEP_TEXT];
    if (table->rows > 1 && table->times && (own->milliseconds || own->months) &&
        (own->milliseconds != other->milliseconds || own->months != other->months))
        return fgti_fail(err, FGT_E_DATA, "rows are %s apart, those of training %s",
                         fgti_step_text(other, here), fgti_step_text(own, there));
    if (table->times || !fgti_forecaster_needs_time(f)) return FGT_OK;
    return fgti_fail(err, FGT_E_DATA, "the model knows the calendar or holidays, but the rows have no times");
}

fgt_status fgti_check_sign(const fgt_forecaster *f, const fgt_table *table, int64_t begin, int64_t end)
{
    char    name[FGTI_SHOW];
    int64_t column;
    for (int64_t c = 0; f->info.non_negative && c < f->info.columns; c++) {
        FGTI_TRY(fgt_table_get_column(table, fgti_strings_get(&f->names, c), &column));
        for (int64_t r = begin; r < end; r++) {
            const double v = table->values[r * table->columns + column];
            if (v < 0)
                return fgti_fail(&f->ctx->error, FGT_E_DATA,
                                 "row %lld, column %lld (\"%s\"): %g is negative, which the forecaster "
                                 "rules out",
                                 (long long)r, (long long)column,
                                 fgti_show(fgti_strings_get(&f->names, c), name), v);
        }
    }
    return FGT_OK;
}

static fgt_status fill_known(const fgt_forecaster *f, const fgt_table *table, fgti_frame *frame)
{
    const int64_t inputs = fgti_forecaster_inputs(f), k = fgti_forecaster_known(&f->info);
    for (int64_t i = 0; i < f->info.known; i++)
        FGTI_TRY(read_column(f, table, inputs + i, true, frame->known + i, k));
    for (int64_t r = 0; fgti_forecaster_needs_time(f) && r < frame->rows; r++)
        fgti_forecaster_write_time(f, table->times[r], frame->known + r * k + f->info.known);
    return FGT_OK;
}

fgt_status fgti_frame_init(const fgt_forecaster *f, const fgt_table *table, fgti_frame *frame)
{
    const int64_t inputs = fgti_forecaster_inputs(f), k = fgti_forecaster_known(&f->info);
    int64_t       count, known;
    *frame = (fgti_frame){.rows = table->rows, .times = table->times};
    FGTI_TRY(fgti_forecaster_check_times(f, &f->ctx->error, table));
    if (!fgti_size_mul(table->rows, inputs, &count) || !fgti_size_mul(table->rows, k, &known))
        return fgti_fail(&f->ctx->error, FGT_E_SIZE, "forecaster: %lld rows are too many",
                         (long long)table->rows);
    FGTI_TRY(FGTI_NEW(f->ctx, count, "standardised series", &frame->series));
    FGTI_TRY(FGTI_NEW(f->ctx, known, "known values", &frame->known));
    for (int64_t c = 0; c < inputs; c++) FGTI_TRY(read_column(f, table, c, false, frame->series + c, inputs));
    return fill_known(f, table, frame);
}

bool fgti_frame_has_value(const fgt_forecaster *f, const fgti_frame *frame, int64_t rows, int64_t row,
                          int64_t c)
{
    const int64_t inputs = fgti_forecaster_inputs(f);
    if (f->info.blind) return true;
    for (int64_t r = row - rows; r < row; r++)
        if (!isnan(frame->series[r * inputs + c])) return true;
    return false;
}

void fgti_frame_done(const fgt_forecaster *f, fgti_frame *frame)
{
    fgti_free(f->ctx, frame->series);
    fgti_free(f->ctx, frame->known);
    *frame = (fgti_frame){0};
}
