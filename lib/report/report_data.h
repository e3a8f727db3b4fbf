/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_REPORT_DATA_H
#define FGTI_REPORT_DATA_H

/* The data of a page. Letters: T is the number of tokens, and n the number of squares along a side of a
 * picture, at most T. */

#include <fighter/experimental/report.h>

#include "core/context.h"
#include "core/opts.h"
#include "report/sheet.h"

enum {
    FGTI_REPORT_SIDE       = 64, /* largest n */
    FGTI_REPORT_HOPS       = 8,
    FGTI_REPORT_STATISTICS = 5,
    FGTI_REPORT_CHARTS     = 24,
    FGTI_REPORT_CURVES     = 8,
    FGTI_REPORT_SHOWN      = 16 /* the most windows, and the most texts */
};

typedef struct fgti_subject {
    int64_t      name;                 /* number of the name among the report's names */
    int64_t      tokens, side, merged; /* T; n; number of tokens in a square, so that n merged >= T */
    bool         nodes;                /* the tokens are nodes, which have no order */
    fgti_strings names;                /* [n]: names of the squares; equal names get numbers */
    fgti_strings token;                /* [T], names of the tokens */
} fgti_subject;

/* The matrices of a layer in an epoch. With several heads, plane 0 is the mean of the heads, and the planes
 * of the heads follow. With one head there is one plane. A cell with value c stands for the weight most (c /
 * 255)^2, where `most` is the largest weight of the cell's plane and hop. */
typedef struct fgti_frame_set {
    int64_t  subject, layer, epoch, planes; /* layer: number among the report's layers */
    double   statistic[FGTI_REPORT_STATISTICS][FGTI_REPORT_HOPS]; /* means over the heads; NaN: not known */
    double  *most;                                                /* [planes,hops] */
    uint8_t *cell;                                                /* [planes,hops,n,n] */
} fgti_frame_set;

typedef struct fgti_chart_curve {
    int64_t name, count, capacity;
    double *x, *y;
} fgti_chart_curve;

typedef struct fgti_chart {
    int64_t          title, axis, about; /* numbers of the names; about is -1 if it is not given */
    bool             first;
    int64_t          curves;
    fgti_chart_curve curve[FGTI_REPORT_CURVES];
} fgti_chart;

typedef enum fgti_figure_kind {
    FGTI_FIGURE_WINDOW,
    FGTI_FIGURE_TEXT,
    FGTI_FIGURE_IMPORTANCE,
    FGTI_FIGURE_KINDS
} fgti_figure_kind;

/* A picture of the page. Its text is written when the picture is added. The text of its data is in two parts,
 * because the number of the subject stands between them and is known only when the page is written. */
typedef struct fgti_figure {
    int64_t     subject;     /* number of the name of the subject */
    int64_t     layer;       /* for an importance: number of the layer among the report's layers */
    int64_t     from_row;    /* for a window from fgt_report_add_forecast(): row of the table; 0: not known */
    bool        unordered;   /* the tokens of its subject have no order */
    fgti_sheets begin, rest; /* begin has no tables */
} fgti_figure;

typedef struct fgti_figures {
    int64_t      count, capacity;
    fgti_figure *item;
} fgti_figures;

struct fgt_report {
    fgt_context    *ctx;
    int64_t         hops;
    fgti_strings    names; /* title, about, and each name that has a number above, as the host gave it */
    fgti_strings    layers;
    fgti_strings    others; /* layers that are not shown, because they have other tokens than the page */
    fgti_strings    facts;  /* name, value, name, value ... */
    int64_t         subjects, subject_capacity;
    fgti_subject   *subject;
    int64_t         sets, set_capacity;
    fgti_frame_set *set;
    int64_t         charts;
    fgti_chart     *chart; /* [FGTI_REPORT_CHARTS]; NULL: no chart yet */
    fgti_figures    figures[FGTI_FIGURE_KINDS];
};

/* A page that is being written. */
typedef struct fgti_page {
    const fgt_report *r;
    fgti_sheets       sheets;
    int64_t           every;  /* only epochs that are a multiple of this number are kept */
    int64_t           layers; /* number of layers that are kept */
} fgti_page;

/* ---- report.c ---- */

/* Copies the options of a call as fgti_opts_read() does, and refuses required options that are NULL. what:
 * the name of the struct without "fgt_report_". */
fgt_status fgti_report_read(fgt_report *r, const char *what, bool required, const void *opts, void *out,
                            size_t size);
/* *number gets the number of a name in a list; a new name is added to the list. name NULL: *number becomes
 * -1. */
fgt_status fgti_report_name(fgt_report *r, fgti_strings *list, const char *name, int64_t *number);
/* Returns name number i of the report. i -1: NULL. */
const char *fgti_report_get_name(const fgt_report *r, int64_t i);
/* Checks that all elements of a view lie in 0 .. most. what: the view's name in the error text. */
fgt_status fgti_report_check(fgti_error *err, const char *what, const fgt_view *v, double most);
/* Begins a figure. Writes the number that the figure will have among the figures of its kind. */
fgt_status fgti_figure_begin(fgt_report *r, const char *subject, fgti_figure *f);
/* Adds a figure. The report takes the figure, also on error. */
fgt_status fgti_figure_add(fgt_report *r, fgti_figure_kind kind, fgti_figure *f);
void       fgti_figure_done(fgti_figure *f);
void       fgti_subject_done(fgt_context *ctx, fgti_subject *s);

/* ---- report_matrix.c ---- */

/* The statistics that are computed for each matrix. Each is an fgt_statistic. */
extern const int32_t fgti_report_statistics[FGTI_REPORT_STATISTICS];
/* *number gets the number of the subject with this name and T tokens; a new subject is added. */
fgt_status fgti_subject_add(fgt_report *r, const char *name, int64_t tokens, const char *const *names,
                            int64_t *number);
/* Returns the number of a subject; -1: there is no such subject. name NULL: the report must have only one
 * subject. */
int64_t fgti_subject_find(const fgt_report *r, const char *name);

/* ---- report_pass.c ---- */

/* Returns T of the first layer with attention along time; 0: the model has no such layer. */
int64_t fgti_report_count_tokens(const fgt_model *m);
/* Adds the importance of the tokens in the model's last pass. This is done for each Fighter layer with two
 * hops or more whose matrices these passes have added. dy: as in fgt_importance_compute(). */
fgt_status fgti_report_importance(fgt_report *r, fgt_model *model, const fgt_view *dy,
                                  const fgt_report_pass *pass, int64_t passes);

/* ---- report_forecast.c ---- */

/* Computes the sensitivity (report.h) of target c in the window of the forecaster's last forecast: by_row [L]
 * and by_series [D]. */
fgt_status fgti_report_sensitivity(const fgt_forecaster *f, int64_t c, double *by_row, double *by_series);

/* ---- report_chart.c ---- */

/* Writes the curves of the host, and the statistics of the matrices by epoch and by power of A. */
void fgti_page_charts(fgti_page *p);

#endif
