/*
   For loops of the host's executors: the compiler makes one clone with 256-bit vectors and fused multiply-add; the loader takes it where the
   processor has them. 1.5x for block diagonals of b = 2..16.
*/
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  #define HEPTANE_HOST_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
  #define HEPTANE_HOST_CLONES
#endif

/* For the functions, and functions without a name, that such loops call: what is not compiled into them is compiled for the oldest processor. */
#if defined(__GNUC__)
  #define HEPTANE_HOST_INLINE inline __attribute__((always_inline))
  #define HEPTANE_HOST_LAMBDA __attribute__((always_inline))
#else
  #define HEPTANE_HOST_INLINE inline
  #define HEPTANE_HOST_LAMBDA
#endif
