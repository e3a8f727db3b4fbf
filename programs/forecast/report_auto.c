/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of the models that --auto has tried. */
#include <math.h>

#include "options_data.h"
#include "options_model.h"
#include "report_auto.h"

#include "../common/blocks.h"

/* Whether the numbers of layers have a meaning for this model. */
static bool has_layers(const tried *t)
{
    return block_has(t->opts.block.kind, FGT_BLOCK_TRAIT_TOKENS);
}

static double none_as_zero(double v)
{
    return v < 0 ? 0 : round(1e6 * v) / 1e6;
}

/* Writes settings that only few models have. */
static void put_others(const tried *t, FILE *out)
{
    char text[32] = "-";
    if (t->trial.members > 1)
        snprintf(text, sizeof text, "mean of %lld", (long long)t->trial.members);
    else if (t->trial.epochs)
        snprintf(text, sizeof text, "%s",
                 t->fit.training.weight_decay > 0 ? "decay"
                 : t->opts.tokens.no_profile      ? "no profile"
                 : t->opts.tokens.revin           ? "revin"
                                                  : "-");
    fprintf(out, "  %-11s", text);
}

void report_auto_head(FILE *out)
{
    fprintf(out, "   nr  model        tokens   input  calendar        dim layers patch dropout  loss      "
                 "     lr average  also        epochs      s  validation     gain  (error)\n");
}

void report_auto_line(const tried *t, FILE *out)
{
    const fgt_search_trial        *i = &t->trial;
    const fgt_forecaster_opts     *o = &t->opts;
    const fgt_forecaster_fit_opts *f = &t->fit;
    char                           calendar[PARTS_MAX], patch[24] = "-";
    options_calendar(o->inputs.calendar, calendar);
    if (o->tokens.kind == FGT_TOKENS_PATCH) snprintf(patch, sizeof patch, "%lld", (long long)o->tokens.patch);
    fprintf(out, "  %3lld  %-11s  %-7s  %5lld  %-13s", (long long)i->candidate, block_names[o->block.kind],
            has_layers(t) ? tokens_name(o->tokens.kind) : "-", (long long)o->input_len, calendar);
    if (has_layers(t))
        fprintf(out, " %5lld %6lld %5s %7.3g  %-10s", (long long)o->tokens.dim, (long long)o->block.layers,
                patch, none_as_zero(o->block.dropout), loss_name(f->loss));
    else
        fprintf(out, " %5s %6s %5s %7s  %-10s", "-", "-", "-", "-", i->epochs ? loss_name(f->loss) : "-");
    if (i->epochs)
        fprintf(out, " %7.2g %7.4g", f->training.lr, none_as_zero(f->training.average));
    else
        fprintf(out, " %7s %7s", "-", "-");
    put_others(t, out);
    fprintf(out, " %5lld %6.1f  %10.5f", (long long)i->epochs, i->seconds, i->loss);
    if (isfinite(i->error))
        fprintf(out, " %8.5f (%.5f)", i->gain, i->error);
    else
        fprintf(out, " %8s %9s", "-", "");
    fprintf(out, "%s%s\n", i->best ? " *" : "", i->cut ? " cut" : "");
    fflush(out);
}

static json_t *pack_trial(const tried *t)
{
    const fgt_search_trial        *i = &t->trial;
    const fgt_forecaster_opts     *o = &t->opts;
    const fgt_forecaster_fit_opts *f = &t->fit;
    char                           calendar[PARTS_MAX];
    options_calendar(o->inputs.calendar, calendar);
    return json_pack(
        "{s:I, s:I, s:s, s:s, s:I, s:s, s:I, s:I, s:I, s:f, s:b, s:s, s:f, s:f, s:I, s:f, s:o, "
        "s:f, s:b, s:I, s:o, s:o, s:b, s:b, s:I}",
        "candidate", (json_int_t)i->candidate, "rung", (json_int_t)i->rung, "model",
        block_names[o->block.kind], "tokens", tokens_name(o->tokens.kind), "input", (json_int_t)o->input_len,
        "calendar", calendar, "dim", (json_int_t)o->tokens.dim, "layers", (json_int_t)o->block.layers,
        "patch", (json_int_t)o->tokens.patch, "dropout", none_as_zero(o->block.dropout), "revin",
        (int)o->tokens.revin, "loss", loss_name(f->loss), "lr", f->training.lr, "average",
        none_as_zero(f->training.average), "epochs", (json_int_t)i->epochs, "seconds", i->seconds, "val",
        json_out_real(isfinite(i->loss) ? i->loss : NAN), "weight_decay", f->training.weight_decay, "profile",
        !o->tokens.no_profile, "members", (json_int_t)i->members, "gain", json_out_real(i->gain),
        "gain_error", json_out_real(isfinite(i->error) ? i->error : NAN), "best", (int)i->best, "cut",
        (int)i->cut, "layer_input", (json_int_t)o->tokens.layer_len);
}

bool report_set_auto(json_t *object, const run *r)
{
    const fgt_search_report *s    = &r->search;
    json_t                  *list = json_array();
    bool                     good = list != NULL;
    for (int64_t i = 0; good && i < r->trial_count; i++)
        good = !json_array_append_new(list, pack_trial(&r->trials[i]));
    return !json_object_set_new(object, "auto",
                                json_pack("{s:I, s:I, s:I, s:I, s:f, s:o, s:o, s:b, s:o}", "candidates",
                                          (json_int_t)s->candidates, "best", (json_int_t)s->best, "members",
                                          (json_int_t)s->members, "epochs", (json_int_t)s->epochs, "seconds",
                                          s->seconds, "val", json_out_real(s->loss), "linear_val",
                                          json_out_real(s->linear_loss), "exhausted", (int)s->exhausted,
                                          "trials", list)) &&
           good;
}
