/* SPDX-License-Identifier: BSD-3-Clause */
/* Defaults of options that the host leaves to the library. */
#include "blocks/blocks.h"
#include "core/size.h"
#include "data/table.h"
#include "forecast/forecaster.h"
#include "forecast/known/calendar.h"

/* A long window costs little if only a linear map reads all of it. With known columns the default is shorter,
 * because their effect is learned for each row of the window. */
int64_t fgti_default_input(const fgt_table *table, const fgt_forecaster_opts *o)
{
    enum { PERIODS = 14, MORE_PERIODS = 30, LEAST = 96, MOST = 336, MORE = 720, SHARE = 12 };
    if (!table) return LEAST;
    const int64_t period = fgti_calendar_season(&table->info.step), rows = fgt_table_count_rows(table);
    const bool    more = fgti_recipe_has_linear(o) && !o->inputs.known_count;
    const int64_t span = period * (more ? MORE_PERIODS : PERIODS);
    const int64_t want = fgti_least(span > LEAST ? span : LEAST, more ? MORE : MOST);
    const int64_t few  = fgti_least(LEAST, 2 * rows / SHARE);
    const int64_t have = fgti_least(want, rows / SHARE > few ? rows / SHARE : few);
    return have > 1 ? have : 1;
}

fgt_status fgt_forecaster_opts_init(fgt_context *ctx, const fgt_table *table, const fgt_forecaster_opts *opts,
                                    fgt_forecaster_opts *full)
{
    fgt_forecaster_opts o;
    if (!ctx) return FGT_E_ARG;
    if (!full) return fgti_fail(&ctx->error, FGT_E_ARG, "forecaster: the pointer to the options is NULL");
    FGTI_TRY(fgti_result_check(&ctx->error, "fgt_forecaster_opts", full));
    FGTI_TRY(fgti_opts_read(&ctx->error, "fgt_forecaster_opts", opts, &o, sizeof o));
    FGTI_TRY(fgti_recipe_check(&ctx->error, table, &o));
    fgt_block_opts block = {.hops      = o.block.layer_hops,
                            .hop_count = o.block.layer_hops_count,
                            .layers    = o.block.layers,
                            .heads     = o.block.heads,
                            .ff        = o.block.ff};
    fgti_block_defaults(&block, o.tokens.dim);
    o.block.layer_hops       = block.hops;
    o.block.layer_hops_count = block.hop_count;
    o.block.layers           = block.layers;
    o.block.heads            = block.heads;
    o.block.ff               = block.ff;
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
