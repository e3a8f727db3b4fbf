/* SPDX-License-Identifier: BSD-3-Clause */

/* Searches for a forecaster: the rungs, the budget and the choice of the result. */

#include "data/table.h"
#include "forecast/search/candidate.h"

#include <math.h>

#include <fighter/experimental/defaults.h>

#include "core/clock.h"
#include "forecast/fit/fit.h"
#include "forecast/forecaster_create.h"
#include "forecast/search/search_list.h"
#include "forecast/search/search_trial.h"
#include "train/loss/loss.h"

/* Default budget in seconds. It suffices for all candidates on 10000 rows of 7 series. */
#define SECONDS 120
/* Share of the budget for linear maps. */
#define LINEAR_SHARE 0.25

/* ---- options ---- */

static fgt_status search_read_opts(fgti_search *s, const fgt_search_opts *opts)
{
    static const fgti_opt table[] = {
        FGTI_FIELD(fgt_search_opts, epochs, I64, 0, FGTI_OPT_SIZE_MAX, 0),
        FGTI_FIELD(fgt_search_opts, seconds, F64, -1e9, 1e9, 0),
        FGTI_FIELD(fgt_search_opts, fixed, ENUM, 0, 2 * FGT_SEARCH_PART_LOSS - 1, 0),
        FGTI_FIELD(fgt_search_opts, reserved, BOOL, 0, 0, 0),
        {0},
    };
    fgti_error *err = &s->ctx->error;
    FGTI_TRY(fgti_opts_read(err, "fgt_search_opts", opts, &s->o, sizeof s->o));
    FGTI_TRY(fgti_opts_check(err, "search", table, &s->o));
    FGTI_TRY(fgti_opts_read(err, "fgt_forecaster_opts", s->o.forecaster, &s->base, sizeof s->base));
    FGTI_TRY(fgti_opts_read(err, "fgt_forecaster_fit_opts", s->o.fit, &s->fit, sizeof s->fit));
    if (!s->fit.thin) s->fit.thin = 1; /* candidates must not reduce the windows by default */
    if (s->o.seconds == 0 && !s->o.epochs) s->o.seconds = SECONDS;
    const fgt_forecaster_fit_opts *fit = &s->fit;
    if (fit->training.selector || fit->training.checkpoint || fit->training.resume || fit->training.moments ||
        fit->training.collective)
        return fgti_fail(err, FGT_E_ARG,
                         "search: it trains several candidates, so a selector, a checkpoint, resume, moments "
                         "and a collective cannot be given");
    fgt_forecaster_opts full = {.size = sizeof full};
    FGTI_TRY(fgt_forecaster_opts_init(s->ctx, s->table, &s->base, &full));
    s->base.pred_len = full.pred_len;
    if (s->split->val_end > s->split->val_begin) return FGT_OK;
    return fgti_fail(err, FGT_E_DATA, "search: there are no validation rows to choose by");
}

/* Creates the first candidate to read its look-back, calendar and columns. */
static fgt_status look(fgti_search *s)
{
    fgti_candidate         *first = &s->candidate[0];
    fgt_forecaster_fit_opts fit   = s->fit;
    fgt_forecaster         *f;
    fgti_search_list_first(s);
    FGTI_TRY(fgti_forecaster_make(s->ctx, &first->make, s->table, s->split, &s->forms, &f));
    first->make.input_len      = f->info.input_len;
    first->make.inputs.calendar = f->info.calendar ? f->info.calendar : FGT_CALENDAR_NONE;
    s->inputs                  = fgti_forecaster_inputs(f);
    s->linear                  = f->info.linear;
    s->sure_gain               = first->can_win ? 0 : -INFINITY;
    const fgt_status    status = fgti_fit_opts_check(f, 0, &fit);
    const fgt_loss_opts loss   = fgti_forecaster_loss(f, &fit);
    fgt_forecaster_destroy(&f);
    FGTI_TRY(status);
    return fgti_loss_read(&s->ctx->error, &loss, &s->loss);
}

/* ---- linear maps ---- */

/* Whether there is time for the next map. The time is estimated from the time of the last map by the formula
 * at fgt_forecaster_create(). */
