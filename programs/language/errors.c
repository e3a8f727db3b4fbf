/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "language.h"

bool lacks_memory(const char *object, const options *o)
{
    return complain(
        "%s: there is not enough memory (got --batch %lld and --time %lld, smaller ones need less)", object,
        (long long)o->batch, (long long)o->time);
}

bool failed(const fgt_context *ctx, fgt_status s, const char *object, const options *o)
{
    const char  *why   = fgt_context_get_error(ctx);
    const size_t n     = strlen(object);
    const bool   named = !strncmp(why, object, n) && (why[n] == ':' || why[n] == '/');
    if (s == FGT_E_NOMEM) return lacks_memory(object, o);
    return complain("%s%s%s", named ? "" : object, named ? "" : ": ", why);
}
