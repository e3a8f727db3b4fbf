/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_REPORT_H
#define FGTI_REPORT_H

/* Data of which a page is made. Letters: T tokens, n side of a picture, which is T or less. */

#include <fighter/report.h>

#include "core/context.h"
#include "core/opts.h"
#include "data/strings/list.h"

enum {
    FGTI_REPORT_SIDE       = 64, /* n, at most */
    FGTI_REPORT_HOPS       = 8,
    FGTI_REPORT_STATISTICS = 5,
    FGTI_REPORT_LEVELS     = 9, /* of a colour scale */
    FGTI_REPORT_CHARTS     = 24,
    FGTI_REPORT_CURVES     = 8,
    FGTI_REPORT_SHOWN      = 16,  /* windows, texts */
    FGTI_NAME_SHOWN        = 120, /* characters */
    FGTI_ABOUT_SHOWN       = 2000
};

/* Numbers that are farther from 0 are left out of pictures: differences of two of them stay finite. */
#define FGTI_REPORT_FAR 1e100

/* Names by their numbers. Different ones may be shown alike: what is too long is cut. */
typedef struct fgti_names {
    fgti_strings given, shown;
} fgti_names;

typedef struct fgti_subject {
    int64_t      name;                 /* number among the report's names */
    int64_t      tokens, side, merged; /* T, n, tokens in a square: n merged >= T */
    bool         nodes;                /* the tokens are nodes, which have no order */
    fgti_strings names;                /* [n], of the squares; equal ones have numbers */
    fgti_strings token;                /* [T] */
} fgti_subject;

/* A layer's matrices at an epoch. Plane 0 is the mean over the heads, if there are several; then come the
 * heads. A cell c stands for the weight most (c / 255)^2, `most` being the largest of its plane and hop. */
typedef struct fgti_frame_set {
    int64_t subject, layer, epoch, planes;                      /* layer: number among the report's layers */
    double statistic[FGTI_REPORT_STATISTICS][FGTI_REPORT_HOPS]; /* means over the heads; NaN: there is none */
    double  *most;                                              /* [planes,hops] */
    uint8_t *cell;                                              /* [planes,hops,n,n] */
} fgti_frame_set;

typedef struct fgti_chart_curve {
    int64_t name, count, capacity_x, capacity_y;
    double *x, *y;
} fgti_chart_curve;

typedef struct fgti_chart {
    int64_t          title, axis, about; /* about -1: none */
    bool             first;
    int64_t          curves;
    fgti_chart_curve curve[FGTI_REPORT_CURVES];
} fgti_chart;

typedef struct fgti_shown_window {
    int64_t  name, begin, from;  /* -1: none */
    int64_t  subject, token;     /* subject: a name; token: -1 none */
    int64_t  rows, steps, spans; /* L, H, T */
    int64_t  from_row;           /* of the table, with fgt_report_add_forecast(); 0: not known */
    int64_t  measure, about;     /* -1: none */
    int64_t  band;               /* -1: none */
    double  *value;              /* [L], then forecast [H], then truth [H], NaN where not known; with a band
                                    then low [H] and high [H] */
    int64_t *span;               /* [T,2]: first and last row */
    double  *row_value;          /* [L]; NULL: none */
    double  *token_value;        /* [n]; NULL: none */
} fgti_shown_window;

/* Shares of tokens in what a Fighter layer learns from. */
typedef struct fgti_shown_tokens {
    int64_t subject, layer; /* subject: a name; layer: number among the report's layers */
    double *share;          /* [n], of the squares; NULL: it cannot be computed */
} fgti_shown_tokens;

typedef struct fgti_shown_text {
    int64_t name, subject, count, measure; /* name, measure: -1 none; subject: a name; count: of words */
    double *value;                         /* [T]; NULL: none */
} fgti_shown_text;

struct fgt_report {
    fgt_context       *ctx;
    int64_t            hops;
    fgti_names         text; /* title, about, and whatever is named by a number above */
    fgti_names         layers;
    fgti_names         others; /* layers that are not shown: their tokens are not those of the page */
    fgti_strings       facts; /* as shown: names and values in turn */
    int64_t            subjects, subject_capacity;
    fgti_subject      *subject;
    int64_t            sets, set_capacity;
    fgti_frame_set    *set;
    int64_t            charts;
    fgti_chart        *chart; /* [FGTI_REPORT_CHARTS], NULL: none yet */
    int64_t            windows, texts;
    fgti_shown_window *window; /* [FGTI_REPORT_SHOWN], NULL: none yet */
    fgti_shown_text   *shown;  /* the same */
    int64_t            importances, importance_capacity;
    fgti_shown_tokens *importance;
};

/* The texts that every report has. */
enum { FGTI_TEXT_TITLE, FGTI_TEXT_ABOUT, FGTI_TEXT_NONE };

/* ---- report_names.c ---- */

/* Adds a name to a list as it can be shown: UTF-8 without control characters, at most `most` characters. */
fgt_status fgti_shown_add(fgt_context *ctx, fgti_strings *list, const char *name, int64_t most);
/* The same to both lists. */
fgt_status fgti_names_add(fgt_context *ctx, fgti_names *list, const char *name, int64_t most);
/* Takes back what was added since. */
void fgti_names_restore(fgti_names *list, const fgti_names *was);
void fgti_names_done(fgt_context *ctx, fgti_names *list);
/* A name that the report has or gets: *number. NULL: -1. */
fgt_status fgti_report_name(fgt_report *r, fgti_names *list, const char *name, int64_t most, int64_t *number);

/* Whether the name of this number is `name`; NULL is that of the only subject. */
bool fgti_report_is_subject(const fgt_report *r, int64_t number, const char *name);

/* ---- report_model.c ---- */

/* T of the first layer that attends along time; 0: there is none. */
int64_t fgti_report_count_tokens(const fgt_model *m);

/* ---- report_shown.c ---- */

/* Frees what a window has. */
void fgti_shown_window_done(fgt_context *ctx, fgti_shown_window *w);

/* ---- report_matrix.c ---- */

/* Statistics that are computed of each matrix: fgt_statistic. */
extern const int32_t fgti_report_statistics[FGTI_REPORT_STATISTICS];

/* The subject of a name with T tokens, which is new if need be: *number. */
fgt_status fgti_report_subject(fgt_report *r, int64_t name, int64_t tokens, const char *const *names,
                               int64_t *number);
void       fgti_subject_done(fgt_context *ctx, fgti_subject *s);
/* The subject of a name; NULL: there is none. */
fgti_subject *fgti_report_find(const fgt_report *r, int64_t name);

#endif
