/* SPDX-License-Identifier: BSD-3-Clause */
#include "owned.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

static int refuse(int fd, const char *path, const char *why)
{
    complain("%s: cannot be written: %s", path, why);
    if (fd >= 0) close(fd);
    return -1;
}

/* Whether the path still leads to the open file. Another process may have renamed the file before this
 * process had the lock. */
static bool is_named(int fd, const char *path)
{
    struct stat here, there;
    return !fstat(fd, &here) && !lstat(path, &there) && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

/* O_NONBLOCK: opening a FIFO must not wait. If the file system has no locks, the file is opened without
 * one. */
int owned_open(const char *path, mode_t mode)
{
    for (;;) {
        struct stat st;
        const int   fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode);
        if (fd < 0) return refuse(fd, path, strerror(errno));
        if (fstat(fd, &st)) return refuse(fd, path, strerror(errno));
        if (!S_ISREG(st.st_mode)) return refuse(fd, path, "it is no regular file");
        const bool locked = !flock(fd, LOCK_EX | LOCK_NB);
        if (!locked && errno == EWOULDBLOCK) return refuse(fd, path, "another process is writing it");
        if (!locked || is_named(fd, path)) return fd;
        close(fd);
    }
}
