/* SPDX-License-Identifier: BSD-3-Clause */
/* Damages that the container does not show: most files with a few wrong bytes are refused by the first check
 * of lengths, and nothing behind it is ever tried. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { TEXT = 1 << 16, TOKENS = 1 << 13, LENGTH = 8 }; /* LENGTH: of the header, in front of it */

/* A part of the header's JSON: a string without its quotes, a number, or one other byte. */
typedef struct token {
    char   kind; /* '"', '0', or the byte */
    size_t at, size;
} token;

/* The header of the file that is being damaged. */
static char   text[TEXT + 1]; /* a number at its end stops there */
static size_t length;
static token  tokens[TOKENS];
static size_t count;

/* ---- reading ---- */

static bool is_number(char c)
{
    return (c >= '0' && c <= '9') || (c && strchr("+-.eE", c));
}

static size_t string_size(size_t at)
{
    size_t end = at;
    while (end < length && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    return (end < length ? end : length) - at;
}

static void tokenise(void)
{
    count = 0;
    for (size_t i = 0; i < length && count < TOKENS;) {
        token t = {text[i], i, 1};
        if (t.kind == '"') {
            t.at++;
            t.size = string_size(t.at);
            i      = t.at + t.size + 1;
        } else if (is_number(t.kind)) {
            t.kind = '0';
            while (i + t.size < length && is_number(text[i + t.size])) t.size++;
            i += t.size;
        } else {
            i++;
        }
        tokens[count++] = t;
    }
}

static bool is_text(size_t i, const char *s)
{
    return i < count && tokens[i].kind == '"' && tokens[i].size == strlen(s) &&
           !memcmp(text + tokens[i].at, s, tokens[i].size);
}

static bool is_kind(size_t i, char kind)
{
    return i < count && tokens[i].kind == kind;
}

/* Any token of that kind, or `count`. */
static size_t draw_token(char kind, uint64_t *state)
{
    const size_t first = count ? fuzz_draw(state, count) : 0;
    for (size_t i = 0; i < count; i++)
        if (tokens[(first + i) % count].kind == kind) return (first + i) % count;
    return count;
}

/* ---- changing the text ---- */

static void splice(size_t at, size_t old_size, const char *s, size_t size)
{
    if (length - old_size + size > TEXT) return;
    memmove(text + at + size, text + at + old_size, length - at - old_size);
    memcpy(text + at, s, size);
    length += size - old_size;
}

#define PICK(list, state) (list)[fuzz_draw(state, sizeof(list) / sizeof *(list))]

static void put_number(size_t at, size_t size, uint64_t *state)
{
    static const char *const odd[] = {"0",
                                      "1",
                                      "2",
                                      "3",
                                      "4",
                                      "6",
                                      "8",
                                      "64",
                                      "65537",
                                      "2147483647",
                                      "2147483648",
                                      "4294967297",
                                      "-1",
                                      "-2",
                                      "1e3",
                                      "0.5",
                                      "00",
                                      "1099511627776",
                                      "1e-320",
                                      "1e60",
                                      "0x1.8p3",
                                      "",
                                      "-",
                                      "1.",
                                      "nan",
                                      "inf",
                                      "1099511627777",
                                      "9007199254740993",
                                      "4611686018427387905",
                                      "9223372036854775807",
                                      "9223372036854775808",
                                      "18446744073709551617"};
    char                     near[24];
    const char              *s = PICK(odd, state);
    if (fuzz_draw(state, 2)) {
        const long long v = strtoll(text + at, NULL, 10) % (1LL << 40);
        snprintf(near, sizeof near, "%lld", v + (long long)fuzz_draw(state, 5) - 2);
        s = near;
    }
    splice(at, size, s, strlen(s));
}

static void change_number(uint64_t *state)
{
    const size_t i = draw_token('0', state);
    if (i < count) put_number(tokens[i].at, tokens[i].size, state);
}

static void change_type(uint64_t *state)
{
    static const char *const types[] = {"F64", "F32", "F16", "BF16", "I64", "I32",  "I16",
                                        "I8",  "U64", "U32", "U16",  "U8",  "BOOL", "F8_E4M3"};
    const size_t             first   = count ? fuzz_draw(state, count) : 0;
    for (size_t i = 0; i < count; i++) {
        const size_t at = (first + i) % count;
        if (!is_text(at, "dtype") || !is_kind(at + 2, '"')) continue;
        const char *s = PICK(types, state);
        splice(tokens[at + 2].at, tokens[at + 2].size, s, strlen(s));
        return;
    }
}

/* A number within a string: an option of a layer, its inputs, the form of a model. */
static void change_option(uint64_t *state)
{
    const size_t i = draw_token('"', state);
    if (i == count || !tokens[i].size) return;
    const size_t end   = tokens[i].at + tokens[i].size;
    size_t       begin = tokens[i].at + fuzz_draw(state, tokens[i].size), n = 0;
    while (begin < end && !(text[begin] >= '0' && text[begin] <= '9')) begin++;
    while (begin + n < end && is_number(text[begin + n])) n++;
    if (n) put_number(begin, n, state);
}

/* A string, or a piece of it, becomes a piece of another one: names, keys and options change places. */
static void change_string(uint64_t *state)
{
    static const char *const odd[] = {
        "",      "\\u0000", "\\ud83d\\ude00",       "\\ud800",      " ",      "=",
        "train", "0",       "fighter.layer.0.opts", "__metadata__", "weight", "graph.weights"};
    const size_t to = draw_token('"', state), from = draw_token('"', state);
    char         piece[256];
    if (to == count) return;
    size_t at = tokens[to].at, old_size = tokens[to].size, n = tokens[from].size;
    if (fuzz_draw(state, 8) == 0) {
        const char *s = PICK(odd, state);
        splice(at, old_size, s, strlen(s));
        return;
    }
    if (n > sizeof piece) n = sizeof piece;
    if (old_size && fuzz_draw(state, 2)) {
        const size_t skip = fuzz_draw(state, old_size + 1);
        at += skip;
        old_size = fuzz_draw(state, old_size - skip + 1);
        n        = fuzz_draw(state, n + 1);
    }
    memcpy(piece, text + tokens[from].at, n);
    splice(at, old_size, piece, n);
}

/* One member or element, its comma included, goes or comes twice. */
static void change_members(uint64_t *state)
{
    static char  copy[TEXT];
    const size_t comma = draw_token(',', state);
    int          depth = 0;
    if (comma == count) return;
    size_t end = comma + 1;
    for (; end < count && depth >= 0; end++) {
        depth += is_kind(end, '{') || is_kind(end, '[');
        depth -= is_kind(end, '}') || is_kind(end, ']');
        if (depth < 0 || (depth == 0 && is_kind(end, ','))) break;
    }
    const size_t at = tokens[comma].at, n = (end < count ? tokens[end].at : length) - at;
    memcpy(copy, text + at, n);
    if (fuzz_draw(state, 2))
        splice(at, n, "", 0);
    else
        splice(at, 0, copy, n);
}

/* ---- the data ---- */

static void change_data(uint8_t *data, size_t size, uint64_t *state)
{
    static const uint32_t odd[] = {0x7fc00000u, 0x7f800000u, 0xff800000u, 0x7f7fffffu, 0x00000001u,
                                   0x80000000u, 0xffffffffu, 0x40000000u, 0x5d5e0b6bu, 0x00000000u};
    if (size < sizeof *odd) return;
    const uint32_t word = PICK(odd, state);
    const size_t   at   = fuzz_draw(state, size / sizeof word) * sizeof word;
    for (size_t i = 0; i < sizeof word; i++) data[at + i] = (uint8_t)(word >> 8 * i);
}

static size_t type_size(size_t i)
{
    const char *s = text + tokens[i].at;
    for (size_t k = 0; k < tokens[i].size; k++)
        if (s[k] >= '0' && s[k] <= '9') return (size_t)strtol(s + k, NULL, 10) / 8;
    return 1; /* BOOL */
}

/* The tensor whose "data_offsets" is token i: its bytes by its type and shape, which stand before it. */
static size_t tensor_size(size_t i)
{
    size_t size = 1, k = i;
    while (k > 0 && !is_kind(k, '{')) k--;
    for (; k < i; k++) {
        if (is_text(k, "dtype") && is_kind(k + 2, '"')) size *= type_size(k + 2);
        if (!is_text(k, "shape")) continue;
        for (size_t n = k + 1; n < i && !is_kind(n, ']'); n++)
            if (is_kind(n, '0')) size *= (size_t)strtoull(text + tokens[n].at, NULL, 10);
        if (size > TEXT) return TEXT; /* does not fit in any case */
    }
    return size;
}

/* Gives all tensors the offsets that follow from their types and shapes, and the data that size. What was
 * there stays where it was in its tensor. Returns the new size of the data. */
static size_t repair(uint8_t *data, size_t size, size_t most)
{
    static char    header[TEXT];
    static uint8_t old[1 << 20];
    size_t         out = 0, done = 0, end = 0;
    if (size > sizeof old) return size;
    memcpy(old, data, size);
    for (size_t i = 0; i < count; i++) {
        if (!is_text(i, "data_offsets") || !is_kind(i + 3, '0') || !is_kind(i + 5, '0')) continue;
        char         offsets[64];
        const size_t n = tensor_size(i), before = tokens[i + 3].at - done;
        const size_t from = (size_t)strtoull(text + tokens[i + 3].at, NULL, 10);
        const int    m    = snprintf(offsets, sizeof offsets, "%zu,%zu", end, end + n);
        if (n > most - end || out + before + (size_t)m > TEXT) return size;
        memcpy(header + out, text + done, before);
        memcpy(header + out + before, offsets, (size_t)m);
        out += before + (size_t)m;
        done = tokens[i + 5].at + tokens[i + 5].size;
        for (size_t b = 0; b < n; b++) data[end + b] = from < size && b < size - from ? old[from + b] : 0;
        end += n;
    }
    if (out + length - done > TEXT) return size;
    memcpy(header + out, text + done, length - done);
    length = out + length - done;
    memcpy(text, header, length);
    return end;
}

/* ---- the whole ---- */

static size_t open_file(const uint8_t *data, size_t size)
{
    uint64_t n = 0;
    for (int i = 0; i < LENGTH && size >= LENGTH; i++) n |= (uint64_t)data[i] << 8 * i;
    if (size < LENGTH || n < 2 || n > size - LENGTH || n > TEXT / 2) return 0;
    length = (size_t)n;
    memcpy(text, data + LENGTH, length);
    tokenise();
    return length;
}

static void change(uint8_t *data, size_t size, uint64_t *state)
{
    switch (fuzz_draw(state, 8)) {
    case 0: change_number(state); break;
    case 1: change_type(state); break;
    case 2: change_string(state); break;
    case 3: change_members(state); break;
    case 4: change_data(data, size, state); break;
    default: change_option(state); break;
    }
    tokenise();
}

/* With a hash all damage would look the same. */
static void forget_hash(uint8_t *data, size_t size)
{
    static const char name[] = "fighter.hash", other[] = "another.hash";
    for (size_t i = 0; i + sizeof name <= size; i++)
        if (!memcmp(data + i, name, sizeof name - 1)) memcpy(data + i, other, sizeof other - 1);
}

size_t fuzz_damage_model(uint8_t *data, size_t size, size_t most, uint64_t *state)
{
    static uint8_t body[1 << 20];
    forget_hash(data, size);
    const size_t header = open_file(data, size);
    if (!header || size > sizeof body || fuzz_draw(state, 8) == 0)
        return fuzz_damage_bytes(data, size, most, state);
    size_t n = size - LENGTH - header;
    memcpy(body, data + LENGTH + header, n);
    do change(body, n, state); /* mostly one: of two, the first check to fail hides the other */
    while (fuzz_draw(state, 4) == 0);
    if (fuzz_draw(state, 4)) n = repair(body, n, sizeof body);
    if (LENGTH + length + n > most) return fuzz_damage_bytes(data, size, most, state);
    for (int i = 0; i < LENGTH; i++) data[i] = (uint8_t)((uint64_t)length >> 8 * i);
    memcpy(data + LENGTH, text, length);
    memcpy(data + LENGTH + length, body, n);
    return LENGTH + length + n;
}
