/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings of a run, including defaults, so that two runs can be compared. */
#include <inttypes.h>
#include <string.h>

#include <fighter/experimental/defaults.h>

#include "fast_choice.h"
#include "options_data.h"
#include "options_model.h"
#include "report_settings.h"
#include "times.h"
#include "train_opts.h"

#include "../common/blocks.h"

/* ---- data ---- */

/* FNV-1a over names, times and values, to tell tables apart. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < size; i++) hash = (hash ^ b[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* For a table on disk only the last rows are hashed. */
static uint64_t fingerprint(const run *r)
{
    const fgt_table *table = run_recent(r);
    const fgt_view values = fgt_table_get_values(table), times = fgt_table_get_times(table);
    const int64_t  rows = values.shape[0], columns = values.shape[1];
    uint64_t       hash = UINT64_C(0xcbf29ce484222325);
    if (r->tail) hash ^= (uint64_t)fgt_table_count_rows(r->table);
    for (int64_t c = 0; c < columns; c++) {
        const char *name = fgt_table_get_name(table, FGT_TABLE_NAME_COLUMN, c);
        hash             = hash_bytes(hash, name, strlen(name) + 1);
    }
    hash = hash_bytes(hash, times.data, (size_t)times.shape[0] * sizeof(int64_t));
    return hash_bytes(hash, values.data, (size_t)(rows * columns) * sizeof(double));
}

static json_t *pack_files(const options *o)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < o->file_count; i++) json_array_append_new(list, json_out_text(o->files[i]));
    return list;
}

static json_t *pack_data(const run *r)
{
    const int64_t rows  = fgt_table_count_rows(r->table);
    int64_t       time;
    const bool    dates =
        rows && (fgt_table_get_name(r->table, FGT_TABLE_NAME_ROW, 0) || time_of_row(r->table, 0, &time));
    char          hash[20], step[TIME_MAX], first[TIME_MAX], last[TIME_MAX];
    snprintf(hash, sizeof hash, "%016" PRIx64, fingerprint(r));
    return json_pack("{s:o, s:I, s:I, s:o, s:o, s:o, s:s}", "files", pack_files(r->o), "rows",
                     (json_int_t)rows, "columns", (json_int_t)fgt_table_count_columns(r->table), "first",
                     dates ? json_out_text(row_label(r->table, 0, first)) : json_null(), "last",
                     dates ? json_out_text(row_label(r->table, rows - 1, last)) : json_null(), "step",
                     time_step(r->table, step) ? json_string(step) : json_null(), "fingerprint", hash);
}

static json_t *pack_build(const run *r)
{
    const fgt_build_info *b = &r->build;
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "version", b->version, "blas", b->blas, "blas_version",
                     b->blas_version, "blas_config", b->blas_config, "kernel", b->kernel, "vector",
                     b->vector);
}

/* ---- settings ---- */

static json_t *pack_counts(const int64_t *v, int64_t count)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++) json_array_append_new(list, json_integer(v[i]));
    return list;
}

static json_t *pack_names(const run *r, int64_t first, int64_t count)
{
    json_t *list = json_array();
    for (int64_t c = first; c < first + count; c++)
        json_array_append_new(list, json_string(run_name(r, c)));
    return list;
}

static json_t *pack_quantiles(const fgt_forecaster_info *i)
{
    json_t *list = json_array();
    for (int64_t q = 0; q < i->quantile_count; q++) json_array_append_new(list, json_real(i->quantiles[q]));
    return list;
}

static json_t *pack_levels(const options *o)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < o->interval_count; i++)
        json_array_append_new(list, json_real(100 * o->interval[i]));
    return list;
}

/* Settings of every model, loaded or new. */
static json_t *pack_model(const run *r)
{
    const fgt_forecaster_info *i      = &r->info;
    const fgt_split           *s      = &r->split;
    const int64_t              rows[] = {s->train_end - s->train_begin, s->val_end - s->val_begin,
                                         s->test_end - s->test_begin};
    char                       calendar[PARTS_MAX], repair[PARTS_MAX];
    options_calendar(i->calendar, calendar);
    options_repair(r->o->repair, repair);
    return json_pack("{s:o, s:o, s:o, s:o, s:I, s:I, s:s, s:s, s:b, s:b, s:I, s:s, s:s, s:o, s:o, s:b, s:I}",
                     "target", pack_names(r, 0, i->columns), "past", pack_names(r, i->columns, i->past),
                     "known", pack_names(r, i->columns + i->past, i->known), "split", pack_counts(rows, 3),
                     "input", (json_int_t)i->input_len, "pred", (json_int_t)i->pred_len, "model",
                     block_names[i->block], "tokens", tokens_name(i->tokens), "revin", (int)i->revin,
                     "mask_channel", (int)i->mask, "seed", (json_int_t)i->seed, "calendar", calendar,
                     "repair", repair, "intervals", pack_levels(r->o), "quantiles", pack_quantiles(i),
                     "non-negative", (int)i->non_negative, "threads", (json_int_t)r->build.threads);
}

