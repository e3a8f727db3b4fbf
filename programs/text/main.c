/* SPDX-License-Identifier: BSD-3-Clause */

/* text has the commands of fastText for texts with labels: it trains a classifier, measures it, and labels
 * texts. */

#include <stdlib.h>

#include "model.h"

#include "../common/command_line.h"
#include "../common/program.h"
#include "../common/progress.h"

static bool run(session *s)
{
    switch (s->o->task) {
    case TASK_SUPERVISED: return model_train(s);
    case TASK_QUANTIZE: return model_quantize(s);
    case TASK_TEST: return model_load(s, s->o->model) && measure(s);
    default: return model_load(s, s->o->model) && predict(s);
    }
}

int main(int argc, char **argv)
{
    options        o;
    fgt_build_info build;
    session        s = {.o = &o};
    program_called(argv[0]);
    if (!options_read(argc, argv, &o)) return EXIT_FAILURE;
    if (o.help) return progress_status(command_line_help(options_command(), o.topic, stdout));
    if (o.version) return progress_status(program_version(options_command()->name, stdout));
    const bool good = program_start(o.threads, 0, 0, &s.ctx, &build) && run(&s);
    fgt_classifier_destroy(&s.classifier);
    fgt_context_destroy(&s.ctx);
    return progress_status(good);
}
