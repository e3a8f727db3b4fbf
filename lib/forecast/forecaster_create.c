/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes and frees forecasters. */
#include "forecast/forecaster_create.h"

#include <math.h>
#include <string.h>

#include <fighter/experimental/evaluate.h>
#include <fighter/experimental/graph_data.h>
#include <fighter/experimental/table_file.h>
#include <fighter/graph.h>

#include "core/size.h"
#include "core/text.h"
#include "data/table.h"
#include "forecast/build/closed_forms.h"
#include "forecast/build/defaults.h"
#include "forecast/build/recipe.h"
#include "forecast/forecaster.h"
#include "forecast/known/calendar.h"
#include "forecast/known/cycles.h"
#include "forecast/known/holidays.h"
#include "forecast/known/statics.h"
#include "forecast/predict/forecaster_workspace.h"
#include "forecast/rows/scale.h"

/* ---- columns and their roles ---- */

/* Columns of a table by role, in this order: targets, past, known. */
typedef struct roles {
    int64_t *index; /* [count] */
    int64_t  count, past, known;
    char    *use; /* [columns of the table]: FREE, LISTED or USED */
} roles;

enum { FREE, LISTED, USED };

static fgt_status add_index(fgti_error *err, const fgt_table *table, int64_t c, roles *r)
{
    char show[FGTI_SHOW];
    if (r->use[c] == USED)
        return fgti_fail(
            err, FGT_E_ARG,
            "forecaster: column \"%s\" is listed twice among the targets, past and known columns",
            fgti_show(fgt_table_get_name(table, FGT_TABLE_NAME_COLUMN, c), show));
    r->use[c]            = USED;
    r->index[r->count++] = c;
    return FGT_OK;
}

static bool create_has_value(const fgt_table *table, int64_t c, const fgt_split *split)
{
    fgti_chunk_moments all;
    if (table->store)
        return fgti_store_moments(table->store, c, split->train_begin, split->train_end, &all) != FGT_OK ||
               all.count;
    for (int64_t r = split->train_begin; r < split->train_end; r++)
        if (!isnan(table->values[r * table->columns + c])) return true;
    return false;
}

/* Adds the column with this name or, for a covariate of each series, all columns of the covariate. A column
 * without values in the training rows is left out, as nothing can be learned from it. */
static fgt_status create_add_column(fgti_error *err, const fgt_table *table, const char *name,
                                    const fgt_split *split, roles *r)
{
    const int64_t before = r->count;
    int64_t       c;
    if (!name) return fgti_fail(err, FGT_E_ARG, "forecaster: the name of a column is NULL");
    const fgt_status s = fgti_table_find(err, table, name, &c);
    if (s == FGT_OK) return add_index(err, table, c, r);
    for (c = 0; s == FGT_E_NAME && c < table->columns; c++)
        if (fgti_table_is_part(fgt_table_get_name(table, FGT_TABLE_NAME_COLUMN, c), name) &&
            create_has_value(table, c, split))
            FGTI_TRY(add_index(err, table, c, r));
    return r->count > before ? FGT_OK : s;
}

static fgt_status create_add_columns(fgti_error *err, const fgt_table *table, const char *const *names,
                                     int64_t count, const fgt_split *split, roles *r)
{
    for (int64_t i = 0; i < count; i++) FGTI_TRY(create_add_column(err, table, names[i], split, r));
    return FGT_OK;
}

/* Marks the columns with these names; a name without a column is refused later. */
static void mark_listed(const fgt_table *table, const char *const *names, int64_t count, roles *r)
{
    int64_t c;
    for (int64_t i = 0; i < count; i++)
        if (names[i] && fgti_table_find(NULL, table, names[i], &c) == FGT_OK) r->use[c] = LISTED;
}

/* Finds the role of each column. Without a list of targets, all columns without another role are targets; in
 * a long file, all series are targets. */
