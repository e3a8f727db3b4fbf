/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a run, and its errors. */
#include <stdlib.h>

#include "run.h"

#include "../common/program.h"

bool failed(const run *r, const char *what)
{
    return what ? complain("%s: %s", what, fgt_context_get_error(r->ctx))
                : complain("%s", fgt_context_get_error(r->ctx));
}

bool of_images(const run *r)
{
    return r->o->images || r->info.height > 0;
}

const char *samples_called(const run *r)
{
    return of_images(r) ? "images" : "texts";
}

void run_done(run *r)
{
    ntk_track_done(&r->ntk);
    fgt_report_destroy(&r->page);
    fgt_attent_destroy(&r->selector);
    fgt_classifier_destroy(&r->next);
    fgt_classifier_destroy(&r->classifier);
    fgt_classifier_destroy(&r->encoder);
    samples_destroy(&r->train);
    samples_destroy(&r->unlabelled);
    samples_destroy(&r->validation);
    samples_destroy(&r->test);
    samples_destroy(&r->all);
    fgt_corpus_destroy(&r->more);
    free(r->predictions);
    free(r->confusion);
    free(r->checked);
}
