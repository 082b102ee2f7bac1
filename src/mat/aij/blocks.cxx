/*
   The diagonal blocks of a matrix derived from AIJ: as stored in the format, for our preconditioners; their inverses
   for MatInvertBlockDiagonal(); and a matrix of PETSc's CUDA type for PETSc's own PCPBJACOBI, if the PC was created
   before heptane was loaded: it inverts the blocks on the host and applies the inverses on the device.
*/
#include "derived.hpp"
#include "../../pc/dense/inverse.hpp"
#include "../../sys/collective.hpp"
#include "../../sys/petsc_compat.hpp"
#include <algorithm>

namespace heptane
{

/* Memory for n values at `where`, initially zero; the same memory while size and layout do not change */
static PetscErrorCode Gathered(DerivedMat *m, Where where, std::size_t n, Scalar **d)
{
  const Stamp now = Stamp::Of(m->diag->Layout());

  PetscFunctionBegin;
  if (m->gathered_for != now) m->gathered.Free();
  m->gathered_for = now;
  m->gathered.Resize(n);
  PetscCall(m->gathered.Zeros(where, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedGetDenseBlocks(Mat A, PetscInt b, DenseBlocks *blocks, PetscBool *device, PetscBool *available)
{
  const std::size_t n = (std::size_t)A->rmap->n, ld = dense_inverse_ld(n);
  DerivedMat       *m;
  Where             where;
  Scalar           *d = nullptr;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  PetscCall(DerivedPrepareParts(A, m));
  where         = DerivedWhere(A, m);
  *device       = (PetscBool)(where == Where::device);
  *available    = (PetscBool)(A->rmap->n == A->cmap->n && A->rmap->n % b == 0);
  *blocks       = DenseBlocks();
  blocks->block = (int)b;
  if (*available && n) {
    PetscCall(m->diag->DiagonalBlocksInPlace(where, (int)b, blocks));
    if (!blocks->values) {
      PetscCall(Gathered(m, where, ld * b, &d));
      PetscCall(m->diag->GatherBlocks(where, (int)b, ld, d));
      *blocks = DenseBlocks::value_columns(n / b, (int)b, d, ld);
    }
  }
  PetscCall(CollectiveReduce(PetscObjectComm((PetscObject)A), available, 1, MPI_C_BOOL, MPI_LAND));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetBlockDiagonals(Mat A, BlockDiagonals *D, PetscBool *device)
{
  DerivedMat *m;
  LocalPart  *part;
  Where       where = Where::host;

  PetscFunctionBegin;
  PetscCall(DerivedQuery(A, &m));
  if (m) {
    PetscCall(DerivedPrepareParts(A, m));
    part  = m->diag;
    where = *device ? DerivedWhere(A, m) : Where::host;
  } else {
    PetscCall(LocalPartQuery(A, &part));
    PetscCheck(part, PetscObjectComm((PetscObject)A), PETSC_ERR_PLIB, "A block of a parallel matrix has lost its format");
    PetscCall(part->Update(A, PETSC_FALSE));
  }
  *device = (PetscBool)(where == Where::device);
  PetscCall(part->OnDiagonals(where, D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One container for all matrices */
static PetscContainer block_diagonals = NULL;

static PetscErrorCode ForgetBlockDiagonals(void)
{
  PetscFunctionBegin;
  PetscCall(PetscContainerDestroy(&block_diagonals));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedComposeBlockDiagonals(Mat A, PetscBool compose)
{
  static BlockDiagonalsSource source = {GetBlockDiagonals};

  PetscFunctionBegin;
  if (compose && !block_diagonals) {
    PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &block_diagonals));
    PetscCall(PetscContainerSetPointer(block_diagonals, &source));
    PetscCall(PetscRegisterFinalize(ForgetBlockDiagonals));
  }
  PetscCall(PetscObjectCompose((PetscObject)A, block_diagonals_name, compose ? (PetscObject)block_diagonals : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With a part, so that preconditioners of blocks find its diagonals */
PetscErrorCode MatGetDiagonalBlock_Derived(Mat A, Mat *block)
{
  DerivedMat *m;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  if (m->mpi) PetscCall(DerivedPrepareParts(A, m));
  PetscCall((*m->base.getdiagonalblock)(A, block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As PETSc's own: an error, or the matrix's factorisation error */
static PetscErrorCode ReportZeroPivot(Mat A, const DenseReport &report)
{
  PetscFunctionBegin;
  if (!report.zeros) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!A->erroriffailure, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT,
             "Zero pivot, local row %llu, in the first of %llu singular diagonal blocks: the diagonal blocks of this matrix have no inverses", report.zero_row,
             report.zeros);
  A->factorerrortype             = MAT_FACTOR_NUMERIC_ZEROPIVOT;
  A->factorerror_zeropivot_value = 0;
  A->factorerror_zeropivot_row   = (PetscInt)report.zero_row;
  PetscCall(PetscInfo(A, "Zero pivot, local row %llu, in the first of %llu singular diagonal blocks\n", report.zero_row, report.zeros));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By AIJ's own code; on a copy if AIJ would return cached inverses of old values */
static PetscErrorCode InvertByBase(Mat A, DerivedMat *m, const PetscScalar **values)
{
  Mat                block = A, copy;
  const PetscScalar *inverse;

  PetscFunctionBegin;
  if (!inverse_blocks_stay) {
    PetscCall((*m->base.invertblockdiagonal)(A, values));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  m->inverses.made_from.Clear();
  if (m->mpi) PetscCall(MatGetDiagonalBlock(A, &block));
  PetscCall(MatConvert(block, MATSEQAIJ, MAT_INITIAL_MATRIX, &copy));
  PetscCall(MatSetBlockSize(copy, A->rmap->bs));
  PetscCall(MatSetErrorIfFailure(copy, A->erroriffailure));
  PetscCall(MatInvertBlockDiagonal(copy, &inverse));
  m->inverses.values.assign(inverse, inverse + A->rmap->n * A->rmap->bs);
  A->factorerrortype             = copy->factorerrortype;
  A->factorerror_zeropivot_value = copy->factorerror_zeropivot_value;
  A->factorerror_zeropivot_row   = copy->factorerror_zeropivot_row;
  PetscCall(MatDestroy(&copy));
  if (values) *values = m->inverses.values.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Inverted on the side of the products; only the inverses are copied to the host, as PETSc's interface requires */
PetscErrorCode MatInvertBlockDiagonal_Derived(Mat A, const PetscScalar **values)
{
  const PetscInt b = A->rmap->bs;
  DerivedMat    *m;
  DenseBlocks    blocks;
  PetscBool      device, available = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  if (dense_inverse_fits(b)) PetscCall(DerivedGetDenseBlocks(A, b, &blocks, &device, &available));
  if (!available) {
    PetscCall(InvertByBase(A, m, values));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  BlockInverses &cache = m->inverses;
  const Stamp    now   = Stamp::Of(m->diag->Version(), b);
  if (cache.made_from != now) {
    cache.made_from.Clear(); /* in case of an error below */
    if (!cache.inverse) cache.inverse = std::make_shared<DenseInverse>();
    PetscCall(cache.inverse->Invert(device, blocks));
    DenseLent lent;
    PetscCall(cache.inverse->Lend(PETSC_FALSE, &lent));
    cache.values.resize(blocks.rows() * b);
    for (std::size_t c = 0; c < blocks.count; c++)
      for (PetscInt s = 0; s < b; s++) std::copy_n(lent.inverse.get() + s * lent.ld + c * b, b, &cache.values[(c * b + s) * b]);
    PetscCall(ReportZeroPivot(A, cache.inverse->Report()));
    cache.made_from = now;
  }
  if (values) *values = cache.values.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix, with the pattern of dense b x b blocks and its entries in the order of LocalPart::GatherBlocks(), one
   value column after another */
static PetscErrorCode CreateBlockMatrix(Mat A, PetscInt b, Mat *B)
{
  const PetscInt   n = A->rmap->n, rstart = A->rmap->rstart;
  const PetscCount entries = (PetscCount)n * b;
  PetscInt        *i, *j;

  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), B));
  PetscCall(MatSetSizes(*B, n, n, A->rmap->N, A->rmap->N));
  PetscCall(MatSetBlockSize(*B, b));
  PetscCall(MatSetType(*B, "aijcusparse"));
  PetscCall(PetscMalloc2(entries, &i, entries, &j));
  for (PetscCount k = 0; k < entries; k++) {
    const PetscInt row = (PetscInt)(k % n);

    i[k] = rstart + row;
    j[k] = rstart + row / b * b + (PetscInt)(k / n);
  }
  PetscCall(MatSetPreallocationCOO(*B, entries, i, j));
  PetscCall(PetscFree2(i, j));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedBlockDiagonal(Mat A, DerivedMat *m, Mat *B, PetscBool *done)
{
  const PetscInt b = A->rmap->bs;
  PetscBool      fits;
  Scalar        *values;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  PetscCall(DerivedPrepareParts(A, m));
  fits = (PetscBool)(A->rmap->n == A->cmap->n && b == A->cmap->bs);
  PetscCall(CollectiveReduce(PetscObjectComm((PetscObject)A), &fits, 1, MPI_C_BOOL, MPI_LAND));
  if (!fits) PetscFunctionReturn(PETSC_SUCCESS);
  const Stamp now = Stamp::Of(m->diag->Layout(), b);
  if (!m->block_diagonal || m->block_diagonal_for != now) {
    PetscCall(MatDestroy(&m->block_diagonal));
    m->block_values.Free();
    PetscCall(CreateBlockMatrix(A, b, &m->block_diagonal));
    m->block_values.Resize((std::size_t)A->rmap->n * b);
    m->block_diagonal_for = now;
  }
  PetscCall(m->block_values.Zeros(Where::device, &values)); /* places without entry in the pattern stay zero */
  if (A->rmap->n) PetscCall(m->diag->GatherBlocks(Where::device, (int)b, (std::size_t)A->rmap->n, values));
  PetscCall(MatSetValuesCOO(m->block_diagonal, values, INSERT_VALUES));
  PetscCall(PetscObjectReference((PetscObject)m->block_diagonal));
  *B    = m->block_diagonal;
  *done = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
