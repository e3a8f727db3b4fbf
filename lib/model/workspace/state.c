/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/workspace/state.h"

#include <string.h>

#include "model/model_impl.h"

/* Copies between the start and the end of states. In this order: start = end; end = start; both become zero;
 * only the end becomes zero. */
typedef enum move { KEEP_END, RESTORE_END, ZERO, ZERO_END } move;

static void move_states(fgt_workspace *ws, int64_t batch, move what)
{
    for (int64_t i = 0; i < ws->model->layers; i++)
        for (int32_t k = 0; k < ws->model->layer[i]->states; k++) {
            const size_t n     = fgti_state_bytes(&ws->model->layer[i]->state[k], batch);
            fgti_real   *start = ws->memory + ws->slot[i].state[k],
                      *end     = ws->memory + ws->slot[i].state_end[k];
            if (what == KEEP_END) memcpy(start, end, n);
            if (what == RESTORE_END) memcpy(end, start, n);
            if (what == ZERO) memset(start, 0, n);
            if (what == ZERO || what == ZERO_END) memset(end, 0, n);
        }
}

/* Whether a pass starts from the end states that are stored. If not, it starts from zero. */
static bool starts_there(const fgt_workspace *ws)
{
    return (ws->carry || ws->given) && ws->state_batch;
}

fgt_status fgti_state_start(fgt_workspace *ws, int64_t batch)
{
    if (starts_there(ws) && ws->state_batch != batch)
        return fgti_fail(
            ws->error, FGT_E_STATE,
            "the states have the wrong batch (got %lld samples, need %lld as x); reset them first",
            (long long)ws->state_batch, (long long)batch);
    move_states(ws, batch, starts_there(ws) ? KEEP_END : ZERO);
    return FGT_OK;
}

void fgti_state_end(fgt_workspace *ws, int64_t batch, bool ok)
{
    if (ok) {
        ws->state_batch = ws->ended = batch;
        ws->given = ws->resumes = false;
        if (ws->stream.room) ws->stream.tokens += ws->in.time;
        return;
    }
    move_states(ws, batch, RESTORE_END);
    /* the pass began from zero, so the states are zero now, but only the states of these `batch` samples; 0
     * makes the next pass start from zero for all its samples */
    if (!starts_there(ws)) ws->state_batch = ws->ended = 0;
}

void fgti_state_move(const fgt_workspace *from, fgt_workspace *to)
{
    const int64_t samples = from->state_batch ? from->state_batch : from->ended;
    to->carry             = from->carry;
    to->given             = from->given;
    to->state_batch       = from->state_batch;
    to->ended             = from->ended;
    to->last.batch        = from->last.batch; /* the host may still ask for the shape of states that are
                                               * lost */
    for (int64_t i = 0; i < to->model->layers; i++)
        for (int32_t k = 0; k < to->model->layer[i]->states; k++)
            memcpy(to->memory + to->slot[i].state_end[k], from->memory + from->slot[i].state_end[k],
                   fgti_state_bytes(&to->model->layer[i]->state[k], samples));
}

/* Without carry, states that are not set start from zero, not from the end of the last pass. The states with
 * which the last pass started are kept, because fgt_backward() may still follow. */
fgt_status fgti_state_begin(fgt_workspace *ws, const char *name, int64_t batch)
{
    if (batch < 1 || batch > ws->plan.batch)
        return fgti_fail(ws->error, FGT_E_SHAPE, "%s has too many samples (got %lld, need at most %lld)",
                         name, (long long)batch, (long long)ws->plan.batch);
    const bool fresh = (!ws->carry && !ws->given) || !ws->state_batch;
    if (!fresh && ws->state_batch != batch)
        return fgti_fail(ws->error, FGT_E_STATE,
                         "%s has the wrong batch (got %lld samples, need %lld as the other states)", name,
                         (long long)batch, (long long)ws->state_batch);
    if (fresh) {
        move_states(ws, batch, ZERO_END);
        ws->ended = 0;
    }
    return FGT_OK;
}
