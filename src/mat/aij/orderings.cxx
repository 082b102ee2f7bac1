/*
   Orderings of parallel matrices with a PETSc whose MatGetOrdering() compares the type: as it does for MATMPIAIJ, each
   process orders its diagonal block.
*/
#include "derived.hpp"
#include "../../sys/petsc_compat.hpp"
#include <map>
#include <string>
#include <vector>

namespace heptane
{

namespace
{

using OrderingFunction = PetscErrorCode(Mat, MatOrderingType, IS *, IS *);

std::map<std::string, OrderingFunction *> stock_orderings;

PetscErrorCode Shifted(Mat A, IS *local, IS *order)
{
  PetscInt        first, n;
  const PetscInt *index;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  PetscCall(ISGetLocalSize(*local, &n));
  PetscCall(ISGetIndices(*local, &index));
  std::vector<PetscInt> shifted(index, index + n);
  PetscCall(ISRestoreIndices(*local, &index));
  PetscCall(ISDestroy(local));
  for (PetscInt &i : shifted) i += first;
  PetscCall(ISCreateGeneral(PetscObjectComm((PetscObject)A), n, shifted.data(), PETSC_COPY_VALUES, order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OrderBlock(Mat A, MatOrderingType type, IS *rows, IS *columns)
{
  DerivedMat *m;
  Mat         block;
  IS          local[2];

  PetscFunctionBegin;
  PetscCall(DerivedQuery(A, &m));
  if (!m || !m->mpi) {
    PetscCall((*stock_orderings.at(type))(A, type, rows, columns));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatMPIAIJGetSeqAIJ(A, &block, NULL, NULL));
  PetscCall(MatGetOrdering(block, type, &local[0], &local[1]));
  PetscCall(Shifted(A, &local[0], rows));
  PetscCall(Shifted(A, &local[1], columns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode DerivedRegisterOrderings()
{
  PetscFunctionBegin;
  if (!orderings_compare_type) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatOrderingRegisterAll());
  for (const char *name : {MATORDERINGNATURAL, MATORDERINGND, MATORDERING1WD, MATORDERINGRCM, MATORDERINGQMD, MATORDERINGROWLENGTH, MATORDERINGWBM,
                           MATORDERINGSPECTRAL, MATORDERINGAMD, MATORDERINGMETISND}) {
    OrderingFunction *f = NULL;

    PetscCall(PetscFunctionListFind(MatOrderingList, name, &f));
    if (!f || f == OrderBlock) continue;
    stock_orderings[name] = f;
    PetscCall(MatOrderingRegister(name, OrderBlock));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
