/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints that cannot be read or written: one sentence, and nothing changed. */
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "../attent/attent_state.h"
#include "../model/file_data.h"
#include "checkpoint.h"

/* ---- files ---- */

static unsigned char *read_file(const char *name, size_t *size)
{
    const test_block b = test_read(name);
    *size              = (size_t)b.size;
    return (unsigned char *)b.data;
}

/* ---- what cannot be resumed ---- */

static const setting usual = {
    .optim = {.lr = 0.02, .weight_decay = 0.1}, .strategy = FGT_ATTENT_STRATEGY_SOFT, .validation = true};

/* Weights and selector of a scene, to be compared. */
typedef struct before {
    uint64_t      hash;
    unsigned char selector[1024];
} before;

static before note(const scene *s)
{
    before b = {.hash = fgt_model_get_hash(s->model)};
    if (s->selector) OK(attent_state(s->selector, b.selector, attent_state_bytes(s->selector)));
    return b;
}

static void unchanged(const scene *s, const before *b)
{
    const before now = note(s);
    assert_true(now.hash == b->hash && !memcmp(now.selector, b->selector, sizeof now.selector));
}

static void refused(scene *s, fgt_status status, const char *words)
{
    const before b = note(s);
    REFUSED(fgt_model_fit(s->model, &s->opts, &s->report), status, words);
    unchanged(s, &b);
    scene_done(s);
}

static void test_foreign(void **state)
{
    (void)state;
    scene   s;
    setting set = usual;
    interrupt(&usual, 4, &s);
    s.opts.training.resume = "/tmp/fgt_no_such_file";
    refused(&s, FGT_E_IO, "No such file");

    scene_init(&s, &usual);
    OK(fgt_model_save(s.model, FGT_TO_FILE(other)));
    s.opts.training.resume = other;
    refused(&s, FGT_E_FORMAT, "the file is a fighter model, not a checkpoint");

#define RESUME(change, status, words) \
    scene_init(&s, &set);             \
    s.opts.training.resume = path;    \
    change;                           \
    refused(&s, status, words)
    RESUME(s.optim.lr = 0.03, FGT_E_FORMAT, "\"train.optim\": wrong value (got \"lr=0.02");
    RESUME(s.optim.kind = FGT_OPTIM_ADAM, FGT_E_FORMAT, "\"train.optim\"");
    RESUME(s.schedule.warmup = 3, FGT_E_FORMAT, "\"train.schedule\"");
    RESUME(s.opts.training.seed = 4, FGT_E_FORMAT, "\"fit.seed\": wrong value (got \"3\", need \"4\")");
    RESUME(s.opts.training.batch = 4, FGT_E_FORMAT, "\"fit.options\": wrong value (got \"batch=8\"");
    RESUME(s.opts.loss = &FGT_OPTS(fgt_loss_opts, .kind = FGT_LOSS_L1), FGT_E_FORMAT, "\"fit.loss\"");
    RESUME(s.opts.loss = &FGT_OPTS(fgt_loss_opts, .quantile = 0.25f), FGT_E_FORMAT, "quantile=0.25");
    set.strategy = -1;
    RESUME(s.opts.training.epochs = 9, FGT_E_FORMAT, "written with a selector, but the run has none");
    set.strategy = FGT_ATTENT_STRATEGY_HARD;
    RESUME((void)0, FGT_E_FORMAT, "strategy");
    set.constant = true;
    set.strategy = -1;
    interrupt(&set, 4, &s);
    scene_done(&s);
    RESUME(s.opts.training.epochs = 2, FGT_E_FORMAT, "has 3 epochs, the run has only 2");
    RESUME(s.train.count = 30, FGT_E_FORMAT, "\"fit.samples\": wrong value (got \"36\", need \"30\")");
    RESUME(s.train.fingerprint = 7, FGT_E_FORMAT, "was written in a training with other data");
    RESUME(s.opts.no_shuffle = 1, FGT_E_FORMAT, "\"fit.options\"");
    set.strategy = FGT_ATTENT_STRATEGY_SOFT;
    RESUME((void)0, FGT_E_FORMAT, "written without a selector, but the run has one");
#undef RESUME
}

static void test_foreign_to_a_host(void **state)
{
    (void)state;
    loop  l;
    scene s;
    loop_init(&l, &usual);
    steps(&l, 3);
    fgt_checkpoint c = checkpoint_of(&l);
    OK(fgt_checkpoint_save(&c, path));
    c.data_size = 4;
    REFUSED(fgt_checkpoint_load(&c, path), FGT_E_SHAPE, "train.host");
    c.data      = NULL;
    REFUSED(fgt_checkpoint_load(&c, path), FGT_E_ARG, "data_size 4");
    c.data_size = 0;
    REFUSED(fgt_checkpoint_load(&c, path), FGT_E_FORMAT, "written with data of a host");
    REFUSED(fgt_checkpoint_load(&c, NULL), FGT_E_ARG, "path is NULL");
    assert_int_equal(fgt_checkpoint_save(NULL, path), FGT_E_ARG);
    OK(fgt_checkpoint_save(&c, other));
    loop_done(&l);
    scene_init(&s, &usual);
    s.schedule.total = 40;
    s.opts.training.resume = other;
    refused(&s, FGT_E_FORMAT, "not a checkpoint of fgt_model_fit()");
}

