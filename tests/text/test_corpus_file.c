/* SPDX-License-Identifier: BSD-3-Clause */
/* Corpora that stay on disk: what is written is read, and what is damaged is refused. */
#include "../data/small_files.h"

#include <fighter/experimental/corpus_file.h>

#include "../samples_info.h"
#include "text/corpus.h"
#include "text/corpus_reader.h"
#include "text/vocab/encoding.h"
#include "text/vocab/vocab.h"

enum { ROWS = 6000, T = 12, MIXED = 300 };

/* Texts of very different lengths; one is longer than a block. */
static const char *write_csv(const char *name, int64_t first, int64_t rows, bool header)
{
    const char *path = in_directory(name);
    FILE       *f    = fopen(path, "w");
    if (header) fprintf(f, "id,class,text\n");
    for (int64_t r = first; r < first + rows; r++) {
        static const char *const classes[] = {"gamma", "beta", "alpha"};
        fprintf(f, "%d,%s,\"text number %d:", (int)r, classes[r % 3], (int)r);
        for (int64_t i = r == 77 ? 60000 : r * 7919 % 61; i > 0; i--)
            fprintf(f, " w%d", (int)((r + i) % 500));
        fprintf(f, "%s\"\n", r % 1000 == 5 ? " \xff" : "");
    }
    fclose(f);
    return path;
}

static const char *const     text_column[] = {"text"};
static const fgt_corpus_opts plain         = {
            .size = sizeof plain, .text_columns = text_column, .text_column_count = 1};

static fgt_status convert(const char *path, const char *to, const fgt_corpus_opts *opts, int64_t *rows)
{
    const fgt_corpus_convert_opts o = {.size = sizeof o, .corpus = opts};
    return fgt_corpus_convert(&context, &path, 1, &o, to, rows);
}

static fgt_corpus *open_file(const char *path, int64_t resident)
{
    fgt_corpus *c;
    expect_ok(fgt_corpus_open(&context, path, &FGT_OPTS(fgt_corpus_open_opts, .resident = resident), &c));
    return c;
}

static fgt_corpus *load_file(const char *path)
{
    fgt_corpus *c;
    expect_ok(fgt_corpus_load(&context, path, &plain, &c));
    return c;
}

/* Rows are read through few blocks, back and forth. */
static void expect_same(const fgt_corpus *stored, const fgt_corpus *loaded)
{
    const int64_t n = corpus_info(loaded).rows, k = corpus_info(loaded).classes;
    fgt_corpus   *copy;
    int64_t       rows[200];
    assert_int_equal(corpus_info(stored).rows, n);
    assert_int_equal(corpus_info(stored).classes, k);
    assert_int_equal(corpus_info(stored).replaced, corpus_info(loaded).replaced);
    for (int64_t i = 0; i < k; i++) {
        assert_string_equal(fgt_corpus_get_class_name(stored, i), fgt_corpus_get_class_name(loaded, i));
        assert_int_equal(corpus_info(stored).class_rows[i], corpus_info(loaded).class_rows[i]);
    }
    for (int64_t i = 0; i < 200; i++) rows[i] = i < 100 ? i * 7919 % n : n - 200 + i;
    expect_ok(fgt_corpus_create_subset(stored, rows, 200, &copy));
    for (int64_t i = 0; i < 200; i++) {
        assert_string_equal(fgt_corpus_get_text(copy, i), fgt_corpus_get_text(loaded, rows[i]));
        assert_int_equal(corpus_class(copy, i), corpus_class(loaded, rows[i]));
    }
    fgt_corpus_destroy(&copy);
}

