/*
   Common parts of the fused KSP types: a method as passes over an engine, the loop that runs it in batches of
   iterations, and the KSP type around it, which keeps all functions of PETSc's own type except the solve.
*/
#pragma once

#include "../../pass/offers/reduced_cg.hpp"
#include "../../pc/dense/inverse.hpp"
#include "../../sys/petsc_compat.hpp"
#include "engine/driver.hpp"
#include "engine/settings.hpp"
#include "method.hpp"
#include "mixed_memory.hpp"
#include <heptane.h>
#include <map>
#include <memory>
#include <string>

namespace heptane
{

class FusedPlacement; /* placement.hpp */
struct FusedContext;

/* Solves that other processes make for this one: asked before the solver solves itself. Made by src/ksp/groups, which
   this folder does not know. */
class FusedDelegate {
public:
  virtual ~FusedDelegate() = default;
  /* When the solver is set up, before its preconditioner is */
  virtual PetscErrorCode SetUp(KSP ksp, FusedContext *ctx) = 0;
  /* solved: as KSPSolve() leaves a solver; false: nothing has been done, on no process */
  virtual PetscErrorCode Solve(KSP ksp, FusedContext *ctx, bool *solved) = 0;
  /* Of the last solve, which was made so */
  virtual PetscErrorCode View(KSP ksp, PetscViewer viewer) = 0;
  virtual PetscErrorCode Reset()                           = 0;
};

/* Null: there are none */
inline std::unique_ptr<FusedDelegate> (*fused_make_delegate)() = nullptr;
/* A monitor of theirs that reads only the norm */
inline PetscErrorCode (*fused_norm_monitor)(KSP, PetscInt, PetscReal, void *) = nullptr;

/* A matrix with its pattern and values, as PETSc counts their changes */
Stamp FusedStamp(const MatState &);

/* Point inverses of a preconditioner, kept while that does not change */
class FusedPcCache {
public:
  /* *pc as row arithmetic if the method supports it; unit, image: work vectors that may be overwritten */
  PetscErrorCode     Get(FusedDriver &, const FusedMethod &, Vec unit, Vec image, FusedPc *pc);
  const std::string &WhyOther() const { return why; }
  /*
     these are inverses of the matrix's own diagonal, which the fused product reads anyway, or of its own diagonal
     blocks, which the product then need not read
  */
  bool MatrixDiagonal() const { return matrix_diagonal; }
  /* r can be recovered from M^-1 r by division; known for point inverses of a FusedUnwatchedMethod */
  bool Divisible() const { return divisible; }
  /* Frees the inverses */
  void Reset();
  /* Stamp of the inverses and of their matrix; it changes if either may have changed */
  const Stamp &MadeFrom() const { return made_from; }

private:
  PetscErrorCode Invert(FusedEngine &, Vec unit, Vec image, int block);
  PetscErrorCode FindDivisible(FusedEngine &);
  PetscErrorCode Compare(FusedEngine &, const FusedMethod &);

  Stamp          made_from;
  FusedPc        pc;
  PetscBool      matrix_diagonal = PETSC_FALSE;
  bool           divisible       = false;
  Buffer<Scalar> inverse;

