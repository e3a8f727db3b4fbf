/* SPDX-License-Identifier: BSD-3-Clause */
#include "nn/windows.h"

#include <string.h>

int64_t fgti_window_size(const fgti_windows *w)
{
    return fgti_mul(w->d, fgti_mul(w->down.kernel, w->across.kernel));
}

/* Returns position j of window s along an axis of `size` places; -1: the position is padding with zeros. */
static int64_t windows_place_of(const fgti_steps *a, int64_t size, int64_t s, int64_t j)
{
    const int64_t t = s * a->stride + j - a->before;
    if (a->circular) return (t % size + size) % size;
    return t >= 0 && t < size ? t : -1;
}

/* Returns the index in the grid of position (i,j) of window (r,c); -1: the position is padding with zeros. */
static int64_t origin(const fgti_windows *w, int64_t r, int64_t c, int64_t i, int64_t j)
{
    const int64_t y = windows_place_of(&w->down, w->h, r, i), x = windows_place_of(&w->across, w->w, c, j);
    return y < 0 || x < 0 ? -1 : (y * w->w + x) * w->d;
}

static void gather_window(const fgti_windows *w, const fgti_real *x, int64_t r, int64_t c, fgti_real *row)
{
    const int64_t places = w->down.kernel * w->across.kernel, step = w->planar ? places : 1;
    for (int64_t i = 0; i < w->down.kernel; i++)
        for (int64_t j = 0; j < w->across.kernel; j++) {
            const int64_t from = origin(w, r, c, i, j), place = i * w->across.kernel + j;
            fgti_real    *to = row + (w->planar ? place : place * w->d);
            for (int64_t d = 0; d < w->d; d++) to[d * step] = from < 0 ? 0 : x[from + d];
        }
}

/* Gathers a row of windows. */
static void windows_gather_task(void *arg, int64_t task, int32_t worker)
{
    const fgti_windows *w = arg;
    const fgti_real    *x = w->x + task / w->out_h * w->h * w->w * w->d;
    const int64_t       n = fgti_window_size(w);
    (void)worker;
    for (int64_t c = 0; c < w->out_w; c++)
        gather_window(w, x, task % w->out_h, c, w->rows + (task * w->out_w + c) * n);
}

void fgti_windows_gather(const fgti_run *run, const fgti_windows *w)
{
    fgti_parallel(run->exec, w->grids * w->out_h, windows_gather_task, (void *)w);
}

static void scatter_window(const fgti_windows *w, const fgti_real *row, int64_t r, int64_t c, fgti_real *dx)
{
    const int64_t places = w->down.kernel * w->across.kernel, step = w->planar ? places : 1;
    for (int64_t i = 0; i < w->down.kernel; i++)
        for (int64_t j = 0; j < w->across.kernel; j++) {
            const int64_t    to = origin(w, r, c, i, j), place = i * w->across.kernel + j;
            const fgti_real *from = row + (w->planar ? place : place * w->d);
            for (int64_t d = 0; to >= 0 && d < w->d; d++) dx[to + d] += from[d * step];
        }
}

/* Scatters one grid. Overlapping windows are always added in the same order. */
static void windows_scatter_task(void *arg, int64_t g, int32_t worker)
{
    const fgti_windows *w    = arg;
    const int64_t       grid = w->h * w->w * w->d, n = fgti_window_size(w);
    fgti_real          *dx = w->dx + g * grid;
    (void)worker;
    memset(dx, 0, (size_t)grid * sizeof *dx);
    for (int64_t r = 0; r < w->out_h; r++)
        for (int64_t c = 0; c < w->out_w; c++)
            scatter_window(w, w->rows + ((g * w->out_h + r) * w->out_w + c) * n, r, c, dx);
}

void fgti_windows_scatter(const fgti_run *run, const fgti_windows *w)
{
    fgti_parallel(run->exec, w->grids, windows_scatter_task, (void *)w);
}