/* Adds the values of some options to *all. */
static bool add_values(json_t *all, library_table table, const char *const *names, const void *opts,
                       int64_t block)
{
    bool good = true;
    for (; good && *names; names++)
        good = !json_object_set_new(all, *names, library_pack(library_find(table, *names), opts, block));
    return good;
}

/* Settings known only to the run that makes a model, with the library's defaults filled in. */
static json_t *pack_training(const run *r)
{
    static const char *const      model[]    = {"space", "heads",  "ff",          "dim",     "layers",
                                                "patch", "stride", "layer-input", "dropout", NULL};
    static const char *const      training[] = {"epochs",  "patience",     "batch", "lr",
                                                "average", "weight-decay", "thin",  NULL};
    const fgt_forecaster_opts     opts = train_final_opts(r);
    const fgt_forecaster_fit_opts fit  = train_final_fit_opts(r);
    fgt_forecaster_opts           o    = {.size = sizeof o};
    fgt_forecaster_fit_opts       f    = {.size = sizeof f};
    if (fgt_forecaster_opts_init(r->ctx, r->table, &opts, &o) != FGT_OK ||
        fgt_forecaster_fit_opts_init(r->forecaster, r->train_windows, &fit, &f) != FGT_OK) {
        run_failed(r, NULL);
        return NULL;
    }
    json_t *hops = block_has(o.block.kind, FGT_BLOCK_TRAIT_HOPS)
                       ? pack_counts(o.block.layer_hops ? o.block.layer_hops : &o.block.hops,
                                     o.block.layer_hops ? o.block.layer_hops_count : 1)
                       : json_null();
    json_t *all  = json_pack("{s:o}", "hops", hops);
    if (all && add_values(all, fgt_forecaster_get_option, model, &o, o.block.kind) &&
        add_values(all, fgt_forecaster_get_fit_option, training, &f, o.block.kind))
        return all;
    json_decref(all);
    return NULL;
}

/* Settings of forecasts without training: only the options with an effect. */
static json_t *pack_untrained(const run *r)
{
    json_t     *all = json_out_options(options_command(), r->o), *value;
    const char *name;
    char        repair[PARTS_MAX];
    void       *next;
    options_repair(r->o->repair, repair);
    json_object_foreach_safe(all, next, name, value)
    {
        if (!fast_takes(name)) json_object_del(all, name);
    }
    json_t *own = json_pack("{s:b, s:o, s:I, s:o, s:o, s:s, s:I}", "fast", 1, "target",
                            pack_names(r, 0, r->info.columns), "pred", (json_int_t)r->info.pred_len,
                            "intervals", pack_levels(r->o), "quantiles", pack_quantiles(&r->info), "repair",
                            repair, "threads", (json_int_t)r->build.threads);
    const bool good = all && own && !json_object_update(all, own);
    json_decref(own);
    if (good) return all;
    json_decref(all);
    return NULL;
}

static json_t *pack_trained(const run *r)
{
    json_t *settings = json_out_options(options_command(), r->o), *model = pack_model(r);
    json_t *training = r->o->load ? json_object() : pack_training(r);
    bool    good     = settings && model && training && !json_object_update(settings, model) &&
                !json_object_update(settings, training);
    json_decref(model);
    json_decref(training);
    if (good && r->o->automatic)
        good = !json_object_set_new(settings, "loss", json_string(loss_name(train_final_fit_opts(r).loss)));
    if (good) return settings;
    json_decref(settings);
    return NULL;
}

bool report_set_settings(json_t *object, const run *r)
{
    json_t *settings = r->forecaster ? pack_trained(r) : pack_untrained(r);
    bool    good     = settings;
    if (good && r->o->backtest)
        good = !json_object_set_new(settings, "every",
                                    json_integer(r->o->every ? r->o->every : r->info.pred_len));
    if (good && r->season) good = !json_object_set_new(settings, "season", json_integer(r->season));
    good = !json_object_set_new(object, "settings", settings) && good;
    good = !json_object_set_new(object, "data", pack_data(r)) && good;
    return !json_object_set_new(object, "build", pack_build(r)) && good;
}
