/*
   What the fused KSP types share: a method as passes over an engine, the loop that runs it in batches of iterations, and the KSP type around it, which keeps
   everything of PETSc's own type but the solve.
*/
#pragma once

#include "../../pass/offers/reduced_cg.hpp"
#include "../../pc/dense/inverse.hpp"
#include "engine/engine.hpp"
#include "engine/settings.hpp"
#include "kept_solution.hpp"
#include "mixed_left.hpp"
#include <heptane.h>
#include <map>
#include <memory>
#include <string>

namespace heptane
{

class FusedPcCache;
class FusedPlacement; /* placement.hpp */
struct FusedRepeat;

/* How the residual in double precision becomes that of the recurrences in single precision */
enum class FusedRounding {
  begin,  /* of a solve */
  keep,   /* in the place of the one recurred; the directions go on */
  restart /* in its place, and the directions begin anew */
};

/* A Krylov method as text over the engine's passes. One object for each KSP. */
class FusedMethod {
public:
  virtual ~FusedMethod()                        = default;
  virtual std::vector<Vec> Vectors(KSP ksp)     = 0;                      /* all that Iteration() touches, the solution first */
  virtual PetscErrorCode   Start(FusedEngine &) = 0;                      /* residual, and the sums of the first norm and scalars */
  virtual PetscErrorCode   Ahead(FusedEngine &) { return PETSC_SUCCESS; } /* what may be launched while the host looks at these */
  virtual void             Started(FusedEngine &) const = 0;              /* the host's scalars from these sums */
  virtual void             CheckStart(FusedScalars &) const {}            /* what stops the method before its first iteration */
  virtual void             Settle(FusedEngine &) const = 0;               /* the host's scalars from the sums that the last pass of an iteration left */
  virtual void             Arguments(Stamp &) const {}                    /* what the passes are given beside Vectors() */
  virtual PetscErrorCode   Iteration(FusedEngine &, const FusedPc &) = 0; /* by the engine alone: recorded, it is the plan */
  /* The end of an iteration in a graph that repeats it while the solve goes on: FusedEngine::Repeat() */
  virtual bool               Repeats() const { return false; }
  virtual PetscErrorCode     Repeat(FusedEngine &, const FusedPc &, const FusedRepeat &) { return PETSC_SUCCESS; }
  virtual PetscErrorCode     Complete(FusedEngine &, const FusedPc &) = 0; /* the solution as it is after the last complete iteration */
  virtual PetscErrorCode     Finish(FusedEngine &)                    = 0; /* after the loop, arrays released */
  virtual PetscErrorCode     Singular(FusedEngine &)                  = 0; /* FusedStop::singular: sets ksp->reason */
  virtual void               GoOn(FusedScalars &) const               = 0; /* after an iteration that the host lets pass: what else may stop it */
  virtual KSPConvergedReason NoBeta() const                           = 0;
  virtual bool               PcInProducts(KSP) const { return false; } /* whether it is applied to the rows of the products */
  virtual bool PcApart() const { return false; } /* whether one that is no row arithmetic may be applied as launches, by FusedEngine::ApplyPC() and Product() */
  /* nobody looks at vectors between the iterations: the form with fewest bytes, from the first iteration on */
  virtual PetscErrorCode Unwatched(FusedEngine &, const FusedPcCache &, FusedPc *) { return PETSC_SUCCESS; }
  virtual bool           DividesByInverse() const { return false; } /* what Unwatched() wants to know of FusedPcCache::Divisible() */
  virtual bool           Persistent(FusedEngine &, const FusedPc &, FusedPersistent *) const = 0; /* vectors of the persistent kernel; false: none */
  virtual bool           Calls(const FusedEngine &) const { return false; } /* PETSc's functions between the passes, whatever the preconditioner */
  /* the vectors that a persistent kernel keeps to itself, for passes that go on after it */
  virtual PetscErrorCode LeavePersistent(FusedEngine &, const FusedPc &) { return PETSC_SUCCESS; }
  virtual PetscErrorCode Reset() { return PETSC_SUCCESS; } /* vectors of its own, of one size */
  /* The side of the matrix from which this preconditioner can be folded into it; none: *why not. iterate: somebody looks at x and r in every iteration. */
  virtual FusedSide Fold(KSP ksp, const FusedPc &pc, PetscBool iterate, std::string *why) const = 0;
  /* The vectors into the form that they have with a folded matrix, between two iterations, and after the last one back, where that is another; pc: before, and folded */
  virtual PetscErrorCode EnterFold(FusedEngine &, const FusedPc &) { return PETSC_SUCCESS; }
  virtual PetscErrorCode LeaveFold(FusedEngine &, const FusedPc &) { return PETSC_SUCCESS; }

