/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a sparse gradient are sent as rows. Each rank sums and updates a range of the rows.
 *
 * A message of P pieces has: the number of rows in each piece [P], as int64_t; all row numbers [all], as
 * int32_t, padded to a whole word; all values [all,width]. Then each rank sends to all others, for its
 * [count] rows: the squares of the sums, as double; the row numbers, padded to a whole word; and, after the
 * update, the weights [count,width]. */
#include "train/reduction/reduction_rows.h"

#include <string.h>

#include "core/sort.h"

#define WORD (int64_t)sizeof(int64_t)
/* Number of rows from the row that is written to the row that is prefetched. Rows are scattered, so the
 * processor cannot predict the next row. */
#define AHEAD 12

static int64_t whole_words(int64_t bytes)
{
    return (bytes + WORD - 1) / WORD * WORD;
}

static int64_t number_bytes(int64_t rows)
{
    return whole_words(rows * (int64_t)sizeof(int32_t));
}

static int64_t message_bytes(const fgti_reduction *r, int64_t pieces, int64_t rows)
{
    const int64_t width = r->slabs.touched->width;
    return pieces * WORD + number_bytes(rows) + whole_words(rows * width * (int64_t)sizeof(fgti_real));
}

/* Allocates messages with space for all rows. A step writes only a few of the rows. The system provides only
 * pages that are written, so the unused space takes no memory. */
fgt_status fgti_row_sum_init(fgti_reduction *r)
{
    fgti_row_exchange *x     = &r->rows;
    fgt_context       *ctx   = r->ranks->ctx;
    const int64_t      ranks = r->ranks->with.ranks, rows = r->slabs.touched->rows;
    const int64_t      range = rows / ranks + 1, slack = 4 * ranks * WORD;
    FGTI_TRY(fgti_alloc_dirty(ctx, rows, sizeof *x->list, "rows of gradients", (void **)&x->list));
    if (ranks == 1) return FGT_OK;
    FGTI_TRY(FGTI_NEW(ctx, FGTI_ROW_PARTS * 4 * ranks, "rows of gradients", &x->table));
    FGTI_TRY(FGTI_NEW(ctx, ranks, "rows of gradients", &x->count));
    FGTI_TRY(FGTI_NEW(ctx, ranks, "rows of gradients", &x->bytes));
    FGTI_TRY(FGTI_NEW(ctx, r->all_pieces, "rows of gradients", &x->source));
    FGTI_TRY(FGTI_NEW(ctx, FGTI_PIECES_MAX, "rows of gradients", &x->begin));
    const int64_t out = message_bytes(r, r->pieces * ranks, r->pieces * rows) + slack + rows * WORD,
                  in  = message_bytes(r, r->all_pieces, r->all_pieces * range) + slack + rows * WORD;
    FGTI_TRY(fgti_alloc_dirty(ctx, out, 1, "rows of gradients", (void **)&x->send));
    return fgti_alloc_dirty(ctx, in, 1, "rows of gradients", (void **)&x->receive);
}

void fgti_row_sum_done(fgti_reduction *r)
{
    fgti_row_exchange *x   = &r->rows;
    fgt_context       *ctx = r->ranks->ctx;
    fgti_free(ctx, x->table);
    fgti_free(ctx, x->count);
    fgti_free(ctx, x->bytes);
    fgti_free(ctx, x->source);
    fgti_free(ctx, x->list);
    fgti_free(ctx, x->begin);
    fgti_free(ctx, x->send);
    fgti_free(ctx, x->receive);
}

/* ---- the shards of this rank ---- */

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

/* ---- messages ---- */

typedef struct piece {
    const int32_t *row;
    int64_t        rows;
    fgti_real     *value;
} piece;

static piece reduction_rows_my_piece(const fgti_reduction *r, int32_t i)
{
    const fgti_touched *t = r->slabs.touched;
    const fgti_partial *p = &r->partial[i];
    if (i < r->held - r->merges) return (piece){p->row, p->rows, p->value};
    return (piece){t->row, t->count, r->slabs.gradients};
}

