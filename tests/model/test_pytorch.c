/* SPDX-License-Identifier: BSD-3-Clause */
/* Weights that PyTorch wrote (tests/golden/gen/torch_models.py) load by name and give PyTorch's outputs; a
 * state_dict that lacks a tensor, has one too many or one of another shape is refused; and what we write, a
 * reader of others reads. */
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fighter/model.h>

#include "../model_info.h"
#include "../one_context.h"
#include "file_data.h"

#define FOLDER  TESTS_DIR "/golden/torch/"
#define TENSORS 64

static char path[64];

static int set_up(void **state)
{
    snprintf(path, sizeof path, "/tmp/fgt_pytorch_%ld.safetensors", (long)getpid());
    return test_open(state);
}

static int tear_down(void **state)
{
    remove(path);
    return test_close(state);
}

static void refused(fgt_status got, fgt_status want, const char *name, const char *words)
{
    const char *said = fgt_context_get_error(ctx);
    if (got != want || !strstr(said, name) || !strstr(said, words))
        fail_msg("%s \"%s\", expected %s with \"%s\" and \"%s\"", fgt_status_get_name(got), said,
                 fgt_status_get_name(want), name, words);
}

/* ---- the modules of torch_models.py ---- */

static void add(fgt_model *m, const char *name, fgt_layer layer)
{
    OK(fgt_model_add(m, fgt_named(name, layer)));
}

static fgt_model *new_text(void)
{
    const fgt_transformer_opts layer = {
        .size = sizeof layer, .heads = 2, .ff = 12, .act = FGT_ACT_GELU, .norm_first = 1};
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 2, .time = 7), &m));
    add(m, "embed", fgt_embedding(&FGT_OPTS(fgt_embedding_opts, .vocab = 11, .out = 8)));
    add(m, "encoder.layers.0", fgt_transformer(&layer));
    add(m, "encoder.layers.1", fgt_transformer(&layer));
    add(m, "encoder.norm", fgt_layer_norm(NULL));
    add(m, "gru", fgt_gru(&FGT_OPTS(fgt_gru_opts, .hidden = 3, .layers = 2, .bidirectional = 1)));
    add(m, "norm", fgt_layer_norm(NULL));
    add(m, "head", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 4)));
    return m;
}

static fgt_model *new_series(void)
{
    const fgt_rnn_opts rnn = {
        .size = sizeof rnn, .hidden = 4, .layers = 2, .last = 1, .nonlinearity = FGT_RNN_NONLINEARITY_RELU};
    fgt_model *m;
    OK(fgt_model_create(ctx, &FGT_OPTS(fgt_model_opts, .batch = 3, .time = 9, .features = 3), &m));
    add(m, "project", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 6)));
    add(m, "encoder.layers.0", fgt_transformer(&FGT_OPTS(fgt_transformer_opts, .heads = 3, .ff = 10)));
    add(m, "lstm", fgt_lstm(&FGT_OPTS(fgt_lstm_opts, .hidden = 5)));
    add(m, "rnn", fgt_rnn(&rnn));
    add(m, "head", fgt_linear(&FGT_OPTS(fgt_linear_opts, .out = 1, .no_bias = 1)));
    return m;
}

/* ---- outputs ---- */

static void compare(int64_t count, const float *y, const float *want)
{
    float worst = 0;
    for (int64_t i = 0; i < count; i++) worst = fmaxf(worst, fabsf(y[i] - want[i]));
    if (!(worst < 1e-5f)) fail_msg("differs by %g from PyTorch", (double)worst);
}

static void ids_to_logits(void **state)
{
    (void)state;
    fgt_model *m = new_text();
    fgti_st   *io;
    int64_t    x[2 * 7];
    float      y[2 * 7 * 4], want[2 * 7 * 4];
    OK(fgt_model_load_weights(m, FGT_FROM_FILE(FOLDER "text.safetensors")));
    OK(fgti_st_open(ctx, FOLDER "text.io.safetensors", &io));
    OK(fgti_st_read_i64(ctx, io, "x", 2, (const int64_t[]){2, 7}, x));
    OK(fgti_st_read_real(ctx, io, "y", 3, (const int64_t[]){2, 7, 4}, want));
    OK(fgt_predict(m, FGT_VIEW_OF(FGT_DTYPE_I64, x, 2, 7), FGT_VIEW(y, 2, 7, 4)));
    compare(2 * 7 * 4, y, want);
    fgti_st_close(ctx, &io);
    fgt_model_destroy(&m);
}

static void rows_to_the_next_value(void **state)
{
    (void)state;
    fgt_model *m = new_series();
    fgti_st   *io;
    float      x[3 * 9 * 3], y[3], want[3];
    OK(fgt_model_load_weights(m, FGT_FROM_FILE(FOLDER "series.safetensors")));
    OK(fgti_st_open(ctx, FOLDER "series.io.safetensors", &io));
    OK(fgti_st_read_real(ctx, io, "x", 3, (const int64_t[]){3, 9, 3}, x));
    OK(fgti_st_read_real(ctx, io, "y", 2, (const int64_t[]){3, 1}, want));
    OK(fgt_predict(m, FGT_VIEW(x, 3, 9, 3), FGT_VIEW(y, 3, 1)));
    compare(3, y, want);
    fgti_st_close(ctx, &io);
    fgt_model_destroy(&m);
}

/* ---- what does not fit ---- */

/* Loads `count` tensors, which must be refused, and the model must not have changed. */
static void refuse(fgt_model *m, int64_t count, const fgti_st_tensor *tensors, fgt_status want,
                   const char *name, const char *words)
{
    const uint64_t before = fgt_model_get_hash(m);
    OK(fgti_st_save(ctx, path, count, tensors, 0, NULL));
    refused(fgt_model_load_weights(m, FGT_FROM_FILE(path)), want, name, words);
    assert_true(fgt_model_get_hash(m) == before);
}

