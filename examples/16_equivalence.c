/* SPDX-License-Identifier: BSD-3-Clause */
/* A Transformer encoder block is a graph convolution: this program folds a block into a Fighter layer, and
 * prints the difference of their outputs.
 *     cc 16_equivalence.c $(pkg-config --cflags --libs fighter) -lm */
#include <fighter/experimental/convert.h>
#include <fighter/fighter.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { B = 4, T = 50, D = 32, H = 128 }; /* H: width of the feed-forward block */

static fgt_context *ctx;

static void check(fgt_status status)
{
    if (status == FGT_OK) return;
    fprintf(stderr, "equivalence: %s: %s\n", fgt_status_get_name(status), fgt_context_get_error(ctx));
    exit(1);
}

static float *draw(int n, double scale)
{
    float *a = malloc((size_t)n * sizeof *a);
    if (!a) exit(1);
    for (int i = 0; i < n; i++) a[i] = (float)(scale * (2.0 * rand() / RAND_MAX - 1));
    return a;
}

/* Transposes from [rows,columns] to [columns,rows]. */
static void turn(const float *from, int rows, int columns, float *to)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) to[j * rows + i] = from[i * columns + j];
}

/* relu(A x wv w1) as separate layers: attention with the output projection 1, and a linear layer. */
static fgt_model *encoder(const float *wq, const float *wk, const float *wv, const float *w1)
{
    static float in_proj[3 * D * D], out_proj[D * D], weight[H * D];
    fgt_model   *model;
    turn(wq, D, D, in_proj);
    turn(wk, D, D, in_proj + D * D);
    turn(wv, D, D, in_proj + 2 * D * D);
    turn(w1, D, H, weight);
    for (int i = 0; i < D; i++) out_proj[i * D + i] = 1;
    check(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D), &model));
    check(fgt_model_add(model, fgt_attention(&FGT_OPTS(fgt_attention_opts, .no_bias = 1))));
    check(fgt_model_add(model, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = H, .no_bias = 1))));
    check(fgt_model_add(model, fgt_activation(&FGT_OPTS(fgt_activation_opts, .kind = FGT_ACT_RELU))));
    check(fgt_model_set_parameter(model, "0.in_proj_weight", FGT_VIEW(in_proj, 3 * D, D)));
    check(fgt_model_set_parameter(model, "0.out_proj.weight", FGT_VIEW(out_proj, D, D)));
    check(fgt_model_set_parameter(model, "1.weight", FGT_VIEW(weight, H, D)));
    return model;
}

/* The same as one graph convolution, y = relu(A x W) with W = wv w1. */
static fgt_model *graph(const float *wq, const float *wk, const float *wv, const float *w1)
{
    fgt_model *model;
    check(fgt_fighter_create_folded(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T),
                                    FGT_VIEW(wq, D, D), FGT_VIEW(wk, D, D), FGT_VIEW(wv, D, D),
                                    FGT_VIEW(w1, D, H), FGT_ACT_RELU, &model));
    return model;
}

int main(void)
{
    static float y[2][B * T * H];
    const double scale = sqrt(6.0 / D); /* keeps the variance from layer to layer */
    float        largest = 0, difference = 0;
    check(fgt_context_create(NULL, &ctx));
    float     *x = draw(B * T * D, 2), *wq = draw(D * D, scale), *wk = draw(D * D, scale);
    float     *wv = draw(D * D, scale), *w1 = draw(D * H, scale);
    fgt_model *model[2] = {encoder(wq, wk, wv, w1), graph(wq, wk, wv, w1)};
    for (int i = 0; i < 2; i++) check(fgt_predict(model[i], FGT_VIEW(x, B, T, D), FGT_VIEW(y[i], B, T, H)));
    for (int i = 0; i < B * T * H; i++) {
        const float size = fabsf(y[0][i]), apart = fabsf(y[0][i] - y[1][i]);
        if (size > largest) largest = size;
        if (apart > difference) difference = apart;
    }
    printf("encoder block  %lld weights in 4 matrices\n", (long long)(3 * D * D + D * H));
    printf("graph layer    %lld weights in 3, one hop over the attention matrix\n",
           (long long)(2 * D * D + D * H));
    printf("largest output %.3g, largest difference %.3g\n", (double)largest, (double)difference);

    for (int i = 0; i < 2; i++) fgt_model_destroy(&model[i]);
    fgt_context_destroy(&ctx);
    free(x), free(wq), free(wk), free(wv), free(w1);
    return difference <= 1e-5 * largest ? 0 : 1;
}
