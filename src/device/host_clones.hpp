/*
   For loops of the host's executors: the compiler makes one clone with 256-bit vectors and fused multiply-add; the
   loader selects it if the processor supports them. 1.5x for block diagonals of b = 2..16.
*/
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  #define HEPTANE_HOST_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
  #define HEPTANE_HOST_CLONES
#endif

/* For functions and lambdas that such loops call: unless inlined, they are compiled for the oldest processor. */
#if defined(__GNUC__)
  #define HEPTANE_HOST_INLINE inline __attribute__((always_inline))
  #define HEPTANE_HOST_LAMBDA __attribute__((always_inline))
#else
  #define HEPTANE_HOST_INLINE inline
  #define HEPTANE_HOST_LAMBDA
#endif