/* Number of rows of piece i that are below `end` and have not been sent. */
static int64_t count_rows(const fgti_reduction *r, int32_t i, int64_t end)
{
    const piece p = reduction_rows_my_piece(r, i);
    int64_t     n = r->rows.begin[i];
    while (n < p.rows && p.row[n] < end) n++;
    return n - r->rows.begin[i];
}

/* Writes the message about the rows below `end`. Sets the model's gradients of these rows to zero. Returns
 * the size of the message. */
static int64_t write_message(fgti_reduction *r, int64_t end, unsigned char *to)
{
    const int64_t width = r->slabs.touched->width;
    int64_t      *word = (int64_t *)(void *)to, *begin = r->rows.begin, all = 0;
    int32_t      *number = (int32_t *)(void *)(word + r->pieces);
    for (int32_t i = 0; i < r->pieces; all += word[i++]) {
        word[i] = count_rows(r, i, end);
        memcpy(number + all, reduction_rows_my_piece(r, i).row + begin[i], (size_t)word[i] * sizeof *number);
    }
    fgti_real *value = (fgti_real *)(void *)((unsigned char *)number + number_bytes(all));
    for (int32_t i = 0; i < r->pieces; begin[i] += word[i], i++) {
        const piece p = reduction_rows_my_piece(r, i);
        for (int64_t k = begin[i]; k < begin[i] + word[i]; k++, value += width) {
            memcpy(value, p.value + p.row[k] * width, (size_t)width * sizeof *value);
            if (p.value == r->slabs.gradients)
                memset(p.value + p.row[k] * width, 0, (size_t)width * sizeof *value);
        }
    }
    return message_bytes(r, r->pieces, all);
}

/* Opens this rank's own pieces of its range. They are read where they are. */
static void open_own(fgti_reduction *r, int64_t end)
{
    for (int32_t i = 0; i < r->pieces; i++) {
        const piece      p      = reduction_rows_my_piece(r, i);
        const int64_t    n      = count_rows(r, i, end);
        const int32_t   *number = p.row + r->rows.begin[i];
        fgti_row_source *s      = &r->rows.source[r->before[r->ranks->with.rank] + i];
        *s                      = (fgti_row_source){number, number + n, p.value, true};
        r->rows.begin[i] += n;
    }
}

