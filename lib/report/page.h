/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_PAGE_H
#define FGTI_PAGE_H

/* Writes a report as HTML. Each function adds text to a page. The first error stays in page.status, and after
 * it the functions write nothing. */

#include "core/text.h"
#include "report/report.h"

typedef struct fgti_page {
    const fgt_report *r;
    fgti_text         text;
    fgt_status        status;
    int64_t           pictures; /* number of pictures so far; it makes their ids */
    int64_t           every;    /* epochs that are a multiple of this are kept */
    int64_t           layers;   /* number of layers that are kept */
} fgti_page;

/* The choice that is shown before the reader chooses. */
typedef struct fgti_choice {
    const fgti_subject   *subject;
    const fgti_frame_set *set;
    int64_t               plane, hop;
} fgti_choice;

/* ---- page_put.c ---- */

/* Writes a format with these letters after %: s a text, escaped for HTML; r a text as it is; d an int64_t; f
 * a double with one decimal, for places in pictures; g a double with three digits. The arguments must have
 * exactly these types. */
void fgti_put(fgti_page *p, const char *format, ...);
/* Writes a string of JSON that may be inside a script element. */
void fgti_put_json(fgti_page *p, const char *text);
/* Writes bytes in base64. */
void fgti_put_base64(fgti_page *p, const uint8_t *bytes, int64_t count);
/* Text number i of the report; -1: "". */
const char *fgti_page_text(const fgti_page *p, int64_t i);

/* Writes the first characters of a text, escaped; an ellipsis stands for the rest. */
void fgti_put_start(fgti_page *p, const char *text, int64_t characters);

/* ---- page_axis.c ---- */

/* The place of numbers in a picture: low is at `from`, high is at `to`. */
typedef struct fgti_axis_range {
    double low, high, from, to;
    double first, step; /* round numbers between low and high */
} fgti_axis_range;

/* Widens a range until it holds all finite values of the array. Start with fgti_range_none. */
extern const fgti_axis_range fgti_range_none;
void                         fgti_range_widen(fgti_axis_range *a, const double *value, int64_t count);
/* Sets from and to, and chooses about `marks` round numbers. */
void   fgti_range_place(fgti_axis_range *a, int64_t marks, double from, double to);
double fgti_range_at(const fgti_axis_range *a, double value);
/* Writes the commands of a line through the points (x[i], y[i]). x NULL: x is first, first + 1 ... The line
 * has a gap where y is not finite. If there are many points, some are left out. */
void fgti_put_line(fgti_page *p, const fgti_axis_range *h, const fgti_axis_range *v, const double *x,
                   int64_t first, const double *y, int64_t count);
/* Writes the corners of the area between two rows of points, low and high, at x = first, first + 1 ... A
 * point where low or high is not finite is left out. */
void fgti_put_area(fgti_page *p, const fgti_axis_range *h, const fgti_axis_range *v, int64_t first,
                   const double *low, const double *high, int64_t count);
/* Writes horizontal lines with their numbers, from x to `right`. */
void fgti_put_grid(fgti_page *p, const fgti_axis_range *v, double x, double right);

/* ---- page_weights.c ---- */

/* The colours stand for the weights from base to most. If all weights are nearly equal, base is below the
 * least weight, so that small differences do not look large. */
typedef struct fgti_scale {
    double base, most;
} fgti_scale;
fgti_scale fgti_scale_of(const double *weight, int64_t count);
/* The level of a weight, 0 .. FGTI_REPORT_LEVELS - 1. */
int64_t fgti_level(double weight, fgti_scale scale);

/* The weight of a square. */
double fgti_weight(const fgti_page *p, const fgti_choice *c, int64_t row, int64_t column);
/* The weights of all squares, [n,n]. */
void fgti_weights(const fgti_page *p, const fgti_choice *c, double *weight);
/* The attention that each token of a subject gets, [n], in one row; row -1: the mean over all rows. */
fgti_scale fgti_received(const fgti_page *p, const fgti_choice *c, int64_t row,
                         double weight[FGTI_REPORT_SIDE]);
/* The strongest weights outside the diagonal, strongest first, at most k. Returns their number. */
int64_t fgti_strongest(const fgti_page *p, const fgti_choice *c, int64_t k, fgt_edge *edges);
/* Finds the matrices of a subject that the reader sees first; false: the subject has no matrices. */
bool fgti_choose(const fgti_page *p, int64_t subject_name, fgti_choice *c);

/* ---- page_measure.c ---- */

/* Writes the first `count` names, each coloured by its number in value. measure: the number of the text that
 * says what these numbers are. */
void fgti_page_measure(fgti_page *p, int64_t measure, const fgti_strings *names, const double *value,
                       int64_t count, const char *class_);
/* The same without a heading. */
void fgti_page_colours(fgti_page *p, const fgti_strings *names, const double *value, int64_t count,
                       const char *class_);
/* Draws a window's row_value as bars between two heights. */
void fgti_page_bars(fgti_page *p, const fgti_shown_window *w, const fgti_axis_range *h, double top,
                    double bottom);
/* Writes a window's values as tables; s: the subject of token_value. */
void fgti_page_measure_tables(fgti_page *p, const fgti_shown_window *w, const fgti_subject *s);

/* ---- parts of the page ---- */

void fgti_page_windows(fgti_page *p);                   /* page_windows.c */
void fgti_page_texts(fgti_page *p);                     /* page_texts.c */
void fgti_page_importance(fgti_page *p);                /* page_importance.c */
void fgti_page_map(fgti_page *p, const fgti_choice *c); /* page_map.c */
void fgti_page_small_maps(fgti_page *p, const fgti_choice *c);
void fgti_page_legend(fgti_page *p, const fgti_choice *c);
void fgti_page_graph(fgti_page *p, const fgti_choice *c); /* page_graph.c */
void fgti_page_edges(fgti_page *p, const fgti_choice *c);
/* page_charts.c */
void fgti_page_first_charts(fgti_page *p);
void fgti_page_charts(fgti_page *p);
/* Charts over epochs, or over powers. page_statistics.c */
void fgti_page_statistics(fgti_page *p, bool by_epoch);

/* A chart as it is drawn. */
typedef struct fgti_drawn_curve {
    const char   *name;
    int64_t       count;
    const double *x, *y; /* [count] */
} fgti_drawn_curve;

typedef struct fgti_drawn_chart {
    const char      *title, *axis, *about; /* about "": not given */
    int64_t          curves;
    fgti_drawn_curve curve[FGTI_REPORT_CURVES];
} fgti_drawn_chart;

void fgti_page_chart(fgti_page *p, const fgti_drawn_chart *c);
/* ---- page_data.c ---- */

/* Leaves out epochs, and then layers, until the page is small enough. */
void fgti_page_fit(fgti_page *p);
/* Writes the data that the script reads. */
void fgti_page_data(fgti_page *p);

#endif
