/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FGTI_FLOAT_ENV_H
#define FGTI_FLOAT_ENV_H

/* The floating-point environment of a thread. The host may round in another direction, flush small numbers to
 * zero or trap exceptions. The library's loops run in the default environment, so that their bits are the
 * same on every thread. Traps must be off, because padded and masked places compute with infinities and NaN,
 * which are not used later. After a loop the host's environment, with its flags, is as before. */

#if defined(__SSE__) && defined(__x86_64__)

typedef unsigned int fgti_float_env;

#define FGTI_FLOAT_DEFAULT 0x1f80 /* value of MXCSR: round to nearest, no trap, no flag */

static inline fgti_float_env fgti_float_env_enter(void)
{
    const unsigned int before = __builtin_ia32_stmxcsr();
    if (before != FGTI_FLOAT_DEFAULT) __builtin_ia32_ldmxcsr(FGTI_FLOAT_DEFAULT);
    return before;
}

static inline void fgti_float_env_leave(fgti_float_env before)
{
    __builtin_ia32_ldmxcsr(before);
}

#else
#include <fenv.h>

typedef fenv_t fgti_float_env;

static inline fgti_float_env fgti_float_env_enter(void)
{
    fenv_t before;
    fegetenv(&before);
    fesetenv(FE_DFL_ENV);
    return before;
}

static inline void fgti_float_env_leave(fgti_float_env before)
{
    fesetenv(&before);
}
#endif

#endif
