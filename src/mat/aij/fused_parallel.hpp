/*
   A parallel matrix for the fused solvers: the operator of its diagonal block, and the columns of other processes,
   whose contribution is added before the row is used further.
*/
#pragma once

#include "../../pass/offers/folded_copy.hpp"
#include "../../pass/offers/persistent_ranks.hpp"
#include "derived.hpp"
#include "halo/halo.hpp"

namespace heptane
{

/* Around the operator of the diagonal block, or around that of its scaled copy */
class FusedParallel final : public FusedMatrix {
public:
  /*
     n: rows of this process; diagonal, matrix: the operator of the diagonal block, matrix null if that is a copy, both
     null if the process has no rows; of_halo: the rows with columns of other processes, in this operator's values;
     block: of the point blocks that the operators of all processes apply on the device, 0: not all do; matmult: the
     operator of at least one process is ByMatMult()
  */
  FusedParallel(const char *type, std::size_t n, std::shared_ptr<const FusedOperator> diagonal, std::shared_ptr<const FusedMatrix> matrix,
                std::shared_ptr<Halo> columns, const RemainderRows &of_halo, int block = 0, bool matmult = false);
  PetscErrorCode InverseIs(const FusedPc &, int *differs, PetscBool *same) const override;
  std::string    WhyNotFold(const FusedScaling &, FusedStored) const override;
  double         FoldedBytes(const FusedScaling &) const override;
  PetscErrorCode Fold(const FusedScaling &, FusedStored, std::shared_ptr<FusedFolded> *copy, FusedFoldStatus *end) const override;
  Stamp          Signature() const override;
  void           Host(const FusedProduct &P, Scalar sums[4]) const override { HostAs(P, sums); }
  void           Host(const FusedProductOf<Single> &P, Scalar sums[4]) const override { HostAs(P, sums); }
  /* Of this process */
  std::size_t Rows() const { return of_process; }
#if PetscDefined(HAVE_CUDA)
  cudaError_t Launch(const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream) const override
  {
    return LaunchAs(P, S, red, stream);
  }
  cudaError_t Launch(const FusedProductOf<Single> &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream) const override
  {
    return LaunchAs(P, S, red, stream);
  }
  PetscErrorCode Receive(const FusedProduct &P, const FusedScalars *S, cudaStream_t stream) const override
  {
    return halo->InStream() ? halo->ReceiveInStream(P, S, rows, stream) : PETSC_SUCCESS;
  }
  PetscErrorCode Receive(const FusedProductOf<Single> &P, const FusedScalars *S, cudaStream_t stream) const override
  {
    return halo->InStream() ? halo->ReceiveInStream(P, S, rows, stream) : PETSC_SUCCESS;
  }
  PetscErrorCode PersistentFits(const FusedPersistent &, cudaStream_t, FusedResident *answer) const override;
  PetscErrorCode PersistentFits(const FusedSinglePersistent &, cudaStream_t, FusedResident *answer) const override;
  PetscErrorCode LaunchPersistent(const FusedPersistent &, FusedScalars *, const FusedReduction &, cudaStream_t, bool *launched) const override;
  PetscErrorCode LaunchPersistent(const FusedSinglePersistent &, FusedScalars *, const FusedReduction &, cudaStream_t, bool *launched) const override;
  /* As Launch() of a product outside of a solve, without sums: each wait lasts at most `seconds` */
  cudaError_t LaunchAlone(const FusedProduct &, double seconds, const FusedScalars *, const FusedReduction &, cudaStream_t) const;
#endif

private:
  template <class T>
  FusedProductOf<T> WithHalo(const FusedProductOf<T> &) const;
  template <class T>
  void HostAs(const FusedProductOf<T> &, Scalar sums[4]) const;
#if PetscDefined(HAVE_CUDA)
  template <class T>
  cudaError_t LaunchAs(const FusedProductOf<T> &, const FusedScalars *, const FusedReduction &, cudaStream_t) const;
  template <class Solve, class F>
  PetscErrorCode AcrossRanks(const Solve &, F &&f) const;
#endif
  PetscErrorCode Agree(FusedFoldStatus *end) const;
  std::string    WhyNotScaled(const FusedScaling &) const;

  std::size_t                          of_process;
  std::shared_ptr<const FusedOperator> local;
  std::shared_ptr<const FusedMatrix>   local_matrix;
  std::shared_ptr<Halo>                halo;
  RemainderRows                        rows;
};

/* Collective. For products on the device; null as DerivedGetFusedOperator(). After DerivedPrepare() */
PetscErrorCode DerivedGetParallelOperator(Mat A, DerivedMat *m, std::shared_ptr<FusedParallel> *op);

} // namespace heptane
