/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef JOURNAL_H
#define JOURNAL_H

/* Results that are appended to a file in order, so that an interrupted run can continue: FILE.part holds the
 * results, FILE.state the position. FILE is created when all is done. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JOURNAL_PATH 4096

typedef struct journal {
    const char *path, *unit; /* unit: "forecasts" */
    char        part[JOURNAL_PATH], state[JOURNAL_PATH];
    uint64_t    key;  /* hash of everything that the results depend on */
    FILE       *file; /* FILE.part; NULL: not open */
    int64_t     input, item; /* the next one to do; the caller increments them */
    int64_t     bytes; /* size of FILE.part at the last sync; 0: it is new */
    int64_t     done;  /* results so far, incremented by the caller */
    int64_t     before;      /* results of the interrupted run */
    double      synced, began;
} journal;

/* Hash of the model, the files and the options; starts with JOURNAL_KEY. */
#define JOURNAL_KEY UINT64_C(0xcbf29ce484222325)
uint64_t journal_hash(uint64_t key, const void *bytes, size_t size);
/* Hash of texts, each of which may be NULL. */
uint64_t journal_hash_texts(uint64_t key, const char *const *texts, size_t count);
/* Hash of files, by name, size, times of change, inode and the first 64 KiB. On error prints a message and
 * returns false, as do the functions below. */
bool journal_hash_files(uint64_t *key, const char *const *files, int64_t count);

/* Checks that the files beside FILE are not inputs; NULL: not given. */
bool journal_spares(const char *path, const char *const *inputs, int64_t count);
/* Begins, or continues the last run with this key. */
bool journal_open(journal *j, const char *path, const char *unit, uint64_t key);
/* Call it between two results. It writes FILE.part to the disk before FILE.state; if `now` is false, only
 * every two seconds. */
bool journal_sync(journal *j, bool now);
/* Renames the finished file and prints the duration, with json as a JSON object too. After an interruption it
 * prints how to continue instead. */
bool journal_finish(journal *j, int64_t files, bool json);
/* Removes the results, before journal_close(), if the same command cannot continue with them. */
void journal_drop(journal *j);
void journal_close(journal *j);

#endif
