/*
   The columns of other processes that the rows of a parallel matrix are coupled to, as the fused solvers use them: these rows with their values, and the exchange of the
   columns' values of a vector. One object for each pattern; operators hold it.
*/
#pragma once

#include "../../device/buffer.hpp"
#include "../csr/remainder.hpp"
#include "../values/local_part.hpp"
#include <petscsf.h>

namespace heptane
{

class Halo {
public:
  Halo()                        = default;
  Halo(const Halo &)            = delete;
  Halo &operator=(const Halo &) = delete;
  ~Halo();

  /* Of the block of these columns. sf: owned columns to these. usable: false where two entries of the block share a place among the values */
  PetscErrorCode Create(LocalPart &off, PetscSF sf, bool *usable);
  /* The rows that have such columns, with the values that the block has now. A column's number is its place in Ghosts(). */
  PetscErrorCode Rows(Where, LocalPart &off, RemainderRows *rows);
  /* Collective. The values of u in the columns of other processes, on the host */
  PetscErrorCode Receive(const Scalar *u);
  const Scalar  *Ghosts() const { return ghost.At(Where::host); }
  std::size_t    Entries() const { return column.size(); }
  /* The values and column numbers of these rows, one product */
  double Bytes() const { return Entries() * (sizeof(Scalar) + sizeof(int)) + (row.size() + ghost.Size()) * (double)sizeof(Scalar); }

private:
  PetscSF                   sf = NULL;
  std::vector<int>          row, first, column; /* of Remainder */
  std::vector<std::int64_t> place;              /* of each entry among the block's values */
  PetscInt                  rows = 0;           /* of the block */
  Remainder                 list;
  Buffer<Scalar>            values, ghost;
  std::uint64_t             values_of = 0; /* LocalPart::Version() */
};

} // namespace heptane
