/*
   A matrix in the block-diagonal format, for the unit tests of its arithmetic.
*/
#pragma once

#include "mat/bdiagh/format/rows.hpp"
#include "patterns.hpp"
#include <utility>

namespace heptane
{

struct Stored {
  Matrix              A;
  BdiaghLayout        L;
  std::vector<Scalar> values;
  BdiaghDiagonals     D;

  /* everything on the diagonals, whatever the fill */
  Stored(Matrix M, PetscInt b) : A(std::move(M))
  {
    BdiaghLimits limits;
    limits.block         = b;
    limits.max_fill      = 1000;
    limits.min_occupancy = 0;
    L                    = bdiagh_find_layout(A.csr(), b, false, limits);
    values.resize(L.values());
    bdiagh_fill(L, A.csr(), A.a.data(), values.data());
    D.rows   = L.rows;
    D.cols   = L.cols;
    D.block  = L.block;
    D.ndiag  = L.ndiag;
    D.ld     = L.ld;
    D.values = values.data();
    std::copy(L.offset, L.offset + L.ndiag, D.offset);
  }
};

} // namespace heptane
