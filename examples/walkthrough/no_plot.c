/* SPDX-License-Identifier: BSD-3-Clause */
#include "walkthrough.h"

/* In place of plot.c where cairo is not. */

bool plot_check(const char *path)
{
    return complain("--plot %s: this program was built without cairo, it cannot draw", path);
}

bool plot_write(const curves *c, const char *path)
{
    (void)c;
    return plot_check(path);
}
