/* SPDX-License-Identifier: BSD-3-Clause */
/* The page as a whole: page.html, with the parts that differ from report to report. */
#include "report/sheet.h"

#include <string.h>

#include "model/files/file_output.h"
#include "report/page_charts.h"
#include "report/page_matrices.h"
#include "report/page_parts.h"
#include "report/page_put.h"
#include "report/page_shown.h"

static void put_lines(fgti_page *p, const char *const *line)
{
    while (*line) fgti_put(&p->html, "%r\n", *line++);
}

static void put_title(fgti_page *p)
{
    fgti_put(&p->html, "<title>%s</title>\n", fgti_page_text(p, FGTI_TEXT_TITLE));
}

static void put_style(fgti_page *p)
{
    put_lines(p, page_css);
}

static void put_facts(fgti_page *p)
{
    const fgti_strings *f = &p->r->facts;
    fgti_put(&p->html, "<h1>%s</h1>", fgti_page_text(p, FGTI_TEXT_TITLE));
    if (*fgti_page_text(p, FGTI_TEXT_ABOUT))
        fgti_put(&p->html, "<p class='about'>%s</p>", fgti_page_text(p, FGTI_TEXT_ABOUT));
    if (f->count) fgti_put(&p->html, "<dl>");
    for (int64_t i = 0; i < f->count; i += 2)
        fgti_put(&p->html, "<div><dt>%s</dt><dd>%s</dd></div>", fgti_strings_get(f, i),
                 fgti_strings_get(f, i + 1));
    fgti_put(&p->html, f->count ? "</dl>\n" : "\n");
}

/* Says which matrices the page lacks. */
static void put_notes(fgti_page *p)
{
    const fgti_strings *others = &p->r->others.shown;
    if (others->count) fgti_put(&p->html, "<p>Not shown, because they have other tokens: ");
    for (int64_t i = 0; i < others->count; i++)
        fgti_put(&p->html, i ? ", %s" : "%s", fgti_strings_get(others, i));
    if (others->count) fgti_put(&p->html, ".</p>\n");
    if (p->every > 1)
        fgti_put(&p->html,
                 "<p>To keep this page small, it has the matrices of every epoch that is a multiple of %d."
                 "</p>\n",
                 p->every);
    if (p->layers < p->r->layers.shown.count)
        fgti_put(&p->html,
                 "<p>To keep this page small, it has the matrices of the first %d of %d layers.</p>\n",
                 p->layers, p->r->layers.shown.count);
}

/* Writes the tables, and fills p->json. */
static void put_numbers(fgti_page *p)
{
    fgti_put(&p->json, "{\"hops\":%d,\"layers\":", p->r->hops);
    fgti_put_strings(&p->json, &p->r->layers.shown, p->layers);
    fgti_page_windows(p);
    fgti_page_texts(p);
    fgti_page_importance(p);
    fgti_page_matrices(p);
    fgti_page_charts(p);
    fgti_put(&p->json, "}\n");
}

static void put_version(fgti_page *p)
{
    fgti_put(&p->html, "Made by fighter %d.%d.%d.\n", (int64_t)FGT_VERSION_MAJOR, (int64_t)FGT_VERSION_MINOR,
             (int64_t)FGT_VERSION_PATCH);
}

static void put_data(fgti_page *p)
{
    if (p->html.status == FGT_OK) p->html.status = p->json.status;
    fgti_put(&p->html, "%r", p->json.text.s);
}

static void put_script(fgti_page *p)
{
    put_lines(p, page_js);
}

static void put_page(fgti_page *p)
{
    static const struct {
        const char *line;
        void (*put)(fgti_page *p);
    } parts[] = {{"{title}", put_title}, {"{style}", put_style},     {"{facts}", put_facts},
                 {"{notes}", put_notes}, {"{numbers}", put_numbers}, {"{version}", put_version},
                 {"{data}", put_data},   {"{script}", put_script}};
    for (const char *const *line = page_html; *line; line++) {
        size_t i = 0;
        while (i < sizeof parts / sizeof *parts && strcmp(parts[i].line, *line) != 0) i++;
        if (i < sizeof parts / sizeof *parts)
            parts[i].put(p);
        else
            fgti_put(&p->html, "%r\n", *line);
    }
}

static fgt_status save(const fgt_report *r, fgti_output *out)
{
    fgti_page p = {.r = r, .html.text.ctx = r->ctx, .json.text.ctx = r->ctx};
    fgti_page_fit(&p);
    put_page(&p);
    fgt_status s = p.html.status;
    if (s == FGT_OK) s = fgti_output_whole(r->ctx, out, p.html.text.s, p.html.text.length);
    fgti_text_done(&p.html.text);
    fgti_text_done(&p.json.text);
    return s;
}

fgt_status fgt_report_save(const fgt_report *report, const fgt_output *to)
{
    fgti_output out;
    if (!report) return FGT_E_ARG;
    FGTI_TRY(fgti_output_to(&report->ctx->error, to, &out));
    return save(report, &out);
}
