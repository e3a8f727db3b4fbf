/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_HELPER_H
#define TESTS_HELPER_H

/* Parts that most test programs share: an allocator that counts and fails on demand, verdicts with the
 * context's sentence, calls with every allocation failing once, whole files. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"

/* ---- memory ---- */

typedef struct test_memory {
    int64_t calls, live; /* allocations asked for, blocks not released */
    int64_t bytes, peak; /* of those blocks, and the most there were */
    int64_t countdown;   /* the allocation that brings it to 0 fails, or calls `trap`; 0: none */
    void (*trap)(void);
} test_memory;

static inline void *test_alloc(void *user, size_t size, size_t align)
{
    test_memory *m = user;
    m->calls++;
    if (m->countdown > 0 && --m->countdown == 0) {
        if (!m->trap) return NULL;
        m->trap();
    }
    void *p = fgti_libc_alloc(NULL, size, align);
    if (!p) return NULL;
    m->live++;
    m->bytes += (int64_t)size;
    if (m->bytes > m->peak) m->peak = m->bytes;
    return p;
}

static inline void test_release(void *user, void *ptr, size_t size)
{
    test_memory *m = user;
    m->live--;
    m->bytes -= (int64_t)size;
    fgti_libc_release(NULL, ptr, size);
}

static inline fgt_allocator test_allocator(test_memory *m)
{
    return (fgt_allocator){sizeof(fgt_allocator), m, test_alloc, test_release};
}

static inline fgt_context *test_context(test_memory *m, int32_t threads)
{
    *m                       = (test_memory){0};
    const fgt_allocator    a = test_allocator(m);
    const fgt_context_opts o = {.size = sizeof o, .allocator = &a, .threads = threads};
    fgt_context           *c;
    if (fgt_context_create(&o, &c) != FGT_OK) fail_msg("no context");
    return c;
}

/* ---- verdicts ---- */

/* The status is `want`, and if that is an error, its sentence has the words. */
static inline void test_expect(const char *file, int line, const fgt_context *c, fgt_status got,
                               fgt_status want, const char *words)
{
    const char *text = fgt_context_get_error(c);
    if (got != want || (want != FGT_OK && !strstr(text, words)))
        fail_msg("%s:%d: %s \"%s\", expected %s with \"%s\"", file, line, fgt_status_get_name(got), text,
                 fgt_status_get_name(want), words);
}

#define OK_OF(c, call)                     test_expect(__FILE__, __LINE__, c, (call), FGT_OK, "")
#define REFUSED_OF(c, call, status, words) test_expect(__FILE__, __LINE__, c, (call), (status), (words))
/* The same of the context `ctx`. */
#define OK(call)                     OK_OF(ctx, call)
#define REFUSED(call, status, words) REFUSED_OF(ctx, call, status, words)

/* ---- failing allocations ---- */

typedef struct test_sweep {
    test_memory *memory;
    int64_t      k, live, least;
} test_sweep;

static inline void test_sweep_arm(test_sweep *w)
{
    w->live              = w->memory->live;
    w->memory->countdown = ++w->k;
}

/* True after a call that failed as it must; false after the one that had all its memory. */
static inline bool test_sweep_failed(const test_sweep *w, const char *file, int line, const fgt_context *c,
                                     fgt_status s)
{
    const bool failed    = w->memory->countdown == 0;
    w->memory->countdown = 0;
    if (failed && s == FGT_OK)
        fail_msg("%s:%d: allocation %lld failed without a word", file, line, (long long)w->k);
    test_expect(file, line, c, s, failed ? FGT_E_NOMEM : FGT_OK, "memory");
    if (!failed && w->k <= w->least)
        fail_msg("%s:%d: only %lld allocations", file, line, (long long)w->k - 1);
    return failed;
}

/* SWEEP(&memory, s, 5, fgt_thing_create(ctx, &thing)) assert_null(thing);
 * The call's allocations number 1, 2, ... fail, until it succeeds: s is FGT_E_NOMEM with a sentence, and the
 * statement that follows looks at what is left. There are at least `least` allocations. */
#define SWEEP(m, s, lowest, call)                                                                    \
    for (test_sweep w_ = {.memory = (m), .least = (lowest)};                                         \
         test_sweep_arm(&w_), (s) = (call), test_sweep_failed(&w_, __FILE__, __LINE__, ctx, (s));)
/* That statement, when nothing else is left to look at: all blocks have been released. */
#define NOTHING_LEAKS assert_int_equal(w_.memory->live, w_.live)

/* ---- files ---- */

typedef struct test_block {
    char   *data; /* a NUL stands behind it */
    int64_t size;
} test_block;

/* A whole file, to be freed. */
static inline test_block test_read(const char *path)
{
    test_block b = {NULL, 0};
    FILE      *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    b.size = ftell(f);
    rewind(f);
    b.data = calloc((size_t)b.size + 1, 1);
    assert_non_null(b.data);
    assert_int_equal(fread(b.data, 1, (size_t)b.size, f), b.size);
    fclose(f);
    return b;
}

static inline void test_write(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

/* Renames the hash in a model file, so that damage to it is not seen before it is read. */
static inline void test_forget_hash(char *data, size_t size)
{
    static const char name[] = "\"fighter.hash\"", other[] = "\"another.hash\"";
    for (size_t i = 0; i + sizeof name <= size; i++)
        if (!memcmp(data + i, name, sizeof name - 1)) memcpy(data + i, other, sizeof other - 1);
}

#endif
