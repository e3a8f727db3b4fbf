/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices of attention, their powers, and the squares of their pictures. */
#include "report/report_matrix.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <fighter/analysis.h>

#include "blas/blas.h"
#include "core/size.h"
#include "data/table.h"
#include "report/report_names.h"

/* ---- subjects ---- */

fgti_subject *fgti_report_find(const fgt_report *r, int64_t name)
{
    for (int64_t i = 0; i < r->subjects; i++)
        if (r->subject[i].name == name) return &r->subject[i];
    return NULL;
}

static const char *token_name(const char *const *tokens, int64_t i, char number[24])
{
    snprintf(number, 24, "%lld", (long long)i + 1);
    return tokens ? tokens[i] : number;
}

/* Adds the name of tokens first .. last: one name, or the first and the last one, each in half of the
 * space. */
static fgt_status add_square_name(fgt_context *ctx, fgti_strings *list, const char *const *tokens,
                                  int64_t first, int64_t last)
{
    enum { HALF = FGTI_NAME_SHOWN / 2 - 3 };
    char         text[4 * FGTI_NAME_SHOWN], number[24];
    fgti_strings ends = {0};
    if (first == last)
        return fgti_shown_add(ctx, list, token_name(tokens, first, number), FGTI_NAME_SHOWN);
    fgt_status e = fgti_shown_add(ctx, &ends, token_name(tokens, first, number), HALF);
    if (e == FGT_OK) e = fgti_shown_add(ctx, &ends, token_name(tokens, last, number), HALF);
    if (e == FGT_OK) {
        snprintf(text, sizeof text, "%s \xe2\x80\xa6 %s", fgti_strings_get(&ends, 0),
                 fgti_strings_get(&ends, 1));
        e = fgti_shown_add(ctx, list, text, FGTI_NAME_SHOWN);
    }
    fgti_strings_done(ctx, &ends);
    return e;
}

static bool is_repeated(const fgti_strings *list, int64_t i)
{
    for (int64_t k = 0; k < list->count; k++)
        if (k != i && !strcmp(fgti_strings_get(list, k), fgti_strings_get(list, i))) return true;
    return false;
}

/* Makes names different: a name that occurs several times, as words do, gets its number. */
static fgt_status add_different(fgt_context *ctx, const fgti_strings *list, fgti_strings *out)
{
    char text[4 * FGTI_NAME_SHOWN + 32];
    for (int64_t i = 0; i < list->count; i++) {
        const char *name = fgti_strings_get(list, i);
        if (is_repeated(list, i))
            snprintf(text, sizeof text, "%s (%lld)", name, (long long)i + 1);
        else
            snprintf(text, sizeof text, "%s", name);
        FGTI_TRY(fgti_strings_add(ctx, out, text, (int64_t)strlen(text)));
    }
    return FGT_OK;
}

static fgt_status name_squares(fgt_context *ctx, fgti_subject *s, const char *const *tokens)
{
    char         number[24];
    fgti_strings plain = {0};
    fgt_status   e     = FGT_OK;
    s->merged          = fgti_parts(s->tokens, FGTI_REPORT_SIDE);
    s->side            = fgti_parts(s->tokens, s->merged);
    for (int64_t i = 0; tokens && i < s->tokens; i++)
        if (!tokens[i]) return fgti_fail(&ctx->error, FGT_E_ARG, "report: token %lld is NULL", (long long)i);
    for (int64_t i = 0; i < s->tokens; i++)
        FGTI_TRY(fgti_shown_add(ctx, &s->token, token_name(tokens, i, number), FGTI_NAME_SHOWN));
    for (int64_t i = 0; e == FGT_OK && i < s->side; i++) {
        const int64_t first = i * s->merged, last = fgti_least(first + s->merged, s->tokens) - 1;
        e = add_square_name(ctx, &plain, tokens, first, last);
    }
    if (e == FGT_OK) e = add_different(ctx, &plain, &s->names);
    fgti_strings_done(ctx, &plain);
    return e;
}

void fgti_subject_done(fgt_context *ctx, fgti_subject *s)
{
    fgti_strings_done(ctx, &s->names);
    fgti_strings_done(ctx, &s->token);
}

fgt_status fgti_report_subject(fgt_report *r, int64_t name, int64_t tokens, const char *const *names,
                               int64_t *number)
{
    fgti_subject *there = fgti_report_find(r, name), fresh = {.name = name, .tokens = tokens};
    if (there && there->tokens != tokens)
        return fgti_fail(&r->ctx->error, FGT_E_SHAPE, "report: %lld tokens, before there were %lld",
                         (long long)tokens, (long long)there->tokens);
    if (there) {
        *number = there - r->subject;
        return FGT_OK;
    }
    FGTI_TRY(fgti_grow(r->ctx, "subjects", sizeof *r->subject, r->subjects, r->subjects + 1,
                       2 * r->subjects + 4, &r->subject_capacity, (void **)&r->subject));
    const fgt_status s = name_squares(r->ctx, &fresh, names);
    if (s != FGT_OK) {
        fgti_subject_done(r->ctx, &fresh);
        return s;
    }
    r->subject[r->subjects] = fresh;
    *number                 = r->subjects++;
    return FGT_OK;
}

