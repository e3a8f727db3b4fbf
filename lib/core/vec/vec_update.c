/* SPDX-License-Identifier: BSD-3-Clause */
/* The updates of vec_update.h; they equal the updates of torch.optim. The file is built in the same way as
 * vec.c. */
#include "core/vec/vec_update.h"

#include <stdbool.h>

#include "core/vec/vec_build.h"
#include "core/vec/vec_math.h"

/* First g += decay w. Then v = g at the first step, and v = momentum v + g later. At last w -= lr v, or with
 * Nesterov w -= lr (g + momentum v) */
static void vec_sgd(const fgti_sgd *o, int64_t n, double gscale, const fgti_real *g, fgti_real *v,
                    fgti_real *w)
{
    const fgti_real lr = (fgti_real)o->lr, decay = (fgti_real)o->weight_decay, gs = (fgti_real)gscale;
    const fgti_real momentum = (fgti_real)o->momentum;
    if (o->momentum == 0) {
        INDEPENDENT
        for (int64_t i = 0; i < n; i++) w[i] -= lr * (g[i] * gs + decay * w[i]);
        return;
    }
    const bool      first = o->first;
    const fgti_real by_g = o->nesterov ? 1 : 0, by_v = o->nesterov ? momentum : 1;
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        const fgti_real gi = g[i] * gs + decay * w[i];
        const fgti_real vi = first ? gi : momentum * v[i] + gi; /* v is not initialised before the first
                                                                 * step */
        v[i]               = vi;
        w[i] -= lr * (by_g * gi + by_v * vi);
    }
}

/* m = b1 m + (1-b1) g;  v = b2 v + (1-b2) g^2;  w -= lr/(1-b1^t) m / (sqrt(v)/sqrt(1-b2^t) + eps). The weight
 * decay comes first: g += decay w, or with AdamW w *= 1 - lr decay. */
static void vec_adam(const fgti_adam *o, int64_t n, double gscale, const fgti_real *g, fgti_real *m,
                     fgti_real *v, fgti_real *w)
{
    const fgti_real b1 = (fgti_real)o->beta1, a1 = (fgti_real)(1 - o->beta1);
    const fgti_real b2 = (fgti_real)o->beta2, a2 = (fgti_real)(1 - o->beta2);
    const fgti_real step = (fgti_real)(o->lr / (1 - pow(o->beta1, (double)o->t)));
    const fgti_real root = (fgti_real)(1 / sqrt(1 - pow(o->beta2, (double)o->t)));
    const fgti_real eps = (fgti_real)o->eps, gs = (fgti_real)gscale;
    const fgti_real decay = (fgti_real)(o->decoupled ? 0 : o->weight_decay);
    const fgti_real keep  = (fgti_real)(o->decoupled ? 1 - o->lr * o->weight_decay : 1);
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        const fgti_real gi = g[i] * gs + decay * w[i];
        const fgti_real mi = b1 * m[i] + a1 * gi;
        const fgti_real vi = b2 * v[i] + a2 * gi * gi;
        m[i]               = mi;
        v[i]               = vi;
        w[i]               = keep * w[i] - step * mi / (sqrt_real(vi) * root + eps);
    }
}

static void adam_lazy(const fgti_adam_lazy *o, int64_t n, fgti_real *m, fgti_real *v, fgti_real *w)
{
    const fgti_real move = (fgti_real)o->move, eps = (fgti_real)o->eps, keep = (fgti_real)o->keep;
    const fgti_real d1 = (fgti_real)o->decay1, d2 = (fgti_real)o->decay2;
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        w[i] = keep * w[i] - move * m[i] / (sqrt_real(v[i]) + eps);
        m[i] *= d1;
        v[i] *= d2;
    }
}

extern const fgti_updates THIS_TABLE(fgti_updates_);
const fgti_updates        THIS_TABLE(fgti_updates_) = {
           .sgd       = vec_sgd,
           .adam      = vec_adam,
           .adam_lazy = adam_lazy,
};