/* "[2,3]" */
static void write_shape(const fgti_st_tensor *t, char *out)
{
    int n = sprintf(out, "[");
    for (int32_t i = 0; i < t->rank; i++)
        n += sprintf(out + n, "%s%lld", i ? "," : "", (long long)t->shape[i]);
    sprintf(out + n, "]");
}

static void each_tensor_lacking_or_misshapen(fgt_model *m, const char *file)
{
    fgti_st       *st;
    fgti_st_tensor t[TENSORS + 1], whole[TENSORS];
    char           shape[64], other[64];
    OK(fgti_st_open(ctx, file, &st));
    const int64_t n = st->count;
    assert_true(n > 0 && n <= TENSORS && n == model_info(m).tensors);
    char *data = read_tensors(st, whole);
    assert_non_null(data);
    for (int64_t i = 0; i < n; i++) {
        memcpy(t, whole, (size_t)n * sizeof *t);
        t[i] = whole[n - 1];
        refuse(m, n - 1, t, FGT_E_NAME, st->tensors[i].name, "");
        /* the same numbers in one row more of rank: both shapes are named */
        t[n - 1] = whole[n - 1];
        t[i]     = whole[i];
        memmove(t[i].shape + 1, t[i].shape, (size_t)t[i].rank * sizeof *t[i].shape);
        t[i].shape[0] = 1;
        t[i].rank++;
        write_shape(&st->tensors[i], shape);
        write_shape(&t[i], other);
        refuse(m, n, t, FGT_E_SHAPE, st->tensors[i].name, shape);
        refused(FGT_E_SHAPE, FGT_E_SHAPE, other, shape);
    }
    memcpy(t, whole, (size_t)n * sizeof *t);
    t[n]      = t[0];
    t[n].name = "encoder.extra.weight";
    refuse(m, n + 1, t, FGT_E_NAME, t[n].name, "not in the model");
    OK(fgt_model_load_weights(m, FGT_FROM_FILE(file)));
    free(data);
    fgti_st_close(ctx, &st);
}

static void malformed_is_refused(void **state)
{
    (void)state;
    fgt_model *text = new_text(), *series = new_series();
    each_tensor_lacking_or_misshapen(text, FOLDER "text.safetensors");
    each_tensor_lacking_or_misshapen(series, FOLDER "series.safetensors");
    /* a whole file of another module */
    const uint64_t before = fgt_model_get_hash(text);
    refused(fgt_model_load_weights(text, FGT_FROM_FILE(FOLDER "series.safetensors")), FGT_E_NAME, "lstm",
            "not in the model");
    assert_true(fgt_model_get_hash(text) == before);
    fgt_model_destroy(&series);
    fgt_model_destroy(&text);
}

/* ---- an independent reader ---- */

/* Output of tests/tools/st_read.py for our file, the caller's to free; NULL: no numpy here. */
static char *read_foreign(const char *file)
{
    static const char *const pythons[] = {"python3", "/usr/bin/python3"};
    const size_t             room      = 1 << 20;
    char                    *out       = malloc(room), command[1024];
    assert_non_null(out);
    for (size_t i = 0; i < 2; i++) {
        snprintf(command, sizeof command, "'%s' '%s/tools/st_read.py' '%s'", pythons[i], TESTS_DIR, file);
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        out[fread(out, 1, room - 1, pipe)] = 0;
        const int status                   = pclose(pipe);
        const int code                     = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
        if (code == 77 || code == 127) continue;
        assert_int_equal(code, 0);
        return out;
    }
    free(out);
    return NULL;
}

/* The line "name F32 [a, b] values" says what the model holds. */
static void check_line(fgt_model *m, const char *text, const char *name)
{
    char     start[160];
    fgt_view v = {0};
    OK(parameter_shape(m, name, &v));
    float *held = malloc((size_t)fgt_view_count(&v) * sizeof *held);
    assert_non_null(held);
    v.data = held;
    OK(fgt_model_copy_parameter(m, name, &v));
    int n = snprintf(start, sizeof start, "\n%s F32 [", name);
    for (int32_t i = 0; i < v.rank; i++)
        n += snprintf(start + n, sizeof start - (size_t)n, "%s%lld", i ? ", " : "", (long long)v.shape[i]);
    snprintf(start + n, sizeof start - (size_t)n, "]");
    const char *at = strstr(text, start);
    if (!at) fail_msg("no line \"%s\"", start + 1);
    char *p = (char *)at + strlen(start);
    for (int64_t i = 0; i < fgt_view_count(&v); i++) assert_true((float)strtod(p, &p) == held[i]);
    assert_true(*p == '\n');
    free(held);
}

static void others_read_our_files(void **state)
{
    (void)state;
    fgt_model *m = new_text();
    OK(fgt_model_load_weights(m, FGT_FROM_FILE(FOLDER "text.safetensors")));
    OK(fgt_model_save(m, FGT_TO_FILE(path)));
    char *text = read_foreign(path);
    if (!text) {
        fgt_model_destroy(&m);
        print_message("skipped: no python3 with numpy\n");
        skip();
    }
    for (int64_t i = 0; i < model_info(m).tensors; i++) check_line(m, text, parameter_name(m, i));
    free(text);
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_to_logits),
        cmocka_unit_test(rows_to_the_next_value),
        cmocka_unit_test(malformed_is_refused),
        cmocka_unit_test(others_read_our_files),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