static void test_round(void **state)
{
    (void)state;
    const char *csv = write_csv("t.csv", 0, ROWS, true), *to = in_directory("t.fgc");
    int64_t     rows = 0;
    expect_ok(convert(csv, to, &plain, &rows));
    assert_int_equal(rows, ROWS);
    assert_true(fgt_file_get_kind(to) == FGT_FILE_KIND_CORPUS &&
                fgt_file_get_kind(csv) != FGT_FILE_KIND_CORPUS &&
                fgt_file_get_kind(NULL) != FGT_FILE_KIND_CORPUS);
    fgt_corpus *stored = open_file(to, 1 << 20), *loaded = load_file(csv);
    assert_true(corpus_info(stored).stored && !corpus_info(loaded).stored);
    assert_null(fgt_corpus_get_text(stored, 0));
    assert_null(corpus_info(stored).row_classes);
    assert_true(stored->store->file.index.blocks > 2 && stored->store->file.longest > 1 << 18);
    expect_same(stored, loaded);
    fgt_corpus_destroy(&stored);
    fgt_corpus_destroy(&loaded);
}

/* A corpus that is saved gives what was converted, from one file or from several. */
static void test_same(void **state)
{
    (void)state;
    static char data[3][1 << 21];
    size_t      size[3];
    char        to[3][256], part[2][256];
    const char *one = write_csv("one.csv", 0, ROWS, true);
    snprintf(part[0], sizeof part[0], "%s", write_csv("a.csv", 0, 2500, true));
    snprintf(part[1], sizeof part[1], "%s", write_csv("b.csv", 2500, ROWS - 2500, true));
    for (int i = 0; i < 3; i++) snprintf(to[i], sizeof to[i], "%s/%d.fgc", directory, i);
    expect_ok(convert(one, to[0], &plain, NULL));
    expect_ok(fgt_corpus_convert(&context, (const char *[]){part[0], part[1]}, 2,
                                 &FGT_OPTS(fgt_corpus_convert_opts, .corpus = &plain), to[1], NULL));
    fgt_corpus *loaded = load_file(one), *stored = open_file(to[0], 0);
    expect_ok(fgt_corpus_save(stored, to[2]));
    fgt_corpus_destroy(&stored);
    for (int i = 0; i < 3; i++) {
        size[i] = get_file(to[i], data[i], sizeof data[i]);
        stored  = open_file(to[i], 0);
        expect_same(stored, loaded);
        fgt_corpus_destroy(&stored);
    }
    assert_int_equal(size[1], size[0]);
    assert_memory_equal(data[1], data[0], size[0]);
    expect_ok(fgt_corpus_save(loaded, to[2]));
    stored = open_file(to[2], 0);
    expect_same(stored, loaded);
    fgt_corpus_destroy(&stored);
    fgt_corpus_destroy(&loaded);
}

/* ---- what is made of it ---- */

static void expect_same_samples(const fgt_vocab *v, const fgt_corpus *stored, const fgt_corpus *loaded)
{
    enum { N = 50 };
    fgt_encoding *a, *b;
    int64_t       index[N], x[2][N * T], y[2][N], chunk, pool;
    expect_ok(fgt_encoding_create(v, stored, T, &a));
    expect_ok(fgt_encoding_create(v, loaded, T, &b));
    const int64_t n = corpus_info(loaded).rows;
    for (int64_t i = 0; i < N; i++) index[i] = i * 7919 % n;
    expect_ok(fgt_encoding_copy_samples(a, index, N, FGT_VIEW_OF(FGT_DTYPE_I64, x[0], N, T),
                                        FGT_VIEW_OF(FGT_DTYPE_I64, y[0], N)));
    expect_ok(fgt_encoding_copy_samples(b, index, N, FGT_VIEW_OF(FGT_DTYPE_I64, x[1], N, T),
                                        FGT_VIEW_OF(FGT_DTYPE_I64, y[1], N)));
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    fgti_encoding_get_chunk(a, &chunk, &pool);
    assert_true(chunk >= 1 && pool >= 1);
    fgti_encoding_get_chunk(b, &chunk, &pool);
    assert_true(!chunk && !pool);
    index[3] = n;
    expect_status(fgt_encoding_copy_samples(a, index, N, FGT_VIEW_OF(FGT_DTYPE_I64, x[0], N, T), NULL),
                  FGT_E_ARG);
    fgt_encoding_destroy(&a);
    fgt_encoding_destroy(&b);
}