  /*
     -ksp_fused_precision, see mixed/mixed.cxx: the recurrences with vectors and a scaled copy stored as Single (FusedPc::single, which Iteration() is given). What they add up for the solution lies
     beside it until Land().
  */
  virtual const char *WhyNotSingle(KSP) const { return "the method has double precision alone"; }
  /* as Fold(), of that copy */
  virtual FusedSide      SideSingle(KSP ksp, const FusedPc &pc, std::string *why) const { return Fold(ksp, pc, PETSC_FALSE, why); }
  virtual PetscErrorCode EnterSingle(FusedEngine &, bool *) { return PETSC_SUCCESS; } /* got: there is memory */
  /* The solution is complete; the array, if not null, has it as it was before */
  virtual PetscErrorCode Land(FusedEngine &, const FusedPc &, Scalar *) { return PETSC_SUCCESS; }
  virtual void           Residual(KSP, const FusedPc &, FusedPc *, Vec *) const {}                      /* M^-1 of it, and the vector it lies in */
  virtual PetscErrorCode Round(FusedEngine &, const FusedPc &, FusedRounding) { return PETSC_SUCCESS; } /* from there; leaves sums */
  virtual Real           Rounded(FusedEngine &, FusedRounding) const { return 0; }             /* the scalars by these sums; (r, r) of what is stored */
  virtual PetscErrorCode LeaveSingle(FusedEngine &, const FusedPc &) { return PETSC_SUCCESS; } /* to double precision: as Start() from x and that vector */
  virtual bool           PersistentSingle(FusedEngine &, const FusedPc &, FusedSinglePersistent *) const { return false; } /* as Persistent() */
  virtual void           EnterPersistentSingle(FusedEngine &) {} /* the host's scalars as that kernel takes them */

  /* The plan of an iteration with one sum, which persistent kernels have; *plan: of the method's own */
  virtual void OneSum(FusedPlan *) const {}

  /* What of this solve only PETSc's own loop does; empty: nothing */
  virtual PetscErrorCode WhyTwin(KSP, std::string *) const { return PETSC_SUCCESS; }
  /* The host's scalars before the first pass */
  virtual void Begin(FusedEngine &) const {}
  /* Whether a first norm that is no number ends the solve before it is logged */
  virtual bool ChecksStart() const { return true; }
  /* The count of iterations that PETSc's loop has while it shows the norm of iteration `it` */
  virtual PetscInt Count(KSP, PetscInt it) const { return it; }
  /* The iterations of a solve in which nothing is tested, logged or shown, so that the host neither waits nor looks; -1: it is another solve. Their number is known, so that the scalars
     are arguments of the launches. Start() and what follows it are not called. */
  virtual PetscInt Untested(KSP) const { return -1; }
  /* Iteration `it` of them, from 0 */
  virtual PetscErrorCode UntestedIteration(FusedEngine &, const FusedPc &, PetscInt) { return PETSC_SUCCESS; }
};

/* A matrix with its pattern and values, as PETSc counts their changes */
Stamp FusedStamp(const MatState &);

/* Point inverses of a preconditioner, kept while that does not change */
class FusedPcCache {
public:
  /* *pc as row arithmetic where the method can have it so; unit, image: work vectors whose values may be lost */
  PetscErrorCode     Get(FusedEngine &, const FusedMethod &, Vec unit, Vec image, FusedPc *pc);
  const std::string &WhyOther() const { return why; }
  /* these are inverses of the matrix's own diagonal, which the fused product reads anyway, or of its own diagonal blocks, which it then need not read */
  bool Own() const { return own; }
  /* r can be had back from M^-1 r by division; known for point inverses where FusedMethod::DividesByInverse() */
  bool Divisible() const { return divisible; }
  /* the inverses go */
  void Reset();
  /* of the inverses and of the matrix they go with: another one where either may have changed */
  const Stamp &MadeFrom() const { return made_from; }

private:
  PetscErrorCode Invert(FusedEngine &, Vec unit, Vec image, int block);
  PetscErrorCode FindDivisible(FusedEngine &);
  PetscErrorCode Compare(FusedEngine &, const FusedMethod &);

