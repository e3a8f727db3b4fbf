/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/red_zone.h"

/* A header of FGTI_ALIGN bytes precedes every block. It holds the size of the block, because the host's
 * release function takes the size. */
#define HEADER FGTI_ALIGN

bool fgti_size_mul(int64_t a, int64_t b, int64_t *out)
{
    if (a < 0 || b < 0 || (b > 0 && a > INT64_MAX / b)) return false;
    *out = a * b;
    return true;
}

bool fgti_size_add(int64_t a, int64_t b, int64_t *out)
{
    if (a < 0 || b < 0 || a > INT64_MAX - b) return false;
    *out = a + b;
    return true;
}

void *fgti_libc_alloc(void *user, size_t size, size_t align)
{
    (void)user;
    void *p = NULL;
    return posix_memalign(&p, align, size) ? NULL : p;
}

void fgti_libc_release(void *user, void *ptr, size_t size)
{
    (void)user;
    (void)size;
    free(ptr);
}

fgt_status fgti_alloc_dirty(fgt_context *ctx, int64_t count, size_t size, const char *what, void **out)
{
    int64_t bytes, total;
    *out = NULL;
    if (!fgti_size_mul(count, (int64_t)size, &bytes) || !fgti_size_add(bytes, HEADER + 1, &total) ||
        (uint64_t)total > SIZE_MAX / 2)
        return fgti_fail(&ctx->error, FGT_E_SIZE, "%s: %lld elements of %zu bytes are too many", what,
                         (long long)count, size);
    char *p = ctx->allocator.alloc(ctx->allocator.user, (size_t)total, FGTI_ALIGN);
    if (!p)
        return fgti_fail(&ctx->error, FGT_E_NOMEM, "%s: no memory for %lld bytes", what, (long long)bytes);
    if ((uintptr_t)p % FGTI_ALIGN) { /* aligned loads of BLIS would crash later */
        ctx->allocator.release(ctx->allocator.user, p, (size_t)total);
        return fgti_fail(&ctx->error, FGT_E_ARG, "%s: the allocator ignores the alignment of %d", what,
                         FGTI_ALIGN);
    }
    memcpy(p, &total, sizeof total);
    *out = p + HEADER;
    return FGT_OK;
}

fgt_status fgti_alloc(fgt_context *ctx, int64_t count, size_t size, const char *what, void **out)
{
    FGTI_TRY(fgti_alloc_dirty(ctx, count, size, what, out));
    memset(*out, 0, (size_t)count * size + 1);
    return FGT_OK;
}

void fgti_free(fgt_context *ctx, void *ptr)
{
    if (!ptr) return;
    char   *p = (char *)ptr - HEADER;
    int64_t total;
    memcpy(&total, p, sizeof total);
    fgti_red_zone_lift(p, total);
    ctx->allocator.release(ctx->allocator.user, p, (size_t)total);
}

fgt_status fgti_strdup(fgt_context *ctx, const char *s, char **out)
{
    const size_t n = strlen(s) + 1;
    FGTI_TRY(fgti_alloc(ctx, (int64_t)n, 1, "text", (void **)out));
    memcpy(*out, s, n);
    return FGT_OK;
}
