/*
   Operands of the passes of a solve: its vectors, the operator of its matrix, and its preconditioner as launches.
   Uses PETSc objects.
*/
#pragma once

#include "../../../pass/offers/folded_copy.hpp"
#include "../../../pass/offers/pc_passes.hpp"
#include "../../../private/ksp.hpp"
#include <memory>
#include <utility>
#include <vector>

namespace heptane
{

class FusedOperands {
public:
  KSP ksp  = nullptr; /* borrowed */
  Mat Amat = nullptr;

  bool     OnDevice() const { return device; } /* the same on all processes */
  PetscInt Rows() const { return n; }
  int      Processes() const { return size; }
  /* Of one of the vectors, valid while they are not given back */
  Scalar *Array(Vec v) const;
  /* All arrays are on 16 bytes */
  bool Aligned() const { return aligned; }

  /* The folded copy if there is one, else the operator of the matrix; null: MatMult() multiplies */
  FusedOperator *Operator() const { return folded ? folded->Operator() : matrix_op.get(); }
  /* The operator of the matrix; null if there is a copy */
  FusedMatrix *Matrix() const { return folded ? nullptr : matrix_op.get(); }
  /* Until the end of the solve, or null */
  void SetFolded(std::shared_ptr<FusedFolded> copy) { folded = std::move(copy); }
  /* Whether the matrix was changed since the last call; its operator has the new values */
  bool MatrixChanged() { return std::exchange(changed, false); }
  /* Products of the matrix itself are passes */
  bool FusedProducts() const { return matrix_op && !matrix_op->ByMatMult(); }
  /* Products with Operator() are passes */
  bool ProductsInPasses() const { return Operator() && !(Matrix() && Matrix()->ByMatMult()); }
  /* Products with the transpose are passes */
  bool TransposeIsPass() const { return Matrix() && Matrix()->HasTranspose(); }
  /* Products support FusedProduct::v; on the host it is cheaper to store u */
  bool FormsInput() const { return matrix_op && device; }
  /* A pass of its own applies these point blocks, since no product does: of another size, or stored as Single */
  bool BlocksApart(const FusedPc &pc) const;

  /* The preconditioner as launches, until the end of the solve, or null */
  void            SetPasses(const PcPasses *of_pc) { passes = of_pc; }
  const PcPasses *Passes() const { return passes; }
  /* PCApply() applies it */
  bool CallsPc(const FusedPc &pc) const { return pc.form == FusedPc::called && !passes; }

protected:
  ~FusedOperands() = default;
  /* The vectors of a solve, and the side on which its passes run; collective */
  PetscErrorCode Open(KSP solver, const std::vector<Vec> &all);
  PetscErrorCode FindOperator();
  void           DropOperator() { matrix_op.reset(); }
  /* The arrays, and the operator as the matrix is now; nothing if they are held */
  PetscErrorCode Take();
  PetscErrorCode GiveBack();
  bool           Held() const { return held; }
  void           Close() { vectors.clear(); }

private:
  PetscErrorCode Refetch();

  bool                         device = false, aligned = true, held = false, changed = false;
  PetscInt                     n    = 0;
  PetscMPIInt                  size = 1;
  std::vector<Vec>             vectors;
  std::vector<Scalar *>        arrays;
  std::shared_ptr<FusedMatrix> matrix_op; /* until the end of the solve */
  std::shared_ptr<FusedFolded> folded;
  const PcPasses              *passes = nullptr;
};

} // namespace heptane
