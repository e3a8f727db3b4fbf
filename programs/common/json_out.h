/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef JSON_OUT_H
#define JSON_OUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "command_line.h"

/* null if v is NaN */
json_t *json_out_real(double v);
/* The decimal number that a float was read from, such as 0.1. */
double json_out_round(float v);
/* The name of a file, or a label in one; bytes that are not UTF-8 become '?', because JSON cannot hold them.
 * NULL: no memory. */
json_t *json_out_text(const char *text);
/* The options of a program, by their names; null: not given. Options that a group reads itself are left out.
 * NULL: no memory. */
json_t *json_out_options(const command *c, const void *base);
/* Writes the object and frees it; NULL: there was no memory for it. On error prints a message and returns
 * false. */
bool json_out_print(json_t *all, FILE *out);

#endif
