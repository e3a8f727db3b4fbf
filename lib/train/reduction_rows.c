/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a sparse gradient travel as rows: each rank sums a range of the rows. A message is, for P pieces,
 *     count of rows [P], their numbers [all], as int64_t; their values [all,width]
 * and the sums of a range go to all as numbers and values. */
#include <string.h>

#include "core/sort.h"
#include "train/reduction.h"

#define WORD (int64_t)sizeof(int64_t)

static int64_t whole_words(int64_t bytes)
{
    return (bytes + WORD - 1) / WORD * WORD;
}

static int64_t message_bytes(const fgti_reduction *r, int64_t pieces, int64_t rows)
{
    const int64_t width = r->slabs.touched->width;
    return whole_words((pieces + rows) * WORD + rows * width * (int64_t)sizeof(fgti_real));
}

/* Room for all rows in all messages, of which a step uses, and the system provides, few. */
fgt_status fgti_row_sum_init(fgti_reduction *r)
{
    fgti_row_exchange *x     = &r->rows;
    fgt_context       *ctx   = r->ranks->ctx;
    const int64_t      ranks = r->ranks->with.ranks, rows = r->slabs.touched->rows;
    const int64_t      range = rows / ranks + 1;
    if (ranks == 1) return FGT_OK;
    FGTI_TRY(FGTI_NEW(ctx, 4 * ranks, "rows of gradients", &x->table));
    FGTI_TRY(FGTI_NEW(ctx, r->all_pieces, "rows of gradients", &x->source));
    FGTI_TRY(FGTI_NEW(ctx, FGTI_PIECES_MAX, "rows of gradients", &x->begin));
    FGTI_TRY(fgti_alloc_dirty(ctx, message_bytes(r, r->pieces * ranks, r->pieces * rows) + ranks * WORD, 1,
                              "rows of gradients", (void **)&x->send));
    FGTI_TRY(fgti_alloc_dirty(ctx, message_bytes(r, r->all_pieces, r->all_pieces * range) + ranks * WORD, 1,
                              "rows of gradients", (void **)&x->receive));
    FGTI_TRY(fgti_alloc_dirty(ctx, range, WORD, "rows of gradients", (void **)&x->sum_number));
    return fgti_alloc_dirty(ctx, range * r->slabs.touched->width, sizeof *x->sum_value, "rows of gradients",
                            (void **)&x->sum_value);
}

void fgti_row_sum_done(fgti_reduction *r)
{
    fgti_row_exchange *x   = &r->rows;
    fgt_context       *ctx = r->ranks->ctx;
    fgti_free(ctx, x->table);
    fgti_free(ctx, x->source);
    fgti_free(ctx, x->begin);
    fgti_free(ctx, x->send);
    fgti_free(ctx, x->receive);
    fgti_free(ctx, x->sum_number);
    fgti_free(ctx, x->sum_value);
}

/* ---- this rank's shards ---- */

void fgti_row_sum_add(fgti_reduction *r, const fgti_partial *p)
{
    fgti_touched *t = r->slabs.touched;
    for (int64_t i = 0; i < p->rows; i++) {
        const int64_t at = p->row[i] * t->width;
        if (t->seen[p->row[i]])
            r->ranks->ctx->vec->axpy(t->width, 1, p->value + at, r->slabs.gradients + at);
        else
            memcpy(r->slabs.gradients + at, p->value + at, (size_t)t->width * sizeof *p->value);
        fgti_touch(t, p->row[i]);
    }
}

void fgti_row_sum_keep(fgti_reduction *r, fgti_partial *p)
{
    const fgti_touched *t = r->slabs.touched;
    for (p->rows = 0; p->rows < t->count; p->rows++) {
        const int64_t at = t->row[p->rows] * t->width;
        p->row[p->rows]  = t->row[p->rows];
        memcpy(p->value + at, r->slabs.gradients + at, (size_t)t->width * sizeof *p->value);
    }
}

