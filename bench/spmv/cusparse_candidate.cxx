/*
   cuSPARSE called without PETSc: CSR with both algorithms, BSR (legacy bsrmv and generic SpMV), sliced ELLPACK with
   slices of 32 rows. 32-bit indices, one rank. Knows the problem's CSR arrays only.
*/
#include "block_format.hpp"
#include "candidate.hpp"
#include "../common/device.hpp"
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
  #include <cusparse.h>
  #include <algorithm>
  #include <limits>

namespace bench
{

static constexpr cudaDataType scalar_type = sizeof(PetscScalar) == 8 ? CUDA_R_64F : CUDA_R_32F;
static constexpr int          slice_rows  = 32; // one warp's rows; the size that cuSPARSE's own samples use

template <typename T>
static PetscErrorCode upload(const std::vector<T> &host, T **device)
{
  PetscFunctionBeginUser;
  PetscCallCUDA(cudaMalloc(reinterpret_cast<void **>(device), PetscMax(host.size(), size_t(1)) * sizeof(T)));
  PetscCallCUDA(cudaMemcpy(*device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

class CusparseCandidate : public Candidate {
public:
  using Candidate::Candidate;

  PetscErrorCode create(MPI_Comm comm, const Problem &p, Mat *) final
  {
    PetscFunctionBeginUser;
    PetscCall(check_direct_call(comm, p));
    comm_ = comm;
    rows_ = static_cast<int>(p.rows);
    cols_ = static_cast<int>(p.cols);
    PetscCallCUSPARSE(cusparseCreate(&handle_));
    PetscCall(create_vectors(p));
    PetscCall(create_format(p));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode destroy() override
  {
    PetscFunctionBeginUser;
    if (matrix_) PetscCallCUSPARSE(cusparseDestroySpMat(matrix_));
    if (vector_x_) PetscCallCUSPARSE(cusparseDestroyDnVec(vector_x_));
    if (vector_y_) PetscCallCUSPARSE(cusparseDestroyDnVec(vector_y_));
    if (handle_) PetscCallCUSPARSE(cusparseDestroy(handle_));
    for (void *memory : {static_cast<void *>(x_), static_cast<void *>(y_), static_cast<void *>(offsets_), static_cast<void *>(columns_),
                         static_cast<void *>(values_), buffer_})
      PetscCallCUDA(cudaFree(memory));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  bool supports(What what) const final { return what == What::matmult; }
  bool on_device() const final { return true; }

  PetscErrorCode bytes(What, double *bytes) const final
  {
    PetscFunctionBeginUser;
    *bytes = format_bytes_ + static_cast<double>(sizeof(PetscScalar)) * (static_cast<double>(rows_) + cols_);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode poison(What) final
  {
    PetscFunctionBeginUser;
    PetscCall(device_fill_nan(y_, rows_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode call(What) override
  {
    PetscFunctionBeginUser;
    PetscCallCUSPARSE(cusparseSpMV(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, vector_x_, &zero_, vector_y_, scalar_type, algorithm_, buffer_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode error(const Reference &ref, What, double *error) final
  {
    std::vector<PetscScalar> y(rows_);

    PetscFunctionBeginUser;
    PetscCallCUDA(cudaMemcpy(y.data(), y_, sizeof(PetscScalar) * rows_, cudaMemcpyDeviceToHost));
    PetscCall(reference_error(comm_, ref, 1.0, y.data(), error));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

protected:
  virtual PetscErrorCode create_format(const Problem &p) = 0;

  PetscErrorCode send(const HostFormat &f)
  {
    PetscFunctionBeginUser;
    PetscCall(upload(f.offsets, &offsets_));
    PetscCall(upload(f.columns, &columns_));
    PetscCall(upload(f.values, &values_));
    format_bytes_ = static_cast<double>(f.values.size()) * sizeof(PetscScalar) + 4.0 * static_cast<double>(f.columns.size() + f.offsets.size());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode prepare(cusparseSpMVAlg_t algorithm)
  {
    size_t size = 0;

    PetscFunctionBeginUser;
    algorithm_ = algorithm;
    PetscCallCUSPARSE(
      cusparseSpMV_bufferSize(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, vector_x_, &zero_, vector_y_, scalar_type, algorithm, &size));
    PetscCallCUDA(cudaMalloc(&buffer_, PetscMax(size, size_t(16))));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  // Lets the library analyse the matrix once, as PETSc's aijcusparse does
  PetscErrorCode preprocess()
  {
    PetscFunctionBeginUser;
  #if CUSPARSE_VERSION >= 12301 // CUDA 12.4
    PetscCallCUSPARSE(
      cusparseSpMV_preprocess(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, vector_x_, &zero_, vector_y_, scalar_type, algorithm_, buffer_));
  #endif
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  cusparseHandle_t     handle_   = nullptr;
  cusparseSpMatDescr_t matrix_   = nullptr;
  cusparseDnVecDescr_t vector_x_ = nullptr, vector_y_ = nullptr;
  cusparseSpMVAlg_t    algorithm_ = CUSPARSE_SPMV_ALG_DEFAULT;
  PetscScalar         *x_ = nullptr, *y_ = nullptr, *values_ = nullptr;
  int                 *offsets_ = nullptr, *columns_ = nullptr, rows_ = 0, cols_ = 0;
  void                *buffer_ = nullptr;
  const PetscScalar    one_ = 1, zero_ = 0;

private:
  PetscErrorCode create_vectors(const Problem &p)
  {
    std::vector<PetscScalar> x(p.cols);

    PetscFunctionBeginUser;
    for (PetscInt c = 0; c < p.cols; c++) x[c] = x_value(c);
    PetscCall(upload(x, &x_));
    // room for whole blocks and slices past the last row
    PetscCallCUDA(cudaMalloc(reinterpret_cast<void **>(&y_), sizeof(PetscScalar) * (static_cast<size_t>(rows_) + 64)));
    PetscCallCUSPARSE(cusparseCreateDnVec(&vector_x_, cols_, x_, scalar_type));
    PetscCallCUSPARSE(cusparseCreateDnVec(&vector_y_, rows_, y_, scalar_type));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  MPI_Comm comm_         = MPI_COMM_NULL;
  double   format_bytes_ = 0;
};

class CusparseCsr final : public CusparseCandidate {
public:
  CusparseCsr(const std::string &name, cusparseSpMVAlg_t wanted) : CusparseCandidate(name), wanted_(wanted) {}

private:
  PetscErrorCode create_format(const Problem &p) override
  {
    HostFormat f;

    PetscFunctionBeginUser;
    f.offsets.assign(p.i.get(), p.i.get() + p.rows + 1);
    f.columns.assign(p.j.get(), p.j.get() + p.nnz);
    f.values.assign(p.a.get(), p.a.get() + p.nnz);
    PetscCall(send(f));
    PetscCallCUSPARSE(cusparseCreateCsr(&matrix_, rows_, cols_, p.nnz, offsets_, columns_, values_, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                        CUSPARSE_INDEX_BASE_ZERO, scalar_type));
    PetscCall(prepare(wanted_));
    PetscCall(preprocess());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  cusparseSpMVAlg_t wanted_;
};

class CusparseSell final : public CusparseCandidate {
public:
  using CusparseCandidate::CusparseCandidate;

private:
  PetscErrorCode create_format(const Problem &p) override
  {
    const PetscInt slices = (p.rows + slice_rows - 1) / slice_rows;
    HostFormat     f;
    PetscInt64     total = 0;

    PetscFunctionBeginUser;
    f.offsets.assign(1, 0);
    for (PetscInt s = 0; s < slices; s++) {
      PetscInt width = 0;

      for (PetscInt row = s * slice_rows; row < PetscMin(p.rows, (s + 1) * slice_rows); row++) width = PetscMax(width, p.i[row + 1] - p.i[row]);
      total += static_cast<PetscInt64>(width) * slice_rows;
      PetscCheck(total < std::numeric_limits<int>::max(), PETSC_COMM_SELF, PETSC_ERR_SUP, "%sthe padded slices are too large for 32-bit indices",
                 not_applicable);
      f.offsets.push_back(static_cast<int>(total));
    }
    f.columns.assign(total, -1); // cuSPARSE's mark of padding
    f.values.assign(total, 0);
    for (PetscInt row = 0; row < p.rows; row++) {
      size_t at = static_cast<size_t>(f.offsets[row / slice_rows]) + row % slice_rows;

      for (PetscInt k = p.i[row]; k < p.i[row + 1]; k++, at += slice_rows) {
        f.columns[at] = static_cast<int>(p.j[k]);
        f.values[at]  = p.a[k];
      }
    }
    PetscCall(send(f));
    PetscCallCUSPARSE(cusparseCreateSlicedEll(&matrix_, rows_, cols_, p.nnz, total, slice_rows, offsets_, columns_, values_, CUSPARSE_INDEX_32I,
                                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, scalar_type));
    PetscCall(prepare(CUSPARSE_SPMV_SELL_ALG1));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

class CusparseBsr final : public CusparseCandidate {
public:
  CusparseBsr(const std::string &name, bool generic) : CusparseCandidate(name), generic_(generic) {}

  PetscErrorCode destroy() override
  {
    PetscFunctionBeginUser;
    if (legacy_) PetscCallCUSPARSE(cusparseDestroyMatDescr(legacy_));
    PetscCall(CusparseCandidate::destroy());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode call(What what) override
  {
    PetscFunctionBeginUser;
    if (generic_) {
      PetscCall(CusparseCandidate::call(what));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  #if PetscDefined(USE_REAL_SINGLE)
    PetscCallCUSPARSE(cusparseSbsrmv(handle_, CUSPARSE_DIRECTION_ROW, CUSPARSE_OPERATION_NON_TRANSPOSE, rows_ / block_, cols_ / block_, blocks_, &one_, legacy_,
                                     values_, offsets_, columns_, block_, x_, &zero_, y_));
  #else
    PetscCallCUSPARSE(cusparseDbsrmv(handle_, CUSPARSE_DIRECTION_ROW, CUSPARSE_OPERATION_NON_TRANSPOSE, rows_ / block_, cols_ / block_, blocks_, &one_, legacy_,
                                     values_, offsets_, columns_, block_, x_, &zero_, y_));
  #endif
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  PetscErrorCode create_format(const Problem &p) override
  {
    HostFormat f;

    PetscFunctionBeginUser;
    PetscCall(block_format(p, &f));
    PetscCall(send(f));
    block_  = static_cast<int>(p.block);
    blocks_ = static_cast<int>(f.columns.size());
    if (!generic_) {
      PetscCallCUSPARSE(cusparseCreateMatDescr(&legacy_));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  #if CUSPARSE_VERSION >= 12600 // CUDA 13
    PetscCallCUSPARSE(cusparseCreateBsr(&matrix_, rows_ / block_, cols_ / block_, blocks_, block_, block_, offsets_, columns_, values_, CUSPARSE_INDEX_32I,
                                        CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, scalar_type, CUSPARSE_ORDER_ROW));
    PetscCall(prepare(CUSPARSE_SPMV_BSR_ALG1));
    PetscFunctionReturn(PETSC_SUCCESS);
  #else
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "%sthe generic product of BSR needs CUDA 13", not_applicable);
  #endif
  }

  bool               generic_;
  cusparseMatDescr_t legacy_ = nullptr;
  int                block_ = 1, blocks_ = 0;
};

PetscErrorCode cusparse_candidate(const std::string &name, std::unique_ptr<Candidate> *candidate)
{
  PetscFunctionBeginUser;
  if (name == "cusparse-csr-alg1") *candidate = std::make_unique<CusparseCsr>(name, CUSPARSE_SPMV_CSR_ALG1);
  else if (name == "cusparse-csr-alg2") *candidate = std::make_unique<CusparseCsr>(name, CUSPARSE_SPMV_CSR_ALG2);
  else if (name == "cusparse-bsr") *candidate = std::make_unique<CusparseBsr>(name, false);
  else if (name == "cusparse-bsr-generic") *candidate = std::make_unique<CusparseBsr>(name, true);
  else if (name == "cusparse-sell") *candidate = std::make_unique<CusparseSell>(name);
  else
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
            "%s is unknown; the direct calls are cusparse-csr-alg1, cusparse-csr-alg2, cusparse-bsr, cusparse-bsr-generic and cusparse-sell", name.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench
#endif
