/*
   The interface of a matrix type to the fused solvers: y = M^-1 A u in one pass, with u computed while it is read, the
   preconditioner applied to each row, and the scalar products of the iteration. A type composes "MatGetFusedOperator_C"
   on its matrices; without it a solver calls MatMult().
*/
#pragma once

#include "../../device/buffer.hpp"
#include "../fold.hpp"
#include "../pc_rows.hpp"
#include "stamp.hpp"
#include <petscmat.h>
#include <petscdevice.h>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
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

/*
   Iterations of a whole solve in one kernel whose blocks are all resident. Its vectors are the vectors of the method's
   steps, with the same contents at the end.
*/
struct FusedPersistent {
  const char                  *method = ""; /* its name without "fused": an operator has kernels for the methods that it names */
  Scalar                      *x = nullptr, *r = nullptr, *p = nullptr;
  const Scalar                *r0          = nullptr;            /* BiCGStab */
  Scalar                      *exchange[2] = {nullptr, nullptr}; /* vectors free for use: CG w and one more, BiCGStab v and t */
  FusedPc                      pc;
  void                        *barrier       = nullptr; /* barrier_bytes of device memory, zeroed by the operator before use */
  int                          blocks        = 0;       /* 0: chosen by the operator; more than can be resident: refused */
  const FusedRanks            *ranks         = nullptr; /* of a matrix with rows on several GPUs, each of which then runs such a kernel */
  int                         *uneven        = nullptr; /* on the device: whether the operator of version *uneven_of is not symmetric; version 0: unknown */
  std::uint64_t               *uneven_of     = nullptr; /* on the host */
  static constexpr std::size_t barrier_bytes = std::size_t(1) << 22;
};

#if PetscDefined(HAVE_CUDA)
/* Work space of a solver for such kernels, allocated on first use */
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

/* The same between two updates of mixed precision, at which it stops, with a copy stored as Single */
struct FusedSinglePersistent {
  const char   *method = "";
  Single       *y = nullptr, *r = nullptr, *p = nullptr; /* y: the correction of the solution */
  Single       *exchange[2] = {nullptr, nullptr};        /* vectors free for use, of BiCGStab one */
  const Single *weight      = nullptr;                   /* CG: of the squares of r in the norm; null: 1 */
  Real          most = 0, factor = 0;                    /* it stops when the norm is `factor` times the largest norm, which starts as `most` */
  void         *barrier = nullptr;                       /* as FusedPersistent::barrier */
  int           blocks  = 0;

  const OperandOf<Single> *r0 = nullptr; /* BiCGStab */
};

/* Whether an operator has a persistent kernel for a solve */
struct FusedResident {
  bool fits        = false; /* there is one, and all of its blocks can be resident at once */
  int  most_blocks = 0;     /* largest possible number; 0: unknown */
  int  blocks      = 0;     /* of the launch, if it fits */
};

/* The arguments of persistent kernels, by the storage type of the vectors */
template <class T>
using FusedPersistentOf = std::conditional_t<std::is_same_v<T, Scalar>, FusedPersistent, FusedSinglePersistent>;

class FusedFolded; /* folded_copy.hpp */
class PeerLink;

/* Owners of the arrays of an operator: they live as long as the operator */
struct FusedOwners {
  std::shared_ptr<const void>              values; /* of the matrix: a folded copy has its own */
  std::vector<std::shared_ptr<const void>> indices;
};

/* Result of folding */
enum class FusedFoldStatus { done, no_memory, not_positive, out_of_range /* of Single */ };

/* Storage type of the values of a scaled copy */
enum class FusedStored { scalar, single };

/* The exchange of columns of other processes */
class FusedExchange {
public:
  virtual ~FusedExchange()                 = default;
  virtual const char     *Exchange() const = 0; /* its name */
  virtual const PeerLink *Peers() const    = 0; /* the peer-memory link; null if the exchange does not use peer memory */
  /* By NCCL; on the device by launches before the product, see FusedProducts::Receive() */
  virtual bool           ByNccl() const = 0;
  virtual bool           Broken() const = 0; /* whether an exchange has failed here */
  virtual PetscErrorCode Reconnect()    = 0; /* collective: replaces a broken exchange */
  virtual PetscErrorCode Receive(
    const Scalar *u) = 0; /* collective, before a product with this vector: sends the values of u that rows of other processes need */
  virtual PetscErrorCode Receive(const Single *u) = 0;
};

/*
   Products with vectors stored as T, in passes or in a kernel for whole solves. An operator overrides the ones that it
   supports.
*/
template <class T>
class FusedProducts {
public:
  virtual ~FusedProducts() = default;
  /* P.v is null, and points are not own; sums: as many as P.sums has */
  virtual void Host(const FusedProductOf<T> &, Scalar sums[4]) const { (void)sums; }
#if PetscDefined(HAVE_CUDA)
  /* Receives the columns of other processes before Launch(), on all processes, if FusedExchange::ByNccl() */
  virtual PetscErrorCode Receive(const FusedProductOf<T> &, const FusedScalars *, cudaStream_t) const
  {
    return PETSC_SUCCESS;
  }
  /* not with loaded blocks of a size for which AppliesBlocks() is false */
  virtual cudaError_t Launch(const FusedProductOf<T> &, const FusedScalars *, const FusedReduction &, cudaStream_t) const
  {
    return cudaErrorNotSupported;
  }
  /*
     It does not fit if the problem is too large or has no such kernel, if memory is short, or if more blocks are
     requested than can be resident at once: the missing blocks would never arrive at a barrier. barrier and exchange[1]
     may be null.
  */
  virtual PetscErrorCode PersistentFits(const FusedPersistentOf<T> &, cudaStream_t, FusedResident *answer) const
  {
    *answer = FusedResident();
    return PETSC_SUCCESS;
  }
  /* *launched: false, without a launch, if the problem does not fit or the device refuses */
  virtual PetscErrorCode LaunchPersistent(const FusedPersistentOf<T> &, FusedScalars *, const FusedReduction &, cudaStream_t, bool *launched) const
  {
    *launched = false;
    return PETSC_SUCCESS;
  }
#endif
};

