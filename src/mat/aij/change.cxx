/*
   Changes of values of one matrix derived from AIJ: scaling and zeroing; and its Frobenius norm. The format's values
   are changed on the side of the products, so that nothing is refilled; the compressed rows are updated on access.
*/
#include "change.hpp"
#include "../../device/memory.hpp"
#include "../../device/on_stream.hpp"
#include "../../device/vector_array.hpp"
#include "../../metrics/metrics.hpp"
#include "../../sys/collective.hpp"
#include "../values/change.hpp"
#include "device_csr.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "../coo/kernels.hpp"
#endif
#include <cmath>

namespace heptane
{

PetscErrorCode DerivedUpdatePath(const DerivedMat *m, LocalPart *part, Where where, UpdateExtent touch, bool by_entry, UpdatePath *way)
{
  const bool on_host = part->ValuesIfValid(Where::host), valid = on_host || part->ValuesIfValid(Where::device);
  PetscBool  keeps;

  PetscFunctionBegin;
  PetscCall(part->KeepsRows(&keeps));
  if (keeps) {
    *way = UpdatePath::rows;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (by_entry && (part->Armed() || valid)) {
    const ValueRuns *runs;

    PetscCall(part->Runs(&runs));
    if (!runs->Usable()) { /* the format is refilled */
      PetscCall(part->SyncRows());
      *way = UpdatePath::rows;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  if (part->Armed()) *way = UpdatePath::format;
  else if (m->changes_in_format) *way = touch == UpdateExtent::all || valid ? UpdatePath::format : UpdatePath::rows;
  else if (where == Where::device) *way = (touch == UpdateExtent::all && part->HasMemory(where)) || valid ? UpdatePath::format : UpdatePath::rows;
  else if (!on_host) *way = UpdatePath::rows;
  else *way = touch == UpdateExtent::few || part->RowsWanted() ? UpdatePath::both : UpdatePath::format;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedChanged(Mat A, DerivedMat *m, PetscInt coming)
{
  PetscFunctionBegin;
  for (LocalPart *part : {m->diag, m->off})
    if (part && !(part->NumEntries() > 0)) PetscCall(part->BothWritten(m->mpi ? 0 : coming));
  m->prepared_for = DerivedStamp(A, coming);
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

/* v *= *a, or v = 0 if a is null */
void scale_host(Scalar *v, std::size_t n, const PetscScalar *a)
{
  if (!a) {
    if (n) memset(v, 0, n * sizeof(*v));
    return;
  }
  const Scalar s = *a;
  for (std::size_t k = 0; k < n; k++) v[k] *= s;
}

PetscErrorCode ScaleValues(Where where, Scalar *v, std::size_t n, const PetscScalar *a)
{
  PetscFunctionBegin;
  if (where == Where::host) scale_host(v, n, a);
  else {
    const MetricsPass metrics(true, [&] { return DeclaredPass{"values scaled", 2. * sizeof(Scalar) * n}; });
    PetscCall(LaunchOnStream([&](auto stream) { return a ? launch_scale(v, n, *a, stream) : cudaMemsetAsync(v, 0, n * sizeof(Scalar), stream); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* a null: zero them. Zeros are nearly always followed by new values in the compressed rows, so these are written too */
PetscErrorCode Scale(Mat A, DerivedMat *m, const PetscScalar *a)
{
  const Where where = DerivedWhere(A, m);

  PetscFunctionBegin;
  PetscCall(DerivedPrepareParts(A, m));
  for (const DerivedBlock &b : DerivedBlocks(m)) {
    UpdatePath way;

    PetscCall(DerivedUpdatePath(m, b.part, where, a ? UpdateExtent::all : UpdateExtent::few, false, &way));
    PetscCall(DerivedChangeBlock(
      m, b, way, where, (PetscBool)!a, 1,
      [&](const Csr &P, PetscScalar *rows) {
        scale_host(rows, (std::size_t)P.nnz(), a);
        return PETSC_SUCCESS;
      },
      [&](Where w, Scalar *v) { return ScaleValues(w, v, b.part->NumValues(), a); }));
  }
  PetscCall(DerivedChanged(A, m, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatScale_Derived(Mat A, PetscScalar a)
{
  DerivedMat *m;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  /* places without entry must not become NaN */
  if (DerivedChangeable(A, m) && !PetscIsInfOrNanScalar(a)) PetscCall(Scale(A, m, &a));
  else {
    const PetscObjectState before = ((PetscObject)A)->state;

    PetscCall(DerivedSync(A, m));
    PetscCall((*m->base.scale)(A, a));
    if (m->csr) PetscCall(m->csr->Scaled(A, before, a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatZeroEntries_Derived(Mat A)
{
  DerivedMat *m;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  if (DerivedChangeable(A, m)) PetscCall(Scale(A, m, NULL));
  else {
    PetscCall(DerivedSync(A, m));
    PetscCall((*m->base.zeroentries)(A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckLength(Vec v, PetscInt n, const char side[])
{
  PetscInt got;

  PetscFunctionBegin;
  if (!v) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetLocalSize(v, &got));
  PetscCheck(got == n, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "The %s scaling vector has %" PetscInt_FMT " local entries for %" PetscInt_FMT ": make it with MatCreateVecs()", side, got, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Compressed rows: values(i, j) *= l(i) r(j) */
PetscErrorCode scale_rows(const Csr &P, const Scalar *l, const Scalar *r, Scalar *a)
{
  for (PetscInt i = 0; i < P.rows; i++) {
    const Scalar left = factor(l, (std::size_t)i);
    if (r) {
      for (PetscInt k = P.ptr[i]; k < P.ptr[i + 1]; k++) a[k] = a[k] * left * r[P.col[k]];
    } else {
      for (PetscInt k = P.ptr[i]; k < P.ptr[i + 1]; k++) a[k] *= left;
    }
  }
  return PETSC_SUCCESS;
}

/* The way to scale each block, and the memory space of the vectors for all of them: the host if no process has values
   of the format on the device */
PetscErrorCode DiagonalScalePaths(Mat A, const DerivedMat *m, const std::vector<DerivedBlock> &blocks, Where *where, UpdatePath way[2])
{
  bool rows = true;

  PetscFunctionBegin;
  *where = DerivedWhere(A, m);
  for (std::size_t k = 0; k < blocks.size(); k++) {
    PetscCall(DerivedUpdatePath(m, blocks[k].part, *where, UpdateExtent::all, false, &way[k]));
    if (way[k] == UpdatePath::format) rows = false;
  }
  if (*where == Where::host) PetscFunctionReturn(PETSC_SUCCESS);
  if (m->mpi) PetscCall(CollectiveReduce(PetscObjectComm((PetscObject)A), &rows, 1, MPI_C_BOOL, MPI_LAND));
  if (rows) *where = Where::host;
  else way[0] = way[1] = UpdatePath::format;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDiagonalScale_Derived(Mat A, Vec l, Vec r)
{
  DerivedMat   *m;
  Scalar       *ghost = nullptr;
  const Scalar *left, *right;
  VectorArray   of_left, of_right;
  PetscBool     changeable;
  Where         where;
  UpdatePath    way[2];

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  PetscCall(DerivedAllChangeable(A, m, &changeable));
  if (!changeable) {
    PetscCall(DerivedSync(A, m));
    PetscCall((*m->base.diagonalscale)(A, l, r));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(CheckLength(l, A->rmap->n, "left"));
  PetscCall(CheckLength(r, A->cmap->n, "right"));
  PetscCall(DerivedPrepare(A, m));
  const std::vector<DerivedBlock> blocks = DerivedBlocks(m);
  PetscCall(DiagonalScalePaths(A, m, blocks, &where, way));
  PetscCall(of_left.Read(where, l, &left));
  PetscCall(of_right.Read(where, r, &right));
  if (m->mpi && r) {
    const PetscMemType mt = where == Where::device ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST;

    PetscCall(DerivedGhostArray(m, where, &ghost));
    PetscCall(PetscSFBcastWithMemTypeBegin(m->sf, MPIU_SCALAR, mt, right, mt, ghost, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(m->sf, MPIU_SCALAR, right, ghost, MPI_REPLACE));
  }
  for (std::size_t k = 0; k < blocks.size(); k++) {
    const DerivedBlock &b       = blocks[k];
    const Scalar       *columns = b.diagonal ? right : ghost;

    PetscCall(DerivedChangeBlock(
      m, b, way[k], where, PETSC_FALSE, 1, [&](const Csr &P, PetscScalar *a) { return scale_rows(P, left, columns, a); },
      [&](Where w, Scalar *v) { return b.part->ScaleRowsColumns(w, left, columns, v); }));
  }
  PetscCall(of_left.Restore());
  PetscCall(of_right.Restore());
  PetscCall(DerivedChanged(A, m, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In parts that do not wait for each other */
static PetscReal sum_of_squares(const Scalar v[], std::size_t n)
{
  constexpr int parts       = 8;
  PetscReal     part[parts] = {}, sum = 0;
  std::size_t   k = 0;

  for (; k + parts <= n; k += parts)
    for (int j = 0; j < parts; j++) part[j] += v[k + j] * v[k + j];
  for (; k < n; k++) sum += v[k] * v[k];
  for (int j = 0; j < parts; j++) sum += part[j];
  return sum;
}

/* Sum of the squares of a block's values, wherever they are up to date */
PetscErrorCode SquaresOf(const DerivedBlock &b, PetscReal *sum)
{
  const Scalar     *v = b.part->ValuesIfValid(Where::host);
  const std::size_t n = b.part->NumValues();

  PetscFunctionBegin;
  if (!b.part->Armed() || !b.part->Clean()) {
    const PetscScalar *a;
    Csr                P;

    PetscCall(b.part->Pattern(&P));
    PetscCall(MatSeqAIJGetArrayRead(b.mat, &a));
    *sum += sum_of_squares(a, (std::size_t)P.nnz());
    PetscCall(MatSeqAIJRestoreArrayRead(b.mat, &a));
  } else if (v) {
    *sum += sum_of_squares(v, n);
  }
#if PetscDefined(HAVE_CUDA)
  else {
    const MetricsPass metrics(true, [&] { return DeclaredPass{"sum of squares of values", 1. * sizeof(Scalar) * n}; });
    Buffer<Scalar>    sums((std::size_t)change_sums);
    Scalar           *on_device;
    const Scalar     *on_host;

    PetscCall(sums.Memory(Where::device, &on_device));
    PetscCall(LaunchOnStream([&](auto stream) { return launch_squares(b.part->ValuesIfValid(Where::device), n, on_device, stream); }));
    sums.Written(Where::device);
    PetscCall(sums.Read(Where::host, &on_host));
    for (std::size_t k = 0; k < sums.Size(); k++) *sum += on_host[k];
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Norms of rows and of columns are taken from the compressed rows, as by PETSc's types for devices */
PetscErrorCode MatNorm_Derived(Mat A, NormType type, PetscReal *norm)
{
  DerivedMat *m;
  PetscReal   sum        = 0;
  PetscBool   changeable = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  if (type == NORM_FROBENIUS) PetscCall(DerivedAllChangeable(A, m, &changeable));
  if (!changeable) {
    PetscCall(DerivedSync(A, m));
    PetscCall((*m->base.norm)(A, type, norm));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(DerivedPrepareParts(A, m));
  for (const DerivedBlock &b : DerivedBlocks(m)) PetscCall(SquaresOf(b, &sum));
  if (m->mpi) PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)A)));
  *norm = PetscSqrtReal(sum);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode DerivedAllChangeable(Mat A, const DerivedMat *m, PetscBool *changeable)
{
  PetscFunctionBegin;
  *changeable = (PetscBool)DerivedChangeable(A, m);
  if (m->mpi) PetscCall(CollectiveReduce(PetscObjectComm((PetscObject)A), changeable, 1, MPI_C_BOOL, MPI_LAND));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedInstallChanges(Mat A, DerivedMat *m)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-heptane_test_changes_in_format", &m->changes_in_format, NULL));
  A->ops->scale         = MatScale_Derived;
  A->ops->zeroentries   = MatZeroEntries_Derived;
  A->ops->diagonalscale = MatDiagonalScale_Derived;
  A->ops->shift         = MatShift_Derived;
  A->ops->diagonalset   = MatDiagonalSet_Derived;
  A->ops->zerorows      = MatZeroRows_Derived;
  A->ops->norm          = MatNorm_Derived;
  A->ops->axpy          = MatAXPY_Derived;
  A->ops->copy          = MatCopy_Derived;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
