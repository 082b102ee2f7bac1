/*
   Runs the passes of a method where its vectors are: on the host, on the device, and there either as launches of their own or into a graph. Counts launches, reductions
   and waits, or, instead of running anything, records what it is asked for: see Record(). Knows PETSc's objects; methods above it know no launch syntax.
*/
#pragma once

#include "../../../comm/peer_options.hpp"
#include "../../../comm/peer_setup.hpp"
#include "../../../device/buffer.hpp"
#include "../../../metrics/metrics.hpp"
#include "../../../pass/offers/folded_copy.hpp"
#include "../../../pass/offers/pc_passes.hpp"
#include "../../../pass/step_host.hpp"
#include "plan.hpp"
#include "singles.hpp"
#include "tuning.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "../../../pass/step_launch.hpp"
#endif
#include <petsc/private/kspimpl.h>
#include <petsc/private/vecimpl.h>
#include <utility>

namespace heptane
{

class FusedEngine {
public:
  ~FusedEngine();
  /* For a solve with this KSP. vectors: all that passes touch, the first the solution; the right-hand side, if it is one of them, is only read. All of them on the device, or the passes run
     on the host; in the same place on all processes. */
  PetscErrorCode Begin(KSP ksp, const std::vector<Vec> &vectors, PetscBool blocking);
  PetscErrorCode End();

  bool OnDevice() const { return device; }
  bool HostScalars() const { return host_scalars; } /* they are known to the host after every reduction: on the host, or summed over processes by MPI */
  bool FusedProducts() const { return matrix_op && !matrix_op->ByMatMult(); } /* of the matrix itself */
  bool FormsInput() const { return matrix_op && device; } /* products with FusedProduct::v: on the host forming u once and storing it is cheaper */
  /* whether products do not apply these point blocks, whose size is not that of the operator, or which are stored as Single: a pass of its own does */
  bool BlocksApart(const FusedPc &pc) const;
  /* The application of a preconditioner that is no row arithmetic, as launches: until End(), or null */
  void            SetPasses(const PcPasses *of_pc) { passes = of_pc; }
  const PcPasses *Passes() const { return passes; }
  bool            CallsPc(const FusedPc &pc) const { return pc.form == FusedPc::called && !passes; } /* PCApply() */
  bool            Stopped() const { return !plan && host_scalars && Host().stop != FusedStop::no; }
  PetscInt        Rows() const { return n; }
  int             Processes() const { return size; }
  /* How the sums, and the columns of other processes, go between the processes: in the last solve */
  const char        *SumsBy() const { return Linked() ? link.Text() : "MPI"; }
  const char        *HaloBy() const { return halo_by; }
  const std::string &WhyNotPeers() const { return why_mpi; } /* where they were wanted */
  /* the folded copy, where there is one, or the matrix's */
  FusedOperator *Operator() const { return folded ? folded->Operator() : matrix_op.get(); }
  /* the matrix's; null where there is a copy */
  FusedMatrix *Matrix() const { return folded ? nullptr : matrix_op.get(); }
  void         SetFolded(std::shared_ptr<FusedFolded> copy) { folded = std::move(copy); } /* until End() */
  /* whether others have changed the matrix since this was asked last: its operator is that of the new values already */
  bool               MatrixChanged() { return std::exchange(changed, false); }
  const FusedCounts &Counts() const { return counts; }
  FusedCounts       &Counts() { return counts; }
  Scalar            *Array(Vec v) const; /* of one of the vectors, valid until End() */
  /* While PETSc's own functions work on the vectors their arrays are given back */
  PetscErrorCode Release();
  PetscErrorCode Acquire();
  /* The scalars and sums as the next pass sees them: to take the address of one of them. Method: the struct of the method's scalars */
  template <class Method>
  const Method *Scalars() const;
  const Scalar *Sums() const;
  /* The host's: after Begin(), Look() or with HostScalars() what the passes left; SetScalars() hands the scalars over */
  FusedScalars       &Host() { return Host<FusedScalars>(); }
  const FusedScalars &Host() const { return Host<FusedScalars>(); }
  template <class Method>
  Method &Host()
  {
    return *reinterpret_cast<Method *>(own.scalars[0]);
  }
  template <class Method>
  const Method &Host() const
  {
    return *reinterpret_cast<const Method *>(own.scalars[0]);
  }
  const Scalar  *HostSums() const { return own.sums; }
  PetscErrorCode SetScalars();
  PetscErrorCode ClearScalars(); /* those that the passes see: all zeros, so that nothing stands still. No wait, and nothing is copied. */
  Real           Norm(int it) const { return history[it % PassTuning::history]; }
  Real          *History() { return history; }
  /* The scalars and the norms of iterations (from, to] on their way to the host behind what was launched so far; slot 0 or 1 */
  PetscErrorCode PostLook(int slot, int from, int to);
  PetscErrorCode Look(int slot);
  /* Where nobody looks: waits for the passes, and whether they have waited in vain for other processes; nothing to do on one process and on the host */
  PetscErrorCode CheckExchange();
  PetscErrorCode CheckCounts();
  PetscErrorCode WaitForKernels();                       /* where ranks are on several nodes: see scalars.cxx */
  PetscErrorCode Clear(void *member, std::size_t bytes); /* of the host's scalars, here and where the passes see them: all zeros */
  /* Vectors of Rows() scalars more, where the passes run; made when first asked for, kept from solve to solve. got: there is memory for them. */
  static constexpr int scratch_vectors = PassTuning::cg_directions - 1;
  PetscErrorCode       Scratch(int number, Scalar *vectors[], bool *got);
  const auto          &ScratchVectors() const { return scratch; }
  void                 FreeScratch();

