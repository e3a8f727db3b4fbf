/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures: limits of their size, conversion of colours, resampling. */
#include "image/picture/picture.h"

#include <math.h>
#include <string.h>

#include "core/context.h"

fgt_status fgti_picture_check(fgt_context *ctx, int64_t height, int64_t width)
{
    if (height < 1 || width < 1)
        return fgti_fail(&ctx->error, FGT_E_FORMAT, "the picture has no pixels (got %lld x %lld)",
                         (long long)height, (long long)width);
    if (height > FGTI_SIDE_MAX || width > FGTI_SIDE_MAX || height * width > FGTI_PIXELS_MAX)
        return fgti_fail(
            &ctx->error, FGT_E_SIZE,
            "the picture is too large (got %lld x %lld pixels, need at most %d a side, 2^25 in all)",
            (long long)height, (long long)width, FGTI_SIDE_MAX);
    return FGT_OK;
}

fgt_status fgti_picture_new(fgt_context *ctx, int64_t height, int64_t width, int64_t channels,
                            fgti_picture *picture)
{
    *picture = (fgti_picture){0};
    FGTI_TRY(fgti_picture_check(ctx, height, width));
    FGTI_TRY(fgti_alloc_dirty(ctx, height * width * channels, 1, "picture", (void **)&picture->pixels));
    picture->height   = height;
    picture->width    = width;
    picture->channels = channels;
    return FGT_OK;
}

void fgti_picture_done(fgt_context *ctx, fgti_picture *picture)
{
    fgti_free(ctx, picture->pixels);
    *picture = (fgti_picture){0};
}

fgt_status fgti_picture_turn(fgt_context *ctx, fgti_picture *p)
{
    const int     o = p->orientation;
    const bool    swapped = o >= 5, from_below = o == 3 || o == 4 || o == 6 || o == 7,
                  from_right = o == 2 || o == 3 || o == 7 || o == 8;
    const int64_t pixel = p->channels, line = p->width * pixel;
    const int64_t down = from_below ? -line : line, along = from_right ? -pixel : pixel;
    fgti_picture  q;
    if (o <= 1) return FGT_OK;
    FGTI_TRY(fgti_picture_new(ctx, swapped ? p->width : p->height, swapped ? p->height : p->width,
                              p->channels, &q));
    const int64_t  first = (from_below ? (p->height - 1) * line : 0) + (from_right ? line - pixel : 0);
    unsigned char *to    = q.pixels;
    for (int64_t i = 0; i < q.height; i++)
        for (int64_t j = 0; j < q.width; j++) {
            const int64_t from = first + (swapped ? j : i) * down + (swapped ? i : j) * along;
            for (int64_t c = 0; c < pixel; c++) *to++ = p->pixels[from + c];
        }
    fgti_picture_done(ctx, p);
    *p = q;
    return FGT_OK;
}

/* ---- colours ---- */

/* Converts one pixel to the other number of channels. */
static inline void convert_channels(const unsigned char *from, int64_t channels, int64_t wanted, float *out)
{
    if (channels == wanted)
        for (int64_t c = 0; c < channels; c++) out[c] = from[c];
    else if (wanted == 1)
        out[0] = (float)((299 * from[0] + 587 * from[1] + 114 * from[2] + 500) / 1000);
    else
        out[0] = out[1] = out[2] = from[0];
}

/* ---- size ---- */

/* Resampling along one axis. Pixel i of the result is the sum over k of weight[i,k] x[first[i] + k]. */
typedef struct axis {
    int64_t  from, to, taps;
    int64_t *first;  /* [to] */
    float   *weight; /* [to,taps] */
} axis;

/* Computes weight[i,k] = max(0, 1 - |(j + 1/2) - (i + 1/2) from/to| / width) with j = first[i] + k and width
 * = max(1, from/to). The weights of pixel i are divided by their sum. */
static void axis_weigh(axis *a)
{
    const double step = (double)a->from / (double)a->to, width = step > 1 ? step : 1;
    for (int64_t i = 0; i < a->to; i++) {
        const double  centre = ((double)i + 0.5) * step;
        int64_t       first  = (int64_t)ceil(centre - width - 0.5);
        double        sum    = 0;
        float        *w      = a->weight + i * a->taps;
        if (first < 0) first = 0;
        if (first > a->from - a->taps) first = a->from - a->taps;
        for (int64_t k = 0; k < a->taps; k++) {
            const double v = 1 - fabs((double)(first + k) + 0.5 - centre) / width;
            sum += v > 0 ? v : 0;
            w[k] = (float)(v > 0 ? v : 0);
        }
        for (int64_t k = 0; k < a->taps; k++) w[k] = (float)(w[k] / sum);
        a->first[i] = first;
    }
}

