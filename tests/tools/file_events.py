# SPDX-License-Identifier: BSD-3-Clause
"""Waits for files that a program writes in a folder, by inotify of Linux."""

import ctypes
import os
import select
import time

libc = ctypes.CDLL(None, use_errno=True)
MODIFY, MOVED_TO, CREATE, CLOSE_EXEC = 0x2, 0x80, 0x100, 0o2000000
SECONDS = 60


class Folder:
    """Made before the program starts, so that no event is missed."""

    def __init__(self, path):
        self.fd = libc.inotify_init1(CLOSE_EXEC)
        if self.fd < 0 or libc.inotify_add_watch(self.fd, os.fsencode(path), MODIFY | MOVED_TO | CREATE) < 0:
            raise OSError(ctypes.get_errno(), f'inotify of {path}')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)

    def wait(self, process, wanted):
        """Until wanted() is true after some event; false if the process ended first, or after a minute."""
        end, ended = time.monotonic() + SECONDS, os.pidfd_open(process.pid)
        try:
            while not wanted():
                ready = select.select([self.fd, ended], [], [], max(end - time.monotonic(), 0))[0]
                if self.fd in ready:
                    os.read(self.fd, 65536)
                else:
                    return wanted()
            return True
        finally:
            os.close(ended)


def has(path, size):
    """For wait(): the file has more than so many bytes."""
    return lambda: path.exists() and path.stat().st_size > size


def has_new(folder, pattern, size):
    """For wait(): a file with such a name, written from now on, has more than so many bytes."""
    now = time.time_ns()
    return lambda: any(s.st_mtime_ns > now and s.st_size > size
                       for s in (path.stat() for path in folder.glob(pattern)))
