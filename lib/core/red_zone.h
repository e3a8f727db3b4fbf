/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_RED_ZONE_H
#define FGTI_RED_ZONE_H

/* Parts of a block that no code may touch. AddressSanitizer reports an access there, as it reports an access
 * after the end of the block. In other builds there are no red zones, and these functions do nothing. */

#include <stdint.h>

#if defined(__SANITIZE_ADDRESS__) /* gcc */
#define FGTI_HAVE_ASAN
#elif defined(__has_feature) /* clang */
#if __has_feature(address_sanitizer)
#define FGTI_HAVE_ASAN
#endif
#endif

#ifdef FGTI_HAVE_ASAN
#include <sanitizer/asan_interface.h>
#define FGTI_RED_ZONE 64 /* bytes after each part that fgti_take() cuts */
#else
#define FGTI_RED_ZONE 0
#endif

/* Closes `bytes` bytes from `begin` on. fgti_free() opens the whole block again. */
static inline void fgti_red_zone(void *begin, int64_t bytes)
{
#ifdef FGTI_HAVE_ASAN
    ASAN_POISON_MEMORY_REGION(begin, (size_t)bytes);
#else
    (void)begin;
    (void)bytes;
#endif
}

/* Opens `bytes` bytes from `begin` on again. */
static inline void fgti_red_zone_lift(void *begin, int64_t bytes)
{
#ifdef FGTI_HAVE_ASAN
    ASAN_UNPOISON_MEMORY_REGION(begin, (size_t)bytes);
#else
    (void)begin;
    (void)bytes;
#endif
}

#endif
