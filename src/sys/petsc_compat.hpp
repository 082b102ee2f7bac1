/*
   Differences between releases of PETSc: no other file tests PETSc's version (tests/source/versions.sh). The makefile,
   CMakeLists.txt and pip's build read the line of HEPTANE_PETSC_RELEASES: the releases with which the quick tests pass.
   HEPTANE_TRY_PETSC allows other releases (docs/develop/releases.md). operation_table.hpp and seqaij_head.hpp have
   entries of particular releases, which the compiler and the first use of a matrix compare with PETSc's.
*/
#pragma once

#include <petscksp.h>

#define HEPTANE_PETSC_RELEASES 3.24 3.25 3.26

#ifndef HEPTANE_TRY_PETSC
  #if PETSC_VERSION_LT(3, 24, 0)
    #error "heptane needs PETSc 3.24 to 3.26: set PETSC_DIR and PETSC_ARCH to one, or unset PETSC_DIR and let tools/setup install it"
  #elif PETSC_VERSION_GE(3, 27, 0) || !PETSC_VERSION_RELEASE
    #error "heptane supports PETSc up to 3.26: set PETSC_DIR to one. docs/develop/releases.md tells how to add a release"
  #endif
#endif
#if PetscDefined(USE_COMPLEX)
  #error "heptane supports real scalars only: configure PETSc with --with-scalar-type=real"
#endif
#if PetscDefined(HAVE_MPIUNI)
  #error "heptane needs a PETSc with MPI: configure it with --with-mpi=1"
#endif

/* Text for releases since a version, and up to a version */
#if PETSC_VERSION_GE(3, 25, 0)
  #define HEPTANE_SINCE_3_25(...) __VA_ARGS__
  #define HEPTANE_UNTIL_3_24(...)
#else
  #define HEPTANE_SINCE_3_25(...)
  #define HEPTANE_UNTIL_3_24(...) __VA_ARGS__
#endif
#if PETSC_VERSION_GE(3, 26, 0)
  #define HEPTANE_SINCE_3_26(...) __VA_ARGS__
  #define HEPTANE_UNTIL_3_25(...)
#else
  #define HEPTANE_SINCE_3_26(...)
  #define HEPTANE_UNTIL_3_25(...) __VA_ARGS__
#endif

#if PETSC_VERSION_LT(3, 26, 0)
  #define KSPEKSM "eksm"
#endif
#if PETSC_VERSION_LT(3, 25, 0)
typedef void  *PetscCtx;
typedef void **PetscCtxRt;
#endif

#ifdef __cplusplus
  #include <petscsf.h>
  #include <dlfcn.h>

