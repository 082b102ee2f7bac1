/*
   The rows with columns of other processes, for products on several GPUs: a row with many columns has one entry, the
   word in which a warp stores their sum. No MPI, no PETSc objects.
*/
#pragma once

#include "../../../device/buffer.hpp"
#include "../../../pass/pc_rows.hpp"
#include <vector>

namespace heptane
{

class HaloSharedRows {
public:
  /* Columns from which on a row is shared; guess: a thread loads four at a time, some 0.8 us, and on a plane between
     two processes a row has `block` */
  static constexpr int from = 16;

  /* List entry k has the entries first[k] .. first[k + 1] - 1 of columns column[]; `words` sums at most, which are
     columns word, word + 1, ... */
  void Make(const std::vector<int> &first, const std::vector<int> &column, int word, int words);
  bool Any() const { return count > 0; }
  /* The values of the shared rows, computed from the rows' values, after which they are stored */
  std::size_t    Entries() const { return source.size(); }
  void           Values(const Scalar all[], Scalar owned[]) const;
  PetscErrorCode Upload(Where side);
  /* On entry halo->rows has all entries, with `all` values followed by Values(); on return it has the form that a
     product needs. After Upload() */
  void Take(Where side, std::size_t all, FusedHalo *halo) const;

private:
  int                       rows = 0, count = 0, longest = 0;
  Buffer<int>               ptr, col; /* of the rows, then of the sums */
  std::vector<std::int64_t> source;   /* of each entry; -1: it is one */
};

} // namespace heptane
