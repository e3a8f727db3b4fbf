/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef JOURNAL_H
#define JOURNAL_H

/* Results that are appended to a file, in an order, and that an interrupted run goes on with: FILE.part has
 * what is done, FILE.state how far that is. FILE stands when all is done. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JOURNAL_PATH 4096

typedef struct journal {
    const char *path, *unit; /* unit: "forecasts" */
    char        part[JOURNAL_PATH], state[JOURNAL_PATH];
    uint64_t    key;  /* of all that the results depend on */
    FILE       *file; /* FILE.part; NULL: not open */
    int64_t     input, item; /* the next to be done, which the caller counts on */
    int64_t     bytes; /* of FILE.part at the last look at the disk; 0: it is new */
    int64_t     done;  /* results so far, counted by the caller */
    int64_t     before;      /* results of an interrupted run */
    double      synced, began;
} journal;

/* Of the model, the files and the options: begins with JOURNAL_KEY. */
#define JOURNAL_KEY UINT64_C(0xcbf29ce484222325)
uint64_t journal_hash(uint64_t key, const void *bytes, size_t size);
/* Texts that were given, or NULL. */
uint64_t journal_hash_texts(uint64_t key, const char *const *texts, size_t count);
/* Files are told apart by name, size, times of change, inode and their first 64 KiB. On error prints a
 * message and returns false, as do the functions below. */
bool journal_hash_files(uint64_t *key, const char *const *files, int64_t count);

/* Checks that what is written beside FILE is none of the inputs; NULL: not given. */
bool journal_spares(const char *path, const char *const *inputs, int64_t count);
/* Begins, or goes on where the last run with this key was. */
bool journal_open(journal *j, const char *path, const char *unit, uint64_t key);
/* Between two results: what was written is on the disk before FILE.state says so; with `now` false only every
 * two seconds. */
bool journal_sync(journal *j, bool now);
/* Gives the file its name and says how long it took, with json also as an object, or how to go on after an
 * interruption. */
bool journal_finish(journal *j, int64_t files, bool json);
/* Removes what is done, before journal_close(), when the same command cannot go on with it. */
void journal_drop(journal *j);
void journal_close(journal *j);

#endif
