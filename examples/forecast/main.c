/* SPDX-License-Identifier: BSD-3-Clause */

/* forecast: trains a forecaster on a CSV file and says how good it is. The library's part is in run.c. */

#include <stdlib.h>

#include "forecast.h"

#include "../common/progress.h"

const char program_name[] = "forecast";

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
    scores_done(&r.scores);
    fgt_attent_destroy(&r.selector);
    fgt_forecaster_destroy(&r.forecaster);
    fgt_table_destroy(&r.table);
    fgt_context_destroy(&r.ctx);
    return progress_status(good);
}