static fgt_status axis_make(fgt_context *ctx, int64_t from, int64_t to, axis *a)
{
    const double step = (double)from / (double)to, width = step > 1 ? step : 1;
    a->from = from;
    a->to   = to;
    a->taps = (int64_t)(2 * width) + 2;
    if (a->taps > from) a->taps = from;
    FGTI_TRY(FGTI_NEW(ctx, to, "resampling", &a->first));
    FGTI_TRY(FGTI_NEW(ctx, to * a->taps, "resampling", &a->weight));
    axis_weigh(a);
    return FGT_OK;
}

typedef struct resampling {
    axis   y, x;
    float *line;  /* [width of the picture, C] */
    float *lines; /* [taps of y, W, C]: ring buffer of lines that are resampled along x */
} resampling;

/* Resamples line j of the picture along x. */
static void resample_line(const fgti_picture *p, int64_t j, int64_t channels, resampling *r)
{
    const unsigned char *from = p->pixels + j * p->width * p->channels;
    float               *to   = r->lines + j % r->y.taps * r->x.to * channels;
    for (int64_t i = 0; i < p->width; i++)
        convert_channels(from + i * p->channels, p->channels, channels, r->line + i * channels);
    for (int64_t i = 0; i < r->x.to; i++, to += channels)
        for (int64_t c = 0; c < channels; c++) {
            float sum = 0;
            for (int64_t k = 0; k < r->x.taps; k++)
                sum += r->x.weight[i * r->x.taps + k] * r->line[(r->x.first[i] + k) * channels + c];
            to[c] = sum;
        }
}

static void resample(const fgti_picture *p, int64_t channels, resampling *r, unsigned char *out)
{
    const int64_t n = r->x.to * channels;
    int64_t       ready = 0; /* all lines of the picture below this number have been in the ring */
    for (int64_t i = 0; i < r->y.to; i++) {
        const int64_t first = r->y.first[i];
        if (ready < first) ready = first;
        for (; ready < first + r->y.taps; ready++) resample_line(p, ready, channels, r);
        for (int64_t q = 0; q < n; q++) {
            float sum = 0.5f;
            for (int64_t k = 0; k < r->y.taps; k++)
                sum += r->y.weight[i * r->y.taps + k] * r->lines[(first + k) % r->y.taps * n + q];
            out[i * n + q] = (unsigned char)(sum > 255 ? 255 : sum);
        }
    }
}

static fgt_status resampling_make(fgt_context *ctx, const fgti_picture *p, int64_t height, int64_t width,
                                  int64_t channels, resampling *r)
{
    FGTI_TRY(axis_make(ctx, p->height, height, &r->y));
    FGTI_TRY(axis_make(ctx, p->width, width, &r->x));
    FGTI_TRY(FGTI_NEW(ctx, p->width * channels, "resampling", &r->line));
    return FGTI_NEW(ctx, r->y.taps * width * channels, "resampling", &r->lines);
}

fgt_status fgti_picture_fit(fgt_context *ctx, const fgti_picture *p, int64_t height, int64_t width,
                            int64_t channels, unsigned char *out)
{
    resampling r = {0};
    if (p->height == height && p->width == width) {
        for (int64_t i = 0; i < height * width; i++) {
            float v[FGTI_CHANNELS] = {0};
            convert_channels(p->pixels + i * p->channels, p->channels, channels, v);
            for (int64_t c = 0; c < channels; c++) out[i * channels + c] = (unsigned char)v[c];
        }
        return FGT_OK;
    }
    const fgt_status s = resampling_make(ctx, p, height, width, channels, &r);
    if (s == FGT_OK) resample(p, channels, &r, out);
    fgti_free(ctx, r.y.first);
    fgti_free(ctx, r.y.weight);
    fgti_free(ctx, r.x.first);
    fgti_free(ctx, r.x.weight);
    fgti_free(ctx, r.line);
    fgti_free(ctx, r.lines);
    return s;
}
