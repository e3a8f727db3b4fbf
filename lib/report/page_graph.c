/* SPDX-License-Identifier: BSD-3-Clause */
/* The strongest edges as a graph and as a table. page.js has the same drawing for other choices. */
#include <math.h>

#include "report/page.h"

#define WIDTH   500.0
#define HEIGHT  340.0
#define RADIUS  130.0
#define LETTERS 15
#define EDGES   12 /* shown before the reader chooses a number */

/* Position of node i of n on the circle, clockwise from the top. */
static double place_x(int64_t i, int64_t n, double radius)
{
    return WIDTH / 2 + radius * sin(2 * 3.14159265358979 * (double)i / (double)n);
}

static double place_y(int64_t i, int64_t n, double radius)
{
    return HEIGHT / 2 - radius * cos(2 * 3.14159265358979 * (double)i / (double)n);
}

/* Numbers the nodes that an edge touches, or all nodes if there are at most 24. Returns their number. */
static int64_t choose_nodes(const fgti_subject *s, const fgt_edge *e, int64_t edges, int64_t *place)
{
    int64_t count                = 0;
    bool    on[FGTI_REPORT_SIDE] = {false};
    for (int64_t i = 0; i < edges; i++) on[e[i].from] = on[e[i].to] = true;
    for (int64_t i = 0; i < s->side; i++) place[i] = s->side <= 24 || on[i] ? count++ : -1;
    return count;
}

static void put_edge(fgti_page *p, const fgti_subject *s, const fgt_edge *e, double most,
                     const int64_t *place, int64_t n)
{
    const double x = place_x(place[e->from], n, RADIUS), y = place_y(place[e->from], n, RADIUS),
                 u = place_x(place[e->to], n, RADIUS - 9), v = place_y(place[e->to], n, RADIUS - 9);
    fgti_put(p,
             "<path class='edge' d='M%f %fQ%f %f %f %f' stroke-width='%f' marker-end='url(#arrow)'>"
             "<title>%s reads %s: %g</title></path>",
             x, y, (x + u) / 4 + WIDTH / 4, (y + v) / 4 + HEIGHT / 4, u, v, 1 + 4 * e->weight / most,
             fgti_strings_get(&s->names, e->to), fgti_strings_get(&s->names, e->from), e->weight);
}

static void put_node(fgti_page *p, const char *name, int64_t i, int64_t n)
{
    const double x = place_x(i, n, RADIUS + 12), y = place_y(i, n, RADIUS + 12);
    const bool   middle = fabs(x - WIDTH / 2) < 20;
    fgti_put(p, "<circle cx='%f' cy='%f' r='5'/><text x='%f' y='%f' text-anchor='%r'>", place_x(i, n, RADIUS),
             place_y(i, n, RADIUS), x, y + (middle ? (y < HEIGHT / 2 ? -2.0 : 10.0) : 4.0),
             middle          ? "middle"
             : x < WIDTH / 2 ? "end"
                             : "start");
    fgti_put_start(p, name, LETTERS);
    fgti_put(p, "</text>");
}

void fgti_page_graph(fgti_page *p, const fgti_choice *c)
{
    const fgti_subject *s = c->subject;
    fgt_edge            e[EDGES];
    int64_t             place[FGTI_REPORT_SIDE];
    const int64_t       count = fgti_strongest(p, c, EDGES, e), n = choose_nodes(s, e, count, place);
    fgti_put(p,
             "<svg id='graph' viewBox='0 0 %f %f' role='img' aria-labelledby='graph-title'>"
             "<title id='graph-title'>The tokens on a circle. An arrow leads from a token to one that reads "
             "it; the thicker, the more.</title><defs><marker id='arrow' viewBox='0 0 8 8' refX='7' refY='4' "
             "markerWidth='9' markerHeight='9' markerUnits='userSpaceOnUse' orient='auto'>"
             "<path d='M0 0L8 4L0 8z'/></marker></defs><g class='edges'>",
             WIDTH, HEIGHT);
    for (int64_t i = 0; i < count; i++) put_edge(p, s, &e[i], e[0].weight, place, n);
    fgti_put(p, "</g><g class='nodes'>");
    for (int64_t i = 0; i < s->side; i++)
        if (place[i] >= 0) put_node(p, fgti_strings_get(&s->names, i), place[i], n);
    fgti_put(p, "</g></svg>");
}

void fgti_page_edges(fgti_page *p, const fgti_choice *c)
{
    const fgti_strings *names = &c->subject->names;
    fgt_edge            e[EDGES];
    const int64_t       count = fgti_strongest(p, c, EDGES, e);
    fgti_put(p,
             "<table id='edges'><caption>The strongest edges between different tokens</caption>"
             "<thead><tr><th scope='col'>token</th><th scope='col'>reads</th><th scope='col'>weight</th></tr>"
             "</thead><tbody>");
    for (int64_t i = 0; i < count; i++)
        fgti_put(p, "<tr><td class='name'>%s</td><td class='name'>%s</td><td>%g</td></tr>\n",
                 fgti_strings_get(names, e[i].to), fgti_strings_get(names, e[i].from), e[i].weight);
    fgti_put(p, "</tbody></table>");
}
