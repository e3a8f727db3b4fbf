/* SPDX-License-Identifier: BSD-3-Clause */

/* classify: trains a text classifier on labelled texts and says how good it is. The library's part is in
 * run.c. */

#include <stdlib.h>

#include "classify.h"

#include "../common/progress.h"

const char program_name[] = "classify";

int main(int argc, char **argv)
{
    options o;
    run     r = {.o = &o};
    if (!options_read(argc, argv, &o)) return EXIT_FAILURE;
    if (o.help) {
        options_help(stdout);
        return EXIT_SUCCESS;
    }
    const bool good = program_start(o.threads, o.products, &r.ctx, &r.build) && run_all(&r);
    run_done(&r);
    fgt_context_destroy(&r.ctx);
    return progress_status(good);
}
