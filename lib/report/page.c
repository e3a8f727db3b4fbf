/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the whole page: page.html, and the parts that differ from report to report. */
#include "report/report_data.h"

#include <string.h>

#include "model/files/file_output.h"
#include "report/page_parts.h"

/* Limit in bytes for the matrices of a page; report.h documents it. */
#define MOST_BYTES  1100000
#define MOST_TABLES 8 /* most subjects whose matrix is also written as a table */

/* ---- the choice of matrices ---- */

/* Whether the page keeps a set of matrices. It keeps epochs that are a multiple of `every`, and always the
 * current model (epoch 0). */
static bool page_keeps(const fgti_page *p, const fgti_frame_set *s)
{
    return s->layer < p->layers && (!s->epoch || s->epoch % p->every == 0);
}

static int64_t page_count_bytes(const fgti_page *p)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < p->r->sets; i++) {
        const fgti_frame_set *s = &p->r->set[i];
        const int64_t         n = p->r->subject[s->subject].side;
        if (page_keeps(p, s)) sum += s->planes * p->r->hops * (n * n * 4 / 3 + 16) + 80;
    }
    return sum;
}

/* Leaves out epochs, and then layers, until the page is small enough. */
static void page_fit(fgti_page *p)
{
    int64_t last = 0;
    for (int64_t i = 0; i < p->r->sets; i++)
        if (p->r->set[i].epoch > last) last = p->r->set[i].epoch;
    p->every  = 1;
    p->layers = p->r->layers.count;
    while (page_count_bytes(p) > MOST_BYTES && p->every <= last) p->every *= 2;
    while (page_count_bytes(p) > MOST_BYTES && p->layers > 0) p->layers--;
    if (!page_count_bytes(p)) p->layers = 0; /* more layers would only leave other epochs */
}

/* ---- matrices ---- */

/* Returns the matrices of a subject in the first layer: of the current model (epoch 0) or, if the current
 * model was not recorded, of the last epoch. NULL: the subject has no matrices. */
static const fgti_frame_set *page_find_first(const fgt_report *r, int64_t subject)
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

/* Writes as a table the matrix that the script shows first: A, as the mean of the heads. */
static void page_put_table(fgti_page *p, int64_t number, const fgti_frame_set *set)
{
    fgti_sheet         *h                             = &p->sheets.tables;
    const fgti_subject *s                             = &p->r->subject[number];
    fgti_column         columns[FGTI_REPORT_SIDE + 1] = {{.head = "token"}};
    for (int64_t j = 0; j < s->side; j++) columns[j + 1].head = fgti_strings_get(&s->names, j);
    fgti_begin_details(h, "matrix", number, "weights", fgti_report_get_name(p->r, s->name));
    fgti_put(h, "<p>Layer %s: what the token of a row reads of the token of a column.</p>",
             fgti_strings_get(&p->r->layers, set->layer));
    fgti_begin_table(h, columns, (int)s->side + 1);
    for (int64_t i = 0; i < s->side; i++) {
        fgti_put(h, "<tr><th scope='row'>%s</th>", columns[i + 1].head);
        for (int64_t j = 0; j < s->side; j++) {
            const double q = set->cell[i * s->side + j] / 255.0;
            fgti_put(h, "<td>%g</td>", set->most[0] * q * q);
        }
        fgti_put(h, "</tr>\n");
    }
    fgti_end_table(h);
    fgti_put(h, "</details>\n");
}

static void page_put_subjects(fgti_page *p)
{
    const fgt_report *r = p->r;
    fgti_put(&p->sheets.data, ",\n\"subjects\":[");
    for (int64_t i = 0; i < r->subjects; i++) {
        const fgti_subject   *s      = &r->subject[i];
        const fgti_frame_set *set    = page_find_first(r, i);
        const fgti_column     tokens = {NULL, "tokens", FGTI_COLUMN_NAMES, &s->names, false};
        fgti_put(&p->sheets.data, "%r{\"count\":%d,\"merged\":%d,\"name\":%j", i ? ",\n" : "", s->tokens,
                 s->merged, fgti_report_get_name(r, s->name));
        fgti_put_rows(&p->sheets, &tokens, 1, s->side, 0);
        fgti_put(&p->sheets.data, "}");
        if (set && i < MOST_TABLES) page_put_table(p, i, set);
    }
    if (r->subjects > MOST_TABLES)
        fgti_put(&p->sheets.tables, "<p>The weights in numbers: the first %d of %d.</p>\n",
                 (int64_t)MOST_TABLES, r->subjects);
    fgti_put(&p->sheets.data, "]");
}

static void page_put_sets(fgti_page *p)
{
    fgti_sheet *j    = &p->sheets.data;
    int64_t     kept = 0;
    fgti_put(j, ",\n\"sets\":[");
    for (int64_t i = 0; i < p->r->sets; i++) {
        const fgti_frame_set *s = &p->r->set[i];
        const int64_t         n = p->r->subject[s->subject].side, frames = s->planes * p->r->hops;
        const fgti_column     most = {NULL, "most", FGTI_COLUMN_NUMBERS,
                                      FGT_VIEW_OF(FGT_DTYPE_F64, s->most, frames), true};
        if (!page_keeps(p, s)) continue;
        fgti_put(j, "%r{\"subject\":%d,\"layer\":%d,\"epoch\":%d,\"planes\":%d", kept++ ? ",\n" : "",
                 s->subject, s->layer, s->epoch, s->planes);
        fgti_put_rows(&p->sheets, &most, 1, frames, 0);
        fgti_put(j, ",\"cells\":\"");
        fgti_put_base64(j, s->cell, frames * n * n);
        fgti_put(j, "\"}");
    }
    fgti_put(j, "]");
}

