/*
   A parallel matrix as the fused solvers use it: the operator of its diagonal block, and the columns of other processes, whose part of a row is added before what follows the product.
*/
#pragma once

#include "../../pass/operator.hpp"
#include "../../pass/persistent_ranks.hpp"
#include "derived.hpp"
#include "halo.hpp"

namespace heptane
{

/* The operator of the whole matrix, or its scaled copy, around that of the diagonal block */
template <class Operator>
class ParallelOperator : public Operator {
public:
  const char     *Name() const override { return name; }
  double          MatrixBytes() const override { return (local ? local->MatrixBytes() : 0) + halo->Bytes(); }
  double          Flops() const override { return (local ? local->Flops() : 0) + 2.0 * halo->Entries(); }
  const char     *Exchange() const override { return halo->Exchange(); }
  bool            Broken() const override { return halo->Broken(); }
  PetscErrorCode  Mend() const override { return halo->Mend(); }
  const PeerLink *Peers() const override { return halo->Peers(); }
  PetscErrorCode  Receive(const Scalar *u) const override { return halo->Receive(u); }
  PetscErrorCode  Receive(const Single *u) const override { return halo->Receive(u); }
  Stamp           Signature() const override;
  void            Host(const FusedProduct &, Scalar sums[4]) const override;
  void            HostSingle(const FusedProductOf<Single> &, Scalar sums[4]) const override;
#if PetscDefined(HAVE_CUDA)
  cudaError_t    Launch(const FusedProduct &, const FusedScalars *, const FusedReduction &, cudaStream_t) const override;
  cudaError_t    LaunchSingle(const FusedProductOf<Single> &, const FusedScalars *, const FusedReduction &, cudaStream_t) const override;
  PetscErrorCode PersistentFits(const FusedPersistent &, cudaStream_t, FusedResident *answer) const override;
  PetscErrorCode LaunchPersistent(const FusedPersistent &, FusedScalars *, const FusedReduction &, cudaStream_t, bool *launched) const override;
  PetscErrorCode PersistentSingleFits(const FusedSinglePersistent &, FusedResident *answer) const override;
  PetscErrorCode LaunchPersistentSingle(const FusedSinglePersistent &, FusedScalars *, const FusedReduction &, cudaStream_t, bool *launched) const override;

private:
  PetscErrorCode AcrossRanks(const FusedRanks &, FusedRanks *) const;
#endif

protected:
  template <class T>
  FusedProductOf<T> WithHalo(const FusedProductOf<T> &) const;

  const char               *name = "";
  std::shared_ptr<Operator> local; /* null where the process has no rows */
  std::shared_ptr<Halo>     halo;
  RemainderRows             rows; /* with columns of other processes, in this operator's values */
};

class FusedParallel final : public ParallelOperator<FusedOperator> {
public:
  /* n: rows of this process; block: of the point blocks that the operators of all processes apply on the device; 0: not all do; matmult: of any process is ByMatMult() */
  FusedParallel(const char *type, std::size_t n, std::shared_ptr<FusedOperator> diagonal, std::shared_ptr<Halo> columns, const RemainderRows &of_halo,
                int block, bool matmult);
  PetscErrorCode InverseDiagonalIs(const Scalar *inverse, int *differs, PetscBool *same) const override;
  PetscErrorCode InverseBlocksAre(const Scalar *inverse, std::size_t ld, int block, int *differs, PetscBool *same) const override;
  bool           AppliesBlocks(int block) const override { return block == applied; }
  bool           ByMatMult() const override { return by_matmult; }
  std::string    WhyNotFold(const FusedScaling &) const override;
  double         FoldedBytes(const FusedScaling &) const override;
  PetscErrorCode Fold(const FusedScaling &, std::shared_ptr<FusedFolded> *copy, FusedFolding *end) const override;
  std::string    WhyNotSingle(const FusedScaling &) const override;
  PetscErrorCode FoldSingle(const FusedScaling &, std::shared_ptr<FusedFolded> *copy, FusedFolding *end) const override;
  /* Of this process */
  std::size_t Rows() const { return of_process; }
#if PetscDefined(HAVE_CUDA)
  /* As Launch() of a product outside of a solve, without sums: its waits last at most so many seconds */
  cudaError_t LaunchAlone(const FusedProduct &, double seconds, const FusedScalars *, const FusedReduction &, cudaStream_t) const;
#endif

private:
  PetscErrorCode Copy(const FusedScaling &, bool single, std::shared_ptr<FusedFolded> *copy, FusedFolding *end) const;
  PetscErrorCode Agree(FusedFolding *end) const;
  std::string    WhyNotScaled(const FusedScaling &) const;

  std::size_t of_process;
  int         applied;
  bool        by_matmult; /* MatMult() is one of all processes: where it is faster on any of them */
};

/* Collective. For products on the device; null as DerivedGetFusedOperator(). After DerivedPrepare() */
PetscErrorCode DerivedGetParallelOperator(Mat A, DerivedMat *m, std::shared_ptr<FusedParallel> *op);

class FoldedParallel final : public ParallelOperator<FusedFolded> {
public:
  bool   Unit() const override { return !local || local->Unit(); }
  bool   Upper() const override { return local && local->Upper(); }
  double MemoryBytes() const override { return (local ? local->MemoryBytes() : 0) + sizeof(Scalar) * (double)values.Size(); }

private:
  friend class FusedParallel;
  Buffer<Scalar> values; /* of the rows with columns of other processes, scaled */
};

} // namespace heptane