  DenseLent   lent;       /* by the preconditioner, instead of these */
  Buffer<int> differs{1}; /* on the device, for comparisons */
  std::string why;
};

/* What options and functions of PETSc set */
struct FusedSettings {
  KSPFusedMode      mode              = KSP_FUSED_AUTO;
  PetscInt          interval          = 0;
  PetscBool         blocking          = PETSC_FALSE;
  PetscInt          persistent_blocks = 0;
  PetscBool         graphs_repeat     = PETSC_TRUE; /* -heptane_graph_repeat: for all solvers, whatever their prefix */
  KSPFusedFold      fold              = KSP_FUSED_FOLD_AUTO;
  PetscInt          fold_after        = -1; /* iterations before `auto` folds, -1: by cost */
  KSPFusedPrecision precision         = KSP_FUSED_PRECISION_DOUBLE;
  PetscReal         precision_factor  = FusedTuning::precision_factor; /* of the norm, between two updates of the residual */
};

/* Settings of CG, recorded because PETSc keeps them to itself, and PETSc's functions that set them */
struct FusedCgSettings {
  PetscBool         single_reduction = PETSC_FALSE;
  PetscReal         radius = 0, objective = 0;
  PetscErrorCodeFn *set_single_reduction = nullptr, *set_radius = nullptr, *set_objective = nullptr, *get_objective = nullptr;
};

/* Data kept from solve to solve */
struct FusedCaches {
  FusedPcCache pcs;
  FusedPlan    plan;     /* of an iteration */
  Stamp        plan_for; /* of an untested solve: its properties when it was recorded */
  /* the folded copy, of the preconditioner's inverses and the side */
  std::shared_ptr<FusedFolded> folded;
  Stamp                        folded_for;
  FusedFoldStatus              fold_status = FusedFoldStatus::done; /* how the making of it ended */
  /* the copy in single precision, likewise */
  std::shared_ptr<FusedFolded> single;
  Stamp                        single_for;
  FusedFoldStatus              single_status = FusedFoldStatus::done;
  bool                         rounding_side = false; /* a solve could not stay in mixed precision: `auto` does not take it again until the solver is reset */
  SavedSolution                saved_solution;        /* after the best update in mixed precision */
  MixedResultMemory            result;                /* by a persistent kernel in mixed precision */
#if PetscDefined(HAVE_CUDA)
  /* graphs by their number of iterations and DevicePasses::Turn() before them, good for one set of arguments */
  struct Graph {
    cudaGraphExec_t exec    = nullptr;
    FusedCounts     counts  = {};
    int             turn    = 0;     /* DevicePasses::Turn() after it */
    bool            repeats = false; /* counts are for one iteration */
  };
  static constexpr int                 graph_kinds = 3;
  std::map<std::pair<int, int>, Graph> graphs[graph_kinds]; /* 1: with the folded copy; 2: with that in single precision */
  Stamp                                graphs_for[graph_kinds];
  cudaStream_t                         capture = nullptr;
#endif
};

/* The last solve */
struct FusedReport {
  bool             ran       = false;
  PetscBool        fused     = PETSC_FALSE; /* not PETSc's own loop */
  bool             delegated = false;       /* another process ran it, by FusedDelegate; then not `fused` */
  std::string      remark;                  /* why the requested mode is not used */
  KSPFusedMode     chosen         = KSP_FUSED_AUTO;
  int              check_interval = 1;     /* iterations from check to check */
  bool             repeats        = false; /* the graphs end with the solve: see FusedRepeatedMethod */
  FusedCounts      repeated;               /* of one iteration in such a graph */
  FusedCounts      counts;
  double           bytes_a_row = 0;
  bool             one_sum     = false;   /* its iterations have one sum, as requested by -ksp_cg_single_reduction */
  std::string      sums_remark;           /* why they have two */
  bool             mixed         = false; /* it began in mixed precision */
  bool             smooth_single = false; /* untested, with the copy in single precision */
  std::string      precision_remark;      /* why not, or why it went on in double */
  std::vector<int> updates;               /* the iterations after which the residual was computed anew */
  FusedSide        fold_side   = FusedSide::none;
  int              folded_from = -1; /* the first iteration with the folded copy, -1: none */
  std::string      fold_remark;      /* why none */
};

struct FusedContext {
  FusedContext();
  ~FusedContext();

