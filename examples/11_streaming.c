/* SPDX-License-Identifier: BSD-3-Clause */
/* A stream, one step at a time, with an LSTM and with S4. Each model follows a slow mean of noisy values,
 * which depends mainly on the last 50 steps. It is trained on pieces of 16 steps: each piece starts from a
 * state of zero, or with the states carried over from the piece before it. Then it streams far beyond 16
 * steps. Carried states make later steps better and the first ones worse, because few pieces begin a series:
 * restart series more often if the first steps matter.
 *     cc 11_streaming.c $(pkg-config --cflags --libs fighter) -lm */
#include <fighter/fighter.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { B = 16, T = 16, STEPS = 2000, RESTART = 20, LONG = 1000 };

static fgt_context *ctx;

static void check(fgt_status status)
{
    if (status == FGT_OK) return;
    fprintf(stderr, "streaming: %s: %s\n", fgt_status_get_name(status), fgt_context_get_error(ctx));
    exit(1);
}

static fgt_model *make(int s4)
{
    fgt_model *m;
    check(fgt_model_create(
        ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = 1, .seed = 1), &m));
    if (s4) {
        check(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 8))));
        check(fgt_model_add(m, fgt_s4(&FGT_OPTS(fgt_s4_opts, .state = 16))));
    } else {
        check(fgt_model_add(m, fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = 16))));
    }
    check(fgt_model_add(m, fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 1))));
    return m;
}

/* The next value of a series, and the mean after it. */
static void advance(double *mean, float *x, float *target)
{
    *x = rand() % 10 < 7 ? 1 : -1;
    *mean += 0.02 * (*x - *mean);
    *target = (float)*mean;
}

/* Trains on B long series in pieces of T steps. Series restart after RESTART pieces if states are carried
 * over, otherwise with each piece. */
static void train(fgt_model *model, int carry)
{
    static float        xs[B * T], ys[B * T], targets[B * T], dys[B * T];
    const fgt_loss_opts mse = {.size = sizeof mse, .kind = FGT_LOSS_MSE};
    const fgt_view *x = FGT_VIEW(xs, B, T, 1), *y = FGT_VIEW(ys, B, T, 1), *dy = FGT_VIEW(dys, B, T, 1);
    double          mean[B], loss;
    fgt_optim      *optim;
    fgt_workspace      *own = fgt_model_get_workspace(model);
    check(fgt_optim_create(model, &FGT_OPTS(fgt_optim_opts, .lr = 5e-3, .clip = 1), &optim));
    check(fgt_workspace_set_stateful(own, carry));
    for (int step = 0; step < STEPS; step++) {
        const int begins = !carry || step % RESTART == 0;
        if (begins) check(fgt_workspace_begin_series(own, 0));
        for (int b = 0; b < B; b++) {
            if (begins) mean[b] = 0;
            for (int t = 0; t < T; t++) advance(&mean[b], xs + b * T + t, targets + b * T + t);
        }
        check(fgt_forward(model, x, y));
        check(fgt_loss_compute(ctx, y, FGT_VIEW(targets, B, T, 1), &mse, NULL, &loss, dy));
        check(fgt_backward(model, dy, NULL));
        check(fgt_step(optim));
    }
    fgt_optim_destroy(&optim);
}

/* The largest difference between T single steps and one pass of T steps. */
static double compare(fgt_model *model)
{
    float          xs[T], whole[T], target, y;
    double         mean = 0, most = 0;
    fgt_workspace *own = fgt_model_get_workspace(model);
    for (int t = 0; t < T; t++) advance(&mean, xs + t, &target);
    check(fgt_workspace_set_stateful(own, 0));
    check(fgt_predict(model, FGT_VIEW(xs, 1, T, 1), FGT_VIEW(whole, 1, T, 1)));
    check(fgt_workspace_set_stateful(own, 1));
    check(fgt_workspace_begin_series(own, 0));
    for (int t = 0; t < T; t++) {
        check(fgt_predict(model, FGT_VIEW(xs + t, 1, 1, 1), FGT_VIEW(&y, 1, 1, 1)));
        most = fmax(most, fabs(y - whole[t]));
    }
    return most;
}

/* Root mean square errors of a new stream: in its first T steps, and in all later steps. */
static void stream(fgt_model *model, double *early, double *late)
{
    float  x, y, target;
    double mean = 0;
    *early = *late = 0;
    check(fgt_workspace_begin_series(fgt_model_get_workspace(model), 0)); /* a new series begins */
    for (int t = 0; t < LONG; t++) {
        advance(&mean, &x, &target);
        check(fgt_predict(model, FGT_VIEW(&x, 1, 1, 1), FGT_VIEW(&y, 1, 1, 1)));
        *(t < T ? early : late) += (y - target) * (y - target);
    }
    *early = sqrt(*early / T);
    *late  = sqrt(*late / (LONG - T));
}

int main(void)
{
    int failed = 0;
    check(fgt_context_create(NULL, &ctx));
    for (int s4 = 0; s4 < 2; s4++) {
        double early[2], late[2];
        for (int carry = 0; carry < 2; carry++) {
            fgt_model *model = make(s4);
            srand(1);
            train(model, carry);
            const double difference = compare(model);
            stream(model, &early[carry], &late[carry]);
            printf("%-4s %s  steps 1-%d: error %.3f, steps %d-%d: %.3f; steps differ from a pass by %.0e\n",
                   s4 ? "S4" : "LSTM", carry ? "states carried over" : "each piece from zero", T,
                   early[carry], T + 1, LONG, late[carry], difference);
            failed |= difference > 1e-4;
            fgt_model_destroy(&model);
        }
        failed |= late[1] > late[0] / 2;
    }
    fgt_context_destroy(&ctx);
    return failed;
}