static bool has_time_for(const fgti_search *s, const fgti_candidate *next, const fgti_candidate *last)
{
    const double ratio =
        (double)(next->make.input_len + s->base.pred_len) / (double)(last->make.input_len + s->base.pred_len);
    const double spent = fgti_now() - s->start, cost = last->seconds * ratio * ratio * ratio;
    return s->o.seconds == 0 || spent + cost <= LINEAR_SHARE * s->o.seconds;
}

static fgt_status try_maps(fgti_search *s, int64_t from)
{
    for (int64_t i = from; i < s->count && !s->report.cancelled; i++) {
        if (i && !has_time_for(s, &s->candidate[i], &s->candidate[i - 1])) {
            s->count = i;
            break;
        }
        FGTI_TRY(fgti_search_try(s, i, 0));
    }
    return FGT_OK;
}

/* Tries the linear maps. Without closed forms there is no linear map, so nothing is done. */
static fgt_status try_linear(fgti_search *s)
{
    fgti_search_list_linear(s);
    if (!s->linear) return FGT_OK;
    FGTI_TRY(try_maps(s, 0));
    const int64_t maps = s->count;
    fgti_search_list_calendar(s);
    FGTI_TRY(try_maps(s, maps));
    s->report.linear_loss = s->map_loss;
    return FGT_OK;
}

/* ---- layers ---- */

/* Returns the number of rungs. A rung halves the number of candidates, until one of the n candidates is
 * left. */
static int rungs(int64_t n)
{
    int count = 1;
    for (; n > 1; n = (n + 1) / 2) count++;
    return count;
}

/* Trains candidates from number `from` on for one epoch each. Their number is limited so that time is left
 * for the later rungs, each of which takes as long as this one. If no map may be the result, the first
 * candidate may, before its training: it is then a map with layers that have no effect. */
static fgt_status first_rung(fgti_search *s, int64_t from)
{
    const double before = fgti_search_spent(s);
    if (s->linear && !s->result.file) FGTI_TRY(fgti_search_try(s, from, 0));
    for (s->count = from; s->count < s->listed; s->count++) {
        const int64_t n    = s->count - from + 1;
        const double  each = n > 1 ? (fgti_search_spent(s) - before) / (double)(n - 1) : 0;
        const bool    fits = !fgti_search_is_over(s) && before + each * (double)(n * rungs(n)) <= 1;
        if (s->result.file && !fits) break;
        FGTI_TRY(fgti_search_try(s, s->count, 1));
    }
    return FGT_OK;
}

/* Lists the candidates from number `from` on that have a file, the best first. Returns their number. */
static int64_t search_sort(const fgti_search *s, int64_t from, int64_t *order)
{
    int64_t count = 0;
    for (int64_t i = from; i < s->count; i++) {
        int64_t at = count;
        if (!s->candidate[i].kept.file) continue;
        for (; at > 0 && s->candidate[i].kept.loss < s->candidate[order[at - 1]].kept.loss; at--)
            order[at] = order[at - 1];
        order[at] = i;
        count++;
    }
    return count;
}

/* Limit of rungs, which no search reaches. */
enum { MOST_RUNGS = 30 };

static fgt_status halve(fgti_search *s, int64_t from)
{
    int64_t order[FGTI_CANDIDATES];
    bool    gain = true;
    for (int64_t rung = 1, n = s->count - from; n > 0 && gain && rung < MOST_RUNGS; rung++) {
        const int64_t left = search_sort(s, from, order), half = (n + 1) / 2;
        gain = n > 1;
        n    = left < half ? left : half;
        for (int64_t i = 0; i < n && !fgti_search_is_over(s); i++) {
            const double before = s->candidate[order[i]].kept.loss;
            FGTI_TRY(fgti_search_try(s, order[i], (int64_t)1 << rung));
            gain = gain || s->candidate[order[i]].kept.loss < before;
        }
        if (fgti_search_is_over(s)) break;
    }
    return FGT_OK;
}