  struct _KSPOps                  stock; /* of PETSc's own type */
  std::unique_ptr<FusedMethod>    method;
  std::unique_ptr<FusedDriver>    engine;
  std::unique_ptr<FusedPlacement> placement;
  std::unique_ptr<FusedDelegate>  delegate; /* or null */
  FusedSettings                   settings;
  FusedCgSettings                 cg;
  FusedCaches                     caches;
  FusedReport                     last;
  MatState                        set_up_for = {}; /* see KeepOperatorState() */
};

/* The name under which a solver has its context composed */
inline constexpr char fused_context_name[] = "HeptaneFusedContext";

PetscErrorCode FusedGet(KSP ksp, FusedContext **ctx);

/* For work that remains after a reported error: f() without a further report */
template <class F>
PetscErrorCode FusedQuietly(F &&f)
{
  PetscErrorCode code = PetscPushErrorHandler(PetscReturnErrorHandler, NULL);

  if (code) return code;
  code = f();
  (void)PetscPopErrorHandler();
  return code;
}

/* loop.cxx: FusedDriver::WaitScalars(), and the host's scalars as they are after the last iteration of that batch */
PetscErrorCode FusedWaitScalars(FusedContext *ctx, int slot);
/* run_state.cxx: ctx->caches.plan and what an iteration moves, by an iteration recorded as the method runs it */
PetscErrorCode FusedMakePlan(FusedContext *ctx, const FusedPc &pc);
/*
   pc_setups.cxx: number of set-ups of a preconditioner, counted from the first call on. Its inverses may change without a
   new state of its matrix: after PCReset(), or when values of the blocks of a parallel matrix change
*/
PetscErrorCode FusedPcSetups(PC P, PetscInt64 *setups);
/* loop.cxx: flops of this number of iterations */
PetscErrorCode FusedLogFlops(const FusedContext *ctx, PetscInt iterations);
/* run_state.cxx: monitors that look at more than the norm, or a convergence test of the program's own */
bool FusedIterateWatched(KSP ksp);
/* loop.cxx: the iterations, from the scalars that Start() left to ksp->reason */
PetscErrorCode FusedLoop(KSP ksp, FusedContext *ctx, FusedPc pc);

/* graph.cxx */
PetscErrorCode FusedGraphLaunch(FusedContext *ctx, const FusedPc &pc, int iterations);
PetscErrorCode FusedGraphFree(FusedContext *ctx);
/*
   Whether graphs in this mode repeat one iteration until the solve ends, so that no iterations are queued after the
   end: pays if an iteration is expensive
*/
bool FusedGraphRepeats(const FusedContext *ctx, KSPFusedMode mode);

/*
   pc_cache.cxx: CG on a part of the unknowns, if preconditioner and solve support it, else null. Synchronizes with the
   device if values are new.
*/
PetscErrorCode FusedFindReduced(FusedEngine &e, ReducedCg **reduced);
/*
   run_state.cxx. Collective: -ksp_cg_single_reduction on the device, before the start of a solve: one sum per iteration if
   a persistent kernel supports it, else two
*/
PetscErrorCode FusedChooseSums(KSP ksp, FusedContext *ctx, const FusedPc &pc);
/* run_state.cxx: whether this solve will run as graphs that repeat themselves, if its iterates are not read */
bool FusedWillRepeat(const FusedContext *ctx);

/*
   mixed/choose.cxx, on one process: the copy of the matrix stored as Single, reused from the solve before if nothing
   has changed; *why: there is none
*/
PetscErrorCode FusedCopySingle(KSP ksp, FusedContext *ctx, const FusedPc &pc, FusedSide side, std::string *why);
/* mixed/smoother_copy.cxx: chooses the matrix that an untested solve multiplies with, and adapts *pc */
PetscErrorCode FusedChooseUntested(KSP ksp, FusedContext *ctx, FusedPc *pc);

/* fold.cxx */
/* *from: the iteration from which the solve is to go on folded, INT_MAX: never */
PetscErrorCode FusedFoldPlan(KSP ksp, FusedContext *ctx, const FusedPc &pc, PetscBool iterate, int *from);
/*
   Between two iterations, no batch in flight: folds the matrix if necessary, and replaces the engine's operator and
   *pc. entered: this succeeded
*/
PetscErrorCode FusedFoldEnter(KSP ksp, FusedContext *ctx, int at, FusedPc *pc, PetscBool *entered);

/* M^-1 as the scaling of a copy, and as the preconditioner that remains with the copy */
FusedScaling FusedScalingOf(FusedSide side, const FusedPc &pc);
FusedPc      FusedFoldedPc(const FusedPc &pc, bool unit);
/* What a copy is made from, in any precision. It has the exchange of the halo of the matrix, which is made anew if it fails */
Stamp FusedCopyStamp(const FusedContext *ctx, const FusedPc &pc, FusedSide side);

/*
   fusedksp.cxx: whether passes may run on the array of a vector: VecGetArray() of VECNEST returns a copy, which later
   passes would not see
*/
PetscErrorCode FusedOwnsArray(Vec v, PetscBool *owns);
/* fusedksp.cxx: makes ksp, just created as PETSc's own type, of the fused type with this method */
PetscErrorCode FusedInstall(KSP ksp, std::unique_ptr<FusedMethod> method);
PetscErrorCode FusedSolve(KSP ksp);
/* options.cxx */
PetscErrorCode FusedSetFromOptions(KSP ksp, FusedContext *ctx, PetscOptionItems PetscOptionsObject);
PetscErrorCode FusedView(KSP ksp, FusedContext *ctx, PetscViewer viewer);

} // namespace heptane
