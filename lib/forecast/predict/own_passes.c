/* SPDX-License-Identifier: BSD-3-Clause */
/* The workspaces of a forecaster's own forecasts. */
#include "forecast/predict/own_passes.h"

#include <fighter/experimental/evaluate.h>
#include <fighter/experimental/exact.h>

#include "forecast/predict/predict.h"
#include "model/access.h"

fgt_status fgti_forecaster_get_passes(fgt_forecaster *f, fgt_workspace **passes)
{
    *passes = NULL;
    if (f->exact || !fgti_model_is_plain(f->model)) return FGT_OK;
    FGTI_TRY(fgti_passes_need(&f->passes, f->model));
    *passes = f->passes.own;
    return FGT_OK;
}

void fgti_forecaster_drop_passes(fgt_forecaster *f)
{
    fgti_passes_drop(&f->passes);
    if (f->own) f->own->passes = NULL;
}

fgt_status fgt_forecaster_set_exact(fgt_forecaster *forecaster, int32_t exact)
{
    if (!forecaster) return FGT_E_ARG;
    if (exact != 0 && exact != 1)
        return fgti_fail(&forecaster->ctx->error, FGT_E_ARG, "forecaster: exact is %d, must be 0 or 1",
                         exact);
    forecaster->exact = exact;
    if (exact) fgti_forecaster_drop_passes(forecaster);
    return FGT_OK;
}