/* Vocabularies need libutf8proc. */
static void need_words(void)
{
#ifndef FGTI_HAVE_UTF8PROC
    skip();
#endif
}

static void test_samples(void **state)
{
    (void)state;
    need_words();
    const char *csv = write_csv("t.csv", 0, ROWS, true), *to = in_directory("t.fgc");
    expect_ok(convert(csv, to, &plain, NULL));
    fgt_corpus          *stored = open_file(to, 1 << 20), *loaded = load_file(csv);
    const fgt_vocab_opts o = {.size = sizeof o, .ngrams = 2, .prefix = 3};
    fgt_vocab           *v, *w;
    int64_t              n, m;
    expect_ok(fgt_vocab_create(stored, &o, &v));
    expect_ok(fgt_vocab_create(loaded, &o, &w));
    const char *a = fgti_vocab_bytes(v, &n), *b = fgti_vocab_bytes(w, &m);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, (size_t)n);
    expect_same_samples(v, stored, loaded);
    fgt_corpus *part[2][2];
    expect_ok(fgt_corpus_create_split(stored, &FGT_OPTS(fgt_corpus_split_opts, .every = 7, .seed = 3),
                                      &part[0][0], &part[0][1]));
    expect_ok(fgt_corpus_create_split(loaded, &FGT_OPTS(fgt_corpus_split_opts, .every = 7, .seed = 3),
                                      &part[1][0], &part[1][1]));
    fgt_corpus *none[2];
    expect_status(fgt_corpus_create_split(part[0][0], &FGT_OPTS(fgt_corpus_split_opts, .every = 7, .seed = 3),
                                          &none[0], &none[1]),
                  FGT_E_ARG);
    assert_true(!none[0] && !none[1]);
    fgt_vocab_destroy(&v);
    fgt_corpus_destroy(&stored);
    for (int k = 0; k < 2; k++) {
        expect_same(part[0][k], part[1][k]);
        expect_same_samples(w, part[0][k], part[1][k]);
        fgt_corpus_destroy(&part[0][k]);
        fgt_corpus_destroy(&part[1][k]);
    }
    fgt_vocab_destroy(&w);
    fgt_corpus_destroy(&loaded);
}

/* Short texts, long ones, and some that normalise to many times their characters: workers have no memory for
 * these. */
static const char *write_mixed(void)
{
    const char *path = in_directory("mixed.csv");
    FILE       *f    = fopen(path, "w");
    fprintf(f, "class,text\n");
    for (int r = 0; r < MIXED; r++) {
        fprintf(f, "%d,row %d", r % 4, r % 7);
        for (int i = r % 50 == 9 ? 5000 : r % 20; i > 0; i--) fprintf(f, " w%d", (r + i) % 30);
        for (int i = r % 3 ? 0 : r; i > 0; i--) fprintf(f, "\xef\xb7\xba "); /* U+FDFA, four words */
        fprintf(f, "\n");
    }
    fclose(f);
    return path;
}

static void encode_with(int32_t threads, const char *path, int64_t *x, int64_t *y)
{
    fgt_context  *ctx;
    fgt_corpus   *corpus;
    fgt_vocab    *v;
    fgt_encoding *e;
    int64_t       index[MIXED];
    for (int64_t i = 0; i < MIXED; i++) index[i] = i * 77 % MIXED;
    expect_ok(fgt_context_create(&FGT_OPTS(fgt_context_opts, .threads = threads), &ctx));
    expect_ok(fgt_corpus_open(ctx, path, NULL, &corpus));
    expect_ok(fgt_vocab_create(corpus, &FGT_OPTS(fgt_vocab_opts, .ngrams = 2), &v));
    expect_ok(fgt_encoding_create(v, corpus, T, &e));
    expect_ok(fgt_encoding_copy_samples(e, index, MIXED, FGT_VIEW_OF(FGT_DTYPE_I64, x, MIXED, T),
                                        FGT_VIEW_OF(FGT_DTYPE_I64, y, MIXED)));
    fgt_encoding_destroy(&e);
    fgt_vocab_destroy(&v);
    fgt_corpus_destroy(&corpus);
    fgt_context_destroy(&ctx);
}

