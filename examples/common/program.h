/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAM_H
#define PROGRAM_H

/* What the programs say and how they begin. */

#include <fighter/base.h>
#include <stdbool.h>
#include <stdint.h>

/* Each program has one, in its main.c. */
extern const char program_name[];

/* The program's name and a sentence on the standard error; returns false, so that `return complain(...)`
 * reads well. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
bool complain(const char *format, ...);

/* A context, and what it was built with; threads 0: one a processor; products: an fgt_products, by the words
 * that --products takes. false after a sentence. */
extern const char *const program_products[];
bool program_start(int64_t threads, int64_t products, fgt_context **ctx, fgt_build_info *build);

#endif
