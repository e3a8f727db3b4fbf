/* SPDX-License-Identifier: BSD-3-Clause */
/* Warns of a row of a long file whose time is far from all other rows of its series. Its label probably has a
 * typing error. */
#include "data/join/table_lone.h"

#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/sort.h"
#include "data/time/time_axis.h"

/* a series with fewer rows is not checked */
enum { LEAST = 5 };
/* bytes of a warning, at most */
enum { TEXT = 384 };

/* A series in which the time of row k is far from the times of the other rows. */
typedef struct lone {
    const fgt_time_step *step;
    const int64_t       *time;   /* [n]: times in the order of the file */
    int64_t             *sorted; /* [n]: times in increasing order; after find_lone() [n - 1], without
                                  * time[k] */
    int64_t              n, k;
    bool                 hole; /* the other rows have a hole into which row k fits */
    int64_t              fit;  /* the time of row k if it filled this hole; INT64_MIN: unknown */
} lone;

/* Whether two rows, in either order, are two steps apart and have no row between them. */
static bool fits_between(const lone *a, int64_t from, int64_t to)
{
    const int64_t low = from < to ? from : to, high = from < to ? to : from;
    return fgti_step_count(a->step, low, high) == 2 &&
           fgti_time_find(a->sorted, a->n - 1, fgti_time_add(low, a->step, 1)) < 0;
}

/* Finds the time at which the row should be: between its neighbours in the file, in the only hole between the
 * other rows, or directly before or after all of them. */
static void find_fit(lone *a)
{
    const int64_t *t = a->time, *s = a->sorted, k = a->k, last = a->n - 2;
    int64_t        holes = 0, at = 0;
    a->fit  = INT64_MIN;
    a->hole = k > 0 && k < a->n - 1 && fits_between(a, t[k - 1], t[k + 1]);
    if (a->hole) a->fit = fgti_time_add(t[k - 1] < t[k + 1] ? t[k - 1] : t[k + 1], a->step, 1);
    for (int64_t r = 1; r <= last && !a->hole; r++) {
        if (fgti_step_count(a->step, s[r - 1], s[r]) == 1) continue;
        holes++;
        at = r;
    }
    if (a->hole || holes > 1) return;
    a->hole = holes && fits_between(a, s[at - 1], s[at]);
    if (a->hole) a->fit = fgti_time_add(s[at - 1], a->step, 1);
    const int64_t beside = k ? t[k - 1] : t[1];
    if (!holes && beside == s[last]) a->fit = fgti_time_add(s[last], a->step, 1);
    if (!holes && beside == s[0]) a->fit = fgti_time_add(s[0], a->step, -1);
}

/* Checks the last row and the first row: finds the one that is more than two steps from the row next to
 * it. */
static bool find_lone(lone *a)
{
    int64_t *s = a->sorted, n = a->n, r = 1;
    if (n < LEAST) return false;
    memcpy(s, a->time, (size_t)n * sizeof *s);
    while (r < n && s[r - 1] < s[r]) r++;
    if (r < n) fgti_sort_whole(s, n); /* in most files the rows are already in order */
    const bool    late = fgti_time_add(s[n - 2], a->step, 2) < s[n - 1];
    const int64_t time = late ? s[n - 1] : s[0];
    if (!late && fgti_time_add(s[0], a->step, 2) >= s[1]) return false;
    for (a->k = 0; a->time[a->k] != time;) a->k++;
    if (!late) memmove(s, s + 1, (size_t)(n - 1) * sizeof *s);
    find_fit(a);
    return true;
}

/* Writes "the label of line 7 (2032-01-05) of "A" ... may be wrong: 2023-01-05 would fit there". */
static void write_lone(const fgti_long *l, const lone *a, int64_t row, char text[TEXT])
{
    const fgt_table *all = l->rows;
    char             here[FGTI_ROW_TEXT], show[FGTI_SHOW], fit[FGTI_FORM_TEXT] = "";
    if (a->fit != INT64_MIN) fgti_time_form_show(&all->written, a->fit, fit);
    snprintf(text, TEXT, "the label of %s of \"%s\", far from its other rows, may be wrong%s%s%s",
             fgti_row_text(&all->lines, row, fgti_strings_get(&all->dates, row), here),
             fgti_show(fgti_strings_get(&l->series.texts, l->of[row]), show), *fit ? ": " : "", fit,
             *fit ? " would fit there" : "");
}

/* Checks the series one by one. The rows are in the order of fgti_long_sort(). spare [2 rows]. */
static int64_t find_lone_row(const fgti_long *l, const int64_t *times, const fgt_time_step *step,
                             const int64_t *begin, int64_t *rows, bool any, char text[TEXT])
{
    int64_t *spare = rows + l->rows->rows;
    for (int64_t i = 0; i < l->series.texts.count; i++) {
        const int64_t *own = rows + begin[i], n = begin[i + 1] - begin[i];
        lone           a   = {.step = step, .time = spare, .sorted = spare + n, .n = n};
        for (int64_t r = 0; r < n; r++) spare[r] = times[own[r]];
        if (!find_lone(&a) || !(any || a.hole)) continue;
        write_lone(l, &a, own[a.k], text);
        return own[a.k];
    }
    return -1;
}

fgt_status fgti_long_judge_labels(const fgti_long *l, const int64_t *times, const fgt_time_step *step,
                                  fgt_status s)
{
    const fgti_error old = l->ctx->error;
    int64_t         *begin, *rows, row = -1;
    char             text[TEXT];
    if ((s != FGT_OK && s != FGT_E_DATA) || !fgti_step_known(step)) return s;
    FGTI_TRY(FGTI_NEW(l->ctx, l->series.texts.count + 1, "rows of series", &begin));
    const fgt_status e = FGTI_NEW(l->ctx, 3 * l->rows->rows, "rows of series", &rows); /* and spare ones */
    if (e == FGT_OK) {
        fgti_long_sort(l, begin, rows);
        row = find_lone_row(l, times, step, begin, rows, s != FGT_OK, text);
    }
    fgti_free(l->ctx, begin);
    fgti_free(l->ctx, rows);
    if (e != FGT_OK || row < 0) return e != FGT_OK ? e : s;
    if (s != FGT_OK) return fgti_fail(&l->ctx->error, s, "%s; %s", old.text, text);
    fgti_log(l->ctx, FGT_LOG_WARN, "%.200s: %s", l->path[fgti_long_find_file(l, row)], text);
    return FGT_OK;
}
