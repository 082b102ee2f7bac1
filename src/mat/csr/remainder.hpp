/*
   The rows of a part that lie in compressed rows beside its format: products with them and with their transpose, on host and device. The
   index arrays belong to the format's layout, the values lie in the part's value array. Knows no format.
*/
#pragma once

#include "../../device/buffer.hpp"
#include "../../pass/offers/stamp.hpp"
#include "../../pass/remainder_rows.hpp"
#include "groups.hpp"
#include <vector>

namespace heptane
{

struct CsrColumns;

class Remainder {
public:
  Remainder()                             = default;
  Remainder(const Remainder &)            = delete;
  Remainder &operator=(const Remainder &) = delete;

  /* Another layout: list entry k is row row[k] with entries ptr[k] .. ptr[k + 1] - 1 in columns col[]. Borrowed until the next call. cols: of the block */
  PetscErrorCode Reset(const std::vector<int> &row, const std::vector<int> &ptr, const std::vector<int> &col, int cols);
  /* The rows, with the first of their values there */
  PetscErrorCode Rows(Where, const Scalar *values, CsrRows *R);
  /* The rows for those who come by the number of a row, of `rows`. block: of the format */
  PetscErrorCode ByRow(Where, const Scalar *values, int rows, RemainderRows *R, int block = 1);
  /* What products leave the sums of R in, on the device, where they form them first. One product at a time, as Pieces(). */
  PetscErrorCode Sums(RemainderRows *R);
  /* The rows in pieces, on the device: first null where no row is long, unless all of them are wanted so */
  PetscErrorCode Pieces(const Scalar *values, bool all, CsrPieces *P);
  /* z += A x, z += A^T x */
  PetscErrorCode MultAdd(Where, const Scalar *values, const Scalar *x, Scalar *z);
  PetscErrorCode MultTransposeAdd(Where, const Scalar *values, const Scalar *x, Scalar *z);
  /* z = A x (+ y) on the device, of so many rows, where all entries are in the list */
  PetscErrorCode MultAll(const Scalar *values, int rows, const Scalar *x, const Scalar *y, Scalar *z);
  /*
     The same of A^T, of `cols` rows. version: LocalPart::Version() of the values. From the second product with the same values on, a copy of them by columns is read: 8 more bytes per entry in memory, in
     place of values that lie apart
  */
  PetscErrorCode MultTransposeAll(const Scalar *values, std::uint64_t version, const Scalar *x, const Scalar *y, Scalar *z);
  /* Instead of Reset(), where only MultTransposeAll() is wanted */
  void ResetColumns(CsrColumns &&columns);

private:
  /* For products of whole matrices, on the device: groups of rows; rows in cuts and the sums of cuts, where there are long ones, see CsrCuts; taken: where each multiprocessor has a range of groups */
  struct WholeArrays {
    bool             uneven = false;
    Buffer<CsrGroup> group;
    Buffer<int>      row, ptr, long_row, first, owner;
    Buffer<Scalar>   sums;
    Buffer<unsigned> ready, taken;
  };
  /* Compressed rows, or compressed columns (the transpose) */
  struct IndexArrays {
    Buffer<int> row, ptr, col, perm;
    /* and on the device, where a row is long or all are wanted so, pieces of them */
    bool             any_long = false, pieces_known = false;
    Buffer<int>      piece_ptr, first, owner;
    Buffer<Scalar>   sums;
    Buffer<unsigned> ready;
    WholeArrays      whole;
    /* values in the order of the entries, where there is a perm; of which values, and of which ones the last product was */
    Buffer<Scalar> ordered;
    Stamp          ordered_for, last_for;
  };
  static PetscErrorCode MakeWhole(IndexArrays *a);
  static PetscErrorCode InOrder(std::uint64_t version, IndexArrays *a, CsrRows *R);
  static PetscErrorCode MultWhole(const CsrRows &R, IndexArrays *a, int rows, const Scalar *x, const Scalar *y, Scalar *z);
  PetscErrorCode        Arrays(Where, const Scalar *values, bool pieces, IndexArrays *a, CsrRows *R);
  PetscErrorCode        MakePieces(bool all, IndexArrays *a);
  CsrPieces             PiecesOf(const CsrRows &R, const IndexArrays &a) const;
  PetscErrorCode        Columns(Where, const Scalar *values, CsrRows *R);
  PetscErrorCode        Add(Where, const CsrRows &R, const IndexArrays &a, const Scalar *x, Scalar *z);

  const std::vector<int> *row = nullptr, *ptr = nullptr, *col = nullptr;
  int                     cols = 0;
  IndexArrays             by_row, by_column; /* the transpose: made when first needed */

  Buffer<std::uint32_t> mask; /* see RemainderRows; made when first needed */
  Buffer<int>           base;
  Buffer<std::uint64_t> left; /* RemainderSums */
  int                   longest    = 0;
  int                   looked_for = 1, found_block = 1; /* RemainderRows::block: the last that was looked for, and what was found */
};

/* z = y, or 0 where y is null: what a product without anything in the format adds to */
PetscErrorCode StartWith(Where, const Scalar *y, Scalar *z, std::size_t n);

} // namespace heptane
