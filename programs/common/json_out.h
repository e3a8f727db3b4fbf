/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef JSON_OUT_H
#define JSON_OUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "command_line.h"

/* A JSON number; null if v is NaN. */
json_t *json_out_real(double v);
/* The float v rounded to 7 digits. The result is the decimal number that v was read from, such as 0.1. */
double json_out_round(float v);
/* The name of a file, or a label from a file, as a JSON string. Bytes that are not UTF-8 become '?', because
 * JSON cannot hold them. NULL: no memory. */
json_t *json_out_text(const char *text);
/* An object with the values of a program's options by their names; null: the option was not given. Options of
 * kind OWN and above are left out. NULL: no memory. */
json_t *json_out_options(const command *c, const void *base);
/* Writes the object and frees it. `all` may be NULL if there was no memory for the object. On error prints a
 * message and returns false. */
bool json_out_print(json_t *all, FILE *out);

#endif
