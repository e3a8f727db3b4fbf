/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/spare_gradients.h"

#include <string.h>

fgt_status fgti_spare_touched(fgt_context *ctx, const fgti_slabs *slabs, fgti_touched *touched)
{
    *touched = (fgti_touched){.rows = slabs->touched->rows, .width = slabs->touched->width};
    FGTI_TRY(FGTI_NEW(ctx, touched->rows, "touched rows", &touched->row));
    return FGTI_NEW(ctx, touched->rows, "touched rows", &touched->seen);
}

void fgti_spare_touched_clear(fgti_touched *touched)
{
    touched->count = 0;
    if (touched->rows) memset(touched->seen, 0, (size_t)touched->rows);
}

void fgti_spare_touched_done(fgt_context *ctx, fgti_touched *touched)
{
    fgti_free(ctx, touched->row);
    fgti_free(ctx, touched->seen);
}
