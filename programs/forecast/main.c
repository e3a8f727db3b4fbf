/* SPDX-License-Identifier: BSD-3-Clause */

/* forecast: trains a forecaster on a CSV file and measures it. run.c calls the library. */

#include <stdlib.h>

#include <fighter/experimental/report.h>

#include "forecast.h"

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
    free(r.origins);
    free(r.blend);
    free(r.weights);
    free(r.shifted);
    free(r.stuck);
    free(r.trials);
    curve_done(&r.curve);
    scores_done(&r.scores);
    scores_done(&r.naive_scores);
    scores_done(&r.seasonal_scores);
    scores_done(&r.linear_scores);
    certainty_done(&r);
    fgt_report_destroy(&r.page);
    fgt_attent_destroy(&r.selector);
    fgt_forecaster_destroy(&r.forecaster);
    fgt_forecaster_destroy(&r.whole);
    fgt_days_destroy(&r.holidays);
    fgt_table_destroy(&r.features);
    fgt_table_destroy(&r.tail);
    fgt_table_destroy(&r.table);
    fgt_context_destroy(&r.ctx);
    return cluster_end(progress_status(good));
}
