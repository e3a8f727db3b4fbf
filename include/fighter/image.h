/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_IMAGE_H
#define FIGHTER_IMAGE_H

/** @file image.h
 *  Sets of labelled images: from IDX files, folders, lists, and memory.
 *
 *      fgt_images_opts o = {.size = sizeof o, .labels = "train-labels-idx1-ubyte.gz"};
 *      fgt_images_load(ctx, "train-images-idx3-ubyte.gz", &o, &images);
 *      fgt_images_create_split(images, &FGT_OPTS(fgt_images_split_opts, .count = 8000), &train, &test);
 *
 *  All images of a set have one size and one number of channels. Pixels are bytes, 0 .. 255. Rows are from
 *  top to bottom, the pixels of a row from left to right; the channels of a pixel are next to each other.
 *
 *  Letters: R images, H rows, W columns, C channels: 1 (gray) or 3 (red, green, blue).
 *
 *  Limits: a side has at most 16384 pixels, a picture in a file at most 2^25 pixels, a set at most 2^31-2
 *  images. The header of a file is checked against these limits before memory is allocated. Memory grows with
 *  the bytes that were read, not with the size in a header: a PNG or JPEG with more pixels than its bytes can
 *  hold is refused. A byte can hold at most 8256 pixels of a PNG or of a JPEG with arithmetic coding, and 512
 *  pixels of any other JPEG.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Images, each with its class. Classes are numbered from 0 and have names. */
typedef struct fgt_images fgt_images;

typedef struct fgt_images_opts {
    size_t            size;
    const fgt_images *like;   /**< a set, such as the training set: the new set gets its image size, channels
                                   and classes, and no others. NULL: the classes that occur */
    const char       *labels; /**< IDX: the file of the labels; NULL only with no_classes */
    int64_t           height; /**< 0: as in like, otherwise of the first image */
    int64_t           width;  /**< 0: as in like, otherwise of the first image */
    int64_t           channels; /**< 1 gray, 3 colours; 0: as in like, otherwise of the first image */
    int64_t           classes;  /**< number of classes: labels are 0 .. classes-1; 0: the labels that occur.
                                     Only for labels that are numbers, from IDX files and from memory */
    int32_t           resize;   /**< 1: images of another size are resampled, 0: they are refused */
    int32_t           no_classes; /**< 1: the images have no known classes; their class is -1. A folder then
                                       has the pictures without subfolders of classes, and a second cell in a
                                       list is not read */
    const char       *background; /**< colour that shows through pixels that are not opaque: "white", "black",
                                       "gray", or red, green and blue in hexadecimal, such as "#4080ff". NULL:
                                       as in like, otherwise white */
    const char *const *class_names; /**< names of the classes, and no others; labels from IDX files and from
                                         memory are 0 .. class_name_count-1. NULL: the classes that occur,
                                         labels as text */
    int64_t            class_name_count; /**< 0 with class_names NULL */
} fgt_images_opts;

/** Reads images. The kind of file is detected:
 *    - a file that begins with 0 0: IDX, of unsigned bytes, [R,H,W] or [R,H,W,C], with the labels [R] in the
 *      IDX file opts.labels. Both may be gzip-compressed;
 *    - a folder: one subfolder for each class, with PNG and JPEG files (by the end of the name: .png, .jpg,
 *      .jpeg) in it and in folders below it, read in the order of the bytes of their paths. Names that begin
 *      with a dot are skipped; other files are counted in the context's log, by the ends of their names. A
 *      folder that links lead to twice is refused;
 *    - any other file: a list in CSV, with a line for each picture: its file, relative to the folder of the
 *      list, and its class. The first line is a header if its first cell is not the name of a picture.
 *  Class names come from folders and lists, or are the labels as text. They are ordered as numbers if all of
 *  them are whole numbers without leading zeros, otherwise by their bytes.
 *  A picture becomes gray by (299 R + 587 G + 114 B) / 1000, rounded, and colours by R = G = B. Samples of 16
 *  bits are scaled to 8; colour profiles and gammas have no effect. A picture whose EXIF data (an APP1
 *  segment before the pixels of a JPEG, eXIf in a PNG) have an orientation is turned and mirrored upright;
 *  damaged EXIF data have no effect. A pixel x of a PNG with opacity a below 255 becomes (a x + (255 - a) b)
 *  / 255, rounded, where b is opts.background. If the background is not gray, gray pictures with transparency
 *  become colours. Resampling stretches a picture to H x W. Each axis is resampled with a triangle filter of
 *  the width max(1, source/target), so reduced pictures are smoothed. Bytes after the end of a PNG or JPEG
 *  picture are not read.
 *  Source   IDX: LeCun, "THE MNIST DATABASE"; PNG: ISO/IEC 15948 through libpng; JPEG: ITU-T T.81 through
 *           libjpeg; orientation: JEITA CP-3451 (EXIF); gray: ITU-R BT.601
 *  Shapes   -> R images [H,W,C]
 *  Cost     one pass; keeps R H W C bytes, and one picture in the form of its file
 *  Owner    *images is the caller's; nothing of opts is kept
 *  Errors   FGT_E_IO no such file, unreadable, a picture that is not a regular file; FGT_E_FORMAT a damaged
 *           or cut file, another type of IDX, bytes after the last image (the error texts have the file, and
 *           the image or byte); FGT_E_DATA an image of another size, another number of labels than of images,
 *           a label out of range, a class that like does not have, a class without images or with a name that
 *           is not UTF-8, a folder that is found twice, no image;
 *           FGT_E_UNSUPPORTED a picture with four colours; built without libpng, libjpeg or zlib; FGT_E_SIZE
 *           beyond the limits above; FGT_E_ARG, FGT_E_VERSION opts; FGT_E_NOMEM. On error *images is NULL */
