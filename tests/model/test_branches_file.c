/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of models with branches: what is read and shared comes back; damaged, it is refused with a sentence
 * that names the layer. tests/nn/test_model_file.c has round trips of every case of tests/nn. */
#include "../model_info.h"
#include "branches.h"
#include "file_data.h"
#include "model/stored/model_file.h"

enum { PAIRS = 64, TEXT = 400 };

/* The metadata of a file, to be changed and written again with the tensors as they were. */
typedef struct copy {
    fgti_st_pair pair[PAIRS];
    char         key[PAIRS][64], value[PAIRS][TEXT];
    int64_t      pairs;
} copy;

static void put(copy *c, const char *key, const char *value)
{
    int64_t i = 0;
    while (i < c->pairs && strcmp(c->key[i], key)) i++;
    assert_true(i < PAIRS);
    c->pairs += i == c->pairs;
    assert_true(strlen(key) < sizeof c->key[i] && strlen(value) < sizeof c->value[i]);
    strcpy(c->key[i], key);
    strcpy(c->value[i], value);
    c->pair[i] = (fgti_st_pair){c->key[i], c->value[i]};
}

static void drop(copy *c, const char *key)
{
    for (int64_t i = 0; i < c->pairs; i++)
        if (!strcmp(c->key[i], key)) c->pair[i].key = c->pair[i].value = ""; /* one of no meaning */
}

/* Writes "good" as "bad" with one pair changed; value NULL: without it. */
static void damage(const char *key, const char *value, const char *also, const char *also_value)
{
    static copy c;
    fgti_st    *st;
    c.pairs = 0;
    OK(fgti_st_open(ctx, in_directory("good"), &st));
    for (int64_t i = 0; i < st->meta_count; i++) put(&c, st->meta[i].key, st->meta[i].value);
    if (value)
        put(&c, key, value);
    else
        drop(&c, key);
    if (also) put(&c, also, also_value);
    fgti_st_tensor *tensor = calloc((size_t)st->count, sizeof *tensor);
    assert_non_null(tensor);
    char *data = read_tensors(st, tensor);
    assert_non_null(data);
    OK(fgti_st_save(ctx, in_directory("bad"), st->count, tensor, c.pairs, c.pair));
    free(tensor);
    free(data);
    fgti_st_close(ctx, &st);
}

/* ---- a file with every kind of edge ---- */

/* 0 known, 1 trunk, 2 deep, 3 again = 2, 4 join, 5 mean, 6 class, 7 price, 8 blocked, 9 wide, 10 cross, 11
 * all, 12 */
#define FROM_OF(layer)   "fighter.layer." #layer ".from"
#define SHARES_OF(layer) "fighter.layer." #layer ".shares"

