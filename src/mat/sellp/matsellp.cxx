/*
   PETSc's view of MATSELLP: the type's description and its options. Manual page of the type: include/heptane.h.
*/
#include "matsellp.hpp"
#include "../../sys/number_options.hpp"
#include "../csr/estimate.hpp"
#include <heptane.h>

namespace heptane
{

/* A value outside of the sensible range is an error that names the range */
static PetscErrorCode CheckLimits(Mat A, const SellpLimits &l)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)A);

  PetscFunctionBegin;
  PetscCheck(l.slice == -1 || l.slice % SellpTuning::slice_step == 0, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-mat_sellp_slice_height %" PetscInt_FMT " must be a multiple of %d from %d to %d, -1 for all rows in one slice (ELLPACK), or 0 to have it chosen",
             l.slice, SellpTuning::slice_step, SellpTuning::min_slice, SellpTuning::max_slice);
  PetscCheck(l.max_fill == 0 || l.max_fill >= 1, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-mat_sellp_max_fill %g must be at least 1, or 0 for the choice with fewer bytes: every nonzero is stored", (double)l.max_fill);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* auto, 16 or 32 */
static PetscErrorCode IndexFromOptions(Mat A, PetscOptionItems PetscOptionsObject, PetscInt *bits)
{
  char      text[16];
  PetscBool set, ok;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, sizeof(text), *bits ? "%" PetscInt_FMT : "auto", *bits));
  PetscCall(PetscOptionsString("-mat_sellp_index", "Bits of a block column: auto (as few as a slice needs), 16 (if they fit), 32", "MATSELLP", text, text,
                               sizeof(text), &set));
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt known : {0, 16, 32}) {
    char name[16];
    PetscCall(PetscSNPrintf(name, sizeof(name), known ? "%" PetscInt_FMT : "auto", known));
    PetscCall(PetscStrcmp(text, name, &ok));
    if (ok) {
      *bits = known;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  SETERRQ(PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE, "-mat_sellp_index %s must be auto, 16 or 32", text);
}

static PetscErrorCode MatSetFromOptions_SELLP(Mat A, PetscOptionItems PetscOptionsObject, PetscBool *changed)
{
  DerivedMat  *m;
  SellpLimits *settings, l;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  settings = static_cast<SellpLimits *>(m->settings.get());
  l        = *settings;
  PetscOptionsHeadBegin(PetscOptionsObject, "Sliced ELLPACK with padding and dense blocks (SELLP) options");
  PetscCall(OptionInt(PetscOptionsObject, "-mat_sellp_block_size", "Block size; 0: that of MatSetBlockSize(), or found in the pattern", "MATSELLP", 0,
                      PETSC_INT_MAX, &l.block));
  PetscCall(OptionReal(PetscOptionsObject, "-mat_sellp_max_fill",
                       "Largest number of stored values per nonzero for which blocks are used; 0: as long as they need fewer bytes than single entries",
                       "MATSELLP", 0, no_bound, &l.max_fill));
  PetscCall(OptionInt(PetscOptionsObject, "-mat_sellp_slice_height", "Block rows per slice, a multiple of 8 from 8 to 64; -1: all; 0: chosen", "MATSELLP", -1,
                      SellpTuning::max_slice, &l.slice));
  PetscCall(OptionInt(PetscOptionsObject, "-mat_sellp_sort_window", "Block rows sorted by length among each other; 1: not sorted; 0: chosen", "MATSELLP", 0,
                      SellpTuning::max_window, &l.window));
  PetscCall(OptionInt(PetscOptionsObject, "-mat_sellp_long_row", "Block rows with more blocks are stored in the remainder; 0: chosen", "MATSELLP", 0,
                      PETSC_INT_MAX, &l.long_row));
  PetscCall(IndexFromOptions(A, PetscOptionsObject, &l.index));
  PetscOptionsHeadEnd();
  PetscCall(CheckLimits(A, l));
  *changed  = (PetscBool) !(l == *settings);
  *settings = l;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const DerivedClass sellp_class = {MATSEQAIJSELLP,
                                         MATMPIAIJSELLP,
                                         MATAIJSELLP,
                                         MATSELLP,
                                         DerivedMakePart<SellpPart>,
                                         DerivedMakeSettings<SellpLimits>,
                                         DerivedCopySettings<SellpLimits>,
                                         MatSetFromOptions_SELLP,
                                         MatView_SELLP,
                                         NULL};

static ProductEstimate Estimate(const Csr &A, PetscInt block)
{
  const SellpLayout L = sellp_find_layout(A, block, false, SellpLimits());

  return {L.matrix_bytes() + L.vector_bytes(), L.csr_bytes() + L.vector_bytes()};
}

PetscErrorCode MatSELLPRegister()
{
  PetscFunctionBegin;
  PetscCall(RegisterProductEstimator(MATSELLP, Estimate));
  PetscCall(DerivedRegister(&sellp_class));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

/*@C
  MatSELLPGetStorage - Gets how a matrix of type `MATSELLP` stores the entries of this process's rows, and the bytes that a product reads

  Not Collective; No Fortran Support

  Input Parameter:
. A - the matrix, assembled or preallocated with `MatSetPreallocationCOO()`

  Output Parameters:
+ block       - the block size of the slices, or `NULL`
. slice       - block rows per slice; 0 if there are no slices, or `NULL`
. padding     - number of stored blocks that are padding over the number of other blocks, or `NULL`
. value_bytes - bytes of values, including padding, long rows stored separately and columns of other processes, or `NULL`
- index_bytes - bytes of everything else that a product reads, without vectors, or `NULL`

  Level: advanced

.seealso: `MATSELLP`, `MatBDIAGHGetLayout()`
@*/
PetscErrorCode MatSELLPGetStorage(Mat A, PetscInt *block, PetscInt *slice, PetscReal *padding, PetscLogDouble *value_bytes, PetscLogDouble *index_bytes)
{
  heptane::DerivedMat *m      = NULL;
  double               values = 0, bytes = 0;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCall(heptane::DerivedGetParts(A, &heptane::sellp_class, &m));
  for (heptane::LocalPart *part : {m->diag, m->off}) {
    if (!part) continue;
    const heptane::SellpLayout &L = static_cast<heptane::SellpPart *>(part)->LayoutData();
    values += sizeof(PetscScalar) * (double)L.values();
    bytes += L.matrix_bytes();
  }
  const heptane::SellpLayout &L = static_cast<heptane::SellpPart *>(m->diag)->LayoutData();
  if (block) *block = L.block;
  if (slice) *slice = L.slices ? L.slice : 0;
  if (padding) *padding = (PetscReal)L.padding();
  if (value_bytes) *value_bytes = values;
  if (index_bytes) *index_bytes = bytes - values;
  PetscFunctionReturn(PETSC_SUCCESS);
}
