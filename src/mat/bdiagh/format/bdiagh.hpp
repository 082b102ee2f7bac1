/*
   The block-diagonal format of one sequential block: its layout, invariants and bytes, and its detection in a
   compressed-row pattern. Uses no PETSc objects and no device; the row arithmetic is in rows.hpp.

   Invariants: offset[] ascends; ld >= rows is a multiple of column_bytes / sizeof(Scalar); an entry of the pattern is
   on a block diagonal or in the remainder.
*/
#pragma once

#include "../../values/format_layout.hpp"
#include "tuning.hpp"

namespace heptane
{

/* Criteria for the storage of a pattern; the fields are the options -mat_bdiagh_* */
struct BdiaghLimits {
  PetscInt  block = 0; /* 0: the given one, or found in the pattern */
  PetscReal max_fill =
    3.0; /* stored values per nonzero on the diagonals: above, a product moves more bytes than compressed rows at their usual half bandwidth */
  PetscReal max_remainder = 0.25; /* part of the nonzeros off the diagonals */
  PetscReal min_occupancy =
    0.25; /* of one diagonal: 8 bytes per place against 12 bytes per entry at half the bandwidth pays from about a third, memory included a quarter */
};

enum class BdiaghFit {
  diagonals, /* block diagonals, perhaps with a remainder */
  empty,     /* no nonzeros */
  fill,      /* everything in the remainder: too many stored zeros */
  remainder, /* everything in the remainder: too many entries off the diagonals */
  repeated,  /* everything in the remainder: a row has a column twice */
  requested, /* everything in the remainder: requested by the caller (off-process block) */
  bad_block, /* error: the requested block size does not divide the local sizes */
  too_large  /* error: more rows, columns or remainder entries than 32-bit indices count */
};

/* If all entries are in the remainder, its lists are empty until bdiagh_complete() */
struct BdiaghLayout final : FormatLayoutOf<BdiaghLayout> {
  int         ndiag = 0;
  int         offset[BdiaghTuning::max_diagonals]; /* in cells, ascending, [ndiag] */
  std::size_t ld = 0;                              /* scalars from one value column to the next */

  BdiaghFit fit        = BdiaghFit::empty;
  double    found_fill = 1, found_remainder = 0; /* the quantities compared with the limits */

  std::size_t columns() const { return static_cast<std::size_t>(ndiag) * block; }
  bool        same(const FormatLayout &) const override;
  double      matrix_bytes() const override { return product_bytes() - sizeof(Scalar) * (1.0 * rows + cols); }
  SlotGroups  slot_groups() const override { return {static_cast<std::size_t>(ndiag), ld, block}; } /* one for each row of each block diagonal */
  /* bytes of one product: values and remainder indices once, x and y once */
  double product_bytes() const
  {
    return sizeof(Scalar) * (1.0 * columns() * rows + remainder_values() + rows + cols) + 4.0 * (remainder_col.size() + 2 * remainder_row.size());
  }
  /* the same of compressed rows with 32-bit indices */
  double csr_product_bytes() const { return (sizeof(Scalar) + 4.0) * nnz + 4.0 * rows + sizeof(Scalar) * (1.0 * rows + cols); }
  /* index into offset[] of the main diagonal, -1 if it is not stored as a diagonal */
  int main_diagonal() const;

  /* See format_places.hpp */
  template <class F, class Follow>
  void each_slot(const Csr &A, F f, Follow follow) const;
  template <class F>
  void each_slot_anyhow(const Csr &A, F f) const;
  template <class F>
  bool each_of_groups(const Csr &A, F f) const;
};

/* Finds the layout of a pattern, without the lists of a remainder that has all entries: the host does not need them.
   given_block: from MatSetBlockSize(), 1 if none. all_remainder: store compressed rows whatever the pattern.
   bdiagh_complete(): makes the lists */
BdiaghLayout bdiagh_decide_layout(const Csr &A, PetscInt given_block, bool all_remainder, const BdiaghLimits &limits);
void         bdiagh_complete(BdiaghLayout &L, const Csr &A);

} // namespace heptane
