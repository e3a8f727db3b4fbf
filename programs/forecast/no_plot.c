/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot.h"

#include "../common/program.h"

/* Used instead of plot.c in builds without cairo. */

bool plot_check(const char *path)
{
    return complain("--plot %s: this program was built without cairo, it cannot draw", path);
}

bool plot_draw(run *r, const char *path, const plot_data *data)
{
    (void)r;
    (void)data;
    return plot_check(path);
}

bool plot_write(run *r, const char *path)
{
    (void)r;
    return plot_check(path);
}
