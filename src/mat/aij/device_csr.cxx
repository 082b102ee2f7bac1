/*
   The compressed rows of a derived matrix on the device: made, filled, dropped.
*/
#include "device_csr.hpp"
#include "../../metrics/metrics.hpp"
#include "../../sys/events.hpp"
#include "../../sys/petsc_compat.hpp"
#include "derived.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "../coo/kernels.hpp"
#endif
#include <cstdlib>
#include <new>
#include <vector>

namespace heptane
{

namespace
{

const char host_values_name[] = "heptane_host_values";

/* calloc(): its pages take no memory before they are written */
PetscErrorCode HostValuesDestroy(PetscCtxRt ctx)
{
  void **p = static_cast<void **>(static_cast<void *>(ctx));

  PetscFunctionBegin;
  std::free(*p);
  *p = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* cuSPARSE's requirement on rows */
bool columns_ascend(const Csr &P)
{
  for (PetscInt row = 0; row < P.rows; row++)
    for (PetscInt k = P.ptr[row] + 1; k < P.ptr[row + 1]; k++)
      if (P.col[k] <= P.col[k - 1]) return false;
  return true;
}

/* The matrix with its pattern */
Stamp pattern_of(Mat A, const Csr &P)
{
  return Stamp::Of(((PetscObject)A)->id, A->data, P.ptr, P.col, A->nonzerostate, A->rmap->bs, A->cmap->bs);
}

} // namespace

DeviceCsr::~DeviceCsr()
{
  PetscCallAbort(PETSC_COMM_SELF, Free());
}

PetscErrorCode DeviceCsr::Free()
{
  PetscFunctionBegin;
  slot.Free();
  long_slot.Free();
  slots_for.Clear();
  filled_from.Clear();
  PetscCall(MatDestroy(&copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceCsrType(Mat A, DerivedMat *m, MatType *type)
{
  PetscFunctionBegin;
  if (!m->csr_type_known && !m->mpi) {
    PetscBool on_host = PETSC_FALSE;

    if (m->device) m->csr_type = MATSEQAIJCUSPARSE;
    else { /* exercises all of this except the CUDA calls if there is no GPU */
      PetscCall(PetscOptionsGetBool(((PetscObject)A)->options, NULL, "-heptane_test_csr_copies_on_host", &on_host, NULL));
      if (on_host) m->csr_type = MATSEQAIJ;
    }
    m->csr_type_known = PETSC_TRUE;
  }
  *type = m->csr_type;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rest of MatConvert() after it has read -matconvert_type, which is not for this matrix */
static PetscErrorCode ToDevice(Mat copy)
{
  PetscErrorCode (*convert)(Mat, MatType, MatReuse, Mat *);

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)copy, "MatConvert_seqaij_seqaijcusparse_C", &convert));
  PetscCheck(convert, PETSC_COMM_SELF, PETSC_ERR_SUP, "A matrix of type %s does not become %s: leave -mat_seqaij_type out, or run with -heptane_device host",
             ((PetscObject)copy)->type_name, MATSEQAIJCUSPARSE);
  PetscCall((*convert)(copy, MATSEQAIJCUSPARSE, MAT_INPLACE_MATRIX, &copy));
#if PetscDefined(HAVE_CUDA)
  const PetscScalar *a;

  PetscCall(MatSeqAIJCUSPARSEGetArrayRead(copy, &a)); /* has the device arrays made */
  PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(copy, &a));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix on the pattern of A. It has no options: -mat_view does not show it, and -mat_seqaij_type does not change its
   type. */
PetscErrorCode DeviceCsr::Make(Mat A, DerivedMat *m, const Csr &P)
{
  const std::size_t n      = (std::size_t)PetscMax(P.nnz(), 1);
  PetscScalar      *values = static_cast<PetscScalar *>(std::calloc(n, sizeof(PetscScalar)));
  DerivedMat       *derived;
  MatType           type = NULL;

  PetscFunctionBegin;
  PetscCheck(values, PETSC_COMM_SELF, PETSC_ERR_MEM, "No address space left for %" PetscInt_FMT " values", P.nnz());
  PetscCall(DeviceCsrType(A, m, &type));
  where = type && !strcmp(type, MATSEQAIJ) ? Where::host : Where::device;
  PetscCall(PetscOptionsPushCreateViewerOff(PETSC_TRUE));
  PetscCall(
    MatCreateSeqAIJWithArrays(PetscObjectComm((PetscObject)A), P.rows, P.cols, const_cast<PetscInt *>(P.ptr), const_cast<PetscInt *>(P.col), values, &copy));
  PetscCall(PetscOptionsPopCreateViewerOff());
  PetscCall(PetscObjectContainerCompose((PetscObject)copy, host_values_name, values, HostValuesDestroy));
  PetscCall(DerivedQuery(copy, &derived));
  if (derived) PetscCall(DerivedUninstall(copy));
  PetscCall(MatSetBlockSizes(copy, A->rmap->bs, A->cmap->bs));
  if (where == Where::device) PetscCall(ToDevice(copy));
  made_for = pattern_of(A, P);
  filled_from.Clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Index>
static PetscErrorCode SlotsTo(Where where, const LocalPart &part, const Csr &P, Buffer<Index> *slot)
{
  PetscFunctionBegin;
  try {
    std::vector<Index> places((std::size_t)P.nnz());

    part.Format().slots(P, places.data());
    PetscCall(slot->Assign(where, places));
  } catch (const std::bad_alloc &) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory left for the places of %" PetscInt_FMT " nonzeros", P.nnz());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceCsr::MakeMap(const LocalPart &part, const Csr &P)
{
  PetscFunctionBegin;
  slot.Free();
  long_slot.Free();
  slots_for.Clear(); /* in case of an error below */
  if (part.NumValues() <= (std::size_t)PETSC_INT32_MAX) PetscCall(SlotsTo(where, part, P, &slot));
  else PetscCall(SlotsTo(where, part, P, &long_slot));
  slots_for = Stamp::Of(part.Layout());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For a format that is the newest copy, or is in the requested memory space */
PetscErrorCode DeviceCsr::FillFromFormat(LocalPart *part, const Csr &P)
{
  const Scalar *v;
  PetscScalar  *a;

  PetscFunctionBegin;
  if (slots_for != Stamp::Of(part->Layout())) PetscCall(MakeMap(*part, P));
  PetscCall(part->Values(where, &v));
  const int          *place      = slot.At(where);
  const std::int64_t *long_place = long_slot.At(where);
  if (where == Where::host) {
    PetscCall(MatSeqAIJGetArrayWrite(copy, &a));
    for (PetscInt k = 0; k < P.nnz(); k++) a[k] = v[place ? (std::int64_t)place[k] : long_place[k]];
    PetscCall(MatSeqAIJRestoreArrayWrite(copy, &a));
  }
#if PetscDefined(HAVE_CUDA)
  else {
    const MetricsPass metrics(true, [&] { return DeclaredPass{"values to compressed rows", ((place ? 4. : 8.) + 2. * sizeof(Scalar)) * P.nnz()}; });
    cudaStream_t      stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCall(MatSeqAIJCUSPARSEGetArrayWrite(copy, &a));
    if (place) PetscCallCUDA(launch_gather(v, place, (std::size_t)P.nnz(), a, stream));
    else PetscCallCUDA(launch_gather(v, long_place, (std::size_t)P.nnz(), a, stream));
    PetscCallCUDA(cudaStreamSynchronize(stream)); /* the CUDA type has a stream of its own */
    PetscCall(MatSeqAIJCUSPARSERestoreArrayWrite(copy, &a));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For compressed rows that are up to date on the host while the format's device copy is not: no analysis or filling for
   a matrix that is never multiplied with a vector */
PetscErrorCode DeviceCsr::FillFromRows(Mat A, const Csr &P)
{
  const PetscScalar *rows;
  PetscScalar       *a;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJGetArrayRead(A, &rows));
  if (where == Where::host) {
    PetscCall(MatSeqAIJGetArrayWrite(copy, &a));
    PetscCall(PetscArraycpy(a, rows, P.nnz()));
    PetscCall(MatSeqAIJRestoreArrayWrite(copy, &a));
  }
#if PetscDefined(HAVE_CUDA)
  else {
    PetscCall(MatSeqAIJCUSPARSEGetArrayWrite(copy, &a));
    PetscCall(CopyToDevice(a, rows, (std::size_t)P.nnz()));
    PetscCall(MatSeqAIJCUSPARSERestoreArrayWrite(copy, &a));
  }
#endif
  PetscCall(MatSeqAIJRestoreArrayRead(A, &rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceCsr::Get(Mat A, DerivedMat *m, PetscBool values, Mat *S)
{
  Csr P;

  PetscFunctionBegin;
  PetscCall(PatternOf(A, &P));
  if (copy && made_for != pattern_of(A, P)) PetscCall(Free());
  if (!copy) PetscCall(Make(A, m, P));
  if (values && filled_from != Stamp::Of(((PetscObject)A)->state)) {
    LocalPart *part = m->diag; /* null: never multiplied with, its values are in the compressed rows */

    if (part) {
      PetscCall(DerivedPrepareParts(A, m));
      part = m->diag;
    }
    if (part && (part->Armed() || part->ValuesIfValid(where))) PetscCall(FillFromFormat(part, P));
    else PetscCall(FillFromRows(A, P));
    filled_from = Stamp::Of(((PetscObject)A)->state);
  }
  /* flags that PETSc reads; the user may have set them since */
  copy->symmetric               = A->symmetric;
  copy->hermitian               = A->hermitian;
  copy->structurally_symmetric  = A->structurally_symmetric;
  copy->spd                     = A->spd;
  copy->form_explicit_transpose = A->form_explicit_transpose;
  copy->erroriffailure          = A->erroriffailure;
  *S                            = copy;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceCsr::Scaled(Mat A, PetscObjectState before, PetscScalar a)
{
  Csr P;

  PetscFunctionBegin;
  PetscCall(PatternOf(A, &P));
  if (!copy || made_for != pattern_of(A, P) || filled_from != Stamp::Of(before)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatScale(copy, a));
  filled_from = Stamp::Of(((PetscObject)A)->state + 1); /* MatScale() of A raises it once more */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceCsrWanted(Mat A, PetscBool *wanted)
{
  DerivedMat *m;
  MatType     type = NULL;
  Csr         P;
  PetscBool   bound;

  PetscFunctionBegin;
  *wanted = PETSC_FALSE;
  PetscCall(DerivedQuery(A, &m));
  if (!m || A->structure_only || !A->assembled || !A->rmap->n || !A->cmap->n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DeviceCsrType(A, m, &type));
  PetscCall(MatBoundToCPU(A, &bound));
  if (!type || (m->device && bound)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PatternOf(A, &P));
  if (!P.nnz()) PetscFunctionReturn(PETSC_SUCCESS);
  const Stamp now = Stamp::Of(A->nonzerostate, P.col);
  if (m->ascending_for != now) {
    m->ascending     = (PetscBool)columns_ascend(P);
    m->ascending_for = now;
  }
  *wanted = m->ascending;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceCsrGet(Mat A, PetscBool values, Mat *S)
{
  DerivedMat *m;

  PetscFunctionBegin;
  *S = NULL;
  PetscCall(DerivedQuery(A, &m));
  if (!m) PetscFunctionReturn(PETSC_SUCCESS);
  if (!m->csr) m->csr = std::make_shared<DeviceCsr>();
  PetscCall(m->csr->Get(A, m, values, S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
