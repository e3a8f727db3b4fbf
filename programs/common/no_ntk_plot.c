/* SPDX-License-Identifier: BSD-3-Clause */
#include "ntk_track.h"
#include "program.h"

/* Used instead of ntk_plot.c in builds without cairo. */

bool ntk_plot_check(const char *path)
{
    return complain("--ntk-plot %s: this program was built without cairo, it cannot draw", path);
}

bool ntk_plot_write(const ntk_track *t, const char *title, const char *path)
{
    (void)t;
    (void)title;
    return ntk_plot_check(path);
}
