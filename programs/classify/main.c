/* SPDX-License-Identifier: BSD-3-Clause */

/* classify: trains a text classifier on labelled texts and measures it. run.c calls the library. */

#include <stdlib.h>

#include "classify.h"

#include "../common/command_line.h"
#include "../common/progress.h"

int main(int argc, char **argv)
{
    options o;
    run     r = {.o = &o};
    program_called(argv[0]);
    if (!cluster_begin(argc, argv) || !options_read(argc, argv, &o)) return cluster_end(EXIT_FAILURE);
    if (o.help)
        return cluster_end(progress_status(command_line_help(options_command(), o.topic, stdout)));
    if (o.version)
        return cluster_end(progress_status(program_version(options_command()->name, stdout)));
    const bool good = program_start(cluster_threads(o.threads), o.products, o.precision, &r.ctx, &r.build) &&
                      cluster_join(&o.cluster) && run_all(&r);
    run_done(&r);
    fgt_context_destroy(&r.ctx);
    return cluster_end(progress_status(good));
}