static int ascending(const void *a, const void *b, const void *arg)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    (void)arg;
    return (x > y) - (x < y);
}

/* ---- messages ---- */

typedef struct piece {
    const int32_t   *row;
    int64_t          rows;
    const fgti_real *value;
} piece;

static piece my_piece(const fgti_reduction *r, int32_t i)
{
    const fgti_touched *t = r->slabs.touched;
    const fgti_partial *p = &r->partial[i];
    if (i < r->held - r->merges) return (piece){p->row, p->rows, p->value};
    return (piece){t->row, t->count, r->slabs.gradients};
}

/* Writes the message of the rows below `end`, from where the one before has ended. Its size. */
static int64_t write_message(fgti_reduction *r, int64_t end, unsigned char *to)
{
    const int64_t width = r->slabs.touched->width;
    int64_t      *word = (int64_t *)(void *)to, *number = word + r->pieces, *begin = r->rows.begin;
    for (int32_t i = 0; i < r->pieces; i++) {
        const piece p = my_piece(r, i);
        int64_t     n = 0;
        for (; begin[i] + n < p.rows && p.row[begin[i] + n] < end; n++) *number++ = p.row[begin[i] + n];
        word[i] = n;
    }
    fgti_real *value = (fgti_real *)(void *)number;
    for (int32_t i = 0; i < r->pieces; begin[i] += word[i], i++) {
        const piece p = my_piece(r, i);
        for (int64_t k = begin[i]; k < begin[i] + word[i]; k++, value += width)
            memcpy(value, p.value + p.row[k] * width, (size_t)width * sizeof *value);
    }
    return whole_words((unsigned char *)value - to);
}

/* What each rank has for this one. */
static fgt_status exchange(fgti_reduction *r)
{
    fgti_row_exchange *x     = &r->rows;
    const int64_t      ranks = r->ranks->with.ranks, rows = r->slabs.touched->rows;
    int64_t           *send_at = x->table, *send_bytes = send_at + ranks, *receive_at = send_bytes + ranks;
    int64_t           *receive_bytes = receive_at + ranks;
    memset(x->begin, 0, (size_t)r->pieces * sizeof *x->begin);
    for (int64_t q = 0, at = 0; q < ranks; at += send_bytes[q++]) {
        send_at[q]    = at;
        send_bytes[q] = write_message(r, fgti_ranks_share(r->ranks, rows, q + 1), x->send + at);
    }
    FGTI_TRY(fgti_ranks_turn(r->ranks, send_bytes, receive_bytes));
    for (int64_t q = 0; q < ranks; q++) receive_at[q] = q ? receive_at[q - 1] + receive_bytes[q - 1] : 0;
    const fgt_exchange e = {.size          = sizeof e,
                            .tag           = FGTI_TAG_ROWS,
                            .send          = x->send,
                            .send_at       = send_at,
                            .send_bytes    = send_bytes,
                            .receive       = x->receive,
                            .receive_at    = receive_at,
                            .receive_bytes = receive_bytes};
    return fgti_ranks_exchange_now(r->ranks, &e);
}

/* ---- the sum of this rank's range ---- */

static void open_source(const fgti_reduction *r, int64_t q, int64_t i, fgti_row_source *s)
{
    const int64_t *receive_at = r->rows.table + 2 * (int64_t)r->ranks->with.ranks;
    int64_t       *word       = (int64_t *)(void *)(r->rows.receive + receive_at[q]);
    const int64_t  pieces = r->before[q + 1] - r->before[q], width = r->slabs.touched->width;
    int64_t        all = 0, before = 0;
    for (int64_t k = 0; k < pieces; k++) all += word[k];
    for (int64_t k = 0; k < i; k++) before += word[k];
    s->number = word + pieces + before;
    s->end    = s->number + word[i];
    s->value  = (fgti_real *)(void *)(word + pieces + all) + before * width;
}