static void test_threads(void **state)
{
    (void)state;
    need_words();
    static int64_t x[2][MIXED * T], y[2][MIXED];
    const char    *csv = write_mixed(), *to = in_directory("mixed.fgc");
    expect_ok(convert(csv, to, NULL, NULL));
    encode_with(1, to, x[0], y[0]);
    encode_with(3, to, x[1], y[1]);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    assert_int_equal(y[0][1], 77 % 4);
}

/* Each row is in one of two parts, in its order, and of each group one is drawn. */
static void test_parts(void **state)
{
    (void)state;
    static const int64_t cases[][2] = {{2, 2}, {10, 3}, {100, 20}, {99, 20}, {50, 50}, {41, 2}};
    for (size_t c = 0; c < COUNT(cases); c++) {
        const int64_t rows = cases[c][0], every = cases[c][1];
        int           seen[100] = {0};
        for (int drawn = 0; drawn < 2; drawn++) {
            const fgti_corpus_part p    = {every, 5, drawn};
            int64_t         last = -1;
            for (int64_t i = 0; i < fgti_corpus_part_count(&p, rows); i++) {
                const int64_t row = fgti_corpus_part_row(&p, rows, i);
                assert_true(row > last && row < rows);
                assert_true(!drawn || row / every == i);
                seen[last = row]++;
            }
        }
        for (int64_t r = 0; r < rows; r++) assert_int_equal(seen[r], 1);
    }
}

/* Any so many rows in a row do lie in so many blocks, and one more do not always. */
static void test_cut(void **state)
{
    (void)state;
    int64_t         first[9] = {0};
    fgti_text_store s        = {.file.index = {.rows = 100, .blocks = 8, .row = first}};
    for (int i = 1; i < 9; i++) first[i] = i < 4 ? i : i < 8 ? 10 * i : 100;
    for (int64_t blocks = 1; blocks < 9; blocks++) {
        const int64_t n = fgti_text_store_rows_in(&s, blocks);
        for (int64_t more = 0; more < 2; more++) {
            int64_t worst = 0;
            for (int64_t row = 0; row < s.file.index.rows; row++) {
                int64_t touched = 0;
                for (int i = 0; i < 8; i++) touched += first[i] < row + n + more && first[i + 1] > row;
                if (touched > worst) worst = touched;
            }
            assert_true(more ? worst > blocks || n == s.file.index.rows : worst <= blocks || n == 1);
        }
    }
}

/* ---- rows as they come ---- */

static fgt_corpus *convert_text(const char *text, fgt_corpus_opts opts)
{
    fgt_corpus *stored, *all;
    int64_t     rows[20];
    opts.size = sizeof opts;
    expect_ok(convert(put_text("x.csv", text), in_directory("x.fgc"), &opts, NULL));
    stored = open_file(in_directory("x.fgc"), 0);
    for (int i = 0; i < 20; i++) rows[i] = i;
    expect_ok(fgt_corpus_create_subset(stored, rows, corpus_info(stored).rows, &all));
    fgt_corpus_destroy(&stored);
    return all;
}