static fgt_status find_roles(fgt_context *ctx, const fgt_forecaster_opts *o, const fgt_table *table,
                             const fgt_split *split, roles *r)
{
    const int64_t all     = fgt_table_count_columns(table);
    const int64_t columns = table->form.count ? table->info.series : all;
    fgti_error   *err     = &ctx->error;
    *r                    = (roles){0};
    FGTI_TRY(FGTI_NEW(ctx, all, "columns", &r->index));
    FGTI_TRY(FGTI_NEW(ctx, all, "columns", &r->use));
    FGTI_TRY(create_add_columns(err, table, o->inputs.targets, o->inputs.target_count, split, r));
    mark_listed(table, o->inputs.past, o->inputs.targets ? 0 : o->inputs.past_count, r);
    mark_listed(table, o->inputs.known, o->inputs.targets ? 0 : o->inputs.known_count, r);
    for (int64_t c = 0; !o->inputs.targets && c < columns; c++)
        if (r->use[c] == FREE) FGTI_TRY(add_index(err, table, c, r));
    if (!r->count) return fgti_fail(err, FGT_E_ARG, "forecaster: there is no column left to forecast");
    const int64_t targets = r->count;
    FGTI_TRY(create_add_columns(err, table, o->inputs.past, o->inputs.past_count, split, r));
    r->past = r->count - targets;
    FGTI_TRY(create_add_columns(err, table, o->inputs.known, o->inputs.known_count, split, r));
    r->known = r->count - targets - r->past;
    return FGT_OK;
}

static fgt_status create_copy_names(fgt_context *ctx, const fgt_table *table, fgti_strings *names)
{
    for (int64_t c = 0; c < table->columns; c++) {
        const char *name = fgt_table_get_name(table, FGT_TABLE_NAME_COLUMN, c);
        char        show[FGTI_SHOW];
        if (!fgti_is_utf8(name))
            return fgti_fail(&ctx->error, FGT_E_NAME,
                             "the name of a column, \"%s\", is not UTF-8; save its file in UTF-8",
                             fgti_show(name, show));
        FGTI_TRY(fgti_strings_add(ctx, names, name, (int64_t)strlen(name)));
    }
    return FGT_OK;
}

/* ---- creating from a table ---- */

static fgt_status check_range(fgt_context *ctx, const fgt_table *table, const char *what, int64_t begin,
                              int64_t end)
{
    if (begin >= 0 && begin < end && end <= table->rows) return FGT_OK;
    return fgti_fail(&ctx->error, FGT_E_ARG, "forecaster: %s rows %lld..%lld are not a range of %lld rows",
                     what, (long long)begin, (long long)end - 1, (long long)table->rows);
}

fgt_status fgti_forecaster_check_split(fgt_context *ctx, const fgt_table *table, fgt_split *split)
{
    FGTI_TRY(check_range(ctx, table, "training", split->train_begin, split->train_end));
    if (split->val_end > split->val_begin)
        return check_range(ctx, table, "validation", split->val_begin, split->val_end);
    split->val_begin = split->val_end = 0;
    return FGT_OK;
}

/* The table, split and times from which a forecaster is made. */
typedef struct sight {
    const fgt_table *all; /* the host's table; the next member is its split */
    fgt_split        all_split;
    const int64_t   *index;       /* indices of the forecaster's columns in `all` */
    const fgt_table *table;       /* only these columns, in memory; for a table on disk, an excerpt */
    fgt_split        split;       /* the split of `table` */
    int64_t          first, last; /* times of the first and the last training row; 0: no times */
} sight;

/* Estimated bytes of the label of a row. An excerpt holds labels beside the values. */
enum { LABEL_BYTES = 48 };

fgt_status fgti_forecaster_read_excerpt(int64_t window, const fgt_table *table, const fgt_split *split,
                                        fgt_table **excerpt, fgt_split *part)
{
    const int64_t bytes = table->columns * (int64_t)sizeof(double) + LABEL_BYTES;
    const int64_t fit   = fgti_store_get_resident(table->store) / 4 / bytes;
    const int64_t least = 8 * window, rows = fit > least ? fit : least;
    int64_t       begin = split->train_end - rows, end = split->train_end;
    const bool    follows = split->val_begin == split->train_end && split->val_end > split->val_begin;
    if (follows) {
        begin += rows / 4;
        end += fgti_least(rows / 4, split->val_end - split->val_begin);
    }
    if (begin < split->train_begin) begin = split->train_begin;
    *part = (fgt_split){.train_end = split->train_end - begin};
    if (follows) part->val_begin = part->train_end;
    if (follows) part->val_end = end - begin;
    return fgt_table_create_range(table, begin, end, excerpt);
}

