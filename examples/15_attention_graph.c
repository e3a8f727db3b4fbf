/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph that attention has learned. Of four artificial series, two follow others with a delay. A token is
 * a whole series, so A is a graph between the series. The program trains a Fighter layer, prints measures of
 * its A, and writes A and A^2, as means over all windows and heads, for other programs to draw:
 *     attention_graph [FOLDER]
 *     dot -Tsvg attention_1.dot -o attention.svg
 * Without a folder the files go to the current one.
 *     cc 15_attention_graph.c $(pkg-config --cflags --libs fighter) -lm */
#include <fighter/fighter.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SERIES  = 4,
    ROWS    = 600,
    LENGTH  = 24,
    DELAY   = 6,
    WINDOWS = ROWS - LENGTH - DELAY,
    BATCH   = 30,
    POWERS  = 2
};

static const char *const names[SERIES] = {"rain", "river \"Ems\"", "wind & sun", "power"};
static fgt_context      *ctx;
static float             value[ROWS][SERIES];

static void check(fgt_status status)
{
    if (status == FGT_OK) return;
    fprintf(stderr, "attention_graph: %s: %s\n", fgt_status_get_name(status), fgt_context_get_error(ctx));
    exit(1);
}

/* "rain" and "wind & sun" vary independently; the river follows the rain, and power follows the wind. */
static void make_series(void)
{
    float level[SERIES] = {0};
    for (int t = 0; t < ROWS; t++)
        for (int c = 0; c < SERIES; c++) {
            level[c]    = 0.9f * level[c] + (float)(2.0 * rand() / RAND_MAX - 1);
            value[t][c] = c % 2 && t >= DELAY ? value[t - DELAY][c - 1] + 0.1f * level[c] : level[c];
        }
}

/* Windows as samples: x [n,SERIES,LENGTH], each series a token; target [n,SERIES,DELAY], the next values. */
static fgt_status get(void *user, const int64_t *index, int64_t n, const fgt_view *x, const fgt_view *target)
{
    (void)user;
    float *in = x->data, *out = target->data;
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < SERIES; c++) {
            for (int t = 0; t < LENGTH; t++) *in++ = value[index[i] + t][c];
            for (int t = 0; t < DELAY; t++) *out++ = value[index[i] + LENGTH + t][c];
        }
    return FGT_OK;
}

static fgt_model *train(void)
{
    fgt_model       *model;
    const fgt_source source = {.size = sizeof source, .count = WINDOWS, .get = get};
    check(fgt_model_create(
        ctx, &FGT_OPTS(fgt_model_opts, .batch = BATCH, .time = SERIES, .features = LENGTH, .seed = 1),
        &model));
    check(fgt_model_add(model, fgt_position(NULL)));
    check(fgt_model_add(model, fgt_named("graph", fgt_fighter(&FGT_OPTS(fgt_fighter_opts, .hops = 2)))));
    check(fgt_model_add(model, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = DELAY))));
    check(fgt_model_fit(
        model,
        &FGT_OPTS(fgt_fit_opts, .train = &source, .training = {.epochs = 20, .batch = BATCH, .seed = 1}),
        NULL));
    return model;
}

/* The mean of A over all windows. */
static fgt_adjacency *collect(fgt_model *model)
{
    static float   x[BATCH * SERIES * LENGTH], y[BATCH * SERIES * DELAY];
    fgt_adjacency *mean;
    check(fgt_adjacency_create(model, "graph", POWERS, &mean));
    for (int64_t first = 0; first + BATCH <= WINDOWS; first += BATCH) {
        int64_t index[BATCH];
        for (int i = 0; i < BATCH; i++) index[i] = first + i;
        check(get(NULL, index, BATCH, FGT_VIEW(x, BATCH, SERIES, LENGTH), FGT_VIEW(y, BATCH, SERIES, DELAY)));
        check(fgt_predict(model, FGT_VIEW(x, BATCH, SERIES, LENGTH), FGT_VIEW(y, BATCH, SERIES, DELAY)));
        check(fgt_adjacency_add(mean, 0, 0));
    }
    return mean;
}

static void print_statistics(const fgt_view *a)
{
    static const int32_t asked[] = {FGT_STATISTIC_DIAGONAL, FGT_STATISTIC_DIAGONAL_EXPECTED,
                                    FGT_STATISTIC_ENTROPY_NORMALISED, FGT_STATISTIC_RANK_ONE};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        double out;
        check(fgt_statistic_compute(ctx, asked[i], NULL, a, &out));
        printf("  %-20s %.3f\n", fgt_statistic_get_name(asked[i]), out);
    }
}

/* Writes the two strongest edges of each node, in all formats. */
static void write_graph(const char *folder, const fgt_view *a, int power)
{
    static const char *const form[] = {"csv", "dot", "graphml"};
    fgt_edge                 edge[SERIES * SERIES];
    int64_t                  count;
    char                     path[1024], title[40];
    check(fgt_edges_select(ctx, a, &FGT_OPTS(fgt_edge_rule, .per_node = 2), edge, SERIES * SERIES, &count));
    snprintf(title, sizeof title, "attention, hop %d", power);
    const fgt_edge_list list = {.size       = sizeof list,
                                .edges      = edge,
                                .edge_count = count,
                                .names      = names,
                                .node_count = SERIES,
                                .title      = title};
    for (int f = 0; f < 3; f++) {
        snprintf(path, sizeof path, "%s/attention_%d.%s", folder, power, form[f]);
        check(fgt_edges_save(ctx, &list, f, FGT_TO_FILE(path)));
    }
    for (int64_t i = 0; i < count; i++)
        printf("  %s reads %s: %.2f\n", names[edge[i].to], names[edge[i].from], edge[i].weight);
}

int main(int argc, char **argv)
{
    make_series();
    check(fgt_context_create(NULL, &ctx));
    fgt_model     *model = train();
    fgt_adjacency *mean  = collect(model);
    for (int power = 1; power <= POWERS; power++) {
        fgt_view view;
        check(fgt_adjacency_get_mean(mean, -1, power, &view));
        printf("A^%d, mean of %d windows\n", power, (int)fgt_adjacency_count_samples(mean));
        print_statistics(&view);
        write_graph(argc > 1 ? argv[1] : ".", &view, power);
    }
    fgt_adjacency_destroy(&mean);
    fgt_model_destroy(&model);
    fgt_context_destroy(&ctx);
    return 0;
}
