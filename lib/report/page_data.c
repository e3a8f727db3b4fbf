/* SPDX-License-Identifier: BSD-3-Clause */
/* The data from which the script draws other matrices, as one JSON object, and the choice of matrices that
 * fit into it. */
#include "core/size.h"
#include "report/page.h"

/* Limit for matrices, which report.h documents. */
#define MOST_BYTES 1100000

static int64_t bytes_of(const fgt_report *r, const fgti_frame_set *s)
{
    const int64_t n = r->subject[s->subject].side;
    return s->planes * r->hops * (n * n * 4 / 3 + 16) + 80;
}

/* Keeps epochs that are a multiple of `every`, and always the current model (epoch 0). */
static bool is_kept(const fgti_page *p, const fgti_frame_set *s)
{
    return s->layer < p->layers && (!s->epoch || s->epoch % p->every == 0);
}

static int64_t bytes_kept(const fgti_page *p)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < p->r->sets; i++)
        if (is_kept(p, &p->r->set[i])) sum += bytes_of(p->r, &p->r->set[i]);
    return sum;
}

void fgti_page_fit(fgti_page *p)
{
    int64_t last = 0;
    for (int64_t i = 0; i < p->r->sets; i++)
        if (p->r->set[i].epoch > last) last = p->r->set[i].epoch;
    p->every  = 1;
    p->layers = p->r->layers.shown.count;
    while (bytes_kept(p) > MOST_BYTES && p->every <= last) p->every *= 2;
    while (bytes_kept(p) > MOST_BYTES && p->layers > 0) p->layers--;
    if (!bytes_kept(p)) p->layers = 0; /* only other epochs would be left */
}

static void put_subjects(fgti_page *p)
{
    for (int64_t i = 0; i < p->r->subjects; i++) {
        const fgti_subject *s = &p->r->subject[i];
        fgti_put(p, i ? ",\n{\"name\":" : "{\"name\":");
        fgti_put_json(p, fgti_page_text(p, s->name));
        fgti_put(p, ",\"tokens\":[");
        for (int64_t k = 0; k < s->side; k++) {
            if (k) fgti_put(p, ",");
            fgti_put_json(p, fgti_strings_get(&s->names, k));
        }
        fgti_put(p, "]}");
    }
}

static void put_sets(fgti_page *p)
{
    bool first = true;
    for (int64_t i = 0; i < p->r->sets; i++) {
        const fgti_frame_set *s = &p->r->set[i];
        const int64_t         n = p->r->subject[s->subject].side, frames = s->planes * p->r->hops;
        if (!is_kept(p, s)) continue;
        fgti_put(p, "%r{\"subject\":%d,\"layer\":%d,\"epoch\":%d,\"planes\":%d,\"most\":[",
                 first ? "" : ",\n", s->subject, s->layer, s->epoch, s->planes);
        for (int64_t k = 0; k < frames; k++) fgti_put(p, k ? ",%g" : "%g", s->most[k]);
        fgti_put(p, "],\"cells\":\"");
        fgti_put_base64(p, s->cell, frames * n * n);
        fgti_put(p, "\"}");
        first = false;
    }
}

void fgti_page_data(fgti_page *p)
{
    fgti_put(p, "<script type='application/json' id='data'>{\"hops\":%d,\"layers\":[", p->r->hops);
    for (int64_t i = 0; i < p->layers; i++) {
        if (i) fgti_put(p, ",");
        fgti_put_json(p, fgti_strings_get(&p->r->layers.shown, i));
    }
    fgti_put(p, "],\"subjects\":[");
    put_subjects(p);
    fgti_put(p, "],\"sets\":[");
    put_sets(p);
    fgti_put(p, "]}</script>\n");
}