/* Whether byte n is of the name of the hash: without it the file is whole, but has no hash. */
static bool is_of_name(const unsigned char *all, size_t size, size_t n)
{
    static const char name[] = "fighter.hash";
    const size_t      length = sizeof name - 1;
    for (size_t i = 0; i < length && i <= n; i++)
        if (n - i + length <= size && !memcmp(all + n - i, name, length)) return true;
    return false;
}

/* Every length below the whole, and a bit at every place: a sentence, and nothing changed. */
static void test_damaged(void **state)
{
    (void)state;
    scene s;
    interrupt(&usual, 3, &s);
    size_t         size;
    unsigned char *all = read_file(path, &size);
    const before   b   = note(&s);
    s.opts.training.resume = other;
    for (size_t n = 0; n < size; n += n < 64 ? 1 : 97) {
        test_write(other, all, n);
        const fgt_status status = fgt_model_fit(s.model, &s.opts, &s.report);
        assert_true(status == FGT_E_FORMAT || status == FGT_E_IO);
        says(ctx, other);
        unchanged(&s, &b);
    }
    for (size_t n = 0; n < size; n += 13) {
        if (is_of_name(all, size, n)) continue;
        all[n] = (unsigned char)(all[n] ^ 1 << n % 8);
        test_write(other, all, size);
        all[n] = (unsigned char)(all[n] ^ 1 << n % 8);
        assert_int_not_equal(fgt_model_fit(s.model, &s.opts, &s.report), FGT_OK);
        says(ctx, other);
        unchanged(&s, &b);
    }
    scene_done(&s);
    free(all);
}

/* The file at `path`, written as `other` with a number or the type of one tensor, or the format, changed. */
typedef struct change {
    const char *name; /* NULL: the format */
    int64_t     at, number;
    bool        other_type;
    fgt_status  status;
    const char *words;
} change;

/* With the hash of the changed file: whoever means harm writes the right one. */
static void write_changed(const change *c)
{
    static file_copy copy;
    copy_open(ctx, path, &copy);
    if (!c->name)
        copy_set(&copy, "train.format", "999");
    else if (c->other_type)
        copy_find(&copy, c->name)->dtype = FGTI_ST_I8;
    else
        memcpy(copy.data + copy_find(&copy, c->name)->offset + 8 * c->at, &c->number, sizeof c->number);
    copy_save(ctx, &copy, other);
}

static void test_changed(void **state)
{
    (void)state;
    static const change changes[] = {
        {NULL, 0, 0, false, FGT_E_VERSION, "unknown checkpoint format (got 999"},
        {"train.counts", 0, -1, false, FGT_E_FORMAT,
         "\"train.counts\": element 0 is out of range (got -1, need 0 .. "},
        {"train.counts", 0, INT64_MAX, false, FGT_E_FORMAT,
         "element 0 is out of range (got 9223372036854775807, need"},
        {"train.counts", 1, INT64_MAX, false, FGT_E_FORMAT,
         "element 1 is out of range (got 9223372036854775807, need"},
        {"train.selector", 0, 0, true, FGT_E_FORMAT, "got I8, need U8"},
        {"fit.counts", 0, -1, false, FGT_E_FORMAT, "\"fit.counts\" or \"fit.numbers\" is damaged"},
        {"fit.counts", 2, INT64_MAX, false, FGT_E_FORMAT, "\"fit.counts\" or \"fit.numbers\" is damaged"},
        {"fit.counts", 3, INT64_MAX, false, FGT_E_FORMAT, "\"fit.counts\" or \"fit.numbers\" is damaged"},
    };
    scene s;
    interrupt(&usual, 3, &s);
    scene_done(&s);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        write_changed(&changes[i]);
        scene_init(&s, &usual);
        s.opts.training.resume = other;
        refused(&s, changes[i].status, changes[i].words);
    }
}

/* A schedule that begins before the first step, or after the last one. */
static void test_changed_begin(void **state)
{
    (void)state;
    const setting set     = {.optim = usual.optim, .strategy = -1, .epochs = 1};
    const int64_t wrong[] = {-1, 1000};
    scene         s;
    scene_init(&s, &set);
    s.opts.training.checkpoint = path;
    run(&s);
    s.opts.training.moments = path;
    run(&s);
    scene_done(&s);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const change c = {"train.begin", 0, wrong[i], false, FGT_E_FORMAT, NULL};
        write_changed(&c);
        scene_init(&s, &set);
        s.opts.training.resume = other;
        refused(&s, FGT_E_FORMAT, "\"train.begin\" is ");
    }
}