  Stamp          made_from;
  FusedPc        pc;
  PetscBool      own       = PETSC_FALSE;
  bool           divisible = false;
  Buffer<Scalar> inverse;

  DenseLent   lent;       /* by the preconditioner, instead of these */
  Buffer<int> differs{1}; /* on the device, for comparisons */
  std::string why;
};

struct FusedContext {
  FusedContext();
  ~FusedContext();
  struct _KSPOps               stock; /* of PETSc's own type */
  std::unique_ptr<FusedMethod> method;
  std::unique_ptr<FusedEngine> engine;
  FusedPcCache                 pcs;

  std::unique_ptr<FusedPlacement> placement;
  /* settings */
  KSPFusedMode mode              = KSP_FUSED_AUTO;
  PetscInt     interval          = 0;
  PetscBool    blocking          = PETSC_FALSE;
  PetscInt     persistent_blocks = 0;
  PetscBool    graphs_repeat     = PETSC_TRUE; /* -heptane_graph_repeat: for all solvers, whatever their prefix */
  KSPFusedFold fold              = KSP_FUSED_FOLD_AUTO;
  PetscInt     fold_after        = -1; /* iterations before `auto` folds, -1: by cost */

  KSPFusedPrecision precision        = KSP_FUSED_PRECISION_DOUBLE;
  PetscReal         precision_factor = FusedTuning::precision_factor; /* of the norm, between two updates of the residual */
  /* CG's, recorded because PETSc keeps them to itself */
  PetscBool         single_reduction = PETSC_FALSE;
  PetscReal         radius = 0, objective = 0;
  PetscErrorCodeFn *cg_single_reduction = nullptr, *cg_radius = nullptr, *cg_objective = nullptr, *cg_get_objective = nullptr;
  /* the folded copy, of the preconditioner's inverses and the side; kept from solve to solve */
  std::shared_ptr<FusedFolded> folded;
  Stamp                        folded_for;
  FusedFolding                 folding = FusedFolding::done; /* how the making of it ended */
  /* the copy in single precision, likewise */
  std::shared_ptr<FusedFolded> single;
  Stamp                        single_for;
  KeptSolution                 good; /* behind the best update in mixed precision */
  MixedLeftMemory              left; /* by a persistent kernel in mixed precision */
  FusedFolding                 singling    = FusedFolding::done;
  bool                         left_single = false; /* a solve could not stay in mixed precision: `auto` does not take it again until the solver is reset */
  /* the last solve */
  bool             one_sum = false;       /* its iterations have one sum, as -ksp_cg_single_reduction asks */
  std::string      sums_remark;           /* why they have two */
  bool             mixed         = false; /* it began in mixed precision */
  bool             smooth_single = false; /* untested, with the copy in single precision */
  std::string      precision_remark;      /* why not, or why it went on in double */
  std::vector<int> updates;               /* the iterations behind which the residual was computed anew */
  FusedSide        fold_side   = FusedSide::none;
  int              folded_from = -1; /* the first iteration with the folded copy, -1: none */
  std::string      fold_remark;      /* why none */
  bool             ran   = false;
  PetscBool        fused = PETSC_FALSE; /* not PETSc's own loop */
  std::string      remark;              /* why not what was asked for */
  KSPFusedMode     chosen  = KSP_FUSED_AUTO;
  int              looked  = 1;
  bool             repeats = false; /* the graphs end with the solve: see FusedMethod::Repeats() */
  FusedCounts      repeated;        /* of one iteration in such a graph */
  FusedPlan        plan;            /* of an iteration */
  Stamp            plan_for;        /* of an untested solve: what it was recorded for */
  FusedCounts      counts;
  double           bytes_a_row = 0;
#if PetscDefined(HAVE_CUDA)
  /* graphs by their number of iterations and FusedEngine::Turn() before them, good for one set of arguments */
  struct Graph {
    cudaGraphExec_t exec    = nullptr;
    FusedCounts     counts  = {};
    int             turn    = 0;     /* FusedEngine::Turn() after it */
    bool            repeats = false; /* counts are those of one iteration */
  };
  static constexpr int                 graph_kinds = 3;
  std::map<std::pair<int, int>, Graph> graphs[graph_kinds]; /* 1: with the folded copy; 2: with that in single precision */
  Stamp                                graphs_for[graph_kinds];
  cudaStream_t                         capture = nullptr;
#endif
};

/* The name under which a solver has its context composed */
inline constexpr char fused_context_name[] = "HeptaneFusedContext";

PetscErrorCode FusedGet(KSP ksp, FusedContext **ctx);

/* What is still to be done after an error, which has been reported: f() without a further report */
template <class F>
PetscErrorCode FusedQuietly(F &&f)
{
  PetscErrorCode code = PetscPushErrorHandler(PetscReturnErrorHandler, NULL);

  if (code) return code;
  code = f();
  (void)PetscPopErrorHandler();
  return code;
}

/* loop.cxx: FusedEngine::Look(), and the host's scalars as they are after the last iteration of that batch */
PetscErrorCode FusedLook(FusedContext *ctx, int slot);
/* make_plan.cxx: ctx->plan and what an iteration moves, by such an iteration recorded */
PetscErrorCode FusedMakePlan(FusedContext *ctx, const FusedPc &pc);
/* loop.cxx: of so many iterations */
PetscErrorCode FusedLogFlops(const FusedContext *ctx, PetscInt iterations);
/* course.cxx: monitors that look at more than the norm, or a convergence test of the program's own */
bool FusedIterateWatched(KSP ksp);
/* loop.cxx: the iterations, from the scalars that Start() left to ksp->reason */
PetscErrorCode FusedLoop(KSP ksp, FusedContext *ctx, FusedPc pc);

/* graph.cxx */
PetscErrorCode FusedGraphLaunch(FusedContext *ctx, const FusedPc &pc, int iterations);
PetscErrorCode FusedGraphFree(FusedContext *ctx);
/* Whether graphs in this mode repeat one iteration until the solve ends, so that none is queued behind its end: where an iteration costs much */
bool FusedGraphRepeats(const FusedContext *ctx, KSPFusedMode mode);

/* pc_cache.cxx: CG on a part of the unknowns, where preconditioner and solve allow it; null where not. It waits for the device once where values are new. */
PetscErrorCode FusedFindReduced(FusedEngine &e, ReducedCg **reduced);
/* course.cxx: -ksp_cg_single_reduction on the device, before the start of a solve: one sum per iteration where a persistent kernel has it, else two; collective */
PetscErrorCode FusedChooseSums(KSP ksp, FusedContext *ctx, const FusedPc &pc);
/* course.cxx: whether this solve will run as graphs that repeat themselves, if nobody looks at its iterate */
bool FusedWillRepeat(const FusedContext *ctx);

/* mixed/mixed_choose.cxx, on one process: the copy of the matrix stored as Single, as it was in the solve before if nothing has changed; *why: there is none */
PetscErrorCode FusedCopySingle(KSP ksp, FusedContext *ctx, const FusedPc &pc, FusedSide side, std::string *why);
/* mixed/smoother_copy.cxx: what an untested solve multiplies with, and *pc with that */
PetscErrorCode FusedChooseUntested(KSP ksp, FusedContext *ctx, FusedPc *pc);

/* fold.cxx */
/* *from: the iteration from which the solve is to go on folded, INT_MAX: never */
PetscErrorCode FusedFoldPlan(KSP ksp, FusedContext *ctx, const FusedPc &pc, PetscBool iterate, int *from);
/* Between two iterations, nothing under way: the matrix folded, if it is not yet, the engine's operator and *pc replaced. entered: it could be done. */
PetscErrorCode FusedFoldEnter(KSP ksp, FusedContext *ctx, int at, FusedPc *pc, PetscBool *entered);

/* M^-1 as a copy is scaled by it, and as it is where it is in the copy */
FusedScaling FusedScalingOf(FusedSide side, const FusedPc &pc);
FusedPc      FusedFoldedPc(const FusedPc &pc, bool unit);

/* fusedksp.cxx: whether passes may run on the array of a vector: VecGetArray() of VECNEST gives a copy, which passes that run after it would not see */
PetscErrorCode FusedOwnsArray(Vec v, PetscBool *owns);
/* fusedksp.cxx: makes ksp, just created as PETSc's own type, of the fused type with this method */
PetscErrorCode FusedInstall(KSP ksp, std::unique_ptr<FusedMethod> method);
PetscErrorCode FusedSolve(KSP ksp);
/* options.cxx */
PetscErrorCode FusedSetFromOptions(KSP ksp, FusedContext *ctx, PetscOptionItems PetscOptionsObject);
PetscErrorCode FusedView(KSP ksp, FusedContext *ctx, PetscViewer viewer);

} // namespace heptane
