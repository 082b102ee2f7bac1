/*
   Vectors and operator of a solve: access to the data of PETSc's objects.
*/
#include "operands.hpp"
#include "../../../sys/collective.hpp"

namespace heptane
{

/* null: the matrix has none */
static PetscErrorCode OperatorOf(Mat A, PetscBool on_device, PetscBool begins, std::shared_ptr<FusedMatrix> *op)
{
  PetscErrorCode (*get)(Mat, PetscBool, PetscBool, std::shared_ptr<FusedMatrix> *);

  PetscFunctionBegin;
  op->reset();
  PetscCall(PetscObjectQueryFunction((PetscObject)A, fused_operator_name, &get));
  if (get) PetscCall((*get)(A, on_device, begins, op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The array of a vector on its side, or on the host. The right-hand side is locked by PETSc, so that it is only read.
*/
static PetscErrorCode GetArray(Vec v, bool read, bool device, Scalar **a, PetscMemType *mt)
{
  const Scalar **const constant = const_cast<const Scalar **>(a);

  PetscFunctionBegin;
  if (mt) *mt = PETSC_MEMTYPE_HOST;
  if (device && read) PetscCall(VecGetArrayReadAndMemType(v, constant, mt));
  else if (device) PetscCall(VecGetArrayAndMemType(v, a, mt));
  else if (read) PetscCall(VecGetArrayRead(v, constant));
  else PetscCall(VecGetArray(v, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RestoreArray(Vec v, bool read, bool device, Scalar **a)
{
  const Scalar **const constant = const_cast<const Scalar **>(a);

  PetscFunctionBegin;
  if (device && read) PetscCall(VecRestoreArrayReadAndMemType(v, constant));
  else if (device) PetscCall(VecRestoreArrayAndMemType(v, a));
  else if (read) PetscCall(VecRestoreArrayRead(v, constant));
  else PetscCall(VecRestoreArray(v, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedOperands::Open(KSP solver, const std::vector<Vec> &all)
{
  const MPI_Comm comm      = PetscObjectComm((PetscObject)solver);
  PetscBool      on_device = PETSC_TRUE;

  PetscFunctionBegin;
  ksp     = solver;
  vectors = all;
  changed = false;
  matrix_op.reset();
  folded.reset();
  passes = nullptr;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PCGetOperators(ksp->pc, &Amat, NULL));
  PetscCall(VecGetLocalSize(vectors[0], &n));
  for (Vec v : vectors) { /* one host vector among them: the passes run on the host */
    Scalar      *a;
    PetscMemType mt;
    PetscBool    bound;

    PetscCall(VecBoundToCPU(v, &bound)); /* the member does not exist in builds without devices */
    if (!PetscDefined(HAVE_CUDA) || bound) on_device = PETSC_FALSE;
    if (!on_device) break;
    PetscCall(GetArray(v, v == ksp->vec_rhs, true, &a, &mt));
    PetscCall(RestoreArray(v, v == ksp->vec_rhs, true, &a));
    on_device = PetscMemTypeCUDA(mt) ? PETSC_TRUE : PETSC_FALSE;
    if (!on_device) break;
  }
  if (size > 1) PetscCall(CollectiveReduce(comm, &on_device, 1, MPI_C_BOOL, MPI_LAND));
  device = on_device;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedOperands::FindOperator()
{
  PetscFunctionBegin;
  if (!ksp->transpose_solve) PetscCall(OperatorOf(Amat, (PetscBool)device, PETSC_TRUE, &matrix_op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The current operator of the matrix: code that had access to the vectors may have changed the values, and MatMult()
   would use the new ones
*/
PetscErrorCode FusedOperands::Refetch()
{
  std::shared_ptr<FusedMatrix> now;

  PetscFunctionBegin;
  if (!matrix_op) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OperatorOf(Amat, (PetscBool)device, PETSC_FALSE, &now));
  PetscCheck(
    now, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
    "The matrix was given another type, place or format within a solve with it, by a monitor or a preconditioner: change these before the solve, or use -ksp_fused_mode twin");
  changed   = changed || now->Version() != matrix_op->Version();
  matrix_op = std::move(now);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedOperands::Take()
{
  PetscFunctionBegin;
  if (held) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Refetch());
  arrays.resize(vectors.size());
  aligned = true;
  for (std::size_t k = 0; k < vectors.size(); k++) {
    PetscCall(GetArray(vectors[k], vectors[k] == ksp->vec_rhs, device, &arrays[k], NULL));
    aligned = aligned && reinterpret_cast<std::uintptr_t>(arrays[k]) % (2 * sizeof(Scalar)) == 0;
  }
  held = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedOperands::GiveBack()
{
  PetscFunctionBegin;
  if (!held) PetscFunctionReturn(PETSC_SUCCESS);
  held = false;
  for (std::size_t k = 0; k < vectors.size(); k++) PetscCall(RestoreArray(vectors[k], vectors[k] == ksp->vec_rhs, device, &arrays[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Scalar *FusedOperands::Array(Vec v) const
{
  for (std::size_t k = 0; k < vectors.size(); k++)
    if (vectors[k] == v) return arrays[k];
  return nullptr;
}

bool FusedOperands::BlocksApart(const FusedPc &pc) const
{
  return ProductsInPasses() && applies_loaded(pc, FusedPc::blocks) && device && !(Matrix() && Matrix()->AppliesBlocks(pc.block));
}

} // namespace heptane
