/*
   Preconditioners that are row arithmetic, and their point inverses. PCPBJACOBI of heptane lends its inverses. PETSc's
   PCPBJACOBI and PCJACOBI do not expose theirs; applied to unit vectors they return these inverses bitwise, whatever
   their options.
*/
#include "../../device/memory.hpp"
#include "../../pass/divisible.hpp"
#include "../../sys/without_events.hpp"
#include "solver.hpp"
#include "../../private/pc.hpp"
#include <algorithm>

PETSC_EXTERN PetscLogEvent VEC_PointwiseMult;

namespace heptane
{

void FusedPcCache::Reset()
{
  inverse.Free();
  lent = DenseLent();
  made_from.Clear();
}

/* inverse[s * ld + row] = row of M^-1 e_s */
PetscErrorCode FusedPcCache::Invert(FusedEngine &e, Vec unit, Vec image, int block)
{
  const std::size_t n      = (std::size_t)e.Rows();
  const std::size_t ld     = (n + 31) / 32 * 32; /* whole 128-byte lines of doubles for each warp */
  const bool        device = e.OnDevice();
  PC                P      = e.ksp->pc;
  Scalar           *first;

  PetscFunctionBegin;
  if (inverse.At(device ? Where::host : Where::device)) inverse.Free();
  inverse.Resize(ld * block);
  PetscCall(inverse.Memory(device ? Where::device : Where::host, &first));
  for (int s = 0; s < block; s++) {
    const PetscScalar *from;
    Scalar            *to = first + s * ld;

    PetscCall(e.Acquire()); /* not VecStrideSet(): the vectors may have another block size */
    PetscCall(e.Run(UnitStep(e.Array(unit), block, s), FusedPc(), true));
    PetscCall(e.Release());
    PetscCall(WithoutEvents({PC_Apply, VEC_PointwiseMult}, [&] { return PCApply(P, unit, image); })); /* other processes may have theirs */
    if (!device) {
      PetscCall(VecGetArrayRead(image, &from));
      PetscCall(PetscArraycpy(to, from, n));
      PetscCall(VecRestoreArrayRead(image, &from));
    }
#if PetscDefined(HAVE_CUDA)
    else {
      PetscMemType mt;

      PetscCall(VecGetArrayReadAndMemType(image, &from, &mt));
      PetscCallCUDA(cudaMemcpyAsync(to, from, n * sizeof(Scalar), cudaMemcpyDefault, e.Device().stream));
      PetscCall(VecRestoreArrayReadAndMemType(image, &from));
    }
#endif
  }
  pc.inverse = first;
  pc.ld      = ld;
  pc.block   = block;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A preconditioner lends its block inverses if it stores them in value columns on the side of the vectors */
static PetscErrorCode Borrow(FusedEngine &e, FusedPc *pc, DenseLent *lent, PetscBool *borrowed)
{
  PC P = e.ksp->pc;
  PetscErrorCode (*get)(PC, PetscBool, DenseLent *, PetscBool *);

  PetscFunctionBegin;
  *borrowed = PETSC_FALSE;
  PetscCall(PetscObjectQueryFunction((PetscObject)P, dense_inverse_name, &get));
  if (!get) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*get)(P, (PetscBool)e.OnDevice(), lent, borrowed));
  if (!*borrowed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(lent->block == pc->block, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Inverses of blocks of %d rows for blocks of %d", lent->block, pc->block);
  pc->inverse = lent->inverse.get();
  pc->ld      = lent->ld;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether r can be recovered from M^-1 r with point inverses */
PetscErrorCode FusedPcCache::FindDivisible(FusedEngine &e)
{
  int *const    note = differs.At(Where::device);
  DivisibleStep step(pc.inverse, note);
  int           found = 0;

  PetscFunctionBegin;
  if (!e.OnDevice()) {
    step.found = &found;
    PetscCall(e.Run(step, FusedPc(), true));
  }
#if PetscDefined(HAVE_CUDA)
  else {
    PetscCallCUDA(cudaMemsetAsync(note, 0, sizeof(*note), e.Device().stream));
    PetscCall(e.Run(step, FusedPc(), true));
    PetscCall(CopyToHost(&found, note, 1));
  }
#endif
  divisible = !found;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Why a solve does more than to apply its preconditioner; empty: it does not */
static PetscErrorCode WhyNotAlone(const FusedEngine &e, std::string *why)
{
  MatNullSpace null = NULL, null_t = NULL;

  PetscFunctionBegin;
  why->clear();
  PetscCall(MatGetNullSpace(e.Amat, &null));
  PetscCall(MatGetTransposeNullSpace(e.Amat, &null_t));
  if (null || null_t) *why = "a null space is removed";
  else if (e.ksp->transpose_solve) *why = "transposed solve";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The preconditioner as row arithmetic, without its inverses, or `called` with the reason */
static PetscErrorCode FormOf(const FusedEngine &e, FusedPc *want, std::string *why)
{
  PC        P = e.ksp->pc;
  Mat       Pmat;
  PetscBool none, jacobi, pbjacobi;
  PetscInt  b = 1;

  PetscFunctionBegin;
  *want      = FusedPc();
  want->form = FusedPc::called;
  PetscCall(PetscObjectTypeCompare((PetscObject)P, PCNONE, &none));
  PetscCall(PetscObjectTypeCompare((PetscObject)P, PCJACOBI, &jacobi));
  PetscCall(PetscObjectTypeCompare((PetscObject)P, PCPBJACOBI, &pbjacobi));
  PetscCall(PCGetOperators(P, NULL, &Pmat));
  PetscCall(WhyNotAlone(e, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  if (none) want->form = FusedPc::none;
  else if (jacobi) want->form = FusedPc::point;
  else if (pbjacobi) {
    PetscCall(MatGetBlockSize(Pmat, &b));
    want->form = b == 1 ? FusedPc::point : FusedPc::blocks;
    if (b > FusedTuning::max_block) want->form = FusedPc::called, *why = "large point blocks";
  } else *why = std::string("the preconditioner ") + (((PetscObject)P)->type_name ? ((PetscObject)P)->type_name : "");
  want->block = (int)b;
  PetscFunctionReturn(PETSC_SUCCESS);
}

Stamp FusedStamp(const MatState &s)
{
  return Stamp::Of(s.id, s.state, s.nonzerostate);
}

/* The state on which the inverses and their known properties depend */
static PetscErrorCode StampOf(const FusedEngine &e, const FusedMethod &method, const FusedPc &want, Stamp *stamp)
{
  PC           P = e.ksp->pc;
  MatState     state;
  PetscBool    jacobi, use_abs, fix;
  PCJacobiType type;
  PetscReal    scale;
  PetscInt64   setups;

  PetscFunctionBegin;
  PetscCall(FusedPcSetups(P, &setups));
  *stamp << setups << ((PetscObject)P)->id << want.form << want.block << e.Rows() << e.OnDevice() << e.FusedProducts() << method.Traits(e.ksp).pc_in_products
         << want.inverse;
  PetscCall(MatGetState(e.Amat, &state));
  *stamp << FusedStamp(StateAtSetUp(P)) << FusedStamp(state);
  if (e.Operator()) *stamp << e.Operator()->Version(); /* blocks of the matrix have states of their own, layouts none */
  PetscCall(PetscObjectTypeCompare((PetscObject)P, PCJACOBI, &jacobi));
  if (!jacobi) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCJacobiGetType(P, &type));
  PetscCall(PCJacobiGetUseAbs(P, &use_abs));
  PetscCall(PCJacobiGetFixDiagonal(P, &fix));
  *stamp << type << use_abs << fix;
  if (type == PC_JACOBI_ROWL1) {
    PetscCall(PCJacobiGetRowl1Scale(P, &scale));
    *stamp << scale;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Properties that a method may use: whether r can be recovered from M^-1 r, and whether these are inverses of the
   matrix's own diagonal or diagonal blocks
*/
PetscErrorCode FusedPcCache::Compare(FusedEngine &e, const FusedMethod &method)
{
  PetscFunctionBegin;
  divisible       = false;
  matrix_diagonal = PETSC_FALSE;
  if (e.OnDevice()) PetscCall(differs.Make(Where::device));
  int *const note = differs.At(Where::device);

  if (pc.form == FusedPc::point && method.can.unwatched) PetscCall(FindDivisible(e));
  if (!e.FusedProducts() || !e.Matrix()) PetscFunctionReturn(PETSC_SUCCESS);
  if (pc.form == FusedPc::point ? e.OnDevice() /* otherwise unused */ : method.Traits(e.ksp).pc_in_products)
    PetscCall(e.Matrix()->InverseIs(pc, note, &matrix_diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The passes of a preconditioner that is no row arithmetic, if the method and the solve support them */
static PetscErrorCode SetPasses(FusedEngine &e, const FusedMethod &method)
{
  PC          P      = e.ksp->pc;
  PcPasses   *passes = NULL;
  std::string why;
  PetscErrorCode (*get)(PC, PcPasses **);

  PetscFunctionBegin;
  PetscCall(WhyNotAlone(e, &why));
  if (!why.empty() || !method.Traits(e.ksp).pc_apart || !e.OnDevice() || e.HostScalars()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectQueryFunction((PetscObject)P, pc_passes_name, &get));
  if (get) PetscCall((*get)(P, &passes));
  e.SetPasses(passes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedFindReduced(FusedEngine &e, ReducedCg **reduced)
{
  KSP           ksp = e.ksp;
  PC            P   = ksp->pc;
  Mat           Pmat;
  MatState      now;
  FusedContext *ctx;
  std::string   why;
  PetscErrorCode (*get)(PC, PetscBool, ReducedCg **, std::string *);

  PetscFunctionBegin;
  *reduced = nullptr;
  PetscCall(PetscObjectQueryFunction((PetscObject)P, reduced_cg_name, &get));
  if (!get || ksp->reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FusedGet(ksp, &ctx));
  PetscCall(PCGetOperators(P, NULL, &Pmat));
  PetscCall(MatGetState(e.Amat, &now));
  if (e.Processes() > 1 && e.OnDevice() && e.HostScalars()) why = "MPI adds the sums of the processes";
  else if (e.ByNccl()) why = "NCCL adds the sums of the processes";
  else if (FusedIterateWatched(ksp)) why = "a monitor or convergence test reads the iterate";
  else if (Pmat != e.Amat || FusedStamp(now) != FusedStamp(StateAtSetUp(P))) why = "the preconditioner is that of another matrix, or of other values";
  else if (e.OnDevice() && !FusedWillRepeat(ctx) && !metrics_on) why = "the iterations do not run as graphs that repeat themselves";
  if (why.empty()) PetscCall(WhyNotAlone(e, &why));
  if (e.Processes() > 1) PetscCall(PeerAgree(PetscObjectComm((PetscObject)ksp), &why));
  if (why.empty()) PetscCall((*get)(P, (PetscBool)e.OnDevice(), reduced, &why));
  if (!*reduced) PetscCall(PetscInfo(ksp, "CG on all unknowns: %s\n", why.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedPcCache::Get(FusedDriver &e, const FusedMethod &method, Vec unit, Vec image, FusedPc *out)
{
  PetscBool borrowed = PETSC_FALSE;
  FusedPc   want;
  Stamp     now;
  DenseLent inverses;

  PetscFunctionBegin;
  PetscCall(FormOf(e, &want, &why));
  *out = want;
  if (want.form == FusedPc::called) PetscCall(SetPasses(e, method));
  if (want.form == FusedPc::called || want.form == FusedPc::none) PetscFunctionReturn(PETSC_SUCCESS);
  if (want.form == FusedPc::blocks) PetscCall(Borrow(e, &want, &inverses, &borrowed));
  PetscCall(StampOf(e, method, want, &now));
  if (now != made_from) {
    const FusedCounts counts = e.Counts(); /* the launches below are not counted */

    made_from.Clear(); /* in case of an error below */
    pc = want;
    if (borrowed) inverse.Free();
    else PetscCall(Invert(e, unit, image, want.block));
    lent = std::move(inverses);
    PetscCall(Compare(e, method));
    e.Counts() = counts;
    made_from  = std::move(now);
  }
  *out = pc;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
