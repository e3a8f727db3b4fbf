/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_REPORT_DATA_H
#define FGTI_REPORT_DATA_H

/* The data of a page. Letters: T tokens; n side of a picture, at most T. */

#include <fighter/experimental/report.h>

#include "core/context.h"
#include "core/opts.h"
#include "core/strings/list.h"

enum {
    FGTI_REPORT_SIDE       = 64, /* largest n */
    FGTI_REPORT_HOPS       = 8,
    FGTI_REPORT_STATISTICS = 5,
    FGTI_REPORT_CHARTS     = 24,
    FGTI_REPORT_CURVES     = 8,
    FGTI_REPORT_SHOWN      = 16,  /* most windows; most texts */
    FGTI_NAME_SHOWN        = 120, /* most characters of a name */
    FGTI_ABOUT_SHOWN       = 2000
};

/* Numbers farther from 0 are left out of pictures, so that the difference of any two numbers stays finite. */
#define FGTI_REPORT_FAR 1e100

/* A list of names, as given and as shown. Long names are cut, so two different names may be shown alike. */
typedef struct fgti_names {
    fgti_strings given, shown;
} fgti_names;

typedef struct fgti_subject {
    int64_t      name;                 /* number among the report's names */
    int64_t      tokens, side, merged; /* T, n, tokens in a square: n merged >= T */
    bool         nodes;                /* the tokens are nodes, which have no order */
    fgti_strings names;                /* [n], names of the squares; equal names are numbered */
    fgti_strings token;                /* [T], names of the tokens */
} fgti_subject;

/* A layer's matrices in an epoch. With several heads plane 0 is their mean, and a plane of each head follows.
 * With one head there is one plane. A cell c stands for the weight most (c / 255)^2, where `most` is the
 * largest weight of its plane and hop. */
typedef struct fgti_frame_set {
    int64_t subject, layer, epoch, planes;                      /* layer: number among the report's layers */
    double   statistic[FGTI_REPORT_STATISTICS][FGTI_REPORT_HOPS]; /* means over the heads; NaN: not known */
    double  *most;                                              /* [planes,hops] */
    uint8_t *cell;                                              /* [planes,hops,n,n] */
} fgti_frame_set;

typedef struct fgti_chart_curve {
    int64_t name, count, capacity_x, capacity_y;
    double *x, *y;
} fgti_chart_curve;

typedef struct fgti_chart {
    int64_t          title, axis, about; /* about -1: not given */
    bool             first;
    int64_t          curves;
    fgti_chart_curve curve[FGTI_REPORT_CURVES];
} fgti_chart;

typedef struct fgti_shown_window {
    int64_t  name, begin, from;  /* numbers of texts; -1: not given */
    int64_t  subject, token;     /* subject: number of a name; token -1: not given */
    int64_t  rows, steps, spans; /* L, H, T */
    int64_t  from_row;           /* row of the table, with fgt_report_add_forecast(); 0: not known */
    int64_t  measure, about;     /* numbers of texts; -1: not given */
    int64_t  band;               /* number of a text; -1: not given */
    double  *value;              /* [L], then forecast [H], then truth [H], NaN where not known; with a band
                                    then low [H] and high [H] */
    int64_t *span;               /* [T,2]: first and last row of each token */
    double  *row_value;          /* [L]; NULL: not given */
    double  *token_value;        /* [n]; NULL: not given */
} fgti_shown_window;

/* The importance of each token in a Fighter layer (fgt_importance_compute()), as a share of their sum. */
typedef struct fgti_shown_tokens {
    int64_t subject, layer; /* subject: number of a name; layer: number among the report's layers */
    double *share;          /* [n], one of each square; NULL: it cannot be computed */
} fgti_shown_tokens;

typedef struct fgti_shown_text {
    int64_t name, subject, count, measure; /* numbers of texts; name, measure -1: not given; count: of
                                              words */
    double *value;                         /* [T]; NULL: not given */
} fgti_shown_text;

struct fgt_report {
    fgt_context       *ctx;
    int64_t            hops;
    fgti_names         text; /* all texts of the report: title, about, and each text numbered above */
    fgti_names         layers;
    fgti_names         others; /* layers that are not shown, because their tokens are not the page's tokens */
    fgti_strings       facts; /* as shown: name, value, name, value ... */
    int64_t            subjects, subject_capacity;
    fgti_subject      *subject;
    int64_t            sets, set_capacity;
    fgti_frame_set    *set;
    int64_t            charts;
    fgti_chart        *chart; /* [FGTI_REPORT_CHARTS]; NULL: no chart yet */
    int64_t            windows, texts;
    fgti_shown_window *window; /* [FGTI_REPORT_SHOWN]; NULL: no window yet */
    fgti_shown_text   *shown;  /* [FGTI_REPORT_SHOWN]; NULL: no text yet */
    int64_t            importances, importance_capacity;
    fgti_shown_tokens *importance;
};

/* The texts that every report has. */
enum { FGTI_TEXT_TITLE, FGTI_TEXT_ABOUT, FGTI_TEXT_NONE };

#endif