namespace heptane
{

/*
   Two lines of configure's options to compare: of the headers, whose whole line is `options`, and of the running PETSc.
   Up to 3.25 the latter is unavailable: it is derived from the functions of the library
*/
inline PetscErrorCode GetConfigurations(const char *options, const char **compiled, const char **running)
{
  PetscFunctionBegin;
  #if PETSC_VERSION_GE(3, 26, 0)
  *compiled = options;
  PetscCall(PetscGetConfiguration(running));
  #else
  static char here[128], there[128];
  const auto  has  = [](const char *name) { return (int)(dlsym(RTLD_DEFAULT, name) != NULL); };
  const char *line = "--with-cuda=%d --with-hip=%d --with-kokkos=%d";

  (void)options;
  PetscCall(PetscSNPrintf(here, sizeof(here), line, (int)PetscDefined(HAVE_CUDA), (int)PetscDefined(HAVE_HIP), (int)PetscDefined(HAVE_KOKKOS)));
  PetscCall(PetscSNPrintf(there, sizeof(there), line, has("VecCreateSeqCUDA"), has("VecCreateSeqHIP"), has("VecCreateSeqKokkos")));
  *compiled  = here;
  *running   = there;
  #endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

  #if PETSC_VERSION_LT(3, 26, 0)
/* As in 3.26 */
struct MatState {
  PetscObjectId    id;
  PetscObjectState state, nonzerostate;
};

inline PetscErrorCode MatGetState(Mat A, MatState *s)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)A, &s->id));
  PetscCall(::MatGetState(A, &s->state));
  PetscCall(MatGetNonzeroState(A, &s->nonzerostate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The off-process values that a product needs, in the order of their columns. PETSc's own object is inaccessible; this
   one belongs to the block of these columns, and all processes rebuild it when the columns may have changed
*/
inline PetscErrorCode MatGetMultPetscSF(Mat A, PetscSF *sf)
{
  const char      *key = "HeptaneMultPetscSF", *name;
  char             want[64];
  Mat              other;
  PetscInt         ghosts;
  const PetscInt  *columns;
  PetscLayout      layout;
  PetscObjectState pattern;
  PetscBool        same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, NULL, &other, &columns));
  PetscCall(MatGetNonzeroState(A, &pattern));
  PetscCall(PetscSNPrintf(want, sizeof(want), "%" PetscInt64_FMT, (PetscInt64)pattern));
  PetscCall(PetscObjectQuery((PetscObject)other, key, (PetscObject *)sf));
  if (*sf) {
    PetscCall(PetscObjectGetName((PetscObject)*sf, &name));
    PetscCall(PetscStrcmp(name, want, &same));
  }
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetSize(other, NULL, &ghosts));
  PetscCall(MatGetLayouts(A, NULL, &layout));
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)A), sf));
  PetscCall(PetscSFSetGraphLayout(*sf, layout, ghosts, NULL, PETSC_OWN_POINTER, columns)); /* set up by its first use */
  PetscCall(PetscObjectSetName((PetscObject)*sf, want));
  PetscCall(PetscObjectCompose((PetscObject)other, key, (PetscObject)*sf));
  PetscCall(PetscObjectDereference((PetscObject)*sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}
  #endif

/*
   The state of the matrix that a preconditioner was set up for. Up to 3.25 a preconditioner that is given another
   matrix loses the states of the last one
*/
template <class Pc>
MatState StateAtSetUp(Pc pc)
{
  #if PETSC_VERSION_GE(3, 26, 0)
  return pc->matstate;
  #else
  MatState s = {0, pc->matstate, pc->matnonzerostate};

  (void)PetscObjectGetId((PetscObject)pc->pmat, &s.id);
  return s;
  #endif
}

template <class Pc>
void SetStateAtSetUp(Pc pc, const MatState &s)
{
  #if PETSC_VERSION_GE(3, 26, 0)
  pc->matstate = s;
  #else
  pc->matstate        = s.state;
  pc->matnonzerostate = s.nonzerostate;
  #endif
}

/*
   Up to 3.25 KSPSetUp() does not test whether the operator has changed since it was set; only PCApply() sets up the
   preconditioner again. A solver then keeps the reason of a set-up that has failed
*/
template <class Ksp>
PetscErrorCode SetUpIfChanged(PC pc, Ksp ksp)
{
  PetscFunctionBegin;
  #if PETSC_VERSION_LT(3, 26, 0)
  PCFailedReason failed;

  PetscCall(PCSetUp(pc));
  PetscCall(PCGetFailedReason(pc, &failed));
  if (ksp->pc == pc && failed) ksp->reason = KSP_DIVERGED_PC_FAILED;
  if (ksp->pc == pc && !failed && ksp->reason == KSP_DIVERGED_PC_FAILED) ksp->reason = KSP_CONVERGED_ITERATING;
  #endif
  (void)pc, (void)ksp;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Up to 3.25 the operator that a solver is set up for, kept by the solver */
template <class Ksp>
PetscErrorCode KeepOperatorState(Ksp ksp, MatState *state)
{
  PetscFunctionBegin;
  #if PETSC_VERSION_LT(3, 26, 0)
  Mat A;

  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(MatGetState(A, state));
  #endif
  (void)ksp, (void)state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Up to 3.25 before the set-up of a solver: Chebyshev estimates eigenvalues with a solver that reports an earlier failure of
   the preconditioner until that is set up again
*/
template <class Ksp>
PetscErrorCode SetUpPcFirst(Ksp ksp)
{
  PetscFunctionBegin;
  #if PETSC_VERSION_LT(3, 26, 0)
  PetscCall(PCSetErrorIfFailure(ksp->pc, ksp->errorifnotconverged));
  PetscCall(PCSetUp(ksp->pc));
  #endif
  (void)ksp;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Up to 3.25 a set-up if the operator has changed since, as KSPSetUp() of 3.26 makes it */
template <class Ksp>
PetscErrorCode SetUpAnewIfChanged(Ksp ksp, MatState *state)
{
  PetscFunctionBegin;
  #if PETSC_VERSION_LT(3, 26, 0)
  Mat      A, P;
  MatState now;

  PetscCall(KSPGetOperators(ksp, &A, &P));
  PetscCall(MatGetState(A, &now));
  if (now.id != state->id || now.state != state->state || now.nonzerostate != state->nonzerostate) {
    PetscCall(KSPSetOperators(ksp, A, P));
    PetscCall(KSPSetUp(ksp));
    *state = now;
  }
  PetscCall(SetUpIfChanged(ksp->pc, ksp));
  #endif
  (void)ksp, (void)state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Up to 3.25 MatRetrieveValues(), MatImaginaryPart() and MatSetInf() change values without counting it as a change of
   the matrix
*/
constexpr bool some_changes_uncounted = PETSC_VERSION_LT(3, 26, 0);

/* Up to 3.25 MatDuplicate() of AIJ with values keeps the arrays that it has read */
constexpr bool copies_hold_arrays = PETSC_VERSION_LT(3, 26, 0);

/* Up to 3.25 MatGetOrdering() orders a parallel matrix by its diagonal block only if its type is MATMPIAIJ */
constexpr bool orderings_compare_type = PETSC_VERSION_LT(3, 26, 0);

/* Up to 3.24 sequential AIJ keeps inverses of its diagonal, for MatSOR(), until its array is restored */
constexpr bool diagonal_inverses_stay = PETSC_VERSION_LT(3, 25, 0);

/* Up to 3.25 MatInvertBlockDiagonal() of AIJ may return an earlier result, although the values have changed */
constexpr bool inverse_blocks_stay = PETSC_VERSION_LT(3, 26, 0);

/* Then a copy of the local rows of an AIJ matrix that has no inverses; otherwise NULL */
inline PetscErrorCode CopyToInvertBlocks(Mat A, Mat *copy)
{
  PetscBool aij;
  PetscInt  bs;
  Mat       block;

  PetscFunctionBegin;
  *copy = NULL;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &aij, MATSEQAIJ, MATMPIAIJ, MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE, ""));
  if (!inverse_blocks_stay || !aij) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(MatGetDiagonalBlock(A, &block));
  PetscCall(MatDuplicate(block, MAT_COPY_VALUES, copy));
  PetscCall(MatSetBlockSize(*copy, bs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

  #if PETSC_VERSION_LT(3, 25, 0)
inline PetscErrorCode PetscErrorMessage(PetscErrorCode code, const char **text, const char **specific)
{
  char *s = NULL;

  PetscFunctionBegin;
  PetscCall(::PetscErrorMessage(code, text, &s));
  *specific = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

enum { VEC_SIGN_ZERO_TO_ZERO };

/* w = the sign of v, 0 for 0 */
inline PetscErrorCode VecPointwiseSign(Vec w, Vec v, int)
{
  PetscInt     n;
  PetscScalar *a;

  PetscFunctionBegin;
  if (w != v) PetscCall(VecCopy(v, w));
  PetscCall(VecGetLocalSize(w, &n));
  PetscCall(VecGetArray(w, &a));
  for (PetscInt i = 0; i < n; i++) a[i] = (PetscScalar)((a[i] > 0) - (a[i] < 0));
  PetscCall(VecRestoreArray(w, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}
  #endif

} // namespace heptane
#endif
