/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "../model_info.h"
#include "calls.h"
#include "core/alloc.h"
#include "nn/layer.h"

enum { POOL = 1 << 14, OPTIONS = 4096 };

/* Memory that views point to. Ids and reals are read, the rest is written to; results are never read
 * again. */
static _Alignas(64) float reals[POOL / sizeof(float)];
static _Alignas(64) int64_t ids[POOL / sizeof(int64_t)];
static _Alignas(64) char results[POOL];

static void fill_pools(void)
{
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) reals[i] = (float)(i * 7 % 13) / 8 - 0.5f;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) ids[i] = (int64_t)(i * 5 % 3);
}

int64_t draw_size(world *w)
{
    static const int64_t odd[] = {-1,
                                  0,
                                  1 << 20,
                                  INT32_MAX,
                                  INT64_C(1) << 31,
                                  INT64_MIN,
                                  INT64_MAX,
                                  INT64_C(1) << 40,
                                  (INT64_C(1) << 40) + 1,
                                  INT64_C(1) << 62,
                                  300,
                                  64};
    const unsigned       b     = take(w);
    return b < 216 ? b % 7 : odd[b % (sizeof odd / sizeof *odd)];
}

double draw_real(world *w)
{
    static const double odd[] = {0,    0.5,   1,     -1,     1e-3,        2,
                                 1e30, 1e-30, 1e300, -1e300, (double)NAN, (double)INFINITY};
    return odd[pick(w, sizeof odd / sizeof *odd)];
}

int draw_stop(void *user, const fgt_progress *p)
{
    (void)p;
    return pick(user, 16) == 15;
}

const char *draw_text(world *w)
{
    static const char *const texts[] = {"",
                                        "oil up, shares down",
                                        "the goal, the match",
                                        "a",
                                        "\xff\xfe",
                                        "a\xc3\xb6l \xe6\xb0\xb4",
                                        "one two three four five six seven eight nine",
                                        "1",
                                        "2"};
    return texts[pick(w, sizeof texts / sizeof *texts)];
}

const char *draw_name(world *w, fgt_model *m)
{
    static const char        too_long[] = "no name has more than 127 bytes, and this one has more, as it is "
                                          "repeated: no name has more than 127 bytes, and this one has more";
    static const char *const names[]    = {"",  "0",  "1",     "2",   "weight", "0.h",   "1.h",
                                           "*", "0.", "*bias", "a.b", "\xff",   too_long};
    const unsigned           b          = take(w);
    if (b == 255) return NULL;
    const char *own = b & 1 ? parameter_name(m, pick(w, 8)) : NULL;
    return own ? own : names[(b >> 1) % (sizeof names / sizeof *names)];
}

/* ---- layers ---- */

static void draw_option(world *w, const fgti_opt *o, void *opts)
{
    const unsigned b = take(w);
    if (o->kind == FGTI_OPT_GRAPH) {
        const fgt_graph *graph = b < 224 ? w->graph : NULL;
        memcpy((char *)opts + o->offset, &graph, sizeof graph);
    } else if (isnan(o->standard) || b < 64) {
        fgti_opt_set(o, opts, (double)(1 + b % 4));
    } else if (b >= 250) {
        const double v = draw_real(w);
        /* fgti_opt_set() is for values that a field can hold */
        fgti_opt_set(o, opts, isfinite(v) && fabs(v) < 1e9 ? v : 1e9);
    }
}

fgt_layer draw_layer(world *w)
{
    static _Alignas(16) char opts[OPTIONS];
    const unsigned           b       = take(w);
    const int32_t            how     = pick(w, 32);
    int32_t                  classes = 0;
    while (fgti_class_at(classes)) classes++;
    const fgti_class *cls   = fgti_class_at((int32_t)b % classes);
    fgt_layer         layer = {.type = cls->name, .opts = opts};
    memset(opts, 0, sizeof opts);
    memcpy(opts, &cls->opts_size, sizeof cls->opts_size);
    for (const fgti_opt *o = cls->opts; o->name; o++) draw_option(w, o, opts);
    if (how == 0) layer.opts = NULL;
    if (how == 1) layer.type = "no_such_layer";
    if (how == 2) opts[pick(w, sizeof(size_t))] ^= (char)take(w);
    if (how == 3) layer.type = NULL;
    if (how >= 28) layer = fgt_shared(draw_name(w, w->model[0]));
    if (how % 8 == 5) layer = fgt_along(FGT_AXIS_NODES, layer);
    if (how % 4 == 3) layer.name = draw_name(w, w->model[0]);
    return layer;
}

/* ---- views ---- */

/* Whether the pools hold it. A view that overflows has data: that is for the library to see. */
static bool fits(const fgt_view *v)
{
    static const int64_t width[] = {4, 8, 4, 8};
    int64_t              bytes   = v->dtype >= 0 && v->dtype < 4 ? width[v->dtype] : 8;
    if (v->rank < 0 || v->rank > FGT_MAX_RANK) return true;
    if (fgt_view_count(v) < 0) return true;
    for (int32_t i = 0; i < v->rank; i++)
        if (!fgti_size_mul(bytes, v->shape[i], &bytes)) return true;
    return bytes <= POOL;
}

static void distort(world *w, fgt_view *v)
{
    switch (pick(w, 12)) {
    case 0: v->rank = pick(w, 8) - 1; break;
    case 1: v->shape[pick(w, FGT_MAX_RANK)] = draw_size(w); break;
    case 2: v->dtype = pick(w, 6) - 1; break;
    case 3:
    case 4: v->shape[0] = 1; break;
    default: break;
    }
}

fgt_view draw_view(world *w, const fgt_view *right, bool out)
{
    fgt_view v = {.rank = 0};
    if (!ids[1]) fill_pools();
    if (right) {
        v = *right;
    } else {
        v.rank  = pick(w, 4);
        v.dtype = pick(w, 4);
        for (int32_t i = 0; i < v.rank; i++) v.shape[i] = draw_size(w);
    }
    distort(w, &v);
    v.data = NULL;
    if (!fits(&v) || pick(w, 32) == 0) return v;
    v.data = v.dtype == FGT_DTYPE_I32 || v.dtype == FGT_DTYPE_I64 ? (void *)ids : (void *)reals;
    if (out) v.data = results;
    return v;
}

fgt_view *draw_null(world *w, fgt_view *v)
{
    return pick(w, 32) ? v : NULL;
}

void touch(const fgt_view *v)
{
    const int64_t bytes =
        fgt_view_count(v) * (v->dtype == FGT_DTYPE_F64 || v->dtype == FGT_DTYPE_I64 ? 8 : 4);
    if (v->data && bytes > 0 && bytes <= POOL) memcpy(results, v->data, (size_t)bytes);
}
