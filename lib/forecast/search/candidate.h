/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_CANDIDATE_H
#define FGTI_CANDIDATE_H

/* The parts of the search for a forecaster: the list of candidates, trials, and measurements. */

#include <fighter/experimental/search.h>

#include "forecast/build/closed_forms.h"

/* The most candidates: all linear parts that are possible, and all rows of the table in search_list.c. */
enum { FGTI_CANDIDATES = 24 };

/* The most members of a mean. Each further member helps less, and makes forecasts slower. */
enum { FGTI_MEMBERS = 4 };

/* A forecaster that is stored in memory as a file. */
typedef struct fgti_stored_forecaster {
    void   *file; /* NULL: there is no file */
    int64_t bytes;
    double  loss; /* infinite without a file */
} fgti_stored_forecaster;

typedef struct fgti_candidate {
    fgt_forecaster_opts     make;
    fgt_forecaster_fit_opts fit;
    bool                    can_win, is_map; /* it can be the result; it is only a map in closed form */
    int64_t                 rung, epochs;
    double                  seconds, training; /* seconds of all work, and seconds of training */
    fgti_stored_forecaster  kept;              /* the file with the least loss */
} fgti_candidate;

typedef struct fgti_search {
    fgt_context            *ctx;
    const fgt_table        *table;
    const fgt_split        *split;
    fgt_search_opts         o;
    fgt_forecaster_opts     base;
    fgt_forecaster_fit_opts fit;
    fgt_loss_opts           loss;         /* loss by which candidates are compared */
    int64_t                 inputs;       /* D */
    int64_t                 look_back;    /* the shortest one: a target must have a value in these rows */
    bool                    linear;       /* there are maps in closed form */
    int64_t                 windows;      /* number of validation windows */
    float                  *losses, *map; /* [windows]: of the last candidate measured; of the best map */
    double                  map_loss;     /* loss of the best map; infinite: there is no map */
    int64_t                 best_map;
    fgti_closed_forms       forms;
    fgti_candidate          candidate[FGTI_CANDIDATES];
    int64_t                 count;     /* number of candidates tried so far, the first ones of the list */
    int64_t                 listed;    /* number of candidates in the list, at least `count` */
    fgti_stored_forecaster  result;    /* the best forecaster so far that can be the result */
    double                  sure_gain; /* least gain of `result` over the best map; -infinite: no result
                                        * yet */
    double                  start;
    double                  measuring; /* seconds of the last measurement */
    bool                    cut;       /* the budget ended the running training */
    fgt_search_report       report;
} fgti_search;

/* A candidate's result on the validation rows, compared with the best map in closed form. */
typedef struct fgti_score_of {
    double loss;
    double gain, error; /* loss of the best map minus `loss`; its standard error; NaN: there is no map */
} fgti_score_of;

#endif
