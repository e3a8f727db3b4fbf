/* SPDX-License-Identifier: BSD-3-Clause */
/* LSH attention, its rotations by FGT_MASK_ROTATIONS. */
#include <string.h>

#include "golden.h"

/* Two of the file's parameters stand in in_proj, one behind the other. */
static const char *const part[] = {"attn.toqk.weight", "attn.tov.weight"};

static void set_parameters(golden *g, fgt_model *m, int64_t d)
{
    float *all = golden_memory(g, 2 * d * d, sizeof *all);
    for (int p = 0; p < 2; p++) {
        const char *name = golden_name(g, "param.%s", part[p]);
        if (golden_count(golden_need(g, name)) != d * d) golden_fail(g, "tensor %s has another size", name);
        memcpy(all + p * d * d, golden_floats(g, name), (size_t)(d * d) * sizeof *all);
    }
    golden_set(g, m, "in_proj_weight", all);
    golden_set(g, m, "in_proj_bias", golden_memory(g, 2 * d, sizeof *all));
    golden_set(g, m, "out_proj.weight", golden_floats(g, "param.attn.to_out.weight"));
    golden_set(g, m, "out_proj.bias", golden_floats(g, "param.attn.to_out.bias"));
}

static void check_gradients(golden *g, fgt_model *m, int64_t d)
{
    const float *all = golden_gradient(g, m, "in_proj_weight");
    for (int p = 0; p < 2; p++)
        golden_gradient_is(g, golden_name(g, "grad.param.%s", part[p]), d * d, all + p * d * d);
    golden_gradient_is(g, "grad.param.attn.to_out.weight", d * d, golden_gradient(g, m, "out_proj.weight"));
    golden_gradient_is(g, "grad.param.attn.to_out.bias", d, golden_gradient(g, m, "out_proj.bias"));
}

void golden_set_rotations(golden *g, fgt_model *m)
{
    const fgti_st_tensor *t = golden_need(g, "rotations");
    if (t->rank != 4 || t->shape[0] != 1) golden_fail(g, "rotations are not [1,width,hashes,columns]");
    golden_ok(g, fgt_workspace_set_mask(
                     fgt_model_get_workspace(m), FGT_MASK_ROTATIONS,
                     FGT_VIEW(golden_floats(g, "rotations"), t->shape[1], t->shape[2], t->shape[3])));
}

/* The place of each position of one round among all, sorted by bucket. */
static void rank_positions(const double *bucket, int64_t n, int64_t *rank)
{
    for (int64_t i = 0; i < n; i++) {
        rank[i] = 0;
        for (int64_t j = 0; j < n; j++) rank[i] += bucket[j] < bucket[i] || (bucket[j] == bucket[i] && j < i);
    }
}

/* One pair of sample and head: A_ij > 0 if a chunk of i, or the one before it, has j. */
static void check_head(golden *g, const float *a, const double *buckets, int64_t time, int64_t hashes,
                       int64_t padded, int64_t bucket, bool causal)
{
    const int64_t chunks = hashes * padded / bucket;
    int64_t      *chunk  = golden_memory(g, hashes * padded, sizeof *chunk);
    for (int64_t h = 0; h < hashes; h++) {
        rank_positions(buckets + h * padded, padded, chunk + h * padded);
        for (int64_t i = 0; i < padded; i++)
            chunk[h * padded + i] = (chunk[h * padded + i] + h * padded) / bucket;
    }
    for (int64_t i = 0; i < time; i++)
        for (int64_t j = 0; j < time; j++) {
            bool sees = false;
            for (int64_t k = 0; k < hashes * hashes; k++) {
                const int64_t mine = chunk[k / hashes * padded + i], its = chunk[k % hashes * padded + j];
                sees = sees || its == mine || its == (mine + chunks - 1) % chunks;
            }
            if (i != j && (a[i * time + j] > 0) != (sees && !(causal && j > i)))
                golden_fail(g, "A[%lld,%lld] is %g: the buckets differ", (long long)i, (long long)j,
                            (double)a[i * time + j]);
        }
}

static void check_buckets(golden *g, fgt_model *m, int64_t bucket, bool causal)
{
    const fgti_st_tensor *t       = golden_need(g, "buckets");
    const double         *buckets = golden_doubles(g, "buckets");
    fgt_view              a;
    golden_ok(g, fgt_model_get_adjacency(m, "", &a));
    if (t->rank != 4 || t->shape[0] != a.shape[0] || t->shape[1] != a.shape[1])
        golden_fail(g, "buckets are not [batch,heads,hashes,length]");
    const int64_t hashes = t->shape[2], padded = t->shape[3], time = a.shape[2];
    for (int64_t p = 0; p < a.shape[0] * a.shape[1]; p++)
        check_head(g, (const float *)a.data + p * time * time, buckets + p * hashes * padded, time, hashes,
                   padded, bucket, causal);
}

void golden_lsh_attention(golden *g)
{
    const golden_shape       in = golden_fold(golden_need(g, "input"));
    const fgt_attention_opts o  = {.size                  = sizeof o,
                                   .heads                 = (int64_t)golden_number(g, "heads", 1),
                                   .attention.causal      = golden_flag(g, "causal"),
                                   .attention.attender    = FGT_ATTENDER_LSH,
                                   .attention.bucket_size = (int32_t)golden_number(g, "bucket_size", 64),
                                   .attention.n_hashes    = (int32_t)golden_number(g, "n_hashes", 8)};
    fgt_model               *m  = golden_layer(g, in, fgt_attention(&o));
    set_parameters(g, m, in.width);
    golden_set_rotations(g, m);
    golden_forward(g, m, in);
    if (golden_has(g, "buckets")) check_buckets(g, m, o.attention.bucket_size, o.attention.causal);
    if (golden_backward(g, m, in)) check_gradients(g, m, in.width);
}
