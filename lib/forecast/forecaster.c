/* SPDX-License-Identifier: BSD-3-Clause */
#include "forecast/forecaster.h"

#include <math.h>
#include <string.h>

#include "core/text.h"
#include "data/table.h"
#include "forecast/calendar.h"
#include "forecast/closed_forms.h"
#include "forecast/holidays.h"
#include "forecast/statics.h"
#include "forecast/predict.h"

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
            return fgti_fail(err, FGT_E_ARG,
                             "forecaster: quantile %lld is %g; quantiles rise and lie between 0 and 1",
                             (long long)i, quantiles[i]);
    return FGT_OK;
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
    const fgt_status s = fgt_scaler_create(ctx, names->count, &f->scaler);
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
    fgt_forecast_workspace_destroy(&f->own);
    fgt_model_destroy(&f->model);
    fgt_scaler_destroy(&f->scaler);
    fgti_strings_done(ctx, &f->names);
    fgt_days_destroy(&f->holidays);
    fgti_free(ctx, f->statics);
    fgti_free(ctx, f);
    *forecaster = NULL;
}

fgt_status fgti_forecaster_need_workspace(fgt_forecaster *f)
{
    return f->own ? FGT_OK : fgti_forecast_workspace_new(f, NULL, &f->own);
}

/* ---- columns and their roles ---- */

/* Columns of a table by role: targets, past, known. */
typedef struct roles {
    int64_t *index; /* [count] */
    int64_t  count, past, known;
} roles;

static fgt_status add_index(const fgt_table *table, int64_t c, roles *r)
{
    char show[FGTI_SHOW];
    for (int64_t i = 0; i < r->count; i++)
        if (r->index[i] == c)
            return fgti_fail(&table->ctx->error, FGT_E_ARG, "forecaster: column \"%s\" is listed twice",
                             fgti_show(fgt_table_get_name(table, c), show));
    r->index[r->count++] = c;
    return FGT_OK;
}

static bool has_value(const fgt_table *table, int64_t c, const fgt_split *split)
{
    for (int64_t r = split->train_begin; r < split->train_end; r++)
        if (!isnan(table->values[r * table->columns + c])) return true;
    return false;
}

/* Adds the column with this name, or those of a covariate for each series. A series that begins after the
 * training rows has no say in what is learned. */
static fgt_status add_column(const fgt_table *table, const char *name, const fgt_split *split, roles *r)
{
    const int64_t before = r->count;
    int64_t       c;
    const fgt_status s = fgt_table_get_column(table, name, &c);
    if (s == FGT_OK) return add_index(table, c, r);
    for (c = 0; s == FGT_E_NAME && c < table->columns; c++)
        if (fgti_table_is_part(fgt_table_get_name(table, c), name) && has_value(table, c, split))
            FGTI_TRY(add_index(table, c, r));
    return r->count > before ? FGT_OK : s;
}

static fgt_status add_columns(const fgt_table *table, const char *const *names, int64_t count,
                              const fgt_split *split, roles *r)
{
    for (int64_t i = 0; i < count; i++) FGTI_TRY(add_column(table, names[i], split, r));
    return FGT_OK;
}

static bool is_listed(const char *name, const char *const *names, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (names[i] && !strcmp(names[i], name)) return true;
    return false;
}

/* Without targets all columns are, but those with another role; of a long file the series. */
static fgt_status find_roles(const fgt_forecaster_opts *o, const fgt_table *table, const fgt_split *split,
                             roles *r)
{
    const int64_t all     = fgt_table_count_columns(table);
    const int64_t columns = table->form.count ? table->info.series : all;
    *r = (roles){0};
    FGTI_TRY(FGTI_NEW(table->ctx, all, "columns", &r->index));
    FGTI_TRY(add_columns(table, o->columns, o->column_count, split, r));
    for (int64_t c = 0; !o->columns && c < columns; c++) {
        const char *name = fgt_table_get_name(table, c);
        if (!is_listed(name, o->past, o->past_count) && !is_listed(name, o->known, o->known_count))
            r->index[r->count++] = c;
    }
    if (!r->count)
        return fgti_fail(&table->ctx->error, FGT_E_ARG, "forecaster: there is no column left to forecast");
    const int64_t targets = r->count;
    FGTI_TRY(add_columns(table, o->past, o->past_count, split, r));
    r->past = r->count - targets;
    FGTI_TRY(add_columns(table, o->known, o->known_count, split, r));
    r->known = r->count - targets - r->past;
    return FGT_OK;
}

