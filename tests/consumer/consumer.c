/* SPDX-License-Identifier: BSD-3-Clause */
/* Somebody else's program: built outside this tree against the installed library. */
#include <stdio.h>

#include <fighter/fighter.h>

int main(void)
{
    fgt_context *ctx = NULL;
    if (fgt_context_create(NULL, &ctx)) {
        fprintf(stderr, "no context\n");
        return 1;
    }
    printf("fighter %d\n", (int)fgt_version_get());
    fgt_context_destroy(&ctx);
    return 0;
}
