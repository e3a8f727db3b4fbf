/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <fighter/experimental/absent.h>
#include <fighter/experimental/series.h>

#include "columns.h"
#include "fast_choice.h"
#include "times.h"

#include "../common/program.h"

static void list_done(name_list *l)
{
    free(l->name);
    free(l->text);
    *l = (name_list){0};
}

/* Cuts a list such as "A,B,C" into its names. NULL gives an empty list. */
static bool list_cut(const char *names, name_list *l)
{
    size_t count = 1;
    *l           = (name_list){0};
    if (!names) return true;
    for (const char *p = names; *p; p++) count += *p == ',';
    l->text = malloc(strlen(names) + 1);
    l->name = calloc(count, sizeof *l->name);
    if (!l->text || !l->name) return complain("no memory");
    strcpy(l->text, names);
    for (char *p = l->text; p; l->count++) {
        l->name[l->count] = p;
        p                 = strchr(p, ',');
        if (p) *p++ = 0;
    }
    return true;
}

/* Marks the columns of the table that a list names. */
static void list_mark(const run *r, const name_list *l, bool *marked)
{
    int64_t column;
    for (int64_t i = 0; i < l->count; i++)
        if (fgt_table_get_column(r->table, l->name[i], &column) == FGT_OK) marked[column] = true;
}

/* Whether a column is a covariate: a column of a long file that comes after the series. A covariate is used
 * only if it has a role. */
static bool is_covariate(const run *r, int64_t column)
{
    return fgt_table_get_name(r->table, FGT_TABLE_NAME_ID, 0) && column >= r->rows.series;
}

/* Returns the first row, from `row` on, with a value in a column. Returns the number of rows if there is no
 * such row. */
static int64_t find_value(const run *r, int64_t column, int64_t row)
{
    const fgt_view v = fgt_table_get_values(r->table);
    while (row < v.shape[0] && isnan(((const double *)v.data)[row * v.shape[1] + column])) row++;
    return row;
}

/* Whether a column begins after the training rows, so that nothing can be learned from it. */
static bool is_late(const run *r, int64_t column)
{
    const fgt_view v = fgt_table_get_values(r->table);
    return v.data && find_value(r, column, r->split.train_begin) >= r->split.train_end;
}

/* ---- columns that name the source of the rows ---- */

/* Whether the table also has columns that do not just name the source. If not, such a column is used as
 * data. */
static bool any_other(const run *r)
{
    const int64_t all = fgt_table_count_columns(r->table);
    for (int64_t c = 0; c < all; c++)
        if (!fgt_table_is_key(r->table, c)) return true;
    return false;
}

/* Whether a column can have a role although the command line does not name it. */
static bool takes_rest(const run *r)
{
    const options *o = r->o;
    return !o->columns && (!o->target || !strcmp(o->target, "all") || (r->forecaster && !o->past));
}

/* ---- roles ---- */

/* Lists the columns that are in neither of the lists a and b. They come from --columns, or else from the
 * table. */
static bool list_rest(const run *r, const name_list *columns, const name_list *a, const name_list *b,
                      name_list *l)
{
    const int64_t all  = fgt_table_count_columns(r->table);
    bool         *used = calloc((size_t)all, sizeof *used);
    *l                 = (name_list){.name = calloc((size_t)(columns->count + all), sizeof *l->name)};
    if (used && l->name) {
        list_mark(r, a, used);
        list_mark(r, b, used);
    }
    const bool lone = !columns->count && any_other(r), trains = !fast_wanted(r);
    for (int64_t i = 0; used && l->name && i < (columns->count ? columns->count : all); i++) {
        const char *name =
            columns->count ? columns->name[i] : fgt_table_get_name(r->table, FGT_TABLE_NAME_COLUMN, i);
        int64_t     column = i;
        if (!columns->count && (is_covariate(r, i) || (trains && is_late(r, i)))) continue;
        if (lone && fgt_table_is_key(r->table, i)) continue;
        /* a missing column is refused later */
        if (columns->count && fgt_table_get_column(r->table, name, &column) != FGT_OK) column = -1;
        if (column < 0 || !used[column]) l->name[l->count++] = name;
    }
    const bool good = used && l->name;
    free(used);
    return good || complain("no memory");
}