/* ---- powers ---- */

const int32_t fgti_report_statistics[] = {FGT_STATISTIC_DIAGONAL, FGT_STATISTIC_ENTROPY_NORMALISED,
                                          FGT_STATISTIC_DISTANCE, FGT_STATISTIC_FIRST,
                                          FGT_STATISTIC_RANK_ONE};

/* c = a b, all [t,t] */
static void multiply(const fgt_context *ctx, int64_t t, const fgti_real *a, const fgti_real *b, fgti_real *c)
{
    fgti_gemm_run(ctx->blas, fgti_worker_scratch(&ctx->exec, 0),
                  &(fgti_gemm){t, t, t, 1, 0, a, t, 1, b, t, 1, c, t, false, NULL, 0, NULL, false});
}

/* Adds to each square the mean over its rows of the sum over its columns. */
static void add_squares(const fgti_subject *s, const fgti_real *p, double *square)
{
    const int64_t t = s->tokens, n = s->side;
    for (int64_t i = 0; i < t; i++) {
        const int64_t row = i / s->merged, rows = fgti_least(s->merged, t - row * s->merged);
        for (int64_t j = 0; j < t; j++)
            square[row * n + j / s->merged] += (double)p[i * t + j] / (double)rows;
    }
}

/* Stores the square root of each weight, so half of the levels are for weights below a quarter of the
 * largest. */
static void store(const double *square, int64_t cells, double *most, uint8_t *out)
{
    *most = 0;
    for (int64_t i = 0; i < cells; i++)
        if (square[i] > *most) *most = square[i];
    for (int64_t i = 0; i < cells; i++)
        out[i] = (uint8_t)(*most > 0 ? sqrt(square[i] / *most) * 255 + 0.5 : 0);
}

typedef struct powers {
    fgti_real *a, *now, *next; /* [T,T] */
    double    *square, *mean;  /* [n,n], [hops,n,n] */
} powers;

static fgt_status reserve(const fgt_report *r, const fgti_subject *s, powers *w)
{
    const int64_t t2 = s->tokens * s->tokens, n2 = s->side * s->side;
    FGTI_TRY(FGTI_NEW(r->ctx, 3 * t2, "powers of A", &w->a));
    FGTI_TRY(FGTI_NEW(r->ctx, (1 + r->hops) * n2, "squares of A", &w->square));
    w->now  = w->a + t2;
    w->next = w->now + t2;
    w->mean = w->square + n2;
    return FGT_OK;
}

/* Adds a head's share of the mean statistics. */
static fgt_status add_statistics(const fgt_report *r, int64_t tokens, const fgti_real *a, int64_t heads,
                                 int64_t hop, fgti_frame_set *set)
{
    for (int i = 0; i < FGTI_REPORT_STATISTICS; i++) {
        double value;
        FGTI_TRY(fgt_statistic_compute(r->ctx, (int32_t)fgti_report_statistics[i], NULL,
                                       FGT_VIEW_OF(FGTI_REAL, a, tokens, tokens), &value));
        set->statistic[i][hop] += value / (double)heads;
    }
    return FGT_OK;
}

static fgt_status fill_head(const fgt_report *r, const fgti_subject *s, int64_t head, int64_t heads,
                            powers *w, fgti_frame_set *set)
{
    const int64_t t = s->tokens, n2 = s->side * s->side;
    for (int64_t hop = 0; hop < r->hops; hop++) {
        const int64_t at = ((heads > 1) + head) * r->hops + hop;
        if (hop) {
            fgti_real *last = w->now;
            multiply(r->ctx, t, w->a, last, w->next);
            w->now  = w->next;
            w->next = last;
        }
        FGTI_TRY(add_statistics(r, t, w->now, heads, hop, set)); /* refuses powers that are not finite */
        memset(w->square, 0, (size_t)n2 * sizeof *w->square);
        add_squares(s, w->now, w->square);
        store(w->square, n2, &set->most[at], set->cell + at * n2);
        for (int64_t i = 0; i < n2; i++) w->mean[hop * n2 + i] += w->square[i] / (double)heads;
    }
    return FGT_OK;
}

static fgt_status fill(const fgt_report *r, const fgti_subject *s, const fgt_view *a, int64_t heads,
                       powers *w, fgti_frame_set *set)
{
    const int64_t t = s->tokens, n2 = s->side * s->side;
    FGTI_TRY(reserve(r, s, w));
    for (int64_t h = 0; h < heads; h++) {
        for (int64_t i = 0; i < t * t; i++) w->a[i] = w->now[i] = (fgti_real)fgti_view_get(a, h * t * t + i);
        FGTI_TRY(fill_head(r, s, h, heads, w, set));
    }
    for (int64_t hop = 0; heads > 1 && hop < r->hops; hop++)
        store(w->mean + hop * n2, n2, &set->most[hop], set->cell + hop * n2);
    return FGT_OK;
}

