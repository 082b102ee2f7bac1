/*
   The interface of a Krylov method: its iteration as a sequence of engine calls, and one small interface for each
   ability that only some methods have.
*/
#pragma once

#include "engine/engine.hpp"
#include <string>
#include <vector>

namespace heptane
{

class FusedPcCache;
struct FusedRepeat;

/* How the residual in double precision replaces the recurred one in single precision */
enum class FusedRounding {
  begin,  /* of a solve */
  keep,   /* replace the residual, keep the search direction */
  restart /* replace it, and restart the directions */
};

/* The vectors have another form with a scaled copy of the matrix */
class FusedFoldedMethod {
public:
  /* Into that form, between two iterations, and after the last one back; pc: before, and folded */
  virtual PetscErrorCode EnterFold(FusedEngine &, const FusedPc &) = 0;
  virtual PetscErrorCode LeaveFold(FusedEngine &, const FusedPc &) = 0;

protected:
  ~FusedFoldedMethod() = default;
};

/*
   -ksp_fused_precision, see mixed/mixed.cxx: the recurrences with vectors and a scaled copy stored as Single
   (FusedPc::single, which Iteration() is given). The correction that they sum up is added to the solution by
   AddCorrection().
*/
class FusedSingleMethod {
public:
  /* Why not in this solve; null: it can */
  virtual const char *WhyNotSingle(KSP) const = 0;
  /* As FusedMethod::Fold(), of that copy */
  virtual FusedSide      SideSingle(KSP ksp, const FusedPc &pc, std::string *why) const = 0;
  virtual PetscErrorCode EnterSingle(FusedEngine &, bool *got)                          = 0; /* got: memory was available */
  /* Completes the solution; the array, if not null, receives the previous solution */
  virtual PetscErrorCode AddCorrection(FusedEngine &, const FusedPc &, Scalar *) = 0;
  /* The preconditioner of the residual, and the vector for M^-1 of the residual */
  virtual void Residual(KSP, const FusedPc &, FusedPc *, Vec *) const = 0;
  /* Rounds that residual to single precision; leaves sums */
  virtual PetscErrorCode Round(FusedEngine &, const FusedPc &, FusedRounding) = 0;
  /* Computes the scalars from these sums; returns (r, r) of the stored vector */
  virtual Real Rounded(FusedEngine &, FusedRounding) const = 0;
  /* To double precision: as Start() from x and that vector */
  virtual PetscErrorCode LeaveSingle(FusedEngine &, const FusedPc &) = 0;
  /* As FusedPersistentMethod::Persistent() */
  virtual bool PersistentSingle(FusedEngine &, const FusedPc &, FusedSinglePersistent *) const { return false; }
  /* Converts the host's scalars to the form of that kernel */
  virtual void EnterPersistentSingle(FusedEngine &) {}

protected:
  ~FusedSingleMethod() = default;
};

/* The method has persistent kernels */
class FusedPersistentMethod {
public:
  /* The vectors of such a kernel; false: no kernel supports this solve */
  virtual bool Persistent(FusedEngine &, const FusedPc &, FusedPersistent *) const = 0;
  /* Stores the vectors that only the kernel uses, for passes that continue after it */
  virtual PetscErrorCode LeavePersistent(FusedEngine &, const FusedPc &) { return PETSC_SUCCESS; }
  /* The plan of an iteration with one sum; *plan: of the method's own */
  virtual void OneSum(FusedPlan *) const {}

protected:
  ~FusedPersistentMethod() = default;
};

/* A graph can repeat the iteration until the solve ends: DevicePasses::Repeat() */
class FusedRepeatedMethod {
public:
  /* The end of an iteration in such a graph */
  virtual PetscErrorCode Repeat(FusedEngine &, const FusedPc &, const FusedRepeat &) = 0;

protected:
  ~FusedRepeatedMethod() = default;
};

/*
   Solves without tests, logs and monitors, so that the host never synchronizes. Their number of
   iterations is known, so that the scalars are arguments of the launches. Start() and the functions after it are not
   called.
*/
class FusedUntestedMethod {
public:
  /* Their iterations; -1: it is another solve */
  virtual PetscInt Untested(KSP) const = 0;
  /* Iteration `it` of them, from 0 */
  virtual PetscErrorCode UntestedIteration(FusedEngine &, const FusedPc &, PetscInt) = 0;

protected:
  ~FusedUntestedMethod() = default;
};

/* PETSc's loop of this method differs from its loops of the other methods */
class FusedLoopMethod {
public:
  /* The feature of this solve that only PETSc's own loop has; empty: none */
  virtual PetscErrorCode WhyUnfused(KSP, std::string *) const = 0;
  /* The host's scalars before the first pass */
  virtual void Begin(FusedEngine &) const = 0;
  /* The count of iterations in PETSc's loop when it reports the norm of iteration `it` */
  virtual PetscInt Count(KSP, PetscInt it) const = 0;

protected:
  ~FusedLoopMethod() = default;
};

/* There is a form of the iteration with fewer bytes, for solves in which no monitor or test reads its vectors */
class FusedUnwatchedMethod {
public:
  /* *pc: in that form, from the first iteration on. It needs FusedPcCache::Divisible(). */
  virtual PetscErrorCode Unwatched(FusedEngine &, const FusedPcCache &, FusedPc *pc) = 0;

protected:
  ~FusedUnwatchedMethod() = default;
};

/* Properties of a method in a solve */
struct FusedTraits {
  /* The preconditioner is row arithmetic on the rows of the products */
  bool pc_in_products = false;
  /* A preconditioner that is no row arithmetic may be applied as launches, by FusedEngine::ApplyPC() and Product() */
  bool pc_apart = false;
  /* The method multiplies with the transpose too */
  bool transposed = false;
  /* PETSc's loop adds the guess of an earlier solve, too, until it is reset */
  bool stock_keeps_guess = false;
  /* Of FusedStop::no_beta */
  KSPConvergedReason no_beta = KSP_DIVERGED_BREAKDOWN;
};

/* A Krylov method. One object for each KSP. */
class FusedMethod {
public:
  virtual ~FusedMethod()                = default;
  virtual FusedTraits Traits(KSP) const = 0;
  /* All vectors that Iteration() reads or writes, the solution first */
  virtual std::vector<Vec> Vectors(KSP ksp) = 0;
  /* The residual, and the sums of the first norm and scalars */
  virtual PetscErrorCode Start(FusedEngine &) = 0;
  /* Launches that need not wait until the host has read these */
  virtual PetscErrorCode Ahead(FusedEngine &) { return PETSC_SUCCESS; }
  /* The host's scalars from these sums */
  virtual void Started(FusedEngine &) const = 0;
  /* Whether the method stops before its first iteration */
  virtual void CheckStart(FusedScalars &) const {}
  /* Computes the host's scalars from the sums of the last pass of an iteration */
  virtual void Settle(FusedEngine &) const = 0;
  /* Arguments of the passes in addition to Vectors() */
  virtual void Arguments(Stamp &) const {}
  /* Only engine calls: recorded, they are the plan */
  virtual PetscErrorCode Iteration(FusedEngine &, const FusedPc &) = 0;
  /* Completes the solution of the last complete iteration */
  virtual PetscErrorCode Complete(FusedEngine &, const FusedPc &) = 0;
  /* After the loop, arrays released */
  virtual PetscErrorCode Finish(FusedEngine &) { return PETSC_SUCCESS; }
  /* Of FusedStop::singular: sets ksp->reason */
  virtual PetscErrorCode Singular(FusedEngine &) { return PETSC_SUCCESS; }
  /* After an iteration that the host lets pass: other conditions that stop it */
  virtual void Continue(FusedScalars &) const = 0;
  /*
     The side of the matrix from which this preconditioner can be folded into it; none: *why not. iterate: x and r are
     read in every iteration.
  */
  virtual FusedSide Fold(KSP ksp, const FusedPc &pc, PetscBool iterate, std::string *why) const = 0;
  /* Frees vectors of its own, whose size is fixed */
  virtual PetscErrorCode Reset() { return PETSC_SUCCESS; }

