/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices of attention, their powers, and the squares of their pictures. */
#include "report/report_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <fighter/analysis.h>

#include "blas/blas.h"
#include "core/size.h"

/* ---- subjects ---- */

int64_t fgti_subject_find(const fgt_report *r, const char *name)
{
    for (int64_t i = 0; i < r->subjects; i++)
        if (!strcmp(fgti_strings_get(&r->names, r->subject[i].name), name ? name : "")) return i;
    return -1;
}

/* Adds the name of the square with tokens first .. last of a subject. The name is one token's name, or the
 * names of the first and the last token, each in half of the space. Six characters are left for an ellipsis
 * and a number. */
static fgt_status report_matrix_name_square(fgt_context *ctx, const fgti_subject *s, int64_t first,
                                            int64_t last, fgti_strings *list)
{
    enum { WHOLE = FGTI_SHOWN_NAME - 6, HALF = WHOLE / 2 - 2 };
    char a[FGTI_SHOWN_BYTES(FGTI_SHOWN_NAME)], b[FGTI_SHOWN_BYTES(HALF)];
    fgti_shown(fgti_strings_get(&s->token, first), first == last ? WHOLE : HALF, a);
    if (first != last) {
        fgti_shown(fgti_strings_get(&s->token, last), HALF, b);
        snprintf(a + strlen(a), sizeof a - strlen(a), " \xe2\x80\xa6 %s", b);
    }
    return fgti_strings_add(ctx, list, a, (int64_t)strlen(a));
}

static bool report_matrix_is_repeated(const fgti_strings *list, int64_t i)
{
    for (int64_t k = 0; k < list->count; k++)
        if (k != i && !strcmp(fgti_strings_get(list, k), fgti_strings_get(list, i))) return true;
    return false;
}

/* Names the tokens and the squares. If several squares have the same name, such as a word that occurs twice,
 * each gets a number. */
static fgt_status report_matrix_name(fgt_context *ctx, fgti_subject *s, const char *const *tokens,
                                     fgti_strings *plain)
{
    char text[FGTI_SHOWN_BYTES(FGTI_SHOWN_NAME) + 32];
    for (int64_t i = 0; i < s->tokens; i++) {
        if (tokens && !tokens[i])
            return fgti_fail(&ctx->error, FGT_E_ARG, "report: token %lld is NULL", (long long)i);
        FGTI_TRY(tokens ? fgti_strings_add(ctx, &s->token, tokens[i], (int64_t)strlen(tokens[i]))
                        : fgti_strings_add_number(ctx, &s->token, i + 1));
    }
    for (int64_t i = 0; i < s->side; i++) {
        const int64_t first = i * s->merged, last = fgti_least(first + s->merged, s->tokens) - 1;
        FGTI_TRY(report_matrix_name_square(ctx, s, first, last, plain));
    }
    for (int64_t i = 0; i < s->side; i++) {
        int n = snprintf(text, sizeof text, "%s", fgti_strings_get(plain, i));
        if (report_matrix_is_repeated(plain, i))
            n += snprintf(text + n, sizeof text - (size_t)n, " (%lld)", (long long)i + 1);
        FGTI_TRY(fgti_strings_add(ctx, &s->names, text, n));
    }
    return FGT_OK;
}

fgt_status fgti_subject_add(fgt_report *r, const char *name, int64_t tokens, const char *const *names,
                            int64_t *number)
{
    fgti_subject s     = {.tokens = tokens};
    fgti_strings plain = {0};
    *number            = fgti_subject_find(r, name);
    if (*number >= 0 && r->subject[*number].tokens == tokens) return FGT_OK;
    if (*number >= 0)
        return fgti_fail(&r->ctx->error, FGT_E_SHAPE,
                         "report: another number of tokens than before (got %lld, need %lld)",
                         (long long)tokens, (long long)r->subject[*number].tokens);
    FGTI_TRY(fgti_report_name(r, &r->names, name ? name : "", &s.name));
    FGTI_TRY(fgti_grow(r->ctx, "subjects", sizeof *r->subject, r->subjects, r->subjects + 1,
                       2 * r->subjects + 4, &r->subject_capacity, (void **)&r->subject));
    s.merged           = fgti_parts(tokens, FGTI_REPORT_SIDE);
    s.side             = fgti_parts(tokens, s.merged);
    const fgt_status e = report_matrix_name(r->ctx, &s, names, &plain);
    fgti_strings_done(r->ctx, &plain);
    if (e != FGT_OK) {
        fgti_subject_done(r->ctx, &s);
        return e;
    }
    *number             = r->subjects++;
    r->subject[*number] = s;
    return FGT_OK;
}

