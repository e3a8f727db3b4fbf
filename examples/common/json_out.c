/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "json_out.h"
#include "program.h"

json_t *json_out_real(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

bool json_out_print(json_t *all, FILE *out)
{
    const bool good = all && !json_dumpf(all, out, JSON_INDENT(2) | JSON_REAL_PRECISION(10)) &&
                      fputc('\n', out) != EOF && !fflush(out);
    json_decref(all);
    return good || complain("the JSON object could not be written");
}
