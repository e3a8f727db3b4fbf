/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of classifiers in which one thing is not as it should be: a sentence, and no classifier. */
#include <fighter/classify.h>
#include <fighter/experimental/corpus_file.h>
#include <fighter/experimental/vit.h>

#include "../directory.h"
#include "../model/file_data.h"
#include "../model_info.h"
#include "../one_context.h"
#include "../samples_info.h"

static int set_up(void **state)
{
    return make_directory(state) || test_open(state);
}

static int tear_down(void **state)
{
    return remove_directory(state) | test_close(state);
}

static void load(file_copy *c, fgt_status status, const char *words)
{
    fgt_classifier *k    = (fgt_classifier *)c; /* anything */
    const char     *path = in_directory("bad");
    copy_save(ctx, c, path);
    const int64_t live = memory.live;
    REFUSED(fgt_classifier_load(ctx, FGT_FROM_FILE(path), NULL, &k), status, words);
    assert_null(k);
    assert_int_equal(memory.live, live);
}

static void one_thing_is_wrong(void **state)
{
    static const struct {
        const char *key, *value;
        fgt_status  status;
        const char *words;
    } wrong[] = {
        {"classify.format", "5", FGT_E_VERSION, "classifier format 5 is unknown"},
        {"classify.classes", "[\"1\"]", FGT_E_FORMAT, "two or more different names"},
        {"classify.classes", "[\"1\",\"1\"]", FGT_E_FORMAT, "two or more different names"},
    };
    static file_copy c;
    const char      *good = TESTS_DIR "/fuzz/corpus/fuzz_classifier/members";
    fgt_classifier  *k;
    (void)state;
    OK(fgt_classifier_load(ctx, FGT_FROM_FILE(good), NULL, &k));
    fgt_classifier_destroy(&k);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        copy_open(ctx, good, &c);
        copy_set(&c, wrong[i].key, wrong[i].value);
        load(&c, wrong[i].status, wrong[i].words);
    }
    copy_open(ctx, good, &c);
    copy_find(&c, "classify.words")->dtype = FGTI_ST_I8;
    load(&c, FGT_E_FORMAT, "\"classify.words\" is of type");
}

/* Its vocabulary splits texts as it did when the file was written, also where that is saved again. */
static void an_older_file_leaves_symbols_out(void **state)
{
    const char     *text = "\xf0\x9f\x98\x80 $", *path = in_directory("again");
    fgt_classifier *k;
    int64_t         id = 1;
    (void)state;
    OK(fgt_classifier_load(ctx, FGT_FROM_FILE(TESTS_DIR "/fuzz/corpus/fuzz_classifier/gru"), NULL, &k));
    OK(fgt_classifier_save(k, FGT_TO_FILE(path)));
    fgt_classifier_destroy(&k);
    OK(fgt_classifier_load(ctx, FGT_FROM_FILE(path), NULL, &k));
    assert_int_equal(vocab_info(fgt_classifier_get_vocab(k)).opts->symbols, FGT_VOCAB_SYMBOLS_SPACES);
    OK(fgt_vocab_encode(fgt_classifier_get_vocab(k), &text, 1, FGT_VIEW_OF(FGT_DTYPE_I64, &id, 1, 1), NULL,
                        NULL));
    assert_int_equal(id, FGT_ID_PADDING);
    fgt_classifier_destroy(&k);
}

