/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls through which files are read and written. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wrap_count.h"

static wrap_io_kind wanted;
static const char  *disturbed = "";

void wrap_io_choose(wrap_io_kind kind)
{
    wanted    = kind;
    disturbed = "";
}

const char *wrap_io_call(void)
{
    return disturbed;
}

/* The function itself. With glibc the headers lead those with offsets to names that end in 64. */
#ifdef __GLIBC__
#define WIDE "64"
#else
#define WIDE ""
#endif
#define NEXT(name, suffix) ((__typeof__(&name))next(#name suffix))

static void *next(const char *name)
{
    void *f = dlsym(RTLD_NEXT, name);
    if (!f) abort();
    return f;
}

static bool hit(const char *name)
{
    if (!wrap_hit()) return false;
    disturbed = name;
    return true;
}

/* The errno of a call that fails, else 0. Signals interrupt only the calls that POSIX names. */
static int failure(const char *name, bool interruptible)
{
    static const int code[] = {ENOSPC, EIO, EACCES, EINTR};
    if (wanted == WRAP_FULL && (!strcmp(name, "write") || !strcmp(name, "fsync")))
        return hit(name) ? ENOSPC : 0;
    if (wanted > WRAP_EINTR || (wanted == WRAP_EINTR && !interruptible)) return 0;
    return hit(name) ? code[wanted] : 0;
}

#define FAIL(name, interruptible)                                  \
    do {                                                           \
        const int code_ = failure(name, interruptible);            \
        if (code_) return errno = code_, -1;                       \
    } while (0)

static void change(const char *path, int64_t size)
{
    static const char other[] = "\",9]}\n1e999,{[\"7";
    if (wanted != WRAP_REWRITE) {
        if (truncate(path, wanted == WRAP_SHRINK ? size / 2 : size + 1000)) abort();
        return;
    }
    FILE *f = fopen(path, "r+b");
    if (!f || fseek(f, (long)size / 2, SEEK_SET) || fputs(other, f) < 0 || fclose(f)) abort();
}

/* Bytes to ask for: of a short call one, of a write that comes to nothing none. Files change now. */
static size_t some(const char *name, int fd, size_t size, bool reads)
{
    char        link[64], path[512];
    struct stat info;
    const bool touched = wanted == WRAP_SHORT || (wanted == WRAP_NOTHING) != reads;
    if (wanted < WRAP_SHORT || wanted == WRAP_FULL || !touched || !size || !hit(name)) return size;
    if (wanted == WRAP_SHORT || wanted == WRAP_NOTHING) return wanted == WRAP_SHORT;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0 || NEXT(fstat, WIDE)(fd, &info) || !S_ISREG(info.st_mode)) return size;
    path[n] = 0;
    change(path, info.st_size);
    return size;
}

int open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list list;
        va_start(list, flags);
        mode = va_arg(list, mode_t);
        va_end(list);
    }
    FAIL("open", true);
    return NEXT(open, WIDE)(path, flags, mode);
}

ssize_t read(int fd, void *data, size_t size)
{
    FAIL("read", true);
    return NEXT(read, "")(fd, data, some("read", fd, size, true));
}

ssize_t pread(int fd, void *data, size_t size, off_t offset)
{
    FAIL("pread", true);
    return NEXT(pread, WIDE)(fd, data, some("pread", fd, size, true), offset);
}

ssize_t write(int fd, const void *data, size_t size)
{
    FAIL("write", true);
    return NEXT(write, "")(fd, data, some("write", fd, size, false));
}

/* It is not made: no power will fail, and waiting for the disk would take most of the time. */
int fsync(int fd)
{
    (void)fd;
    FAIL("fsync", true);
    return 0;
}

/* The descriptor is gone all the same, as on Linux. */
int close(int fd)
{
    const int code = failure("close", true), result = NEXT(close, "")(fd);
    return code ? errno = code, -1 : result;
}

int flock(int fd, int operation)
{
    FAIL("flock", true);
    return NEXT(flock, "")(fd, operation);
}

int rename(const char *from, const char *to)
{
    FAIL("rename", false);
    return NEXT(rename, "")(from, to);
}

int unlink(const char *path)
{
    FAIL("unlink", false);
    return NEXT(unlink, "")(path);
}

int fchmod(int fd, mode_t mode)
{
    FAIL("fchmod", false);
    return NEXT(fchmod, "")(fd, mode);
}

int fstat(int fd, struct stat *info)
{
    FAIL("fstat", false);
    return NEXT(fstat, WIDE)(fd, info);
}

int stat(const char *path, struct stat *info)
{
    FAIL("stat", false);
    return NEXT(stat, WIDE)(path, info);
}

int lstat(const char *path, struct stat *info)
{
    FAIL("lstat", false);
    return NEXT(lstat, WIDE)(path, info);
}
