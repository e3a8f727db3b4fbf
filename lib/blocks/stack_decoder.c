/* SPDX-License-Identifier: BSD-3-Clause */
#include "blocks/stack_decoder.h"

#include <string.h>

#include "model/access.h"

/* Decoders that return all steps of a forecast in one pass: empty tokens for them follow the last rows of the
 * window. With causal attention (self), and attention to the memory (cross),
 *     transformer  h = x + self(norm1(x)),    g = h + cross(norm2(h)),     y = g + feed(norm3(g))
 *     informer     h = norm1(x + self(x)),    g = norm2(h + cross(h)),     y = norm3(g + feed(g))
 * with dropout before each sum, and feed(z) = down(dropout(gelu(up(z)))). The Informer's self is ProbSparse,
 * its cross is attention to all tokens of the memory, as in its source, github zhouhaoyi/Informer2020,
 * models/model.py and models/decoder.py. */

bool fgti_decoder_is_last(const char *parameter)
{
    static const char stem[] = "decoder.", part[] = ".trend.weight";
    const size_t      n = strlen(parameter), k = sizeof part - 1;
    if (!strcmp(parameter, "decoder.head.weight") || !strcmp(parameter, "decoder.head.bias")) return true;
    return !strncmp(parameter, stem, sizeof stem - 1) && n > k && !strcmp(parameter + n - k, part);
}

fgt_status fgti_decoder_label(fgt_model *m, const fgti_decoder *d, const char *from, const char *name)
{
    const fgt_slice_opts last = {.size = sizeof last, .first = d->rows - d->label};
    return fgt_model_add_from(m, fgt_named(name, fgt_slice(&last)), &from, 1);
}

fgt_status fgti_decoder_embed(fgt_model *m, const fgti_decoder *d)
{
    const fgt_extend_opts places = {.size = sizeof places, .count = d->ahead};
    const fgt_conv_opts   embed  = {
           .size = sizeof embed, .out = d->width, .padding = FGT_CONV_PADDING_CIRCULAR, .no_bias = 1};
    FGTI_TRY(fgt_model_add(m, fgt_named("decoder.start", fgt_extend(&places))));
    FGTI_TRY(fgt_model_add(m, fgt_named("decoder.embed", fgt_conv(&embed))));
    if (!d->known) return FGT_OK;
    return fgt_model_add_from(m, fgt_named("decoder.tokens", fgt_sum(NULL)),
                              (const char *[]){"decoder.embed", d->known}, 2);
}

/* One of the three parts of a decoder layer: its names and, unless it is feed-forward, its attention. */
typedef struct sublayer {
    const fgt_attention_opts *attention; /* NULL: the part is feed-forward */
    const char               *name, *norm, *dropout, *sum;
} sublayer;

static fgt_status add_core(const fgti_stage *s, const sublayer *l, bool crosses, const char *x,
                           const char *memory)
{
    if (!l->attention) return fgti_stage_add_feed(s, "dropout3", false);
    return fgti_stage_add_from(s, l->name, fgt_attention(l->attention), crosses ? 2 : 1,
                               (const char *[]){x, memory});
}

/* Adds x + dropout(core(norm(x))) if norm_first, otherwise norm(x + dropout(core(x))). */
static fgt_status add_sublayer(const fgti_stage *s, const sublayer *l, bool crosses, bool norm_first,
                               const char *memory)
{
    const char *const x = fgti_model_last_name(s->m);
    if (norm_first) FGTI_TRY(fgti_stage_add(s, l->norm, fgt_layer_norm(NULL)));
    FGTI_TRY(add_core(s, l, crosses, fgti_model_last_name(s->m), memory));
    FGTI_TRY(fgti_stage_add_residual(s, x, l->dropout, l->sum));
    return norm_first ? FGT_OK : fgti_stage_add(s, l->norm, fgt_layer_norm(NULL));
}

static fgt_status decoder_add_layers(fgt_model *m, const fgt_block_opts *o, const fgti_decoder *d,
                                     fgt_attender attender, bool norm_first)
{
    const fgt_attention_opts self  = {.size               = sizeof self,
                                      .heads              = o->block.heads,
                                      .attention.causal   = 1,
                                      .attention.attender = (int32_t)attender},
                             cross = {.size = sizeof cross, .heads = o->block.heads};
    const sublayer parts[]         = {{&self, "self", "norm1", "dropout1", "sum1"},
                                      {&cross, "cross", "norm2", "dropout2", "sum2"},
                                      {NULL, NULL, "norm3", "dropout4", "sum3"}};
    for (int64_t i = 0; i < o->block.layers; i++)
        for (int k = 0; k < 3; k++) {
            const fgti_stage s = {m, o, "decoder", i};
            FGTI_TRY(add_sublayer(&s, &parts[k], k == 1, norm_first, d->memory));
        }
    return FGT_OK;
}

static fgt_status decode(fgt_model *m, const fgt_block_opts *o, const fgti_decoder *d, fgt_attender attender,
                         bool norm_first)
{
    const fgt_linear_opts head = {.size = sizeof head, .out = d->columns};
    FGTI_TRY(fgti_decoder_label(m, d, d->series, "decoder.label"));
    FGTI_TRY(fgti_decoder_embed(m, d));
    FGTI_TRY(fgt_model_add(m, fgt_named("decoder.position", fgt_position(NULL))));
    FGTI_TRY(decoder_add_layers(m, o, d, attender, norm_first));
    FGTI_TRY(fgt_model_add(m, fgt_named("decoder.norm", fgt_layer_norm(NULL))));
    return fgt_model_add(m, fgt_named("decoder.head", fgt_linear(&head)));
}

fgt_status fgti_decode_transformer(fgt_model *m, const fgt_block_opts *o, const fgti_decoder *d)
{
    return decode(m, o, d, FGT_ATTENDER_FULL, true);
}

fgt_status fgti_decode_informer(fgt_model *m, const fgt_block_opts *o, const fgti_decoder *d)
{
    return decode(m, o, d, FGT_ATTENDER_PROB, false);
}