static bool list_add(name_list *l, const char *name)
{
    const int64_t n = l->count;
    if (!(n & (n - 1))) { /* the array is full whenever n is 0, 1, 2, 4, 8 ... */
        const char **more = realloc(l->name, (size_t)(n ? 2 * n : 1) * sizeof *more);
        if (!more) return complain("no memory");
        l->name = more;
    }
    l->name[l->count++] = name;
    return true;
}

/* Replaces the name of a category by the columns of all its values, which are called "name=value". If a
 * column has exactly the name in the list, only this column is taken. A name that is not found is refused
 * later. */
static bool list_expand(const run *r, name_list *l)
{
    const int64_t all   = fgt_table_count_columns(r->table);
    name_list     whole = {0};
    bool          good  = true;
    int64_t       at;
    for (int64_t i = 0; good && i < l->count; i++) {
        const int64_t before = whole.count;
        const size_t  n      = strlen(l->name[i]);
        const bool    plain  = fgt_table_get_column(r->table, l->name[i], &at) == FGT_OK;
        for (int64_t k = 0; good && !plain && k < all; k++) {
            const char *column = fgt_table_get_name(r->table, FGT_TABLE_NAME_COLUMN, k);
            if (!strncmp(column, l->name[i], n) && column[n] == '=') good = list_add(&whole, column);
        }
        if (good && whole.count == before) good = list_add(&whole, l->name[i]);
    }
    free(l->name);
    l->name  = whole.name;
    l->count = whole.count;
    return good;
}

/* Makes a list of the names of --past or --known. With a loaded model, lists its columns from number `first`
 * on that belong to categories. */
static bool list_add_categories(const run *r, const char *names, int64_t first, name_list *l)
{
    const fgt_forecaster_info *i     = &r->info;
    const int64_t              count = r->forecaster ? i->columns + i->past + i->known : 0;
    if (!r->forecaster) return list_cut(names, l);
    *l = (name_list){.name = calloc((size_t)count, sizeof *l->name)};
    if (!l->name) return complain("no memory");
    for (int64_t c = first; c < count; c++) {
        const char *name = fgt_forecaster_get_name(r->forecaster, c);
        if (strchr(name, '=')) l->name[l->count++] = name;
    }
    return true;
}

void categories_done(categories *c)
{
    list_done(&c->past);
    list_done(&c->known);
    free(c->all);
    free(c->apart);
    *c = (categories){0};
}

/* Keeps columns apart. If the model needs the column price[B], the values of price[A] must not take its
 * place. */
static bool list_apart(const run *r, categories *c, fgt_csv_opts *csv)
{
    const fgt_forecaster_info *i     = &r->info;
    const int64_t              count = i->past + i->known;
    if (!r->forecaster || !count) return true;
    c->apart = calloc((size_t)count, sizeof *c->apart);
    if (!c->apart) return complain("no memory");
    for (int64_t k = 0; k < count; k++)
        c->apart[k] = fgt_forecaster_get_name(r->forecaster, i->columns + k);
    csv->apart       = c->apart;
    csv->apart_count = count;
    return true;
}

