/* SPDX-License-Identifier: BSD-3-Clause */
/* Structs of other lengths, as programs older and newer than the library have them. */
#include <stddef.h>
#include <stdio.h>

#include <fighter/fighter.h>

/* A model's options as a later release may have them. */
typedef struct longer_opts {
    fgt_model_opts known;
    int64_t        unknown;
} longer_opts;

static int expect(fgt_context *ctx, const char *what, const longer_opts *opts, fgt_status wanted)
{
    fgt_model       *model = NULL;
    const fgt_status s     = fgt_model_create(ctx, &opts->known, &model);
    fgt_model_destroy(&model);
    if (s != wanted) printf("%s: %s, not %s\n", what, fgt_status_get_name(s), fgt_status_get_name(wanted));
    return s != wanted;
}

int main(void)
{
    fgt_context *ctx = NULL;
    int          bad = 0;
    if (fgt_context_create(NULL, &ctx)) return 1;

    longer_opts opts = {.known = {.size = sizeof opts, .batch = 2, .time = 3, .features = 4}};
    bad += expect(ctx, "a longer struct whose tail is zero", &opts, FGT_OK);
    opts.unknown = 1;
    bad += expect(ctx, "a longer struct whose tail is not zero", &opts, FGT_E_VERSION);
    opts.known.size = offsetof(fgt_model_opts, nodes);
    bad += expect(ctx, "a shorter struct", &opts, FGT_OK);
    opts.known.size = 0;
    bad += expect(ctx, "a struct without its size", &opts, FGT_E_VERSION);

    fgt_context_destroy(&ctx);
    return bad != 0;
}
