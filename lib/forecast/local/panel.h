/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PANEL_H
#define FGTI_PANEL_H

/* The series that are forecast together, and a description of each. */

#include "forecast/local/units.h"

/* The features on which the weights of a series depend: a constant; the level and the change over a season,
 * both in units of the change from row to row; the trend and its size; and the number of rows. */
enum { FGTI_FEATURES = 6, FGTI_FEATURE_LEVEL = 1 };

/* A forecaster of the host, which is one more member. */
typedef struct fgti_host_model {
    /* Forecasts h rows of a series, in its scale. The row before them is the row that comes `back` rows
     * before the end. One thread calls this function. A status other than FGT_OK ends the whole call. */
    fgt_status (*forecast)(void *arg, int64_t series, int64_t back, double *f);
    void   *arg;
    int64_t rows; /* number of last rows of each series that the model has not learned from */
} fgti_host_model;

typedef struct fgti_panel {
    const fgti_rows *rows; /* [count], without gaps */
    int64_t          count, h;
    int64_t                period, longer; /* rows of the seasons, as in fgti_history */
    const fgti_host_model *model;          /* model of the host; NULL: no model */
    fgti_units       unit;
    bool                  *rare;           /* [count]: the series is rare (rare.h) */
    bool            *still;          /* [count]: all rows are equal */
    double          *feature;        /* [count,FGTI_FEATURES], standardised over the panel */
} fgti_panel;

/* rows is borrowed. Call fgti_panel_done() even after an error. FGT_E_NOMEM. */
fgt_status fgti_panel_new(fgt_context *ctx, const fgti_rows *rows, int64_t count, int64_t period,
                          int64_t longer, int64_t h, fgti_panel *panel);
/* Whether the errors of a series tell something about the other series. Constant series have no errors, and
 * rare series have errors of another kind. */
static inline bool fgti_panel_shows(const fgti_panel *panel, int64_t series)
{
    return !panel->rare[series] && !panel->still[series];
}
/* The unit of a series after its first n rows. */
double     fgti_panel_unit(const fgti_panel *panel, int64_t series, int64_t n);
void       fgti_panel_done(fgt_context *ctx, fgti_panel *panel);

#endif
