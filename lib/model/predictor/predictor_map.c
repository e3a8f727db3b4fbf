/* SPDX-License-Identifier: BSD-3-Clause */
/* The weights of a predictor in a file that processes map and so share. Its contents have the layout of
 * memory:
 *     head | gone [tensors] | zeros up to a multiple of 64 | keep | packs | parameters that are still read
 * The file is a cache: if it does not fit this machine and this model, it is written again. */
#include "model/predictor/predictor_map.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/atomic_file.h"
#include "core/hash.h"
#include "model/model_impl.h"
#include "model/params.h"
#include "model/predictor/predictor_impl.h"
#include "model/predictor/predictor_rest.h"

/* Increment it if layers keep other results or change their layout. Then older files have another key. */
#define MAP_FORMAT 3

static const char magic[16] = "fighter weights";

typedef struct head {
    char     magic[16];
    uint64_t key, sum; /* sum: hash of everything that follows the head */
    int64_t  tensors, keep, packs, rest;
} head;

#define ALIGN_BYTES FGTI_ALIGN

static size_t body_at(int64_t tensors)
{
    return (size_t)fgti_round_up((int64_t)sizeof(head) + tensors, ALIGN_BYTES);
}

/* ---- hashes ---- */

/* Hashes whole words; zeros fill up the last word. The speed is close to the speed of reading memory. */
static uint64_t hash_words(uint64_t h, const void *data, size_t bytes)
{
    const char *p = data;
    for (; bytes >= sizeof h; p += sizeof h, bytes -= sizeof h) {
        uint64_t word;
        memcpy(&word, p, sizeof word);
        h = fgti_hash_value(h, word);
    }
    if (!bytes) return h;
    uint64_t last = 0;
    memcpy(&last, p, bytes);
    return fgti_hash_value(h, last);
}

static uint64_t hash_layer(uint64_t h, const fgti_layer *l)
{
    const int64_t shares  = l->shares ? (int64_t)l->shares->id : -1;
    const int64_t sizes[] = {l->in.nodes,    l->in.time,   l->in.width, l->out.nodes,
                             l->out.time,    l->out.width, l->axis,     l->route,
                             l->keep,        l->packs,     l->params,   shares,
                             l->first_param, l->inputs};
    h                     = hash_words(fgti_hash_text(h, l->cls->name), sizes, sizeof sizes);
    for (int32_t k = 0; k < l->inputs; k++) h = fgti_hash_value(h, (uint64_t)l->input[k].from);
    for (const fgti_opt *o = l->cls->opts; o && o->name; o++) {
        const double value = o->kind == FGTI_OPT_GRAPH ? 0 : fgti_opt_get(o, l->opts);
        h                  = hash_words(h, &value, sizeof value);
    }
    return h;
}

uint64_t fgti_map_key(const fgt_predictor *p, const fgti_real *weights, int64_t size)
{
    const fgt_model *m       = p->model;
    const fgti_blas *blas    = m->ctx->blas;
    const int64_t    sizes[] = {
           MAP_FORMAT, fgt_version(),   sizeof(fgti_real), FGTI_ALIGN,          FGTI_RED_ZONE, m->half,
           m->layers,  blas->tile_rows, blas->tile_cols,   (int64_t)m->version, m->bf16,       blas->bf16};
    uint64_t h = hash_words(FGTI_HASH_START, sizes, sizeof sizes);
    h          = fgti_hash_text(fgti_hash_text(h, blas->config), blas->kernel);
    for (int64_t i = 0; i < m->layers; i++) h = hash_layer(h, m->layer[i]);
    return hash_words(h, weights, (size_t)size * sizeof *weights);
}

/* ---- reading ---- */

/* Whether the file with this head and size holds the weights of this predictor. */
static bool predictor_map_fits(fgt_predictor *p, const head *h, size_t bytes, uint64_t key)
{
    const fgt_model *m = p->model;
    const int64_t    n = fgti_params_count(m);
    if (h->key != key || h->tensors != n || h->keep != m->keep.all.size || h->packs != m->keep.packs.size ||
        bytes < body_at(n) || hash_words(FGTI_HASH_START, h + 1, bytes - sizeof *h) != h->sum)
        return false;
    memcpy(p->gone, h + 1, (size_t)n);
    return h->rest == fgti_predictor_rest(p) &&
           bytes == body_at(n) + (size_t)(h->keep + h->packs + h->rest) * sizeof(fgti_real);
}

