/* SPDX-License-Identifier: BSD-3-Clause */
/* The attenders, and the options and masks that each of them supports. */
#include "nn/attention/attender/attender_table.h"

static const fgti_attender *const attenders[] = {
    [FGT_ATTENDER_FULL]        = &fgti_attender_full,
    [FGT_ATTENDER_PROB]        = &fgti_attender_prob,
    [FGT_ATTENDER_CORRELATION] = &fgti_attender_correlation,
    [FGT_ATTENDER_LSH]         = &fgti_attender_lsh,
    [FGTI_ATTENDER_EDGES]      = &fgti_attender_edges,
};

const fgti_attender *fgti_attender_get(int32_t number)
{
    const int32_t count = (int32_t)(sizeof attenders / sizeof *attenders);
    return number >= 0 && number < count ? attenders[number] : NULL;
}

static const char *foreign(const fgt_attention_rule *conf, const fgti_layer *l)
{
    const int32_t a       = conf->attender;
    const bool    samples = a == FGT_ATTENDER_PROB, delays = a == FGT_ATTENDER_CORRELATION;
    if (conf->factor && !samples && !delays) return "factor";
    if (conf->own_delays && !delays) return "own_delays";
    if (conf->bucket_size && a != FGT_ATTENDER_LSH) return "bucket_size";
    if (conf->n_hashes && a != FGT_ATTENDER_LSH) return "n_hashes";
    if (l->mask[FGT_MASK_SAMPLED_KEYS] >= 0 && !samples) return "a mask of sampled keys";
    if (l->mask[FGT_MASK_ROTATIONS] >= 0 && a != FGT_ATTENDER_LSH) return "a value of rotations";
    return NULL;
}

fgt_status fgti_attender_check_layer(fgti_error *err, const fgt_attention_rule *conf, const fgti_layer *l,
                                     const char *misfit)
{
    const fgti_attender *attender = fgti_attender_get(conf->attender);
    if (!misfit) misfit = foreign(conf, l);
    if (!misfit && attender->misfit) misfit = attender->misfit(conf, l);
    if (!misfit) return FGT_OK;
    if (conf->attender == FGTI_ATTENDER_EDGES)
        return fgti_fail(err, FGT_E_ARG, "%s does not go with a graph", misfit);
    return fgti_fail(err, FGT_E_ARG, "%s does not go with attender %s", misfit, attender->name);
}