static const struct {
    const char *key, *value, *words;
} damages[] = {
    {FROM_OF(4), "1 3 13", "layer 4: wrong list of inputs (got \"1 3 13\""},
    {FROM_OF(4), "1 3 4", "layer 4: wrong list of inputs"}, /* itself */
    {FROM_OF(4), "1 3 5", "layer 4: wrong list of inputs"}, /* forward */
    {FROM_OF(4), "1 3 -2", "layer 4: wrong list of inputs"},
    {FROM_OF(4), "1 3 x", "layer 4: wrong list of inputs"},
    {FROM_OF(4), "1,3", "layer 4: wrong list of inputs"},
    {FROM_OF(4), "1 3 0.5", "layer 4: wrong list of inputs"},
    {FROM_OF(4), "1 3 nan", "layer 4: wrong list of inputs"},
    {FROM_OF(4), "1 3 1e300", "layer 4: wrong list of inputs"},
    {FROM_OF(4), "", "layer 4 has no input"},
    {FROM_OF(4), " ", "layer 4: wrong list of inputs"},
    {FROM_OF(4), "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
     "layer 4 (sum): a layer of this type reads at most 16 layers"},
    {FROM_OF(4), "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "layer 4: wrong list of inputs"},
    {FROM_OF(4), "1 0", "layer 4 (sum): \"known\" has the wrong size (got 1 nodes and 6 tokens"},
    {FROM_OF(9), "8", "layer 9 (linear): a layer of this type does not use a mask"},
    {FROM_OF(11), "10 8", "layer 11 (concat)"}, /* a mask where numbers are wanted */
    {FROM_OF(10), "8", "layer 10 (attention): the layer reads only masks"},
    {FROM_OF(10), "4 9 8 8", "layer 10 (attention): \"blocked\" and \"blocked\" are masks of one kind"},
    {FROM_OF(10), "4 9 9", "layer 10 (attention): a layer of this type reads at most 2 layers"},
    {FROM_OF(7), "4 4", "layer 7 (linear): a layer of this type reads at most 1 layers"},
    {FROM_OF(0), "-1", "layer 0 (value): a value cannot read a layer"},
    {SHARES_OF(3), "1", "layer 3: wrong layer to share (got \"1\""}, /* of another type */
    {SHARES_OF(3), "3", "layer 3: wrong layer to share (got \"3\""},
    {SHARES_OF(3), "4", "layer 3: wrong layer to share (got \"4\""},
    {SHARES_OF(3), "99999999999999999999", "layer 3: wrong layer to share"},
    {SHARES_OF(3), "-1", "layer 3: wrong layer to share"},
    {SHARES_OF(3), "deep", "layer 3: wrong layer to share (got \"deep\""},
    {SHARES_OF(3), "", "layer 3: wrong layer to share"},
    {SHARES_OF(12), "6", "layer 12 (linear): with this input the parameters would not have the shape"},
    {"fighter.format", "1", "layer 0: not part of a chain"},
    {"fighter.format", "3", "unknown model format (got 3"},
    {"fighter.layer.8.opts", "kind=9", "kind"},
    {"fighter.layer.8.opts", "time=5 kind=0",
     "layer 10 (attention): a layer of this type reads at most 2 layers"},
    {"fighter.layer.8.type", "shared", "\"shared\""},
    {"fighter.layer.1.name", "", "\"weight\""},
    {"fighter.layer.1.name", "known", "two layers are called \"known\""},
};

static void make_good(void)
{
    fgt_model *m;
    OK(make_graph(ctx, &m));
    OK(fgt_model_save(m, FGT_TO_FILE(in_directory("good"))));
    fgt_model_destroy(&m);
}

static void damaged_edges(void **state)
{
    fgt_model *m;
    (void)state;
    make_good();
    const int64_t live = memory.live;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        damage(damages[i].key, damages[i].value, NULL, NULL);
        const fgt_status s = fgt_model_load(ctx, FGT_FROM_FILE(in_directory("bad")), NULL, &m);
        if (s != FGT_E_FORMAT && s != FGT_E_VERSION && s != FGT_E_NAME)
            fail_msg("%s \"%s\": %s", damages[i].key, damages[i].value, fgt_status_get_name(s));
        REFUSED(s, s, damages[i].words);
        assert_null(m);
        assert_int_equal(memory.live, live);
    }
}

/* A layer that shared and does not say so any more wants parameters of its own. */
static void missing_edges(void **state)
{
    fgt_model *m;
    (void)state;
    make_good();
    damage(SHARES_OF(3), NULL, NULL, NULL);
    REFUSED(fgt_model_load(ctx, FGT_FROM_FILE(in_directory("bad")), NULL, &m), FGT_E_FORMAT, "again.");
    damage(FROM_OF(9), NULL, NULL, NULL); /* the one before has another width */
    REFUSED(fgt_model_load(ctx, FGT_FROM_FILE(in_directory("bad")), NULL, &m), FGT_E_FORMAT, "wide.weight");
    damage("fighter.layer.12.type", "gru", "fighter.layer.12.opts", "hidden=4");
    REFUSED(fgt_model_load(ctx, FGT_FROM_FILE(in_directory("bad")), NULL, &m), FGT_E_FORMAT, "12.");
    damage("fighter.layer.3.name", "other", NULL, NULL); /* of a name without parameters: as good */
    OK(fgt_model_load(ctx, FGT_FROM_FILE(in_directory("bad")), NULL, &m));
    fgt_model_destroy(&m);
}