/* ---- parts of the page ---- */

static void page_put_title(fgti_page *p)
{
    fgti_put(&p->sheets.tables, "<title>%S</title>\n", fgti_report_get_name(p->r, 0));
}

static void page_put_facts(fgti_page *p)
{
    const fgti_strings *f     = &p->r->facts;
    fgti_sheet         *h     = &p->sheets.tables;
    const char         *about = fgti_report_get_name(p->r, 1);
    fgti_put(h, "<h1>%S</h1>", fgti_report_get_name(p->r, 0));
    if (*about) fgti_put(h, "<p class='about'>%S</p>", about);
    fgti_put(h, f->count ? "<dl>" : "");
    for (int64_t i = 0; i < f->count; i += 2)
        fgti_put(h, "<div><dt>%s</dt><dd>%S</dd></div>", fgti_strings_get(f, i), fgti_strings_get(f, i + 1));
    fgti_put(h, f->count ? "</dl>\n" : "\n");
}

/* Says which matrices the page lacks. */
static void page_put_notes(fgti_page *p)
{
    const fgti_strings *others = &p->r->others;
    fgti_sheet         *h      = &p->sheets.tables;
    for (int64_t i = 0; i < others->count; i++)
        fgti_put(h, "%r%s",
                 i ? ", " : "<p>Not shown, because they have other tokens: ", fgti_strings_get(others, i));
    if (others->count) fgti_put(h, ".</p>\n");
    if (p->every > 1)
        fgti_put(h,
                 "<p>To keep this page small, it has the matrices of every epoch that is a multiple of %d."
                 "</p>\n",
                 p->every);
    if (p->layers < p->r->layers.count)
        fgti_put(h, "<p>To keep this page small, it has the matrices of the first %d of %d layers.</p>\n",
                 p->layers, p->r->layers.count);
}

static void page_put_figures(fgti_page *p, const char *key, const fgti_figures *figures)
{
    fgti_put(&p->sheets.data, ",\n\"%r\":[", key);
    for (int64_t i = 0; i < figures->count; i++) {
        const fgti_figure *f = &figures->item[i];
        fgti_put(&p->sheets.data, "%r%r\"subject\":%d%r", i ? ",\n" : "", f->begin.data.text.s,
                 fgti_subject_find(p->r, fgti_report_get_name(p->r, f->subject)), f->rest.data.text.s);
        if (f->rest.tables.text.s) fgti_put(&p->sheets.tables, "%r", f->rest.tables.text.s);
    }
    fgti_put(&p->sheets.data, "]");
}

/* Writes the tables, and collects the data, which are written later in the page. */
static void page_put_numbers(fgti_page *p)
{
    static const char *const keys[FGTI_FIGURE_KINDS] = {"windows", "texts", "importance"};
    const fgti_column        layers = {NULL, "layers", FGTI_COLUMN_NAMES, &p->r->layers, false};
    fgti_put(&p->sheets.data, "{\"hops\":%d", p->r->hops);
    fgti_put_rows(&p->sheets, &layers, 1, p->layers, 0);
    for (int k = 0; k < FGTI_FIGURE_KINDS; k++) page_put_figures(p, keys[k], &p->r->figures[k]);
    page_put_subjects(p);
    page_put_sets(p);
    fgti_page_charts(p);
    fgti_put(&p->sheets.data, "}\n");
}

static void page_put_data(fgti_page *p)
{
    if (p->sheets.data.status == FGT_OK) fgti_put(&p->sheets.tables, "%r", p->sheets.data.text.s);
}

fgt_status fgt_report_save(const fgt_report *report, const fgt_output *to)
{
    static const struct {
        const char *line;
        void (*put)(fgti_page *p);
    } parts[] = {{"{title}", page_put_title},
                 {"{facts}", page_put_facts},
                 {"{notes}", page_put_notes},
                 {"{numbers}", page_put_numbers},
                 {"{data}", page_put_data}};
    fgti_output out;
    fgti_page   p = {.r = report};
    if (!report) return FGT_E_ARG;
    FGTI_TRY(fgti_output_to(&report->ctx->error, to, &out));
    fgti_sheets_begin(report->ctx, &p.sheets);
    page_fit(&p);
    for (const char *const *line = page_lines; *line; line++) {
        size_t i = 0;
        while (i < sizeof parts / sizeof *parts && strcmp(parts[i].line, *line) != 0) i++;
        if (i < sizeof parts / sizeof *parts)
            parts[i].put(&p);
        else
            fgti_put(&p.sheets.tables, "%r\n", *line);
    }
    fgt_status s = fgti_sheets_status(&p.sheets);
    if (s == FGT_OK)
        s = fgti_output_whole(report->ctx, &out, p.sheets.tables.text.s, p.sheets.tables.text.length);
    fgti_sheets_done(&p.sheets);
    return s;
}