static fgt_status copy_names(const fgt_table *table, fgti_strings *names)
{
    fgt_context *ctx = table->ctx;
    for (int64_t c = 0; c < table->columns; c++) {
        const char *name = fgt_table_get_name(table, c);
        char        show[FGTI_SHOW];
        if (!fgti_is_utf8(name))
            return fgti_fail(&ctx->error, FGT_E_NAME, "the name of column %lld, \"%s\", is not UTF-8",
                             (long long)c, fgti_show(name, show));
        FGTI_TRY(fgti_strings_add(ctx, names, name, (int64_t)strlen(name)));
    }
    return FGT_OK;
}

/* ---- making one from a table ---- */

static fgt_status check_split(fgt_context *ctx, const fgt_table *table, const fgt_split *split)
{
    if (split->train_begin >= 0 && split->train_begin < split->train_end && split->train_end <= table->rows)
        return FGT_OK;
    return fgti_fail(&ctx->error, FGT_E_ARG,
                     "forecaster: training rows %lld..%lld are not a range of %lld rows",
                     (long long)split->train_begin, (long long)split->train_end - 1, (long long)table->rows);
}

/* Tokens that are variates get the graph of their correlations. For other tokens the block has a default. */
static fgt_status default_graph(const fgt_forecaster_opts *o, const fgt_forecaster *f, const fgt_table *table,
                                const fgt_split *split, fgt_graph **graph)
{
    const bool    has_graph = fgt_block_get_traits(o->block) & FGT_BLOCK_HAS_GRAPH;
    const int64_t inputs    = fgti_forecaster_inputs(f);
    int64_t      *index;
    fgt_table    *chosen = NULL;
    if (!has_graph || o->graph || o->learned || o->space || o->tokens != FGT_TOKENS_VARIATE) return FGT_OK;
    FGTI_TRY(FGTI_NEW(f->ctx, inputs, "columns", &index));
    for (int64_t c = 0; c < inputs; c++) index[c] = c;
    fgt_status s = fgt_table_create_subset(table, inputs, index, &chosen);
    if (s == FGT_OK) {
        const fgt_view values = fgt_table_get_values(chosen);
        s = fgt_graph_create_correlation(f->ctx, &values, split->train_begin, split->train_end, 0, graph);
    }
    fgt_table_destroy(&chosen);
    fgti_free(f->ctx, index);
    return s;
}

/* The parts of the calendar that the options ask for, or that the training rows show. */
static fgt_status choose_calendar(const fgt_forecaster_opts *o, const fgt_table *table,
                                  const fgt_split *split, int64_t targets, int32_t *parts)
{
    fgti_error *err = &table->ctx->error;
    *parts          = o->calendar & FGTI_CALENDAR_ALL;
    if (o->calendar & ~(FGTI_CALENDAR_ALL | FGT_CALENDAR_NONE) || (o->calendar & FGT_CALENDAR_NONE && *parts))
        return fgti_fail(err, FGT_E_ARG, "forecaster: calendar is %d", (int)o->calendar);
    if (*parts && !table->times)
        return fgti_fail(err, FGT_E_DATA, "forecaster: the calendar needs rows with times");
    if (o->calendar != FGT_CALENDAR_AUTO || !table->times) return FGT_OK;
    *parts = fgti_calendar_choose(&table->info.step, table->times[split->train_begin],
                                  table->times[split->train_end - 1]);
    *parts = fgti_calendar_keep_shown(table, split, targets, *parts);
    return FGT_OK;
}