static void test_rows(void **state)
{
    (void)state;
    fgt_corpus *c = convert_text("10,b\n9,a\n10,c d\n", (fgt_corpus_opts){0});
    assert_string_equal(fgt_corpus_get_class_name(c, 0), "9");
    assert_string_equal(fgt_corpus_get_text(c, 2), "c d");
    assert_int_equal(corpus_class(c, 0), 1);
    fgt_corpus *d = convert_text("__label__9 x\n", (fgt_corpus_opts){.like = c});
    assert_int_equal(corpus_info(d).classes, 2);
    assert_int_equal(corpus_info(d).class_rows[0], 1);
    fgt_corpus_destroy(&d);
    fgt_corpus_destroy(&c);
    c = convert_text("one text\n\nanother\n", (fgt_corpus_opts){.no_classes = 1});
    assert_int_equal(corpus_info(c).rows, 3);
    assert_int_equal(corpus_info(c).classes, 0);
    assert_int_equal(corpus_class(c, 0), -1);
    assert_string_equal(fgt_corpus_get_text(c, 1), "");
    fgt_corpus_destroy(&c);
    c = convert_text("1,a\n2,b\n3,c\n", (fgt_corpus_opts){.max_rows = 2, .classes = 5});
    assert_int_equal(corpus_info(c).rows, 2);
    assert_int_equal(corpus_info(c).classes, 5);
    fgt_corpus_destroy(&c);
}

/* The first file decides which column is the class, whatever the next one begins with. */
static void test_class_column(void **state)
{
    (void)state;
    char        first[256];
    const char *to = in_directory("k.fgc");
    snprintf(first, sizeof first, "%s", put_text("a.csv", "sport,a good game\narts,a good book\n"));
    const char *second = put_text("b.csv", "sport,42\narts,a poem\n");
    expect_ok(fgt_corpus_convert(&context, (const char *[]){first, second}, 2, NULL, to, NULL));
    fgt_corpus *c = open_file(to, 0);
    assert_int_equal(corpus_info(c).classes, 2);
    assert_int_equal(corpus_info(c).class_rows[1], 2);
    fgt_corpus_destroy(&c);
}

typedef struct lots {
    int64_t calls, rows, most;
} lots;

static fgt_status take_lot(void *user, const fgt_corpus *texts, int64_t first)
{
    lots *l = user;
    assert_int_equal(first, l->rows);
    l->calls++;
    l->rows += corpus_info(texts).rows;
    if (corpus_info(texts).rows > l->most) l->most = corpus_info(texts).rows;
    return FGT_OK;
}

/* No lot is larger than what was asked for, not the first either. */
static void test_visit(void **state)
{
    (void)state;
    static const char *const files[] = {"x,a\ny,b\nx,c\n", "class,text\nx,a\ny,b\nx,c\n",
                                        "__label__x a\n__label__y b\n__label__x c\n"};
    fgt_corpus *like;
    expect_ok(fgt_corpus_load(&context, put_text("l.csv", files[0]), NULL, &like));
    const fgt_corpus_opts o = {.size = sizeof o, .like = like};
    for (size_t i = 0; i < COUNT(files); i++)
        for (int64_t n = 1; n <= 4; n++) {
            lots l = {0};
            expect_ok(fgt_corpus_visit(&context, put_text("v.csv", files[i]), &o, n, take_lot, &l));
            assert_int_equal(l.rows, 3);
            assert_int_equal(l.most, n < 3 ? n : 3);
            assert_int_equal(l.calls, (3 + n - 1) / n);
        }
    fgt_corpus_destroy(&like);
}

static void expect_second_refused(const char *second, fgt_status status, const char *sentence)
{
    char first[256];
    snprintf(first, sizeof first, "%s", put_text("a.csv", "class,text,more\nx,a,b\ny,c,d\n"));
    test_write(in_directory("x.fgc"), "old", 3);
    expect_status(fgt_corpus_convert(&context, (const char *[]){first, put_text("b.csv", second)}, 2, NULL,
                                     in_directory("x.fgc"), NULL),
                  status);
    expect_sentence(sentence);
    char old[8] = "";
    assert_int_equal(get_file(in_directory("x.fgc"), old, 8), 3); /* the old file stays */
}

