/*
   cuBLAS's batched inverses and factors, see cublas_blocks.hpp.
*/
#include "cublas_blocks.hpp"
#include <utility>
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

cublasStatus_t geqrf(cublasHandle_t h, int n, double *const a[], double *const tau[], int *info, int count)
{
  return cublasDgeqrfBatched(h, n, n, a, n, tau, info, count);
}
cublasStatus_t geqrf(cublasHandle_t h, int n, float *const a[], float *const tau[], int *info, int count)
{
  return cublasSgeqrfBatched(h, n, n, a, n, tau, info, count);
}

enum class Call { getri, matinv, getrf, geqrf };

// cuBLAS's matrices are column by column: f(i, s) of the block at f
struct Columns {
  const PetscScalar *f;
  int                b;
  double             operator()(int i, int s) const { return static_cast<double>(f[static_cast<size_t>(s) * b + i]); }
};

void solve_upper(const Columns &F, std::vector<double> &x)
{
  for (int k = F.b - 1; k >= 0; k--) {
    for (int s = k + 1; s < F.b; s++) x[k] -= F(k, s) * x[s];
    x[k] /= F(k, k);
  }
}

void solve_lu(const Columns &F, const int pivots[], std::vector<double> &x)
{
  for (int k = 0; k < F.b; k++) std::swap(x[k], x[pivots[k] - 1]);
  for (int i = 0; i < F.b; i++) {
    for (int s = 0; s < i; s++) x[i] -= F(i, s) * x[s];
  }
  solve_upper(F, x);
}

void solve_qr(const Columns &F, const PetscScalar tau[], std::vector<double> &x)
{
  for (int k = 0; k < F.b; k++) {
    double dot = x[k];

    for (int i = k + 1; i < F.b; i++) dot += F(i, k) * x[i];
    dot *= static_cast<double>(tau[k]);
    x[k] -= dot;
    for (int i = k + 1; i < F.b; i++) x[i] -= dot * F(i, k);
  }
  solve_upper(F, x);
}

void multiply(const Columns &F, std::vector<double> &x)
{
  const std::vector<double> p = x;

  for (int i = 0; i < F.b; i++) {
    x[i] = 0;
    for (int s = 0; s < F.b; s++) x[i] += F(i, s) * p[s];
  }
}

class Blocks final : public LibraryBlocks {
public:
  Blocks(Call by, PetscInt number, PetscInt size) : by_(by), count_(static_cast<int>(number)), b_(static_cast<int>(size)) {}

