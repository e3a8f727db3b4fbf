/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices, and the choice of matrices that fit into a page. */
#include "report/page_matrices.h"

#include "report/page_put.h"

/* Limit for matrices, which report.h documents. */
#define MOST_BYTES  1100000
#define MOST_TABLES 8 /* subjects whose matrix is a table as well */

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

static void put_subject(fgti_page *p, const fgti_subject *s)
{
    fgti_put(&p->json, "{\"count\":%d,\"merged\":%d,\"name\":%j,\"tokens\":", s->tokens, s->merged,
             fgti_page_text(p, s->name));
    fgti_put_strings(&p->json, &s->names, s->side);
    fgti_put(&p->json, "}");
}

static void put_set(fgti_page *p, const fgti_frame_set *s)
{
    const int64_t n = p->r->subject[s->subject].side, frames = s->planes * p->r->hops;
    fgti_put(&p->json, "{\"subject\":%d,\"layer\":%d,\"epoch\":%d,\"planes\":%d,\"most\":[", s->subject,
             s->layer, s->epoch, s->planes);
    for (int64_t k = 0; k < frames; k++) fgti_put(&p->json, k ? ",%g" : "%g", s->most[k]);
    fgti_put(&p->json, "],\"cells\":\"");
    fgti_put_base64(&p->json, s->cell, frames * n * n);
    fgti_put(&p->json, "\"}");
}

/* The matrices of a subject in the first layer, of the current model (epoch 0) or, if it was not recorded, of
 * the last epoch; NULL: it has no matrices. */
static const fgti_frame_set *find_first(const fgt_report *r, int64_t subject)
{
    const fgti_frame_set *best = NULL;
    for (int64_t i = 0; i < r->sets; i++) {
        const fgti_frame_set *s = &r->set[i];
        if (s->subject != subject) continue;
        if (!best || s->layer < best->layer ||
            (s->layer == best->layer && best->epoch && (!s->epoch || s->epoch > best->epoch)))
            best = s;
    }
    return best;
}

/* Writes the matrix that the script shows first: A, the mean of the heads. */
static void put_table(fgti_page *p, int64_t number, const fgti_frame_set *set)
{
    fgti_sheet         *h                          = &p->html;
    const fgti_subject *s                          = &p->r->subject[number];
    const char         *head[FGTI_REPORT_SIDE + 2] = {"token"};
    for (int64_t j = 0; j < s->side; j++) head[j + 1] = fgti_strings_get(&s->names, j);
    fgti_begin_details(h, "matrix", number, "weights", fgti_page_text(p, s->name));
    fgti_put(h, "<p>Layer %s: what the token of a row reads of the token of a column.</p>",
             fgti_strings_get(&p->r->layers.shown, set->layer));
    fgti_begin_table(h, head);
    for (int64_t i = 0; i < s->side; i++) {
        fgti_put(h, "<tr><th scope='row'>%s</th>", fgti_strings_get(&s->names, i));
        for (int64_t j = 0; j < s->side; j++) {
            const double q = set->cell[i * s->side + j] / 255.0;
            fgti_put(h, "<td>%g</td>", set->most[0] * q * q);
        }
        fgti_put(h, "</tr>\n");
    }
    fgti_end_table(h);
    fgti_put(h, "</details>\n");
}

void fgti_page_matrices(fgti_page *p)
{
    const fgt_report *r    = p->r;
    int64_t           kept = 0;
    fgti_put(&p->json, ",\n\"subjects\":[");
    for (int64_t i = 0; i < r->subjects; i++) {
        const fgti_frame_set *set = find_first(r, i);
        fgti_put(&p->json, "%r", fgti_comma(i));
        put_subject(p, &r->subject[i]);
        if (set && i < MOST_TABLES) put_table(p, i, set);
    }
    if (r->subjects > MOST_TABLES)
        fgti_put(&p->html, "<p>The weights in numbers: the first %d of %d.</p>\n", (int64_t)MOST_TABLES,
                 r->subjects);
    fgti_put(&p->json, "],\n\"sets\":[");
    for (int64_t i = 0; i < r->sets; i++) {
        if (!is_kept(p, &r->set[i])) continue;
        fgti_put(&p->json, "%r", fgti_comma(kept++));
        put_set(p, &r->set[i]);
    }
    fgti_put(&p->json, "]");
}