/* The names of the columns travel with the model. */
static void columns_are_in_the_file(void **state)
{
    const char     *rows = "kind,title,words\na,so so,fine\nb,so so,bad\na,so,fine\nb,bad,bad\n";
    const char     *more = "title,date,words\nso so,today,fine\n";
    char            path[256], csv[256];
    fgt_corpus     *train, *texts;
    fgt_classifier *k;
    (void)state;
    snprintf(path, sizeof path, "%s", in_directory("columns"));
    snprintf(csv, sizeof csv, "%s", in_directory("new.csv"));
    test_write(csv, rows, strlen(rows));
    OK(fgt_corpus_load(ctx, csv, &FGT_OPTS(fgt_corpus_opts, .class_column = "kind"), &train));
    OK(fgt_classifier_create(ctx, FGT_TEXTS(train), &FGT_OPTS(fgt_classifier_opts, .dim = 4), &k));
    fgt_corpus_destroy(&train);
    OK(fgt_classifier_save(k, FGT_TO_FILE(path)));
    fgt_classifier_destroy(&k);
    OK(fgt_classifier_load(ctx, FGT_FROM_FILE(path), NULL, &k));
    const fgt_corpus     *like = fgt_classifier_get_corpus(k);
    const fgt_corpus_opts any  = FGT_OPTS(fgt_corpus_opts, .like = like, .no_classes = 1);
    assert_int_equal(corpus_info(like).rows, 0);
    assert_int_equal(corpus_info(like).classes, 2);
    test_write(csv, more, strlen(more));
    OK(fgt_corpus_load(ctx, csv, &any, &texts));
    assert_string_equal(fgt_corpus_get_text(texts, 0), "so so fine");
    fgt_corpus_destroy(&texts);
    REFUSED(fgt_corpus_load(ctx, csv, &FGT_OPTS(fgt_corpus_opts, .like = like), &texts), FGT_E_NAME,
            "no column \"kind\"");
    REFUSED(fgt_corpus_save(like, path), FGT_E_ARG, "no texts");
    fgt_classifier_destroy(&k);
    assert_null(fgt_classifier_get_corpus(NULL));
    static file_copy c;
    copy_open(ctx, path, &c);
    copy_set(&c, "classify.columns", "[\"a\"]");
    load(&c, FGT_E_FORMAT, "no column of texts");
    copy_open(ctx, path, &c);
    copy_set(&c, "classify.columns", "[\"a\",");
    load(&c, FGT_E_FORMAT, "not a list of names");
}

/* The model is for images of 2 x 2. */
static void patches_do_not_fit(void **state)
{
    static const struct {
        const char *value, *words;
    } wrong[] = {
        {"patch_height=1099511627776 patch_width=1099511627776 dim=4",
         "\"classify.vit\": vision transformer"},
        {"patch_height=2 patch_width=3 dim=4", "patches of 2 x 3 do not divide an image of 2 x 2"},
        {"patch_height=-2 patch_width=2 dim=4", "patch_height is out of range (got -2"},
        {"patch_height=2 dim=-4", "dim is out of range (got -4"},
        {"patch_height=2 patch_width=2 dim=4 pool=2", "FGT_VIT_POOL_TOKENS"},
    };
    static file_copy c;
    const char      *good = TESTS_DIR "/fuzz/corpus/fuzz_classifier/images";
    fgt_classifier  *k;
    (void)state;
    OK(fgt_classifier_load(ctx, FGT_FROM_FILE(good), NULL, &k));
    fgt_classifier_destroy(&k);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        copy_open(ctx, good, &c);
        copy_set(&c, "classify.vit", wrong[i].value);
        load(&c, FGT_E_FORMAT, wrong[i].words);
    }
}

enum { MANY = 300, FEW = 64 };

/* The good file with MANY more layers and members, of which each byte of the file would cost hundreds. */
static void write_many(const fgti_st *st, const char *path)
{
    static fgti_st_tensor tensor[MANY + FEW];
    static fgti_st_pair   pair[3 * MANY + FEW];
    static char           text[3 * MANY][48], names[MANY][32], count[16], layer_names[MANY][16];
    char                 *data   = read_tensors(st, tensor);
    const int             layers = atoi(fgti_st_meta(st, "fighter.layers"));
    int64_t               pairs  = 0, tensors = st->count, p = 0;
    assert_true(data && st->count < FEW && st->meta_count < FEW);
    for (int64_t i = 0; i < st->count; i++)
        if (strcmp(tensor[i].name, "classify.words")) p += tensor[i].bytes / (int64_t)sizeof(float);
    float *weights = calloc((size_t)p, sizeof *weights);
    assert_non_null(weights);
    snprintf(count, sizeof count, "%d", layers + MANY);
    for (; pairs < st->meta_count; pairs++)
        pair[pairs] = (fgti_st_pair){st->meta[pairs].key, strcmp(st->meta[pairs].key, "fighter.layers")
                                                              ? st->meta[pairs].value
                                                              : count};
    for (int i = 0; i < MANY; i++) {
        static const char *const rest[] = {"type", "name", "opts"};
        snprintf(layer_names[i], sizeof layer_names[i], "more%d", i);
        for (int k = 0; k < 3; k++) {
            snprintf(text[3 * i + k], sizeof text[0], "fighter.layer.%d.%s", layers + i, rest[k]);
            pair[pairs++] = (fgti_st_pair){text[3 * i + k],
                                           k == 0 ? "activation" : k == 1 ? layer_names[i] : ""};
        }
        snprintf(names[i], sizeof names[i], "classify.member.%d", i + 1);
        tensor[tensors++] = (fgti_st_tensor){
            .name = names[i], .dtype = FGTI_ST_F32, .rank = 1, .shape = {p}, .data = weights};
    }
    OK(fgti_st_save(ctx, path, tensors, tensor, pairs, pair));
    free(weights);
    free(data);
}

