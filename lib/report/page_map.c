/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices as maps of squares. page.js has the same drawing of the large map for other choices. */
#include "core/size.h"
#include "report/page.h"

#define EDGE    116.0 /* space for names, left of the map and above it */
#define SQUARE  320.0 /* side of the map */
#define ROOM    40.0  /* space on the right, for the slanted names */
#define NAMES   22    /* most names at an edge */
#define LETTERS 15    /* most letters of a name */
#define SMALL   24    /* most squares at the side of a small map */
#define MAPS    32    /* most small maps */

/* Draws the squares [n,n] of a map. Neighbours in a row with the same level become one shape. */
static void put_squares(fgti_page *p, const double *weight, int64_t n, fgti_scale scale)
{
    fgti_put(p, "<path class='q0' d='M0 0h%dv%dh-%dz'/>", n, n, n);
    for (int64_t level = 1; level < FGTI_REPORT_LEVELS; level++) {
        fgti_put(p, "<path class='q%d' d='", level);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0, end; j < n; j = end) {
                end = j + 1;
                if (fgti_level(weight[i * n + j], scale) != level) continue;
                while (end < n && fgti_level(weight[i * n + end], scale) == level) end++;
                fgti_put(p, "M%d %dh%dv1h-%dz", j, i, end - j, end - j);
            }
        fgti_put(p, "'/>");
    }
}

static void put_names(fgti_page *p, const fgti_subject *s)
{
    const int64_t every = fgti_parts(s->side, NAMES);
    const double  size  = SQUARE / (double)s->side;
    for (int64_t i = 0; i < s->side; i += every) {
        const double at = EDGE + size * ((double)i + 0.5);
        fgti_put(p, "<text class='row' x='%f' y='%f'>", EDGE - 6, at + 4);
        fgti_put_start(p, fgti_strings_get(&s->names, i), LETTERS);
        fgti_put(p, "</text><text class='column' transform='translate(%f %f) rotate(-60)'>", at + 3,
                 EDGE - 6);
        fgti_put_start(p, fgti_strings_get(&s->names, i), LETTERS);
        fgti_put(p, "</text>");
    }
}

void fgti_page_map(fgti_page *p, const fgti_choice *c)
{
    const int64_t n = c->subject->side;
    double        weight[FGTI_REPORT_SIDE * FGTI_REPORT_SIDE];
    fgti_weights(p, c, weight);
    fgti_put(p,
             "<svg id='map' viewBox='0 0 %f %f' role='img' aria-labelledby='map-title'>"
             "<title id='map-title'>A square for each pair of tokens. The rows read, the columns are read."
             "</title><g class='names'>",
             EDGE + SQUARE + ROOM, EDGE + SQUARE + 2);
    put_names(p, c->subject);
    fgti_put(p, "</g><g class='squares' transform='translate(%f %f) scale(%g)'>", EDGE, EDGE,
             SQUARE / (double)n);
    put_squares(p, weight, n, fgti_scale_of(weight, n * n));
    fgti_put(p, "</g></svg>");
}

void fgti_page_legend(fgti_page *p, const fgti_choice *c)
{
    const int64_t n = c->subject->side;
    double        weight[FGTI_REPORT_SIDE * FGTI_REPORT_SIDE];
    fgti_weights(p, c, weight);
    const fgti_scale scale = fgti_scale_of(weight, n * n);
    fgti_put(p, "<p class='legend'><span>weight</span> <span id='least'>%g</span> ", scale.base);
    for (int64_t i = 0; i < FGTI_REPORT_LEVELS; i++) fgti_put(p, "<i class='q%d'></i>", i);
    fgti_put(p, " <span id='most'>%g</span></p>", scale.most);
}

/* ---- small maps ---- */

