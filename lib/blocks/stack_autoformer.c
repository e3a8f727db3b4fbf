/* SPDX-License-Identifier: BSD-3-Clause */
#include "blocks/stack_decoder.h"
#include "model/access.h"

/* The Autoformer: layers that decompose a series. The trend is a moving average, and the seasonal part is the
 * rest. Source: github thuml/Autoformer, layers/Autoformer_EncDec.py, models/Autoformer.py. */

#define PARTS_MAX 3 /* most decompositions in one layer */

/* One decomposition of a series. name: names of the series and of its seasonal part. The trend is their
 * difference. */
typedef struct decomposition {
    const char *whole, *seasonal;
} decomposition;

/* Adds two layers: the sum of x and of the last layer's output, and the seasonal part of the sum. */
static fgt_status decompose(const fgti_stage *s, const char *x, const char *const name[3], decomposition *d)
{
    const fgt_moving_average_opts rest = {.size = sizeof rest, .remove = 1};
    FGTI_TRY(fgti_stage_add_residual(s, x, name[0], name[1]));
    d->whole = fgti_model_last_name(s->m);
    FGTI_TRY(fgti_stage_add(s, name[2], fgt_moving_average(&rest)));
    d->seasonal = fgti_model_last_name(s->m);
    return FGT_OK;
}

/* Auto-correlation of x with a memory; memory NULL: of x with itself. */
static fgt_status autoformer_correlate(const fgti_stage *s, const char *name, const char *x,
                                       const char *memory)
{
    const fgt_attention_opts o = {.size = sizeof o, .attention.attender = FGT_ATTENDER_CORRELATION};
    return fgti_stage_add_from(s, name, fgt_attention(&o), memory ? 2 : 1, (const char *[]){x, memory});
}

/* Adds a layer that sums up the trends and another layer, which may be NULL. */
static fgt_status add_trends(const fgti_stage *s, const char *name, const decomposition *d, int32_t parts,
                             const char *before)
{
    fgt_sum_opts o = {.size = sizeof o};
    const char  *terms[2 * PARTS_MAX + 1];
    for (int32_t k = 0; k < parts; k++) {
        o.weight[2 * k]     = 1;
        o.weight[2 * k + 1] = -1;
        terms[2 * k]        = d[k].whole;
        terms[2 * k + 1]    = d[k].seasonal;
    }
    terms[2 * parts] = before;
    return fgti_stage_add_from(s, name, fgt_sum(&o), 2 * parts + (before != NULL), terms);
}

/* ---- the encoder ---- */

/* h = seasonal(x + attention(x)), y = seasonal(h + down(gelu(up(h)))). Dropout is where encoder layers have
 * it. */
static fgt_status autoformer_add_layer(const fgti_stage *s, const char *x, decomposition d[2])
{
    static const char *const attended[] = {"dropout1", "sum1", "seasonal1"};
    static const char *const fed[]      = {"dropout3", "sum2", "seasonal2"};
    FGTI_TRY(autoformer_correlate(s, "attention", x, NULL));
    FGTI_TRY(decompose(s, x, attended, &d[0]));
    FGTI_TRY(fgti_stage_add_feed(s, "dropout2", true));
    return decompose(s, d[0].seasonal, fed, &d[1]);
}

/* Adds the encoder, whose last layer is "blocks.norm". *trend becomes the name of the sum of all trends;
 * trend NULL: the trends are not used. */
static fgt_status add_encoder(fgt_model *m, const fgt_block_opts *o, const char **trend)
{
    const fgt_layer_norm_opts norm = {.size = sizeof norm, .seasonal = 1};
    const char               *x    = fgti_model_last_name(m);
    for (int64_t i = 0; i < o->block.layers; i++) {
        const fgti_stage s = {m, o, "blocks", i};
        decomposition    d[2];
        FGTI_TRY(autoformer_add_layer(&s, x, d));
        x = d[1].seasonal;
        if (!trend) continue;
        FGTI_TRY(add_trends(&s, "trend", d, 2, *trend));
        *trend = fgti_model_last_name(m);
    }
    return fgt_model_add_from(m, fgt_named("blocks.norm", fgt_layer_norm(&norm)), &x, 1);
}

/* A decoder has trends of its own. Without a decoder, the encoder's trends are added at the end. */
fgt_status fgti_stack_autoformer(fgt_model *m, const fgt_block_opts *o)
{
    const char *trend = NULL;
    FGTI_TRY(add_encoder(m, o, &trend));
    const char *const norm = fgti_model_last_name(m);
    return fgt_model_add_from(m, fgt_named("blocks.sum", fgt_sum(NULL)), (const char *[]){norm, trend}, 2);
}

