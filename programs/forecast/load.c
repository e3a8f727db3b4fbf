/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads the model of --load, and compares it with the options. */
#include <string.h>

#include <fighter/experimental/exact.h>

#include "counts.h"
#include "input.h"
#include "load.h"
#include "options_model.h"
#include "train_create.h"

#include "../common/blocks.h"
#include "../common/loaded.h"
#include "../common/program.h"

/* Checks intervals and quantiles against a loaded model, whose outputs were chosen when it was trained. */
static bool check_certainty(const run *r)
{
    const options             *o    = r->o;
    const fgt_forecaster_info *i    = &r->info;
    bool                       same = !o->quantile_count || o->quantile_count == i->quantile_count;
    for (int64_t q = 0; same && q < o->quantile_count; q++) same = o->quantiles[q] == i->quantiles[q];
    if (!same)
        return complain(i->quantile_count
                            ? "%s was trained with other --quantiles; leave out --quantiles to get these"
                            : "%s was trained without --quantiles; train a model with them, or give "
                              "--intervals",
                        o->load);
    if (o->horizon && i->quantile_count)
        warn("the quantiles of %s are for %lld row%s; forecasts of --horizon rows have none", o->load,
             (long long)i->pred_len, plural(i->pred_len));
    return !o->model.output.non_negative || i->non_negative ||
           complain("%s was trained without --non-negative", o->load);
}

/* Reports that the two files were exchanged if the data is a model. */
static bool load_failed(const run *r, fgt_status s)
{
    char            why[1024];
    fgt_forecaster *other = NULL;
    snprintf(why, sizeof why, "%s", fgt_context_get_error(r->ctx));
    if (s != FGT_E_FORMAT || fgt_forecaster_load(r->ctx, FGT_FROM_FILE(r->o->data), NULL, &other) != FGT_OK)
        return loaded_failed(s, why);
    fgt_forecaster_destroy(&other);
    return complain("--load %s is no model, and --data %s is one; exchange the two files", r->o->load,
                    r->o->data);
}

/* Warns if the columns of a long file have other names than in training. */
static void warn_of_form(const run *r)
{
    const options *o        = r->o;
    const char    *given[]  = {o->form_id, o->form_time, o->form_value};
    const char    *stored[] = {r->info.id_column, r->info.time_column, r->info.value_column};
    char           kept[KEPT_TEXT];
    bool           same = o->form == FGT_TABLE_FORM_LONG;
    if (!o->form || !input_kept_form(r, kept)) return;
    for (int i = 0; i < 3; i++) same &= !given[i] || !strcmp(given[i], stored[i]);
    if (same) return;
    warn("%s was trained with --long %s; the --long of this call is used", o->load, kept);
}

bool load_model(run *r)
{
    const options             *o = r->o;
    const fgt_forecaster_info *i = &r->info;
    fgt_status                 s = fgt_forecaster_load(r->ctx, FGT_FROM_FILE(o->load), NULL, &r->forecaster);
    if (s == FGT_OK) s = fgt_forecaster_set_exact(r->forecaster, o->exact);
    if (s != FGT_OK) return load_failed(r, s);
    if (!train_get_info(r)) return false;
    if ((o->model.input_len && o->model.input_len != i->input_len) ||
        (o->model.pred_len && o->model.pred_len != i->pred_len))
        return complain("%s was trained with --input %lld and --pred %lld; for more or fewer rows of "
                        "--predict use --horizon",
                        o->load, (long long)i->input_len, (long long)i->pred_len);
    if ((command_line_has("model") && o->model.block.kind != i->block) ||
        (command_line_has("tokens") && o->model.tokens.kind != i->tokens))
        return complain("%s is a %s model on %s tokens; another --model or --tokens was given", o->load,
                        block_names[i->block], tokens_name(i->tokens));
    if (o->future && !i->known && !o->plot) /* a plot shows the targets in the future file */
        return complain("--future %s: %s knows no columns in advance", o->future, o->load);
    if (!check_certainty(r)) return false;
    warn_of_form(r);
    if (o->negative && !counts_find(r, r->forecaster)) return false;
    if (o->predict_all) counts_report(i, stderr);
    return !o->adapter.use || adapter_load(&o->adapter, fgt_forecaster_get_model(r->forecaster)) == FGT_OK ||
           run_failed(r, NULL);
}
