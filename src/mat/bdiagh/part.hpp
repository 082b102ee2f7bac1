/*
   A block whose values are stored in the block-diagonal format: the LocalPart of bdiagh. Connects the layout with its
   executors.
*/
#pragma once

#include "../values/local_part.hpp"
#include "format/bdiagh.hpp"
#include "format/rows.hpp"

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

  const BdiaghLayout &LayoutData() const { return static_cast<const BdiaghLayout &>(*format); }
  PetscErrorCode      Offsets(const PetscInt *offsets[]); /* of the block diagonals, kept until the pattern changes */

  PetscErrorCode Product(bool transpose, Where, const Scalar *x, const Scalar *y, Scalar *z) override;
  PetscErrorCode HasResidual(Where, PetscBool *has) override;
  PetscErrorCode Residual(const Scalar *x, const Scalar *y, Scalar *z) override;
  PetscBool      OnlyRows() const override { return (PetscBool)(!LayoutData().ndiag || LayoutData().found_fill > BdiaghTuning::host_max_fill); }
  PetscErrorCode Complete() override;
  PetscBool      HasDiagonal() const override { return (PetscBool)(format->rows == 0 || LayoutData().main_diagonal() >= 0); }
  PetscErrorCode Diagonal(Where, Scalar *d) override;
  PetscErrorCode DiagonalBlocksInPlace(Where, int b, DenseBlocks *blocks) override;
  PetscErrorCode OnDiagonals(Where, BlockDiagonals *D) override;
  PetscErrorCode Fused(Where, std::shared_ptr<FusedMatrix> *op) override;

protected:
  PetscErrorCode Analyse(const Csr &A, std::shared_ptr<const FormatLayout> *found) override;
  void           Forget() override { plans.reset(); }
  PetscErrorCode GatherFormat(Where, int b, std::size_t ld, Scalar *d) override;
  PetscErrorCode ScaleFormat(Where, const Scalar *l, const Scalar *r, Scalar *values) override;

private:
  BdiaghDiagonals Shape(const Scalar *values) const;
  PetscErrorCode  Diagonals(Where, BdiaghDiagonals *D);

  std::shared_ptr<const BdiaghSettings> settings; /* of the outer matrix */
  PetscBool                             off_process;
  std::vector<PetscInt>                 offsets;
  std::shared_ptr<BdiaghRemainderPlans> plans; /* of the remainder for persistent kernels, made at first use */
};

} // namespace heptane