/* ---- powers ---- */

const int32_t fgti_report_statistics[] = {FGT_STATISTIC_DIAGONAL, FGT_STATISTIC_ENTROPY_NORMALISED,
                                          FGT_STATISTIC_DISTANCE, FGT_STATISTIC_FIRST,
                                          FGT_STATISTIC_RANK_ONE};

/* Adds to each square the sum over its columns, averaged over its rows. */
static void report_matrix_add_squares(const fgti_subject *s, const fgti_real *p, double *square)
{
    const int64_t t = s->tokens, n = s->side;
    for (int64_t i = 0; i < t; i++) {
        const int64_t row = i / s->merged, rows = fgti_least(s->merged, t - row * s->merged);
        for (int64_t j = 0; j < t; j++)
            square[row * n + j / s->merged] += (double)p[i * t + j] / (double)rows;
    }
}

/* Stores the square root of each weight. So half of the levels are for weights below a quarter of the largest
 * weight. */
static void report_matrix_store(const double *square, int64_t cells, double *most, uint8_t *out)
{
    *most = 0;
    for (int64_t i = 0; i < cells; i++)
        if (square[i] > *most) *most = square[i];
    for (int64_t i = 0; i < cells; i++)
        out[i] = (uint8_t)(*most > 0 ? sqrt(square[i] / *most) * 255 + 0.5 : 0);
}

typedef struct powers {
    const fgti_subject *s;
    fgti_real          *a, *now, *next; /* [T,T] */
    double             *square, *mean;  /* [n,n], [hops,n,n] */
} powers;

static fgt_status report_matrix_fill_head(const fgt_report *r, powers *w, int64_t head, int64_t heads,
                                          fgti_frame_set *set)
{
    const int64_t t = w->s->tokens, n2 = w->s->side * w->s->side;
    for (int64_t hop = 0; hop < r->hops; hop++) {
        const int64_t at = ((heads > 1) + head) * r->hops + hop;
        if (hop) {
            fgti_real *last = w->now;
            fgti_gemm_run(
                r->ctx->blas, fgti_worker_scratch(&r->ctx->exec, 0),
                &(fgti_gemm){t, t, t, 1, 0, w->a, t, 1, last, t, 1, w->next, t, false, NULL, 0, NULL, false});
            w->now  = w->next;
            w->next = last;
        }
        for (int i = 0; i < FGTI_REPORT_STATISTICS; i++) { /* refuses powers that are not finite */
            double value;
            FGTI_TRY(fgt_statistic_compute(r->ctx, fgti_report_statistics[i], NULL,
                                           FGT_VIEW_OF(FGTI_REAL, w->now, t, t), &value));
            set->statistic[i][hop] += value / (double)heads;
        }
        memset(w->square, 0, (size_t)n2 * sizeof *w->square);
        report_matrix_add_squares(w->s, w->now, w->square);
        report_matrix_store(w->square, n2, &set->most[at], set->cell + at * n2);
        for (int64_t i = 0; i < n2; i++) w->mean[hop * n2 + i] += w->square[i] / (double)heads;
    }
    return FGT_OK;
}

