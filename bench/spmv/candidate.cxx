/*
   PETSc matrix types as candidates, timed through MatMult and its sisters with the vectors of MatCreateVecs.
*/
#include "candidate.hpp"
#include <limits>

namespace bench
{

class MatCandidate final : public Candidate {
public:
  using Candidate::Candidate;

  PetscErrorCode create(MPI_Comm comm, const Problem &p, Mat *base) override
  {
    PetscFunctionBeginUser;
    comm_ = comm;
    PetscCall(matrix_make(comm, p, name(), base, &A_));
    PetscCall(MatCreateVecs(A_, &x_, &y_));
    PetscCall(VecDuplicate(y_, &z_));
    PetscCall(VecDuplicate(x_, &xt_));
    PetscCall(fill_x(x_));
    PetscCall(fill_added(z_));
    PetscCall(matrix_on_device(A_, &device_));
    PetscCall(matrix_bytes(comm, p, A_, &format_));
    rows_ = static_cast<double>(p.global_rows);
    cols_ = static_cast<double>(p.global_cols);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode destroy() override
  {
    PetscFunctionBeginUser;
    for (Vec *v : {&x_, &y_, &z_, &xrow_, &xt_}) PetscCall(VecDestroy(v));
    PetscCall(MatDestroy(&A_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  bool supports(What) const override { return true; }
  bool on_device() const override { return device_; }

  PetscErrorCode bytes(What what, double *bytes) const override
  {
    PetscFunctionBeginUser;
    const double scalar = sizeof(PetscScalar), format = format_.values + format_.index;
    switch (what) {
    case What::matmult:
    case What::matmulttranspose:
      *bytes = format + scalar * (rows_ + cols_);
      break;
    case What::matmultadd:
      *bytes = format + scalar * (2 * rows_ + cols_);
      break;
    case What::matgetdiagonal:
      *bytes = scalar * 2 * rows_;
      break;
    case What::matscale:
      *bytes = 2 * format_.values;
      break;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode poison(What what) override
  {
    PetscFunctionBeginUser;
    PetscCall(bench::poison(what == What::matmulttranspose ? xt_ : y_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode call(What what) override
  {
    PetscFunctionBeginUser;
    switch (what) {
    case What::matmult:
      PetscCall(MatMult(A_, x_, y_));
      break;
    case What::matmultadd:
      PetscCall(MatMultAdd(A_, x_, z_, y_));
      break;
    case What::matmulttranspose:
      if (!xrow_) {
        PetscCall(VecDuplicate(y_, &xrow_));
        PetscCall(fill_x(xrow_));
      }
      PetscCall(MatMultTranspose(A_, xrow_, xt_));
      break;
    case What::matgetdiagonal:
      PetscCall(MatGetDiagonal(A_, y_));
      break;
    case What::matscale: // 2 and 1/2 in turn: exact, and never out of range
      PetscCall(MatScale(A_, scaled_ ? 0.5 : 2.0));
      scaled_ = !scaled_;
      break;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode error(const Reference &ref, What what, double *error) override
  {
    const PetscScalar *a;
    Vec                result = what == What::matmulttranspose ? xt_ : y_;

    PetscFunctionBeginUser;
    if (what == What::matscale) PetscCall(MatMult(A_, x_, y_));
    PetscCall(VecGetArrayRead(result, &a));
    PetscCall(reference_error(comm_, ref, what == What::matscale && scaled_ ? 2.0 : 1.0, a, error));
    PetscCall(VecRestoreArrayRead(result, &a));
    if (what == What::matscale && scaled_) PetscCall(call(what)); // the next operation finds the matrix as it was
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  MPI_Comm    comm_ = MPI_COMM_NULL;
  Mat         A_    = nullptr;
  Vec         x_ = nullptr, y_ = nullptr, z_ = nullptr; // y = A x + z
  Vec         xrow_ = nullptr, xt_ = nullptr;           // xt = A^T xrow
  PetscBool   device_ = PETSC_FALSE;
  bool        scaled_ = false; // the matrix is twice what it was made as
  FormatBytes format_;
  double      rows_ = 0, cols_ = 0;
};

std::unique_ptr<Candidate> mat_candidate(const std::string &type)
{
  return std::make_unique<MatCandidate>(type);
}

PetscErrorCode check_direct_call(MPI_Comm comm, const Problem &p)
{
  PetscMPIInt ranks;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCheck(ranks == 1, comm, PETSC_ERR_SUP, "%sdirect library calls run on one rank", not_applicable);
  PetscCheck(p.nnz < std::numeric_limits<int>::max() && p.cols < std::numeric_limits<int>::max(), comm, PETSC_ERR_SUP, "%stoo large for 32-bit indices",
             not_applicable);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode candidate_new(const std::string &name, std::unique_ptr<Candidate> *candidate)
{
  PetscFunctionBeginUser;
  if (name.rfind("cusparse-", 0) == 0) {
#if PetscDefined(HAVE_CUDA)
    PetscCall(cusparse_candidate(name, candidate));
#else
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "%s needs a PETSc configured with CUDA (--with-cuda)", name.c_str());
#endif
  } else if (name == "kokkos-csr" || name == "kokkos-bsr") {
#if defined(BENCH_KOKKOS)
    *candidate = kokkos_candidate(name);
#else
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
            "%s needs Kokkos Kernels, which was not found when the benchmarks were built: install it (Debian: libtrilinos-kokkos-kernels-dev), or make bench "
            "KOKKOS_KERNELS_DIR=/its/prefix",
            name.c_str());
#endif
  } else {
    *candidate = mat_candidate(name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench
