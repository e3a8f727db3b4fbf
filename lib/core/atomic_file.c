/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/context.h"

/* Space for ".fgt-tmp", the number of the attempt, and the final 0. */
#define SUFFIX_ROOM 24
/* Number of processes that can write one file at once. Each process has its own temporary file. */
#define TRIES 100

fgt_status fgti_fail_errno(fgti_error *err, const char *path, const char *what, int code)
{
    char reason[128];
    if (strerror_r(code, reason, sizeof reason)) snprintf(reason, sizeof reason, "error %d", code);
    return fgti_fail(err, FGT_E_IO, "%.300s: %s: %s", path, what, reason);
}

static fgt_status fail_here(fgti_atomic *f, const char *what)
{
    return fgti_fail_errno(&f->ctx->error, f->path, what, errno);
}

int fgti_open(const char *path, int flags, mode_t mode)
{
    int fd;
    do fd = open(path, flags, mode);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* Returns 0 or errno. On network file systems a signal can interrupt fsync(). */
static int sync_file(int fd)
{
    int result;
    do result = fsync(fd);
    while (result && errno == EINTR);
    return result ? errno : 0;
}

/* Returns 1 if `name` still names the open file, 0 if not, and -1 with errno if the system cannot tell. */
static int atomic_is_named(int fd, const char *name)
{
    struct stat here, there;
    if (fstat(fd, &here)) return -1;
    if (lstat(name, &there)) return errno == ENOENT ? 0 : -1;
    return here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

/* Removes `name` if it is the temporary file of a killed process. A living process holds the lock of its
 * temporary file, so a file without a lock has no owner. Other kinds of files are not touched; O_NONBLOCK
 * keeps open() from blocking on a FIFO. */
static void remove_stale(const char *name)
{
    struct stat st;
    const int   fd = fgti_open(name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
    if (fd < 0) return;
    const bool stale = !fstat(fd, &st) && S_ISREG(st.st_mode) && !flock(fd, LOCK_EX | LOCK_NB);
    if (stale && atomic_is_named(fd, name) > 0) unlink(name);
    close(fd);
}

/* Creates the file `name` and locks it. Returns -1 with EEXIST if another process was faster. On a file
 * system without locks only O_EXCL keeps two processes apart. If atomic_is_named() fails, the new file is
 * removed. */
static int create_locked(const char *name, mode_t mode)
{
    const int fd = fgti_open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0) return -1;
    const int code = flock(fd, LOCK_EX | LOCK_NB) ? errno : 0;
    const int named = code ? code != EWOULDBLOCK : atomic_is_named(fd, name);
    if (named > 0) return fd;
    const int reason = named < 0 ? errno : EEXIST;
    if (named < 0) unlink(name);
    close(fd);
    errno = reason;
    return -1;
}

/* The temporary file gets the permissions of the file that it replaces. Before that, only the owner of the
 * temporary file can read it. */
static fgt_status open_temp(fgti_atomic *f, size_t capacity)
{
    struct stat old;
    const bool  exists = stat(f->path, &old) == 0;
    if (!exists && errno != ENOENT) return fail_here(f, "cannot write");
    if (exists && S_ISDIR(old.st_mode))
        return fgti_fail_errno(&f->ctx->error, f->path, "cannot write", EISDIR);
    if (exists && !S_ISREG(old.st_mode))
        return fgti_fail(&f->ctx->error, FGT_E_IO, "%.300s: cannot write: not a regular file", f->path);
    for (int i = 0; i < TRIES && f->fd < 0; i++) {
        snprintf(f->temp, capacity, "%s.fgt-tmp%d", f->path, i);
        remove_stale(f->temp);
        f->fd = create_locked(f->temp, exists ? 0600 : 0666);
        if (f->fd < 0 && errno != EEXIST) break;
    }
    if (f->fd < 0) {
        f->temp[0] = 0; /* the file was not created here, so it must not be removed */
        return fail_here(f, "cannot create a temporary file beside it");
    }
    if (exists && fchmod(f->fd, old.st_mode & 0777)) return fail_here(f, "cannot keep the permissions");
    return FGT_OK;
}

fgt_status fgti_atomic_open(fgt_context *ctx, const char *path, fgti_atomic *f)
{
    const size_t capacity = strlen(path) + SUFFIX_ROOM;
    *f                = (fgti_atomic){.ctx = ctx, .fd = -1};
    if (!*path) return fgti_fail(&ctx->error, FGT_E_IO, "the path is empty");
    fgt_status s      = fgti_strdup(ctx, path, &f->path);
    if (s == FGT_OK) s = fgti_alloc(ctx, (int64_t)capacity, 1, "name of a temporary file", (void **)&f->temp);
    if (s == FGT_OK) s = open_temp(f, capacity);
    if (s != FGT_OK) fgti_atomic_abandon(f);
    return s;
}

fgt_status fgti_atomic_write(fgti_atomic *f, const void *data, size_t size)
{
    for (const char *p = data; size > 0;) {
        const ssize_t n = write(f->fd, p, size);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = ENOSPC; /* a full disk on some file systems */
        if (n <= 0) return fail_here(f, "cannot write");
        p += n;
        size -= (size_t)n;
    }
    return FGT_OK;
}

/* Synchronises the directory, so that the new name survives a power failure. Some file systems cannot do this
 * (EINVAL), and a directory without read permission cannot be opened. Neither is an error: the system writes
 * the directory later by itself. */
static int sync_directory(fgti_atomic *f)
{
    char *slash = strrchr(f->temp, '/'); /* temp is no longer needed as a name */
    if (slash) slash[slash == f->temp] = 0;
    const int fd = fgti_open(slash ? f->temp : ".", O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) return 0;
    const int code = sync_file(fd);
    close(fd);
    return code == EINVAL ? 0 : code;
}

fgt_status fgti_atomic_commit(fgti_atomic *f)
{
    const int  unsynced = sync_file(f->fd);
    fgt_status s = unsynced ? fgti_fail_errno(&f->ctx->error, f->path, "cannot write", unsynced) : FGT_OK;
    /* NFS reports a full disk in close(). EINTR is ignored: the data are on the disk already. The original
     * descriptor stays open until after rename(): without its lock another process would remove the file as
     * stale. */
    const int again = fcntl(f->fd, F_DUPFD_CLOEXEC, 0);
    if (again >= 0 && close(again) && errno != EINTR && s == FGT_OK) s = fail_here(f, "cannot write");
    if (s == FGT_OK && rename(f->temp, f->path)) s = fail_here(f, "cannot replace");
    if (s != FGT_OK) {
        fgti_atomic_abandon(f);
        return s;
    }
    const int code = sync_directory(f);
    if (code)
        s = fgti_fail_errno(&f->ctx->error, f->path, "written, but cannot synchronise its directory", code);
    fgti_free(f->ctx, f->temp);
    f->temp = NULL;
    fgti_atomic_abandon(f);
    return s;
}

void fgti_atomic_abandon(fgti_atomic *f)
{
    if (f->temp && f->temp[0]) unlink(f->temp); /* while this process still has the lock */
    if (f->fd >= 0) close(f->fd);
    fgti_free(f->ctx, f->temp);
    fgti_free(f->ctx, f->path);
    *f = (fgti_atomic){.ctx = f->ctx, .fd = -1};
}