/* One mean and deviation for all targets: those of all their values. A series that never changes has its own
 * deviation replaced by 1, which says nothing of the others. */
static void share_scale(const fgt_forecaster *f, const fgt_table *table, const fgt_split *split, double *mean,
                        double *scale)
{
    double  sum = 0, square = 0;
    int64_t count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t r = split->train_begin; r < split->train_end; r++)
            for (int64_t c = 0; c < f->info.columns; c++) {
                const double v = table->values[r * table->columns + c];
                if (isnan(v)) continue;
                if (pass) square += (v - sum / (double)count) * (v - sum / (double)count);
                else sum += v, count++;
            }
    for (int64_t c = 0; c < f->info.columns; c++) {
        mean[c] = sum / (double)count;
        if (square > 0) scale[c] = sqrt(square / (double)count);
    }
}

/* Targets that cannot be negative keep their 0. */
static fgt_status fit_scaler(fgt_forecaster *f, const fgt_forecaster_opts *o, const fgt_table *table,
                             const fgt_split *split)
{
    const fgt_view values = fgt_table_get_values(table);
    char           show[FGTI_SHOW];
    for (int64_t c = 0; c < f->names.count; c++)
        if (!has_value(table, c, split))
            return fgti_fail(&f->ctx->error, FGT_E_DATA,
                             "forecaster: column %lld (\"%s\") has no value in the training rows %lld..%lld",
                             (long long)c, fgti_show(fgti_strings_get(&f->names, c), show),
                             (long long)split->train_begin, (long long)split->train_end - 1);
    FGTI_TRY(fgt_scaler_fit(f->scaler, &values, split->train_begin, split->train_end));
    FGTI_TRY(fgti_check_sign(f, table, split->train_begin, split->train_end));
    if (!o->shared_scale && !f->info.non_negative) return FGT_OK;
    double        *mean, *scale;
    const fgt_view old_mean = fgt_scaler_get_mean(f->scaler), old_scale = fgt_scaler_get_scale(f->scaler);
    FGTI_TRY(FGTI_NEW(f->ctx, 2 * f->names.count, "scaler", &mean));
    scale = mean + f->names.count;
    memcpy(mean, old_mean.data, (size_t)f->names.count * sizeof *mean);
    memcpy(scale, old_scale.data, (size_t)f->names.count * sizeof *scale);
    if (o->shared_scale) share_scale(f, table, split, mean, scale);
    for (int64_t c = 0; f->info.non_negative && c < f->info.columns; c++) mean[c] = 0;
    const fgt_status s = fgt_scaler_set(f->scaler, FGT_VIEW_OF(FGT_F64, mean, f->names.count),
                                        FGT_VIEW_OF(FGT_F64, scale, f->names.count));
    fgti_free(f->ctx, mean);
    return s;
}

static fgt_status choose_holidays(const fgt_forecaster_opts *o, const fgt_table *table,
                                  const fgt_split *split, fgt_days **days)
{
    if (!o->holidays) return FGT_OK;
    if (!table->times)
        return fgti_fail(&table->ctx->error, FGT_E_DATA, "forecaster: holidays need rows with times");
    return fgti_holidays_choose(o->holidays, table->times[split->train_begin],
                                table->times[split->train_end - 1], days);
}

/* table holds the columns of the forecaster alone, in their order. */
static fgt_status fill_in(const fgt_forecaster_opts *o, const fgt_table *table, const fgt_split *split,
                          fgti_closed_forms *forms, fgt_forecaster *f)
{
    fgt_graph              *graph  = NULL;
    const fgti_closed_form *closed = NULL;
    fgt_status              s      = fit_scaler(f, o, table, split);
    if (s == FGT_OK) s = default_graph(o, f, table, split, &graph);
    if (s == FGT_OK && fgti_recipe_has_linear(o)) s = fgti_closed_forms_get(forms, f, table, split, &closed);
    if (s == FGT_OK)
        s = fgti_recipe_build(f->ctx, o, &f->info, o->graph ? o->graph : graph, closed, &f->model);
    f->info.linear = closed && closed->map.maps > 0;
    fgt_graph_destroy(&graph);
    f->batch  = o->batch;
    f->season = fgti_calendar_season(&table->info.step);
    return s;
}