static void test_refused(void **state)
{
    (void)state;
    expect_second_refused("class,text,less\nx,a,b\n", FGT_E_NAME,
                          "b.csv: line 1: column 2 has the wrong name (got \"less\", need \"more\" as in the "
                          "first file)");
    expect_second_refused("class,text\nx,a\n", FGT_E_NAME,
                          "wrong number of columns (got 2, need 3 as in the first file)");
    expect_second_refused("x,a,b\ny,c,d\n", FGT_E_NAME, "does not name the columns");
    expect_second_refused("__label__x a\n", FGT_E_FORMAT, "the file has lines, but the first one has cells");
    expect_second_refused("class,text,more\nx,a,b\nx,c\n", FGT_E_FORMAT,
                          "line 3: wrong number of cells (got 2, need 3)");
    expect_second_refused("class,text,more\n,a,b\n", FGT_E_DATA, "line 2: the class is empty");
    expect_second_refused("class,text,more\nx,,\n", FGT_E_DATA, "line 2: the text is empty");
    expect_second_refused("", FGT_E_DATA, "the file has no rows");
    fgt_corpus *c, *d, *e;
    const char *a = put_text("a.csv", "1,a\n2,b\n"), *path = in_directory("y.fgc");
    expect_ok(convert(a, path, NULL, NULL));
    expect_status(fgt_corpus_load(&context, path, NULL, &c), FGT_E_FORMAT);
    expect_sentence("it is a corpus file (fgt_corpus_open() opens it)");
    expect_status(fgt_corpus_open(&context, a, NULL, &c), FGT_E_FORMAT);
    expect_status(fgt_corpus_open(&context, directory, NULL, &c), FGT_E_IO);
    expect_status(fgt_corpus_open(&context, in_directory("none"), NULL, &c), FGT_E_IO);
    assert_null(c);
    expect_status(fgt_corpus_convert(&context, NULL, 1, NULL, path, NULL), FGT_E_ARG);
    expect_status(fgt_corpus_convert(&context, (const char *[]){NULL}, 1, NULL, path, NULL), FGT_E_ARG);
    expect_status(fgt_corpus_save(NULL, path), FGT_E_ARG);
    c = open_file(path, 0);
    expect_status(fgt_corpus_save(c, NULL), FGT_E_ARG);
    expect_status(fgt_corpus_create_split(c, &FGT_OPTS(fgt_corpus_split_opts, .every = 3, .seed = 1), &d, &e),
                  FGT_E_ARG);
    expect_status(fgt_corpus_create_split(c, &FGT_OPTS(fgt_corpus_split_opts, .every = 1, .seed = 1), &d, &e),
                  FGT_E_ARG);
    fgt_corpus_destroy(&c);
}

static fgt_status stop(void *user, double share, int64_t rows)
{
    assert_true(share >= 0 && share <= 1 && rows == 4096);
    return ++*(int *)user ? FGT_E_STATE : FGT_OK;
}

static void test_cancel(void **state)
{
    (void)state;
    int                           calls = 0;
    const char                   *from = write_csv("t.csv", 0, ROWS, true), *to = in_directory("c.fgc");
    const fgt_corpus_convert_opts o    = {
           .size = sizeof o, .corpus = &plain, .progress = stop, .user = &calls};
    expect_status(fgt_corpus_convert(&context, &from, 1, &o, to, NULL), FGT_E_CANCELLED);
    assert_int_equal(calls, 1);
    assert_false(fgt_file_get_kind(to) == FGT_FILE_KIND_CORPUS);
}

/* ---- damage ---- */

static fgt_status open_and_read(const char *path)
{
    fgt_corpus *c, *rows;
    FGTI_TRY(fgt_corpus_open(&context, path, NULL, &c));
    const int64_t    all[] = {0, 1, 2, 3};
    const fgt_status s     = fgt_corpus_create_subset(c, all, corpus_info(c).rows, &rows);
    fgt_corpus_destroy(&rows);
    fgt_corpus_destroy(&c);
    return s;
}