  /* The abilities of the method's class; null: it does not have them */
  struct Abilities {
    FusedFoldedMethod     *folded     = nullptr;
    FusedSingleMethod     *single     = nullptr;
    FusedPersistentMethod *persistent = nullptr;
    FusedRepeatedMethod   *repeated   = nullptr;
    FusedUntestedMethod   *untested   = nullptr;
    FusedUnwatchedMethod  *unwatched  = nullptr;
    FusedLoopMethod       *loop       = nullptr;
  } can;

  void FindAbilities()
  {
    can.folded     = dynamic_cast<FusedFoldedMethod *>(this);
    can.single     = dynamic_cast<FusedSingleMethod *>(this);
    can.persistent = dynamic_cast<FusedPersistentMethod *>(this);
    can.repeated   = dynamic_cast<FusedRepeatedMethod *>(this);
    can.untested   = dynamic_cast<FusedUntestedMethod *>(this);
    can.unwatched  = dynamic_cast<FusedUnwatchedMethod *>(this);
    can.loop       = dynamic_cast<FusedLoopMethod *>(this);
  }
  /* See FusedUntestedMethod; -1 too if the method has no such solves */
  PetscInt Untested(KSP ksp) const { return can.untested ? can.untested->Untested(ksp) : -1; }
};

} // namespace heptane