/* Of day and week those that training rows go through twice. */
static int32_t cycles_of(const fgt_forecaster_opts *o, const fgt_table *table, const fgt_split *split)
{
    if (!o->identity || !table->times) return 0;
    return (FGT_CALENDAR_DAY | FGT_CALENDAR_WEEK) & fgti_calendar_choose(&table->info.step,
                                                                         table->times[split->train_begin],
                                                                         table->times[split->train_end - 1]);
}

static fgt_status make(fgt_context *ctx, const fgt_forecaster_opts *o, const roles *r, const fgt_table *table,
                       const fgt_split *split, fgti_closed_forms *forms, fgt_forecaster **out)
{
    fgt_forecaster_info info  = {.columns   = r->count - r->past - r->known,
                                 .past      = r->past,
                                 .known     = r->known,
                                 .input_len = o->input_len,
                                 .pred_len  = o->pred_len,
                                 .seed      = o->seed,
                                 .block     = o->block,
                                 .tokens    = o->tokens,
                                 .revin     = o->revin,
                                 .mask      = o->mask,
                                 .identity  = o->identity,
                                 .cycles    = cycles_of(o, table, split),
                                 .blind     = o->blind,
                                 .step      = table->info.step,
                                 .non_negative   = o->non_negative,
                                 .quantile_count = o->quantile_count};
    fgti_strings        names = {0};
    fgt_days           *days  = NULL;
    for (int64_t i = 0; i < o->quantile_count; i++) info.quantiles[i] = o->quantiles[i];
    fgt_status          s     = choose_calendar(o, table, split, info.columns, &info.calendar);
    if (s == FGT_OK) s = choose_holidays(o, table, split, &days);
    info.holidays = fgti_holidays_width(days);
    info.statics  = fgt_table_count_columns(o->features);
    if (s == FGT_OK) s = copy_names(table, &names);
    if (s == FGT_OK) s = fgti_forecaster_new(ctx, &info, &names, out);
    if (s == FGT_OK) {
        (*out)->holidays = days;
        days             = NULL;
        s = fgti_statics_read(ctx, o->features, &(*out)->names, info.columns, &(*out)->statics);
        if (s == FGT_OK) s = fill_in(o, table, split, forms, *out);
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
    fgt_table          *chosen = NULL;
    *forecaster                = NULL;
    FGTI_TRY(fgti_opts_read(&ctx->error, "fgt_forecaster_opts", opts, &o, sizeof o));
    FGTI_TRY(fgti_recipe_check(&ctx->error, table, &o));
    FGTI_TRY(check_split(ctx, table, split));
    fgt_status s = find_roles(&o, table, split, &r);
    if (s == FGT_OK) s = fgt_table_create_subset(table, r.count, r.index, &chosen);
    if (s == FGT_OK) s = make(ctx, &o, &r, chosen, split, forms, forecaster);
    fgt_table_destroy(&chosen);
    fgti_free(ctx, r.index);
    return s;
}

fgt_status fgt_forecaster_create(fgt_context *ctx, const fgt_forecaster_opts *opts, const fgt_table *table,
                                 const fgt_split *split, fgt_forecaster **forecaster)
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

/* ---- what it is ---- */

fgt_status fgt_forecaster_get_info(const fgt_forecaster *forecaster, fgt_forecaster_info *info)
{
    if (!forecaster) return FGT_E_ARG;
    fgti_error *err = &forecaster->ctx->error;
    if (!info) return fgti_fail(err, FGT_E_ARG, "forecaster: info is NULL");
    return fgti_result_write(err, "fgt_forecaster_info", &forecaster->info, sizeof *info, info);
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
    /* the first row that can be forecast, as in fgt_windows_create() */
    const int64_t first = inside ? begin + l : begin > l ? begin : l;
    return end - first >= h ? end - first - h + 1 : 0;
}
