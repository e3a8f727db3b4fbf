/* SPDX-License-Identifier: BSD-3-Clause */
/* The forecast of --predict as a blend of the trained model and local forecasters. */
#include <stdlib.h>
#include <string.h>

#include "fast.h"

/* Whether a target has no value in the last rows: then nothing says how good a blend is there. */
static bool ends_early(const run *r)
{
    const fgt_view v    = fgt_table_get_values(r->table);
    const int64_t  end  = fgt_forecaster_find_row(r->forecaster, r->table);
    const int64_t  last = end > r->info.pred_len ? end - r->info.pred_len : 0;
    int64_t       *column = run_columns(r);
    bool           early  = !column;
    for (int64_t c = 0; column && !early && c < r->info.columns; c++) {
        int64_t row = end - 1;
        while (row >= last && isnan(((const double *)v.data)[row * v.shape[1] + column[c]])) row--;
        early = row < last;
    }
    free(column);
    return early;
}

/* A model that an option asks for forecasts alone. */
static bool is_wanted(const run *r)
{
    return r->whole && fast_beside() && !r->o->backtest && !r->o->quantile_count && !r->tail &&
           !fgt_table_is_stored(r->table) && !fgt_table_get_id_name(r->table) && !ends_early(r);
}

static bool compute(fast *f)
{
    run         *r = f->r;
    fgt_table   *future;
    int64_t      seasons[SEASONS] = {r->o->season};
    f->weights = malloc((size_t)(f->count * FGT_LOCAL_MEMBERS) * sizeof *f->weights);
    if (!fast_new_forecast(f, &f->next)) return false;
    if (!f->weights) return complain("no memory");
    if (!r->o->season) time_seasons(r->table, seasons);
    fgt_local_opts opts = fast_opts(f, seasons, &f->next);
    opts.weights        = f->weights;
    if (!input_read_future(r, &future)) return false;
    const fgt_status s = fgt_forecaster_predict_blend(r->forecaster, r->whole, r->table, r->split.train_end,
                                                      future, &opts);
    fgt_table_destroy(&future);
    if (s == FGT_E_CANCELLED) return complain("interrupted; nothing was written");
    return s == FGT_OK || run_failed(r, r->o->data);
}

bool blend_find(run *r, FILE *out)
{
    enum { SHOWN = 6 };
    char text[MEMBERS_TEXT];
    fast f = {.r = r, .count = r->info.columns, .steps = r->o->horizon ? r->o->horizon : r->info.pred_len};
    if (!is_wanted(r)) return true;
    fast_find_levels(&f);
    bool good = compute(&f);
    if (good) {
        r->blend   = fast_planes(&f, &f.next, false);
        r->weights = f.weights;
        good       = r->blend || complain("no memory");
        fprintf(out,
                "the forecast of --predict is a weighted mean: %s\n"
                "errors and intervals above are those of the model; with --model %s it forecasts alone\n",
                fast_members_text(&f, SHOWN, text), run_model_name(r));
    } else {
        free(f.weights);
    }
    fast_free_forecast(&f.next);
    return good;
}

void blend_take(const run *r, double *values)
{
    const int64_t steps = r->o->horizon ? r->o->horizon : r->info.pred_len;
    const int64_t cells = predict_planes(r) * steps * r->info.columns;
    if (r->blend) memcpy(values, r->blend, (size_t)cells * sizeof *values);
}

bool blend_report(const run *r, json_t *all)
{
    const fast f = {.count = r->info.columns, .weights = r->weights};
    return !r->blend || !json_object_set_new(all, "members", fast_describe_members(&f));
}
