/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts, whose words are coloured by what the model reads of them. */
#include "report/page.h"

static void put_words(fgti_page *p, const fgti_choice *c, int64_t first, int64_t end, const double *weight,
                      fgti_scale scale)
{
    for (int64_t i = first; i < end; i++)
        fgti_put(p, "<span class='word q%d' data-token='%d' title='%g'>%s</span> ",
                 fgti_level(weight[i], scale), i, weight[i], fgti_strings_get(&c->subject->names, i));
}

static void put_text(fgti_page *p, const fgti_shown_text *t)
{
    fgti_choice c;
    double      weight[FGTI_REPORT_SIDE];
    if (!fgti_choose(p, t->subject, &c)) return;
    const fgti_scale scale = fgti_received(p, &c, -1, weight);
    fgti_put(p, "<article class='words' data-subject='%d'>", (int64_t)(c.subject - p->r->subject));
    if (t->name >= 0) fgti_put(p, "<h3>%s</h3>", fgti_page_text(p, t->name));
    fgti_put(p, "<h4>By attention: how much the tokens read of a word</h4><p class='text'>");
    put_words(p, &c, 0, t->count, weight, scale);
    fgti_put(p, "</p>");
    if (t->count < c.subject->side) {
        fgti_put(p, "<p class='more'>Tokens of several words: ");
        put_words(p, &c, t->count, c.subject->side, weight, scale);
        fgti_put(p, "</p>");
    }
    if (t->value) fgti_page_measure(p, t->measure, c.subject, t->value, t->count, "text");
    fgti_put(p, "</article>\n");
}

void fgti_page_texts(fgti_page *p)
{
    if (!p->r->texts) return;
    fgti_put(p,
             "<section aria-labelledby='h-texts'><h2 id='h-texts'>The words, and how much the model reads of "
             "them</h2><p>These are the words as the model gets them. The stronger the colour of a word, the "
             "more weight the tokens of the text put on it. The number is in its tooltip, and in the table "
             "below.</p>");
    for (int64_t i = 0; i < p->r->texts; i++) put_text(p, &p->r->shown[i]);
    fgti_put(p, "</section>\n");
}
