/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_COLUMNS_H
#define PROGRAMS_FORECAST_COLUMNS_H

/* Roles and names of columns. */

#include "run.h"

#include "../common/near.h"

/* Names of columns. */
typedef struct name_list {
    char        *text; /* the names, one after another */
    const char **name; /* [count], NULL for no name */
    int64_t      count;
} name_list;

/* Targets, past and known columns. Without --target all columns without another role are targets. With
 * --target the other columns are past columns, unless --past names these. */
typedef struct column_roles {
    name_list chosen, target, past, known;
} column_roles;

/* Columns that are read as categories: from --past and --known, or from the model of --load. */
typedef struct categories {
    name_list    past, known;
    const char **all, **apart;
} categories;

/* Adds the categories to csv; future: only the known ones. Call categories_done() after the file was read,
 * even after an error. */
bool categories_find(const run *r, bool future, categories *c, fgt_csv_opts *csv);
void categories_done(categories *c);
/* The targets of --plot-series, or up to three of all targets, which the caller frees. NULL after a
 * message. */
int64_t *columns_to_plot(const run *r, int64_t *count);
/* Refuses a wrong name of --plot-series. */
bool columns_check_plot(const run *r);
/* Writes "; did you mean price?" for a name of the command line that the table does not have, or nothing. */
const char *columns_meant(const run *r, const fgt_table *table, char text[NEAR_TEXT]);
/* run_failed() after a name of the command line was not found; suggests a similar column of this table. */
bool columns_failed(const run *r, const char *path, const fgt_table *table);
/* Call columns_done() even after an error. */
bool columns_find(const run *r, column_roles *c);
/* Refuses columns without a value in the training rows. */
bool columns_check_late(const run *r, const name_list *l);
/* Adds the series of the model that a table lacks to the table, without values, and names them. */
bool columns_add_absent(const run *r, const char *path, fgt_table *table, int64_t *count);
bool columns_is_absent(const run *r, int64_t target);
/* Names the series that are left out, and columns that are not used; path: of the file, NULL: there is only
 * one. */
void columns_warn(const run *r, const char *path);
void columns_done(column_roles *c);

#endif
