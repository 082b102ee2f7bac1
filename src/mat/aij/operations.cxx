/*
   Replaced operations of matrices derived from AIJ that are neither products nor construction or destruction: options,
   assembly, view, binding to the host, factorisation in place.
*/
#include "derived.hpp"
#include "../../comm/peer_options.hpp"
#include "device_csr.hpp"
#include "peer_product.hpp"

namespace heptane
{

/* PETSc names a parallel submatrix after its blocks, which are plain */
static PetscErrorCode MatCreateSubMatrix_Derived(Mat A, IS rows, IS cols, MatReuse reuse, Mat *B)
{
  DerivedMat *m;
  PetscBool   plain;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  PetscCall(DerivedSync(A, m));
  if (reuse == MAT_REUSE_MATRIX) PetscCall(DerivedSyncAny(*B));
  PetscCall((*m->base.createsubmatrix)(A, rows, cols, reuse, B));
  PetscCall(PetscObjectTypeCompare((PetscObject)*B, MATMPIAIJ, &plain));
  if (plain && reuse == MAT_INITIAL_MATRIX) PetscCall(DerivedInstall(*B, m->cls));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   AIJ copies all composed names to a result that stays plain, so it gets a plain copy; the result then becomes our type
*/
static PetscErrorCode MatGetMultiProcBlock_SeqDerived(Mat A, MPI_Comm comm, MatReuse reuse, Mat *B)
{
  DerivedMat *m;
  Mat         plain;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(A, *B, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &plain));
  PetscCall(MatGetMultiProcBlock(plain, comm, reuse, B));
  PetscCall(MatDestroy(&plain));
  PetscCall(DerivedInstall(*B, m->cls));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks are made between creation and assembly */
static PetscErrorCode MatAssemblyEnd_Derived(Mat A, MatAssemblyType type)
{
  DerivedMat *m;
  PetscBool   few;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  PetscCall(DerivedSetRowsBefore(A, m, &few));
  PetscCall((*m->base.assemblyend)(A, type));
  if (m->mpi) PetscCall(DerivedSyncFunctions(A));
  if (!A->was_assembled || A->ass_nonzerostate != A->nonzerostate) PetscCall(DerivedSync(A, m)); /* else no value is touched */
  PetscCall(DerivedSetRowsAfter(A, m, few));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc changes only the blocks. All processes count this as a change of the matrix, and of its pattern if one block
   has a new one, with the same number as an assembly */
static PetscErrorCode MatEliminateZeros_MPIDerived(Mat A, PetscBool keep)
{
  DerivedMat      *m;
  Mat              blocks[2];
  PetscObjectState before = 0, after[2] = {0, 0}; /* the second: of blocks that differ */

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  PetscCall(DerivedSync(A, m));
  PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  for (Mat block : blocks) before += block->nonzerostate;
  PetscCall((*m->base.eliminatezeros)(A, keep));
  for (Mat block : blocks) after[0] += block->nonzerostate;
  after[1] = after[0] - before;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, after, 2, MPIU_INT64, MPI_SUM, PetscObjectComm((PetscObject)A)));
  if (after[1]) A->nonzerostate = PetscMax(after[0], A->nonzerostate + 1);
  PetscCall(PetscObjectStateIncrease((PetscObject)A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In a separate section: -help prints a section once, and a SeqAIJ of the same prefix has printed the matrix section */
static PetscErrorCode SettingsFromOptions(Mat A, DerivedMat *m, PetscBool *changed)
{
  char title[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(title, sizeof(title), "Matrix type %s", m->cls->root));
  PetscOptionsBegin(PetscObjectComm((PetscObject)A), ((PetscObject)A)->prefix, title, "Mat");
  PetscOptionsObject->options = ((PetscObject)A)->options;
  PetscCall((*m->cls->set_from_options)(A, PetscOptionsObject, changed));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetFromOptions_Derived(Mat A, PetscOptionItems items)
{
  DerivedMat *m;
  PetscBool   changed = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  if (m->base.setfromoptions) PetscCall((*m->base.setfromoptions)(A, items));
  PetscCall(SettingsFromOptions(A, m, &changed));
  if (changed) m->settings_changed++;
  if (!changed) PetscFunctionReturn(PETSC_SUCCESS);
  LocalPart *part;
  PetscCall(DerivedPartNow(A, m, &part));
  if (part) part->ForgetPattern();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetOption_Derived(Mat A, MatOption option, PetscBool flag)
{
  DerivedMat *m;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  if (option == MAT_IGNORE_OFF_PROC_ENTRIES) m->ignore_remote = flag;
  auto *const set = A->ops->setvalues;
  PetscCall((*m->base.setoption)(A, option, flag));
  if (A->ops->setvalues != set && (set == m->derived.setvalues || set == m->base.setvalues)) { /* MAT_SORTED_FULL exchanges MatSetValues() */
    m->base.setvalues = A->ops->setvalues;
    A->ops->setvalues = m->derived.setvalues;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatView_Derived(Mat A, PetscViewer viewer)
{
  DerivedMat       *m;
  PetscBool         ascii, draw;
  PetscViewerFormat format;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERDRAW, &draw));
  PetscCall(PetscViewerGetFormat(viewer, &format));
  const bool info    = format == PETSC_VIEWER_ASCII_INFO || format == PETSC_VIEWER_ASCII_INFO_DETAIL;
  const bool picture = draw && !m->mpi && m->cls->draw; /* the parallel one is the base class's */
  const bool shown   = A->assembled && !A->structure_only && !A->factortype;
  if (shown && ((ascii && info) || picture)) {
    PetscCall(DerivedGetParts(A, m->cls, &m));
    if (picture) PetscCall((*m->cls->draw)(*m->diag, viewer));
    else PetscCall((*m->cls->view)(A, m, viewer));
  }
  if (ascii && info && m->peers && m->peers->Used()) /* since the last change that all processes see */
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: halo of products: %s\n", m->cls->root, peer_text));
  if (shown && picture) PetscFunctionReturn(PETSC_SUCCESS);
  if (!info && format != PETSC_VIEWER_ASCII_FACTOR_INFO) PetscCall(DerivedSync(A, m));
  PetscCall((*m->base.view)(A, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatBindToCPU_Derived(Mat A, PetscBool bind)
{
  DerivedMat *m;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  if (bind) PetscCall(DerivedSync(A, m));
  if (bind) m->csr.reset();
  if (m->base.bindtocpu) PetscCall((*m->base.bindtocpu)(A, bind));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatGetCurrentMemType_Derived(Mat A, PetscMemType *mtype)
{
  DerivedMat *m;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  *mtype = DerivedWhere(A, m) == Where::device ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Called by PCPBJACOBI; with a GPU the result must have PETSc's CUDA type for the blocks to be applied there */
static PetscErrorCode MatGetBlockDiagonal_Derived(Mat A, Mat *B)
{
  DerivedMat *m;
  PetscBool   done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  if (DerivedWhere(A, m) == Where::device) PetscCall(DerivedBlockDiagonal(A, m, B, &done));
  if (!done) { /* the matrix itself has its diagonal blocks */
    PetscCall(PetscObjectReference((PetscObject)A));
    *B = A;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatSeqAIJKron() requires B to be a plain SEQAIJ */
PetscErrorCode DerivedKron(Mat A, Mat B, MatReuse reuse, Mat *C)
{
  DerivedMat *m, *other;
  Mat         plain = NULL;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  PetscCall(DerivedSync(A, m));
  if (reuse == MAT_REUSE_MATRIX) PetscCall(DerivedSyncAny(*C));
  PetscCall(DerivedQuery(B, &other));
  if (other) PetscCall(MatConvert(B, MATAIJ, MAT_INITIAL_MATRIX, &plain));
  PetscCall((*(PetscErrorCode(*)(Mat, Mat, MatReuse, Mat *))m->base_kron)(A, plain ? plain : B, reuse, C));
  PetscCall(MatDestroy(&plain));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By blocks, row after row: on the host, whatever the type, by PETSc's function, after outdated values are updated */
static PetscErrorCode MatSOR_Derived(Mat A, Vec b, PetscReal omega, MatSORType flag, PetscReal shift, PetscInt its, PetscInt lits, Vec x)
{
  DerivedMat *m;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  if (!m->relaxed && DerivedWhere(A, m) == Where::device)
    PetscCall(PetscInfo(A, "SOR is sequential: it runs on the host, and values are copied there after each change; -pc_type pbjacobi runs on the device\n"));
  m->relaxed = PETSC_TRUE;
  PetscCall(DerivedSync(A, m));
  PetscCall((*m->base.sor)(A, b, omega, flag, shift, its, lits, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factorisation in place merges a plain factor into A, which debug builds of PETSc refuse between types: A becomes
   plain first */
template <auto member, class... Args>
static PetscErrorCode FactorInPlace(Mat A, Args... args)
{
  DerivedMat    *m;
  struct _MatOps base;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  PetscCall(DerivedSync(A, m));
  base = m->base;
  PetscCall(DerivedUninstall(A));
  PetscCall((*(base.*member))(A, args...));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedInstallOperations(Mat A, const DerivedMat *m)
{
  PetscFunctionBegin;
  if (m->device) A->ops->getblockdiagonal = MatGetBlockDiagonal_Derived;
  A->ops->invertblockdiagonal = MatInvertBlockDiagonal_Derived;
  A->ops->convert             = DerivedConvertOut;
  A->ops->convertfrom         = DerivedConvertIn;
  A->ops->view                = MatView_Derived;
  A->ops->bindtocpu           = MatBindToCPU_Derived;
  A->ops->setfromoptions      = MatSetFromOptions_Derived;
  A->ops->setoption           = MatSetOption_Derived;
  A->ops->assemblyend         = MatAssemblyEnd_Derived;
  PetscCall(DerivedInstallSetValues(A));
  if (m->base.createsubmatrix) A->ops->createsubmatrix = MatCreateSubMatrix_Derived;
  A->ops->getcurrentmemtype     = MatGetCurrentMemType_Derived;
  A->ops->sor                   = MatSOR_Derived;
  A->ops->creategraph           = MatCreateGraph_Derived;
  A->ops->productsetfromoptions = DerivedProductSetFromOptions;
  if (m->base.getdiagonalblock) A->ops->getdiagonalblock = MatGetDiagonalBlock_Derived;
  if (m->mpi) A->ops->eliminatezeros = MatEliminateZeros_MPIDerived;
  else A->ops->getmultiprocblock = MatGetMultiProcBlock_SeqDerived;
  if (m->base.lufactor) A->ops->lufactor = FactorInPlace<&_MatOps::lufactor, IS, IS, const MatFactorInfo *>;
  if (m->base.ilufactor) A->ops->ilufactor = FactorInPlace<&_MatOps::ilufactor, IS, IS, const MatFactorInfo *>;
  if (m->base.iccfactor) A->ops->iccfactor = FactorInPlace<&_MatOps::iccfactor, IS, const MatFactorInfo *>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