/*
   The operator of a product: a matrix in the state of its creation, or a scaled copy of one. Several solvers may share
   it: its work space is used within one launch.
*/
class FusedOperator : public FusedProducts<Scalar>, public FusedProducts<Single> {
public:
  FusedOperator(const char *type, double matrix_bytes, double product_flops) : name(type), bytes(matrix_bytes), flops(product_flops) {}
  /* changes whenever values or layout may have changed; unique to the matrix; 0: of a copy */
  std::uint64_t Version() const { return version; }
  void          SetVersion(std::uint64_t of_matrix) { version = of_matrix; }
  const char   *Name() const { return name; }
  double        MatrixBytes() const { return bytes; } /* of all rows, one product */
  double        Flops() const { return flops; }       /* of one product: two per nonzero */
  /* Of a matrix with rows on other processes; otherwise null */
  FusedExchange  *Exchange() const { return exchange; }
  const PeerLink *Peers() const { return exchange ? exchange->Peers() : nullptr; }
  /* everything that its kernels depend on except their arguments: a captured graph is valid while this is unchanged */
  virtual Stamp Signature() const = 0;

  using FusedProducts<Scalar>::Host;
  using FusedProducts<Single>::Host;
#if PetscDefined(HAVE_CUDA)
  using FusedProducts<Scalar>::Launch;
  using FusedProducts<Single>::Launch;
  using FusedProducts<Scalar>::Receive;
  using FusedProducts<Single>::Receive;
  using FusedProducts<Scalar>::PersistentFits;
  using FusedProducts<Single>::PersistentFits;
  using FusedProducts<Scalar>::LaunchPersistent;
  using FusedProducts<Single>::LaunchPersistent;
#endif

protected:
  FusedExchange *exchange = nullptr;

private:
  const char   *name;
  double        bytes, flops;
  std::uint64_t version = 0;
};

/* The operator of a matrix itself */
class FusedMatrix : public FusedOperator {
public:
  /* block: of the point blocks that products apply, 0: none; matmult: see ByMatMult() */
  FusedMatrix(const char *type, double matrix_bytes, double product_flops, int block, bool matmult)
    : FusedOperator(type, matrix_bytes, product_flops), applied(block), by_matmult(matmult)
  {}
  /*
     whether Launch() applies FusedPc::blocks of this size that are not own: only blocks of the operator's own size, as
     only their rows are in one thread block; Host() applies all sizes
  */
  bool AppliesBlocks(int block) const { return block == applied; }
  /*
     Whether MatMult() is faster than Host(), so that a solver uses MatMult() in double precision and this operator only
     for copies in single precision; the same on all processes. Not on the device.
  */
  bool ByMatMult() const { return by_matmult; }
  /*
     Whether the preconditioner may be FusedPc::matrix_diagonal. Points: it must equal FusedPc::inverse bitwise as a
     multiplier; tested only on the device. Blocks: they must equal the inverses of the diagonal blocks up to
     block_inverse_tolerance. differs: one int of work space in the memory space of `inverse`; synchronizes the device.
  */
  virtual PetscErrorCode InverseIs(const FusedPc &, int *differs, PetscBool *same) const = 0;
  /* why no such scaled copy can be stored; empty: it can. FusedSide::none: not scaled, only for FusedStored::single */
  virtual std::string WhyNotFold(const FusedScaling &, FusedStored) const = 0;
  /* MatrixBytes() of the copy stored as Scalar, if the preconditioner belongs to this matrix */
  virtual double FoldedBytes(const FusedScaling &) const = 0;
  /*
     creates the copy, in the memory of *copy if the layout matches, so that new values of one pattern need no
     allocation; synchronizes the device. If it fails, *copy must not be used.
  */
  virtual PetscErrorCode Fold(const FusedScaling &, FusedStored, std::shared_ptr<FusedFolded> *copy, FusedFoldStatus *end) const = 0;
  /* whether it computes y = A^T x as an alternative to MatMultTranspose() */
  virtual bool HasTranspose() const { return false; }
  virtual void HostTranspose(const Scalar *x, Scalar *y) const { (void)x, (void)y; }
#if PetscDefined(HAVE_CUDA)
  /* y = A^T x unless the iteration has stopped */
  virtual cudaError_t LaunchTranspose(const Scalar *x, Scalar *y, const FusedScalars *, cudaStream_t) const
  {
    (void)x, (void)y;
    return cudaErrorNotSupported;
  }
#endif

private:
  int  applied;
  bool by_matmult;
};

/*
   The name under which a type composes PetscErrorCode (*)(Mat A, PetscBool device, PetscBool begins,
   std::shared_ptr<FusedMatrix> *op); *op is null if the type has no operator for A in its present state. begins: at the
   beginning of a solve, which may change the way of exchange
*/
inline constexpr char fused_operator_name[] = "MatGetFusedOperator_C";

} // namespace heptane
