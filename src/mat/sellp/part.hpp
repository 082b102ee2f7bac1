/*
   A block whose values are stored in slices: the LocalPart of sellp. Connects the layout with its executor.
*/
#pragma once

#include "../values/local_part.hpp"
#include "format/rows.hpp"
#include "format/sellp.hpp"

namespace heptane
{

class SellpPart final : public LocalPart {
public:
  SellpPart(Mat outer, PetscBool off_process);
  ~SellpPart() override;

  const SellpLayout &LayoutData() const { return static_cast<const SellpLayout &>(*format); }

  PetscErrorCode Product(bool transpose, Where where, const Scalar *x, const Scalar *y, Scalar *z) override
  {
    return transpose ? MultTranspose(where, x, y, z) : Mult(where, x, y, z);
  }
  /* If a row has a column twice the diagonal is the entry that AIJ uses */
  PetscBool      HasDiagonal() const override { return (PetscBool)(format->rows == format->cols && !LayoutData().repeated); }
  PetscErrorCode Diagonal(Where, Scalar *d) override;
  PetscErrorCode DiagonalBlocksInPlace(Where, int b, DenseBlocks *blocks) override;
  PetscErrorCode Fused(Where, std::shared_ptr<FusedMatrix> *op) override;

protected:
  PetscErrorCode Analyse(const Csr &A, std::shared_ptr<const FormatLayout> *found) override;
  void           Forget() override;
  PetscErrorCode GatherFormat(Where, int b, std::size_t ld, Scalar *d) override;
  PetscErrorCode ScaleFormat(Where, const Scalar *l, const Scalar *r, Scalar *values) override;

private:
  PetscErrorCode Mult(Where, const Scalar *x, const Scalar *y, Scalar *z);
  PetscErrorCode MultTranspose(Where, const Scalar *x, const Scalar *y, Scalar *z);
  /* The layout's arrays, and data derived from them at first use */
  struct LayoutArrays {
    Buffer<SellpSlice>    head;
    Buffer<int>           index;
    Buffer<std::uint16_t> place;
    Buffer<std::int64_t>  tr_ptr, tr_block; /* see SellpTranspose */
    Buffer<int>           tr_row;
    Remainder             columns; /* instead of these, see sellp_by_scalar_columns() */
    bool                  by_scalar_columns = false;
    Buffer<Scalar>        sums;     /* of the rows put aside, for fused products */
    Buffer<std::uint16_t> diagonal; /* see sellp_diagonal_places(), for fused products */
    Buffer<std::int64_t>  blocks;   /* see sellp_diagonal_offsets() */
  };
  PetscErrorCode Shape(Where, const Scalar *values, SellpSlices *S);
  PetscErrorCode Slices(Where, SellpSlices *S);

  std::shared_ptr<const SellpLimits> limits; /* of the outer matrix */
  PetscBool                          off_process;
  std::shared_ptr<LayoutArrays>      arrays = std::make_shared<LayoutArrays>(); /* one for each layout */
};

} // namespace heptane
