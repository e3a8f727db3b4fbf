/* SPDX-License-Identifier: BSD-3-Clause */
/* Trains a forecaster. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "insight.h"
#include "pretrain.h"
#include "selector.h"
#include "train.h"
#include "train_create.h"
#include "train_opts.h"

#include "../common/blocks.h"
#include "../common/program.h"
#include "../common/progress.h"

void curve_done(curve *c)
{
    free(c->loss);
    free(c->validation);
    *c = (curve){0};
}

typedef struct watch {
    progress_label label;
    run           *r;
    bool           kept;   /* it is the model itself, whose curve is kept */
    bool           failed; /* a message was printed */
} watch;

static bool grow(double **v, int64_t count)
{
    double *more = realloc(*v, (size_t)count * sizeof *more);
    if (more) *v = more;
    return more;
}

/* The curve is only for the plot, so it simply ends if there is no memory for it. */
static int show(void *user, const fgt_progress *p)
{
    watch *w = user;
    curve *c = &w->r->curve;
    if (w->kept && p->epoch_done && grow(&c->loss, c->epochs + 1) && grow(&c->validation, c->epochs + 1)) {
        c->loss[c->epochs]         = p->loss;
        c->validation[c->epochs++] = p->validation;
        c->has_validation          = c->has_validation || isfinite(p->validation);
    }
    if (w->kept && !insight_record(w->r, p)) w->failed = true;
    return progress_show(&w->label, p) || w->failed;
}

/* Reports errors of a checkpoint with its file, all others with the data. */
static bool fit_failed(const run *r, const fgt_forecaster_fit_opts *o)
{
    const char *const files[] = {o->training.resume, o->training.moments};
    const char       *text = fgt_context_get_error(r->ctx), *path = r->o->data;
    for (int i = 0; i < 2; i++)
        if (files[i] && !strncmp(text, files[i], strlen(files[i]))) path = NULL;
    return run_failed(r, path);
}

bool train_fit(run *r, fgt_forecaster *f, fgt_forecaster_fit_opts opts, const char *name,
               fgt_fit_report *report)
{
    watch w = {{name, "windows"}, r, f == r->forecaster, false};
    if (w.kept) curve_done(&r->curve);
    opts.size              = sizeof opts;
    opts.training.progress = show;
    opts.training.user     = &w;
    opts.training.seed     = (uint64_t)r->o->seed;
    opts.training.batch    = r->o->fit.training.batch;
    report->size           = sizeof *report;
    return (fgt_forecaster_fit(f, r->table, &r->split, &opts, report) == FGT_OK || fit_failed(r, &opts)) &&
           !w.failed;
}

bool train_prepare(run *r)
{
    return train_create(r, false, &r->forecaster) && train_get_info(r) && train_count_windows(r) &&
           selector_create(r);
}

bool train_run(run *r)
{
    const fgt_forecaster_fit_opts opts  = train_fit_opts(r);
    const clock_t                 start = clock();
    progress_catch_interrupt();
    if (!pretrain_run(r)) return false;
    if (!train_fit(r, r->forecaster, opts, block_names[r->info.block], &r->report)) return false;
    r->train_cpu = (double)(clock() - start) / CLOCKS_PER_SEC;
    return true;
}

bool train_adapter(run *r)
{
    const adapter *a = &r->o->adapter;
    fgt_model     *m = fgt_forecaster_get_model(r->forecaster);
    if (!selector_create(r)) return false;
    const fgt_forecaster_fit_opts opts  = train_fit_opts(r);
    const clock_t                 start = clock();
    progress_catch_interrupt();
    if (!train_fit(r, r->forecaster, opts, "adapter", &r->report)) return false;
    r->train_cpu = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (r->report.cancelled) fputs("  interrupted; the adapter is the best one so far\n", stderr);
    return !cluster_leads() || adapter_save(a, m) == FGT_OK || run_failed(r, NULL);
}

bool train_update(run *r, FILE *out)
{
    const int64_t           rows = r->info.seen_rows;
    fgt_forecaster_fit_opts opts = train_fit_opts(r);
    opts.training.progress       = progress_show;
    opts.training.user           = &(progress_label){"update", "windows"};
    opts.training.moments        = r->o->moments;
    r->report.size               = sizeof r->report;
    progress_catch_interrupt();
    if (fgt_forecaster_update(r->forecaster, r->table, -1, &opts, &r->report) != FGT_OK)
        return fit_failed(r, &opts);
    if (!train_get_info(r)) return false;
    if (r->report.cancelled) fputs("  interrupted; all new rows count as seen\n", stderr);
    fprintf(out, "updated with %lld new row%s: %lld epoch%s in %.1f s\n",
            (long long)(r->info.seen_rows - rows), plural(r->info.seen_rows - rows),
            (long long)r->report.epochs, plural(r->report.epochs), r->report.seconds);
    return true;
}

/* The options are the same as in the training, except for its length and its files. The chosen layers are
 * trained further at a fifth of the learning rate. */
bool train_whole(run *r, FILE *out)
{
    fgt_forecaster_fit_opts opts  = train_final_fit_opts(r);
    const double            start = seconds_now();
    opts.training.epochs          = 0;
    opts.training.lr              = r->o->fit.training.lr / 5;
    opts.training.batch           = r->o->fit.training.batch;
    opts.thin                     = r->o->fit.thin;
    opts.training.selector        = NULL;
    opts.training.checkpoint = opts.training.resume = NULL;
    opts.training.progress                          = progress_show;
    opts.training.user                              = &(progress_label){"all rows", "windows"};
    r->refit.size                                   = sizeof r->refit;
    /* it may have seen all rows */
    if (r->split.train_end >= fgt_forecaster_find_row(r->forecaster, r->table)) return true;
    if (fgt_forecaster_create_refit(r->forecaster, r->table, &r->split, &opts, &r->refit, &r->whole) !=
        FGT_OK)
        return run_failed(r, r->o->data);
    r->refit.seconds = seconds_now() - start;
    if (r->refit.cancelled) {
        fgt_forecaster_destroy(&r->whole);
        fputs("  interrupted; the model knows only the training rows\n", stderr);
        return true;
    }
    fgt_forecaster_info info = {.size = sizeof info};
    if (fgt_forecaster_get_info(r->whole, &info) != FGT_OK) return run_failed(r, NULL);
    fprintf(out, "fitted again to all %lld rows in %.1f s, for%s%s%s%s\n", (long long)info.seen_rows,
            r->refit.seconds, r->o->predicts ? " --predict" : "", r->o->predicts && r->o->save ? " and" : "",
            r->o->save ? " --save" : "", r->test_windows ? "; the errors were measured before" : "");
    return true;
}
