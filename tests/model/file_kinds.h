/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MODEL_FILE_KINDS_H
#define TESTS_MODEL_FILE_KINDS_H

/* The three kinds of files that a path, memory and functions of a host can hold: models, forecasters and
 * classifiers, each with the files of its fuzz corpus. */

#include <dirent.h>
#include <unistd.h>

#include <fighter/classify.h>
#include <fighter/forecast.h>

#include "../one_context.h"

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

/* Functions on void * for one kind. */
#define KIND(word)                                                                                     \
    static fgt_status word##_load(const char *path, void **out)                                        \
    {                                                                                                  \
        fgt_##word      *p;                                                                            \
        const fgt_status s = fgt_##word##_load(ctx, FGT_FROM_FILE(path), NULL, &p);                    \
        *out               = p;                                                                        \
        return s;                                                                                      \
    }                                                                                                  \
    static fgt_status word##_load_memory(const void *data, int64_t bytes, void **out)                  \
    {                                                                                                  \
        fgt_##word      *p;                                                                            \
        const fgt_status s = fgt_##word##_load(ctx, FGT_FROM_MEMORY(data, bytes), NULL, &p);           \
        *out               = p;                                                                        \
        return s;                                                                                      \
    }                                                                                                  \
    static fgt_status word##_load_from(const fgt_reader *reader, void **out)                           \
    {                                                                                                  \
        fgt_##word      *p;                                                                            \
        const fgt_status s = fgt_##word##_load(ctx, &FGT_OPTS(fgt_input, .reader = reader), NULL, &p); \
        *out               = p;                                                                        \
        return s;                                                                                      \
    }                                                                                                  \
    static fgt_status word##_save(void *p, const char *path)                                           \
    {                                                                                                  \
        return fgt_##word##_save(p, FGT_TO_FILE(path));                                                \
    }                                                                                                  \
    static fgt_status word##_save_memory(void *p, void *buffer, int64_t capacity, int64_t *bytes)      \
    {                                                                                                  \
        return fgt_##word##_save(p, FGT_TO_MEMORY(buffer, capacity, bytes));                           \
    }                                                                                                  \
    static fgt_status word##_save_to(void *p, const fgt_writer *writer)                                \
    {                                                                                                  \
        return fgt_##word##_save(p, &FGT_OPTS(fgt_output, .writer = writer));                          \
    }                                                                                                  \
    static void word##_destroy(void **p)                                                               \
    {                                                                                                  \
        fgt_##word *q = *p;                                                                            \
        fgt_##word##_destroy(&q);                                                                      \
        *p = q;                                                                                        \
    }
KIND(model)
KIND(forecaster)
KIND(classifier)

#define OF(word)                                                                                           \
    {                                                                                                      \
        "fuzz_" #word, word##_load, word##_load_memory, word##_load_from, word##_save, word##_save_memory, \
            word##_save_to, word##_destroy                                                                 \
    }
static const kind kinds[] = {OF(model), OF(forecaster), OF(classifier)};
#define KINDS (int)(sizeof kinds / sizeof *kinds)

/* ---- files ---- */

typedef test_block block;

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
        OK(s);
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
