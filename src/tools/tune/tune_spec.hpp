/*
   The measured cases as entries of a list, and their memory. Only with CUDA.
*/
#pragma once

#include "tune_cases.hpp"
#if PetscDefined(HAVE_CUDA)

namespace heptane
{

enum class TuneKind { product, fused, folded, fused_four, sellp, sellp_fused, dots, point, direction, update, apply, inverse, lu, qr, least_squares };

/* number: cells of an edge of a cube, rows, or dense blocks */
struct TuneSpec {
  TuneKind    kind;
  const char *name;
  int         block, number;
};

inline bool is_cube(TuneKind kind)
{
  return kind <= TuneKind::sellp_fused;
}

inline double rows_of(const TuneSpec &s)
{
  const double n = s.number;

  return (is_cube(s.kind) ? n * n * n : n) * s.block;
}

/* Memory on the device that lives as long as the case; all bytes are equal: numbers near 5e-4 in double precision */
inline PetscErrorCode Patterned(std::size_t n, TuneCase *c, Scalar **p)
{
  auto buffer = std::make_shared<Buffer<Scalar>>(n);

  PetscFunctionBegin;
  PetscCall(buffer->Memory(Where::device, p));
  PetscCallCUDA(cudaMemset(*p, 0x3f, n * sizeof(Scalar)));
  c->memory.push_back(buffer);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class T>
PetscErrorCode Copied(const std::vector<T> &values, TuneCase *c, const T **p)
{
  auto buffer = std::make_shared<Buffer<T>>();
  auto copy   = values;

  PetscFunctionBegin;
  buffer->Take(std::move(copy));
  PetscCall(buffer->Read(Where::device, p));
  c->memory.push_back(buffer);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Products and fused products with the matrices of cubes of cells */
PetscErrorCode MakeProduct(const TuneSpec &s, TuneCase *c);
PetscErrorCode MakeFused(const TuneSpec &s, const TunePasses &passes, TuneCase *c);

} // namespace heptane
#endif