FGT_API FGT_MUST fgt_status fgt_images_load(fgt_context *ctx, const char *path, const fgt_images_opts *opts,
                                            fgt_images **images);

/** Makes a set from memory. opts.labels and opts.background are not used.
 *  Shapes   pixels F32 [R,H,W,C], whole numbers 0 .. 255; labels I64 [R]; NULL with no_classes, and only then
 *  Owner    everything is copied; *images is the caller's
 *  Errors   FGT_E_ARG; FGT_E_SHAPE; FGT_E_DATA a pixel that is not a whole number 0 .. 255, and as
 *           fgt_images_load(), with the number of the image; FGT_E_SIZE; FGT_E_VERSION; FGT_E_NOMEM. On error
 *           *images is NULL */
FGT_API FGT_MUST fgt_status fgt_images_create(fgt_context *ctx, const fgt_view *pixels,
                                              const fgt_view *labels, const fgt_images_opts *opts,
                                              fgt_images **images);

/** Makes a set from some images of another set, with the same classes.
 *  Shapes   rows [count]: numbers of images, in any order; a number may occur more than once
 *  Owner    everything is copied; *subset is the caller's
 *  Errors   FGT_E_ARG NULL, count < 1, a number out of range; FGT_E_SIZE; FGT_E_NOMEM. On error *subset is
 *           NULL */
FGT_API FGT_MUST fgt_status fgt_images_create_subset(const fgt_images *images, const int64_t *rows,
                                                     int64_t count, fgt_images **subset);

typedef struct fgt_images_split_opts {
    size_t   size;
    int64_t  count; /**< images in the first part, 1 .. R-1; no default */
    uint64_t seed;
} fgt_images_split_opts;

/** Shuffles the images and cuts them in two: `count` images, and the rest. The same seed gives the same parts
 *  on any machine: it is a Fisher-Yates permutation with counter-based random numbers.
 *  Source   Salmon et al. 2011 (Philox4x32-10)
 *  Owner    everything is copied; *first and *rest are the caller's
 *  Errors   FGT_E_ARG; FGT_E_VERSION; FGT_E_NOMEM. On error both are NULL */
FGT_API FGT_MUST fgt_status fgt_images_create_split(const fgt_images            *images,
                                                    const fgt_images_split_opts *opts, fgt_images **first,
                                                    fgt_images **rest);

/** Destroys a set and sets *images to NULL.
 *  Owner    takes *images */
FGT_API void fgt_images_destroy(fgt_images **images);

/** Properties of a set. */
typedef struct fgt_images_info {
    size_t  size;
    int64_t count;    /**< R */
    int64_t height;   /**< H */
    int64_t width;    /**< W */
    int64_t channels; /**< C */
    int64_t classes;  /**< 0 with no_classes */
    const int64_t *class_rows;  /**< [classes]: number of images of each class; the set's */
    const int32_t *row_classes; /**< [R]: class of each image, -1 with no_classes; the set's */
} fgt_images_info;

/** Fills *info, whose size field the caller has set.
 *  Errors   FGT_E_ARG; FGT_E_VERSION info->size is not set
 *  Threads  any, as long as no call fails */
FGT_API FGT_MUST fgt_status fgt_images_get_info(const fgt_images *images, fgt_images_info *info);

/** Copies the pixels of some images.
 *  Shapes   index [n]: numbers of images; x F32 [n,H,W,C]; n is count
 *  Units    0 .. 255
 *  Owner    borrowed
 *  Errors   FGT_E_ARG also a number out of range; FGT_E_SHAPE. On error x is untouched */
FGT_API FGT_MUST fgt_status fgt_images_copy_pixels(const fgt_images *images, const int64_t *index,
                                                   int64_t count, const fgt_view *x);

/** Computes mean and standard deviation of the pixels of all images, for each channel: deviation^2 = sum (x -
 *  mean)^2 / (R H W). They are computed from exact counts of each pixel value.
 *  Shapes   mean, deviation F64 [C]
 *  Units    0 .. 255
 *  Errors   FGT_E_ARG; FGT_E_SHAPE */
FGT_API FGT_MUST fgt_status fgt_images_compute_moments(const fgt_images *images, const fgt_view *mean,
                                                       const fgt_view *deviation);

/** Name of a class.
 *  Shapes   class_id in 0 .. classes-1
 *  Owner    the set's
 *  Errors   none; NULL if there is no such class
 *  Threads  any */
FGT_API const char *fgt_images_get_class_name(const fgt_images *images, int64_t class_id);

/** File name of an image, as in the folder or list.
 *  Shapes   row in 0 .. R-1
 *  Owner    the set's
 *  Errors   none; NULL if there is no such image, or it came from an IDX file or from memory
 *  Threads  any */
FGT_API const char *fgt_images_get_name(const fgt_images *images, int64_t row);

#ifdef __cplusplus
}
#endif
#endif
