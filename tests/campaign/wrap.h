/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_CAMPAIGN_WRAP_H
#define TESTS_CAMPAIGN_WRAP_H

/* Functions of libc that fail on demand. The wrap_*.c files define them in the program, so that the program
 * and all libraries that it has loaded call these instead. Calls between wrap_arm() and wrap_disarm() are
 * counted. */

#include <stdbool.h>
#include <stdint.h>

/* Each program has one kind of fault at a time. The call with number `k` fails, with `rest` all that follow,
 * too; 0: none does. */
void wrap_arm(int64_t k, bool rest);
/* How many calls there were; whether the k-th was among them is wrap_fired(). */
int64_t wrap_disarm(void);
bool    wrap_fired(void);

/* wrap_malloc.c: blocks that were given and not freed. */
int64_t wrap_live(void);

/* wrap_io.c: what the k-th call does instead. */
typedef enum wrap_io_kind {
    WRAP_ENOSPC, WRAP_EIO, WRAP_EACCES, /* it fails */
    WRAP_EINTR,                         /* it was interrupted, and nothing is lost */
    WRAP_SHORT,                         /* a read or write of one byte; other calls are as usual */
    WRAP_SHRINK,                        /* before it, the file that is read loses its second half */
    WRAP_GROW,                          /* before it, it gets zeros behind its end */
    WRAP_REWRITE,                       /* before it, other bytes are written into its middle */
    WRAP_NOTHING,                       /* it and all writes that follow write nothing, and say so */
    WRAP_FULL,                          /* it and all writes that follow find the disk full */
    WRAP_IO_KINDS
} wrap_io_kind;
void        wrap_io_choose(wrap_io_kind kind);
const char *wrap_io_call(void); /* the name of the call that was disturbed, "" */

#endif
