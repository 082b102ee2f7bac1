/*
   Scaled copies of slices, in single precision too, made row by row, for the unit tests.
*/
#pragma once

#include "device/with_block.hpp"
#include "mat/sellp/fused/fold_rows.hpp"
#include "patterns.hpp"
#include "sellp_slices.hpp"
#include <type_traits>

namespace heptane
{

using Singles = std::vector<Single>;

/* Cells with their diagonal block first, second or third, but for one; cell 5 is coupled with `hub` others */
inline Matrix cells(PetscInt n, PetscInt b, PetscInt hub = 0, PetscInt without = -1)
{
  return make(n * b, n * b, [=](PetscInt i, PetscInt j) {
    const PetscInt c = i / b, d = j / b;
    return (d == c && c != without) || d == c + 1 || (c % 3 && d == c - 1) || (c % 3 == 2 && d == c - 7) || (c == 5 && d < hub);
  });
}

/* M^-1 with `block` columns, NaN behind the rows */
inline Vector inverses(PetscInt rows, int block, FusedScaling &F)
{
  F.block = block;
  F.ld    = static_cast<std::size_t>(rows) + 3;
  Vector m(F.ld * block, Scalar(NAN));
  for (int s = 0; s < block; s++)
    for (PetscInt i = 0; i < rows; i++) m[s * F.ld + i] = Scalar(0.5 + 0.03125 * ((7 * i + 3 * s) % 11));
  return m;
}

/* The copy, by the rows of every place; FusedScaled bits */
template <class T>
int fold(const SellpSlices &S, const FusedScaling &F, std::vector<T> &copy, std::vector<std::uint16_t> *dropped = nullptr)
{
  int found = 0;

  with_block(S.block, [&](auto B) {
    for (int place = 0; place < S.cells; place++)
      for (int i = 0; i < S.block; i++) {
        if constexpr (std::is_same_v<T, Single>) {
          if (F.side == FusedSide::none) {
            found |= sellp_round_row(S, place, i, copy.data());
            continue;
          }
        }
        found |= sellp_fold_row<B()>(S, F, place, i, copy.data(), dropped ? dropped->data() : nullptr);
      }
  });
  return found;
}

inline SellpSlicesOf<Single> with_values(const SellpSlices &S, const Singles &copy, const std::vector<std::uint16_t> *dropped = nullptr)
{
  SellpSlicesOf<Single> T;

  static_cast<SellpShape &>(T) = S;
  T.values                     = copy.data();
  T.dropped                    = dropped ? dropped->data() : nullptr;
  return T;
}

} // namespace heptane
