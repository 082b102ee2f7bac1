/*
   The rows of a part that are stored in compressed rows in addition to its format: products with them and with their
   transpose, on host and device. The format's layout owns the index arrays, the part's value array the values.
   Independent of formats.
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

  /* Another layout: list entry k is row row[k] with entries ptr[k] .. ptr[k + 1] - 1 in columns col[]. Borrowed until
     the next call. cols: of the block */
  PetscErrorCode Reset(const std::vector<int> &row, const std::vector<int> &ptr, const std::vector<int> &col, int cols);
  /* The rows, with the first of their values there */
  PetscErrorCode Rows(Where, const Scalar *values, CsrRows *R);
  /* The rows with an index by row number, of `rows` rows. block: of the format */
  PetscErrorCode ByRow(Where, const Scalar *values, int rows, RemainderRows *R, int block = 1);
  /* Device buffer for the sums of R, if products form them first. For one product at a time, like Pieces(). */
  PetscErrorCode Sums(RemainderRows *R);
  /* The rows in pieces, on the device: first is null if no row is long, unless `all` requests pieces */
  PetscErrorCode Pieces(const Scalar *values, bool all, CsrPieces *P);
  /* z += A x, z += A^T x */
  PetscErrorCode MultAdd(Where, const Scalar *values, const Scalar *x, Scalar *z);
  PetscErrorCode MultTransposeAdd(Where, const Scalar *values, const Scalar *x, Scalar *z);
  /* z = A x (+ y) on the device, with `rows` rows; the list holds all entries */
  PetscErrorCode MultAll(const Scalar *values, int rows, const Scalar *x, const Scalar *y, Scalar *z);
  /* The same with A^T, of `cols` rows. version: LocalPart::Version() of the values. From the second product with the
     same values on, it reads a copy of them by columns instead of scattered values: 8 more bytes of memory per entry */
  PetscErrorCode MultTransposeAll(const Scalar *values, std::uint64_t version, const Scalar *x, const Scalar *y, Scalar *z);
  /* Instead of Reset(), if only MultTransposeAll() is needed */
  void ResetColumns(CsrColumns &&columns);

private:
  /* For products of whole matrices, on the device: groups of rows; cuts of long rows and their sums, see CsrCuts;
     taken: counters if each multiprocessor has a range of groups */
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
    /* on the device, if a row is long or all pieces are requested: the pieces */
    bool             any_long = false, pieces_known = false;
    Buffer<int>      piece_ptr, first, owner;
    Buffer<Scalar>   sums;
    Buffer<unsigned> ready;
    WholeArrays      whole;
    /* values in the order of the entries, if there is a perm; stamps of the values copied and of the previous product */
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
  Buffer<std::uint64_t> handoff; /* RemainderSums */
  int                   longest        = 0;
  int                   searched_block = 1, found_block = 1; /* RemainderRows::block: the last request and its result */
};

/* z = y, or 0 if y is null: start of a product to which only the remainder contributes */
PetscErrorCode StartWith(Where, const Scalar *y, Scalar *z, std::size_t n);

} // namespace heptane
