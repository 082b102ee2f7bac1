/*
   The scaled copy of a matrix for the fused solvers, whatever its format: its memory, kept from one filling to the next, and the operator that works with it. Glue.
*/
#pragma once

#include "../device/buffer.hpp"
#include "operator.hpp"

namespace heptane
{

/* What a format does for its copy */
class FoldSource {
public:
  virtual ~FoldSource()                                                         = default;
  virtual std::size_t                    Scalars(FoldForm) const                = 0; /* that the copy takes, of whatever it stores */
  virtual int                            Host(FoldForm, Scalar *copy) const     = 0; /* scales all rows; FusedScaled bits */
  virtual std::unique_ptr<FusedOperator> Operator(FoldForm, Scalar *copy) const = 0; /* that multiplies with the copy */
#if PetscDefined(HAVE_CUDA)
  virtual cudaError_t Launch(FoldForm, Scalar *copy, int *note, cudaStream_t) const = 0; /* the same on the device; *note is raised by what the rows tell */
#endif
};

class FoldedCopy final : public FusedFolded {
public:
  explicit FoldedCopy(bool on_device) : where(on_device ? Where::device : Where::host) {}

  /* FusedOperator::Fold(): *copy is filled again if it is such a copy where it is wanted, else replaced. first: the form to begin with. */
  static PetscErrorCode Make(const FoldSource &, bool on_device, FoldForm first, std::shared_ptr<FusedFolded> *copy, FusedFolding *end);

  bool   Unit() const override { return form != FoldForm::whole; }
  bool   Upper() const override { return form == FoldForm::upper; }
  double MemoryBytes() const override { return sizeof(Scalar) * static_cast<double>(values.Size()); }

  const char *Name() const override { return op->Name(); }
  double      MatrixBytes() const override { return op->MatrixBytes(); }
  double      Flops() const override { return op->Flops(); }
  Stamp       Signature() const override { return op->Signature(); }
  void        Host(const FusedProduct &P, Scalar sums[4]) const override { op->Host(P, sums); }
  void        HostSingle(const FusedProductOf<Single> &P, Scalar sums[4]) const override { op->HostSingle(P, sums); }
#if PetscDefined(HAVE_CUDA)
  cudaError_t Launch(const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream) const override
  {
    return op->Launch(P, S, red, stream);
  }
  cudaError_t LaunchSingle(const FusedProductOf<Single> &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream) const override
  {
    return op->LaunchSingle(P, S, red, stream);
  }
  PetscErrorCode PersistentFits(const FusedPersistent &solve, cudaStream_t stream, FusedResident *answer) const override
  {
    return op->PersistentFits(solve, stream, answer);
  }
  PetscErrorCode LaunchPersistent(const FusedPersistent &solve, FusedScalars *S, const FusedReduction &red, cudaStream_t stream, bool *launched) const override
  {
    return op->LaunchPersistent(solve, S, red, stream, launched);
  }
  PetscErrorCode PersistentSingleFits(const FusedSinglePersistent &solve, FusedResident *answer) const override
  {
    return op->PersistentSingleFits(solve, answer);
  }
  PetscErrorCode LaunchPersistentSingle(const FusedSinglePersistent &solve, FusedScalars *S, const FusedReduction &red, cudaStream_t stream,
                                        bool *launched) const override
  {
    return op->LaunchPersistentSingle(solve, S, red, stream, launched);
  }
#endif

private:
  PetscErrorCode Scale(const FoldSource &, int *found);
  PetscErrorCode Fill(const FoldSource &, FoldForm first, FusedFolding *end);

  Where                          where;
  FoldForm                       form = FoldForm::whole;
  Buffer<Scalar>                 values;  /* room for them, and perhaps more */
  Buffer<int>                    note{1}; /* on the device: FusedScaled bits */
  std::unique_ptr<FusedOperator> op;
};

} // namespace heptane
