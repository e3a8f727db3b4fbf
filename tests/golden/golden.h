/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_GOLDEN_GOLDEN_H
#define TESTS_GOLDEN_GOLDEN_H

/* One golden file under test: its tensors and settings, the models built from it, the verdict. */

#include <fighter/model.h>
#include <fighter/predictor.h>
#include <fighter/table.h>
#include <fighter/train.h>
#include <setjmp.h>
#include <stdbool.h>

#include "model/files/safetensors.h"

typedef enum golden_verdict { GOLDEN_PASS, GOLDEN_FAIL, GOLDEN_SKIP } golden_verdict;

enum { GOLDEN_MODELS = 8, GOLDEN_BLOCKS = 4096, GOLDEN_NAME = 160 };

typedef struct golden {
    fgt_context   *ctx;
    fgti_st       *st;
    bool          *used;    /* for each tensor: was it fed to the library or compared with it */
    double         largest; /* of all gradients in the file */
    fgt_model     *model[GOLDEN_MODELS];
    int            models;
    fgt_graph     *graph;
    fgt_optim     *optim;
    void (*prepare)(struct golden *g, fgt_model *m); /* called before each pass; NULL: nothing to do */
    void          *block[GOLDEN_BLOCKS];
    int            blocks;
    golden_verdict verdict;
    int            mismatches;
    char           text[600];
    jmp_buf        leave;
} golden;

/* A tensor of tokens [batch,nodes,time,width]; axes it lacks are 1. */
typedef struct golden_shape {
    int64_t batch, nodes, time, width;
    int64_t folded; /* nodes that were made samples */
} golden_shape;

#if defined(__GNUC__)
#define GOLDEN_NORETURN __attribute__((noreturn, format(printf, 2, 3)))
#else
#define GOLDEN_NORETURN
#endif

/* ---- golden_file.c: verdicts, tensors, settings ---- */

/* Both end the case; a mismatch found before stays what is reported. */
GOLDEN_NORETURN void golden_fail(golden *g, const char *format, ...);
GOLDEN_NORETURN void golden_skip(golden *g, const char *format, ...);
/* Fails with the context's sentence unless the call went well. */
void golden_ok(golden *g, fgt_status s);

/* Zeroed memory that lives as long as the case. */
void *golden_memory(golden *g, int64_t count, size_t size);

/* snprintf into memory of the case. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
const char *golden_name(golden *g, const char *format, ...);

bool                  golden_has(const golden *g, const char *tensor);
const fgti_st_tensor *golden_need(golden *g, const char *tensor);
int64_t               golden_count(const fgti_st_tensor *t);
/* Values of a tensor of any element type, which counts as used from now on. */
double *golden_doubles(golden *g, const char *tensor);
float  *golden_floats(golden *g, const char *tensor);
/* `rows` rows of `unit` numbers from a tensor of as many rows, or of a divisor, each then repeated. */
double *golden_rows(golden *g, const char *tensor, int64_t rows, int64_t unit);

/* The text, or NULL; and it read as a number, as "True", as the i-th of "[4, 2]" (or the only one). */
const char *golden_meta(const golden *g, const char *key);
double      golden_number(golden *g, const char *key, double otherwise);
bool        golden_flag(const golden *g, const char *key);
double      golden_item(golden *g, const char *key, int i, double otherwise);
/* The number behind `mark` in a text, or `otherwise`. */
double golden_after(const char *text, const char *mark, double otherwise);
/* An fgt_act by its name there: "gelu (exact, erf)". */
int32_t golden_act(golden *g, const char *text);

/* Compare with a tensor of the file, in its order. */
void golden_forward_is(golden *g, const char *tensor, int64_t count, const float *got);
void golden_gradient_is(golden *g, const char *tensor, int64_t count, const float *got);

/* ---- golden_pass.c: models ---- */

golden_shape golden_fold(const fgti_st_tensor *t);
int64_t      golden_elements(golden_shape s);
fgt_view     golden_view(golden_shape s, const float *data);

/* A model for input of this shape, destroyed with the case. */
fgt_model *golden_model(golden *g, golden_shape in);
fgt_model *golden_layer(golden *g, golden_shape in, fgt_layer layer);

