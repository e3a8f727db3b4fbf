/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts with words coloured by the attention that they receive. */
#include "report/page.h"

/* Writes tokens coloured by the weight of their squares. */
static void put_words(fgti_page *p, const fgti_choice *c, int64_t first, int64_t end, const double *weight,
                      fgti_scale scale)
{
    for (int64_t i = first; i < end; i++) {
        const int64_t square = i / c->subject->merged;
        fgti_put(p, "<span class='word q%d' data-token='%d' title='%g'>%s</span> ",
                 fgti_level(weight[square], scale), square, weight[square],
                 fgti_strings_get(&c->subject->token, i));
    }
}

static void put_attention(fgti_page *p, const fgti_shown_text *t, const fgti_choice *c, const double *weight,
                          fgti_scale scale)
{
    fgti_put(p, "<h4>By attention: how much the tokens read of a word</h4><p class='text'>");
    put_words(p, c, 0, t->count, weight, scale);
    fgti_put(p, "</p>");
    if (t->count == c->subject->tokens) return;
    fgti_put(p, "<p class='more'>Tokens of several words: ");
    put_words(p, c, t->count, c->subject->tokens, weight, scale);
    fgti_put(p, "</p>");
}

/* Writes a row for each word, with its position, because a word may occur twice. weight NULL: the model has
 * no attention. */
static void put_table(fgti_page *p, const fgti_shown_text *t, const fgti_subject *s, const double *weight)
{
    fgti_put(p, "<details><summary>The words in numbers</summary><div class='scroll' tabindex='0'><table>"
                "<thead><tr><th scope='col'>place</th><th scope='col' class='name'>word</th>");
    if (weight) fgti_put(p, "<th scope='col'>attention</th>");
    if (t->value) fgti_put(p, "<th scope='col'>%s</th>", fgti_page_text(p, t->measure));
    fgti_put(p, "</tr></thead><tbody>");
    for (int64_t i = 0; i < s->tokens; i++) {
        fgti_put(p, "<tr><td>%d</td><th scope='row' class='name'>%s</th>", i + 1,
                 fgti_strings_get(&s->token, i));
        if (weight) fgti_put(p, "<td data-token='%d'>%g</td>", i / s->merged, weight[i / s->merged]);
        if (t->value) fgti_put(p, "<td>%g</td>", t->value[i]);
        fgti_put(p, "</tr>\n");
    }
    fgti_put(p, "</tbody></table></div></details>");
}

static void put_text(fgti_page *p, const fgti_shown_text *t)
{
    fgti_choice         c;
    double              weight[FGTI_REPORT_SIDE];
    const fgti_subject *s       = fgti_report_find(p->r, t->subject);
    const bool          attends = fgti_choose(p, t->subject, &c);
    fgti_put(p, "<article class='words' data-subject='%d'>", (int64_t)(s - p->r->subject));
    if (t->name >= 0) fgti_put(p, "<h3>%s</h3>", fgti_page_text(p, t->name));
    if (attends) put_attention(p, t, &c, weight, fgti_received(p, &c, -1, weight));
    if (t->value) fgti_page_measure(p, t->measure, &s->token, t->value, t->count, "text");
    put_table(p, t, s, attends ? weight : NULL);
    fgti_put(p, "</article>\n");
}

void fgti_page_texts(fgti_page *p)
{
    if (!p->r->texts) return;
    fgti_put(p,
             "<section aria-labelledby='h-texts'><h2 id='h-texts'>The words, and what they mean to the model"
             "</h2><p>These are the words as the model gets them. %r The numbers are in the tooltips, and in "
             "the tables below the words.</p>",
             p->r->sets ? "By attention, the colour of a word is the stronger, the more weight the tokens of "
                          "the text put on it."
                        : "The model has no attention.");
    for (int64_t i = 0; i < p->r->texts; i++) put_text(p, &p->r->shown[i]);
    fgti_put(p, "</section>\n");
}
