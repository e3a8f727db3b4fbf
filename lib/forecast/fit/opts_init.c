/* SPDX-License-Identifier: BSD-3-Clause */
/* Defaults of options that the host leaves to the library. */
#include <fighter/experimental/defaults.h>

#include "blocks/blocks.h"
#include "core/size.h"
#include "data/table.h"
#include "forecast/build/recipe.h"
#include "forecast/fit/fit.h"
#include "forecast/forecaster_impl.h"
#include "forecast/known/calendar.h"

fgt_status fgt_forecaster_opts_init(fgt_context *ctx, const fgt_table *table, const fgt_forecaster_opts *opts,
                                    fgt_forecaster_opts *full)
{
    fgt_forecaster_opts o;
    if (!ctx) return FGT_E_ARG;
    if (!full) return fgti_fail(&ctx->error, FGT_E_ARG, "forecaster: the pointer to the options is NULL");
    FGTI_TRY(fgti_result_check(&ctx->error, "fgt_forecaster_opts", full));
    FGTI_TRY(fgti_opts_read(&ctx->error, "fgt_forecaster_opts", opts, &o, sizeof o));
    FGTI_TRY(fgti_recipe_check(&ctx->error, table, &o));
    fgti_block_defaults(&o.block, o.tokens.dim);
    if (o.block.dropout == 0) o.block.dropout = -1; /* dropout is off; 0 would mean the default */
    return fgti_result_write(&ctx->error, "fgt_forecaster_opts", &o, sizeof o, full);
}

fgt_status fgt_forecaster_fit_opts_init(const fgt_forecaster *forecaster, int64_t windows,
                                        const fgt_forecaster_fit_opts *opts, fgt_forecaster_fit_opts *full)
{
    const fgt_forecaster   *f = forecaster;
    fgt_forecaster_fit_opts o;
    if (!f) return FGT_E_ARG;
    if (!full) return fgti_fail(&f->ctx->error, FGT_E_ARG, "fit: the pointer to the options is NULL");
    FGTI_TRY(fgti_result_check(&f->ctx->error, "fgt_forecaster_fit_opts", full));
    FGTI_TRY(fgti_opts_read(&f->ctx->error, "fgt_forecaster_fit_opts", opts, &o, sizeof o));
    if (windows < 0)
        return fgti_fail(&f->ctx->error, FGT_E_ARG, "fit: windows must not be negative (got %lld)",
                         (long long)windows);
    FGTI_TRY(fgti_fit_opts_check(f, windows, &o));
    return fgti_result_write(&f->ctx->error, "fgt_forecaster_fit_opts", &o, sizeof o, full);
}
