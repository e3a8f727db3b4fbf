/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_SEARCH_H
#define FGTI_SEARCH_H

/* The parts of the search for a forecaster: the list of candidates, trials, and measurements. */

#include <fighter/experimental/search.h>

#include "forecast/fit/closed_forms.h"

/* Most linear parts, and all rows of the table in search_list.c. */
enum { FGTI_CANDIDATES = 24 };

/* Most members of a mean: each further one helps less, and makes forecasts slower. */
enum { FGTI_MEMBERS = 4 };

/* A forecaster in memory, as a file. */
typedef struct fgti_kept {
    void   *file; /* NULL: none */
    int64_t bytes;
    double  loss; /* infinite without a file */
} fgti_kept;

typedef struct fgti_candidate {
    fgt_forecaster_opts     make;
    fgt_forecaster_fit_opts fit;
    bool                    can_win, is_map; /* it can be the result; it is only a map in closed form */
    int64_t                 rung, epochs;
    double                  seconds, training; /* all seconds; seconds of training */
    fgti_kept               kept;              /* the file with the least loss */
} fgti_candidate;

typedef struct fgti_search {
    fgt_context            *ctx;
    const fgt_table        *table;
    const fgt_split        *split;
    fgt_search_opts         o;
    fgt_forecaster_opts     base;
    fgt_forecaster_fit_opts fit;
    fgt_loss_opts           loss;         /* for the comparison of candidates */
    int64_t                 inputs;       /* D */
    int64_t                 look_back;    /* the shortest: a target must have a value in these rows */
    bool                    linear;       /* there are maps in closed form */
    int64_t                 windows;      /* of validation */
    float                  *losses, *map; /* [windows]: of the last one measured, of the best map */
    double                  map_loss;     /* infinite: no map */
    int64_t                 best_map;
    fgti_closed_forms       forms;
    fgti_candidate          candidate[FGTI_CANDIDATES];
    int64_t                 count;     /* candidates tried, the first ones of the list */
    int64_t                 listed;    /* count or more */
    fgti_kept               result;    /* the best one that can be the result */
    double                  sure_gain; /* of the result over the best map; -infinite: no result yet */
    double                  start;
    double                  measuring; /* seconds of the last measurement */
    bool                    cut;       /* the budget ended the running training */
    fgt_search_report       report;
} fgti_search;

/* ---- search_list.c ---- */

/* Adds the linear part that `base` leads to. */
void fgti_search_list_first(fgti_search *s);
/* Adds linear parts with other look-backs than the first candidate, which is the default. */
void fgti_search_list_linear(fgti_search *s);
/* Adds the best linear part without the calendar, if it has one that is not fixed. */
void fgti_search_list_calendar(fgti_search *s);
/* Adds candidates with layers, for the look-back and the calendar of `like`. */
void fgti_search_list_layers(fgti_search *s, const fgti_candidate *like);

/* ---- search_measure.c ---- */

/* A candidate's result on the validation rows, compared with the best map in closed form. */
typedef struct fgti_score_of {
    double loss;
    double gain, error; /* loss of the best map minus its loss, and the standard error; NaN: no map */
} fgti_score_of;

fgt_status fgti_search_measure(fgti_search *s, fgt_forecaster *f, fgti_score_of *score);
/* Makes the candidate that was measured last, a map in closed form, the one that others are compared with. */
void fgti_search_set_map(fgti_search *s, int64_t candidate, double loss);

/* ---- search_trial.c ---- */

/* Share of the budget spent so far; 1 or more: all. */
double fgti_search_spent(const fgti_search *s);
/* Whether the search ends: the budget is spent, or a callback said so. */
bool fgti_search_is_over(fgti_search *s);
/* Makes the candidate, or loads its file, trains it for `epochs` epochs, or as many as the budget allows,
 * measures it, keeps it if it is better than its file, and tells the host. */
fgt_status fgti_search_try(fgti_search *s, int64_t candidate, int64_t epochs);
/* Measures the mean of candidates that have files, keeps it if it is better than all of them, and tells the
 * host. */
fgt_status fgti_search_try_mean(fgti_search *s, const int64_t *members, int64_t count);

#endif