static void read_from(fgt_predictor *p, void *map, size_t bytes)
{
    fgt_model *m         = p->model;
    fgti_real *body      = (fgti_real *)((char *)map + body_at(fgti_params_count(m)));
    p->map               = map;
    p->map_bytes         = bytes;
    m->keep.all.users    = 1;
    m->keep.packs.users  = 1;
    m->keep.all.memory   = body;
    m->keep.packs.memory = body + m->keep.all.size;
    m->weights           = m->keep.packs.memory + m->keep.packs.size;
    fgti_predictor_place(p);
}

/* Maps an open file. */
static fgt_status map_file(fgt_predictor *p, int fd, const char *path, uint64_t key, bool *found)
{
    fgti_error *err = &p->model->ctx->error;
    struct stat st;
    if (fstat(fd, &st)) return fgti_fail_errno(err, path, "cannot read its size", errno);
    const size_t bytes = S_ISREG(st.st_mode) ? (size_t)st.st_size : 0;
    void        *map   = bytes < sizeof(head) ? NULL : mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) return fgti_fail_errno(err, path, "cannot be mapped", errno);
    if (!map || memcmp(map, magic, sizeof magic) != 0) {
        if (map) munmap(map, bytes);
        return fgti_fail(err, FGT_E_FORMAT,
                         "%.300s: not a file of a predictor's weights, so it is not replaced", path);
    }
    *found = predictor_map_fits(p, map, bytes, key);
    if (*found)
        read_from(p, map, bytes);
    else
        munmap(map, bytes);
    return FGT_OK;
}

fgt_status fgti_map_open(fgt_predictor *p, const char *path, uint64_t key, bool *found)
{
    *found       = false;
    const int fd = fgti_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    if (fd < 0 && errno == ENOENT) return FGT_OK;
    if (fd < 0) return fgti_fail_errno(&p->model->ctx->error, path, "cannot open", errno);
    const fgt_status s = map_file(p, fd, path, key, found);
    close(fd);
    return s;
}

void fgti_map_close(fgt_predictor *p)
{
    fgt_model *m = p->model;
    if (!p->map) return;
    fgti_red_zone_lift(p->map, (int64_t)p->map_bytes); /* layers have set red zones there, and the addresses
                                                        * will be reused */
    munmap(p->map, p->map_bytes);
    m->keep.all.memory = m->keep.packs.memory = m->weights = NULL;
    p->map                                                 = NULL;
}

/* ---- writing ---- */

/* The parts of the file that follow the head. Each part has whole words. */
typedef struct part {
    void  *data;
    size_t bytes;
} part;

enum { PARTS = 4 };

static fgt_status write_parts(fgti_atomic *f, head *h, const part *parts)
{
    h->sum = FGTI_HASH_START;
    for (int i = 0; i < PARTS; i++) h->sum = hash_words(h->sum, parts[i].data, parts[i].bytes);
    FGTI_TRY(fgti_atomic_write(f, h, sizeof *h));
    for (int i = 0; i < PARTS; i++) FGTI_TRY(fgti_atomic_write(f, parts[i].data, parts[i].bytes));
    return FGT_OK;
}

fgt_status fgti_map_write(const fgt_predictor *p, const char *path, uint64_t key)
{
    const fgt_model *m            = p->model;
    const int64_t    n            = fgti_params_count(m);
    const size_t     real         = sizeof(fgti_real);
    part             parts[PARTS] = {{NULL, body_at(n) - sizeof(head)},
                                     {m->keep.all.memory, (size_t)m->keep.all.size * real},
                                     {m->keep.packs.memory, (size_t)m->keep.packs.size * real},
                                     {m->weights, (size_t)p->size * real}};
    head             h = {.key   = key,
                          .tensors = n,
                          .keep    = m->keep.all.size,
                          .packs   = m->keep.packs.size,
                          .rest    = p->size};
    fgti_atomic f;
    memcpy(h.magic, magic, sizeof magic);
    FGTI_TRY(fgti_alloc(m->ctx, (int64_t)parts[0].bytes + 1, 1, "list of parameters", &parts[0].data));
    if (n) memcpy(parts[0].data, p->gone, (size_t)n);
    for (int i = 1; i < PARTS; i++) fgti_red_zone_lift(parts[i].data, (int64_t)parts[i].bytes);
    fgt_status s = fgti_atomic_open(m->ctx, path, &f);
    if (s == FGT_OK) {
        s = write_parts(&f, &h, parts);
        if (s == FGT_OK)
            s = fgti_atomic_commit(&f);
        else
            fgti_atomic_abandon(&f);
    }
    fgti_free(m->ctx, parts[0].data);
    return s;
}
