// SPDX-License-Identifier: BSD-3-Clause
// The same from C++11.
#include <cstdio>

#include <fighter/fighter.h>

int main()
{
    fgt_context_opts opts = fgt_opts<fgt_context_opts>();
    opts.threads          = 1;

    fgt_context *ctx = nullptr;
    if (fgt_context_create(&opts, &ctx) != FGT_OK) {
        std::fprintf(stderr, "no context\n");
        return 1;
    }
    fgt_context_destroy(&ctx);
    return ctx != nullptr;
}