/* Makes the default graph from the correlations of the variates, if variates are the tokens. For other tokens
 * the block has a default. */
static fgt_status default_graph(const fgt_forecaster_opts *o, const fgt_forecaster *f, const fgt_table *table,
                                const fgt_split *split, fgt_graph **graph)
{
    const bool    has_graph = fgt_block_get_traits(o->block.kind) & FGT_BLOCK_TRAIT_LEARNED;
    const int64_t inputs    = fgti_forecaster_inputs(f);
    int64_t      *index;
    fgt_table    *chosen = NULL;
    if (!has_graph || o->space.graph || o->space.learned || o->space.kind ||
        o->tokens.kind != FGT_TOKENS_VARIATE)
        return FGT_OK;
    FGTI_TRY(FGTI_NEW(f->ctx, inputs, "columns", &index));
    for (int64_t c = 0; c < inputs; c++) index[c] = c;
    fgt_status s = fgt_table_create_subset(table, index, inputs, &chosen);
    if (s == FGT_OK) {
        const fgt_view values = fgt_table_get_values(chosen);
        s = fgt_graph_create_correlation(f->ctx, &values, split->train_begin, split->train_end, 0, graph);
    }
    fgt_table_destroy(&chosen);
    fgti_free(f->ctx, index);
    return s;
}

/* Takes the parts of the calendar from the options. By default, these are the parts that the training rows
 * depend on. */
static fgt_status choose_calendar(fgti_error *err, const fgt_forecaster_opts *o, const sight *seen,
                                  int64_t targets, int32_t *parts)
{
    const fgt_table *table = seen->all;
    *parts                 = o->inputs.calendar & FGTI_CALENDAR_ALL;
    if (o->inputs.calendar & ~(FGTI_CALENDAR_ALL | FGT_CALENDAR_NONE) ||
        (o->inputs.calendar & FGT_CALENDAR_NONE && *parts))
        return fgti_fail(err, FGT_E_ARG,
                         "forecaster: calendar is wrong (got %d, need a sum of fgt_calendar without NONE, or "
                         "NONE)",
                         (int)o->inputs.calendar);
    if (*parts && !fgti_table_has_times(table))
        return fgti_fail(err, FGT_E_DATA, "forecaster: the calendar needs rows with times");
    if (o->inputs.calendar != FGT_CALENDAR_AUTO || !fgti_table_has_times(table)) return FGT_OK;
    *parts = fgti_calendar_choose(&table->info.step, seen->first, seen->last);
    *parts = fgti_calendar_keep_shown(seen->table, &seen->split, targets, *parts);
    return FGT_OK;
}

static fgt_status choose_holidays(fgt_context *ctx, const fgt_forecaster_opts *o, const sight *seen,
                                  fgt_days **days)
{
    if (!o->inputs.holidays) return FGT_OK;
    if (!fgti_table_has_times(seen->all))
        return fgti_fail(&ctx->error, FGT_E_DATA, "forecaster: holidays need rows with times");
    return fgti_holidays_choose(ctx, o->inputs.holidays, seen->first, seen->last, days);
}

static fgt_status create_fit_scaler(fgt_forecaster *f, const fgt_forecaster_opts *o, const sight *seen)
{
    const fgt_table   *table   = seen->all->store ? seen->all : seen->table;
    const fgti_scaling scaling = {.shared = o->inputs.shared_scale, .keeps_0 = fgti_recipe_is_positive(o)};
    return fgti_forecaster_fit_scaler(f, scaling, table, &seen->all_split, seen->index);
}