bool categories_find(const run *r, bool future, categories *c, fgt_csv_opts *csv)
{
    const options             *o = r->o;
    const fgt_forecaster_info *i = &r->info;
    *c                           = (categories){0};
    if (!list_add_categories(r, o->known, future ? i->columns + i->past : 0, &c->known)) return false;
    if (!r->forecaster && !list_cut(o->past, &c->past)) return false;
    c->all = calloc((size_t)(c->known.count + c->past.count) + 1, sizeof *c->all);
    if (!c->all) return complain("no memory");
    for (int64_t k = 0; k < c->known.count; k++) c->all[csv->category_count++] = c->known.name[k];
    for (int64_t k = 0; k < c->past.count; k++) c->all[csv->category_count++] = c->past.name[k];
    if (csv->category_count) csv->categories = c->all;
    return list_apart(r, c, csv);
}

void columns_done(column_roles *c)
{
    list_done(&c->chosen);
    list_done(&c->target);
    list_done(&c->past);
    list_done(&c->known);
}

/* ---- wrong names on the command line ---- */

typedef struct given_name {
    const char *name, *option;
} given_name;

static int compare_given(const void *a, const void *b)
{
    return strcmp(((const given_name *)a)->name, ((const given_name *)b)->name);
}

static int64_t add_given(given_name *all, int64_t count, const name_list *l, const char *option)
{
    for (int64_t i = 0; i < l->count; i++) all[count++] = (given_name){l->name[i], option};
    return count;
}

/* Refuses a column with two roles. */
static bool check_roles(const options *o, const column_roles *c)
{
    given_name *all = calloc((size_t)(c->target.count + c->past.count + c->known.count) + 1, sizeof *all);
    int64_t n   = 0;
    bool    good = all || complain("no memory");
    if (good && o->target && strcmp(o->target, "all") != 0) n = add_given(all, n, &c->target, "--target");
    if (good && o->past) n = add_given(all, n, &c->past, "--past");
    if (good) n = add_given(all, n, &c->known, "--known");
    if (good) qsort(all, (size_t)n, sizeof *all, compare_given);
    for (int64_t i = 1; good && i < n; i++) {
        const given_name *a = &all[i - 1], *b = &all[i];
        if (strcmp(a->name, b->name) != 0) continue;
        good = strcmp(a->option, b->option)
                   ? complain("%s and %s both name \"%s\"; a column has one role", a->option, b->option,
                              a->name)
                   : complain("%s names \"%s\" twice", a->option, a->name);
    }
    free(all);
    return good && (c->target.count || complain("%s%s%s: no column is left to forecast",
                                                o->known ? "--known" : "", o->known && o->past ? " and " : "",
                                                o->past ? "--past" : ""));
}

static void try_columns(near *n, const fgt_table *table)
{
    const char *name = fgt_table_get_name(table, FGT_TABLE_NAME_LABELS, 0);
    if (name) near_try(n, name);
    for (int64_t i = 0; (name = fgt_table_get_name(table, FGT_TABLE_NAME_COLUMN, i)); i++) near_try(n, name);
    for (int64_t i = 0; (name = fgt_table_get_name(table, FGT_TABLE_NAME_IGNORED, i)); i++) near_try(n, name);
}

const char *columns_meant(const run *r, const fgt_table *table, char text[NEAR_TEXT])
{
    const options    *o       = r->o;
    const char *const lists[] = {o->time,    o->form_id, o->form_time, o->form_value,
                                 o->columns, o->target,  o->past,      o->known};
    *text = 0;
    for (size_t k = 0; !*text && k < sizeof lists / sizeof *lists; k++) {
        name_list l = {0};
        if (!list_cut(lists[k], &l)) break;
        for (int64_t i = 0; !*text && i < l.count; i++) {
            near n = {.name = l.name[i]};
            try_columns(&n, table);
            if (n.distance) near_text(&n, "", text); /* distance 0: the name is a column */
        }
        list_done(&l);
    }
    return text;
}

/* Finds the columns of each role. The list of the remaining columns is made last, because it has only columns
 * that are in no other list. */