static fgt_status make_set(const fgt_report *r, const fgti_subject *s, const fgt_view *a, int64_t heads,
                           fgti_frame_set *set)
{
    const int64_t planes = heads + (heads > 1), frames = planes * r->hops;
    powers        w = {0};
    set->planes     = planes;
    FGTI_TRY(FGTI_NEW(r->ctx, frames + fgti_parts(frames * s->side * s->side, sizeof(double)),
                      "pictures of A", &set->most));
    set->cell    = (uint8_t *)(set->most + frames);
    fgt_status e = fill(r, s, a, heads, &w, set);
    fgti_free(r->ctx, w.a);
    fgti_free(r->ctx, w.square);
    if (e == FGT_OK) return FGT_OK;
    fgti_free(r->ctx, set->most);
    return e;
}

/* ---- for hosts ---- */

static fgt_status check_view(fgti_error *err, const fgt_view *a, int64_t *heads, int64_t *tokens)
{
    char shape[FGTI_SHAPE_TEXT];
    if (!a || !a->data) return fgti_fail(err, FGT_E_ARG, "report: a is NULL");
    if (a->rank != 2 && a->rank != 3)
        return fgti_fail(err, FGT_E_SHAPE, "report: a has %d axes, must be [A,T,T] or [T,T]", (int)a->rank);
    const int64_t *last = a->shape + a->rank - 2;
    if (last[0] != last[1] || fgt_view_count(a) < 1 ||
        (a->dtype != FGT_DTYPE_F32 && a->dtype != FGT_DTYPE_F64))
        return fgti_fail(err, FGT_E_SHAPE, "report: a is %s, must be [A,T,T] or [T,T] of real numbers",
                         fgti_shape_text(a->rank, a->shape, shape));
    *tokens = last[0];
    *heads  = a->rank == 3 ? a->shape[0] : 1;
    for (int64_t i = 0; i < fgt_view_count(a); i++) {
        const double v = fgti_view_get(a, i);
        if (isfinite(v) && v >= 0 && v <= 1e30) continue;
        return fgti_fail(err, isfinite(v) ? FGT_E_DATA : FGT_E_NONFINITE,
                         "report: element %lld of a is %g, must be a weight", (long long)i, v);
    }
    return FGT_OK;
}

static fgt_status add_set(fgt_report *r, const fgti_frame_set *set)
{
    for (int64_t i = 0; i < r->sets; i++) {
        fgti_frame_set *old = &r->set[i];
        if (old->subject != set->subject || old->layer != set->layer || old->epoch != set->epoch) continue;
        fgti_free(r->ctx, old->most);
        *old = *set;
        return FGT_OK;
    }
    FGTI_TRY(fgti_grow(r->ctx, "matrices", sizeof *r->set, r->sets, r->sets + 1, 2 * r->sets + 8,
                       &r->set_capacity, (void **)&r->set));
    r->set[r->sets++] = *set;
    return FGT_OK;
}

/* Adds a matrix whose sizes have been checked. */
static fgt_status add_matrix(fgt_report *r, const fgt_report_matrix *m, int64_t heads, int64_t tokens)
{
    const int64_t  subjects = r->subjects;
    fgti_frame_set set      = {.epoch = m->epoch};
    int64_t        name;
    FGTI_TRY(fgti_report_name(r, &r->text, m->subject ? m->subject : "", FGTI_NAME_SHOWN, &name));
    FGTI_TRY(fgti_report_name(r, &r->layers, m->layer, FGTI_NAME_SHOWN, &set.layer));
    FGTI_TRY(fgti_report_subject(r, name, tokens, m->tokens, &set.subject));
    fgt_status s = make_set(r, &r->subject[set.subject], m->a, heads, &set);
    if (s == FGT_OK) {
        s = add_set(r, &set);
        if (s != FGT_OK) fgti_free(r->ctx, set.most);
    }
    if (s != FGT_OK && r->subjects > subjects) fgti_subject_done(r->ctx, &r->subject[--r->subjects]);
    return s;
}

fgt_status fgt_report_add_matrix(fgt_report *report, const fgt_report_matrix *matrix)
{
    fgt_report       *r = report;
    fgt_report_matrix m;
    int64_t           heads = 0, tokens = 0;
    if (!r) return FGT_E_ARG;
    fgti_error *err = &r->ctx->error;
    if (!matrix) return fgti_fail(err, FGT_E_ARG, "report: matrix is NULL");
    FGTI_TRY(fgti_opts_read(err, "fgt_report_matrix", matrix, &m, sizeof m));
    if (!m.layer || m.epoch < 0)
        return fgti_fail(err, FGT_E_ARG, "report: a matrix needs a layer, and an epoch of 0 or more");
    FGTI_TRY(check_view(err, m.a, &heads, &tokens));
    const fgti_names text = r->text, layers = r->layers;
    const fgt_status s    = add_matrix(r, &m, heads, tokens);
    if (s != FGT_OK) {
        fgti_names_restore(&r->text, &text);
        fgti_names_restore(&r->layers, &layers);
    }
    return s;
}
