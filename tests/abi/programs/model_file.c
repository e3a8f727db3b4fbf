/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads a model file and predicts with it; tells what the file holds; hands it through a reader and a writer.
 * usage: model_file FILE [save]      save: makes the file */
#include "program.h"
#include <string.h>

enum { B = 2, T = 8, D = 2, CAPACITY = 1 << 16 };

static char    bytes[CAPACITY];
static int64_t length;

static fgt_status write_bytes(void *user, const void *data, int64_t count)
{
    (void)user;
    if (count > CAPACITY - length) return FGT_E_SIZE;
    memcpy(bytes + length, data, (size_t)count);
    length += count;
    return FGT_OK;
}

static fgt_status read_bytes(void *user, int64_t offset, void *buffer, int64_t wanted, int64_t *count)
{
    const int64_t rest = length - offset;
    (void)user;
    *count = wanted > rest ? rest : wanted;
    memcpy(buffer, bytes + offset, (size_t)*count);
    return FGT_OK;
}

static void save(const char *path)
{
    static const char *const from[] = {"gru", "graph"};
    const float               edges[3 * 3] = {0, 1, 0, 1, 0, 1, 0, 1, 0};
    fgt_graph                *graph;
    fgt_model                *model;
    check(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = B, .time = T, .features = D, .seed = 9),
                           &model));
    check(fgt_graph_create_dense(ctx, FGT_VIEW(edges, 3, 3), &graph));
    check(fgt_model_add(model, fgt_revin(NULL)));
    check(fgt_model_add(model, fgt_s4(&FGT_OPTS(fgt_s4_opts, .state = 4))));
    check(fgt_model_add(model, fgt_patch(&FGT_OPTS(fgt_patch_opts, .length = 4, .stride = 3))));
    check(fgt_model_add(model, fgt_named("gru", fgt_gru(&FGT_OPTS(fgt_gru_opts, .hidden = 4)))));
    check(fgt_model_add(model, fgt_named("graph", fgt_gcn(&FGT_OPTS(fgt_gcn_opts, .graph = graph,
                                                                   .act = FGT_ACT_SILU)))));
    check(fgt_model_add_from(model, fgt_sum(&FGT_OPTS(fgt_sum_opts, .weight = {0.5f, 2})), from, 2));
    check(fgt_model_add(model, fgt_transformer(&FGT_OPTS(fgt_transformer_opts, .heads = 2, .ff = 6,
                                                         .act = FGT_ACT_GELU, .norm_first = 1))));
    check(fgt_model_set_frozen(model, "gru.*", 1));
    check(fgt_model_save(model, FGT_TO_FILE(path)));
    fgt_model_destroy(&model);
    fgt_graph_destroy(&graph);
}

static void tell(fgt_model *model)
{
    char    table[4096];
    int64_t used;
    fgt_model_info all = {.size = sizeof all};
    check(fgt_model_get_info(model, &all));
    for (int64_t i = 0; i < all.layers; i++) {
        fgt_layer_info info = {.size = sizeof info};
        check(fgt_model_get_layer(model, i, &info));
        printf("%s: %s, %d parameters, %d inputs, rank %d, width %d\n", info.name, info.type,
               (int)info.parameters, (int)info.input_count, (int)info.output.rank,
               (int)info.output.shape[info.output.rank - 1]);
    }
    for (int64_t i = 0; i < all.tensors; i++) {
        fgt_parameter_info info = {.size = sizeof info};
        check(fgt_model_get_parameter_info(model, NULL, i, &info));
        printf("%s%s\n", info.name, info.frozen ? ", frozen" : "");
    }
    check(fgt_model_describe(model, table, sizeof table, &used));
    printf("%s", table);
}

static void predict(fgt_model *model)
{
    static float x[B * T * D], y[4096];
    fgt_model_info info  = {.size = sizeof info};
    int64_t        count = 1;
    check(fgt_model_get_info(model, &info));
    fgt_view shape = info.output;
    for (int i = 0; i < shape.rank; i++) count *= shape.shape[i];
    fill(x, B * T * D, 5);
    shape.data = y;
    check(fgt_predict(model, FGT_VIEW(x, B, T, D), &shape));
    print_numbers("predicted", y, count);
}

int main(int argc, char **argv)
{
    fgt_model *model, *again;
    if (argc < 2) return 2;
    check(fgt_context_create(NULL, &ctx));
    if (argc > 2) {
        save(argv[1]);
    } else {
        check(fgt_model_load(ctx, FGT_FROM_FILE(argv[1]), &FGT_OPTS(fgt_load_opts, .batch = B), &model));
        tell(model);
        predict(model);
        const fgt_writer writer = {.size = sizeof writer, .write = write_bytes, .name = "array"};
        check(fgt_model_save(model, &FGT_OPTS(fgt_output, .writer = &writer)));
        const fgt_reader reader = {.size = sizeof reader, .read = read_bytes, .length = length};
        check(fgt_model_load(ctx, &FGT_OPTS(fgt_input, .reader = &reader), NULL, &again));
        predict(again);
        fgt_model_destroy(&again);
        fgt_model_destroy(&model);
    }
    fgt_context_destroy(&ctx);
    return 0;
}
