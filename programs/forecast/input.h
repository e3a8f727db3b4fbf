/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_INPUT_H
#define PROGRAMS_FORECAST_INPUT_H

/* The files that the program reads. */

#include "run.h"

/* Reads the files of --data. */
bool input_load(run *r);
/* The columns that --long named in the training, in its notation; false: the model was not trained on a long
 * file. */
#define KEPT_TEXT 512
bool input_kept_form(const run *r, char text[KEPT_TEXT]);
/* Reads only one file of --data. On error prints a message and returns the status. */
fgt_status input_load_one(const run *r, const char *path, fgt_table **table);
/* Writes the files of --data as the table file of --convert. */
bool input_convert(run *r);
/* Reads the columns known in advance, from --future; NULL without it. input_load_future() also prints what it
 * filled. */
bool input_read_future(const run *r, fgt_table **future);
bool input_load_future(const run *r, fgt_table **future);
/* The static features of --static. */
bool input_load_features(run *r);
/* Reads the days of --holidays. A model of --load uses them if it was trained with holidays. */
bool input_load_holidays(run *r);
/* Warns if the forecast of `rows` rows after row `last` reaches beyond the last listed day. */
void input_warn_of_holidays(const run *r, int64_t last, int64_t rows);

#endif