static fgt_status create_fill_in(const fgt_forecaster_opts *o, const sight *seen, fgti_closed_forms *forms,
                                 fgt_forecaster *f)
{
    fgt_graph              *graph  = NULL;
    const fgti_closed_form *closed = NULL;
    fgt_status              s      = create_fit_scaler(f, o, seen);
    if (s == FGT_OK) s = default_graph(o, f, seen->table, &seen->split, &graph);
    if (s == FGT_OK && fgti_recipe_has_linear(o))
        s = fgti_closed_forms_get(forms, f, seen->table, &seen->split, &closed);
    if (s == FGT_OK)
        s = fgti_recipe_build(f->ctx, o, &f->info, o->space.graph ? o->space.graph : graph, closed,
                              &f->model);
    f->info.linear = closed && closed->map.maps > 0;
    fgt_graph_destroy(&graph);
    f->batch  = o->batch;
    f->season = fgti_calendar_season(&seen->table->info.step);
    return s;
}

/* Returns the cycles day and week if the training rows cover two of each. */
static int32_t cycles_of(const fgt_forecaster_opts *o, const sight *seen)
{
    if (!o->tokens.identity || !fgti_table_has_times(seen->all)) return 0;
    return (FGT_CALENDAR_DAY | FGT_CALENDAR_WEEK) &
           fgti_calendar_choose(&seen->all->info.step, seen->first, seen->last);
}

/* Copies the names of a long file's columns of series, times and values. */
static fgt_status create_copy_form(const fgt_table *table, fgt_forecaster *f)
{
    const char *time  = fgt_table_get_name(table, FGT_TABLE_NAME_LABELS, 0),
               *value = fgt_table_get_name(table, FGT_TABLE_NAME_VALUE, 0);
    const char *id    = fgt_table_get_name(table, FGT_TABLE_NAME_ID, 0);
    if (!id || !time || !fgti_is_utf8(id) || !fgti_is_utf8(time) || (value && !fgti_is_utf8(value)))
        return FGT_OK;
    FGTI_TRY(fgti_strings_add(f->ctx, &f->form, id, (int64_t)strlen(id)));
    FGTI_TRY(fgti_strings_add(f->ctx, &f->form, time, (int64_t)strlen(time)));
    return value ? fgti_strings_add(f->ctx, &f->form, value, (int64_t)strlen(value)) : FGT_OK;
}

static fgt_status forecaster_make(fgt_context *ctx, const fgt_forecaster_opts *o, const roles *r,
                                  const sight *seen, fgti_closed_forms *forms, fgt_forecaster **out)
{
    fgt_forecaster_info info = {
#define KEPT(name, field, ...) .name = o->field,
#define OPTION(...)
#define PASSED(...)
#define SWITCHED(...)
#define FACT(...)
#include "forecast/forecast_options.h"
        .columns        = r->count - r->past - r->known,
        .past           = r->past,
        .known          = r->known,
        .seed           = o->seed,
        .block          = o->block.kind,
        .cycles         = cycles_of(o, seen),
        .step           = seen->all->info.step,
        .quantile_count = o->output.quantile_count};
    fgti_strings names = {0};
    fgt_days    *days  = NULL;
    for (int64_t i = 0; i < o->output.quantile_count; i++) info.quantiles[i] = o->output.quantiles[i];
    fgt_status s = choose_calendar(&ctx->error, o, seen, info.columns, &info.calendar);
    if (s == FGT_OK) s = choose_holidays(ctx, o, seen, &days);
    info.holidays = fgti_holidays_width(days);
    info.statics  = fgt_table_count_columns(o->inputs.features);
    if (s == FGT_OK) s = create_copy_names(ctx, seen->table, &names);
    if (s == FGT_OK) s = fgti_forecaster_new(ctx, &info, &names, out);
    if (s == FGT_OK) {
        (*out)->holidays = days;
        days             = NULL;
        s                = create_copy_form(seen->all, *out);
    }
    if (s == FGT_OK) {
        s = fgti_statics_read(ctx, o->inputs.features, &(*out)->names, info.columns, &(*out)->statics);
        if (s == FGT_OK) s = create_fill_in(o, seen, forms, *out);
    }
    fgt_days_destroy(&days);
    if (s != FGT_OK) fgt_forecaster_destroy(out);
    fgti_strings_done(ctx, &names);
    return s;
}

