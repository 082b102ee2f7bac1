/*
   A block whose values lie in the block-diagonal format: the LocalPart of bdiagh. Glue between the layout and its executors.
*/
#pragma once

#include "../../pass/kept_operator.hpp"
#include "../values/local_part.hpp"
#include "../csr/remainder.hpp"
#include "bdiagh.hpp"
#include "bdiagh_rows.hpp"
#include <memory>

namespace heptane
{

/* The settings of one matrix (options -mat_bdiagh_*) */
struct BdiaghSettings {
  BdiaghLimits limits;
  PetscBool    strict = PETSC_FALSE;
};

class BdiaghRemainderPlans;

class BdiaghPart final : public LocalPart {
public:
  BdiaghPart(Mat outer, PetscBool off_process);
  ~BdiaghPart() override;

  const BdiaghLayout &LayoutData() const { return *layout; }
  PetscErrorCode      Offsets(const PetscInt *offsets[]); /* of the block diagonals, kept until the pattern changes */

  PetscBool      InOrder() const override { return (PetscBool)!layout->ndiag; }
  std::size_t    NumValues() const override { return layout->values(); }
  double         MatrixBytes() const override { return layout->product_bytes() - sizeof(Scalar) * (1.0 * layout->rows + layout->cols); }
  PetscErrorCode Mult(Where, const Scalar *x, const Scalar *y, Scalar *z) override;
  PetscErrorCode HasResidual(Where, PetscBool *has) override;
  PetscErrorCode Residual(const Scalar *x, const Scalar *y, Scalar *z) override;
  PetscErrorCode MultTranspose(Where, const Scalar *x, const Scalar *y, Scalar *z) override;
  PetscBool      OnlyRows() const override { return (PetscBool)(!layout->ndiag || layout->found_fill > BdiaghTuning::host_max_fill); }
  PetscErrorCode Complete() override;
  PetscBool      HasDiagonal() const override { return (PetscBool)(layout->rows == 0 || layout->main_diagonal() >= 0); }
  PetscErrorCode Diagonal(Where, Scalar *d) override;
  PetscErrorCode DiagonalBlocksInPlace(Where, int b, DenseBlocks *blocks) override;
  PetscErrorCode GatherBlocks(Where, int b, std::size_t ld, Scalar *d) override;
  PetscErrorCode OnDiagonals(Where, BlockDiagonals *D) override;
  PetscErrorCode Fused(Where, std::shared_ptr<FusedOperator> *op) override;
  void           Slots(const Csr &A, int slot[]) const override { bdiagh_slots(*layout, A, slot); }
  void           Slots(const Csr &A, std::int64_t slot[]) const override { bdiagh_slots(*layout, A, slot); }
  void           Places(const Csr &A, ValueRunsMaker *maker) const override { bdiagh_places(*layout, A, maker); }
  bool           EntryRuns(const Csr &A, const int entry[], std::vector<int> &start, std::vector<int> &tail, std::size_t *step) const override
  {
    return bdiagh_entry_runs(*layout, A, entry, start, tail, step);
  }
  bool EntryRuns(const Csr &A, const std::int64_t entry[], std::vector<std::int64_t> &start, std::vector<std::int64_t> &tail, std::size_t *step) const override
  {
    return bdiagh_entry_runs(*layout, A, entry, start, tail, step);
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
  void           Shape(BdiaghDiagonals *D) const; /* all but the values */
  PetscErrorCode Diagonals(Where, BdiaghDiagonals *D);
  PetscErrorCode RemainderValues(Where, const Scalar **values);
  PetscErrorCode Product(bool transpose, Where, const Scalar *x, const Scalar *y, Scalar *z);
  PetscErrorCode ForgetLayout();

  std::shared_ptr<const BdiaghSettings> settings; /* of the outer matrix */
  std::shared_ptr<const BdiaghLayout>   layout;
  PetscBool                             off_process;
  std::vector<PetscInt>                 offsets;
  std::shared_ptr<Remainder>            remainder = std::make_shared<Remainder>(); /* one for each layout */
  KeptOperator                          fused;
  std::shared_ptr<BdiaghRemainderPlans> plans; /* of the remainder for persistent kernels, made when first asked for */
};

} // namespace heptane