static int stop_soon(void *user, const fgt_progress *p)
{
    (void)user;
    return p->step == 3;
}

/* A place within an epoch that no run of these options has, or no run at all. */
static void test_changed_part(void **state)
{
    (void)state;
    const double  wrong[] = {-BATCH, 0, BATCH + 1, 0.5, SAMPLES, 5 * BATCH, 1e300, NAN};
    const setting set     = {.optim = usual.optim, .strategy = -1, .validation = true};
    scene         s;
    scene_init(&s, &set);
    s.opts.training.checkpoint         = path;
    s.opts.training.checkpoint_seconds = 1e-12;
    s.opts.training.progress           = stop_soon;
    run(&s);
    scene_done(&s);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        change c = {"fit.part", 0, 0, false, FGT_E_FORMAT, "\"fit.part\" is damaged"};
        memcpy(&c.number, &wrong[i], sizeof c.number);
        write_changed(&c);
        scene_init(&s, &set);
        s.opts.training.resume = other;
        refused(&s, FGT_E_FORMAT, c.words);
    }
    const change c = {"fit.counts", 0, INT64_MAX, false, FGT_E_FORMAT, NULL};
    write_changed(&c);
    scene_init(&s, &set);
    s.opts.training.resume = other;
    refused(&s, FGT_E_FORMAT, "\"fit.counts\" or \"fit.numbers\" is damaged");
}

/* ---- no memory, no room ---- */

static void check_no_memory(const setting *set)
{
    loop l;
    loop_init(&l, set);
    steps(&l, 5);
    fgt_checkpoint c = checkpoint_of(&l);
    OK(fgt_checkpoint_save(&c, path));
    size_t size, again;
    unlink(other);
    unsigned char *old = read_file(path, &size);
    steps(&l, 9);
    const before b = note(&l.s);
    for (int save = 1; save >= 0; save--) {
        fgt_status s;
        SWEEP(&memory, s, 4, save ? fgt_checkpoint_save(&c, other) : fgt_checkpoint_load(&c, path))
        {
            NOTHING_LEAKS;
            assert_int_equal(l.done, 9);
            unchanged(&l.s, &b);
            assert_int_equal(access(other, F_OK), -1);
        }
        unlink(other);
    }
    assert_int_equal(l.done, 5);
    OK(fgt_checkpoint_save(&c, other)); /* what was loaded is what had been saved */
    unsigned char *new = read_file(other, &again);
    assert_true(size == again && !memcmp(old, new, size));
    free(old);
    free(new);
    loop_done(&l);
    unlink(other);
}

static void test_no_memory(void **state)
{
    (void)state;
    setting branches  = usual;
    branches.branches = true;
    check_no_memory(&usual);
    check_no_memory(&branches);
}

static void test_resume_without_memory(void **state)
{
    (void)state;
    scene s;
    interrupt(&usual, 4, &s);
    const before b = note(&s);
    fgt_status   r;
    SWEEP(&memory, r, 4, fgt_model_fit(s.model, &s.opts, &s.report))
    {
        unchanged(&s, &b);
        assert_true(memory.live >= w_.live); /* the model keeps its workspace */
    }
    scene whole;
    scene_init(&whole, &usual);
    assert_true(run(&whole) == fgt_model_get_hash(s.model));
    scene_done(&whole);
    scene_done(&s);
}

/* A limit on file sizes stands in for a full disk. */
static void test_write_interrupted(void **state)
{
    (void)state;
    scene         s, whole;
    struct rlimit old, low;
    size_t        size, after;
    scene_init(&whole, &usual);
    const uint64_t hash = run(&whole);
    interrupt(&usual, 3, &s);
    unsigned char *bytes = read_file(path, &size), *left;
    s.opts.training.checkpoint = path;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    low                  = old;
    low.rlim_cur         = size / 2;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    const fgt_status status = fgt_model_fit(s.model, &s.opts, &s.report);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, FGT_OK);
    assert_true(s.report.failed_checkpoints > 0);
    assert_int_equal(s.report.epochs, EPOCHS); /* the others, which could not be kept */
    assert_true(fgt_model_get_hash(s.model) == hash);
    left = read_file(path, &after);
    assert_true(size == after && !memcmp(bytes, left, size));
    scene_done(&s);
    scene_init(&s, &usual);
    s.opts.training.resume = path;
    assert_true(run(&s) == hash);
    scene_done(&s);
    scene_done(&whole);
    free(bytes);
    free(left);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_foreign),           cmocka_unit_test(test_foreign_to_a_host),
        cmocka_unit_test(test_damaged),           cmocka_unit_test(test_changed),
        cmocka_unit_test(test_changed_begin),
        cmocka_unit_test(test_changed_part),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_resume_without_memory), cmocka_unit_test(test_write_interrupted),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
