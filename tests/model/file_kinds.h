/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MODEL_FILE_KINDS_H
#define TESTS_MODEL_FILE_KINDS_H

/* The three kinds of files that a path, memory and functions of a host can hold: models, forecasters and
 * classifiers, each with the files of its fuzz corpus. And a context whose allocator counts bytes, fails on
 * demand, or does something else on demand. */

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <fighter/classify.h>
#include <fighter/forecast.h>

#include "core/context.h"

static struct memory {
    long    live, countdown; /* the allocation that brings it to 0 fails, or calls `trap`; 0: none */
    int64_t bytes, peak;
    void (*trap)(void);
} memory;
static fgt_context *ctx;

static inline void *memory_alloc(void *user, size_t size, size_t align)
{
    struct memory *m = user;
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

static inline void memory_release(void *user, void *ptr, size_t size)
{
    struct memory *m = user;
    m->live--;
    m->bytes -= (int64_t)size;
    fgti_libc_release(NULL, ptr, size);
}

static inline int open_context(void **state)
{
    (void)state;
    const fgt_allocator a = {sizeof a, memory_alloc, memory_release, &memory};
    memory                = (struct memory){0};
    return fgt_context_create(&FGT_OPTS(fgt_context_opts, .allocator = &a), &ctx) != FGT_OK;
}

static inline int close_context(void **state)
{
    (void)state;
    fgt_context_destroy(&ctx);
    return memory.live != 0;
}

static inline void ok(fgt_status s)
{
    if (s != FGT_OK) fail_msg("%s: %s", fgt_status_get_name(s), fgt_context_error(ctx));
}

static inline void refused(fgt_status got, fgt_status want, const char *words)
{
    if (got != want || !strstr(fgt_context_error(ctx), words))
        fail_msg("%s \"%s\", expected %s with \"%s\"", fgt_status_get_name(got), fgt_context_error(ctx),
                 fgt_status_get_name(want), words);
}

/* ---- the kinds ---- */

typedef struct kind {
    const char *folder; /* of the corpus */
    fgt_status (*load)(const char *path, void **out);
    fgt_status (*load_memory)(const void *data, int64_t bytes, void **out);
    fgt_status (*load_from)(const fgt_reader *reader, void **out);
    fgt_status (*save)(void *p, const char *path);
    fgt_status (*save_memory)(void *p, void *buffer, int64_t capacity, int64_t *bytes);
    fgt_status (*save_to)(void *p, const fgt_writer *writer);
    void (*destroy)(void **p);
} kind;

/* Functions on void * for one kind; `also` stands before the place of the result. */
#define KIND(word, also)                                                                                   \
    static fgt_status word##_load(const char *path, void **out)                                            \
    {                                                                                                      \
        fgt_##word      *p;                                                                                \
        const fgt_status s = fgt_##word##_load(ctx, path also, &p);                                        \
        *out               = p;                                                                            \
        return s;                                                                                          \
    }                                                                                                      \
    static fgt_status word##_load_memory(const void *data, int64_t bytes, void **out)                      \
    {                                                                                                      \
        fgt_##word      *p;                                                                                \
        const fgt_status s = fgt_##word##_load_memory(ctx, data, bytes also, &p);                          \
        *out               = p;                                                                            \
        return s;                                                                                          \
    }                                                                                                      \
    static fgt_status word##_load_from(const fgt_reader *reader, void **out)                               \
    {                                                                                                      \
        fgt_##word      *p;                                                                                \
        const fgt_status s = fgt_##word##_load_from(ctx, reader also, &p);                                 \
        *out               = p;                                                                            \
        return s;                                                                                          \
    }                                                                                                      \
    static fgt_status word##_save(void *p, const char *path)                                               \
    {                                                                                                      \
        return fgt_##word##_save(p, path);                                                                 \
    }                                                                                                      \
    static fgt_status word##_save_memory(void *p, void *buffer, int64_t capacity, int64_t *bytes)          \
    {                                                                                                      \
        return fgt_##word##_save_memory(p, buffer, capacity, bytes);                                       \
    }                                                                                                      \
    static fgt_status word##_save_to(void *p, const fgt_writer *writer)                                    \
    {                                                                                                      \
        return fgt_##word##_save_to(p, writer);                                                            \
    }                                                                                                      \
    static void word##_destroy(void **p)                                                                   \
    {                                                                                                      \
        fgt_##word *q = *p;                                                                                \
        fgt_##word##_destroy(&q);                                                                          \
        *p = q;                                                                                            \
    }
#define NO_OPTIONS , NULL
#define NOTHING
KIND(model, NO_OPTIONS)
KIND(forecaster, NOTHING)
KIND(classifier, NOTHING)

#define OF(word)                                                                                           \
    {                                                                                                      \
        "fuzz_" #word, word##_load, word##_load_memory, word##_load_from, word##_save, word##_save_memory, \
            word##_save_to, word##_destroy                                                                 \
    }
static const kind kinds[] = {OF(model), OF(forecaster), OF(classifier)};
#define KINDS (int)(sizeof kinds / sizeof *kinds)

/* ---- files ---- */

typedef struct block {
    char   *data;
    int64_t size;
} block;

static inline block read_file(const char *path)
{
    block b = {NULL, 0};
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    b.size = ftell(f);
    rewind(f);
    b.data = malloc((size_t)b.size + 1);
    assert_non_null(b.data);
    assert_int_equal(fread(b.data, 1, (size_t)b.size, f), b.size);
    fclose(f);
    return b;
}

static inline void write_file(const char *path, const void *data, int64_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, (size_t)size, f), size);
    assert_int_equal(fclose(f), 0);
}

/* Calls f with each file of a kind's corpus. Kinds that were not built are left out. */
static inline int each_file(const kind *k, void (*f)(const kind *k, const char *path))
{
    char folder[512];
    int  n = 0;
    snprintf(folder, sizeof folder, TESTS_DIR "/fuzz/corpus/%s", k->folder);
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        char  path[1024];
        void *p = NULL;
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        const fgt_status s = k->load(path, &p);
        k->destroy(&p);
        if (s == FGT_E_UNSUPPORTED) continue;
        ok(s);
        f(k, path);
        n++;
    }
    closedir(d);
    if (!n) print_message("%s: skipped, not built in\n", k->folder);
    return n;
}

static inline void each_kind(void (*f)(const kind *k, const char *path))
{
    int n = 0;
    for (int i = 0; i < KINDS; i++) n += each_file(&kinds[i], f);
    assert_true(n > 0);
}

#endif
