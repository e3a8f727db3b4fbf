/* SPDX-License-Identifier: BSD-3-Clause */
/* The context is created here because this is the lowest folder that knows all its parts. */
#include "core/context.h"

#include <string.h>

#include "blas/blas.h"
#include "core/opts.h"
#include "core/vec/vec.h"

#define TEXT_OF(x)    #x
#define JOIN(a, b, c) TEXT_OF(a) "." TEXT_OF(b) "." TEXT_OF(c)
#define VERSION       JOIN(FGT_VERSION_MAJOR, FGT_VERSION_MINOR, FGT_VERSION_PATCH)

/* Checks and copies options and hooks, and sets the allocator of the context. */
static fgt_status context_read_opts(fgt_context *ctx, const fgt_context_opts *in, fgt_context_opts *opts,
                                    fgt_executor *host)
{
    FGTI_TRY(fgti_opts_read(&ctx->error, "context options", in, opts, sizeof *opts));
    if (opts->threads < 0 || opts->threads > FGTI_THREADS_MAX)
        return fgti_fail(&ctx->error, FGT_E_ARG, "context: threads is out of range (got %d, need 0 .. %d)",
                         opts->threads, FGTI_THREADS_MAX);
    if (opts->products != FGT_PRODUCTS_AUTO && opts->products != FGT_PRODUCTS_BLIS)
        return fgti_fail(&ctx->error, FGT_E_ARG, "context: products is out of range (got %d, need 0 .. %d)",
                         opts->products, FGT_PRODUCTS_BLIS);
    if (opts->precision != FGT_PRECISION_F32 && opts->precision != FGT_PRECISION_BF16)
        return fgti_fail(&ctx->error, FGT_E_ARG, "context: precision is out of range (got %d, need 0 .. %d)",
                         opts->precision, FGT_PRECISION_BF16);
    ctx->allocator = (fgt_allocator){
        .size = sizeof(fgt_allocator), .alloc = fgti_libc_alloc, .release = fgti_libc_release};
    if (opts->allocator) {
        FGTI_TRY(fgti_opts_read(&ctx->error, "allocator", opts->allocator, &ctx->allocator,
                                sizeof ctx->allocator));
        if (!ctx->allocator.alloc || !ctx->allocator.release)
            return fgti_fail(&ctx->error, FGT_E_ARG, "context: alloc or release of the allocator is NULL");
    }
    if (opts->executor) {
        FGTI_TRY(fgti_opts_read(&ctx->error, "executor", opts->executor, host, sizeof *host));
        if (!host->run) return fgti_fail(&ctx->error, FGT_E_ARG, "context: run of the executor is NULL");
    }
    ctx->products  = opts->products;
    ctx->precision = opts->precision;
    ctx->log       = opts->log;
    ctx->log_user  = opts->log_user;
    return FGT_OK;
}

/* BLIS aborts the process if it gets no memory for its own pool. One product here makes it allocate the pool
 * now, before the caller has data to lose. */
static void run_once(fgt_context *ctx)
{
    const fgti_real x[2] = {1, 2};
    fgti_real       c    = 0;
    const fgti_gemm g    = {.m     = 1,
                            .n     = 1,
                            .k     = 2,
                            .alpha = 1,
                            .a     = x,
                            .rsa   = 2,
                            .csa   = 1,
                            .b     = x,
                            .rsb   = 1,
                            .csb   = 1,
                            .c     = &c,
                            .ldc   = 1};
    fgti_gemm_run(ctx->blas, fgti_worker_scratch(&ctx->exec, 0), &g);
}

fgt_status fgt_context_create(const fgt_context_opts *opts, fgt_context **out)
{
    if (!out) return FGT_E_ARG;
    *out                   = NULL;
    fgt_context      first = {0}; /* carries the allocator until the context exists */
    fgt_context_opts o;
    fgt_executor     host = {0};
    FGTI_TRY(context_read_opts(&first, opts, &o, &host));

    fgt_context *ctx;
    FGTI_TRY(FGTI_NEW(&first, 1, "context", &ctx));
    *ctx      = first;
    ctx->blas = fgti_blas_get(o.keep_environment != 0, o.products != FGT_PRODUCTS_BLIS);
    ctx->vec  = fgti_vec_get(NULL);
    if (!ctx->blas) {
        fgti_free(ctx, ctx);
        return FGT_E_NOMEM;
    }

    const fgt_status s = fgti_exec_init(ctx, &ctx->exec, o.threads ? o.threads : 1, o.executor ? &host : NULL,
                                        ctx->blas->scratch_bytes);
    if (s != FGT_OK) {
        fgti_free(ctx, ctx);
        return s;
    }
    run_once(ctx);
    if (ctx->blas->slow) fgti_log(ctx, FGT_LOG_WARN, "matrix products are slow: %s", ctx->blas->slow_reason);
    *out = ctx;
    return FGT_OK;
}

void fgt_context_destroy(fgt_context **ctx)
{
    if (!ctx || !*ctx) return;
    for (fgti_owned *o = (*ctx)->owned, *next; o; o = next) {
        next = o->next;
        fgti_free(*ctx, o);
    }
    fgti_exec_done(*ctx, &(*ctx)->exec);
    fgti_free(*ctx, *ctx);
    *ctx = NULL;
}

const char *fgt_context_get_error(const fgt_context *ctx)
{
    return ctx ? ctx->error.text : "";
}

fgt_status fgt_context_get_info(fgt_context *ctx, fgt_build_info *info)
{
    if (!ctx) return FGT_E_ARG;
    if (!info) return fgti_fail(&ctx->error, FGT_E_ARG, "fgt_context_get_info: info is NULL");
    const fgt_build_info ours = {
        .size         = sizeof ours,
        .version      = VERSION,
        .blas         = ctx->blas->name,
        .blas_version = ctx->blas->version,
        .blas_config  = ctx->blas->config,
        .kernel       = ctx->blas->kernel,
        .vector       = ctx->vec->name,
        .threads      = ctx->exec.workers,
        .bf16         = ctx->blas->bf16,
    };
    return fgti_result_write(&ctx->error, "fgt_build_info", &ours, sizeof ours, info);
}
