/*
   The scaled copy of a matrix for the fused solvers, independent of the format: its memory, which is reused when the
   copy is filled again, and its operator. Glue.
*/
#pragma once

#include "../../device/buffer.hpp"
#include "operator.hpp"

namespace heptane
{

/* Memory of `n` numbers of this size, in scalars */
constexpr std::size_t in_scalars(std::size_t n, std::size_t size)
{
  return (n * size + sizeof(Scalar) - 1) / sizeof(Scalar);
}

/* The functions of a format that fill its copy */
class FoldSource {
public:
  virtual ~FoldSource()                                                         = default;
  virtual std::size_t                    Scalars(FoldForm) const                = 0; /* size of the copy in scalars, whatever it stores */
  virtual int                            Host(FoldForm, Scalar *copy) const     = 0; /* scales all rows; returns FusedScaled bits */
  virtual std::unique_ptr<FusedOperator> Operator(FoldForm, Scalar *copy) const = 0; /* the operator of the copy */
#if PetscDefined(HAVE_CUDA)
  /* the same on the device; *note collects the FusedScaled bits */
  virtual cudaError_t Launch(FoldForm, Scalar *copy, int *note, cudaStream_t) const = 0;
#endif
};

/*
   A scaled copy of a matrix in the state of its creation, for one solver. It may share index arrays of the matrix, not
   its values.
*/
class FusedFolded {
public:
  explicit FusedFolded(Where side) : where(side) {}

  /*
     FusedMatrix::Fold() of a format: *copy is filled again if it is a copy in the memory space requested, else
     replaced. first: the form to begin with.
  */
  static PetscErrorCode Make(const FoldSource &, bool on_device, FoldForm first, std::shared_ptr<FusedFolded> *copy, FusedFoldStatus *end);
  /* The same with a source for each precision, constructed from the same arguments */
  template <template <class> class Source, class... Args>
  static PetscErrorCode Make(FusedStored as, bool on_device, FoldForm first, std::shared_ptr<FusedFolded> *copy, FusedFoldStatus *end, const Args &...args)
  {
    PetscFunctionBegin;
    if (as == FusedStored::single) PetscCall(Make(Source<Single>(args...), on_device, first, copy, end));
    else PetscCall(Make(Source<Scalar>(args...), on_device, first, copy, end));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  FusedOperator *Operator() const { return op.get(); }
  bool           Unit() const { return form != FoldForm::whole; }  /* its unit diagonal is not stored: FusedPc::scaled_unit */
  bool           Upper() const { return form == FoldForm::upper; } /* it is symmetric, and entries below the diagonal are not stored */
  double         MemoryBytes() const { return (block ? block->MemoryBytes() : 0) + sizeof(Scalar) * static_cast<double>(values.Size()); }

private:
  friend class FusedParallel;
  PetscErrorCode Scale(const FoldSource &, int *found);
  PetscErrorCode Fill(const FoldSource &, FoldForm first, FusedFoldStatus *end);

  Where                          where;
  FoldForm                       form = FoldForm::whole;
  Buffer<Scalar>                 values;  /* memory for the values, possibly more; of a parallel matrix, for rows with columns of other processes */
  Buffer<int>                    note{1}; /* on the device: FusedScaled bits */
  std::shared_ptr<FusedFolded>   block;   /* of a parallel matrix: the copy of its diagonal block, null if the process has no rows */
  std::unique_ptr<FusedOperator> op;
};

} // namespace heptane