/* A sharing layer may not be named as the owner, a later one cannot. */
static void shares_of_shares(void **state)
{
    fgt_model *m = new_model(1, D), *loaded;
    (void)state;
    ADD(m, NAMED("a", linear, .out = D));
    ADD(m, fgt_named("b", fgt_shared("a")));
    ADD(m, fgt_named("c", fgt_shared("b")));
    assert_int_equal(model_info(m).tensors, 2);
    OK(fgt_model_save(m, FGT_TO_FILE(in_directory("good"))));
    OK(fgt_model_load(ctx, FGT_FROM_FILE(in_directory("good")), NULL, &loaded));
    assert_true(fgt_model_get_hash(m) == fgt_model_get_hash(loaded) && model_info(loaded).tensors == 2);
    fgt_model_destroy(&loaded);
    damage(SHARES_OF(2), "1", NULL, NULL);
    REFUSED(fgt_model_load(ctx, FGT_FROM_FILE(in_directory("bad")), NULL, &loaded), FGT_E_FORMAT,
            "layer 2: wrong layer to share (got \"1\"");
    damage(SHARES_OF(1), "2", NULL, NULL);
    REFUSED(fgt_model_load(ctx, FGT_FROM_FILE(in_directory("bad")), NULL, &loaded), FGT_E_FORMAT,
            "layer 1: wrong layer to share (got \"2\"");
    damage("fighter.format", "1", NULL, NULL);
    REFUSED(fgt_model_load(ctx, FGT_FROM_FILE(in_directory("bad")), NULL, &loaded), FGT_E_FORMAT,
            "layer 1: not part of a chain");
    fgt_model_destroy(&m);
}

/* A value as long as the model's input is so after a load with another time, too. */
static void another_time(void **state)
{
    float      x[2 * T * D], y[2 * T * D];
    fgt_model *m = new_model(1, D);
    (void)state;
    fill(x, 2 * T * D, 1);
    ADD(m, VALUE("beside", .kind = FGT_VALUE_REAL));
    FROM(m, fgt_sum(NULL), "", "beside");
    OK(fgt_model_save(m, FGT_TO_FILE(in_directory("good"))));
    fgt_model_destroy(&m);
    OK(fgt_model_load(ctx, FGT_FROM_FILE(in_directory("good")),
                      &FGT_OPTS(fgt_load_opts, .batch = 1, .time = 2 * T), &m));
    OK(fgt_workspace_set_value(fgt_model_get_workspace(m), "beside", FGT_VIEW(x, 1, 2 * T, D), NULL));
    OK(fgt_predict(m, FGT_VIEW(x, 1, 2 * T, D), FGT_VIEW(y, 1, 2 * T, D)));
    for (int i = 0; i < 2 * T * D; i++) assert_true(y[i] == 2 * x[i]);
    fgt_model_destroy(&m);
}

