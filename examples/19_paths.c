/* SPDX-License-Identifier: BSD-3-Clause */
/* Through which paths a trained layer of attention depends on its tokens:
 *     paths MODEL DATA [MARKER [LAYER INPUT]]
 * MODEL is a file of `fighter-forecast --model attention --save`, DATA a file with its series, in which the
 * number MARKER, or "none", stands for a missing value. LAYER attends, INPUT is the layer that it reads;
 * default: time.0.blocks.0 and time.0.norms.0, which a model with --space and has. Prints as CSV the mean
 * norms of the blocks dh_i/dx_j of its heads, by path, of a token by itself (i = j) and by the others, the
 * diagonal of A, and the norms that equation 8 of "Stochastic Parroting in Temporal Attention" is about,
 * with its bounds and those that always hold (fgt_attention_path_bounds): the means over 8 windows at equal
 * distances, series and heads.
 *     cc 19_paths.c $(pkg-config --cflags --libs fighter-tasks) */
#include <fighter/experimental/evaluate.h>
#include <fighter/experimental/exact.h>
#include <fighter/experimental/sensitivity.h>
#include <fighter/fighter.h>
#include <fighter/tasks.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOWS = 8, PATHS = FGT_ATTENTION_PATH_TOTAL + 1 };

static fgt_context *ctx;

static void check(fgt_status status)
{
    if (status == FGT_OK) return;
    fprintf(stderr, "paths: %s: %s\n", fgt_status_get_name(status), fgt_context_get_error(ctx));
    exit(1);
}

static void *need(int64_t count, size_t size)
{
    void *memory = calloc(count > 0 ? (size_t)count : 1, size);
    if (memory) return memory;
    fprintf(stderr, "paths: no memory\n");
    exit(1);
}

/* ---- the layer ---- */

typedef struct attention {
    const char *layer, *input;
    float      *weight, *bias; /* [3D,D], [3D]: of queries, keys, values */
    int64_t     d;
} attention;

static float *get_parameter(fgt_model *model, const char *layer, const char *part, fgt_view *v)
{
    char               name[256];
    fgt_parameter_info info = {.size = sizeof info};
    snprintf(name, sizeof name, "%s.%s", layer, part);
    check(fgt_model_get_parameter_info(model, name, 0, &info));
    *v      = info.shape;
    v->data = need(fgt_view_count(v), sizeof(float));
    check(fgt_model_copy_parameter(model, name, v));
    return v->data;
}

static void open_layer(fgt_model *model, attention *l)
{
    fgt_view weight = {0}, bias = {0};
    l->weight = get_parameter(model, l->layer, "in_proj_weight", &weight);
    l->bias   = get_parameter(model, l->layer, "in_proj_bias", &bias);
    l->d      = weight.shape[1];
}

/* ---- sums ---- */

typedef struct sums {
    double          own[PATHS], others[PATHS], diagonal;
    fgt_attention_path_bounds bounds;
    int64_t         count;
} sums;

static void add_bounds(const fgt_attention_head *h, fgt_attention_path_bounds *sum)
{
    fgt_attention_path_bounds b = {.size = sizeof b};
    check(fgt_attention_path_compute_bounds(ctx, h, FGT_SENSITIVITY_NORM_FROBENIUS, &b));
    sum->own_norm += b.own_norm;
    sum->own_bound += b.own_bound;
    sum->own_bound_sure += b.own_bound_sure;
    sum->off_norm += b.off_norm;
    sum->off_bound += b.off_bound;
}

/* One head of one sequence. */
static void add_head(const attention *l, const float *x, const float *a, int64_t t, int64_t heads,
                     int64_t head, double *norm, sums *s)
{
    const int64_t            d = l->d, k = d / heads, at = head * k;
    const fgt_attention_head h = {.size   = sizeof h,
                                  .x      = FGT_VIEW((float *)x, t, d),
                                  .a      = FGT_VIEW((float *)a, t, t),
                                  .wq     = FGT_VIEW(l->weight + at * d, k, d),
                                  .wk     = FGT_VIEW(l->weight + (d + at) * d, k, d),
                                  .wv     = FGT_VIEW(l->weight + (2 * d + at) * d, k, d),
                                  .bq     = FGT_VIEW(l->bias + at, k),
                                  .bk     = FGT_VIEW(l->bias + d + at, k),
                                  .turned = 1};
    for (int path = 0; path < PATHS; path++) {
        check(fgt_attention_path_compute(ctx, &h, (int32_t)path, FGT_SENSITIVITY_NORM_FROBENIUS,
                                         FGT_VIEW_OF(FGT_DTYPE_F64, norm, t, t), NULL));
        for (int64_t i = 0; i < t; i++)
            for (int64_t j = 0; j < t; j++)
                if (i == j)
                    s->own[path] += norm[i * t + j] / (double)t;
                else
                    s->others[path] += norm[i * t + j] / (double)(t * (t - 1));
    }
    add_bounds(&h, &s->bounds);
    for (int64_t i = 0; i < t; i++) s->diagonal += (double)a[i * t + i] / (double)t;
    s->count++;
}

