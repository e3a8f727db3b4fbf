/* SPDX-License-Identifier: BSD-3-Clause */

/* The table of all classes of layers. */

#include <string.h>

#include <fighter/experimental/vision.h>

#include "nn/layer.h"

/* A word in lib/nn/meson.build registers a layer, and declares the object that describes its class. */
#define FGTI_CLASS(word) extern const fgti_class fgti_class_##word;
#include "nn/registry_list.h"
#undef FGTI_CLASS

static const fgti_class *const classes[] = {
#define FGTI_CLASS(word) &fgti_class_##word,
#include "nn/registry_list.h"
#undef FGTI_CLASS
};

#define FGTI_CLASS(word)                                 \
    fgt_layer fgt_##word(const fgt_##word##_opts *opts)  \
    {                                                    \
        return (fgt_layer){.type = #word, .opts = opts}; \
    }
#include "nn/registry_list.h"
#undef FGTI_CLASS

const fgti_class *fgti_class_at(int32_t i)
{
    return i >= 0 && (size_t)i < sizeof classes / sizeof *classes ? classes[i] : NULL;
}

const fgti_class *fgti_class_find(const char *name)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (!strcmp(classes[i]->name, name)) return classes[i];
    return NULL;
}

fgt_layer fgt_named(const char *name, fgt_layer layer)
{
    layer.name = name;
    return layer;
}

fgt_layer fgt_along(int32_t axis, fgt_layer layer)
{
    layer.axis = (int32_t)axis;
    return layer;
}

fgt_layer fgt_shared(const char *layer)
{
    return (fgt_layer){.type = FGTI_SHARED, .opts = layer};
}
