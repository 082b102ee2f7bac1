/*
   Compressed-row matrices for the unit tests, and their product by the definition.
*/
#pragma once

#include "mat/bdiagh/format/bdiagh.hpp"
#include <functional>

namespace heptane
{

/* The layout of a pattern, with all lists */
inline BdiaghLayout bdiagh_find_layout(const Csr &A, PetscInt given_block, bool all_remainder, const BdiaghLimits &limits)
{
  BdiaghLayout L = bdiagh_decide_layout(A, given_block, all_remainder, limits);

  bdiagh_complete(L, A);
  return L;
}

/* Values of compressed rows in the format, zero where there is no entry */
inline void bdiagh_fill(const BdiaghLayout &L, const Csr &A, const Scalar a[], Scalar values[])
{
  std::fill(values, values + L.values(), Scalar(0));
  L.put(A, a, values);
}

} // namespace heptane

struct Matrix {
  PetscInt              rows = 0, cols = 0;
  std::vector<PetscInt> ptr, col;
  heptane::Vector       a;

  heptane::Csr csr() const
  {
    heptane::Csr A;
    A.rows = rows;
    A.cols = cols;
    A.ptr  = ptr.data();
    A.col  = col.data();
    return A;
  }
};

/* The entries for which has(i, j) is true, with values in [-1, 1] */
inline Matrix make(PetscInt rows, PetscInt cols, const std::function<bool(PetscInt, PetscInt)> &has, unsigned seed = 1)
{
  Matrix                                    M;
  std::mt19937                              random(seed);
  std::uniform_real_distribution<PetscReal> value(-1, 1);

  M.rows = rows;
  M.cols = cols;
  M.ptr.push_back(0);
  for (PetscInt i = 0; i < rows; i++) {
    for (PetscInt j = 0; j < cols; j++)
      if (has(i, j)) {
        M.col.push_back(j);
        M.a.push_back(value(random));
      }
    M.ptr.push_back(static_cast<PetscInt>(M.col.size()));
  }
  return M;
}

/* Dense blocks of size b at the given cell offsets; only their columns are visited, so that large matrices are cheap */
inline Matrix blocks(PetscInt rcells, PetscInt ccells, PetscInt b, std::vector<PetscInt> offsets, unsigned seed = 1)
{
  Matrix                                    M;
  std::mt19937                              random(seed);
  std::uniform_real_distribution<PetscReal> value(-1, 1);

  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  M.rows = rcells * b;
  M.cols = ccells * b;
  M.ptr.push_back(0);
  for (PetscInt i = 0; i < M.rows; i++) {
    for (PetscInt o : offsets) {
      const PetscInt c = i / b + o;
      for (PetscInt s = 0; s < b && c >= 0 && c < ccells; s++) {
        M.col.push_back(c * b + s);
        M.a.push_back(value(random));
      }
    }
    M.ptr.push_back(static_cast<PetscInt>(M.col.size()));
  }
  return M;
}

/* A x, or A^T x */
inline heptane::Vector multiply(const Matrix &A, const heptane::Vector &x, bool transpose)
{
  heptane::Vector y(static_cast<std::size_t>(transpose ? A.cols : A.rows), 0);

  for (PetscInt i = 0; i < A.rows; i++)
    for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++) {
      if (transpose) y[A.col[k]] += A.a[k] * x[i];
      else y[i] += A.a[k] * x[A.col[k]];
    }
  return y;
}