/* Sinusoids depend on the token alone, the angles of tape on max_time, too, which is in the file. */
static void positions_of_another_time(void **state)
{
    (void)state;
    for (int32_t kind = FGT_POSITION_SINUSOIDAL; kind <= FGT_POSITION_TAPE; kind += FGT_POSITION_TAPE) {
        const fgt_load_opts  o = {.size = sizeof o, .batch = 1, .time = 2 * T};
        float                x[2 * T * D], y[T * D], longer[2 * T * D];
        fgt_model           *m = new_model(1, D), *loaded;
        fill(x, 2 * T * D, 1);
        ADD(m, LAYER(position, .kind = kind));
        OK(fgt_predict(m, FGT_VIEW(x, 1, T, D), FGT_VIEW(y, 1, T, D)));
        OK(fgt_model_save(m, FGT_TO_FILE(in_directory("good"))));
        fgt_model_destroy(&m);
        if (kind == FGT_POSITION_TAPE) {
            REFUSED(fgt_model_load(ctx, FGT_FROM_FILE(in_directory("good")), &o, &loaded), FGT_E_FORMAT,
                    "max_time is out of range (got 5");
            continue;
        }
        OK(fgt_model_load(ctx, FGT_FROM_FILE(in_directory("good")), &o, &loaded));
        OK(fgt_predict(loaded, FGT_VIEW(x, 1, 2 * T, D), FGT_VIEW(longer, 1, 2 * T, D)));
        assert_memory_equal(longer, y, sizeof y);
        fgt_model_destroy(&loaded);
    }
}

/* ---- what counts as the same ---- */

enum { PLAIN, RESIDUAL, SHARED, OTHER_EDGE, VARIANTS };

static fgt_model *variant(int which)
{
    fgt_model *m = new_model(1, D);
    ADD(m, NAMED("a", linear, .out = D));
    if (which == SHARED)
        ADD(m, fgt_named("b", fgt_shared("a")));
    else if (which == RESIDUAL)
        FROM(m, NAMED("b", linear, .out = D), "");
    else
        ADD(m, NAMED("b", linear, .out = D));
    FROM(m, fgt_sum(NULL), "b");
    if (which == OTHER_EDGE) FROM(m, fgt_named("b2", fgt_sum(NULL)), "a");
    if (which != OTHER_EDGE) ADD(m, fgt_named("b2", fgt_sum(NULL)));
    return m;
}

static void same_edges(void **state)
{
    (void)state;
    for (int i = 0; i < VARIANTS; i++)
        for (int k = 0; k < VARIANTS; k++) {
            fgt_model *a = variant(i), *b = variant(k);
            fgti_st      *st;
            const int64_t live = memory.live;
            if (i == k)
                OK(fgti_model_check_same(a, b));
            else
                REFUSED(fgti_model_check_same(a, b), FGT_E_ARG, "models differ");
            OK(fgt_model_save(b, FGT_TO_FILE(in_directory("b"))));
            OK(fgti_st_open(ctx, in_directory("b"), &st));
            const fgt_status s = fgti_model_check_file(a, st);
            fgti_st_close(ctx, &st);
            if ((i == k) != (s == FGT_OK)) fail_msg("%d, %d: %s", i, k, fgt_context_get_error(ctx));
            assert_int_equal(memory.live, live);
            fgt_model_destroy(&a);
            fgt_model_destroy(&b);
        }
}

/* A chain says nothing that a library without branches does not know. */
static void chains_stay_format_1(void **state)
{
    static char bytes[20000];
    fgt_model  *m = new_model(1, D);
    (void)state;
    ADD(m, fgt_revin(NULL));
    FROM(m, NAMED("a", linear, .out = D), "0");
    FROM(m, fgt_revin_inverse(NULL), "a");
    OK(fgt_model_save(m, FGT_TO_FILE(in_directory("chain"))));
    const size_t n = get_file(in_directory("chain"), bytes, sizeof bytes - 1);
    for (size_t i = 0; i < n; i++)
        if (!bytes[i]) bytes[i] = ' ';
    assert_non_null(strstr(bytes, "\"fighter.format\":\"1\""));
    assert_null(strstr(bytes, ".from"));
    assert_null(strstr(bytes, ".shares"));
    fgt_model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_BOTH(damaged_edges), WITH_BOTH(missing_edges), WITH_BOTH(shares_of_shares),
        WITH_BOTH(another_time),  WITH_BOTH(positions_of_another_time),
        WITH_BOTH(same_edges),    WITH_BOTH(chains_stay_format_1),
    };
    return cmocka_run_group_tests(tests, NULL, remove_directory);
}
