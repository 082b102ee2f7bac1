/*
   Products and diagonal of matrices derived from AIJ, on host or device, with the halo exchange around the local
   product.
*/
#include "derived.hpp"
#include "../../device/memory.hpp"
#include "../../metrics/metrics.hpp"
#include "../../sys/events.hpp"
#include "../../sys/petsc_compat.hpp"
#include "device_csr.hpp"
#include "peer_product.hpp"

namespace heptane
{

namespace
{

/* The arrays of a product z = op(A) x (+ y), all of them host or all of them device */
struct ProductArrays {
  const Scalar *x, *y; /* y null without addend, equal to z if they are one vector */
  Scalar       *z;
  Where         where;
};

PetscErrorCode GetArrays(Mat A, const DerivedMat *m, Vec x, Vec y, Vec z, ProductArrays *a)
{
  PetscMemType mx = PETSC_MEMTYPE_HOST, my, mz;

  PetscFunctionBegin;
  a->y     = NULL;
  a->where = DerivedWhere(A, m);
  if (a->where == Where::device) {
    PetscCall(VecGetArrayReadAndMemType(x, &a->x, &mx));
    if (y == z) PetscCall(VecGetArrayAndMemType(z, &a->z, &mz));
    else PetscCall(VecGetArrayWriteAndMemType(z, &a->z, &mz));
    my = mz;
    if (y && y != z) PetscCall(VecGetArrayReadAndMemType(y, &a->y, &my));
    if (PetscMemTypeDevice(mx) && PetscMemTypeDevice(my) && PetscMemTypeDevice(mz)) {
      if (y == z) a->y = a->z;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    /* a host vector among them: the product runs on the host */
    if (!m->reported_products)
      PetscCall(PetscInfo(A, "Products with vectors on the host run there: with -dm_vec_type cuda or -vec_type cuda, or in a solver of type fusedcg or another "
                             "one of heptane, they run on the device\n"));
    m->reported_products = PETSC_TRUE;
    PetscCall(VecRestoreArrayReadAndMemType(x, &a->x));
    if (y && y != z) PetscCall(VecRestoreArrayReadAndMemType(y, &a->y));
    if (y == z) PetscCall(VecRestoreArrayAndMemType(z, &a->z));
    else PetscCall(VecRestoreArrayWriteAndMemType(z, &a->z));
    a->where = Where::host;
    a->y     = NULL;
  }
  PetscCall(VecGetArrayRead(x, &a->x));
  if (y && y != z) PetscCall(VecGetArrayRead(y, &a->y));
  if (y == z) {
    PetscCall(VecGetArray(z, &a->z));
    a->y = a->z;
  } else PetscCall(VecGetArrayWrite(z, &a->z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RestoreArrays(Vec x, Vec y, Vec z, ProductArrays *a)
{
  PetscFunctionBegin;
  if (a->where == Where::device) {
    PetscCall(VecRestoreArrayReadAndMemType(x, &a->x));
    if (y && y != z) PetscCall(VecRestoreArrayReadAndMemType(y, &a->y));
    if (y == z) PetscCall(VecRestoreArrayAndMemType(z, &a->z));
    else PetscCall(VecRestoreArrayWriteAndMemType(z, &a->z));
  } else {
    PetscCall(VecRestoreArrayRead(x, &a->x));
    if (y && y != z) PetscCall(VecRestoreArrayRead(y, &a->y));
    if (y == z) PetscCall(VecRestoreArray(z, &a->z));
    else PetscCall(VecRestoreArrayWrite(z, &a->z));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscMemType memtype(Where where)
{
  return where == Where::device ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST;
}

/* Matrix, x and z, and an addend */
DeclaredPass declared(Mat block, const LocalPart *part, PetscBool transpose, bool add, const std::string &text)
{
  const double rows = (double)block->rmap->n, columns = (double)block->cmap->n, scalars = rows + columns + add * (transpose ? columns : rows);

  return {text, part->MatrixBytes() + sizeof(Scalar) * scalars};
}

PetscErrorCode MultLocal(Mat block, LocalPart *part, PetscBool transpose, Where where, const Scalar *x, const Scalar *y, Scalar *z)
{
  const std::string text = std::string(transpose ? "MatMultTranspose" : "MatMult") + (y ? "Add" : "");
  const MetricsPass metrics(where == Where::device, [&] { return declared(block, part, transpose, y != NULL, text); });

  PetscFunctionBegin;
  PetscCall(part->Product(transpose, where, x, y, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rows: the block may have no part */
PetscErrorCode MultPart(Mat block, LocalPart *part, RowVectors *vectors, PetscBool rows, PetscBool transpose, Where where, const Scalar *x, const Scalar *y,
                        Scalar *z)
{
  PetscFunctionBegin;
  if (rows || (where == Where::host && part->OnlyRows())) PetscCall(DerivedRowsProduct(block, vectors, transpose, x, y, z));
  else PetscCall(MultLocal(block, part, transpose, where, x, y, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The exchange of x overlaps with the local product */
PetscErrorCode MultParallel(DerivedMat *m, PetscBool rows, const ProductArrays *a)
{
  const PetscMemType mt = memtype(a->where);
  Scalar            *ghost;

  PetscFunctionBegin;
  PetscCall(DerivedGhostArray(m, a->where, &ghost));
  PetscCall(PetscSFBcastWithMemTypeBegin(m->sf, MPIU_SCALAR, mt, a->x, mt, ghost, MPI_REPLACE));
  PetscCall(MultPart(m->Ad, m->diag, &m->diag_vectors, rows, PETSC_FALSE, a->where, a->x, a->y, a->z));
  PetscCall(PetscSFBcastEnd(m->sf, MPIU_SCALAR, a->x, ghost, MPI_REPLACE));
  if (m->ghosts) PetscCall(MultPart(m->Ao, m->off, &m->off_vectors, rows, PETSC_FALSE, a->where, ghost, a->z, a->z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MultTransposeParallel(DerivedMat *m, PetscBool rows, const ProductArrays *a)
{
  const PetscMemType mt = memtype(a->where);
  Scalar            *ghost;

  PetscFunctionBegin;
  PetscCall(DerivedGhostArray(m, a->where, &ghost));
  if (m->ghosts) PetscCall(MultPart(m->Ao, m->off, &m->off_vectors, rows, PETSC_TRUE, a->where, a->x, NULL, ghost));
  PetscCall(MultPart(m->Ad, m->diag, &m->diag_vectors, rows, PETSC_TRUE, a->where, a->x, a->y, a->z));
  PetscCall(PetscSFReduceWithMemTypeBegin(m->sf, MPIU_SCALAR, mt, ghost, mt, a->z, MPIU_SUM));
  PetscCall(PetscSFReduceEnd(m->sf, MPIU_SCALAR, ghost, a->z, MPIU_SUM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Product(Mat A, PetscBool transpose, Vec x, Vec y, Vec z)
{
  DerivedMat    *m;
  PeerProduct   *peers = nullptr;
  ProductArrays  a;
  PetscBool      rows;
  PetscLogDouble flops;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  PetscCall(DerivedByRows(A, m, &rows));
  if (rows && !m->mpi) {
    PetscCall(DerivedRowsProduct(A, m, transpose, x, y, z));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(rows ? DerivedPrepareHalo(A, m) : DerivedPrepare(A, m));
  if (!transpose) PetscCall(PeerProduct::Of(A, m, x, y, z, &peers));
  if (peers) {
    PetscCall(PetscLogEventBegin(MAT_FormatProduct, A, x, z, 0));
    PetscCall(y ? peers->MultAdd(x, y, z) : peers->Mult(x, z));
    PetscCall(PetscLogEventEnd(MAT_FormatProduct, A, x, z, 0));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!m->mpi && DerivedWhere(A, m) == Where::host && m->diag->OnlyRows()) {
    PetscCall(DerivedRowsProduct(A, m, transpose, x, y, z));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(GetArrays(A, m, x, y, z, &a));
  PetscCall(PetscLogEventBegin(MAT_FormatProduct, A, x, z, 0));
  if (a.where == Where::device) PetscCall(PetscLogGpuTimeBegin());
  if (!m->mpi) PetscCall(MultLocal(A, m->diag, transpose, a.where, a.x, a.y, a.z));
  else PetscCall(transpose ? MultTransposeParallel(m, rows, &a) : MultParallel(m, rows, &a));
  flops = rows ? 0 : 2 * (m->diag->NumEntries() + (m->off ? m->off->NumEntries() : 0)); /* the base class counts its own */
  if (a.where == Where::device) {
    PetscCall(PetscLogGpuTimeEnd());
    PetscCall(PetscLogGpuFlops(flops));
  } else PetscCall(PetscLogFlops(flops));
  PetscCall(PetscLogEventEnd(MAT_FormatProduct, A, x, z, 0));
  PetscCall(RestoreArrays(x, y, z, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMult_Derived(Mat A, Vec x, Vec y)
{
  return Product(A, PETSC_FALSE, x, NULL, y);
}

PetscErrorCode MatMultAdd_Derived(Mat A, Vec x, Vec y, Vec z)
{
  return Product(A, PETSC_FALSE, x, y, z);
}

PetscErrorCode MatMultTranspose_Derived(Mat A, Vec x, Vec y)
{
  return Product(A, PETSC_TRUE, x, NULL, y);
}

PetscErrorCode MatMultTransposeAdd_Derived(Mat A, Vec x, Vec y, Vec z)
{
  return Product(A, PETSC_TRUE, x, y, z);
}

/* In one pass if the format has one and all vectors are in its memory space */
PetscErrorCode ResidualOnePass(Mat A, Vec b, Vec x, Vec r, PetscBool *done)
{
  DerivedMat   *m;
  PeerProduct  *peers;
  ProductArrays a;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  PetscCall(DerivedGet(A, &m));
  PetscCall(DerivedPrepare(A, m));
  PetscCall(PeerProduct::Of(A, m, x, b, r, &peers));
  if (peers) {
    PetscCall(peers->Residual(b, x, r));
    *done = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!m->mpi) PetscCall(m->diag->HasResidual(DerivedWhere(A, m), done));
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetArrays(A, m, x, b, r, &a));
  *done = (PetscBool)(a.where == Where::device);
  if (*done) {
    const MetricsPass metrics(true, [&] { return declared(A, m->diag, PETSC_FALSE, true, "MatResidual"); });

    PetscCall(PetscLogGpuTimeBegin());
    PetscCall(m->diag->Residual(a.x, a.y, a.z));
    PetscCall(PetscLogGpuTimeEnd());
    PetscCall(PetscLogGpuFlops(2 * m->diag->NumEntries()));
  }
  PetscCall(RestoreArrays(x, b, r, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatResidual_Derived(Mat A, Vec b, Vec x, Vec r)
{
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(ResidualOnePass(A, b, x, r, &done));
  if (done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the format's values on the host are up to date, as the compressed rows may be: the format has the diagonal in
   one or few pieces */
bool InBoth(Mat A, const DerivedMat *m, const LocalPart *part)
{
  return part == m->diag && m->prepared_for == DerivedStamp(A) && part->Unchanged(m->Ad) && m->diag->ValuesIfValid(Where::host) && part->Clean();
}

PetscErrorCode MatGetDiagonal_Derived(Mat A, Vec d)
{
  DerivedMat  *m;
  LocalPart   *part;
  PetscScalar *a;
  PetscMemType mt;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  /* never multiplied with, as GAMG's graphs: the compressed rows have it, without analysis or filling; or they are up
     to date, and closest */
  PetscCall(DerivedPartNow(A, m, &part));
  const bool host = DerivedWhere(A, m) == Where::host, both = host && part && InBoth(A, m, part);
  if (!part || (!part->Armed() && !both && (host || !part->HasMemory(Where::device)))) {
    PetscCall((*m->base.getdiagonal)(A, d));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!A->structure_only) PetscCall(DerivedPrepareParts(A, m)); /* other processes may use the compressed rows: nothing collective */
  const bool  near  = m->diag->HasDiagonal();                   /* in the format, in which one pass finds it */
  const Where where = DerivedWhere(A, m);
  if (A->structure_only || A->rmap->n != A->cmap->n || (!near && where == Where::host)) {
    PetscCall((*m->base.getdiagonal)(A, d));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetArrayWriteAndMemType(d, &a, &mt));
  if (PetscMemTypeDevice(mt) && where == Where::device) {
    PetscBool done = PETSC_TRUE;

    if (near) PetscCall(m->diag->Diagonal(Where::device, a));
    else PetscCall(m->diag->TakeDiagonal(Where::device, a, &done));
    PetscCall(VecRestoreArrayWriteAndMemType(d, &a));
    if (!done) PetscCall((*m->base.getdiagonal)(A, d));
  } else {
    PetscCall(VecRestoreArrayWriteAndMemType(d, &a));
    if (!near || !(m->diag->Armed() || both)) { /* compressed rows have an index of their diagonal */
      PetscCall((*m->base.getdiagonal)(A, d));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(VecGetArrayWrite(d, &a));
    PetscCall(m->diag->Diagonal(Where::host, a));
    PetscCall(VecRestoreArrayWrite(d, &a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode DerivedPrepareHalo(Mat A, DerivedMat *m)
{
  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &m->Ad, &m->Ao, &m->garray));
  PetscCall(MatGetMultPetscSF(A, &m->sf)); /* queried after every change: a new one can have the address of the old */
  m->sf_pattern = A->nonzerostate;
  m->ghosts     = m->Ao->cmap->n;
  m->ghost.Resize((std::size_t)PetscMax(m->ghosts, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedGhostArray(DerivedMat *m, Where where, Scalar **ghost)
{
  PetscFunctionBegin;
  PetscCall(m->ghost.Memory(where, ghost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedInstallProducts(Mat A)
{
  PetscFunctionBegin;
  A->ops->mult             = MatMult_Derived;
  A->ops->multadd          = MatMultAdd_Derived;
  A->ops->multtranspose    = MatMultTranspose_Derived;
  A->ops->multtransposeadd = MatMultTransposeAdd_Derived;
  A->ops->residual         = MatResidual_Derived;
  A->ops->getdiagonal      = MatGetDiagonal_Derived;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