/* Joins squares of a matrix: the mean over rows, the sum over columns. */
static fgti_scale shrink(const fgti_page *p, const fgti_choice *c, int64_t by, int64_t m, double *weight)
{
    const int64_t n = c->subject->side;
    for (int64_t i = 0; i < m * m; i++) weight[i] = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            weight[i / by * m + j / by] += fgti_weight(p, c, i, j) / (double)fgti_least(by, n - i / by * by);
    return fgti_scale_of(weight, m * m);
}

/* Writes a small map with a link to it in the large map. The link sets the slider to the last epoch, which
 * the small map shows: a number beyond the end of the slider becomes its end. */
static void put_small(fgti_page *p, const fgti_choice *c)
{
    const int64_t    by = fgti_parts(c->subject->side, SMALL), m = fgti_parts(c->subject->side, by);
    const int64_t    head = c->set->planes > 1 ? c->plane : 1;
    double           weight[SMALL * SMALL];
    const fgti_scale scale = shrink(p, c, by, m, weight);
    const char      *layer = fgti_strings_get(&p->r->layers.shown, c->set->layer);
    fgti_put(p,
             "<li><a href='#subject=%d&amp;layer=%d&amp;head=%d&amp;hop=%d&amp;epoch=%d'>"
             "<svg viewBox='0 0 %d %d' role='img' aria-label='layer %s, ",
             c->set->subject, c->set->layer, c->plane, c->hop + 1, p->r->sets, m, m, layer);
    if (c->plane || c->set->planes == 1)
        fgti_put(p, "head %d, power %d", head, c->hop + 1);
    else
        fgti_put(p, "mean of the heads, power %d", c->hop + 1);
    fgti_put(p, "'><g class='squares'>");
    put_squares(p, weight, m, scale);
    fgti_put(p, "</g></svg>");
    if (c->plane || c->set->planes == 1)
        fgti_put(p, "<span>head %d", head);
    else
        fgti_put(p, "<span>mean");
    if (c->hop) fgti_put(p, ", A<sup>%d</sup>", c->hop + 1);
    fgti_put(p, "</span></a></li>");
}

/* Draws the heads of a layer, and the powers of their mean. Returns the number of maps left. */
static int64_t put_layer(fgti_page *p, fgti_choice c, int64_t room)
{
    const int64_t heads = c.set->planes;
    int64_t       count = 0;
    fgti_put(p, "<h3>Layer %s</h3><ul class='small'>", fgti_strings_get(&p->r->layers.shown, c.set->layer));
    for (c.plane = 0; c.plane < heads && count < room; c.plane++, count++) put_small(p, &c);
    for (c.plane = 0, c.hop = 1; c.hop < p->r->hops && count < room; c.hop++, count++) put_small(p, &c);
    fgti_put(p, "</ul>");
    return count;
}

void fgti_page_small_maps(fgti_page *p, const fgti_choice *c)
{
    const int64_t subject = c->set->subject;
    const char   *name    = fgti_page_text(p, c->subject->name);
    int64_t       room    = MAPS;
    fgti_put(p, "<section aria-labelledby='h-small'><h2 id='h-small'>All heads and powers");
    if (p->r->subjects > 1) fgti_put(p, " of %s", *name ? name : "the input");
    fgti_put(p, "</h2><p>A head is one of several matrices that a layer has side by side. A<sup>2</sup> is "
                "what reaches a token in two steps, by way of another one. Colours start anew in each "
                "picture.</p>");
    for (int64_t layer = 0; layer < p->layers && room; layer++) {
        const fgti_frame_set *last = NULL;
        for (int64_t i = 0; i < p->r->sets; i++) {
            const fgti_frame_set *s = &p->r->set[i];
            if (s->subject == subject && s->layer == layer &&
                (!last || (last->epoch && (!s->epoch || s->epoch > last->epoch))))
                last = s;
        }
        if (last) room -= put_layer(p, (fgti_choice){.subject = c->subject, .set = last}, room);
    }
    if (!room)
        fgti_put(p, "<p>These are the first %d. With the controls above all can be seen.</p>", (int64_t)MAPS);
    fgti_put(p, "</section>\n");
}