fgt_status fgti_encode_autoformer(fgt_model *m, const fgt_block_opts *o)
{
    return add_encoder(m, o, NULL);
}

/* ---- the decoder ---- */

/* Adds two layers. "decoder.start_trend" [B,label+ahead,D] is the trend of the window's last `label` rows,
 * then the window's mean for the `ahead` rows. "decoder.label" [B,label,D], the last layer, is the seasonal
 * part of the `label` rows. */
static fgt_status take_apart(fgt_model *m, const fgti_decoder *d)
{
    const fgt_moving_average_opts rest    = {.size = sizeof rest, .remove = 1};
    const fgt_extend_opts         places  = {.size = sizeof places, .count = d->ahead};
    static const char *const      trend[] = {"decoder.label_trend", "decoder.mean"};
    FGTI_TRY(fgt_model_add_from(m, fgt_named("decoder.mean", fgt_pool(NULL)), &d->series, 1));
    FGTI_TRY(
        fgt_model_add_from(m, fgt_named("decoder.window_trend", fgt_moving_average(NULL)), &d->series, 1));
    FGTI_TRY(fgti_decoder_label(m, d, "decoder.window_trend", "decoder.label_trend"));
    FGTI_TRY(fgt_model_add_from(m, fgt_named("decoder.start_trend", fgt_extend(&places)), trend, 2));
    FGTI_TRY(fgt_model_add_from(m, fgt_named("decoder.window_seasonal", fgt_moving_average(&rest)),
                                &d->series, 1));
    return fgti_decoder_label(m, d, "decoder.window_seasonal", "decoder.label");
}

/* h = seasonal(x + self(x)), g = seasonal(h + cross(h)), y = seasonal(g + down(gelu(up(g)))). The convolution
 * "decoder.N.trend" maps the sum of the three trends to D columns. */
static fgt_status add_decoder_layer(const fgti_stage *s, const fgti_decoder *d, const char **x)
{
    static const char *const attended[] = {"dropout1", "sum1", "seasonal1"};
    static const char *const crossed[]  = {"dropout2", "sum2", "seasonal2"};
    static const char *const fed[]      = {"dropout4", "sum3", "seasonal3"};
    const int32_t            around     = FGT_CONV_PADDING_CIRCULAR;
    const fgt_conv_opts      project    = {
                .size = sizeof project, .out = d->columns, .padding = around, .no_bias = 1};
    decomposition part[PARTS_MAX];
    FGTI_TRY(autoformer_correlate(s, "self", *x, NULL));
    FGTI_TRY(decompose(s, *x, attended, &part[0]));
    FGTI_TRY(autoformer_correlate(s, "cross", part[0].seasonal, d->memory));
    FGTI_TRY(decompose(s, part[0].seasonal, crossed, &part[1]));
    FGTI_TRY(fgti_stage_add_feed(s, "dropout3", true));
    FGTI_TRY(decompose(s, part[1].seasonal, fed, &part[2]));
    *x = part[2].seasonal;
    FGTI_TRY(add_trends(s, "trends", part, PARTS_MAX, NULL));
    return fgti_stage_add(s, "trend", fgt_conv(&project));
}

/* Adds a layer with the sum of the previous trend and the last layer, and makes it the trend. */
static fgt_status add_to_trend(const fgti_stage *s, const char **trend)
{
    FGTI_TRY(fgti_stage_add_from(s, "trend_sum", fgt_sum(NULL), 2,
                                 (const char *[]){*trend, fgti_model_last_name(s->m)}));
    *trend = fgti_model_last_name(s->m);
    return FGT_OK;
}

fgt_status fgti_decode_autoformer(fgt_model *m, const fgt_block_opts *o, const fgti_decoder *d)
{
    const fgt_layer_norm_opts norm  = {.size = sizeof norm, .seasonal = 1};
    const fgt_linear_opts     head  = {.size = sizeof head, .out = d->columns};
    const char               *trend = "decoder.start_trend";
    FGTI_TRY(take_apart(m, d));
    FGTI_TRY(fgti_decoder_embed(m, d));
    const char *x = fgti_model_last_name(m);
    for (int64_t i = 0; i < o->block.layers; i++) {
        const fgti_stage s = {m, o, "decoder", i};
        FGTI_TRY(add_decoder_layer(&s, d, &x));
        FGTI_TRY(add_to_trend(&s, &trend));
    }
    FGTI_TRY(fgt_model_add_from(m, fgt_named("decoder.norm", fgt_layer_norm(&norm)), &x, 1));
    FGTI_TRY(fgt_model_add(m, fgt_named("decoder.head", fgt_linear(&head))));
    return fgt_model_add_from(m, fgt_named("decoder.sum", fgt_sum(NULL)),
                              (const char *[]){"decoder.head", trend}, 2);
}
