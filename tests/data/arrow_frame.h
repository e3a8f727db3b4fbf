/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_DATA_ARROW_FRAME_H
#define TESTS_DATA_ARROW_FRAME_H

/* Arrow arrays made by hand. */

#include <string.h>

#include <fighter/experimental/arrow.h>

enum { FRAME_COLUMNS = 24 };

typedef struct frame {
    struct ArrowSchema schema, column_schema[FRAME_COLUMNS], *schemas[FRAME_COLUMNS], dictionary_schema;
    struct ArrowArray  array, column[FRAME_COLUMNS], *columns[FRAME_COLUMNS], dictionary;
    const void        *buffer[FRAME_COLUMNS][3], *root_buffer[1], *dictionary_buffer[3];
} frame;

static inline void frame_release_schema(struct ArrowSchema *s)
{
    s->release = NULL;
}

static inline void frame_release_array(struct ArrowArray *a)
{
    a->release = NULL;
}

/* A table without columns. */
static inline void frame_begin(frame *f, int64_t rows)
{
    memset(f, 0, sizeof *f);
    f->schema = (struct ArrowSchema){.format = "+s", .children = f->schemas, .release = frame_release_schema};
    f->array  = (struct ArrowArray){.length    = rows,
                                    .n_buffers = 1,
                                    .buffers   = f->root_buffer,
                                    .children  = f->columns,
                                    .release   = frame_release_array};
}

static inline struct ArrowArray frame_array(int64_t rows, int64_t buffers, const void **buffer,
                                            const void *valid, const void *data, const void *bytes)
{
    buffer[0] = valid;
    buffer[1] = data;
    buffer[2] = bytes;
    return (struct ArrowArray){.length     = rows,
                               .null_count = valid ? -1 : 0,
                               .n_buffers  = buffers,
                               .buffers    = buffer,
                               .release    = frame_release_array};
}

/* Adds a column, whose array can be changed. valid NULL: all are; bytes: of texts. */
static inline struct ArrowArray *frame_add(frame *f, const char *name, const char *format, const void *valid,
                                           const void *data, const void *bytes)
{
    const int64_t i     = f->schema.n_children++;
    const int64_t n     = !strcmp(format, "n") ? 0 : bytes ? 3 : 2;
    f->array.n_children = f->schema.n_children;
    f->column_schema[i] =
        (struct ArrowSchema){.format = format, .name = name, .release = frame_release_schema};
    f->column[i]  = frame_array(f->array.length, n, f->buffer[i], valid, data, bytes);
    f->schemas[i] = &f->column_schema[i];
    f->columns[i] = &f->column[i];
    return f->columns[i];
}

/* Makes the last column one of numbers of these texts. */
static inline struct ArrowArray *frame_dictionary(frame *f, const char *format, int64_t count,
                                                  const void *valid, const void *offsets, const void *bytes)
{
    const int64_t i           = f->schema.n_children - 1;
    f->dictionary_schema      = (struct ArrowSchema){.format = format, .release = frame_release_schema};
    f->dictionary             = frame_array(count, 3, f->dictionary_buffer, valid, offsets, bytes);
    f->schemas[i]->dictionary = &f->dictionary_schema;
    f->columns[i]->dictionary = &f->dictionary;
    return &f->dictionary;
}

#endif
