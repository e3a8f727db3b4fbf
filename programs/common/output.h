/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OUTPUT_H
#define OUTPUT_H

/* Files that are written completely or not at all, and their contents. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "numbers.h"

/* Checks that a file can be written to this path, as far as this can be known in advance. */
bool output_check(const char *path);
/* Checks that a folder can be created, or replaced, at this path. */
bool output_check_folder(const char *path);
/* Checks the file name of the page of --report. */
bool output_check_page(const char *path);
/* Whether two paths lead to the same file. The file need not exist yet. */
bool output_is_same(const char *a, const char *b);
/* Checks that a file to be written is not one of the inputs. An input that was not given is NULL. */
bool output_spares(const char *path, const char *const *inputs, int64_t count);
/* Checks that no file of `outputs` is one of the inputs, except that the output `except` may replace an
 * input. `except` may be NULL. */
bool outputs_spare(const char *const *outputs, int64_t output_count, const char *except,
                   const char *const *inputs, int64_t input_count);
/* Checks that all files can be written, that no two of them are the same, and that none of them is an
 * input. */
bool outputs_check(const char *const *outputs, int64_t output_count, const char *const *inputs,
                   int64_t input_count);
/* A file that replaces another one when it is complete: it is written under a temporary name, synced and
 * renamed. On error the functions print a message and return false. */
typedef struct output {
    const char *path;
    char       *temp;
    FILE       *file; /* NULL: not open */
} output;

bool output_open(output *o, const char *path);
/* Closes the output. If `keep` is true the new file takes its name; if not, the old file stays as it was.
 * Does nothing if the output is not open. */
bool output_close(output *o, bool keep);
/* Opens a file, writes these bytes and closes it. */
bool output_write(const char *path, const void *bytes, size_t size);
/* Sets whether --decimal-comma was given: numbers are then written as 3,14, and cells are separated by
 * semicolons. */
void output_decimal_comma(bool comma);
/* Writes the separator of two cells: a comma, or a semicolon with --decimal-comma. */
void output_separate(FILE *out);
/* Writes the cells of a text such as "a,b,c", whose names need no quotes. */
void output_names(FILE *out, const char *names);
/* output_number() writes a double, output_float() a float; NaN becomes an empty cell. */
void output_number(FILE *out, double v);
void output_float(FILE *out, float v);
/* Writes a text as a cell of a CSV file, in quotes if it needs them. */
void output_cell(FILE *out, const char *text);
/* With --escape-formulas an apostrophe is written before a text that a spreadsheet would take for a
 * formula. */
#define ESCAPE_FORMULAS_HELP \
    "texts in CSV files that begin with =, +, - or @, which a spreadsheet\n" \
    "would compute, get an apostrophe before them"
void output_escape_formulas(bool escape);

#endif
