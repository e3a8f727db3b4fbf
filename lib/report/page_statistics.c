/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of the matrices, by epoch and by power of A. */
#include <math.h>

#include "core/sort.h"
#include "report/page.h"

/* In the order of fgti_report_statistics. */
static const struct {
    const char *title, *about;
    bool        ordered; /* only if the tokens have an order */
} statistics[FGTI_REPORT_STATISTICS] = {
    {"How much a token reads of itself",
     "The mean of the diagonal. With T tokens that are all read alike it is 1/T. A diagonal near 1 is a "
     "layer "
     "that passes tokens on as they are.",
     false},
    {"How evenly tokens are read",
     "The entropy of the rows: 1 where a token reads all tokens alike, 0 where it reads a single one.",
     false},
    {"How far away the tokens are that are read", "In tokens, on the mean.", true},
    {"How much is read of the first token",
     "The mean of the first column. With T tokens that are all read alike it is 1/T.", true},
    {"How much rows differ",
     "0 where all tokens read the same, which makes them alike: the closer to 0, the more is smoothed away.",
     false},
};

/* Whether the tokens have an order. Series and nodes have no order, and neither have the runs of words that
 * follow the words of a text. */
static bool is_ordered(const fgt_report *r, const fgti_subject *s)
{
    bool ordered = !s->nodes;
    for (int64_t i = 0; i < r->windows; i++)
        if (r->window[i].subject == s->name && r->window[i].token >= 0) ordered = false;
    for (int64_t i = 0; i < r->texts; i++)
        if (r->shown[i].subject == s->name && r->shown[i].count < s->tokens) ordered = false;
    return ordered;
}

/* A statistic of a layer at an epoch, the mean over the subjects; NaN: it was not recorded. */
static double statistic_of(const fgti_page *p, int64_t layer, int64_t epoch, int64_t k, int64_t hop)
{
    double  sum   = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < p->r->sets; i++) {
        const fgti_frame_set *s = &p->r->set[i];
        if (s->layer != layer || s->epoch != epoch) continue;
        if (statistics[k].ordered && !is_ordered(p->r, &p->r->subject[s->subject])) continue;
        sum += s->statistic[k][hop];
        count++;
    }
    return count ? sum / (double)count : NAN;
}

static int by_number(const void *p, const void *q, const void *arg)
{
    const int64_t a = *(const int64_t *)p, b = *(const int64_t *)q;
    (void)arg;
    return (a > b) - (a < b);
}

/* Lists the recorded epochs [sets] in order; returns their number. */
static int64_t list_epochs(const fgt_report *r, int64_t *epoch)
{
    int64_t count = 0, different = 0;
    for (int64_t i = 0; i < r->sets; i++)
        if (r->set[i].epoch) epoch[count++] = r->set[i].epoch;
    fgti_sort(epoch, count, sizeof *epoch, by_number, NULL);
    for (int64_t i = 0; i < count; i++)
        if (!different || epoch[different - 1] != epoch[i]) epoch[different++] = epoch[i];
    return different;
}

/* Memory of a chart. */
typedef struct room {
    int64_t  epochs, points; /* points: most points of a curve */
    int64_t *epoch;          /* [epochs] */
    double  *xy;             /* [FGTI_REPORT_CURVES,2,points] */
} room;

/* Draws a curve for each layer. By power of A, the values are of the current model or, if it was not
 * recorded, of the last epoch. */
static void put_statistic(fgti_page *p, int64_t k, bool by_epoch, const room *m)
{
    const int64_t    count = by_epoch ? m->epochs : p->r->hops;
    fgti_drawn_chart c     = {.title = statistics[k].title,
                              .axis  = by_epoch ? "epoch" : "power of A",
                              .about = statistics[k].about};
    for (int64_t layer = 0; layer < p->r->layers.shown.count && c.curves < FGTI_REPORT_CURVES; layer++) {
        double           *x = m->xy + 2 * m->points * c.curves, *y = x + m->points;
        fgti_drawn_curve *curve = &c.curve[c.curves];
        *curve                  = (fgti_drawn_curve){fgti_strings_get(&p->r->layers.shown, layer), 0, x, y};
        for (int64_t i = 0; i < count; i++) {
            double v = statistic_of(p, layer, by_epoch ? m->epoch[i] : 0, k, by_epoch ? 0 : i);
            if (!by_epoch && m->epochs && isnan(v)) v = statistic_of(p, layer, m->epoch[m->epochs - 1], k, i);
            if (!isfinite(v)) continue;
            x[curve->count]   = (double)(by_epoch ? m->epoch[i] : i + 1);
            y[curve->count++] = v;
        }
        c.curves += curve->count > 0;
    }
    if (c.curves) fgti_page_chart(p, &c);
}

static fgt_status make_room(const fgt_report *r, room *m)
{
    FGTI_TRY(FGTI_NEW(r->ctx, r->sets, "epochs", &m->epoch));
    m->epochs = list_epochs(r, m->epoch);
    m->points = m->epochs > r->hops ? m->epochs : r->hops;
    return FGTI_NEW(r->ctx, 2 * FGTI_REPORT_CURVES * m->points, "curves", &m->xy);
}

void fgti_page_statistics(fgti_page *p, bool by_epoch)
{
    room m = {0};
    if (!p->r->sets || p->status != FGT_OK) return;
    p->status = make_room(p->r, &m);
    for (int64_t k = 0; k < FGTI_REPORT_STATISTICS && p->status == FGT_OK; k++)
        if (by_epoch ? m.epochs > 1 : p->r->hops > 1) put_statistic(p, k, by_epoch, &m);
    fgti_free(p->r->ctx, m.epoch);
    fgti_free(p->r->ctx, m.xy);
}
