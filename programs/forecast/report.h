/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAMS_FORECAST_REPORT_H
#define PROGRAMS_FORECAST_REPORT_H

/* The parts of the report, each in a separate file. */

#include "forecast.h"

#include "../common/json_out.h"

/* ---- report.c ---- */

/* Prints the form and gaps of the rows, and changes that were made to them. */
void report_rows(const run *r, FILE *out);
/* Rows, errors, intervals; NULL: no memory. */
json_t *report_describe_errors(const run *r);

/* ---- report_settings.c ---- */

/* "settings", "data" and "build": the information that is needed to compare or repeat the run. false: no
 * memory, or a message was printed. */
bool report_set_settings(json_t *object, const run *r);

/* ---- certainty.c ---- */

void report_certainty(const run *r, FILE *out);
/* "intervals", "quantiles", "crps"; false: no memory. */
bool report_set_certainty(json_t *object, const run *r);

/* ---- report_auto.c ---- */

/* Print the head of the table of trials of --auto, and a line of it. */
void report_auto_head(FILE *out);
void report_auto_line(const tried *t, FILE *out);
/* "auto", with all trials; false: no memory. */
bool report_set_auto(json_t *object, const run *r);

/* ---- report_backtest.c ---- */

void report_backtest(const run *r, FILE *out);
/* "backtest", with all origins; false: no memory. */
bool report_set_backtest(json_t *object, const run *r);

/* ---- report_scores.c ---- */

/* Prints a blank and a number, or a dash for NaN. */
void report_cell(FILE *out, int width, double v, int digits);
/* Prints one line of the table of errors; prints nothing if the MSE is NaN. */
void report_line(FILE *out, const char *name, const errors *e);
/* NULL: no memory. */
json_t *report_pack_errors(const errors *e);
/* Tables of errors: for model and baselines, by series, by step. */
void report_scores(const run *r, FILE *out);
/* NAME_mse, NAME_mae and so on; false: no memory. */
bool report_set_errors(json_t *object, const char *name, const errors *e);
/* All series and all steps; false: no memory. */
bool report_set_scores(json_t *object, const run *r);

/* ---- report_layers.c ---- */

/* "fighter_layers": shares of hops and importance of tokens in the last test window. false: no memory. */
bool report_set_layers(json_t *object, const run *r);

/* ---- pretrain.c ---- */

void report_masked(const run *r, FILE *out);
bool report_set_masked(json_t *all, const run *r);

/* ---- blend_report.c ---- */

/* "members" and "blend"; without a blend does nothing. false: no memory. */
bool blend_report(const run *r, json_t *all);

#endif
