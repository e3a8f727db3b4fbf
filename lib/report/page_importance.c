/* SPDX-License-Identifier: BSD-3-Clause */
/* The importance of tokens in Fighter layers. */
#include "report/page.h"

static void put_table(fgti_page *p, const fgti_strings *names, const double *share)
{
    fgti_put(p, "<details><summary>The importance in numbers</summary><div class='scroll' tabindex='0'>"
                "<table><thead><tr><th scope='col'>token</th><th scope='col'>share</th></tr></thead><tbody>");
    for (int64_t i = 0; i < names->count; i++)
        fgti_put(p, "<tr><th scope='row'>%s</th><td>%g</td></tr>\n", fgti_strings_get(names, i), share[i]);
    fgti_put(p, "</tbody></table></div></details>");
}

static void put_layer(fgti_page *p, const fgti_shown_tokens *t)
{
    const fgti_strings *names   = &fgti_report_find(p->r, t->subject)->names;
    const char         *subject = fgti_page_text(p, t->subject);
    fgti_put(p, "<div><h3>Layer %s%r%s</h3>", fgti_strings_get(&p->r->layers.shown, t->layer),
             *subject ? ", " : "", subject);
    if (t->share) {
        fgti_page_colours(p, names, t->share, names->count, "reads");
        put_table(p, names, t->share);
    } else
        fgti_put(p, "<p>It cannot be computed: the A of this layer is not a softmax over all scores of a "
                    "row.</p>");
    fgti_put(p, "</div>\n");
}

void fgti_page_importance(fgti_page *p)
{
    if (!p->r->importances) return;
    fgti_put(p,
             "<section aria-labelledby='h-importance'><h2 id='h-importance'>Which tokens count in the "
             "Fighter layers</h2><p>The importance of a token says how much the result would change with "
             "what this token looks for, its query: it is the norm of omega_j of section 4.2 of the "
             "Fighter paper, the derivative by the query. The result is the sum of the forecast, or the "
             "score of the class. The numbers are shares in the sum over all tokens of the layer. They can"
             " be computed for layers with two or more hops whose attention is full, with a graph or "
             "without; with another attender, or where the diagonal of A is scaled after the softmax, they"
             " cannot.</p>");
    for (int64_t i = 0; i < p->r->importances; i++) put_layer(p, &p->r->importance[i]);
    fgti_put(p, "</section>\n");
}
