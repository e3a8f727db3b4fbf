/* SPDX-License-Identifier: BSD-3-Clause */
#include "walkthrough.h"

/* Used instead of plot.c in builds without cairo. */

bool plot_check(const char *path)
{
    return complain("--plot %s: this program was built without cairo, it cannot draw", path);
}

bool plot_write(const curves *c, const char *path)
{
    (void)c;
    return plot_check(path);
}