/* 300 members of 300 layers took 100 MB of memory for 0.2 MB of file. */
static void members_are_paid_for(void **state)
{
    const char     *path = in_directory("many");
    fgti_st        *st;
    fgt_classifier *k;
    (void)state;
    OK(fgti_st_open(ctx, TESTS_DIR "/fuzz/corpus/fuzz_classifier/gru", &st));
    write_many(st, path);
    fgti_st_close(ctx, &st);
    OK(fgti_st_open(ctx, path, &st));
    const int64_t size = st->size, before = memory.bytes;
    fgti_st_close(ctx, &st);
    memory.peak = before;
    REFUSED(fgt_classifier_load(ctx, FGT_FROM_FILE(path), NULL, &k), FGT_E_FORMAT, "301 members of");
    assert_true(memory.peak - before <= 32 * size + (1 << 20));
}

/* Whatever byte of a saved file is wrong; a score that is not finite is no class. */
static void damage_is_seen(void **state)
{
    const char     *path = in_directory("damaged");
    float           out[8];
    fgt_classifier *k, *none;
    (void)state;
    OK(fgt_classifier_load(ctx, FGT_FROM_FILE(TESTS_DIR "/fuzz/corpus/fuzz_classifier/gru"), NULL, &k));
    OK(fgt_classifier_save(k, FGT_TO_FILE(path)));
    const test_block b    = test_read(path);
    int64_t          name = 0;
    while (memcmp(b.data + name, "fighter.hash", 12) != 0) name++;
    for (int64_t i = 0; i < b.size; i += 7) {
        if (i >= name && i < name + 12) continue;
        b.data[i] ^= 4;
        assert_int_not_equal(fgt_classifier_load(ctx, FGT_FROM_MEMORY(b.data, b.size), NULL, &none), FGT_OK);
        assert_null(none);
        b.data[i] ^= 4;
    }
    free(b.data);
    fgt_model    *m     = fgt_classifier_get_model(k);
    const int64_t count = model_info(m).parameters;
    float        *large = malloc((size_t)count * sizeof *large);
    assert_non_null(large);
    for (int64_t i = 0; i < count; i++) large[i] = i % 2 ? 3e38F : -3e38F;
    OK(fgt_model_set_weights(m, FGT_VIEW(large, count)));
    free(large);
    fgt_classifier_info info = {.size = sizeof info};
    OK(fgt_classifier_get_info(k, &info));
    assert_in_range(info.classes, 1, 8);
    REFUSED(fgt_classifier_predict(
                k, &FGT_OPTS(fgt_classifier_rows, .texts = &(const char *){"some text"}, .text_count = 1),
                FGT_VIEW(out, 1, info.classes), NULL),
            FGT_E_DATA, "text 0: the model's score of class ");
    fgt_classifier_destroy(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_thing_is_wrong),
                                       cmocka_unit_test(an_older_file_leaves_symbols_out),
                                       cmocka_unit_test(columns_are_in_the_file),
                                       cmocka_unit_test(patches_do_not_fit),
                                       cmocka_unit_test(members_are_paid_for),
                                       cmocka_unit_test(damage_is_seen)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
