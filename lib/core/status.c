/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    fgt_status  status;
    const char *name;
} names[] = {
    {FGT_OK, "FGT_OK"},
    {FGT_E_ARG, "FGT_E_ARG"},
    {FGT_E_SHAPE, "FGT_E_SHAPE"},
    {FGT_E_SIZE, "FGT_E_SIZE"},
    {FGT_E_NOMEM, "FGT_E_NOMEM"},
    {FGT_E_VERSION, "FGT_E_VERSION"},
    {FGT_E_STATE, "FGT_E_STATE"},
    {FGT_E_NONFINITE, "FGT_E_NONFINITE"},
    {FGT_E_IO, "FGT_E_IO"},
    {FGT_E_FORMAT, "FGT_E_FORMAT"},
    {FGT_E_DATA, "FGT_E_DATA"},
    {FGT_E_CANCELLED, "FGT_E_CANCELLED"},
    {FGT_E_UNSUPPORTED, "FGT_E_UNSUPPORTED"},
    {FGT_E_NAME, "FGT_E_NAME"},
};

const char *fgt_status_get_name(fgt_status status)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].status == status) return names[i].name;
    return "unknown status";
}

int32_t fgt_version(void)
{
    return FGT_VERSION_MAJOR * 10000 + FGT_VERSION_MINOR * 100 + FGT_VERSION_PATCH;
}

fgt_status fgti_fail(fgti_error *err, fgt_status s, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
        err->sample = 0;
    }
    return s;
}

fgt_status fgti_error_at(fgti_error *err, int64_t sample, fgt_status s)
{
    if (err) err->sample = 1 + sample;
    return s;
}

void fgti_error_prefix(fgti_error *err, const char *format, ...)
{
    if (!err) return;
    const fgti_error old = *err;
    va_list          args;
    va_start(args, format);
    int n = vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    const size_t capacity = sizeof err->text;
    if (n < 0 || (size_t)n >= capacity) return;
    snprintf(err->text + n, capacity - (size_t)n, ": %.*s", (int)(capacity - (size_t)n) - 3, old.text);
}