static bool find_roles(const run *r, column_roles *c)
{
    const options *o   = r->o;
    const bool     all = !o->target || !strcmp(o->target, "all");
    *c                 = (column_roles){0};
    if (!list_cut(o->columns, &c->chosen) || !list_cut(o->known, &c->known) || !list_cut(o->past, &c->past))
        return false;
    if (!list_expand(r, &c->known) || !list_expand(r, &c->past)) return false;
    if (all) return list_rest(r, &c->chosen, &c->past, &c->known, &c->target);
    if (!list_cut(o->target, &c->target)) return false;
    return o->past || list_rest(r, &c->chosen, &c->target, &c->known, &c->past);
}

bool columns_check_late(const run *r, const name_list *l)
{
    char    place[PLACE_MAX];
    int64_t column;
    for (int64_t i = 0; i < l->count; i++) {
        if (fgt_table_get_column(r->table, l->name[i], &column) != FGT_OK || !is_late(r, column)) continue;
        const int64_t row = find_value(r, column, 0);
        if (row == fgt_table_count_rows(r->table))
            return complain("%s: \"%s\" has no value", r->o->data, l->name[i]);
        return complain("%s: \"%s\" has no value in the training rows, its first one is %s; leave it out, or "
                        "give --split 1,0,0, with which all rows are for training",
                        r->o->data, l->name[i], row_place(r->table, row, place));
    }
    return true;
}

bool columns_find(const run *r, column_roles *c)
{
    return find_roles(r, c) && check_roles(r->o, c);
}

/* Returns the name of the i-th column that is read; NULL after the last one. */
static const char *name_of_role(const run *r, int64_t i)
{
    return r->forecaster         ? fgt_forecaster_get_name(r->forecaster, i)
           : i < r->info.columns ? r->names[i]
                                 : NULL;
}

/* Marks the columns of the table that are read. If there is no column price[shop 1], the column price is read
 * for it. */
static bool mark_roles(const run *r, bool *marked)
{
    const char *name;
    int64_t     column;
    for (int64_t i = 0; (name = name_of_role(r, i)); i++) {
        char *part = malloc(strlen(name) + 1), *cut = part;
        if (!part) return complain("no memory");
        strcpy(part, name);
        bool found = fgt_table_get_column(r->table, part, &column) == FGT_OK;
        while (!found && (cut = strrchr(part, '['))) {
            *cut  = 0;
            found = fgt_table_get_column(r->table, part, &column) == FGT_OK;
        }
        if (found) marked[column] = true;
        free(part);
    }
    return true;
}

/* Warns of the marked columns in one sentence, which names at most NAMES_MOST of them. `one` is the sentence
 * for a single column, `more` for several. path is as for columns_warn(). */
#define NAMES_MOST 8
static void warn_names(const fgt_table *table, const char *path, const bool *which, const char *one,
                       const char *more)
{
    char    names[NAMES_MOST * PLAIN_TEXT] = "", rest[40] = "";
    size_t  used  = 0;
    int64_t count = 0;
    for (int64_t c = 0; c < fgt_table_count_columns(table); c++) {
        if (!which[c] || count++ >= NAMES_MOST) continue;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%.200s", used ? ", " : "",
                                 fgt_table_get_name(table, FGT_TABLE_NAME_COLUMN, c));
    }
    if (count > NAMES_MOST) snprintf(rest, sizeof rest, " and %lld more", (long long)(count - NAMES_MOST));
    if (count)
        warn("%s%s%lld %s: %s%s", path ? path : "", path ? ": " : "", (long long)count,
             count == 1 ? one : more, names, rest);
}

bool columns_add_absent(const run *r, const char *path, fgt_table *table, int64_t *count)
{
    if (fgt_forecaster_add_absent(r->forecaster, table, count) != FGT_OK) return run_failed(r, path);
    const int64_t columns = fgt_table_count_columns(table);
    bool         *which   = calloc((size_t)columns, sizeof *which);
    if (!which) return complain("no memory");
    for (int64_t c = columns - *count; c < columns; c++) which[c] = true;
    warn_names(table, path, which, "series of the model is absent, and not forecast",
               "series of the model are absent, and not forecast");
    free(which);
    return true;
}

