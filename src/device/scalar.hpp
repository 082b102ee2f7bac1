/*
   The scalar and index types of all arithmetic, and the macros that compile one source for host and device. Uses
   PETSc's number types, none of its objects.
*/
#pragma once

#include <petscsystypes.h>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(PETSC_USE_COMPLEX)
  #error "heptane supports real scalars only: configure PETSc with --with-scalar-type=real"
#endif
#if !defined(PETSC_USE_REAL_DOUBLE) && !defined(PETSC_USE_REAL_SINGLE)
  #error "heptane supports single and double precision only: configure PETSc with --with-precision=double or single"
#endif

#if defined(__CUDACC__)
  #define HEPTANE_HD __host__ __device__ __forceinline__
#else
  #define HEPTANE_HD inline
#endif
#if defined(__CUDA_ARCH__)
  #define HEPTANE_UNROLL _Pragma("unroll")
  /* before a loop that few threads enter: unrolled it would occupy registers that the loads of all threads need */
  #define HEPTANE_ROLLED       _Pragma("unroll 1")
  #define HEPTANE_PRAGMA(x)    _Pragma(#x)
  #define HEPTANE_UNROLL_BY(n) HEPTANE_PRAGMA(unroll n) /* n: a constant */
#else
  #define HEPTANE_UNROLL
  #define HEPTANE_ROLLED
  #define HEPTANE_UNROLL_BY(n)
#endif

namespace heptane
{

using Scalar = PetscScalar;

/*
   Storage type of vectors and matrix copies in solvers of mixed precision; arithmetic is in Scalar. A build in single
   precision has no smaller type: there this is another type that is compiled and never used.
*/
using Single = std::conditional_t<std::is_same_v<Scalar, double>, float, double>;

/* A load of data that is read once: on the device it bypasses what the caches hold for reuse (x, index data). */
template <class T>
HEPTANE_HD T load_once(const T *p)
{
#if defined(__CUDA_ARCH__)
  return __ldcs(p);
#else
  return *p;
#endif
}

/*
   A load that stays at its place: the compiler does not move it into a branch, where it would wait for the loads of the
   condition
*/
HEPTANE_HD double load_here(const double *p)
{
#if defined(__CUDA_ARCH__)
  double v;
  asm volatile("ld.volatile.global.f64 %0, [%1];" : "=d"(v) : "l"(p));
  return v;
#else
  return *p;
#endif
}
HEPTANE_HD float load_here(const float *p)
{
#if defined(__CUDA_ARCH__)
  float v;
  asm volatile("ld.volatile.global.f32 %0, [%1];" : "=f"(v) : "l"(p));
  return v;
#else
  return *p;
#endif
}

/* A load of data that no running kernel writes and many threads read */
template <class T>
HEPTANE_HD T load_shared(const T *p)
{
#if defined(__CUDA_ARCH__)
  return __ldg(p);
#else
  return *p;
#endif
}

} // namespace heptane
