/* SPDX-License-Identifier: BSD-3-Clause */
/* pthread_create(), which the system may refuse. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "wrap_count.h"

/* The sanitiser's own, where it is linked into the program: threads that it does not know confuse it. */
extern __typeof__(pthread_create) __interceptor_pthread_create __attribute__((weak));

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
    __typeof__(&pthread_create) create = __interceptor_pthread_create;
    if (!create) create = (__typeof__(create))dlsym(RTLD_NEXT, "pthread_create");
    if (!create) abort();
    return wrap_hit() ? EAGAIN : create(thread, attr, start, arg);
}
