/*
   CG on a part of the unknowns, if the preconditioner supports it (ReducedCg): start, iterations and end. The first
   residual is only read until the end; if it is the right-hand side, it is not copied.
*/
#include "fusedcg.hpp"
#include <cstdint>

namespace heptane
{

/* Whether the right-hand side is on the side of the passes, in a form that they can read */
static PetscErrorCode RhsIsThere(FusedEngine &e, bool *there)
{
  const Scalar *b;
  PetscMemType  mt = PETSC_MEMTYPE_HOST;

  PetscFunctionBegin;
  if (e.OnDevice()) {
    PetscCall(VecGetArrayReadAndMemType(e.ksp->vec_rhs, &b, &mt));
    PetscCall(VecRestoreArrayReadAndMemType(e.ksp->vec_rhs, &b));
  } else {
    PetscCall(VecGetArrayRead(e.ksp->vec_rhs, &b));
    PetscCall(VecRestoreArrayRead(e.ksp->vec_rhs, &b));
  }
  *there = (bool)PetscMemTypeDevice(mt) == e.OnDevice() && reinterpret_cast<std::uintptr_t>(b) % (2 * sizeof(Scalar)) == 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedCg::FindReduced(FusedEngine &e)
{
  PetscFunctionBegin;
  of_rhs = r_due = due = false;
  x_was_zero           = (bool)e.ksp->guess_zero;
  PetscCall(FusedFindReduced(e, &reduced));
  if (reduced && x_was_zero && cg_norm_is_of_r(e.ksp->normtype)) PetscCall(RhsIsThere(e, &of_rhs));
  r_due = of_rhs;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f(array of the first residual) */
template <class F>
static PetscErrorCode WithFirstResidual(FusedEngine &e, bool of_rhs, F f)
{
  const Scalar *r = e.Array(e.ksp->work[0]);

  PetscFunctionBegin;
  if (of_rhs && e.OnDevice()) PetscCall(VecGetArrayReadAndMemType(e.ksp->vec_rhs, &r, NULL));
  else if (of_rhs) PetscCall(VecGetArrayRead(e.ksp->vec_rhs, &r));
  PetscCall(f(r));
  if (of_rhs && e.OnDevice()) PetscCall(VecRestoreArrayReadAndMemType(e.ksp->vec_rhs, &r));
  else if (of_rhs) PetscCall(VecRestoreArrayRead(e.ksp->vec_rhs, &r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedCg::LaunchStart(FusedEngine &e)
{
  PetscFunctionBegin;
  PetscCall(WithFirstResidual(e, of_rhs, [&](const Scalar *r) -> PetscErrorCode {
    PetscFunctionBegin;
    if (!e.OnDevice()) reduced->HostStart(r);
#if PetscDefined(HAVE_CUDA)
    else PetscCallCUDA(reduced->LaunchStart(r, e.Device().Reduction(), e.Device().stream));
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first norm is the norm of the whole residual, the first (z, r) is for the reduced one */
PetscErrorCode FusedCg::StartReduced(FusedEngine &e)
{
  KSP        ksp    = e.ksp;
  const bool cycles = !cg_tests_first(e.Host()), of_z = ksp->normtype == KSP_NORM_PRECONDITIONED;
  Scalar     sums[4];

  PetscFunctionBegin;
  PetscCall(WithFirstResidual(e, of_rhs, [&](const Scalar *r) -> PetscErrorCode {
    const Scalar *z = cg_norm_is_of_r(ksp->normtype) ? r : e.Array(ksp->work[1]);

    PetscFunctionBegin;
    PetscCall(e.Run(DotsStep(z, r, z)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  due = !cycles && !e.OnDevice();
  if (!cycles) PetscFunctionReturn(PETSC_SUCCESS); /* the rest is Ahead() */
  PetscCall(LaunchStart(e));
  if (!e.OnDevice()) {
    reduced->HostCycle(of_z, sums);
    PetscCall(e.KeepSums(4, cg_reduced_start, sums));
  }
#if PetscDefined(HAVE_CUDA)
  else
    PetscCallCUDA(reduced->LaunchCycle(of_z, cg_reduced_start, e.Device().Reduction(), e.Device().stream));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedCg::Ahead(FusedEngine &e)
{
  PetscFunctionBegin;
  if (reduced && cg_tests_first(e.Host())) PetscCall(LaunchStart(e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   z = M r at the beginning of an iteration, on the host. First completes and tests the previous iteration, as the
   device's test does
*/
PetscErrorCode FusedCg::CycleOnHost(FusedEngine &e)
{
  CgScalars &S       = e.Host<CgScalars>();
  const int  it      = S.it;
  Scalar     sums[4] = {};

  PetscFunctionBegin;
  if (!S.settled) Settle(e);
  log_norm(it, S, e.History(), PassTuning::history);
  S.settled = 1;
  if (e.Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
  due = false;
  reduced->HostCycle(false, sums);
  PetscCall(e.KeepSums(1, cg_zr, sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   An iteration of CG on a part of the unknowns: the preconditioner's product, CG's updates of its vectors, and the
   preconditioner's cycle before or after these
*/
PetscErrorCode FusedCg::IterateReduced(FusedEngine &e)
{
  const bool first = cg_tests_first(e.Host()), of_z = e.ksp->normtype == KSP_NORM_PRECONDITIONED;
  const int  of_cycle = reduced->Launches() - 2;
  const auto product  = [&](const CgReducedProduct &step, Scalar sums[]) { sums[0] = reduced->HostProduct(step.b); };
  const auto update   = [&](const CgReducedUpdate &step, Scalar sums[]) {
    const Scalar square = reduced->HostUpdate(step.a);

    due = first;
    if (first) sums[cg_nn] = square;
    else reduced->HostCycle(of_z, sums);
  };

  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  const auto launch_product = [&](auto state, const auto &red, auto stream) {
    const cudaError_t err = first ? reduced->LaunchCycle(false, cg_zr, red, stream) : cudaSuccess;

    return err != cudaSuccess ? err : reduced->LaunchProduct(state, red, stream);
  };
  const auto launch_update = [&](auto state, const auto &red, auto stream) {
    const cudaError_t err = reduced->LaunchUpdate(first, state, red, stream);

    return err != cudaSuccess || first ? err : reduced->LaunchCycle(of_z, cg_zr, red, stream);
  };
#else
  const int launch_product = 0, launch_update = 0;
#endif
  if (due) PetscCall(CycleOnHost(e));
  PetscCall(e.RunBy(CgReducedProduct(), 1 + (first ? of_cycle : 0), first ? reduced->Flops() : 0, "reduced CG",
                    first ? "z = M r, w = A z + b w, p = z + b p, sum (p, w)" : "w = A z + b w, p = z + b p, sum (p, w)", product, launch_product));
  PetscCall(e.RunBy(CgReducedUpdate(), 1 + (first ? 0 : of_cycle), first ? 0 : reduced->Flops(), "reduced CG",
                    first ? "x += a p, r -= a w, sum (r, r)" : "x += a p, r -= a w, z = M r, sums", update, launch_update));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Once a solve */
PetscErrorCode FusedCg::FinishReduced(FusedEngine &e)
{
  Scalar *x = e.Array(e.ksp->vec_sol), *r = e.Array(e.ksp->work[0]);

  PetscFunctionBegin;
  PetscCall(WithFirstResidual(e, of_rhs, [&](const Scalar *from) -> PetscErrorCode {
    PetscFunctionBegin;
    if (!e.OnDevice()) reduced->HostFinish(from, x_was_zero, x, r);
#if PetscDefined(HAVE_CUDA)
    else PetscCallCUDA(reduced->LaunchFinish(from, x_was_zero, x, r, e.Device().stream));
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  r_due = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a solve that ended before its first iteration */
PetscErrorCode FusedCg::Finish(FusedEngine &e)
{
  PetscFunctionBegin;
  if (r_due) PetscCall(VecCopy(e.ksp->vec_rhs, e.ksp->work[0]));
  r_due = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
