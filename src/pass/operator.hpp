/*
   What a matrix type offers the fused solvers: y = M^-1 A u in one pass, with u formed as it is read, the preconditioner applied to the row and the scalar
   products of the iteration summed on the way. A type composes "MatGetFusedOperator_C" on its matrices; without it a solver calls MatMult().
*/
#pragma once

#include "../device/buffer.hpp"
#include "fold.hpp"
#include "pc_rows.hpp"
#include "stamp.hpp"
#include <petscmat.h>
#include <petscdevice.h>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#if PetscDefined(HAVE_CUDA)
  #include <cuda_runtime.h>
#endif

namespace heptane
{

#if !PetscDefined(HAVE_CUDA)
using cudaStream_t = void *;
#endif

struct FusedRanks;

/* Iterations of a whole solve in one kernel whose blocks are all resident. Vectors are those of the method's steps and are left as these would leave them. */
struct FusedPersistent {
  const char       *method = ""; /* its name without the "fused": an operator has kernels for those that it names */
  Scalar           *x = nullptr, *r = nullptr, *p = nullptr;
  const Scalar     *r0          = nullptr;            /* BiCGStab */
  Scalar           *exchange[2] = {nullptr, nullptr}; /* vectors free for use: CG w and one more, BiCGStab v and t */
  FusedPc           pc;
  void             *barrier   = nullptr; /* barrier_bytes of device memory, zeroed by the operator before use */
  int               blocks    = 0;       /* 0: as many as the operator finds best; more than can be resident: refused */
  const FusedRanks *ranks     = nullptr; /* of a matrix with rows on several GPUs; then there is such a kernel in each of them */
  int              *uneven    = nullptr; /* on the device: whether the operator with that Version() is not symmetric, as the operator found out; 0: of none */
  std::uint64_t    *uneven_of = nullptr; /* on the host */
  static constexpr std::size_t barrier_bytes = std::size_t(1) << 22;
};

#if PetscDefined(HAVE_CUDA)
/* What a solver has for such kernels, made when first asked for */
class FusedPersistentMemory {
public:
  PetscErrorCode Barrier(void **memory)
  {
    char *bytes;

    PetscFunctionBegin;
    PetscCall(barrier.Memory(Where::device, &bytes));
    *memory = bytes;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Give(FusedPersistent *P)
  {
    PetscFunctionBegin;
    PetscCall(Barrier(&P->barrier));
    PetscCall(uneven.Memory(Where::device, &P->uneven));
    P->uneven_of = &uneven_of;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  Buffer<char>  barrier{FusedPersistent::barrier_bytes};
  Buffer<int>   uneven{1};
  std::uint64_t uneven_of = 0;
};
#endif

/* The same between two updates of mixed precision, with a copy stored as Single: it stops for them */
struct FusedSinglePersistent {
  const char   *method = "";
  Single       *y = nullptr, *r = nullptr, *p = nullptr; /* y: what the solution is to grow by */
  Single       *exchange[2] = {nullptr, nullptr};        /* vectors free for use, of BiCGStab one */
  const Single *weight      = nullptr;                   /* CG: of the squares of r in the norm; null: 1 */
  Real          most = 0, factor = 0;                    /* it stops where the norm is `factor` times the largest, which was `most` before */
  void         *barrier = nullptr;                       /* as FusedPersistent::barrier */
  int           blocks  = 0;

  const OperandOf<Single> *r0 = nullptr; /* BiCGStab */
};

/* Whether an operator has a persistent kernel for a solve */
struct FusedResident {
  bool fits        = false; /* it has one, and all of its blocks can be resident at once */
  int  most_blocks = 0;     /* that can be; 0: not found out */
  int  blocks      = 0;     /* that there would be, where it fits */
};

class FusedFolded;
class PeerLink;

/* What the arrays of an operator belong to: they live as long as it does */
struct FusedOwners {
  std::shared_ptr<const void>              values; /* of the matrix: a folded copy has its own */
  std::vector<std::shared_ptr<const void>> indices;
};

/* How folding ended */
enum class FusedFolding { done, no_memory, not_positive, out_of_range /* of Single */ };

/* A matrix as it was when this was made. Several solvers may hold it at a time: what it has to write in is used within one launch. */
class FusedOperator {
public:
  virtual ~FusedOperator() = default;
  /* of the matrix's values and layout: another number where either may have changed; no two matrices have the same */
  std::uint64_t       Version() const { return version; }
  void                SetVersion(std::uint64_t of_matrix) { version = of_matrix; }
  virtual const char *Name() const        = 0;
  virtual double      MatrixBytes() const = 0; /* of all rows, one product */
  virtual double      Flops() const       = 0; /* of one product: two per nonzero */
  /* whether FusedPc::own is, with points, to the last bit what multiplying with this vector is. differs: one int for its use where `inverse` lies; waits for the device, and is asked there alone */
  virtual PetscErrorCode InverseDiagonalIs(const Scalar *inverse, int *differs, PetscBool *same) const
  {
    (void)inverse, (void)differs;
    *same = PETSC_FALSE;
    return PETSC_SUCCESS;
  }
  /* whether these are the inverses of its diagonal blocks of this size, up to own_blocks_tolerance: blocks may be FusedPc::own */
  virtual PetscErrorCode InverseBlocksAre(const Scalar *inverse, std::size_t ld, int block, int *differs, PetscBool *same) const
  {
    (void)inverse, (void)ld, (void)block, (void)differs;
    *same = PETSC_FALSE;
    return PETSC_SUCCESS;
  }
  /* whether Launch() takes FusedPc::blocks of this size that are not own: only where a cell's rows meet, which is for blocks of its own size; Host() takes all */
  virtual bool AppliesBlocks(int block) const
  {
    (void)block;
    return false;
  }
  /* Whether MatMult() is faster than Host(), so that a solver takes that in double precision, and this for copies in single precision alone; the same on all processes. Not on the device. */
  virtual bool ByMatMult() const { return false; }
  /* why no copy of it can be scaled so; empty: one can */
  virtual std::string WhyNotFold(const FusedScaling &) const { return std::string("the matrix type ") + Name() + " has no folded form"; }
  /* MatrixBytes() of the copy, if the preconditioner is that of this matrix */
  virtual double FoldedBytes(const FusedScaling &) const { return MatrixBytes(); }
  /* the scaled copy, in the memory of *copy where that has the layout, so that new values of one pattern take none; waits for the device. Not done: *copy is not to be used. */
  virtual PetscErrorCode Fold(const FusedScaling &, std::shared_ptr<FusedFolded> *copy, FusedFolding *end) const
  {
    (void)copy, (void)end;
    PetscFunctionBegin;
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "The matrix type %s has no folded form: use -ksp_fused_fold no", Name());
  }
  /* The same stored as Single, for HostSingle() and LaunchSingle(); FusedSide::none: not scaled. FusedFolded::MemoryBytes() and MatrixBytes() tell what it takes. */
  virtual std::string    WhyNotSingle(const FusedScaling &) const { return std::string("the matrix type ") + Name() + " has no copy in single precision"; }
  virtual PetscErrorCode FoldSingle(const FusedScaling &, std::shared_ptr<FusedFolded> *copy, FusedFolding *end) const
  {
    (void)copy, (void)end;
    PetscFunctionBegin;
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "The matrix type %s has no copy in single precision: use -ksp_fused_precision double", Name());
  }
  /* whatever its kernels depend on beside their arguments: a captured graph is good while this is the same */
  virtual Stamp Signature() const = 0;
  /* How the columns of other processes are received; empty: there are none */
  virtual const char *Exchange() const { return ""; }
  /* By what they are, where that is memory to memory; else null */
  virtual const PeerLink *Peers() const { return nullptr; }
  /* Whether an exchange has failed here, and, collective, another one instead */
  virtual bool           Broken() const { return false; }
  virtual PetscErrorCode Mend() const { return PETSC_SUCCESS; }
  /* Before a product with this vector: collective where the matrix has rows on other processes, which send what its rows need of theirs */
  virtual PetscErrorCode Receive(const Scalar *u) const
  {
    (void)u;
    return PETSC_SUCCESS;
  }
  /* The same before a product with what FoldSingle() made */
  virtual PetscErrorCode Receive(const Single *u) const
  {
    (void)u;
    return PETSC_SUCCESS;
  }
  /* P.v is null, and points are not own */
  virtual void Host(const FusedProduct &, Scalar sums[4]) const = 0;                            /* sums: as many as P.sums has */
  virtual void HostSingle(const FusedProductOf<Single> &, Scalar sums[4]) const { (void)sums; } /* of what FoldSingle() made */
  virtual bool HasTranspose() const
  {
    return false;
  } /* whether there is y = A^T x beside MatMultTranspose(), as a scaled copy without its unit diagonal has not */
  virtual void HostTranspose(const Scalar *x, Scalar *y) const { (void)x, (void)y; }
#if PetscDefined(HAVE_CUDA)
  /* y = A^T x unless the iteration stands still */
  virtual cudaError_t LaunchTranspose(const Scalar *x, Scalar *y, const FusedScalars *, cudaStream_t) const
  {
    (void)x, (void)y;
    return cudaErrorNotSupported;
  }
  /* not with blocks to be loaded of a size that AppliesBlocks() denies */
  virtual cudaError_t Launch(const FusedProduct &, const FusedScalars *, const FusedReduction &, cudaStream_t) const = 0;
  virtual cudaError_t LaunchSingle(const FusedProductOf<Single> &, const FusedScalars *, const FusedReduction &, cudaStream_t) const
  {
    return cudaErrorNotSupported;
  }
  /* It does not fit where the problem is too large or of a kind this operator has no such kernel for, where memory is short, and where more blocks are asked for than can be
     resident at once: the others would never arrive at a barrier. barrier and exchange[1] may be null. */
  virtual PetscErrorCode PersistentFits(const FusedPersistent &, cudaStream_t, FusedResident *answer) const
  {
    *answer = FusedResident();
    return PETSC_SUCCESS;
  }
  /* *launched: false, and nothing is, where it does not fit or the device refuses */
  virtual PetscErrorCode LaunchPersistent(const FusedPersistent &, FusedScalars *, const FusedReduction &, cudaStream_t, bool *launched) const
  {
    *launched = false;
    return PETSC_SUCCESS;
  }
  /* The same of what FoldSingle() made */
  virtual PetscErrorCode PersistentSingleFits(const FusedSinglePersistent &, FusedResident *answer) const
  {
    *answer = FusedResident();
    return PETSC_SUCCESS;
  }
  virtual PetscErrorCode LaunchPersistentSingle(const FusedSinglePersistent &, FusedScalars *, const FusedReduction &, cudaStream_t, bool *launched) const
  {
    *launched = false;
    return PETSC_SUCCESS;
  }
#endif

private:
  std::uint64_t version = 0;
};

/* A scaled copy of a matrix as it was when this was made, for one solver. It may hold index arrays of the matrix, not its values. */
class FusedFolded : public FusedOperator {
public:
  virtual bool   Unit() const = 0;               /* its unit diagonal is not stored: FusedPc::scaled_unit */
  virtual bool   Upper() const { return false; } /* it is symmetric, and what lies below the diagonal is not stored either */
  virtual double MemoryBytes() const = 0;        /* of the copy */
};

/* The name under which a type composes PetscErrorCode (*)(Mat A, PetscBool device, std::shared_ptr<FusedOperator> *op): null where it has none for A as it is now */
inline constexpr char fused_operator_name[] = "MatGetFusedOperator_C";

} // namespace heptane