bool columns_is_absent(const run *r, int64_t target)
{
    int64_t column;
    return r->absent && fgt_table_get_column(r->table, run_name(r, target), &column) == FGT_OK &&
           column >= fgt_table_count_columns(r->table) - r->absent;
}

/* Warns of series that a loaded model does not know from its training. */
static void warn_of_others(const run *r, const char *path, const bool *used, bool *which)
{
    const int64_t columns = fgt_table_count_columns(r->table);
    const bool    wide    = !fgt_table_get_name(r->table, FGT_TABLE_NAME_ID, 0);
    for (int64_t c = 0; c < columns; c++) which[c] = !used[c] && !wide && !is_covariate(r, c);
    warn_names(r->table, path, which,
               "series is not forecast, because the model was trained without it; a model that is trained "
               "with it can forecast it",
               "series are not forecast, because the model was trained without them; a model that is trained "
               "with them can forecast them");
    for (int64_t c = 0; c < columns; c++) which[c] = !used[c] && (wide || is_covariate(r, c));
    warn_names(r->table, path, which, "column is not used, because the model was trained without it",
               "columns are not used, because the model was trained without them");
}

/* Whether all values of a column are equal. A table on disk is not checked. */
static bool is_constant(const run *r, int64_t column)
{
    const fgt_view v     = fgt_table_get_values(r->table);
    double         value = NAN;
    int64_t        n     = 0;
    for (int64_t row = 0; v.data && row < v.shape[0]; row++) {
        const double x = ((const double *)v.data)[row * v.shape[1] + column];
        if (isnan(x)) continue;
        if (n++ && x != value) return false;
        value = x;
    }
    return n > 1;
}

static void warn_of_constants(const run *r, const char *path, const bool *used, bool *which)
{
    const int64_t columns = fgt_table_count_columns(r->table);
    int64_t       c;
    if (fgt_table_get_name(r->table, FGT_TABLE_NAME_ID, 0)) return;
    for (c = 0; c < columns; c++) which[c] = takes_rest(r) && !used[c] && fgt_table_is_key(r->table, c);
    warn_names(r->table, path, which,
               "column is left out, because it has one value in all rows and the name of a key; --columns "
               "can name it",
               "columns are left out, because they have one value in all rows and the names of keys; "
               "--columns can name them");
    memset(which, 0, (size_t)columns * sizeof *which);
    for (int64_t i = 0; i < r->info.columns; i++)
        if (fgt_table_get_column(r->table, run_name(r, i), &c) == FGT_OK) which[c] = is_constant(r, c);
    warn_names(r->table, path, which,
               "column has one value in all rows, which is its forecast, too; --columns can leave it out",
               "columns have one value each in all rows, which is their forecast, too; --columns can leave "
               "them out");
}

static void warn_of_covariates(const run *r, const char *path, const bool *used, bool *which)
{
    for (int64_t c = 0; c < fgt_table_count_columns(r->table); c++) which[c] = is_covariate(r, c) && !used[c];
    warn_names(r->table, path, which, "column is not used, because neither --known nor --past names it",
               "columns are not used, because neither --known nor --past names them");
}

/* Warns of columns from which nothing can be learned, because they begin after the training rows. */
static void warn_of_late(const run *r, const char *path, const bool *used, bool *which)
{
    const int64_t columns = fgt_table_count_columns(r->table), rows = fgt_table_count_rows(r->table);
    for (int64_t c = 0; c < columns; c++)
        which[c] = !used[c] && !is_covariate(r, c) && is_late(r, c) && find_value(r, c, 0) == rows;
    warn_names(r->table, path, which, "series is left out, because it has no value",
               "series are left out, because they have no value");
    for (int64_t c = 0; c < columns; c++)
        which[c] = !used[c] && !which[c] && !is_covariate(r, c) && is_late(r, c);
    warn_names(r->table, path, which,
               "series is left out, because it has no value in the training rows; with --split 1,0,0 all "
               "rows are for training",
               "series are left out, because they have no value in the training rows; with --split 1,0,0 all "
               "rows are for training");
}

