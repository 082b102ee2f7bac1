/*
   A block whose values lie in slices: the LocalPart of sellp. Glue between the layout and its executor.
*/
#pragma once

#include "../../pass/kept_operator.hpp"
#include "../values/local_part.hpp"
#include "../csr/remainder.hpp"
#include "sellp.hpp"
#include "sellp_rows.hpp"
#include <memory>

namespace heptane
{

class SellpPart final : public LocalPart {
public:
  SellpPart(Mat outer, PetscBool off_process);
  ~SellpPart() override;

  const SellpLayout &LayoutData() const { return *layout; }

  PetscBool      InOrder() const override { return (PetscBool)!layout->slices; }
  std::size_t    NumValues() const override { return layout->values(); }
  double         MatrixBytes() const override { return layout->bytes(); }
  PetscErrorCode Mult(Where, const Scalar *x, const Scalar *y, Scalar *z) override;
  PetscErrorCode MultTranspose(Where, const Scalar *x, const Scalar *y, Scalar *z) override;
  PetscBool      HasDiagonal() const override { return (PetscBool)(layout->rows == layout->cols && !repeated); }
  PetscErrorCode Diagonal(Where, Scalar *d) override;
  PetscErrorCode DiagonalBlocksInPlace(Where, int b, DenseBlocks *blocks) override;
  PetscErrorCode GatherBlocks(Where, int b, std::size_t ld, Scalar *d) override;
  PetscErrorCode Fused(Where, std::shared_ptr<FusedOperator> *op) override;
  void           Slots(const Csr &A, int slot[]) const override { sellp_slots(*layout, A, slot); }
  void           Slots(const Csr &A, std::int64_t slot[]) const override { sellp_slots(*layout, A, slot); }
  void           Places(const Csr &A, ValueRunsMaker *maker) const override { sellp_places(*layout, A, maker); }
  bool           EntryRuns(const Csr &A, const int entry[], std::vector<int> &start, std::vector<int> &tail, std::size_t *step) const override
  {
    return sellp_entry_runs(*layout, A, entry, start, tail, step);
  }
  bool EntryRuns(const Csr &A, const std::int64_t entry[], std::vector<std::int64_t> &start, std::vector<std::int64_t> &tail, std::size_t *step) const override
  {
    return sellp_entry_runs(*layout, A, entry, start, tail, step);
  }
  PetscLogDouble NumEntries() const override { return (PetscLogDouble)layout->nnz; }
  PetscErrorCode ScaleRowsColumns(Where, const Scalar *l, const Scalar *r, Scalar *values) override;
  Groups         SlotGroups() const override;

protected:
  PetscErrorCode Analyse(const Csr &A, bool *same) override;
  PetscErrorCode CopyLayout(const LocalPart &other) override;
  bool           SameLayout(const LocalPart &other) const override;
  PetscErrorCode Fill(const Csr &A, const Scalar a[], Scalar values[]) const override;
  PetscErrorCode Extract(const Csr &A, const Scalar values[], Scalar a[]) const override;

private:
  bool repeated = false; /* a row has a column twice: all lies in compressed rows, and the diagonal is what AIJ takes for it */
  /* The layout's arrays, and what is made of them when first asked for */
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
  PetscErrorCode Shape(Where, SellpSlices *S); /* all but the values */
  PetscErrorCode Slices(Where, SellpSlices *S);
  PetscErrorCode Aside(Where, CsrRows *R);
  PetscErrorCode ForgetLayout();

  std::shared_ptr<const SellpLimits> limits; /* of the outer matrix */
  std::shared_ptr<const SellpLayout> layout;
  PetscBool                          off_process;
  /* one of each for each layout */
  std::shared_ptr<Remainder>    remainder = std::make_shared<Remainder>();
  std::shared_ptr<LayoutArrays> arrays    = std::make_shared<LayoutArrays>();
  KeptOperator                  fused;
};

} // namespace heptane