/* All sequences of the last pass. */
static void add_pass(fgt_model *model, const attention *l, sums *s)
{
    fgt_view x = {0}, a = {0};
    check(fgt_workspace_get_value(fgt_model_get_workspace(model), l->input, &x));
    check(fgt_model_get_adjacency(model, l->layer, &a));
    const int64_t heads = a.shape[1], t = a.shape[2];
    double       *norm = need(t * t, sizeof *norm);
    for (int64_t i = 0; i < a.shape[0] * heads; i++)
        add_head(l, (const float *)x.data + i / heads * t * l->d, (const float *)a.data + i * t * t, t, heads,
                 i % heads, norm, s);
    free(norm);
}

static void print_sums(const sums *s)
{
    static const char *const names[PATHS] = {"value", "key", "query", "total"};
    printf("path,of itself,of the others\n");
    for (int path = 0; path < PATHS; path++)
        printf("%s,%.4g,%.4g\n", names[path], s->own[path] / (double)s->count,
               s->others[path] / (double)s->count);
    printf("diagonal,%.4g,\n", s->diagonal / (double)s->count);
    /* for other tokens 1/T times the sum; for the token itself with the residual path */
    const fgt_attention_path_bounds *b = &s->bounds;
    const double           n = (double)s->count;
    printf("equation 8,%.4g,%.4g\n", b->own_norm / n, b->off_norm / n);
    printf("bound,%.4g,%.4g\n", b->own_bound / n, b->off_bound / n);
    printf("sure bound,%.4g,%.4g\n", b->own_bound_sure / n, b->off_bound / n);
}

int main(int argc, char **argv)
{
    attention           l       = {.layer = argc > 5 ? argv[4] : "time.0.blocks.0",
                                   .input = argc > 5 ? argv[5] : "time.0.norms.0"};
    fgt_forecaster_info info    = {.size = sizeof info};
    fgt_csv_opts        missing = {.size = sizeof missing, .missing = FGT_TABLE_MISSING_MASK};
    fgt_forecaster     *f;
    fgt_table          *table;
    sums                s = {0};
    if (argc < 3) {
        printf("usage: paths MODEL DATA [MARKER [LAYER INPUT]]\n");
        return 0;
    }
    if (argc > 3 && strcmp(argv[3], "none")) {
        missing.has_marker = 1;
        missing.marker     = atof(argv[3]);
    }
    check(fgt_context_create(NULL, &ctx));
    check(fgt_forecaster_load(ctx, FGT_FROM_FILE(argv[1]), NULL, &f));
    check(fgt_forecaster_set_exact(f, 1)); /* A is read after each pass */
    check(fgt_table_load(ctx, argv[2], &missing, &table));
    check(fgt_forecaster_get_info(f, &info));
    open_layer(fgt_forecaster_get_model(f), &l);
    const int64_t  room     = fgt_table_count_rows(table) - info.input_len - info.pred_len;
    double        *y        = need(info.pred_len * info.columns, sizeof *y);
    const fgt_view forecast = *FGT_VIEW_OF(FGT_DTYPE_F64, y, info.pred_len, info.columns);
    for (int64_t i = 0; i < WINDOWS; i++) {
        check(fgt_forecaster_predict_table(f, table, info.input_len + (room > 0 ? room * i / WINDOWS : 0),
                                           NULL, &forecast));
        add_pass(fgt_forecaster_get_model(f), &l, &s);
    }
    print_sums(&s);
    free(y);
    free(l.weight);
    free(l.bias);
    fgt_table_destroy(&table);
    fgt_forecaster_destroy(&f);
    fgt_context_destroy(&ctx);
    return 0;
}