/* Sends the other ranks the rows that this rank has for them, and receives this rank's rows. */
static fgt_status reduction_rows_exchange(fgti_reduction *r)
{
    fgti_row_exchange *x     = &r->rows;
    const int64_t      ranks = r->ranks->with.ranks, rank = r->ranks->with.rank;
    int64_t           *send_at = x->table, *send_bytes = send_at + ranks, *receive_at = send_bytes + ranks;
    int64_t           *receive_bytes = receive_at + ranks;
    memset(x->begin, 0, (size_t)r->pieces * sizeof *x->begin);
    for (int64_t q = 0, at = 0; q < ranks; at += send_bytes[q++]) {
        const int64_t end = fgti_ranks_share(r->ranks, r->slabs.touched->rows, q + 1);
        send_at[q]        = at;
        send_bytes[q]     = 0;
        if (q == rank)
            open_own(r, end);
        else
            send_bytes[q] = write_message(r, end, x->send + at);
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

/* Opens the pieces in the message from rank q. */
static void open_message(fgti_reduction *r, int64_t q)
{
    const int64_t *receive_at = r->rows.table + 2 * (int64_t)r->ranks->with.ranks;
    unsigned char *message    = r->rows.receive + receive_at[q];
    const int64_t *word       = (const int64_t *)(const void *)message;
    const int64_t  pieces = r->before[q + 1] - r->before[q], width = r->slabs.touched->width;
    int64_t        all = 0;
    for (int64_t k = 0; k < pieces; k++) all += word[k];
    const int32_t *number = (const int32_t *)(const void *)(word + pieces);
    fgti_real     *value  = (fgti_real *)(void *)(message + pieces * WORD + number_bytes(all));
    for (int64_t k = 0; k < pieces; k++) {
        r->rows.source[r->before[q] + k] = (fgti_row_source){number, number + word[k], value, false};
        number += word[k];
        value += word[k] * width;
    }
}

/* Returns the lowest row that is left. r->term gets the values of this row in all pieces that have it. */
static int32_t reduction_rows_next_row(fgti_reduction *r, int64_t *terms)
{
    const int64_t    width = r->slabs.touched->width;
    fgti_row_source *s     = r->rows.source;
    int32_t          row   = INT32_MAX;
    for (int64_t i = 0; i < r->all_pieces; i++)
        if (s[i].number < s[i].end && *s[i].number < row) row = *s[i].number;
    *terms = 0;
    for (int64_t i = 0; i < r->all_pieces; i++) {
        if (s[i].number == s[i].end || *s[i].number != row) continue;
        r->term[(*terms)++] = (fgti_term){r->shard[i], s[i].value + (s[i].own ? row * width : 0)};
        s[i].number++;
        if (!s[i].own) s[i].value += width;
        if (s[i].number < s[i].end) fgti_fetch(width, r->slabs.gradients + *s[i].number * width);
    }
    return row;
}

/* Sums the rows of this rank's range into the model's gradients. The list of summed rows is built in another
 * place, because the model's list is still needed: it belongs to the last piece. */
static void sum_range(fgti_reduction *r)
{
    fgti_touched *t     = r->slabs.touched;
    int32_t      *list  = r->rows.list;
    int64_t       count = 0;
    for (int64_t q = 0; q < r->ranks->with.ranks; q++)
        if (q != r->ranks->with.rank) open_message(r, q);
    for (int64_t i = 0; i < t->count; i++) t->seen[t->row[i]] = 0;
    for (int64_t terms;; count++) {
        const int32_t row = reduction_rows_next_row(r, &terms);
        if (!terms) break;
        fgti_real       *to  = r->slabs.gradients + row * t->width;
        const fgti_real *sum = fgti_tree_sum(r->ranks->ctx->vec, r->term, terms, 0, r->shards, t->width);
        if (sum != to) memcpy(to, sum, (size_t)t->width * sizeof *sum);
        t->seen[row] = 1;
        list[count]  = row;
    }
    memcpy(t->row, list, (size_t)count * sizeof *list);
    t->count = count;
}

fgt_status fgti_row_sum_run(fgti_reduction *r)
{
    fgti_touched *t = r->slabs.touched;
    for (int32_t i = 0; i < r->merges; i++) fgti_row_sum_add(r, &r->partial[r->held - 1 - i]);
    fgti_sort_numbers(t->row, t->count, r->rows.list);
    if (r->ranks->with.ranks == 1) return FGT_OK;
    for (int32_t i = 0; i < r->held - r->merges; i++)
        fgti_sort_numbers(r->partial[i].row, r->partial[i].rows, r->rows.list);
    FGTI_TRY(reduction_rows_exchange(r));
    sum_range(r);
    return FGT_OK;
}

/* ---- results ---- */

fgt_status fgti_row_sum_list(fgti_reduction *r, double *square)
{
    fgti_row_exchange *x = &r->rows;
    fgti_touched      *t = r->slabs.touched;
    const int64_t      ranks = r->ranks->with.ranks, mine = t->count;
    memcpy(x->send, square, (size_t)(mine * WORD));
    memcpy(x->send + mine * WORD, t->row, (size_t)mine * sizeof *t->row);
    for (int64_t q = 0; q < ranks; q++) x->bytes[q] = x->count[q] * WORD + number_bytes(x->count[q]);
    FGTI_TRY(fgti_ranks_gather(r->ranks, x->send, x->bytes, x->receive));
    const unsigned char *from = x->receive;
    t->count                  = 0;
    for (int64_t q = 0; q < ranks; from += x->bytes[q++]) {
        const int64_t n = x->count[q];
        memcpy(square + t->count, from, (size_t)(n * WORD));
        memcpy(t->row + t->count, from + n * WORD, (size_t)n * sizeof *t->row);
        t->count += n;
    }
    return FGT_OK;
}

/* The range of the list that has one part of the rows of rank q. */
static fgti_slab_range reduction_rows_part_of(const fgti_reduction *r, int64_t q, int64_t part)
{
    const int64_t *count = r->rows.count;
    int64_t        first = 0;
    for (int64_t k = 0; k < q; k++) first += count[k];
    return (fgti_slab_range){first + count[q] * part / FGTI_ROW_PARTS,
                             first + count[q] * (part + 1) / FGTI_ROW_PARTS};
}

fgti_slab_range fgti_row_sum_part(const fgti_reduction *r, int64_t part)
{
    return reduction_rows_part_of(r, r->ranks->with.rank, part);
}

fgti_real *fgti_row_sum_weights(const fgti_reduction *r)
{
    return (fgti_real *)(void *)r->rows.receive;
}

fgt_status fgti_row_sum_spread(fgti_reduction *r, int64_t part)
{
    const int64_t ranks = r->ranks->with.ranks, rank = r->ranks->with.rank;
    const int64_t one     = r->slabs.touched->width * (int64_t)sizeof(fgti_real);
    int64_t      *send_at = r->rows.table + part * 4 * ranks, *send_bytes = send_at + ranks;
    int64_t      *receive_at = send_bytes + ranks, *receive_bytes = receive_at + ranks;
    const fgti_slab_range mine = fgti_row_sum_part(r, part);
    for (int64_t q = 0; q < ranks; q++) {
        const fgti_slab_range rows = reduction_rows_part_of(r, q, part);
        send_at[q]            = mine.begin * one;
        send_bytes[q]         = q == rank ? 0 : (mine.end - mine.begin) * one;
        receive_at[q]         = rows.begin * one;
        receive_bytes[q]      = q == rank ? 0 : (rows.end - rows.begin) * one;
    }
    const fgt_exchange e = {.size          = sizeof e,
                            .tag           = FGTI_TAG_ROWS,
                            .send          = r->rows.receive,
                            .send_at       = send_at,
                            .send_bytes    = send_bytes,
                            .receive       = r->rows.receive,
                            .receive_at    = receive_at,
                            .receive_bytes = receive_bytes};
    return fgti_ranks_exchange(r->ranks, &e, &r->rows.request[part]);
}

/* Copies received weights to these rows of the list. */
static void reduction_rows_take_weights(const fgti_reduction *r, fgti_slab_range rows)
{
    const fgti_touched *t    = r->slabs.touched;
    const fgti_real    *from = fgti_row_sum_weights(r) + rows.begin * t->width;
    for (int64_t i = rows.begin; i < rows.end; i++, from += t->width) {
        if (i + AHEAD < rows.end) fgti_fetch(t->width, r->slabs.weights + t->row[i + AHEAD] * t->width);
        memcpy(r->slabs.weights + t->row[i] * t->width, from, (size_t)t->width * sizeof *from);
    }
}

fgt_status fgti_row_sum_settle(fgti_reduction *r)
{
    bool done;
    for (int64_t part = 0; part < FGTI_ROW_PARTS; part++) {
        FGTI_TRY(fgti_ranks_finish(r->ranks, r->rows.request[part], true, &done));
        for (int64_t q = 0; q < r->ranks->with.ranks; q++)
            if (q != r->ranks->with.rank) reduction_rows_take_weights(r, reduction_rows_part_of(r, q, part));
    }
    return FGT_OK;
}

fgt_status fgti_row_sum_share(fgti_reduction *r, const fgti_real *from, fgti_real *to, bool to_all)
{
    const int64_t ranks = r->ranks->with.ranks, rank = r->ranks->with.rank, e = sizeof *to;
    int64_t      *send_at = r->rows.table, *send_bytes = send_at + ranks, *receive_at = send_bytes + ranks;
    for (int64_t q = 0; q < ranks; q++) {
        const fgti_slab_range mine = fgti_segments_rows(&r->segments, rank),
                              rows = fgti_segments_rows(&r->segments, q);
        send_at[q]            = 0;
        send_bytes[q]         = q == rank || (q && !to_all) ? 0 : (mine.end - mine.begin) * e;
        receive_at[q]         = rank && !to_all ? 0 : rows.begin * e;
        receive_at[ranks + q] = q == rank || (rank && !to_all) ? 0 : (rows.end - rows.begin) * e;
    }
    const fgt_exchange ex = {.size          = sizeof ex,
                             .tag           = FGTI_TAG_ROWS,
                             .send          = from,
                             .send_at       = send_at,
                             .send_bytes    = send_bytes,
                             .receive       = to,
                             .receive_at    = receive_at,
                             .receive_bytes = receive_at + ranks};
    return fgti_ranks_exchange_now(r->ranks, &ex);
}
