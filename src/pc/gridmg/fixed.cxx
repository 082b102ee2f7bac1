/*
   Fixed values as a step before each solve: see fixed.hpp. Vectors are of the type of x, on the host or on the device.
*/
#include "fixed.hpp"
#include "context.hpp"
#include <algorithm>
#include <cstdint>
#include <limits>

namespace heptane
{

/*
   x does not become a guess of the program: if the program's guess is zero, PETSc's convergence tests keep their
   references. Fixed values may make the first residual larger than b, which is no divergence.
*/
PetscErrorCode GridFixedValues::Settings::Change(KSP of, PetscReal gain)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)of, &ksp));
  guess_zero  = of->guess_zero;
  guess_knoll = of->guess_knoll;
  divtol      = of->divtol;
  raised      = std::min(divtol * gain, std::numeric_limits<PetscReal>::max());
  test        = nullptr;
  if (guess_zero && !guess_knoll && of->converged == KSPConvergedDefault && of->cnvP) {
    KSPConvergedDefaultCtx *const references = static_cast<KSPConvergedDefaultCtx *>(of->cnvP);

    test                       = references;
    initial                    = references->initialrtol;
    least                      = references->mininitialrtol;
    references->initialrtol    = PETSC_FALSE;
    references->mininitialrtol = PETSC_FALSE;
  }
  of->guess_zero  = PETSC_FALSE;
  of->guess_knoll = PETSC_FALSE;
  of->divtol      = raised;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Restores settings. A setting that the program has changed since, after a solve that ended with an error, stays. */
PetscErrorCode GridFixedValues::Settings::Restore(KSP of)
{
  PetscObjectId id;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)of, &id));
  if (!ksp || ksp != id) PetscFunctionReturn(PETSC_SUCCESS);
  ksp = 0;
  if (!of->guess_zero) of->guess_zero = guess_zero;
  if (!of->guess_knoll) of->guess_knoll = guess_knoll;
  if (of->divtol == raised) of->divtol = divtol;
  if (test && of->converged == KSPConvergedDefault && of->cnvP == test) {
    KSPConvergedDefaultCtx *const references = static_cast<KSPConvergedDefaultCtx *>(of->cnvP);

    references->initialrtol    = initial;
    references->mininitialrtol = least;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether fixed values are to be set in x. rows: of the matrix whose residual is computed, whose entries must be
   accessible. A transposed system has columns of fixed values, which need no treatment. */
PetscErrorCode GridFixedValues::Wanted(PC pc, KSP ksp, bool *wanted) const
{
  MatState  now;
  PetscBool entries, diagonal, guessless;

  PetscFunctionBegin;
  *wanted = false;
  if (ksp->transpose_solve || pc->failedreason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetState(pc->pmat, &now));
  const MatState found = StateAtSetUp(pc);
  const bool     same  = Stamp::Of(now.id, now.state) == Stamp::Of(found.id, found.state);
  if (same && !expected) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ksp, &guessless, KSPPREONLY, KSPNONE, KSPEKSM, KSPNASH, KSPSTCG, KSPGLTR, KSPQCG, ""));
  PetscCall(MatHasOperation(pc->mat, MATOP_GET_ROW, &entries));
  PetscCall(MatHasOperation(pc->mat, MATOP_GET_DIAGONAL, &diagonal));
  *wanted = entries && diagonal && !guessless;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers between 1 and 2 without a pattern, reproducible. VecSetRandom() needs 30 ns for each, longer than the solves
   of a large grid on a GPU */
