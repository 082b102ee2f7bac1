/*
   Operations of matrices derived from AIJ that are replaced and are neither products nor part of a matrix's life: options, assembly, view,
   where it is bound, and operations of AIJ that take values without asking for them.
*/
#include "derived.hpp"
#include "device_csr.hpp"

namespace heptane
{

/* PETSc names a parallel submatrix after its blocks, which are plain */
static PetscErrorCode MatCreateSubMatrix_Derived(Mat A, IS rows, IS cols, MatReuse reuse, Mat *B)
{
  DerivedMat *m;
  PetscBool   plain;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  PetscCall((*m->base.createsubmatrix)(A, rows, cols, reuse, B));
  PetscCall(PetscObjectTypeCompare((PetscObject)*B, MATMPIAIJ, &plain));
  if (plain && reuse == MAT_INITIAL_MATRIX) PetscCall(DerivedInstall(*B, m->cls));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   AIJ's operations on groups of identical rows (inodes) take the value array without asking for it, so they are off, as in every type of
   PETSc's that keeps values elsewhere. Blocks are made between creation and assembly.
*/
static PetscErrorCode MatAssemblyEnd_Derived(Mat A, MatAssemblyType type)
{
  DerivedMat *m;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  if (m->mpi) {
    Mat blocks[2];

    PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
    for (Mat block : blocks)
      if (block) PetscCall(MatSetOption(block, MAT_USE_INODES, PETSC_FALSE));
  }
  PetscCall((*m->base.assemblyend)(A, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetFromOptions_Derived(Mat A, PetscOptionItems items)
{
  DerivedMat *m;
  PetscBool   changed = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  if (m->base.setfromoptions) PetscCall((*m->base.setfromoptions)(A, items));
  PetscCall((*m->cls->set_from_options)(A, items, &changed));
  if (changed && m->diag && m->data == A->data) m->diag->ForgetPattern();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetOption_Derived(Mat A, MatOption option, PetscBool flag)
{
  DerivedMat *m;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  if (option == MAT_IGNORE_OFF_PROC_ENTRIES) m->ignore_remote = flag;
  PetscCall((*m->base.setoption)(A, option, flag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatView_Derived(Mat A, PetscViewer viewer)
{
  DerivedMat *m;
  PetscBool   done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  PetscCall((*m->cls->view)(A, viewer, &done));
  if (!done) PetscCall((*m->base.view)(A, viewer));
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

/* What PCPBJACOBI asks for; with a GPU its answer must be of PETSc's CUDA type, for the blocks to be applied there */
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

/* MatStoreValues() and MatRetrieveValues() of AIJ take the value array without asking for it */
PetscErrorCode DerivedStoreValues(Mat A)
{
  DerivedMat *m;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  PetscCall(DerivedSync(A, m));
  PetscCall((*(PetscErrorCode(*)(Mat))m->base_store)(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedRetrieveValues(Mat A)
{
  DerivedMat *m;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  PetscCall(DerivedSync(A, m));
  PetscCall((*(PetscErrorCode(*)(Mat))m->base_retrieve)(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Operations of AIJ that take the value array without asking for it: it is brought up to date first */
template <auto member, class... Args>
static PetscErrorCode Synced(Mat A, Args... args)
{
  DerivedMat *m;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  PetscCall(DerivedSync(A, m));
  PetscCall((*(m->base.*member))(A, args...));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factorisation in place merges a plain factor into A, which debug builds of PETSc refuse between different types: A becomes plain first */
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
  A->ops->view                = MatView_Derived;
  A->ops->bindtocpu           = MatBindToCPU_Derived;
  A->ops->setfromoptions      = MatSetFromOptions_Derived;
  A->ops->setoption           = MatSetOption_Derived;
  A->ops->assemblyend         = MatAssemblyEnd_Derived;
  if (m->base.createsubmatrix) A->ops->createsubmatrix = MatCreateSubMatrix_Derived;
  A->ops->getcurrentmemtype = MatGetCurrentMemType_Derived;
  if (m->base.eliminatezeros) A->ops->eliminatezeros = Synced<&_MatOps::eliminatezeros, PetscBool>;
  if (m->base.getcolumnreductions) A->ops->getcolumnreductions = Synced<&_MatOps::getcolumnreductions, PetscInt, PetscReal *>;
  if (m->base.fdcoloringapply) A->ops->fdcoloringapply = Synced<&_MatOps::fdcoloringapply, MatFDColoring, Vec, void *>;
  A->ops->productsetfromoptions = DerivedProductSetFromOptions;
  if (m->base.lufactor) A->ops->lufactor = FactorInPlace<&_MatOps::lufactor, IS, IS, const MatFactorInfo *>;
  if (m->base.ilufactor) A->ops->ilufactor = FactorInPlace<&_MatOps::ilufactor, IS, IS, const MatFactorInfo *>;
  if (m->base.iccfactor) A->ops->iccfactor = FactorInPlace<&_MatOps::iccfactor, IS, const MatFactorInfo *>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
