/*
   cuSPARSE's product with compressed rows. The deterministic of its two algorithms for this use is the default one (ALG1 assigns rows).
*/
#include "csr_library.hpp"
#include "../../device/memory.hpp"
#if PetscDefined(HAVE_CUDA)
  #include <cusparse.h>
#endif

namespace heptane
{

#if PetscDefined(HAVE_CUDA)

static cusparseHandle_t     handle      = NULL;
static const cudaDataType_t scalar_type = sizeof(Scalar) == 8 ? CUDA_R_64F : CUDA_R_32F;

static PetscErrorCode Handle(cusparseHandle_t *h)
{
  cudaStream_t stream;

  PetscFunctionBegin;
  if (!handle) PetscCallCUSPARSE(cusparseCreate(&handle));
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  PetscCallCUSPARSE(cusparseSetStream(handle, stream));
  *h = handle;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Release(void **matrix, void **vec_x, void **vec_z)
{
  PetscFunctionBegin;
  if (*matrix) PetscCallCUSPARSE(cusparseDestroySpMat((cusparseSpMatDescr_t)*matrix));
  if (*vec_x) PetscCallCUSPARSE(cusparseDestroyDnVec((cusparseDnVecDescr_t)*vec_x));
  if (*vec_z) PetscCallCUSPARSE(cusparseDestroyDnVec((cusparseDnVecDescr_t)*vec_z));
  *matrix = *vec_x = *vec_z = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

CsrLibrary::~CsrLibrary()
{
  PetscCallAbort(PETSC_COMM_SELF, Release(&matrix, &vec_x, &vec_z));
  PetscCallAbort(PETSC_COMM_SELF, DeviceFree(&ptr));
  PetscCallAbort(PETSC_COMM_SELF, DeviceFree((char **)&buffer));
}

PetscErrorCode CsrLibrary::Finalize()
{
  PetscFunctionBegin;
  if (handle) PetscCallCUSPARSE(cusparseDestroy(handle));
  handle = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CsrLibrary::SetUp(int m, int n, const int host_ptr[], int *col, Scalar *v)
{
  const Scalar     one = 1, zero = 0;
  cusparseHandle_t h;
  std::size_t      bytes;

  PetscFunctionBegin;
  rows   = m;
  cols   = n;
  values = v;
  PetscCall(Handle(&h));
  PetscCall(DeviceCopyOf(host_ptr, (std::size_t)m + 1, &ptr));
  PetscCallCUSPARSE(cusparseCreateCsr((cusparseSpMatDescr_t *)&matrix, m, n, host_ptr[m], ptr, col, v, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                      CUSPARSE_INDEX_BASE_ZERO, scalar_type));
  /* the vectors are exchanged at every product; these addresses only have to be on the device */
  PetscCallCUSPARSE(cusparseCreateDnVec((cusparseDnVecDescr_t *)&vec_x, n, v, scalar_type));
  PetscCallCUSPARSE(cusparseCreateDnVec((cusparseDnVecDescr_t *)&vec_z, m, v, scalar_type));
  PetscCallCUSPARSE(cusparseSpMV_bufferSize(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, (cusparseSpMatDescr_t)matrix, (cusparseDnVecDescr_t)vec_x, &zero,
                                            (cusparseDnVecDescr_t)vec_z, scalar_type, CUSPARSE_SPMV_CSR_ALG1, &bytes));
  PetscCall(DeviceMalloc(bytes, (char **)&buffer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CsrLibrary::Mult(const Scalar *x, Scalar *z, PetscBool add)
{
  const Scalar     one = 1, beta = add ? 1 : 0;
  cusparseHandle_t h;

  PetscFunctionBegin;
  PetscCall(Handle(&h));
  PetscCallCUSPARSE(cusparseDnVecSetValues((cusparseDnVecDescr_t)vec_x, (void *)x));
  PetscCallCUSPARSE(cusparseDnVecSetValues((cusparseDnVecDescr_t)vec_z, z));
  PetscCallCUSPARSE(cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, (cusparseSpMatDescr_t)matrix, (cusparseDnVecDescr_t)vec_x, &beta,
                                 (cusparseDnVecDescr_t)vec_z, scalar_type, CUSPARSE_SPMV_CSR_ALG1, buffer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#else

CsrLibrary::~CsrLibrary()
{}

PetscErrorCode CsrLibrary::Finalize()
{
  return PETSC_SUCCESS;
}

PetscErrorCode CsrLibrary::SetUp(int, int, const int[], int *, Scalar *)
{
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "PETSc was configured without CUDA");
}

PetscErrorCode CsrLibrary::Mult(const Scalar *, Scalar *, PetscBool)
{
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "PETSc was configured without CUDA");
}

#endif

} // namespace heptane
