/*
   cuBLAS's batched inverses, see cublas_blocks.hpp.
*/
#include "cublas_blocks.hpp"
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace bench
{

#if PetscDefined(HAVE_CUDA)

namespace
{

cublasStatus_t getrf(cublasHandle_t h, int n, double *const a[], int *p, int *info, int count)
{
  return cublasDgetrfBatched(h, n, a, n, p, info, count);
}
cublasStatus_t getrf(cublasHandle_t h, int n, float *const a[], int *p, int *info, int count)
{
  return cublasSgetrfBatched(h, n, a, n, p, info, count);
}
cublasStatus_t getri(cublasHandle_t h, int n, const double *const a[], const int *p, double *const c[], int *info, int count)
{
  return cublasDgetriBatched(h, n, a, n, p, c, n, info, count);
}
cublasStatus_t getri(cublasHandle_t h, int n, const float *const a[], const int *p, float *const c[], int *info, int count)
{
  return cublasSgetriBatched(h, n, a, n, p, c, n, info, count);
}
cublasStatus_t matinv(cublasHandle_t h, int n, const double *const a[], double *const c[], int *info, int count)
{
  return cublasDmatinvBatched(h, n, a, n, c, n, info, count);
}
cublasStatus_t matinv(cublasHandle_t h, int n, const float *const a[], float *const c[], int *info, int count)
{
  return cublasSmatinvBatched(h, n, a, n, c, n, info, count);
}

class Blocks final : public CublasBlocks {
public:
  Blocks(bool by_matinv, PetscInt number, PetscInt size) : matinv_(by_matinv), count_(static_cast<int>(number)), b_(static_cast<int>(size)) {}

  PetscErrorCode create(const PetscScalar blocks[])
  {
    std::vector<PetscScalar *> at(count_);

    PetscFunctionBeginUser;
    PetscCallCUBLAS(cublasCreate(&handle_));
    PetscCallCUDA(cudaMalloc(reinterpret_cast<void **>(&pivots_), sizeof(int) * count_ * b_));
    PetscCallCUDA(cudaMalloc(reinterpret_cast<void **>(&info_), sizeof(int) * count_));
    for (int k = 0; k < 3; k++) {
      PetscCallCUDA(cudaMalloc(reinterpret_cast<void **>(&values_[k]), bytes()));
      PetscCallCUDA(cudaMalloc(reinterpret_cast<void **>(&at_[k]), sizeof(PetscScalar *) * count_));
      for (int c = 0; c < count_; c++) at[c] = values_[k] + static_cast<size_t>(c) * b_ * b_;
      PetscCallCUDA(cudaMemcpy(at_[k], at.data(), sizeof(PetscScalar *) * count_, cudaMemcpyHostToDevice));
    }
    PetscCallCUDA(cudaMemcpy(values_[original], blocks, bytes(), cudaMemcpyHostToDevice));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode before() override
  {
    PetscFunctionBeginUser;
    if (!matinv_) PetscCallCUDA(cudaMemcpyAsync(values_[factors], values_[original], bytes(), cudaMemcpyDeviceToDevice));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode call() override
  {
    PetscFunctionBeginUser;
    if (matinv_) {
      PetscCallCUBLAS(matinv(handle_, b_, at_[original], at_[inverses], info_, count_));
    } else {
      PetscCallCUBLAS(getrf(handle_, b_, at_[factors], pivots_, info_, count_));
      PetscCallCUBLAS(getri(handle_, b_, at_[factors], pivots_, at_[inverses], info_, count_));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode inverse(PetscScalar c[]) override
  {
    PetscFunctionBeginUser;
    PetscCallCUDA(cudaMemcpy(c, values_[inverses], bytes(), cudaMemcpyDeviceToHost));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode destroy() override
  {
    PetscFunctionBeginUser;
    for (int k = 0; k < 3; k++) {
      PetscCallCUDA(cudaFree(values_[k]));
      PetscCallCUDA(cudaFree(at_[k]));
    }
    PetscCallCUDA(cudaFree(pivots_));
    PetscCallCUDA(cudaFree(info_));
    PetscCallCUBLAS(cublasDestroy(handle_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  enum { original, factors, inverses };
  size_t bytes() const { return sizeof(PetscScalar) * count_ * b_ * b_; }

  bool           matinv_;
  int            count_, b_;
  cublasHandle_t handle_    = nullptr;
  PetscScalar   *values_[3] = {nullptr, nullptr, nullptr}, **at_[3] = {nullptr, nullptr, nullptr};
  int           *pivots_ = nullptr, *info_ = nullptr;
};

} // namespace

PetscErrorCode cublas_blocks(const std::string &name, const PetscScalar blocks[], PetscInt count, PetscInt b, std::unique_ptr<CublasBlocks> *made)
{
  std::unique_ptr<Blocks> p;

  PetscFunctionBeginUser;
  PetscCheck(name == "cublas-getri" || name == "cublas-matinv", PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "%s is unknown; expected cublas-getri or cublas-matinv",
             name.c_str());
  PetscCheck(name == "cublas-getri" || b <= 32, PETSC_COMM_SELF, PETSC_ERR_SUP, "not applicable: matinv takes blocks to 32 rows");
  p = std::make_unique<Blocks>(name == "cublas-matinv", count, b);
  PetscCall(p->create(blocks));
  *made = std::move(p);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#else

PetscErrorCode cublas_blocks(const std::string &name, const PetscScalar[], PetscInt, PetscInt, std::unique_ptr<CublasBlocks> *)
{
  PetscFunctionBeginUser;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "not applicable: %s needs a PETSc with CUDA", name.c_str());
}

#endif

} // namespace bench