static void warn_of_untrained(const run *r, const char *path, const bool *used, bool *which)
{
    warn_of_constants(r, path, used, which);
    if (takes_rest(r)) warn_of_late(r, path, used, which);
    if (!r->o->columns) warn_of_covariates(r, path, used, which);
}

/* Warns of columns that are not used: without training a target is forecast only from its own rows. */
static void warn_of_unread(const run *r, const bool *used, bool *which)
{
    warn_of_constants(r, NULL, used, which);
    for (int64_t c = 0; c < fgt_table_count_columns(r->table); c++)
        which[c] = !used[c] && !r->o->columns &&
                   (fgt_table_get_name(r->table, FGT_TABLE_NAME_ID, 0) ? is_covariate(r, c) : !takes_rest(r));
    warn_names(r->table, NULL, which,
               "column is not read, because without training a target is forecast from its own rows; --known "
               "and --past train a model that reads it",
               "columns are not read, because without training a target is forecast from its own rows; "
               "--known and --past train a model that reads them");
}

void columns_warn(const run *r, const char *path)
{
    const size_t columns = (size_t)fgt_table_count_columns(r->table);
    bool        *used    = calloc(2 * columns, sizeof *used);
    if (used && mark_roles(r, used)) {
        if (!r->forecaster)
            warn_of_unread(r, used, used + columns);
        else
            (r->o->load ? warn_of_others : warn_of_untrained)(r, path, used, used + columns);
    }
    free(used);
}

/* ---- for --plot ---- */

#define PLOTTED 3

static int64_t find_target(const run *r, const char *name)
{
    int64_t c = 0;
    while (c < r->info.columns && strcmp(run_name(r, c), name) != 0) c++;
    return c;
}

static bool refuse_target(const run *r, const char *name)
{
    near n = {.name = name};
    char meant[NEAR_TEXT];
    for (int64_t c = 0; c < r->info.columns; c++) near_try(&n, run_name(r, c));
    return complain("--plot-series: \"%s\" is no target%s", name, near_text(&n, "", meant));
}

/* Chooses target i of `count` targets to plot: the first one, the last one, which in many files is the main
 * one, and some in between. */
static int64_t choose(int64_t i, int64_t count, int64_t columns)
{
    return count > 1 ? i * (columns - 1) / (count - 1) : 0;
}

int64_t *columns_to_plot(const run *r, int64_t *count)
{
    const char   *given = r->o->plot_series;
    const int64_t all   = r->info.columns;
    const bool    whole = given && !strcmp(given, "all");
    name_list     names = {0};
    bool          good  = whole || list_cut(given, &names);
    *count              = whole ? all : names.count ? names.count : all < PLOTTED ? all : PLOTTED;
    int64_t *out        = good ? malloc((size_t)*count * sizeof *out) : NULL;
    if (good && !out) complain("no memory");
    for (int64_t i = 0; out && good && i < *count; i++) {
        out[i] = names.count ? find_target(r, names.name[i]) : choose(i, *count, all);
        if (out[i] == all) good = refuse_target(r, names.name[i]);
    }
    list_done(&names);
    if (good) return out;
    free(out);
    return NULL;
}

bool columns_failed(const run *r, const char *path, const fgt_table *table)
{
    char meant[NEAR_TEXT];
    return run_failed_with(r, path, columns_meant(r, table, meant));
}

bool columns_check_plot(const run *r)
{
    int64_t  count;
    int64_t *series = r->o->plot_series ? columns_to_plot(r, &count) : NULL;
    free(series);
    return !r->o->plot_series || series;
}