/* Any byte that is another one, and any part of a file. */
static void test_damage(void **state)
{
    (void)state;
    static char data[4096];
    const char *path = in_directory("d.fgc"), *bad = in_directory("bad.fgc");
    expect_ok(convert(put_text("d.csv", "b,one\na,two\nc,caf\xc3\xa9\n"), path, NULL, NULL));
    const size_t size = get_file(path, data, sizeof data);
    for (size_t i = 0; i < size; i++) {
        data[i] ^= (char)(1 << i % 8);
        test_write(bad, data, size);
        data[i] ^= (char)(1 << i % 8);
        expect_status(open_and_read(bad), FGT_E_FORMAT);
    }
    expect_sentence("bad.fgc: damaged: it has no end mark, so it was cut off");
    for (size_t n = 0; n < size; n++) {
        test_write(bad, data, n);
        expect_status(open_and_read(bad), FGT_E_FORMAT);
    }
    data[8] ^= 1;
    test_write(bad, data, size);
    expect_status(open_and_read(bad), FGT_E_FORMAT);
    expect_sentence("damaged: rows 0..2 are not what was written");
}

/* A file that was made to do harm has the right hashes. */
static void write_block(const char *path, uint32_t label, const uint32_t *end, const char *texts, size_t size)
{
    const int64_t     number[] = {0, 0, 1, 0, 2};
    fgti_strings      names = {0}, none = {0};
    fgti_block_writer w;
    expect_ok(fgti_strings_add(&context, &names, "x", 1));
    expect_ok(fgti_text_writer_begin(&context, path, &w));
    for (int64_t i = 0; i < 2; i++) {
        ((uint32_t *)w.words)[i]          = label;
        ((uint32_t *)w.words)[w.room + i] = end[i];
    }
    w.filled = 2;
    w.used = w.text_room = (int64_t)size;
    expect_ok(fgti_alloc_dirty(&context, w.used, 1, "texts", (void **)&w.text));
    memcpy(w.text, texts, size);
    expect_ok(fgti_block_writer_end(&w, number, COUNT(number), (const fgti_strings *[]){&names, &none}, 2));
    fgti_block_writer_abandon(&w);
    fgti_strings_done(&context, &names);
}

static fgt_status read_two(const char *path)
{
    fgt_corpus      *c = open_file(path, 0), *rows;
    const fgt_status s = fgt_corpus_create_subset(c, (int64_t[]){0, 1}, 2, &rows);
    fgt_corpus_destroy(&rows);
    fgt_corpus_destroy(&c);
    return s;
}

static void test_hostile(void **state)
{
    (void)state;
    static const struct {
        uint32_t    label, end[2];
        const char *texts;
        size_t      size;
        fgt_status  status;
    } cases[] = {
        {0, {1, 3}, "abc", 3, FGT_OK},
        {1, {1, 3}, "abc", 3, FGT_E_FORMAT},              /* a class that there is not */
        {0, {1, 2}, "abc", 3, FGT_E_FORMAT},              /* a byte that no text has */
        {0, {1, 4}, "abc", 3, FGT_E_FORMAT},              /* beyond the end */
        {0, {4, 3}, "abc", 3, FGT_E_FORMAT},              /* backwards */
        {0, {UINT32_MAX, 3}, "abc", 3, FGT_E_FORMAT},
        {0, {1, 3}, "a\0c", 3, FGT_E_FORMAT},
        {0, {1, 3}, "a\xff" "c", 3, FGT_E_FORMAT},
        {0, {1, 2}, "\xc3\xa9", 2, FGT_E_FORMAT},         /* a character in two texts */
        {0, {0, 2}, "\xc3\xa9", 2, FGT_OK},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *path = in_directory("h.fgc");
        write_block(path, cases[i].label, cases[i].end, cases[i].texts, cases[i].size);
        expect_status(read_two(path), cases[i].status);
    }
}