void golden_set(golden *g, fgt_model *m, const char *parameter, const float *values);
/* Every parameter from "param.<name>"; biases that the file lacks become 0, scales stay 1. */
void golden_parameters(golden *g, fgt_model *m);
/* Prediction, and training pass, of "input"; both compare the output with "output". The prediction is
 * repeated by two predictors; the exact one has the bits of the model's. */
void         golden_predict(golden *g, fgt_model *m, golden_shape in);
const float *golden_train(golden *g, fgt_model *m, golden_shape in);
/* Both of them; returns the output. */
const float *golden_forward(golden *g, fgt_model *m, golden_shape in);
/* Backward from "grad_output"; checks "grad.input". False when the file has no gradients. */
bool golden_backward(golden *g, fgt_model *m, golden_shape in);
void golden_gradients(golden *g, fgt_model *m);
/* A parameter's gradient. */
float *golden_gradient(golden *g, fgt_model *m, const char *parameter);
/* All four. */
void golden_pass(golden *g, fgt_model *m, golden_shape in);

/* The matrices of a layer after a pass, where the file has them as `tensor`. */
void golden_adjacency(golden *g, fgt_model *m, const char *layer, const char *tensor);

/* An attention layer "", with `memory_time` other than 0 of a value "memory". */
fgt_model *golden_attention(golden *g, golden_shape in, int64_t memory_time, const fgt_attention_opts *opts);
/* The parameters of attention in a layer with this prefix, which the file has for queries, keys and values
 * apart; and the comparison of their gradients. d: the width. */
void golden_set_projections(golden *g, fgt_model *m, const char *prefix, int64_t d);
void golden_check_projections(golden *g, fgt_model *m, const char *prefix, int64_t d);

/* Side inputs of attenders: "sample_idx" and "rotations". */
void golden_set_keys(golden *g, fgt_model *m);
void golden_set_rotations(golden *g, fgt_model *m);

/* Adds the Fighter layers that the file describes ("param.layers.<l>..."): returns how many, and the heads
 * of the last. */
int golden_add_fighter(golden *g, fgt_model *m, int64_t *heads);

/* ---- runners, named like the layers in the files ---- */

void golden_linear(golden *g);
void golden_lora(golden *g);
void golden_layer_norm(golden *g);
void golden_conv(golden *g);
void golden_max_pool(golden *g);
void golden_activation(golden *g);
void golden_quantiles(golden *g);
void golden_token_linear(golden *g);
void golden_slice(golden *g);
void golden_embedding(golden *g);
void golden_embedding_meanpool(golden *g);
void golden_bag(golden *g);
void golden_positional_encoding(golden *g);

void golden_multihead_attention(golden *g);
void golden_prob_attention(golden *g);
void golden_lsh_attention(golden *g);
void golden_autocorrelation(golden *g);
void golden_series_decomp(golden *g);
void golden_seasonal_norm(golden *g);
void golden_autoformer_encoder_layer(golden *g);
void golden_block_decoder(golden *g);
void golden_fighter(golden *g);
void golden_fighter_cross(golden *g);
void golden_transformer_encoder_layer(golden *g);
void golden_transformer_encoder(golden *g);
void golden_equivalence(golden *g);
void golden_flexible_gcn(golden *g);
void golden_plain_gcn(golden *g);
void golden_diffusion(golden *g);
void golden_time_space(golden *g);
void golden_attention_along_nodes(golden *g);
void golden_fighter_along_nodes(golden *g);

void golden_recurrent(golden *g);
void golden_s4(golden *g);

void golden_conv_2d(golden *g);
void golden_patch_2d(golden *g);
void golden_gather(golden *g);
void golden_scatter(golden *g);
void golden_vit(golden *g);
void golden_masked_autoencoder(golden *g);

void golden_ridge(golden *g);
void golden_course(golden *g);

bool golden_is_loss(const char *layer);
void golden_loss(golden *g);
void golden_optimiser(golden *g);
void golden_lr_schedule(golden *g);
void golden_clip_grad_norm(golden *g);

void golden_empirical_ntk(golden *g);
void golden_statistics(golden *g);
void golden_sensitivity(golden *g);
void golden_hops(golden *g);

#endif
