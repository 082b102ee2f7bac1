/*
   The rows with columns of other processes as products on several GPUs take them: those with many columns have one entry, the word in which a warp leaves their sum. Knows no MPI and no PETSc objects.
*/
#pragma once

#include "../../../device/buffer.hpp"
#include "../../../pass/pc_rows.hpp"
#include <vector>

namespace heptane
{

class HaloSharedRows {
public:
  /* Columns from which on a row is shared; guess: a thread looks at four at a time, some 0.8 us, and in a plane between two processes a row has `block` */
  static constexpr int from = 16;

  /* List entry k has the entries first[k] .. first[k + 1] - 1 of columns column[]; `words` sums at most, which are columns word, word + 1, ... */
  void Make(const std::vector<int> &first, const std::vector<int> &column, int word, int words);
  bool Any() const { return count > 0; }
  /* Of the rows' values, which these follow: what they become here */
  std::size_t    Entries() const { return source.size(); }
  void           Values(const Scalar all[], Scalar own[]) const;
  PetscErrorCode Bring(Where side);
  /* halo->rows has all entries, with so many values, and behind these Values(); now it is what a product takes. After Bring() */
  void Take(Where side, std::size_t all, FusedHalo *halo) const;

private:
  int                       rows = 0, count = 0, longest = 0;
  Buffer<int>               ptr, col; /* of the rows, then of the sums */
  std::vector<std::int64_t> source;   /* of each entry; -1: it is one */
};

} // namespace heptane
