/*
   CG with one reduction per iteration: in passes, and the plan of persistent kernels.
*/
#include "fusedcg.hpp"
#include "one_sum_step.hpp"

namespace heptane
{

PetscErrorCode FusedCg::FindOneSum(FusedEngine &e)
{
  FusedContext *ctx;
  bool          got = true;

  PetscFunctionBegin;
  PetscCall(FusedGet(e.ksp, &ctx));
  one_sum[0] = one_sum[1] = nullptr;
  if (!ctx->last.one_sum || !ctx->engine->ByNccl()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(e.scratch.Get(2, (std::size_t)e.Rows(), e.OnDevice(), one_sum, &got));
  PetscCheck(got, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory is left for two more vectors: do without -ksp_cg_single_reduction");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedCg::OneSumProduct(FusedEngine &e, const Scalar *z)
{
  FusedProduct product;

  PetscFunctionBegin;
  product.q    = z;
  product.y    = one_sum[0];
  product.sums = sum_yu;
  product.at   = cg_one_zw;
  PetscCall(e.Product(product, e.ksp->work[1], e.ksp->work[1], NULL, {"w", "z", "(z, w)"}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   One reduction in an iteration, with sums by NCCL (-ksp_cg_single_reduction)
     p = z + b p,  s = w + b s,  x += a p,  r -= a s,         72, Jacobi 96            1
     z = M^-1 r,  (z, r),  (z, z) or (r, r)
     w = A z,  (z, w)                                         16 + M                   1         1
*/
PetscErrorCode FusedCg::IterateOneSum(FusedEngine &e, const FusedPc &pc)
{
  CgOneSumStep step;

  PetscFunctionBegin;
  step.pc        = pc;
  step.w         = one_sum[0];
  step.x         = e.Array(e.ksp->vec_sol);
  step.r         = e.Array(e.ksp->work[0]);
  step.z         = pc.form == FusedPc::none ? step.r : e.Array(e.ksp->work[1]);
  step.p         = direction.p[0];
  step.s         = one_sum[1];
  step.norm_of_r = cg_tests_r(e.ksp);
  PetscCall(e.Run(step, pc));
  PetscCall(OneSumProduct(e, step.z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void FusedCg::OneSum(FusedPlan *plan) const
{
  plan->steps = {
    {"update: x += a p, r -= a s, z -= a t",                              true},
    {"product: w = A z, q = M^-1 w, sums (z, r) (z, z) or (r, r) (z, w)", true},
    {"directions: p = z + b p, s = w + b s, t = q + b t",                 true}
  };
  plan->reductions = 1;
}

} // namespace heptane
