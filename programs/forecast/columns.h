/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_COLUMNS_H
#define PROGRAMS_FORECAST_COLUMNS_H

/* Roles and names of columns. */

#include "run.h"

#include "../common/near.h"

/* Names of columns. */
typedef struct name_list {
    char        *text; /* the names, one after another */
    const char **name; /* [count]; NULL if there are no names */
    int64_t      count;
} name_list;

/* The columns of each role: targets, past columns, known columns. Without --target all columns that have no
 * other role are targets. With --target they are past columns, unless --past names the past columns. */
typedef struct column_roles {
    name_list chosen, target, past, known;
} column_roles;

/* Columns that are read as categories. Their names come from --past and --known, or from the loaded model. */
typedef struct categories {
    name_list    past, known;
    const char **all, **apart;
} categories;

/* Adds the categories to csv; if `future` is set, only the known ones. Call categories_done() after the file
 * was read, even after an error. */
bool categories_find(const run *r, bool future, categories *c, fgt_csv_opts *csv);
void categories_done(categories *c);
/* Returns the numbers of the targets of --plot-series. Without this option there are up to three of all
 * targets. The caller frees the array. NULL after a message. */
int64_t *columns_to_plot(const run *r, int64_t *count);
/* Refuses a wrong name of --plot-series. */
bool columns_check_plot(const run *r);
/* Writes "; did you mean price?" if the command line has a name that is not in the table but similar to one
 * that is. Otherwise writes "". */
const char *columns_meant(const run *r, const fgt_table *table, char text[NEAR_TEXT]);
/* Prints the library's error, as run_failed() does, after a name of the command line was not found. Suggests
 * a similar column of this table. */
bool columns_failed(const run *r, const char *path, const fgt_table *table);
/* Finds the columns of each role. Call columns_done() even after an error. */
bool columns_find(const run *r, column_roles *c);
/* Refuses a list with a column that has no value in the training rows. */
bool columns_check_late(const run *r, const name_list *l);
/* Adds to the table the series of the model that it lacks. They have no values; a warning names them. *count
 * is their number. */
bool columns_add_absent(const run *r, const char *path, fgt_table *table, int64_t *count);
bool columns_is_absent(const run *r, int64_t target);
/* Warns of series that are left out and of columns that are not used. path is the path of the file; NULL:
 * there is only one file. */
void columns_warn(const run *r, const char *path);
void columns_done(column_roles *c);

#endif