/* A file that is shortened while it is open ends in a sentence, not in a signal. */
static void test_shortened(void **state)
{
    (void)state;
    need_words();
    fgt_corpus *rows, *d;
    fgt_vocab  *v;
    const char *path = in_directory("s.fgc");
    expect_ok(convert(write_csv("t.csv", 0, ROWS, true), path, &plain, NULL));
    fgt_corpus *c = open_file(path, 0);
    assert_int_equal(truncate(path, 100), 0);
    expect_status(fgt_corpus_create_subset(c, (int64_t[]){7}, 1, &rows), FGT_E_FORMAT);
    expect_sentence("it has become shorter");
    expect_status(fgt_vocab_create(c, NULL, &v), FGT_E_FORMAT);
    expect_status(
        fgt_corpus_create_split(c, &FGT_OPTS(fgt_corpus_split_opts, .every = 20, .seed = 1), &rows, &d),
        FGT_E_FORMAT);
    expect_status(fgt_corpus_save(c, in_directory("s2.fgc")), FGT_E_FORMAT);
    fgt_corpus_destroy(&c);
}

/* ---- memory ---- */

static fgt_status read_life(fgt_corpus *c)
{
    static const fgt_vocab_opts every = {.size = sizeof every, .min_count = 1};
    fgt_corpus                 *train = NULL, *validation = NULL;
    fgt_vocab                  *v = NULL;
    fgt_encoding               *e = NULL;
    int64_t                     x[2 * T], y[2];
    fgt_status s = fgt_corpus_create_split(c, &FGT_OPTS(fgt_corpus_split_opts, .every = 2, .seed = 1), &train,
                                           &validation);
    if (s == FGT_OK) s = fgt_vocab_create(train, &every, &v);
    if (s == FGT_OK) s = fgt_encoding_create(v, train, T, &e);
    if (s == FGT_OK)
        s = fgt_encoding_copy_samples(e, (int64_t[]){0, 1}, 2, FGT_VIEW_OF(FGT_DTYPE_I64, x, 2, T),
                                      FGT_VIEW_OF(FGT_DTYPE_I64, y, 2));
    if (s == FGT_OK) s = fgt_corpus_save(validation, in_directory("n2.fgc"));
    fgt_encoding_destroy(&e);
    fgt_vocab_destroy(&v);
    fgt_corpus_destroy(&train);
    fgt_corpus_destroy(&validation);
    return s;
}

static fgt_status whole_life(void)
{
    fgt_corpus *c = NULL;
    fgt_status  s = convert(in_directory("n.csv"), in_directory("n.fgc"), NULL, NULL);
    if (s == FGT_OK) s = fgt_corpus_open(&context, in_directory("n.fgc"), NULL, &c);
    if (s == FGT_OK) s = read_life(c);
    fgt_corpus_destroy(&c);
    return s;
}

static void test_nomem(void **state)
{
    (void)state;
    need_words();
    fgt_context *const ctx = &context;
    fgt_status         s;
    put_text("n.csv", "b,one text\na,another text \xff\nc,a third\nb,one\na,two\n");
    SWEEP(&hook, s, 40, whole_life()) assert_int_equal(hook.live, 0);
    assert_int_equal(hook.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_round, expect_no_leak),
        cmocka_unit_test_teardown(test_same, expect_no_leak),
        cmocka_unit_test_teardown(test_samples, expect_no_leak),
        cmocka_unit_test_teardown(test_threads, expect_no_leak),
        cmocka_unit_test_teardown(test_parts, expect_no_leak),
        cmocka_unit_test_teardown(test_cut, expect_no_leak),
        cmocka_unit_test_teardown(test_rows, expect_no_leak),
        cmocka_unit_test_teardown(test_class_column, expect_no_leak),
        cmocka_unit_test_teardown(test_visit, expect_no_leak),
        cmocka_unit_test_teardown(test_refused, expect_no_leak),
        cmocka_unit_test_teardown(test_cancel, expect_no_leak),
        cmocka_unit_test_teardown(test_damage, expect_no_leak),
        cmocka_unit_test_teardown(test_hostile, expect_no_leak),
        cmocka_unit_test_teardown(test_shortened, expect_no_leak),
        cmocka_unit_test_teardown(test_nomem, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
