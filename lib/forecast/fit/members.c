/* SPDX-License-Identifier: BSD-3-Clause */
/* The mean of several forecasters as one forecaster. */
#include <stdio.h>
#include <string.h>

#include <fighter/experimental/ensemble.h>

#include "data/days.h"
#include "forecast/forecaster.h"
#include "forecast/forecaster_create.h"
#include "forecast/forecaster_impl.h"
#include "forecast/known/counts.h"
#include "model/access.h"
#include "model/build/append.h"

static bool same_names(const fgti_strings *a, const fgti_strings *b)
{
    if (a->count != b->count) return false;
    for (int64_t i = 0; i < a->count; i++)
        if (strcmp(fgti_strings_get(a, i), fgti_strings_get(b, i)) != 0) return false;
    return true;
}

static bool same_scaler(const fgt_forecaster *a, const fgt_forecaster *b)
{
    const size_t size = (size_t)a->names.count * sizeof(double);
    return !memcmp(a->scaler->mean, b->scaler->mean, size) &&
           !memcmp(a->scaler->scale, b->scaler->scale, size);
}

static bool same_holidays(const fgt_days *a, const fgt_days *b)
{
    if (!a || !b) return a == b;
    return a->count == b->count && same_names(&a->names, &b->names) &&
           !memcmp(a->entry, b->entry, (size_t)a->count * sizeof *a->entry);
}

static bool same_statics(const fgt_forecaster *a, const fgt_forecaster *b)
{
    const size_t cells = (size_t)(a->info.columns * a->info.statics);
    return !cells || !memcmp(a->statics, b->statics, cells * sizeof *a->statics);
}

/* Names a difference between two forecasters that prevents their mean; NULL: they can be averaged. */
static const char *members_find_difference(const fgt_forecaster *a, const fgt_forecaster *b)
{
    const fgt_forecaster_info *i = &a->info, *j = &b->info;
    if (i->columns != j->columns || i->past != j->past || i->known != j->known ||
        !same_names(&a->names, &b->names))
        return "columns";
    if (i->input_len != j->input_len || i->pred_len != j->pred_len) return "rows of input or of forecast";
    if (i->calendar != j->calendar || !fgti_step_same(&i->step, &j->step) ||
        !same_holidays(a->holidays, b->holidays))
        return "calendar or holidays";
    if (i->statics != j->statics || !same_statics(a, b)) return "static features";
    if (i->identity != j->identity || i->cycles != j->cycles) return "identity or cycles";
    if (i->mask != j->mask || i->non_negative != j->non_negative || i->blind != j->blind)
        return "mask, non_negative or blind";
    if (i->quantile_count != j->quantile_count ||
        memcmp(i->quantiles, j->quantiles, (size_t)i->quantile_count * sizeof *i->quantiles) != 0)
        return "quantiles";
    return same_scaler(a, b) ? NULL : "rows of training";
}

static fgt_status members_check(fgt_context *ctx, fgt_forecaster *const *members, int64_t count,
                                fgt_forecaster **forecaster)
{
    if (!members || !forecaster || count < 1 || count > FGT_SUM_MAX)
        return fgti_fail(&ctx->error, FGT_E_ARG, "forecaster: a mean needs 1 .. %d members", FGT_SUM_MAX);
    for (int64_t i = 0; i < count; i++) {
        if (!members[i] || members[i]->ctx != ctx)
            return fgti_fail(&ctx->error, FGT_E_ARG, "forecaster: member %lld is %s", (long long)i,
                             members[i] ? "of another context" : "NULL");
        const char *difference = members_find_difference(members[0], members[i]);
        if (difference)
            return fgti_fail(&ctx->error, FGT_E_ARG, "forecaster: members 0 and %lld differ in their %s",
                             (long long)i, difference);
    }
    return FGT_OK;
}

/* Puts all members into one model that returns the mean of their outputs. */
static fgt_status members_join(fgt_forecaster *const *members, int64_t count, fgt_model *m)
{
    fgt_sum_opts mean = {.size = sizeof mean};
    char         last[FGT_SUM_MAX][FGTI_NAME_MAX];
    const char  *names[FGT_SUM_MAX];
    for (int64_t i = 0; i < count; i++) {
        char prefix[32];
        snprintf(prefix, sizeof prefix, "member%lld.", (long long)i);
        FGTI_TRY(fgti_model_append(m, members[i]->model, prefix));
        snprintf(last[i], sizeof last[i], "%s", fgti_model_last_name(m));
        names[i]       = last[i];
        mean.weight[i] = 1 / (float)count;
    }
    return fgt_model_add_from(m, fgt_named("mean", fgt_sum(&mean)), names, (int32_t)count);
}

static fgt_status copy_scaler(const fgt_forecaster *from, fgt_forecaster *to)
{
    const fgt_view mean  = fgti_scaler_view(from->scaler, from->scaler->mean),
                   scale = fgti_scaler_view(from->scaler, from->scaler->scale);
    return fgt_scaler_set_moments(to->scaler, &mean, &scale);
}

static fgt_status copy_statics(const fgt_forecaster *from, fgt_forecaster *to)
{
    const int64_t cells = from->info.columns * from->info.statics;
    if (!cells) return FGT_OK;
    FGTI_TRY(FGTI_NEW(to->ctx, cells, "static features", &to->statics));
    memcpy(to->statics, from->statics, (size_t)cells * sizeof *to->statics);
    return FGT_OK;
}

/* Copies the fields that all members share from the first one. */
static fgt_status members_fill_in(fgt_forecaster *const *members, int64_t count, fgt_forecaster *f)
{
    const fgt_forecaster *first = members[0];
    fgt_model_opts        o     = *fgti_model_options(first->model);
    for (int64_t i = 0; i < count; i++) {
        o.batch = fgti_least(o.batch, members[i]->batch);
        f->info.linear &= members[i]->info.linear;
    }
    f->season = first->season;
    f->exact  = first->exact;
    f->batch  = o.batch;
    FGTI_TRY(copy_scaler(first, f));
    FGTI_TRY(copy_statics(first, f));
    FGTI_TRY(fgti_counts_share(first, f));
    FGTI_TRY(fgti_strings_append(f->ctx, &f->form, &first->form));
    if (first->holidays)
        FGTI_TRY(fgti_days_copy(f->ctx, first->holidays, &first->holidays->names, &f->holidays));
    FGTI_TRY(fgt_model_create(f->ctx, &o, &f->model));
    return members_join(members, count, f->model);
}

fgt_status fgt_forecaster_create_mean(fgt_context *ctx, fgt_forecaster *const *members, int64_t count,
                                      fgt_forecaster **forecaster)
{
    fgti_strings names = {0};
    if (forecaster) *forecaster = NULL;
    if (!ctx) return FGT_E_ARG;
    FGTI_TRY(members_check(ctx, members, count, forecaster));
    fgt_status s = fgti_strings_append(ctx, &names, &members[0]->names);
    if (s == FGT_OK) s = fgti_forecaster_new(ctx, &members[0]->info, &names, forecaster);
    if (s == FGT_OK) s = members_fill_in(members, count, *forecaster);
    if (s != FGT_OK) fgt_forecaster_destroy(forecaster);
    fgti_strings_done(ctx, &names);
    return s;
}
