// SPDX-License-Identifier: BSD-3-Clause
// The same library from C++11: options through fgt_opts, views filled by hand.
#include <cstdio>
#include <vector>

#include <fighter/fighter.h>

namespace {

fgt_view view(std::vector<float> &data, int64_t batch, int64_t time, int64_t features)
{
    fgt_view v = fgt_view();
    v.data     = data.data();
    v.shape[0] = batch;
    v.shape[1] = time;
    v.shape[2] = features;
    v.rank     = 3;
    v.dtype    = FGT_F32;
    return v;
}

fgt_status run(fgt_context *ctx, fgt_model *model)
{
    fgt_linear_opts wide = fgt_opts<fgt_linear_opts>();
    wide.out             = 3;
    fgt_status s         = fgt_model_add(model, fgt_linear(&wide));
    if (s != FGT_OK) return s;

    std::vector<float> x(2 * 5 * 4, 0.5f), y(2 * 5 * 3), dy(y.size());
    const fgt_view     vx = view(x, 2, 5, 4), vy = view(y, 2, 5, 3), vdy = view(dy, 2, 5, 3);
    fgt_loss_opts      loss_opts = fgt_opts<fgt_loss_opts>();
    double             loss      = 0;
    s                            = fgt_forward(model, &vx, &vy);
    if (s == FGT_OK) s = fgt_loss_compute(ctx, &loss_opts, &vy, &vy, &loss, &vdy);
    if (s == FGT_OK) s = fgt_backward(model, &vdy, nullptr);
    return s;
}

} // namespace

int main()
{
    fgt_context *ctx   = nullptr;
    fgt_model   *model = nullptr;
    fgt_status   s     = fgt_context_create(nullptr, &ctx);

    fgt_model_opts opts = fgt_opts<fgt_model_opts>();
    opts.batch          = 2;
    opts.time           = 5;
    opts.features       = 4;
    if (s == FGT_OK) s = fgt_model_create(ctx, &opts, &model);
    if (s == FGT_OK) s = run(ctx, model);
    if (s != FGT_OK) std::fprintf(stderr, "%s: %s\n", fgt_status_get_name(s), fgt_context_error(ctx));
    fgt_model_destroy(&model);
    fgt_context_destroy(&ctx);
    return s != FGT_OK;
}
