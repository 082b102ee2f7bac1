/*
   The copies of a block's values and the ways between them.
*/
#include "local_part.hpp"
#include "../../sys/composed.hpp"
#include "../../sys/events.hpp"
#include "host_values.hpp"
#include "maij_readers.hpp"
#include <petsc/private/matimpl.h>
#include <new>

namespace heptane
{

static const char part_name[] = "heptane_local_part";

void LocalPart::Free()
{
  values.Free();
  ForgetPlaces();
  clean = PETSC_FALSE;
}

/* Values or layout are others than those that were seen */
void LocalPart::Changed()
{
  version = Stamp::NewNumber();
}

/* Zeros: the places that have no entry are never written again */
PetscErrorCode LocalPart::Allocate(Where where, Scalar **array)
{
  PetscFunctionBegin;
  PetscCall(Complete()); /* how many values there are */
  if (!values.Size()) values.Resize(PetscMax(NumValues(), (std::size_t)1));
  if (!values.At(Where::host) && !values.At(Where::device)) clean = PETSC_TRUE;
  PetscCall(values.Zeros(where, array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pattern alone: an armed block stays armed (MatSeqAIJGetCSRAndMemType() would ask for values) */
PetscErrorCode PatternOf(Mat A, Csr *P)
{
  PetscInt  n;
  PetscBool done;

  PetscFunctionBegin;
  P->rows = A->rmap->n;
  P->cols = A->cmap->n;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &P->ptr, &P->col, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No compressed rows in a matrix of type %s", ((PetscObject)A)->type_name);
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, NULL, NULL, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::Pattern(Csr *A) const
{
  return PatternOf(block, A);
}

PetscBool LocalPart::Ahead() const
{
  return data ? SeqAIJIsArmed(data, this) : PETSC_FALSE;
}

PetscInt LocalPart::GivenBlockSize(Mat A)
{
  return A->rmap->bs == A->cmap->bs ? A->rmap->bs : 1;
}

PetscErrorCode LocalPart::CheckSizes(const Csr &A, const char format[], PetscInt b, bool divides, bool counted)
{
  PetscFunctionBegin;
  PetscCheck(divides, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "-mat_%s_block_size %" PetscInt_FMT " does not divide the local sizes %" PetscInt_FMT " x %" PetscInt_FMT
             ": use 0 to have it found, or choose local sizes with MatSetSizes()",
             format, b, A.rows, A.cols);
  PetscCheck(counted, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " rows, %" PetscInt_FMT " columns, %" PetscInt_FMT
             " nonzeros on one process are more than this format counts in 32 bits: use more processes",
             A.rows, A.cols, A.nnz());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool LocalPart::Current(Mat A) const
{
  return Raised(A, 0);
}

PetscErrorCode LocalPart::Update(Mat A, PetscBool touched)
{
  PetscBool ahead;

  PetscFunctionBegin;
  PetscCheck(!A->structure_only, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE,
             "The matrix has MAT_STRUCTURE_ONLY set: it has no values to multiply with");
  block = A;
  ahead = (PetscBool)(data == A->data && Ahead());
  if (!analysed || pattern_seen != PatternStamp(A) || (!ahead && (data != A->data || id != ((PetscObject)A)->id))) {
    Csr P;

    if (ahead) PetscCall(SyncBlock(A)); /* counted as changed, but the pattern is what it was: changing it takes the values first */
    Free();
    Changed();
    PetscCall(PetscLogEventBegin(MAT_FormatAnalyse, A, 0, 0, 0));
    PetscCall(Pattern(&P));
    try {
      std::shared_ptr<const FormatLayout> found;
      PetscCall(Analyse(P, &found));
      if (!analysed || !found->listed() || !found->same(*format)) layout = Stamp::NewNumber();
      PetscCall(SetFormat(std::move(found)));
    } catch (const std::bad_alloc &) {
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory left to analyse a pattern of %" PetscInt_FMT " nonzeros", P.nnz());
    }
    PetscCall(PetscLogEventEnd(MAT_FormatAnalyse, A, 0, 0, 0));
    analysed     = PETSC_TRUE;
    pattern_seen = PatternStamp(A);
  } else if (!ahead && (touched || values_seen != ValuesStamp(A) || id != ((PetscObject)A)->id)) {
    values.Invalidate();
    Changed();
  }
  data        = A->data;
  values_seen = ValuesStamp(A);
  id          = ((PetscObject)A)->id;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::ShareLayout(const LocalPart &other, Mat A)
{
  PetscFunctionBegin;
  block = A;
  Free();
  PetscCall(SetFormat(other.format));
  Changed();
  runs         = other.runs;
  diagonals    = other.diagonals;
  entry_places = other.entry_places;
  layout       = other.layout;
  analysed     = PETSC_TRUE;
  data         = A->data;
  id           = ((PetscObject)A)->id;
  pattern_seen = PatternStamp(A);
  values_seen.Clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first time the format finds its way by itself, unless runs are expected to be few: many patterns are filled once */
PetscErrorCode LocalPart::FromRows(const Csr &A, const Scalar a[])
{
  const ValueRuns *r       = nullptr;
  PetscBool        by_runs = PETSC_TRUE;
  Scalar          *to;

  PetscFunctionBegin;
  PetscCall(Allocate(Where::host, &to));
  if (format->in_order()) {
    PetscCall(PetscArraycpy(to, a, A.nnz()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!moved++) PetscCall(RunsPromise(A, &by_runs));
  if (by_runs) PetscCall(MakeRuns(A, &r));
  if (!clean) PetscCall(PetscArrayzero(to, NumValues()));
  if (r && r->Usable()) r->Fill(a, to);
  else format->put(A, a, to);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::ToRows(const Csr &A, Scalar a[])
{
  const ValueRuns *r = nullptr;

  PetscFunctionBegin;
  if (format->in_order()) {
    PetscCall(PetscArraycpy(a, values.At(Where::host), A.nnz()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (moved++) PetscCall(MakeRuns(A, &r));
  if (r && r->Usable()) r->Extract(values.At(Where::host), a);
  else format->extract(A, values.At(Where::host), a);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where they are nowhere they come from the compressed rows */
PetscErrorCode LocalPart::CopyTo(Where where)
{
  Scalar       *there;
  const Scalar *unused;

  PetscFunctionBegin;
  PetscCall(Allocate(where, &there));
  if (values.State() == Valid::nowhere) {
    Csr                P;
    const PetscScalar *a;
    PetscBool          on_device = PETSC_FALSE;

    PetscCall(PetscLogEventBegin(MAT_FormatFill, block, 0, 0, 0));
    PetscCall(Pattern(&P));
    PetscCall(MatSeqAIJGetArrayRead(block, &a));
    if (where == Where::device) PetscCall(FromRowsOnDevice(P, a, there, &on_device));
    if (!on_device) {
      PetscCall(FromRows(P, a));
      if (where == Where::device || !values.At(Where::device)) clean = PETSC_TRUE; /* what the device has is overwritten below, or there is nothing */
    }
    PetscCall(MatSeqAIJRestoreArrayRead(block, &a));
    PetscCall(PetscLogEventEnd(MAT_FormatFill, block, 0, 0, 0));
    values.Written(on_device ? Where::device : Where::host);
  }
  if (!NumValues()) values.Written(where); /* nothing to copy */
  PetscCall(values.Read(where, &unused));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::Values(Where where, const Scalar **array)
{
  PetscFunctionBegin;
  if (!values.ValidAt(where)) PetscCall(CopyTo(where));
  *array = values.At(where);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::ValuesWrite(Where where, PetscBool overwrite, Scalar **array)
{
  PetscFunctionBegin;
  PetscCall(ValuesChange(where, overwrite, array));
  clean = PETSC_FALSE; /* nobody knows what else will be written */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::KeepsRows(PetscBool *keeps)
{
  PetscFunctionBegin;
  *keeps = PETSC_FALSE;
  if (!Ahead()) PetscCall(SeqAIJShared(block, keeps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::ValuesChange(Where where, PetscBool overwrite, Scalar **array)
{
  PetscBool keeps;

  PetscFunctionBegin;
  PetscCall(KeepsRows(&keeps));
  if (keeps) values.Invalidate(); /* others may have written into the rows */
  if (!overwrite) PetscCall(CopyTo(where));
  PetscCall(Allocate(where, array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BlockAccessed(void *part, Mat A, HostAccess access, const HostRows &rows)
{
  PetscFunctionBegin;
  PetscCall(static_cast<LocalPart *>(part)->HostAccessed(A, access, rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::ValuesWritten(Where where)
{
  PetscBool can, keeps;

  PetscFunctionBegin;
  Changed();
  values.Written(where);
  data = block->data;
  if (of_parallel) { /* PETSc counts a change of a whole matrix alone: what is kept of a block, as the factors of block Jacobi, goes by the block's own state */
    PetscCall(PetscObjectStateIncrease((PetscObject)block));
    values_seen = ValuesStamp(block);
  }
  PetscCall(SeqAIJCanArm(block, &can));
  if (can) PetscCall(MaijReaderOf(block, &can));
  PetscCall(KeepsRows(&keeps));
  if (keeps) can = PETSC_FALSE;
  if (can) PetscCall(SeqAIJArm(block, base, BlockAccessed, this));
  else PetscCall(HostAccessed(block, HostAccess::read, SeqAIJRows(block)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Stamp LocalPart::ValuesStamp(Mat A, PetscInt coming)
{
  return Stamp::Of(((PetscObject)A)->state + coming);
}

Stamp LocalPart::PatternStamp(Mat A, PetscInt coming)
{
  return Stamp::Of(A->nonzerostate + coming);
}

/* The format's values into the compressed rows; they may be all that is left of the block */
PetscErrorCode LocalPart::WriteRows(const HostRows &rows)
{
  Csr       P;
  PetscBool done;

  PetscFunctionBegin;
  P.rows = rows.rows;
  P.cols = rows.cols;
  P.ptr  = rows.ptr;
  P.col  = rows.col;
  PetscCall(PetscLogEventBegin(MAT_FormatSync, 0, 0, 0, 0));
  PetscCall(ToRowsFromDevice(P, rows.a, &done));
  if (!done) {
    PetscCall(CopyTo(Where::host));
    PetscCall(ToRows(P, rows.a));
  }
  rows_wanted = 16; /* guess: after so many changes in step it is tried again whether anybody still looks */
  PetscCall(PetscLogEventEnd(MAT_FormatSync, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::HostAccessed(Mat A, HostAccess access, const HostRows &rows)
{
  PetscFunctionBegin;
  if (access == HostAccess::read || access == HostAccess::read_write) PetscCall(WriteRows(rows));
  if (access != HostAccess::read) {
    values.Invalidate();
    Changed();
  }
  if (A) {
    block       = A;
    values_seen = ValuesStamp(A);
    id          = ((PetscObject)A)->id;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::SyncBlock(Mat A)
{
  PetscFunctionBegin;
  PetscCall(SeqAIJAccess(A, HostAccess::read));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::InStep(PetscInt coming)
{
  PetscFunctionBegin;
  Changed();
  if (NumValues()) values.Invalidate(Where::device); /* of none, the host's copy may be the one that is not up to date: CopyTo() */
  values_seen = ValuesStamp(block, coming);
  id          = ((PetscObject)block)->id;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The container goes when its block goes (then the values have been given up), or when MatHeaderMerge() moves the data into another header and drops the container: then
   what only the format holds goes back into the compressed rows first.
*/
static PetscErrorCode PartDestroy(PetscCtxRt ctx)
{
  PetscFunctionBegin;
  PetscCall((*static_cast<LocalPart **>(static_cast<void *>(ctx)))->GiveBack());
  PetscCall(ComposedDestroy<LocalPart>(ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::GiveBack()
{
  PetscFunctionBegin;
  if (Ahead()) PetscCall(SeqAIJAccessData(data, HostAccess::read));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPartQuery(Mat block, LocalPart **part)
{
  PetscFunctionBegin;
  PetscCall(ComposedQuery(block, part_name, part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPartRemove(Mat block)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectCompose((PetscObject)block, part_name, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPartCompose(Mat block, std::unique_ptr<LocalPart> part)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectContainerCompose((PetscObject)block, part_name, part.get(), PartDestroy));
  (void)part.release();
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
