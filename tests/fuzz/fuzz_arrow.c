/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrow arrays. The first bytes choose options and the table, further ones its columns, and all of them are
 * the elements. The host vouches for the sizes of its buffers. So what an array claims never leads out of
 * them, unless it is wrong in itself: negative, or more than fits into 64 bits. */
#include <stdlib.h>

#include <fighter/base.h>
#include <fighter/experimental/arrow.h>

#include "../data/arrow_frame.h"
#include "fuzz.h"

enum { POOL = 1024, ROWS_MAX = 16, OFFSET_MAX = 8, TEXT = 64 };

static const uint8_t *next;
static size_t         left;

static int take(void)
{
    if (!left) return 0;
    left--;
    return *next++;
}

/* 0 .. n-1 */
static int pick(int n)
{
    return take() % n;
}

/* A length or an offset, which is rarely impossible. */
static int64_t size_or_bad(int64_t most)
{
    static const int64_t bad[] = {-1, INT64_MIN, -1000};
    return pick(16) ? pick((int)most + 1) : bad[pick(3)];
}

static uint8_t pool[POOL]; /* elements and bitmaps */
static int32_t offsets[OFFSET_MAX + OFFSET_MAX + ROWS_MAX + 2];
static int64_t large[OFFSET_MAX + OFFSET_MAX + ROWS_MAX + 2];
static char    text[TEXT];
static int32_t views[sizeof offsets / sizeof *offsets][4];
static int64_t lengths[] = {TEXT};

static void fill(const uint8_t *data, size_t size)
{
    int64_t at = 0;
    for (int i = 0; i < POOL; i++) pool[i] = data[(size_t)i % size];
    for (int i = 0; i < TEXT; i++) text[i] = (char)data[(size_t)i % size];
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        const uint8_t b = data[i % size];
        at              = b == 255 ? -1 : b > 250 ? at - 1 : at + b % 3;
        if (at >= TEXT) at = 0;
        offsets[i] = (int32_t)at;
        large[i]   = at;
        for (size_t k = 0; k < 4; k++) views[i][k] = data[(i + k) % size] % 24 - 1;
    }
}

static void change(struct ArrowArray *a)
{
    switch (pick(12)) {
    case 0: a->length = size_or_bad(ROWS_MAX); break;
    case 1: a->offset = size_or_bad(OFFSET_MAX); break;
    case 2: a->null_count = size_or_bad(ROWS_MAX); break;
    case 3: a->n_buffers = pick(4); break;
    case 4: a->buffers[pick(2)] = NULL; break;
    case 5: a->release = pick(4) ? a->release : NULL; break;
    default: break;
    }
}

static void add_column(frame *f)
{
    static const char *const formats[] = {
        "b", "c", "C",    "s",    "S",    "i",   "I",   "l", "L",   "e", "f", "g",
        "u", "U", "tss:", "tsm:", "tsu:", "tdD", "tdm", "n", "tsn", "z", "vu"};
    static const char *const names[] = {"a", "b", "a=x", NULL, "", "t"};
    const char              *format  = formats[pick(23)];
    const bool               texts   = *format == 'u' || *format == 'U';
    const void              *valid   = pick(2) ? pool + pick(8) : NULL;
    const void *data = *format == 'u' ? (const void *)offsets : texts ? (const void *)large : pool + pick(8);
    struct ArrowArray *a = frame_add(f, names[pick(6)], format, valid, data, texts ? text : NULL);
    if (*format == 'v') {
        static const void *buffers[4];
        buffers[0]   = valid;
        buffers[1]   = views;
        buffers[2]   = text;
        buffers[3]   = lengths;
        a->buffers   = buffers;
        a->n_buffers = 4;
    }
    a->length += pick(3);
    change(a);
    if (pick(4)) return;
    change(frame_dictionary(f, pick(2) ? "u" : "U", pick(ROWS_MAX), pick(2) ? pool : NULL, offsets, text));
    if (!strcmp(f->dictionary_schema.format, "U")) f->dictionary_buffer[1] = large;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"a", "b=x", "t"};
    static frame             f;
    fgt_context             *ctx = fuzz_context();
    fgt_table               *table;
    if (size < 2 || !ctx) return 0;
    next = data;
    left = size;
    fill(data, size);
    fgt_arrow_opts opts = {.size = sizeof opts};
    opts.missing        = pick(4);
    opts.repair         = pick(9); /* 8 is no repair */
    opts.skip           = pick(2);
    opts.no_times       = pick(4) == 3;
    opts.category_count = pick(3);
    opts.categories     = opts.category_count ? names : NULL;
    opts.time           = pick(8) ? NULL : names[2];
    opts.id             = pick(3) ? NULL : names[0];
    opts.value          = opts.id && pick(2) ? "b" : NULL;
    frame_begin(&f, 1 + pick(ROWS_MAX));
    f.root_buffer[0]   = pick(4) ? NULL : pool;
    f.array.null_count = f.root_buffer[0] ? -1 : 0;
    f.array.offset     = pick(4) ? 0 : pick(OFFSET_MAX);
    for (int n = pick(6); n > 0; n--) add_column(&f);
    change(&f.array);
    const fgt_status s = fgt_table_create_arrow(ctx, &f.schema, &f.array, &opts, &table);
    fuzz_count(s == FGT_OK);
    if (s == FGT_OK &&
        (fgt_table_count_columns(table) < 1 || !fgt_table_get_name(table, FGT_TABLE_NAME_COLUMN, 0)))
        abort();
    if (s != FGT_OK && table) abort();
    fgt_table_destroy(&table);
    return 0;
}
