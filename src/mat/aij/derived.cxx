/*
   Registration, installation on a plain AIJ matrix, parts, duplication and destruction of matrices derived from AIJ.
*/
#include "derived.hpp"
#include "../../pass/small_tuning.hpp"
#include "../../sys/composed.hpp"
#include "../../sys/device.hpp"
#include "../values/maij_readers.hpp"
#include "../values/operation_table.hpp"
#include "device_csr.hpp"
#include "factor_packages.hpp"
#include <vector>

namespace heptane
{

static const char context_name[] = "heptane_derived";

static std::vector<const DerivedClass *> classes;
static PetscErrorCode (*base_destroy[2])(Mat); /* sequential, parallel; for use after the context, which has the matrix's own, is destroyed */

/* The context of the most recent lookup, while it exists: every call of MatSetValues() looks one up */
static struct {
  Mat         A    = NULL;
  void       *data = nullptr; /* of A: headers may be exchanged around it */
  DerivedMat *m    = nullptr;
} last;

int DerivedClassCount()
{
  return static_cast<int>(classes.size());
}

const DerivedClass *DerivedClassAt(int k)
{
  return classes[k];
}

const DerivedClass *DerivedClassOf(const char *name)
{
  for (const DerivedClass *cls : classes)
    for (const char *type : {cls->seq_name, cls->mpi_name, cls->aij_root, cls->root})
      if (name && !strcmp(name, type)) return cls;
  return nullptr;
}

CooPlan::~CooPlan()
{
  PetscCallAbort(PETSC_COMM_SELF, PetscSFDestroy(&sf));
}

DerivedMat::~DerivedMat()
{
  if (last.m == this) last = {};
  PetscCallAbort(PETSC_COMM_SELF, MatDestroy(&block_diagonal));
}

PetscErrorCode DerivedQuery(Mat A, DerivedMat **m)
{
  PetscFunctionBegin;
  PetscCall(ComposedQuery(A, context_name, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedGet(Mat A, DerivedMat **m)
{
  PetscFunctionBegin;
  if (last.A == A && last.data && last.data == A->data) {
    *m = last.m;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(DerivedQuery(A, m));
  PetscCheck(*m, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONG,
             "Not for a matrix of type %s: set the type with MatSetType() or -mat_type, or convert with MatConvert()", ((PetscObject)A)->type_name);
  last = {A, A->data, *m};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The part of a block of A, made if there is none */
static PetscErrorCode PartOf(Mat A, DerivedMat *m, Mat block, PetscBool off_process, LocalPart **part)
{
  PetscFunctionBegin;
  PetscCall(LocalPartQuery(block, part));
  if (!*part) {
    std::unique_ptr<LocalPart> made;
    PetscCall((*m->cls->make_part)(A, off_process, &made));
    *part = made.get();
    PetscCall(LocalPartCompose(block, std::move(made)));
    if (m->mpi) PetscCall(DerivedSyncFunctions(block));
    if (m->mpi && !off_process) PetscCall(DerivedComposeBlockDiagonals(block, PETSC_TRUE));
  }
  if (m->mpi) (*part)->SetOfParallel();
  else (*part)->SetBaseOperations(&m->base);
  PetscFunctionReturn(PETSC_SUCCESS);
}

Stamp DerivedStamp(Mat A, PetscInt coming)
{
  return Stamp::Of(((PetscObject)A)->state + coming, A->data);
}

PetscErrorCode DerivedPrepareParts(Mat A, DerivedMat *m)
{
  const Stamp     now     = DerivedStamp(A);
  const PetscBool changed = (PetscBool)(m->prepared_for != now);

  PetscFunctionBegin;
  if (m->mpi) PetscCall(MatMPIAIJGetSeqAIJ(A, &m->Ad, &m->Ao, &m->garray));
  else m->Ad = A;
  PetscCall(PartOf(A, m, m->Ad, PETSC_FALSE, &m->diag));
  PetscCall(m->diag->Update(m->Ad, changed));
  if (m->Ao) {
    PetscCall(PartOf(A, m, m->Ao, PETSC_TRUE, &m->off));
    PetscCall(m->off->Update(m->Ao, changed));
    if (changed || m->sf_of != ((PetscObject)m->Ao)->id) m->sf = NULL; /* the halo may be outdated: DerivedPrepare() makes it again */
    m->sf_of = ((PetscObject)m->Ao)->id;
  }
  m->prepared_for = now;
  m->data         = A->data;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatEliminateZeros() of a parallel matrix changes only the blocks */
static bool parts_unchanged(Mat A, const DerivedMat *m)
{
  if (!m->diag || m->prepared_for != DerivedStamp(A)) return false;
  return m->mpi ? m->diag->Unchanged(m->Ad) && m->off->Unchanged(m->Ao) : m->diag->Unchanged(A);
}

PetscErrorCode DerivedPrepare(Mat A, DerivedMat *m)
{
  PetscFunctionBegin;
  if ((!m->mpi || (m->sf && m->sf_pattern == A->nonzerostate)) && parts_unchanged(A, m)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DerivedPrepareParts(A, m));
  if (m->mpi) PetscCall(DerivedPrepareHalo(A, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedGetParts(Mat A, const DerivedClass *cls, DerivedMat **m)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)A);

  PetscFunctionBegin;
  PetscCall(DerivedQuery(A, m));
  PetscCheck(*m && (*m)->cls == cls, comm, PETSC_ERR_ARG_WRONG,
             "Not for a matrix of type %s: set the type %s with MatSetType() or -mat_type, or convert with MatConvert()", ((PetscObject)A)->type_name,
             cls->root);
  PetscCheck(A->preallocated, comm, PETSC_ERR_ARG_WRONGSTATE, "The matrix has no pattern yet: assemble it, or call MatSetPreallocationCOO()");
  PetscCall(DerivedPrepareParts(A, *m));
  for (LocalPart *part : {(*m)->diag, (*m)->off})
    if (part) PetscCall(part->Complete());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedPartNow(Mat A, const DerivedMat *m, LocalPart **part)
{
  Mat block = A;

  PetscFunctionBegin;
  *part = nullptr;
  if (m->mpi && A->data) PetscCall(MatMPIAIJGetSeqAIJ(A, &block, NULL, NULL));
  if (A->data && block) PetscCall(LocalPartQuery(block, part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedSync(Mat A, DerivedMat *m)
{
  Mat blocks[2] = {A, NULL};

  PetscFunctionBegin;
  if (!A->preallocated) PetscFunctionReturn(PETSC_SUCCESS);
  /* The base class may write values past all interfaces, and then assemble; on one process A's state shows it */
  if (m->mpi || m->set_rows.Now() == SetRows::Status::listed) m->set_rows.GiveUp();
  if (m->mpi) PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  for (Mat block : blocks)
    if (block) PetscCall(SeqAIJAccess(block, HostAccess::read));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedSyncAny(Mat A)
{
  DerivedMat *m;

  PetscFunctionBegin;
  PetscCall(DerivedQuery(A, &m));
  if (m) PetscCall(DerivedSync(A, m));
  else PetscCall(SeqAIJAccess(A, HostAccess::read)); /* a block */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDestroy_Derived(Mat A, PetscBool mpi)
{
  DerivedMat *m;
  PetscErrorCode (*destroy)(Mat) = base_destroy[mpi];

  PetscFunctionBegin;
  PetscCall(SeqAIJAccess(A, HostAccess::destroy));
  PetscCall(DerivedQuery(A, &m)); /* none inside MatHeaderMerge(), which has detached names, functions and objects */
  if (m) {
    destroy = m->base.destroy; /* matrices of MatCreateSubMatrices() have one of their own */
    if (mpi || ((PetscObject)A)->refct > 0) PetscCall(DerivedUninstall(A));
    else PetscCall(DerivedComposeConversions(A, m->cls, PETSC_FALSE)); /* nothing of A stays; its header or the base class owns the rest */
  }
  PetscCall((*destroy)(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDestroy_SeqDerived(Mat A)
{
  return MatDestroy_Derived(A, PETSC_FALSE);
}

static PetscErrorCode MatDestroy_MPIDerived(Mat A)
{
  return MatDestroy_Derived(A, PETSC_TRUE);
}

/* The duplicate has the same pattern: it shares layout and COO maps, not values */
static PetscErrorCode MatDuplicate_Derived(Mat A, MatDuplicateOption op, Mat *B)
{
  DerivedMat *m, *n;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  if (op == MAT_COPY_VALUES) PetscCall(DerivedSync(A, m));
  PetscCall(SeqAIJDuplicate(m->base.duplicate, A, op, B));
  PetscCall(DerivedQuery(*B, &n));
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  n->settings       = m->cls->copy_settings(m->settings.get());
  const bool wanted = m->coo || !n->shortcuts || A->rmap->n > SmallTuning::rows;
  if (wanted && parts_unchanged(A, m) && !A->structure_only && !(*B)->structure_only) {
    LocalPart *part;

    if (n->mpi) PetscCall(MatMPIAIJGetSeqAIJ(*B, &n->Ad, &n->Ao, &n->garray));
    else n->Ad = *B;
    PetscCall(PartOf(*B, n, n->Ad, PETSC_FALSE, &part));
    PetscCall(part->ShareLayout(*m->diag, n->Ad));
    if (n->Ao) {
      PetscCall(PartOf(*B, n, n->Ao, PETSC_TRUE, &part));
      PetscCall(part->ShareLayout(*m->off, n->Ao));
    }
    n->coo = m->coo;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The functions replaced by name, and the member that keeps the base class's function */
static const struct {
  const char       *name;
  PetscErrorCodeFn *DerivedMat::*base;
  PetscErrorCodeFn              *derived;
} composed[] = {
  {"MatSetPreallocationCOO_C", &DerivedMat::base_prealloc_coo, (PetscErrorCodeFn *)DerivedSetPreallocationCOO},
  {"MatSetValuesCOO_C",        &DerivedMat::base_values_coo,   (PetscErrorCodeFn *)DerivedSetValuesCOO       },
  {"MatSeqAIJKron_C",          &DerivedMat::base_kron,         (PetscErrorCodeFn *)DerivedKron               }
};

PetscErrorCode DerivedInstall(Mat A, const DerivedClass *cls)
{
  DerivedMat *m;
  PetscBool   mpi, done;

  PetscFunctionBegin;
  PetscCall(PetscStrbeginswith(((PetscObject)A)->type_name, MATMPIAIJ, &mpi));
  const char *const name = mpi ? cls->mpi_name : cls->seq_name;
  PetscCall(
    PetscObjectTypeCompare((PetscObject)A, name, &done)); /* -mat_seqaij_type may already have converted A inside its constructor, or to another class */
  if (done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DerivedQuery(A, &m));
  if (m) PetscCall(DerivedUninstall(A));
  m           = new DerivedMat;
  m->cls      = cls;
  m->base     = *A->ops;
  m->mpi      = mpi;
  m->settings = cls->make_settings();
  PetscCall(Compose(A, context_name, m));
  PetscCall(DeviceUsable(&m->device));
  PetscCall(HostShortcuts(&m->shortcuts));
#if PetscDefined(HAVE_CUDA)
  if (m->device) {
    PetscCall(MatSetVecType(A, VECCUDA));
    A->boundtocpu = PETSC_FALSE; /* as every type with a device part: MatCreate() makes it true */
  }
#endif

  if (mpi) base_destroy[mpi] = A->ops->destroy;
  else PetscCall(SeqAIJPlainDestroy(&base_destroy[mpi]));
  A->ops->destroy   = mpi ? MatDestroy_MPIDerived : MatDestroy_SeqDerived;
  A->ops->duplicate = MatDuplicate_Derived;
  PetscCall(DerivedInstallOperations(A, m));
  PetscCall(DerivedInstallProducts(A));
  PetscCall(DerivedInstallChanges(A, m));
  for (const auto &c : composed) {
    PetscCall(PetscObjectQueryFunction((PetscObject)A, c.name, &(m->*c.base)));
    if (m->*c.base) PetscCall(PetscObjectComposeFunction((PetscObject)A, c.name, c.derived));
  }
  PetscCall(DerivedSyncOperations(A, m));
  PetscCall(DeviceInstall(A, m)); /* last: it wraps the existing functions */
  PetscCall(DerivedSyncFunctions(A));
  PetscCall(DerivedComposeConversions(A, cls, PETSC_TRUE));
  PetscCall(FactorPackagesFind());
  m->derived = *A->ops;
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Removes the parts of PartOf() from the blocks; MatSetPreallocationCOO() makes the blocks matrices of the type */
static PetscErrorCode RemoveParts(Mat A)
{
  Mat block[2] = {NULL, NULL};

  PetscFunctionBegin;
  if (A->data) PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], NULL));
  for (Mat b : block) {
    LocalPart  *part = nullptr;
    DerivedMat *m    = nullptr;

    if (b) PetscCall(DerivedQuery(b, &m));
    if (m) PetscCall(DerivedUninstall(b));
    else if (b) PetscCall(LocalPartQuery(b, &part));
    if (b) PetscCall(DerivedUnsyncFunctions(b));
    if (!part) continue;
    PetscCall(DerivedComposeBlockDiagonals(b, PETSC_FALSE));
    PetscCall(LocalPartRemove(b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedUninstall(Mat A)
{
  DerivedMat *m;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  if (A->data) PetscCall(DerivedSync(A, m));
  for (std::size_t k = 0; k < operations; k++) { /* PETSc replaces some at run time (inodes, hashed assembly): they are not wrapped */
    Operation &now = table_of(*A->ops).entry[k];
    if (now == table_of(m->derived).entry[k]) now = table_of(m->base).entry[k];
  }
  PetscCall(DerivedUnsyncFunctions(A));
  PetscCall(DerivedComposeConversions(A, m->cls, PETSC_FALSE));
  for (const auto &c : composed) PetscCall(PetscObjectComposeFunction((PetscObject)A, c.name, m->*c.base));
#if PetscDefined(HAVE_CUDA)
  if (m->device) {
    PetscCall(MatSetVecType(A, VECSTANDARD));
    A->boundtocpu = PETSC_TRUE;
  }
#endif
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, m->mpi ? MATMPIAIJ : MATSEQAIJ));
  PetscCall(m->mpi ? RemoveParts(A) : LocalPartRemove(A));
  PetscCall(PetscObjectCompose((PetscObject)A, context_name, NULL)); /* destroys m */
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <int k, bool mpi>
static PetscErrorCode Create(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatSetType(A, mpi ? MATMPIAIJ : MATSEQAIJ));
  PetscCall(DerivedInstall(A, classes[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The operations that a matrix has while its block is not armed */
static PetscErrorCode TableOf(Mat A, const struct _MatOps **table)
{
  DerivedMat *m;

  PetscFunctionBegin;
  PetscCall(DerivedQuery(A, &m));
  *table = m ? &m->derived : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedRegister(const DerivedClass *cls)
{
  /* MatRegister() accepts functions without context: one pair for each class */
  static PetscErrorCode (*const create[][2])(Mat) = {
    {Create<0, false>, Create<0, true>},
    {Create<1, false>, Create<1, true>}
  };
  std::size_t k = 0;

  PetscFunctionBegin;
  while (k < classes.size() && classes[k] != cls) k++;
  PetscCheck(k < PETSC_STATIC_ARRAY_LENGTH(create), PETSC_COMM_SELF, PETSC_ERR_PLIB, "More formats than constructors");
  if (k == classes.size()) classes.push_back(cls);
  PetscCall(SeqAIJSetTable(TableOf));
  PetscCall(MaijReadersRegister());
  PetscCall(MatRegister(cls->seq_name, create[k][0]));
  PetscCall(MatRegister(cls->mpi_name, create[k][1]));
  PetscCall(MatRegisterRootName(cls->aij_root, cls->seq_name, cls->mpi_name)); /* first: PETSc builds block type names as "seq" + the first root name */
  PetscCall(MatRegisterRootName(cls->root, cls->seq_name, cls->mpi_name));
  PetscCall(MatSeqAIJRegister(cls->seq_name, DerivedConvertIn));
  PetscCall(MatSolverTypeRegister(MATSOLVERPETSC, cls->seq_name, MAT_FACTOR_ILU, DerivedGetFactorILU));
  PetscCall(DeviceRegisterFactors(cls->seq_name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