fgt_status fgti_forecaster_make(fgt_context *ctx, const fgt_forecaster_opts *opts, const fgt_table *table,
                                const fgt_split *split, fgti_closed_forms *forms, fgt_forecaster **forecaster)
{
    fgt_forecaster_opts o;
    roles               r;
    sight               seen   = {.all = table, .all_split = *split};
    fgt_table          *chosen = NULL, *excerpt = NULL;
    *forecaster = NULL;
    FGTI_TRY(fgti_opts_read(&ctx->error, "fgt_forecaster_opts", opts, &o, sizeof o));
    FGTI_TRY(fgti_recipe_check(&ctx->error, table, &o));
    FGTI_TRY(fgti_forecaster_check_split(ctx, table, &seen.all_split));
    seen.split   = seen.all_split;
    fgt_status s = find_roles(ctx, &o, table, split, &r);
    if (s == FGT_OK && table->store)
        s = fgti_forecaster_read_excerpt(o.input_len + o.pred_len, table, split, &excerpt, &seen.split);
    if (s == FGT_OK) s = fgt_table_create_subset(excerpt ? excerpt : table, r.index, r.count, &chosen);
    fgt_table_destroy(&excerpt);
    seen.table = chosen;
    seen.index = r.index;
    if (fgti_table_has_times(table)) {
        seen.first = fgti_table_time(table, split->train_begin);
        seen.last  = fgti_table_time(table, split->train_end - 1);
    }
    if (s == FGT_OK) s = forecaster_make(ctx, &o, &r, &seen, forms, forecaster);
    fgt_table_destroy(&chosen);
    fgti_free(ctx, r.index);
    fgti_free(ctx, r.use);
    return s;
}

fgt_status fgt_forecaster_create(fgt_context *ctx, const fgt_table *table, const fgt_split *split,
                                 const fgt_forecaster_opts *opts, fgt_forecaster **forecaster)
{
    fgti_closed_forms forms = {0};
    if (forecaster) *forecaster = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!table || !split || !forecaster)
        return fgti_fail(&ctx->error, FGT_E_ARG, "forecaster: table, split or result pointer is NULL");
    const fgt_status s = fgti_forecaster_make(ctx, opts, table, split, &forms, forecaster);
    fgti_closed_forms_done(ctx, &forms);
    return s;
}

fgt_status fgti_forecaster_new(fgt_context *ctx, const fgt_forecaster_info *info, fgti_strings *names,
                               fgt_forecaster **out)
{
    FGTI_TRY(FGTI_NEW(ctx, 1, "forecaster", out));
    fgt_forecaster *f = *out;
    f->ctx            = ctx;
    f->info           = *info;
    f->info.size      = sizeof f->info;
    f->season         = 1;
    fgt_status s      = fgti_forecaster_workspace_lend(f);
    if (s == FGT_OK) s = fgt_scaler_create(ctx, names->count, &f->scaler);
    if (s != FGT_OK) {
        fgt_forecaster_destroy(out);
        return s;
    }
    f->names = *names;
    *names   = (fgti_strings){0};
    return FGT_OK;
}

void fgt_forecaster_destroy(fgt_forecaster **forecaster)
{
    if (!forecaster || !*forecaster) return;
    fgt_forecaster *f   = *forecaster;
    fgt_context    *ctx = f->ctx;
    fgt_calibration_destroy(&f->kept);
    fgti_forecaster_drop_passes(f);
    fgti_forecaster_workspace_end(f);
    fgt_model_destroy(&f->model);
    fgt_scaler_destroy(&f->scaler);
    fgti_strings_done(ctx, &f->names);
    fgti_strings_done(ctx, &f->form);
    fgt_days_destroy(&f->holidays);
    fgti_free(ctx, f->statics);
    fgti_free(ctx, f->counts);
    fgti_free(ctx, f);
    *forecaster = NULL;
}
