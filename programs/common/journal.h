/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef JOURNAL_H
#define JOURNAL_H

/* Results that are appended to a file in order, so that an interrupted run can continue. FILE.part holds the
 * results so far, and FILE.state says how far they reach. FILE is created when all results are written. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JOURNAL_PATH 4096

typedef struct journal {
    const char *path, *unit; /* unit: plural noun for the results, such as "forecasts" */
    char        part[JOURNAL_PATH], state[JOURNAL_PATH];
    uint64_t    key;         /* hash of everything that the results depend on */
    FILE       *file;        /* the open FILE.part; NULL: not open */
    int64_t     input, item; /* number of the next input file, and of the next item in it; the caller
                              * increments both */
    int64_t     bytes;       /* size of FILE.part at the last sync; 0: FILE.part is new */
    int64_t     done;        /* results so far, incremented by the caller */
    int64_t     before;      /* number of results that the interrupted run has written */
    double      synced, began;
} journal;

/* Adds bytes to a hash, which begins as JOURNAL_KEY. The key of a journal is the hash of the model, the files
 * and the options. */
#define JOURNAL_KEY UINT64_C(0xcbf29ce484222325)
uint64_t journal_hash(uint64_t key, const void *bytes, size_t size);
/* Adds texts to a hash; each text may be NULL. */
uint64_t journal_hash_texts(uint64_t key, const char *const *texts, size_t count);
/* Adds files to a hash: their names, sizes, times of change, inodes and first 64 KiB. On error prints a
 * message and returns false, as the functions below do. */
bool journal_hash_files(uint64_t *key, const char *const *files, int64_t count);

/* Checks that FILE.part and FILE.state are not among the inputs; an input that was not given is NULL. */
bool journal_spares(const char *path, const char *const *inputs, int64_t count);
/* Begins a run, or continues the interrupted run that had the same key. */
bool journal_open(journal *j, const char *path, const char *unit, uint64_t key);
/* Call it between two results. It writes FILE.part to the disk, then FILE.state. If `now` is false, it does
 * so only if two seconds have passed since the last time. */
bool journal_sync(journal *j, bool now);
/* Renames the finished file and prints the duration; with `json` also prints a JSON object. After an
 * interruption it prints instead how the run can be continued. */
bool journal_finish(journal *j, int64_t files, bool json);
/* Removes the results if the same command cannot continue with them. Call it before journal_close(). */
void journal_drop(journal *j);
void journal_close(journal *j);

#endif
