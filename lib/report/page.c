/* SPDX-License-Identifier: BSD-3-Clause */
/* The page as a whole, and the functions that write it. */
#include "report/page.h"

#include "model/files/file_output.h"
#include "report/page_parts.h"

static void put_lines(fgti_page *p, const char *const *line)
{
    while (*line) fgti_put(p, "%r\n", *line++);
}

static void put_head(fgti_page *p)
{
    /* the policy forbids any request, even if a name contained markup */
    fgti_put(p,
             "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
             "<meta name='viewport' content='width=device-width, initial-scale=1'>"
             "<meta name='color-scheme' content='light dark'>"
             "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src "
             "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">"
             "<link rel='icon' href='data:,'><title>%s</title>\n<style>\n",
             fgti_page_text(p, FGTI_TEXT_TITLE));
    put_lines(p, page_css);
    fgti_put(p, "</style></head>\n");
}

static void put_facts(fgti_page *p)
{
    const fgti_strings *f = &p->r->facts;
    fgti_put(p, "<header><h1>%s</h1>", fgti_page_text(p, FGTI_TEXT_TITLE));
    if (*fgti_page_text(p, FGTI_TEXT_ABOUT))
        fgti_put(p, "<p class='about'>%s</p>", fgti_page_text(p, FGTI_TEXT_ABOUT));
    if (f->count) fgti_put(p, "<dl>");
    for (int64_t i = 0; i < f->count; i += 2)
        fgti_put(p, "<div><dt>%s</dt><dd>%s</dd></div>", fgti_strings_get(f, i), fgti_strings_get(f, i + 1));
    if (f->count) fgti_put(p, "</dl>");
    fgti_put(p, "</header>\n");
}

/* Controls of the reader. The script fills the lists, and hides a list with a single entry. */
static void put_controls(fgti_page *p)
{
    static const char *const choices[][2] = {
        {"subject", "Of"}, {"layer", "Layer"}, {"head", "Head"}, {"row", "Read by"}};
    fgti_put(p, "<form id='controls' aria-label='Choice of the matrix'>");
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        fgti_put(p, "<label for='%r'>%r <select id='%r'></select></label>", choices[i][0], choices[i][1],
                 choices[i][0]);
    fgti_put(
        p,
        "<label for='hop'>Power of A <input type='range' id='hop' min='1' max='%d' value='1' step='1'>"
        "<output id='hop-is' for='hop'>1</output></label>"
        "<label for='epoch'>Epoch <input type='range' id='epoch' min='0' max='0' value='0' step='1'>"
        "<output id='epoch-is' for='epoch'></output></label>"
        "<label for='edges-shown'>Edges <input type='range' id='edges-shown' min='1' max='60' value='12' "
        "step='1'><output id='edges-are' for='edges-shown'>12</output></label></form>\n",
        p->r->hops);
}

/* Writes all names of a list, separated by commas. */
static void put_list(fgti_page *p, const fgti_strings *list)
{
    for (int64_t i = 0; i < list->count; i++) fgti_put(p, i ? ", %s" : "%s", fgti_strings_get(list, i));
}

static void put_missing(fgti_page *p, const fgti_subject *s)
{
    if (s->merged > 1)
        fgti_put(p, "<p>These are %d tokens. Up to %d neighbours are put together in a square.</p>",
                 s->tokens, s->merged);
    if (p->r->others.shown.count) {
        fgti_put(p, "<p>Not shown, because they have other tokens: ");
        put_list(p, &p->r->others.shown);
        fgti_put(p, ".</p>");
    }
    if (p->every > 1)
        fgti_put(p,
                 "<p>To keep this page small, it has the matrices of every epoch that is a multiple of %d."
                 "</p>",
                 p->every);
    if (p->layers < p->r->layers.shown.count)
        fgti_put(p, "<p>To keep this page small, it has the matrices of the first %d of %d layers.</p>",
                 p->layers, p->r->layers.shown.count);
}

static void put_attention(fgti_page *p)
{
    fgti_choice c;
    if (!p->r->sets || !fgti_choose(p, p->r->subject[0].name, &c)) return;
    fgti_put(p,
             "<section aria-labelledby='h-map'><h2 id='h-map'>Attention: which token reads which</h2>"
             "<p id='shown' aria-live='polite'>Layer %s, %r.</p>"
             "<p>Each row of A is a token, and says how much it reads of the tokens of the columns; a row "
             "of attention sums to 1. In the graph an arrow leads from a token to one that reads it.</p>",
             fgti_strings_get(&p->r->layers.shown, c.set->layer),
             c.set->planes > 1 ? "mean of the heads" : "its only head");
    put_missing(p, c.subject);
    fgti_put(p, "<div class='two'><figure><figcaption><h3>The matrix</h3></figcaption>");
    fgti_page_map(p, &c);
    fgti_page_legend(p, &c);
    fgti_put(
        p, "<p id='square' class='script' aria-live='polite'>Point at a square to read its weight; click to "
           "choose its row.</p></figure><figure><figcaption><h3>The strongest edges as a graph</h3>"
           "</figcaption>");
    fgti_page_graph(p, &c);
    fgti_put(p, "</figure></div>");
    fgti_page_edges(p, &c);
    fgti_put(p, "</section>\n");
    fgti_page_small_maps(p, &c);
}

static void put_page(fgti_page *p)
{
    put_head(p);
    fgti_put(p, "<body><a class='skip' href='#main'>To the pictures</a>\n");
    put_facts(p);
    fgti_put(p, "<main id='main'>\n");
    fgti_page_first_charts(p);
    if (p->r->sets && p->layers) put_controls(p);
    fgti_page_windows(p);
    fgti_page_texts(p);
    fgti_page_importance(p);
    put_attention(p);
    fgti_page_charts(p);
    fgti_put(p,
             "</main>\n<footer><p>Made by fighter %d.%d.%d. This page fetches nothing.</p>"
             "</footer>\n",
             (int64_t)FGT_VERSION_MAJOR, (int64_t)FGT_VERSION_MINOR, (int64_t)FGT_VERSION_PATCH);
    if (p->r->sets && p->layers) {
        fgti_page_data(p);
        fgti_put(p, "<script>\n");
        put_lines(p, page_js);
        fgti_put(p, "</script>\n");
    }
    fgti_put(p, "</body></html>\n");
}

static fgt_status save(const fgt_report *r, fgti_output *out)
{
    fgti_page p = {.r = r, .text = {.ctx = r->ctx}};
    fgti_page_fit(&p);
    put_page(&p);
    fgt_status s = p.status;
    if (s == FGT_OK) s = fgti_output_whole(r->ctx, out, p.text.s, p.text.length);
    fgti_text_done(&p.text);
    return s;
}

fgt_status fgt_report_save(const fgt_report *report, const char *path)
{
    fgti_output out;
    if (!report) return FGT_E_ARG;
    if (!path) return fgti_fail(&report->ctx->error, FGT_E_ARG, "path is NULL");
    fgti_output_path(path, &out);
    return save(report, &out);
}

fgt_status fgt_report_save_memory(const fgt_report *report, void *buffer, int64_t capacity, int64_t *bytes)
{
    fgti_output out;
    if (!report) return FGT_E_ARG;
    FGTI_TRY(fgti_output_memory(&report->ctx->error, buffer, capacity, bytes, &out));
    return save(report, &out);
}

fgt_status fgt_report_save_to(const fgt_report *report, const fgt_writer *writer)
{
    fgti_output out;
    if (!report) return FGT_E_ARG;
    FGTI_TRY(fgti_output_writer(&report->ctx->error, writer, &out));
    return save(report, &out);
}