static PetscErrorCode SetUnordered(Vec v)
{
  PetscScalar *values;
  PetscInt     first, end;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(v, &first, &end));
  PetscCall(VecGetArrayWrite(v, &values));
  for (PetscInt i = first; i < end; i++) {
    std::uint64_t bits = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u; /* the mixer of SplitMix64, Steele et al., 2014 */

    bits              = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits              = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    values[i - first] = 1 + static_cast<PetscReal>((bits ^ (bits >> 31)) >> 11) * 0x1p-53;
  }
  PetscCall(VecRestoreArrayWrite(v, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vectors like x */
PetscErrorCode GridFixedValues::Allocate(Vec x)
{
  PetscLayout rows[2];
  PetscBool   same, same_rows;

  PetscFunctionBegin;
  if (numbers) {
    PetscCall(PetscObjectTypeCompare((PetscObject)numbers, ((PetscObject)x)->type_name, &same));
    PetscCall(VecGetLayout(numbers, &rows[0]));
    PetscCall(VecGetLayout(x, &rows[1]));
    PetscCall(PetscLayoutCompare(rows[0], rows[1], &same_rows));
    if (same && same_rows) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(Reset());
  }
  for (Vec *v : {&numbers, &inverse, &others, &work}) PetscCall(VecDuplicate(x, v));
  PetscCall(SetUnordered(numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Finds rows that have only a diagonal entry, once per change of values: A v is exactly the diagonal times v there, for
   any format. Stored zeros count as absent. If sums of other entries vanish by chance, only the initial x differs.
*/
PetscErrorCode GridFixedValues::Find(Mat A, Vec x)
{
  MatState  s;
  VecType   type;
  PetscReal largest, least;

  PetscFunctionBegin;
  PetscCall(MatGetState(A, &s));
  PetscCall(VecGetType(x, &type));
  Stamp now = Stamp::Of(s.id, s.state, s.nonzerostate);
  for (const char *c = type; *c; c++) now << *c;
  if (now == found_for) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Allocate(x));
  found_for.Clear();
  PetscCall(MatGetDiagonal(A, inverse));
  PetscCall(VecNorm(inverse, NORM_INFINITY, &largest));
  PetscCall(MatMult(A, numbers, work));
  PetscCall(VecPointwiseMult(others, inverse, numbers));
  PetscCall(VecAXPY(work, -1, others)); /* the products with other entries */
  PetscCall(VecAbs(work));
  PetscCall(VecCopy(work, others));
  PetscCall(VecShift(work, std::numeric_limits<PetscReal>::min())); /* changes zeros only */
  PetscCall(VecPointwiseDivide(others, others, work));
  PetscCall(VecReciprocal(inverse));
  PetscCall(VecPointwiseMult(work, inverse, others));
  PetscCall(VecAXPY(inverse, -1, work));
  PetscCall(VecNorm(inverse, NORM_INFINITY, &least));
  gain      = PetscIsInfOrNanReal(least * largest) ? 0 : least * largest;
  found_for = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets fixed values in x. The other entries keep the guess, or are set to zero if there is none. */
PetscErrorCode GridFixedValues::Place(Mat A, Vec b, Vec x, bool guess)
{
  MatNullSpace null;
  Vec          right = b;

  PetscFunctionBegin;
  PetscCall(MatGetTransposeNullSpace(A, &null));
  if (null) { /* the solver removes it from b */
    right = work;
    PetscCall(VecCopy(b, right));
    PetscCall(MatNullSpaceRemove(null, right));
  }
  PetscCall(VecPointwiseMult(guess ? work : x, inverse, right));
  if (guess) {
    PetscCall(VecPointwiseMult(x, x, others));
    PetscCall(VecAXPY(x, 1, work));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridFixedValues::PreSolve(PC pc, KSP ksp, Vec b, Vec x)
{
  bool      wanted;
  PetscReal norm;

  PetscFunctionBegin;
  for (Settings &s : changed) PetscCall(s.Restore(ksp)); /* after a solve that ended with an error */
  solved = false;
  PetscCall(Wanted(pc, ksp, &wanted));
  if (wanted) PetscCall(Find(pc->mat, x));
  if (!wanted || gain == 0) PetscFunctionReturn(PETSC_SUCCESS);
  const bool guess = !ksp->guess_zero || ksp->guess_knoll;

  if (ksp->guess_knoll) {
    PetscCall(PCApply(pc, b, x));
    PetscCall(KSP_RemoveNullSpace(ksp, x));
  }
  PetscCall(Place(pc->mat, b, x, guess));
  solved = true;
  if (!guess) {
    PetscCall(VecNorm(x, NORM_2, &norm));
    if (norm == 0) PetscFunctionReturn(PETSC_SUCCESS); /* all fixed values are zero, as a guess of zero is */
  }
  PetscCall(changed[pc->presolvedone - 1].Change(ksp, std::max(PetscReal(1), gain)));
  PetscCall(PetscInfo(ksp, "x begins with the fixed values of rows that have only a diagonal entry\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridFixedValues::PostSolve(PC pc, KSP ksp)
{
  PetscFunctionBegin;
  solved = false;
  PetscCall(changed[pc->presolvedone].Restore(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridFixedValues::Reset()
{
  PetscFunctionBegin;
  for (Vec *v : {&numbers, &inverse, &others, &work}) PetscCall(VecDestroy(v));
  found_for.Clear();
  gain = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