  /* What f(), which returns a PetscErrorCode, asks this engine to do is added to the plan and not done: nothing is launched or called, no vector is touched, nothing counts */
  template <class F>
  PetscErrorCode Record(FusedPlan *into, F &&f);
  /* A pass over the vectors. always: though the iteration stands still. detail: what the plan says of it behind what the step says by itself */
  template <class Step>
  PetscErrorCode Run(const Step &step, const FusedPc &pc = FusedPc(), bool always = false, const char *detail = "");
  /* Kernels of others, by a step that says how the scalars advance before them and what sums they leave. host(step, sums), device(state, reduction, stream), which returns a CUDA error */
  template <class Step, class HostCall, class DeviceCall>
  PetscErrorCode RunBy(Step step, int kernels, double flops, const char *function, const char *text, HostCall host, DeviceCall on_device);
  /* The sums of such kernels that come before the loop, and what comes behind it: the scalars stay as they are */
  PetscErrorCode KeepSums(int k, int at, const Scalar sums[]);
  /* The combination of a product: one pass, or MatMult(), PCApply() where M^-1 is not row arithmetic, and a pass. in: the vector of P.q; product, applied: for A u and M^-1 (rhs - A u) then */
  PetscErrorCode Combine(const FusedProduct &P, Vec in, Vec product, Vec applied, const ProductText &text);
  /* y = M^-1 A u and what follows: one pass, or MatMult(), PCApply() where it is not row arithmetic, and a pass. in, out: the vectors of P.q (P.v null) and P.y; between: for out before PCApply() */
  PetscErrorCode Product(const FusedProduct &P, Vec in, Vec out, Vec between, const ProductText &text);
  /* The same of vectors stored as Single, with the folded copy, which is stored so: always one pass */
  PetscErrorCode Product(const FusedProductOf<Single> &P, const ProductText &text);
  FusedSingles   singles;
  /* to = A^T from: a pass of its own, or KSP_MatMultHermitianTranspose() */
  bool           TransposeIsPass() const { return Matrix() && Matrix()->HasTranspose(); }
  PetscErrorCode ProductTranspose(Vec from, Vec to, const char *text);
  /* to = M^-1 from: a pass, or PCApply() between passes */
  PetscErrorCode ApplyPC(const FusedPc &pc, Vec from, Vec to, const char *text);
  PetscErrorCode ApplyPCTranspose(Vec from, Vec to, const char *text); /* always a call */

#if PetscDefined(HAVE_CUDA)
  cudaStream_t          stream = nullptr; /* passes are launched into it */
  const FusedReduction &Reduction() const
  {
    return reduction;
  }
  FusedScalars *DeviceScalars() const
  {
    return Copy(turn);
  }
  /* Which of the two copies of the scalars the next pass reads: graphs are recorded for one of them, and leave one of them */
  int Turn() const
  {
    return turn;
  }
  PetscErrorCode ClearOther(); /* the copy that the next pass does not read: all zeros, so that nothing that reads it stands still */
  void           SetTurn(int copy)
  {
    turn = copy;
  }
  PetscErrorCode WaitFor(cudaEvent_t event);
  /* The end of an iteration in a graph that repeats it: see launch_repeat(). step: the first pass of an iteration */
  template <class Step>
  PetscErrorCode Repeat(const Step &step, const FusedRepeat &repeat)
  {
    PetscFunctionBegin;
    PetscCallCUDA(launch_repeat(step, DeviceScalars(), reduction, repeat, stream));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode RepeatCount(int **count); /* made when first asked for */
  PeerGrid       Grid() const;             /* sums over all blocks of persistent kernels of several processes */
  bool           SharesGpu() const;        /* some processes have the same one */
  PetscErrorCode FailExchange() const;     /* of all processes, at once: this one cannot take part */
  bool Relayed() const /* ranks are on several nodes, and the host sends on what kernels store for others: until they have ended it does nothing else */
  {
    return PassesSum() && link.Relayed();
  }
  void GridBlocks(int blocks) const /* of the persistent kernel that is launched next */
  {
    if (PassesSum()) link.Blocks(blocks);
  }
  FusedPersistentMemory &Persistent();
#endif
  KSP ksp  = nullptr; /* borrowed */
  Mat Amat = nullptr;

private:
  template <class Step>
  PetscErrorCode Launch(const Step &step, const FusedPc &pc, bool always);
  template <class T>
  PetscErrorCode ProductPass(const FusedProductOf<T> &P, const ProductText &text);
  PetscErrorCode RowsOfProduct(const FusedProduct &P, const ProductText &text);
  void           RecordMatMult(const char *function, const std::string &text);
  PetscErrorCode SumOverProcesses(int k, int at, Scalar sums[]);
  /* The ranks sum from memory to memory */
  bool Linked() const
  {
    return link.Usable() && !unlinked;
  }
  PetscErrorCode Link();
  PetscErrorCode ChooseRelay();
  PetscErrorCode Mend();
  PetscErrorCode CheckLinks(const int failed[2]) const;
  void           ChooseScalars();
  /* The passes sum over processes by themselves */
  bool PassesSum() const
  {
    return device && size > 1 && !host_scalars;
  }
  const PeerLink *HaloLink() const
  {
    return PassesSum() && Operator() ? Operator()->Peers() : nullptr;
  }
  PetscErrorCode        AllocateDevice();
  PetscErrorCode        FreeEvents();
  PetscErrorCode        Refetch();
  PetscErrorCode        WaitForSums();
  bool                  device = false, host_scalars = true, aligned = true, held = false, changed = false, cleared = false; /* cleared: see ClearScalars() */
  bool                  unlinked = false; /* ranks are on several nodes, and products go by MPI: so do sums, since the host waits anyway */
  PetscBool             blocking = PETSC_FALSE;
  PetscInt              n        = 0;
  MPI_Comm              comm     = MPI_COMM_NULL;
  PetscMPIInt           size     = 1;
  PeerOptions           peers;
  PeerLink              link; /* where it is usable sums go by it, not by MPI */
  const char           *halo_by = "";
  Stamp                 link_for; /* what it was made for, or refused */
  std::string           why_mpi;  /* instead of memory to memory */
  std::vector<Vec>      vectors;
  std::vector<Scalar *> arrays;
  FusedCounts           counts;
  FusedMemory           own = {}; /* on the host, in the first of the copies */
  std::vector<Real>     own_history;
  Real                 *history = nullptr; /* the host's */
  Buffer<Scalar>        scratch[scratch_vectors];
  FusedPlan            *plan = nullptr; /* not null: being recorded */

  std::shared_ptr<FusedMatrix> matrix_op; /* until End() */
  std::shared_ptr<FusedFolded> folded;    /* likewise */
  const PcPasses              *passes = nullptr;
#if PetscDefined(HAVE_CUDA)
  /* the memory that the pointers below lead to */
  Buffer<FusedMemory>                copies_memory{1};
  Buffer<Scalar>                     partial_memory;
  Buffer<unsigned>                   count_memory{1};
  Buffer<Real>                       history_memory{PassTuning::history};
  Buffer<int>                        repeat_count{1};
  FusedPersistentMemory              persistent;
  std::vector<std::shared_ptr<void>> pinned;

  FusedMemory   *d_memory = nullptr;
  int            turn     = 0; /* the copy of the scalars that the next pass reads */
  FusedReduction reduction;
  FusedMemory   *look[2]         = {nullptr, nullptr};          /* pinned */
  Real          *look_history[2] = {nullptr, nullptr};          /* pinned, rings like the device's */
  unsigned char *upload          = nullptr;                     /* pinned, [fused_scalars_bytes] */
  Scalar        *host_sums       = nullptr;                     /* pinned, written by the device */
  cudaEvent_t    event[3]        = {nullptr, nullptr, nullptr}; /* by slot; of WaitForKernels() */
  bool           chains          = false;                       /* see FusedReduction::chained */
  int           *waited          = nullptr;                     /* pinned, [2][2]: by slot, flags of the sums' and the halo's windows */
  int            looked_from[2] = {0, 0}, looked_to[2] = {0, 0}, looked_turn[2] = {0, 0};

  FusedScalars *Copy(int of) const
  {
    return reinterpret_cast<FusedScalars *>(d_memory->scalars[of]);
  }
#endif
};

} // namespace heptane

#include "run.hpp"
