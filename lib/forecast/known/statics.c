/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/known/statics.h"

#include <math.h>
#include <string.h>

#include "core/strings/words.h"
#include "data/table.h"

/* Finds the row of each series in the features. */
static fgt_status statics_find_rows(fgt_context *ctx, const fgt_table *features, const fgti_strings *names,
                                    int64_t targets, int64_t *row)
{
    fgti_words labels = {0};
    fgt_status s      = FGT_OK;
    char       show[FGTI_SHOW], here[FGTI_ROW_TEXT], there[FGTI_ROW_TEXT];
    int64_t    number;
    for (int64_t r = 0; s == FGT_OK && r < features->rows; r++) {
        s = fgti_words_add(ctx, &labels, fgti_strings_get(&features->dates, r),
                           fgti_strings_size(&features->dates, r), &number);
        if (s == FGT_OK && number < r)
            s = fgti_fail(&ctx->error, FGT_E_DATA, "static features: %s is of \"%s\", and so is %s",
                          fgti_row_text(&features->lines, r, NULL, here),
                          fgti_show(fgti_strings_get(&features->dates, r), show),
                          fgti_row_text(&features->lines, number, NULL, there));
    }
    for (int64_t i = 0; s == FGT_OK && i < targets; i++) {
        const char *name = fgti_strings_get(names, i);
        row[i]           = fgti_words_find(&labels, name, (int64_t)strlen(name));
        if (row[i] < 0)
            s = fgti_fail(&ctx->error, FGT_E_DATA, "static features: series \"%s\" has no row",
                          fgti_show(name, show));
    }
    fgti_words_done(ctx, &labels);
    return s;
}

/* Standardises column c of [n,columns]; a column with one value for all series becomes 0. */
static void statics_standardise(const double *v, int64_t n, int64_t columns, const int64_t *row,
                                fgti_real *out)
{
    double sum = 0, square = 0;
    bool   same = true;
    for (int64_t i = 0; i < n; i++) {
        sum += v[row[i] * columns];
        same = same && v[row[i] * columns] == v[row[0] * columns];
    }
    const double mean = sum / (double)n;
    for (int64_t i = 0; i < n; i++) square += (v[row[i] * columns] - mean) * (v[row[i] * columns] - mean);
    const double scale = same ? 0 : sqrt(square / (double)n); /* equal values: square is rounding noise */
    for (int64_t i = 0; i < n; i++)
        out[i * columns] = scale > 0 ? (fgti_real)((v[row[i] * columns] - mean) / scale) : 0;
}

static fgt_status statics_check_values(fgt_context *ctx, const fgt_table *features)
{
    char show[FGTI_SHOW], row[FGTI_ROW_TEXT];
    for (int64_t i = 0; i < features->rows * features->columns; i++)
        if (isnan(features->values[i]))
            return fgti_fail(
                &ctx->error, FGT_E_DATA, "static features: %s, column \"%s\": no value",
                fgti_table_row(features, i / features->columns, row),
                fgti_show(fgt_table_get_name(features, FGT_TABLE_NAME_COLUMN, i % features->columns), show));
    return FGT_OK;
}

fgt_status fgti_statics_read(fgt_context *ctx, const fgt_table *features, const fgti_strings *names,
                             int64_t targets, fgti_real **out)
{
    int64_t *row;
    *out = NULL;
    if (!features) return FGT_OK;
    FGTI_TRY(fgti_table_check_loaded(&ctx->error, "static features", features));
    if (!features->labels)
        return fgti_fail(&ctx->error, FGT_E_DATA, "static features: the rows have no labels");
    FGTI_TRY(statics_check_values(ctx, features));
    FGTI_TRY(FGTI_NEW(ctx, targets, "rows of series", &row));
    fgt_status s = statics_find_rows(ctx, features, names, targets, row);
    if (s == FGT_OK) s = FGTI_NEW(ctx, targets * features->columns, "static features", out);
    for (int64_t c = 0; s == FGT_OK && c < features->columns; c++)
        statics_standardise(features->values + c, targets, features->columns, row, *out + c);
    fgti_free(ctx, row);
    return s;
}

void fgti_statics_repeat(const fgt_forecaster *f, int64_t n, float *out)
{
    const int64_t cells = f->info.columns * f->info.statics;
    for (int64_t i = 0; i < n * cells; i++) out[i] = (float)f->statics[i % cells];
}