/* The lowest row that is left, and its terms. */
static int64_t next_row(fgti_reduction *r, int64_t *terms)
{
    fgti_row_source *s   = r->rows.source;
    int64_t          row = INT64_MAX;
    for (int64_t i = 0; i < r->all_pieces; i++)
        if (s[i].number < s[i].end && *s[i].number < row) row = *s[i].number;
    *terms = 0;
    for (int64_t i = 0; i < r->all_pieces; i++) {
        if (s[i].number == s[i].end || *s[i].number != row) continue;
        r->term[(*terms)++] = (fgti_term){r->shard[i], s[i].value};
        s[i].number++;
        s[i].value += r->slabs.touched->width;
    }
    return row;
}

/* Sums the range. The number of its rows. */
static int64_t sum_range(fgti_reduction *r)
{
    const fgti_row_exchange *x     = &r->rows;
    const int64_t            width = r->slabs.touched->width;
    int64_t                  rows  = 0;
    for (int64_t q = 0; q < r->ranks->with.ranks; q++)
        for (int64_t i = r->before[q]; i < r->before[q + 1]; i++)
            open_source(r, q, i - r->before[q], &x->source[i]);
    for (int64_t terms;; rows++) {
        const int64_t row = next_row(r, &terms);
        if (!terms) return rows;
        const fgti_real *sum = fgti_tree_sum(r->ranks->ctx->vec, r->term, terms, 0, r->shards, width);
        x->sum_number[rows]  = row;
        memcpy(x->sum_value + rows * width, sum, (size_t)width * sizeof *sum);
    }
}

/* All ranks get the sums of all ranges, which are rows in ascending order: numbers [*rows], then values. */
static fgt_status spread(fgti_reduction *r, int64_t mine, int64_t *rows)
{
    fgti_row_exchange *x     = &r->rows;
    const int64_t      ranks = r->ranks->with.ranks, width = r->slabs.touched->width;
    int64_t           *count = x->table, *bytes = count + ranks;
    FGTI_TRY(fgti_ranks_gather_same(r->ranks, &mine, WORD, count));
    *rows = 0;
    for (int64_t q = 0; q < ranks; q++) {
        *rows += count[q];
        bytes[q] = count[q] * WORD;
    }
    FGTI_TRY(fgti_ranks_gather(r->ranks, x->sum_number, bytes, x->receive));
    for (int64_t q = 0; q < ranks; q++) bytes[q] = count[q] * width * (int64_t)sizeof(fgti_real);
    return fgti_ranks_gather(r->ranks, x->sum_value, bytes, x->receive + *rows * WORD);
}

static void take(fgti_reduction *r, int64_t rows)
{
    fgti_touched    *t      = r->slabs.touched;
    const int64_t   *number = (const int64_t *)(const void *)r->rows.receive;
    const fgti_real *value  = (const fgti_real *)(const void *)(number + rows);
    t->count                = 0; /* all that is in it comes again */
    for (int64_t i = 0; i < rows; i++, value += t->width) {
        t->row[t->count++] = (int32_t)number[i];
        t->seen[number[i]] = 1;
        memcpy(r->slabs.gradients + number[i] * t->width, value, (size_t)t->width * sizeof *value);
    }
}

fgt_status fgti_row_sum_run(fgti_reduction *r)
{
    fgti_touched *t = r->slabs.touched;
    int64_t       rows;
    for (int32_t i = 0; i < r->merges; i++) fgti_row_sum_add(r, &r->partial[r->held - 1 - i]);
    fgti_sort(t->row, t->count, sizeof *t->row, ascending, NULL);
    if (r->ranks->with.ranks == 1) return FGT_OK;
    for (int32_t i = 0; i < r->held - r->merges; i++)
        fgti_sort(r->partial[i].row, r->partial[i].rows, sizeof *r->partial[i].row, ascending, NULL);
    FGTI_TRY(exchange(r));
    FGTI_TRY(spread(r, sum_range(r), &rows));
    take(r, rows);
    return FGT_OK;
}