static fgt_status report_matrix_fill(const fgt_report *r, powers *w, const fgt_view *a, int64_t heads,
                                     fgti_frame_set *set)
{
    const int64_t t2 = w->s->tokens * w->s->tokens, n2 = w->s->side * w->s->side;
    const int64_t frames = set->planes * r->hops;
    FGTI_TRY(FGTI_NEW(r->ctx, frames + fgti_parts(frames * n2, sizeof(double)), "pictures of A", &set->most));
    FGTI_TRY(FGTI_NEW(r->ctx, 3 * t2, "powers of A", &w->a));
    FGTI_TRY(FGTI_NEW(r->ctx, (1 + r->hops) * n2, "squares of A", &w->square));
    set->cell = (uint8_t *)(set->most + frames);
    w->now    = w->a + t2;
    w->next   = w->now + t2;
    w->mean   = w->square + n2;
    for (int64_t h = 0; h < heads; h++) {
        for (int64_t i = 0; i < t2; i++) w->a[i] = w->now[i] = (fgti_real)fgti_view_get(a, h * t2 + i);
        FGTI_TRY(report_matrix_fill_head(r, w, h, heads, set));
    }
    for (int64_t hop = 0; heads > 1 && hop < r->hops; hop++)
        report_matrix_store(w->mean + hop * n2, n2, &set->most[hop], set->cell + hop * n2);
    return FGT_OK;
}

/* ---- for hosts ---- */

/* Stores a set of matrices. It replaces a set with the same subject, layer and epoch; otherwise it comes
 * after all others. */
static fgt_status report_matrix_add_set(fgt_report *r, const fgti_frame_set *set)
{
    int64_t i = 0;
    while (i < r->sets && (r->set[i].subject != set->subject || r->set[i].layer != set->layer ||
                           r->set[i].epoch != set->epoch))
        i++;
    FGTI_TRY(fgti_grow(r->ctx, "matrices", sizeof *r->set, r->sets, i + 1, 2 * r->sets + 8, &r->set_capacity,
                       (void **)&r->set));
    if (i == r->sets)
        r->sets++;
    else
        fgti_free(r->ctx, r->set[i].most);
    r->set[i] = *set;
    return FGT_OK;
}

/* Adds a matrix whose sizes have been checked. */
static fgt_status report_matrix_add(fgt_report *r, const fgt_report_matrix *m, int64_t heads, int64_t tokens)
{
    const int64_t  subjects = r->subjects;
    fgti_frame_set set      = {.epoch = m->epoch, .planes = heads + (heads > 1)};
    powers         w        = {0};
    FGTI_TRY(fgti_report_name(r, &r->layers, m->layer, &set.layer));
    FGTI_TRY(fgti_subject_add(r, m->subject, tokens, m->tokens, &set.subject));
    w.s          = &r->subject[set.subject];
    fgt_status s = report_matrix_fill(r, &w, m->a, heads, &set);
    if (s == FGT_OK) s = report_matrix_add_set(r, &set);
    if (s != FGT_OK) fgti_free(r->ctx, set.most);
    if (s != FGT_OK && r->subjects > subjects) fgti_subject_done(r->ctx, &r->subject[--r->subjects]);
    fgti_free(r->ctx, w.a);
    fgti_free(r->ctx, w.square);
    return s;
}

fgt_status fgt_report_add_matrix(fgt_report *report, const fgt_report_matrix *matrix)
{
    static const int64_t any[] = {-1, -1, -1};
    fgt_report_matrix    m;
    char                 shape[FGTI_SHAPE_TEXT];
    FGTI_TRY(fgti_report_read(report, "matrix", true, matrix, &m, sizeof m));
    fgti_error *err = &report->ctx->error;
    if (!m.layer || m.epoch < 0)
        return fgti_fail(err, FGT_E_ARG,
                         "report: a matrix is wrong (got epoch %lld, need a layer and 0 or more)",
                         (long long)m.epoch);
    const int32_t rank = m.a && m.a->rank == 2 ? 2 : 3;
    FGTI_TRY(fgti_view_check_number(err, "report: a", m.a, rank, any));
    const int64_t tokens = m.a->shape[rank - 1];
    if (tokens != m.a->shape[rank - 2] || fgt_view_count(m.a) < 1)
        return fgti_fail(err, FGT_E_SHAPE, "report: a has a wrong shape (got %s, need [A,T,T] or [T,T])",
                         fgti_shape_text(rank, m.a->shape, shape));
    FGTI_TRY(fgti_report_check(err, "a", m.a, 1e30));
    const fgti_strings was = report->layers;
    const fgt_status   s   = report_matrix_add(report, &m, rank == 3 ? m.a->shape[0] : 1, tokens);
    if (s != FGT_OK) {
        report->layers.count = was.count;
        report->layers.used  = was.used;
    }
    return s;
}