  PetscErrorCode create(const PetscScalar blocks[])
  {
    std::vector<PetscScalar *> at(count_);
    std::vector<PetscScalar>   columns(static_cast<size_t>(count_) * b_ * b_);

    PetscFunctionBeginUser;
    PetscCallCUBLAS(cublasCreate(&handle_));
    PetscCallCUDA(cudaMalloc(reinterpret_cast<void **>(&pivots_), sizeof(int) * count_ * b_));
    PetscCallCUDA(cudaMalloc(reinterpret_cast<void **>(&info_), sizeof(int) * count_));
    PetscCallCUDA(cudaMalloc(reinterpret_cast<void **>(&tau_), sizeof(PetscScalar) * count_ * b_));
    PetscCallCUDA(cudaMalloc(reinterpret_cast<void **>(&tau_at_), sizeof(PetscScalar *) * count_));
    for (int c = 0; c < count_; c++) at[c] = tau_ + static_cast<size_t>(c) * b_;
    PetscCallCUDA(cudaMemcpy(tau_at_, at.data(), sizeof(PetscScalar *) * count_, cudaMemcpyHostToDevice));
    for (int k = 0; k < 3; k++) {
      PetscCallCUDA(cudaMalloc(reinterpret_cast<void **>(&values_[k]), bytes()));
      PetscCallCUDA(cudaMalloc(reinterpret_cast<void **>(&at_[k]), sizeof(PetscScalar *) * count_));
      for (int c = 0; c < count_; c++) at[c] = values_[k] + static_cast<size_t>(c) * b_ * b_;
      PetscCallCUDA(cudaMemcpy(at_[k], at.data(), sizeof(PetscScalar *) * count_, cudaMemcpyHostToDevice));
    }
    for (int c = 0; c < count_; c++) {
      const size_t first = static_cast<size_t>(c) * b_ * b_;

      for (int i = 0; i < b_; i++) {
        for (int s = 0; s < b_; s++) columns[first + s * b_ + i] = blocks[first + i * b_ + s];
      }
    }
    PetscCallCUDA(cudaMemcpy(values_[original], columns.data(), bytes(), cudaMemcpyHostToDevice));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode before() override
  {
    PetscFunctionBeginUser;
    if (by_ != Call::matinv) PetscCallCUDA(cudaMemcpyAsync(values_[factors], values_[original], bytes(), cudaMemcpyDeviceToDevice));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode call() override
  {
    PetscFunctionBeginUser;
    if (by_ == Call::matinv) PetscCallCUBLAS(matinv(handle_, b_, at_[original], at_[inverses], info_, count_));
    else if (by_ == Call::geqrf) PetscCallCUBLAS(geqrf(handle_, b_, at_[factors], tau_at_, &status_, count_));
    else PetscCallCUBLAS(getrf(handle_, b_, at_[factors], pivots_, info_, count_));
    if (by_ == Call::getri) PetscCallCUBLAS(getri(handle_, b_, at_[factors], pivots_, at_[inverses], info_, count_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode solve(PetscScalar p[]) override
  {
    const bool               inverse = by_ == Call::matinv || by_ == Call::getri;
    std::vector<PetscScalar> f(static_cast<size_t>(count_) * b_ * b_), tau(static_cast<size_t>(count_) * b_);
    std::vector<int>         pivots(tau.size());
    std::vector<double>      x(b_);

    PetscFunctionBeginUser;
    PetscCallCUDA(cudaMemcpy(f.data(), values_[inverse ? inverses : factors], bytes(), cudaMemcpyDeviceToHost));
    PetscCallCUDA(cudaMemcpy(tau.data(), tau_, sizeof(PetscScalar) * tau.size(), cudaMemcpyDeviceToHost));
    PetscCallCUDA(cudaMemcpy(pivots.data(), pivots_, sizeof(int) * pivots.size(), cudaMemcpyDeviceToHost));
    for (int c = 0; c < count_; c++) {
      const size_t  row = static_cast<size_t>(c) * b_;
      const Columns F{&f[row * b_], b_};

      x.assign(p + row, p + row + b_);
      if (inverse) multiply(F, x);
      else if (by_ == Call::getrf) solve_lu(F, &pivots[row], x);
      else solve_qr(F, &tau[row], x);
      for (int i = 0; i < b_; i++) p[row + i] = static_cast<PetscScalar>(x[i]);
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode destroy() override
  {
    PetscFunctionBeginUser;
    for (int k = 0; k < 3; k++) {
      PetscCallCUDA(cudaFree(values_[k]));
      PetscCallCUDA(cudaFree(at_[k]));
    }
    PetscCallCUDA(cudaFree(tau_));
    PetscCallCUDA(cudaFree(tau_at_));
    PetscCallCUDA(cudaFree(pivots_));
    PetscCallCUDA(cudaFree(info_));
    PetscCallCUBLAS(cublasDestroy(handle_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  enum { original, factors, inverses };
  size_t bytes() const { return sizeof(PetscScalar) * count_ * b_ * b_; }

  Call           by_;
  int            count_, b_;
  cublasHandle_t handle_    = nullptr;
  PetscScalar   *values_[3] = {nullptr, nullptr, nullptr}, **at_[3] = {nullptr, nullptr, nullptr};
  PetscScalar   *tau_ = nullptr, **tau_at_ = nullptr;
  int           *pivots_ = nullptr, *info_ = nullptr, status_ = 0;
};

} // namespace

PetscErrorCode cublas_blocks(const std::string &name, const PetscScalar blocks[], PetscInt count, PetscInt b, std::unique_ptr<LibraryBlocks> *made)
{
  std::unique_ptr<Blocks> p;

  PetscFunctionBeginUser;
  PetscCheck(name == "cublas-getri" || name == "cublas-matinv" || name == "cublas-getrf" || name == "cublas-geqrf", PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
             "%s is unknown; expected cublas-getri, cublas-matinv, cublas-getrf or cublas-geqrf", name.c_str());
  PetscCheck(name != "cublas-matinv" || b <= 32, PETSC_COMM_SELF, PETSC_ERR_SUP, "not applicable: matinv takes blocks to 32 rows");
  p = std::make_unique<Blocks>(name == "cublas-matinv"  ? Call::matinv
                               : name == "cublas-getrf" ? Call::getrf
                               : name == "cublas-geqrf" ? Call::geqrf
                                                        : Call::getri,
                               count, b);
  PetscCall(p->create(blocks));
  *made = std::move(p);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#else

PetscErrorCode cublas_blocks(const std::string &name, const PetscScalar[], PetscInt, PetscInt, std::unique_ptr<LibraryBlocks> *)
{
  PetscFunctionBeginUser;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "not applicable: %s needs a PETSc with CUDA", name.c_str());
}

#endif

} // namespace bench
