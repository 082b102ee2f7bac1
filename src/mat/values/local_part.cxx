/*
   The copies of a block's values and the ways between them.
*/
#include "local_part.hpp"
#include "../../sys/composed.hpp"
#include "../../sys/events.hpp"
#include "../../private/mat.hpp"
#include <new>

namespace heptane
{

static const char part_name[] = "heptane_local_part";

PetscErrorCode LocalPart::Free()
{
  PetscFunctionBegin;
  PetscCall(values.PatternChanged());
  ForgetPlaces();
  clean = PETSC_FALSE;
  Changed();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Zeros: the places that have no entry are never written again */
PetscErrorCode LocalPart::Allocate(Where where, Scalar **array)
{
  PetscFunctionBegin;
  PetscCall(Complete()); /* how many values there are */
  if (!values.At(Where::host) && !values.At(Where::device)) clean = PETSC_TRUE;
  PetscCall(values.Zeros(PetscMax(NumValues(), (std::size_t)1), where, array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Only the pattern: an armed block stays armed (MatSeqAIJGetCSRAndMemType() would access the values) */
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

PetscErrorCode LocalPart::AnalysePattern()
{
  Csr P;

  PetscFunctionBegin;
  PetscCall(Free());
  PetscCall(PetscLogEventBegin(MAT_FormatAnalyse, block, 0, 0, 0));
  PetscCall(Pattern(&P));
  try {
    std::shared_ptr<const FormatLayout> found;
    PetscCall(Analyse(P, &found));
    if (!layout || !found->listed() || !found->same(*format)) layout = Stamp::NewNumber();
    PetscCall(SetFormat(std::move(found)));
  } catch (const std::bad_alloc &) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory left to analyse a pattern of %" PetscInt_FMT " nonzeros", P.nnz());
  }
  PetscCall(PetscLogEventEnd(MAT_FormatAnalyse, block, 0, 0, 0));
  pattern_seen = PatternStamp(block);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::ShareLayout(const LocalPart &other, Mat block)
{
  PetscFunctionBegin;
  this->block = block;
  PetscCall(Free());
  PetscCall(SetFormat(other.format));
  runs         = other.runs;
  diagonals    = other.diagonals;
  entry_places = other.entry_places;
  layout       = other.layout;
  data         = block->data;
  id           = ((PetscObject)block)->id;
  pattern_seen = PatternStamp(block);
  values_seen.Clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first fill uses the format's own search, unless few runs are expected: many patterns are filled once */
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

PetscErrorCode LocalPart::FillFormat(Where where, Scalar there[], Where *filled)
{
  Csr                P;
  const PetscScalar *a;
  PetscBool          on_device = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(MAT_FormatFill, block, 0, 0, 0));
  PetscCall(Pattern(&P));
  PetscCall(MatSeqAIJGetArrayRead(block, &a));
  if (where == Where::device) PetscCall(FromRowsOnDevice(P, a, there, &on_device));
  if (!on_device) {
    PetscCall(FromRows(P, a));
    /* a copy overwrites the device's values, or there are none */
    if (where == Where::device || !values.At(Where::device)) clean = PETSC_TRUE;
  }
  PetscCall(MatSeqAIJRestoreArrayRead(block, &a));
  PetscCall(PetscLogEventEnd(MAT_FormatFill, block, 0, 0, 0));
  *filled = on_device ? Where::device : Where::host;
  PetscFunctionReturn(PETSC_SUCCESS);
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
  rows_wanted = 16; /* guess: after this many changes of both copies, tests again whether the rows are still read */
  PetscCall(PetscLogEventEnd(MAT_FormatSync, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc destroys the container with its block, whose values have been written back, or when MatHeaderMerge() moves the
   data into another header. In the second case values that only the format holds are first written back into the
   compressed rows. */
static PetscErrorCode PartDestroy(PetscCtxRt ctx)
{
  PetscFunctionBegin;
  PetscCall((*static_cast<LocalPart **>(static_cast<void *>(ctx)))->GiveBack());
  PetscCall(ComposedDestroy<LocalPart>(ctx));
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
