/* SPDX-License-Identifier: BSD-3-Clause */
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json_out.h"
#include "output.h"
#include "owned.h"
#include "program.h"
#include "progress.h"

/* Seconds between two calls of journal_sync() that write to the disk. */
#define SYNC 2.0

uint64_t journal_hash(uint64_t h, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < size; i++) h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

uint64_t journal_hash_texts(uint64_t h, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bool given = texts[i];
        h                = journal_hash(h, &given, sizeof given);
        if (given) h = journal_hash(h, texts[i], strlen(texts[i]) + 1);
    }
    return h;
}

/* Adds the first 64 KiB of a file to the hash, because not every file system keeps the time of the last
 * change. */
static bool hash_head(uint64_t *key, const char *path)
{
    char   head[1 << 16];
    FILE  *f    = fopen(path, "r");
    size_t size = f ? fread(head, 1, sizeof head, f) : 0;
    const bool good = f && !ferror(f);
    if (!good) complain("%s: %s", path, strerror(errno));
    if (f) fclose(f);
    *key = journal_hash(*key, head, size);
    return good;
}

bool journal_hash_files(uint64_t *key, const char *const *files, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        struct stat st;
        if (stat(files[i], &st)) return complain("%s: %s", files[i], strerror(errno));
        if (S_ISDIR(st.st_mode)) return complain("%s: it is a directory", files[i]);
        const int64_t what[] = {(int64_t)st.st_size, (int64_t)st.st_mtim.tv_sec, (int64_t)st.st_mtim.tv_nsec,
                                (int64_t)st.st_ctim.tv_sec, (int64_t)st.st_ctim.tv_nsec, (int64_t)st.st_ino};
        *key                 = journal_hash(*key, files[i], strlen(files[i]) + 1);
        *key                 = journal_hash(*key, what, sizeof what);
        if (S_ISREG(st.st_mode) && !hash_head(key, files[i])) return false;
    }
    return true;
}

/* ---- the state ---- */

static bool write_state(const journal *j)
{
    char      text[160];
    const int n =
        snprintf(text, sizeof text, "%016" PRIx64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n",
                 j->key, j->input, j->item, j->bytes, j->done);
    return output_write(j->state, text, (size_t)n);
}

bool journal_sync(journal *j, bool now)
{
    const double time = seconds_now();
    if (ferror(j->file)) return complain("%s: cannot be written: %s", j->part, strerror(errno));
    if (!now && time - j->synced < SYNC) return true;
    j->synced = time;
    if (fflush(j->file) || ferror(j->file) || fsync(fileno(j->file)))
        return complain("%s: cannot be written: %s", j->part, strerror(errno));
    j->bytes = (int64_t)ftello(j->file);
    return write_state(j);
}

/* Opens the state file; *f is NULL if there is no such file. O_NONBLOCK: opening a FIFO must not wait. */
static bool open_state(const journal *j, FILE **f)
{
    struct stat st;
    const int   fd = open(j->state, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    *f             = NULL;
    if (fd < 0) return errno == ENOENT || complain("%s: %s", j->state, strerror(errno));
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        close(fd);
        return complain("%s: it is no regular file", j->state);
    }
    *f = fdopen(fd, "r");
    if (*f) return true;
    close(fd);
    return complain("%s: %s", j->state, strerror(errno));
}

static bool read_state(journal *j, bool *found)
{
    FILE    *f;
    uint64_t key;
    *found = false;
    if (!open_state(j, &f)) return false;
    if (!f) return true;
    const bool whole = fscanf(f, "%" SCNx64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64, &key, &j->input,
                              &j->item, &j->bytes, &j->done) == 5;
    const bool sound = whole && j->input >= 0 && j->item >= 0 && j->bytes >= 0 && j->done >= 0;
    fclose(f);
    *found = true;
    if (whole && !sound) return complain("%s is damaged; remove it to begin anew", j->state);
    return (whole && key == j->key) ||
           complain("%s, left by an unfinished run, is of another model, other files or other options; "
                    "remove it and %s to begin anew",
                    j->state, j->part);
}

static void name_files(journal *j)
{
    snprintf(j->part, sizeof j->part, "%s.part", j->path);
    snprintf(j->state, sizeof j->state, "%s.state", j->path);
}

bool journal_spares(const char *path, const char *const *inputs, int64_t count)
{
    journal j = {.path = path};
    if (!path) return true;
    name_files(&j);
    return output_spares(j.part, inputs, count) && output_spares(j.state, inputs, count);
}

bool journal_open(journal *j, const char *path, const char *unit, uint64_t key)
{
    bool        found;
    struct stat st;
    *j = (journal){.path = path, .unit = unit, .key = key, .began = seconds_now()};
    name_files(j);
    const int fd = owned_open(j->part, 0666);
    if (fd < 0) return false;
    j->file = fdopen(fd, "r+");
    if (!j->file) {
        close(fd);
        return complain("%s: %s", j->part, strerror(errno));
    }
    if (!read_state(j, &found)) return false;
    j->before = j->done;
    if (fstat(fd, &st) || st.st_size < j->bytes || ftruncate(fd, (off_t)j->bytes) ||
        fseek(j->file, 0, SEEK_END))
        return complain("%s: cannot be continued; remove %s to begin anew", j->part, j->state);
    if (!found) return true;
    fprintf(stderr, "%s: goes on after %lld %s\n", j->part, (long long)j->done, unit);
    return true;
}

void journal_drop(journal *j)
{
    unlink(j->state);
    unlink(j->part);
}

void journal_close(journal *j)
{
    if (j->file) fclose(j->file);
    j->file = NULL;
}

/* ---- the end ---- */

static bool say_result(const journal *j, int64_t files, bool json)
{
    const double seconds = seconds_now() - j->began;
    fprintf(json ? stderr : stdout, "%lld %s from %lld file%s in %.1f s, %.0f a minute\n", (long long)j->done,
            j->unit, (long long)files, plural(files), seconds,
            60 * (double)(j->done - j->before) / (seconds + 1e-9));
    return !json || json_out_print(json_pack("{s:I, s:I, s:f}", j->unit, (json_int_t)j->done, "files",
                                             (json_int_t)files, "seconds", seconds),
                                   stdout);
}

bool journal_finish(journal *j, int64_t files, bool json)
{
    if (j->input > files) return complain("%s is damaged; remove it to begin anew", j->state);
    if (!journal_sync(j, true)) return false;
    if (progress_interrupted()) {
        fprintf(stderr, "%s: interrupted: the same command goes on with %s\n", program_name, j->part);
        return true;
    }
    /* the state is removed first: a next run must not find it beside a new FILE.part */
    unlink(j->state);
    if (rename(j->part, j->path)) return complain("%s: cannot be written: %s", j->path, strerror(errno));
    return say_result(j, files, json);
}