/* Tries means of the best trained candidates that read the same rows and calendar. */
static fgt_status search_average(fgti_search *s, int64_t from)
{
    int64_t       order[FGTI_CANDIDATES], member[FGTI_MEMBERS], count = 0;
    const int64_t n = search_sort(s, from, order);
    for (int64_t i = 0; i < n && count < FGTI_MEMBERS; i++) {
        const fgti_candidate *c     = &s->candidate[order[i]],
                             *first = &s->candidate[count ? member[0] : order[i]];
        if (c->epochs && c->kept.loss < s->map_loss && c->make.input_len == first->make.input_len)
            member[count++] = order[i];
    }
    for (int64_t i = 2; i <= count && !s->report.cancelled; i++) FGTI_TRY(fgti_search_try_mean(s, member, i));
    return FGT_OK;
}

/* Spends the rest of the budget on candidates that were in no rung. */
static fgt_status try_layers(fgti_search *s, int64_t from)
{
    int64_t next = from;
    s->listed    = s->count;
    do {
        FGTI_TRY(first_rung(s, next));
        FGTI_TRY(halve(s, next));
        if (s->count == next) break;
        next = s->count;
    } while (next < s->listed && !fgti_search_is_over(s));
    return search_average(s, from);
}

/* Whether candidates have layers. For a linear block in closed form nothing is trained. */
static bool search_has_layers(const fgti_search *s)
{
    const bool linear =
        s->base.block.kind == FGT_BLOCK_LINEAR && !s->base.output.quantile_count && !s->base.inputs.mask;
    return !s->linear || !linear;
}

static fgt_status search(fgti_search *s, fgt_forecaster **out)
{
    FGTI_TRY(look(s));
    FGTI_TRY(try_linear(s));
    const fgti_candidate map  = s->candidate[s->best_map];
    const int64_t        from = s->linear ? s->count : 0;
    if (!s->linear) s->count = 0;
    if (search_has_layers(s)) {
        fgti_search_list_layers(s, &map);
        FGTI_TRY(try_layers(s, from));
    }
    if (!s->result.file)
        return fgti_fail(&s->ctx->error, FGT_E_NONFINITE,
                         "search: no candidate could be trained: a smaller learning rate may help");
    s->report.candidates = s->count;
    s->report.loss       = s->result.loss;
    s->report.seconds    = fgti_now() - s->start;
    return fgt_forecaster_load(s->ctx, FGT_FROM_MEMORY(s->result.file, s->result.bytes), NULL, out);
}

fgt_status fgt_forecaster_search(fgt_context *ctx, const fgt_table *table, const fgt_split *split,
                                 const fgt_search_opts *opts, fgt_forecaster **forecaster,
                                 fgt_search_report *report)
{
    fgti_search *s;
    if (forecaster) *forecaster = NULL;
    if (!ctx) return FGT_E_ARG;
    if (!table || !split || !forecaster)
        return fgti_fail(&ctx->error, FGT_E_ARG, "search: table, split or result pointer is NULL");
    FGTI_TRY(fgti_table_check_loaded(&ctx->error, "search", table));
    if (report) FGTI_TRY(fgti_result_check(&ctx->error, "fgt_search_report", report));
    FGTI_TRY(FGTI_NEW(ctx, 1, "search", &s));
    s->ctx            = ctx;
    s->table          = table;
    s->split          = split;
    s->start          = fgti_now();
    s->map_loss       = INFINITY;
    s->result.loss    = INFINITY;
    s->report         = (fgt_search_report){.size = sizeof s->report, .linear_loss = NAN};
    fgt_status status = search_read_opts(s, opts);
    if (status == FGT_OK) status = search(s, forecaster);
    if (status == FGT_OK && report)
        (void)fgti_result_write(NULL, "", &s->report, sizeof s->report, report); /* checked above */
    for (int64_t i = 0; i < FGTI_CANDIDATES; i++) fgti_free(ctx, s->candidate[i].kept.file);
    fgti_closed_forms_done(ctx, &s->forms);
    fgti_free(ctx, s->result.file);
    fgti_free(ctx, s->losses);
    fgti_free(ctx, s->map);
    fgti_free(ctx, s);
    return status;
}
