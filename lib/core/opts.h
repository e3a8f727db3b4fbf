/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_OPTS_H
#define FGTI_OPTS_H

/* Structs of options, and structs of results. Options are copied with a check of their size, and then checked
 * by a table, which also serves the file format and the error texts. Results are written with a check of
 * their size. */

#include <math.h>

#include "core/status.h"

typedef enum fgti_opt_kind {
    FGTI_OPT_I64,
    FGTI_OPT_ENUM,
    FGTI_OPT_BOOL,
    FGTI_OPT_F32,
    FGTI_OPT_GRAPH,
    FGTI_OPT_F64,
    FGTI_OPT_WORD = FGTI_OPT_ENUM /* an enumerator that has a word in the public tables of options
                                     (blocks/option_table.h) */
} fgti_opt_kind;

/* One field of a struct of options. A 0 in the struct stands for the value `standard`. standard is 0 if 0 has
 * no other meaning, and FGTI_OPT_REQUIRED if the field has no default. Enums and booleans are int32_t. */
typedef struct fgti_opt {
    const char   *name;
    size_t        offset;
    fgti_opt_kind kind;
    double        min, max, standard;
} fgti_opt;

/* A row for a field of `type`: FGTI_FIELD(fgt_linear_opts, no_bias, BOOL, 0, 1, 0). */
#define FGTI_FIELD(type, name, kind, min, max, standard) \
    {#name, offsetof(type, name), FGTI_OPT_##kind, min, max, standard}
/* A row for a field of a struct that is a part of `type`. */
#define FGTI_FIELD_OF(type, part, name, kind, min, max, standard)             \
    {                                                                         \
#name, offsetof(type, part.name), FGTI_OPT_##kind, min, max, standard \
    }

#define FGTI_OPT_REQUIRED NAN
#define FGTI_OPT_SIZE_MAX ((double)(INT64_C(1) << 40))

/* Copies *in, a struct that starts with `size_t size`, into *out, which has `ours` bytes, and sets out->size
 * = ours. If *in is shorter than *out, the rest of *out is 0. FGT_E_VERSION: *in is longer, and its extra
 * bytes are not all 0. in == NULL gives all defaults. */
fgt_status fgti_opts_read(fgti_error *err, const char *what, const void *in, void *out, size_t ours);

/* Checks a struct of results. Such a struct also starts with `size_t size`, which the caller has set to the
 * size of the struct in the caller's header. FGT_E_VERSION: no version has this size. Call this function
 * first in a function that takes long or changes something. */
fgt_status fgti_result_check(fgti_error *err, const char *what, const void *result);
/* Copies `ours`, a struct of `size` bytes, into the caller's *result. Fields that the caller's version does
 * not have are left out. Fields that only the caller's version has become 0. The caller's size field is not
 * changed. */
fgt_status fgti_result_write(fgti_error *err, const char *what, const void *ours, size_t size, void *result);

/* Replaces zeros by the standard values and checks the ranges. A table ends with name == NULL. A field
 * with the name "reserved" is FGT_E_VERSION if it is not 0. */
fgt_status fgti_opts_check(fgti_error *err, const char *what, const fgti_opt *table, void *opts);

/* FGT_E_VERSION: a reserved field is not 0. A later version may give it a meaning. */
fgt_status fgti_reserved_check(fgti_error *err, const char *what, int64_t reserved);

/* Read and write a field of any kind as a number. */
double fgti_opt_get(const fgti_opt *opt, const void *opts);
void   fgti_opt_set(const fgti_opt *opt, void *opts, double value);

#endif
