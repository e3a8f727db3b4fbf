// SPDX-License-Identifier: BSD-3-Clause
// The same library from C++11: options through fgt_opts, views and files in place.
#include <cstddef>
#include <cstdio>
#include <vector>

#include <fighter/fighter.h>

namespace {

fgt_status run(fgt_context *ctx, fgt_model *model)
{
    fgt_linear_opts wide = fgt_opts<fgt_linear_opts>();
    wide.out             = 3;
    fgt_status s         = fgt_model_add(model, fgt_linear(&wide));
    if (s != FGT_OK) return s;

    std::vector<float> x(2 * 5 * 4, 0.5f), y(2 * 5 * 3), dy(y.size());
    fgt_loss_opts      loss_opts = fgt_opts<fgt_loss_opts>();
    double             loss      = 0;
    s = fgt_forward(model, FGT_VIEW(x.data(), 2, 5, 4), FGT_VIEW(y.data(), 2, 5, 3));
    if (s == FGT_OK)
        s = fgt_loss_compute(ctx, FGT_VIEW(y.data(), 2, 5, 3), FGT_VIEW(y.data(), 2, 5, 3), &loss_opts, NULL,
                             &loss, FGT_VIEW(dy.data(), 2, 5, 3));
    if (s == FGT_OK) s = fgt_backward(model, FGT_VIEW(dy.data(), 2, 5, 3), nullptr);
    return s;
}

// A model that went through memory has the same weights.
fgt_status copy(fgt_context *ctx, fgt_model *model)
{
    int64_t    bytes = 0;
    fgt_model *again = nullptr;
    fgt_status s     = fgt_model_save(model, FGT_TO_MEMORY(nullptr, 0, &bytes));
    if (s != FGT_OK) return s;
    std::vector<char> file(static_cast<std::size_t>(bytes));
    s = fgt_model_save(model, FGT_TO_MEMORY(file.data(), bytes, &bytes));
    if (s == FGT_OK) s = fgt_model_load(ctx, FGT_FROM_MEMORY(file.data(), bytes), nullptr, &again);
    if (s == FGT_OK && fgt_model_get_hash(again) != fgt_model_get_hash(model)) s = FGT_E_DATA;
    fgt_model_destroy(&again);
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
    if (s == FGT_OK) s = copy(ctx, model);
    if (s != FGT_OK) std::fprintf(stderr, "%s: %s\n", fgt_status_get_name(s), fgt_context_get_error(ctx));
    fgt_model_destroy(&model);
    fgt_context_destroy(&ctx);
    return s != FGT_OK;
}
