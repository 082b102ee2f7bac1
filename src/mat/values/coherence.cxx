/*
   State transitions of a block's values, in the order of the events of coherence.hpp: the trigger of each event, the
   data copied, and the PETSc states recorded to detect changes of the compressed rows.
*/
#include "local_part.hpp"
#include "maij_readers.hpp"
#include "../../private/mat.hpp"

namespace heptane
{

/* Values or layout differ from the recorded ones */
void LocalPart::Changed()
{
  version = Stamp::NewNumber();
}

/* 1 FormatFilled(), 2 FormatRead() */

PetscErrorCode LocalPart::CopyTo(Where where)
{
  Scalar *there;
  Where   filled;

  PetscFunctionBegin;
  PetscCall(Allocate(where, &there));
  if (values.FormatValid() == Valid::nowhere) {
    PetscCall(FillFormat(where, there, &filled));
    PetscCall(values.FormatFilled(filled));
  }
  PetscCall(values.FormatRead(where, !NumValues()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::Values(Where where, const Scalar **array)
{
  PetscFunctionBegin;
  if (!values.FormatValid(where)) PetscCall(CopyTo(where));
  *array = values.At(where);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 3 FormatWritten(), with 4 RowsRead() at once if the block cannot be armed */

PetscErrorCode LocalPart::KeepsRows(PetscBool *keeps)
{
  PetscFunctionBegin;
  *keeps = PETSC_FALSE;
  if (!Armed()) PetscCall(SeqAIJShared(block, keeps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::ValuesChange(Where where, PetscBool overwrite, Scalar **array)
{
  PetscBool keeps;

  PetscFunctionBegin;
  PetscCall(KeepsRows(&keeps));
  if (keeps) values.RowsWritten(); /* perhaps */
  if (!overwrite) PetscCall(CopyTo(where));
  PetscCall(Allocate(where, array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::ValuesWrite(Where where, PetscBool overwrite, Scalar **array)
{
  PetscFunctionBegin;
  PetscCall(ValuesChange(where, overwrite, array));
  clean = PETSC_FALSE; /* later writes are unknown */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BlockAccessed(void *part, Mat block, HostAccess access, const HostRows &rows)
{
  PetscFunctionBegin;
  PetscCall(static_cast<LocalPart *>(part)->HostAccessed(block, access, rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::ValuesWritten(Where where)
{
  PetscBool can, keeps;

  PetscFunctionBegin;
  PetscCall(KeepsRows(&keeps));
  if (!Armed()) PetscCall(SeqAIJForgetInverses(block));
  Changed();
  values.FormatWritten(where);
  data = block->data;
  /* PETSc counts only a change of the whole matrix; data cached for a block, such as block Jacobi's factors, depends on
     the block's own state */
  if (of_parallel) {
    PetscCall(PetscObjectStateIncrease((PetscObject)block));
    values_seen = ValuesStamp(block);
  }
  PetscCall(SeqAIJCanArm(block, &can));
  if (can) PetscCall(MaijReaderOf(block, &can));
  if (can && !keeps) PetscCall(SeqAIJArm(block, base, BlockAccessed, this));
  else PetscCall(HostAccessed(block, HostAccess::read, SeqAIJRows(block)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 4 RowsRead(), 5 RowsWritten() */

PetscErrorCode LocalPart::HostAccessed(Mat block, HostAccess access, const HostRows &rows)
{
  PetscFunctionBegin;
  if (access == HostAccess::read || access == HostAccess::read_write) PetscCall(WriteRows(rows));
  if (access == HostAccess::read) values.RowsRead();
  else {
    values.RowsWritten();
    Changed();
  }
  if (block) {
    this->block = block;
    values_seen = ValuesStamp(block);
    id          = ((PetscObject)block)->id;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::SyncRows()
{
  PetscFunctionBegin;
  PetscCall(SeqAIJAccess(block, HostAccess::read));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::GiveBack()
{
  PetscFunctionBegin;
  if (Armed()) PetscCall(SeqAIJAccessData(data, HostAccess::read));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 6 RowsCounted(), 9 PatternChanged(): noticed by the states of the block, before its values are used */

Stamp LocalPart::ValuesStamp(Mat A, PetscInt coming)
{
  return Stamp::Of(((PetscObject)A)->state + coming);
}

Stamp LocalPart::PatternStamp(Mat A, PetscInt coming)
{
  return Stamp::Of(A->nonzerostate + coming);
}

PetscBool LocalPart::Unchanged(Mat block, PetscObjectState times) const
{
  if (this->block != block || data != block->data || id != ((PetscObject)block)->id) return PETSC_FALSE;
  return (PetscBool)(pattern_seen == PatternStamp(block) && values_seen == ValuesStamp(block, -static_cast<PetscInt>(times)));
}

PetscErrorCode LocalPart::Update(Mat block, PetscBool changed)
{
  const bool armed = data == block->data && Armed(), same = data == block->data && id == ((PetscObject)block)->id;

  PetscFunctionBegin;
  PetscCheck(!block->structure_only, PetscObjectComm((PetscObject)block), PETSC_ERR_ARG_WRONGSTATE,
             "The matrix has MAT_STRUCTURE_ONLY set: it has no values to multiply with");
  this->block = block;
  if (pattern_seen != PatternStamp(block) || (!armed && !same)) {
    if (armed) PetscCall(SyncRows()); /* of the old pattern: a change of the pattern reads the values first */
    PetscCall(AnalysePattern());
  } else if (!armed && (changed || values_seen != ValuesStamp(block))) {
    values.RowsCounted();
    Changed();
  }
  data        = block->data;
  values_seen = ValuesStamp(block);
  id          = ((PetscObject)block)->id;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 7 RowsRefilled() */

PetscErrorCode LocalPart::FillRows(const std::vector<PetscInt> &rows, PetscInt coming)
{
  PetscBool filled = PETSC_TRUE;

  PetscFunctionBegin;
  if (!rows.empty()) {
    Changed();
    if (values.FormatValid() != Valid::nowhere) PetscCall(PutRows(rows, &filled));
    if (filled) PetscCall(values.RowsRefilled());
    else values.RowsCounted();
  }
  values_seen = ValuesStamp(block, coming);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 8 BothWritten() */

PetscErrorCode LocalPart::BothWritten(PetscInt coming)
{
  PetscFunctionBegin;
  Changed();
  if (NumValues()) PetscCall(values.BothWritten()); /* of none, the host's copy may be the one that is not up to date */
  values_seen = ValuesStamp(block, coming);
  id          = ((PetscObject)block)->id;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
