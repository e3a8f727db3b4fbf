/* SPDX-License-Identifier: BSD-3-Clause */

/* Information about a forecaster: sizes, names, model and scaler. */

#include "forecast/forecaster.h"

#include <math.h>
#include <string.h>

#include <fighter/experimental/evaluate.h>
#include <fighter/experimental/table_file.h>
#include <fighter/graph.h>

#include "core/size.h"
#include "core/text.h"
#include "data/table.h"
#include "forecast/known/calendar.h"
#include "forecast/known/holidays.h"
#include "forecast/known/statics.h"
#include "model/pass/values.h"

/* ---- making ---- */

int64_t fgti_forecaster_known(const fgt_forecaster_info *info)
{
    return info->known + fgti_calendar_width(info->calendar) + info->holidays;
}

int64_t fgti_forecaster_middle(const fgt_forecaster *f)
{
    const double *q    = f->info.quantiles;
    int64_t       best = 0;
    for (int64_t i = 1; i < f->info.quantile_count; i++)
        if (fabs(q[i] - 0.5) < fabs(q[best] - 0.5)) best = i;
    return best;
}

fgt_status fgti_quantiles_check(fgti_error *err, const double *quantiles, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!(quantiles[i] > (i ? quantiles[i - 1] : 0) && quantiles[i] < 1))
            return fgti_fail(
                err, FGT_E_ARG,
                "forecaster: quantile %lld is wrong (got %g, need above the one before, between 0 and 1)",
                (long long)i, quantiles[i]);
    return FGT_OK;
}

/* ---- what it is ---- */

bool fgti_forecaster_find_input(const fgt_model *m, const char *name, fgt_view *v)
{
    const char *found;
    for (int64_t i = 0; (found = fgti_model_sample_value(m, i, v)); i++)
        if (!strcmp(found, name)) return true;
    return false;
}

fgt_status fgt_forecaster_get_info(const fgt_forecaster *forecaster, fgt_forecaster_info *info)
{
    if (!forecaster) return FGT_E_ARG;
    fgti_error *err = &forecaster->ctx->error;
    if (!info) return fgti_fail(err, FGT_E_ARG, "forecaster: info is NULL");
    const fgti_strings *form = &forecaster->form;
    fgt_forecaster_info all  = forecaster->info;
    if (form->count > 0) all.id_column = fgti_strings_get(form, 0);
    if (form->count > 1) all.time_column = fgti_strings_get(form, 1);
    if (form->count > 2) all.value_column = fgti_strings_get(form, 2);
    return fgti_result_write(err, "fgt_forecaster_info", &all, sizeof all, info);
}

const char *fgt_forecaster_get_name(const fgt_forecaster *forecaster, int64_t column)
{
    if (!forecaster || column < 0 || column >= forecaster->names.count) return NULL;
    return fgti_strings_get(&forecaster->names, column);
}

fgt_model *fgt_forecaster_get_model(fgt_forecaster *forecaster)
{
    return forecaster ? forecaster->model : NULL;
}

const fgt_scaler *fgt_forecaster_get_scaler(const fgt_forecaster *forecaster)
{
    return forecaster ? forecaster->scaler : NULL;
}

int64_t fgt_forecaster_count_windows(const fgt_forecaster *forecaster, int64_t begin, int64_t end,
                                     int32_t inside)
{
    if (!forecaster || begin < 0 || end < begin) return 0;
    const int64_t l = forecaster->info.input_len, h = forecaster->info.pred_len;
    if (inside && begin > end - l) return 0;
    /* the first row that can be forecast, by the rule of fgt_windows_create() */
    const int64_t first = inside ? begin + l : begin > l ? begin : l;
    return end - first >= h ? end - first - h + 1 : 0;
}
